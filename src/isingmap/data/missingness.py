"""Whether cells are missing for reasons that other columns show: what rows with and without a cell have elsewhere."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy.special import chdtrc, gammaln

from isingmap.data.options import EM
from isingmap.data.table import counted
from isingmap.data.tally import Tally
from isingmap.errors import DataWarning
from isingmap.holm import holm
from isingmap.printable import printable
from isingmap.warned import warn

# With fewer rows expected in a cell of the table a chi^2 that looks small is not trusted: Fisher's exact test is made.
FEW_EXPECTED, DOUBTED = 10.0, 0.05
MOST_TOLD = 1000
# Largest adjusted p-value of a relation that is warned of: by chance one table in a hundred has one.
STRONG = 0.01


@dataclass(frozen=True)
class Relation:
    """A column that differs between the rows that lack a cell and those that have it.

    Attributes
    ----------
    column, other : int
        Where cells are missing, and the column compared.
    n_lacking, n_having : float
        Rows that lack and that have the cell, among those where the other is known.
    mean_lacking, mean_having : float
        Of the other column.
    p_value, adjusted : float
        Of equal means (chi^2 of the 2 x 2 table, or Fisher's test), with clusters of so many rows as they are worth;
        adjusted for all comparisons made (Holm).
    """

    column: int
    other: int
    n_lacking: float
    n_having: float
    mean_lacking: float
    mean_having: float
    p_value: float
    adjusted: float


@dataclass(frozen=True, eq=False)
class Missingness:
    """Missing cells by column, and against the other columns.

    Attributes
    ----------
    names : tuple of str
    missing : (n_spins,) float array
        Weight of the rows that lack the cell.
    n_samples : float
        Weight of all rows.
    relations : tuple of Relation
        Those of the smallest p-values, at most 1000, ascending.
    n_compared : int
    by_cluster : bool
        Whether p-values allow for rows that come in clusters.
    """

    names: tuple[str, ...]
    missing: np.ndarray
    n_samples: float
    relations: tuple[Relation, ...]
    n_compared: int
    by_cluster: bool = False

    @property
    def strong(self) -> tuple[Relation, ...]:
        """Those that chance does not explain."""
        return tuple(relation for relation in self.relations if relation.adjusted < STRONG)

    def told(self, relation: Relation) -> str:
        """A relation in words."""
        column, other = printable(self.names[relation.column]), printable(self.names[relation.other])
        return (
            f"where {column} is missing the mean of {other} is {relation.mean_lacking:+.2f}, elsewhere "
            f"{relation.mean_having:+.2f} (adjusted p = {relation.adjusted:.1g})"
        )

    def warn_of_relations(self, rule: str) -> None:
        """One line where cells are missing for reasons that the other columns show.

        Warns
        -----
        DataWarning
        """
        strong = self.strong
        if not strong:
            return
        meaning = (
            "missing='em' allows for that as long as what is known of a row explains it"
            if rule == EM
            else f"missing={rule!r} takes them for missing at random, and its map can be off; missing='em' allows for "
            "what the other columns show"
        )
        warn(
            f"cells are not missing completely at random: {counted(len(strong), 'relation')} with other columns beyond "
            f"chance, most of all {self.told(strong[0])}. {meaning}",
            DataWarning,
        )


def missingness_of(tally: Tally, names: Sequence[str], effects: np.ndarray | None = None) -> Missingness:
    """Compare every column between the rows that lack a cell of another and those that have it.

    A column with a single value in the rows at hand is compared with none: it would count in Holm's number for nothing.
    With weights that are no whole numbers all tests are by chi^2. Cost O(n_spins^2).

    Parameters
    ----------
    tally : Tally
    names : sequence of str
    effects : (n_spins, n_spins) array, optional
        `design_effects` of rows that come in clusters: no p-value is below that of so many times fewer rows. Where
        gaps and answers have nothing to do with each other, 1 % of tables or fewer are then warned of, instead of up to
        all (`benchmarks/clustered_gaps.py`).
    """
    total, known = float(tally.total.rounded()), tally.seen_alone.rounded()
    # [i, j]: of column i, over the rows that have a cell of column j; and over those that lack it.
    n_having, sum_having = tally.seen.rounded(), tally.beside.rounded()
    n_lacking = (tally.seen_alone.each(lambda part: _spread(part, names)) - tally.seen).rounded()
    sum_lacking = (tally.sums.each(lambda part: _spread(part, names)) - tally.beside).rounded()
    # A column with a single value where it is known says nothing of the gaps of others, and is no comparison.
    alone, sums_alone = tally.seen_alone, tally.sums
    varies = ~((alone - sums_alone).are_zero() | (alone + sums_alone).are_zero())
    compared = (np.minimum(n_lacking, n_having) > 0) & varies[:, None]
    np.fill_diagonal(compared, False)
    other, column = np.nonzero(compared)
    sizes, sums = (
        np.array([n_lacking, n_having])[:, other, column],
        np.array([sum_lacking, sum_having])[:, other, column],
    )
    counts = np.array([sizes[0] + sums[0], sizes[0] - sums[0], sizes[1] + sums[1], sizes[1] - sums[1]]) / 2.0
    p = _p_values(*counts)
    if effects is not None:
        p = np.maximum(p, _p_of_clusters(counts, effects[other, column]))
    rank = np.argsort(np.array(sorted(range(len(names)), key=names.__getitem__)))
    order = np.lexsort((rank[other], rank[column], p))
    adjusted = holm(p[order])
    relations = tuple(
        Relation(*row)
        for row in zip(
            *(values[order][:MOST_TOLD].tolist() for values in (column, other, *sizes, *(sums / sizes), p)),
            adjusted[:MOST_TOLD].tolist(),
            strict=True,
        )
    )
    return Missingness(tuple(names), total - known, total, relations, p.size, effects is not None)


def _spread(part: np.ndarray, names: Sequence[str]) -> np.ndarray:
    return np.broadcast_to(part[:, None], (len(names),) * 2)


def _p_values(a: np.ndarray, b: np.ndarray, c: np.ndarray, d: np.ndarray) -> np.ndarray:
    """Of 2 x 2 tables: +1 and -1 without the cell, +1 and -1 with it."""
    total, lacking, plus = a + b + c + d, a + b, a + c
    p, least = _by_chi(a, b, c, d)
    whole = np.all([part == np.floor(part) for part in (a, b, c, d)], axis=0)
    for k in np.flatnonzero((p < DOUBTED) & (least < FEW_EXPECTED) & whole).tolist():
        p[k] = _fisher(int(a[k]), int(lacking[k]), int(plus[k]), int(total[k]))
    return p


def _by_chi(a: np.ndarray, b: np.ndarray, c: np.ndarray, d: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Probabilities by chi^2, and the least number expected in a cell of each table."""
    total, lacking, plus = a + b + c + d, a + b, a + c
    margins = lacking * (total - lacking) * plus * (total - plus)
    with np.errstate(divide="ignore", invalid="ignore"):
        statistic = np.where(margins > 0, total * (a * d - b * c) ** 2 / margins, 0.0)
    return chdtrc(1.0, statistic), np.minimum(lacking, total - lacking) * np.minimum(plus, total - plus) / total


def _p_of_clusters(counts: np.ndarray, effects: np.ndarray) -> np.ndarray:
    """Of tables, (4, n_tables), of `effects` times fewer rows; Fisher's of whole ones nearby where rows are few."""
    counts = counts / effects
    p, least = _by_chi(*counts)
    for k in np.flatnonzero((p < DOUBTED) & (least < FEW_EXPECTED) & (effects > 1.0)).tolist():
        a, b, c, _ = counts[:, k].tolist()
        total = round(counts[:, k].sum())
        lacking, plus = min(max(round(a + b), 1), total), min(round(a + c), total)
        nearer = math.floor if a * total > lacking * plus else math.ceil  # to what is expected
        a = min(max(nearer(a), lacking + plus - total, 0), lacking, plus)
        p[k] = max(p[k], _fisher(a, lacking, plus, total))
    return p


def _fisher(a: int, lacking: int, plus: int, total: int) -> float:
    """Probability of tables with these margins that are no more probable than this one."""
    x = np.arange(max(0, lacking + plus - total), min(lacking, plus) + 1)
    log_p = _log_choose(plus, x) + _log_choose(total - plus, lacking - x) - _log_choose(total, lacking)
    p = np.exp(log_p)
    return float(min(1.0, p[p <= p[a - x[0]] * (1.0 + 1e-9)].sum()))


def _log_choose(n, k) -> np.ndarray:
    return gammaln(n + 1.0) - gammaln(np.add(k, 1.0)) - gammaln(np.subtract(n, k) + 1.0)
