"""Goodness of fit: what a model says of a table, held against the table, and against what chance makes of it."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from isingmap.checking.captured import Captured, captured
from isingmap.checking.simulated import Simulation
from isingmap.checking.statistics import TableStatistics, statistics_of, triples_of
from isingmap.data.missing import apply_missing
from isingmap.data.moments import empirical_moments
from isingmap.data.options import EM, FREQUENCY, SURVEY
from isingmap.data.table import SpinTable, counted, listed
from isingmap.errors import DataError, ModelError
from isingmap.interruption import listening
from isingmap.learning.misses import Miss, misses
from isingmap.model import IsingModel
from isingmap.progress import progress_bar
from isingmap.uncertainty.survey import as_survey

# Deviations below this are those of numbers that are all the same.
ROUNDING = 1e-7
# Fewer simulated tables say nothing about p-values below 0.05.
FEWEST_TABLES = 19
MOST_ROWS = 10_000_000
# A maximum by EM does not have the moments of the pairs that are known, so `is_maximum` never finds it to be one.
OF_EM = (
    "Means and pairs are those of the rows that know them. A model by EM need not have them, so no table is fitted "
    "again, and p-values are only rough: for its own table rather too large; and cells that are missing more often "
    "where others have a certain value move pairs too, without the model being wrong."
)
PAIRS, WORST_PAIR, COUNTS, TRIPLES, WORST_TRIPLE = (
    "pairs, sum of z^2",
    "worst pair, |z|",
    "+1s per row",
    "triples, mean z^2",
    "worst triple, |z|",
)


@dataclass(frozen=True)
class Test:
    """A number that grows when a table does not look like the model.

    Attributes
    ----------
    name : str
    value : float
        Of the table.
    expected : float
        Mean over the simulated tables.
    p : float
        Share of tables from the model, this one counted with them, whose value is as large.
    """

    name: str
    value: float
    expected: float
    p: float


@dataclass(frozen=True, eq=False)
class CountOfPositives:
    """How many rows have so many +1.

    Attributes
    ----------
    data, expected, lower, upper : (n_spins + 1,) arrays
        Shares of the rows: of the table, the mean of the simulated tables, and what 95 % of them lie between.
    """

    data: np.ndarray
    expected: np.ndarray
    lower: np.ndarray
    upper: np.ndarray


@dataclass(frozen=True, eq=False)
class Triples:
    """Third central moments.

    Attributes
    ----------
    spins : (n_triples, 3) int array
    data, expected : (n_triples,) arrays
    z : (n_triples,) array
        Difference in standard deviations of the simulated tables; NaN where those leave nothing to chance.
    """

    spins: np.ndarray
    data: np.ndarray
    expected: np.ndarray
    z: np.ndarray


@dataclass(frozen=True, eq=False)
class GoodnessOfFit:
    """The answer of `goodness_of_fit`.

    Attributes
    ----------
    model : IsingModel
    n_rows, n_missing : int
        Of the table as it was held against the model; missing cells.
    notes : tuple of str
        What was done about missing cells and weights.
    seed, n_tables, n_failed : int
        Simulated tables, and those that no model could be fitted to, which are left out.
    is_refitted, is_own : bool
        See `Simulation`.
    misses : tuple of Miss
        Means and pairs, those that are missed most first; exact values of the model.
    tests : tuple of Test
    counts : CountOfPositives
    triples : Triples
        None of them where there are more than 100 variables.
    captured : Captured or None
        None where no row is complete.
    """

    model: IsingModel
    n_rows: int
    n_missing: int
    notes: tuple[str, ...]
    seed: int
    n_tables: int
    n_failed: int
    is_refitted: bool
    is_own: bool
    misses: tuple[Miss, ...]
    tests: tuple[Test, ...]
    counts: CountOfPositives
    triples: Triples
    captured: Captured | None


@listening()
def goodness_of_fit(
    model: IsingModel,
    table: SpinTable,
    *,
    missing: str = "pairwise",
    weight_kind: str = FREQUENCY,
    prior: float | None = None,
    n_tables: int = 100,
    seed: int = 0,
    progress: bool = False,
) -> GoodnessOfFit:
    """Hold a model against a table: means, all pairs, number of +1 in a row, triples, entropies.

    Means and pairs of the model are exact. What chance makes of a table of this size is seen on tables drawn from the
    model (exact samples) with the same cells missing; where the model is the maximum of the likelihood for the table,
    each of them gets its own fit on the same graph (parametric bootstrap). Triples and counts are compared with the
    mean of the simulated tables, which makes their p-values a little too large rather than too small. None of this
    knows that the graph was chosen with the same table.

    Parameters
    ----------
    model : IsingModel
    table : SpinTable
        Columns named as the spins of the model, in any order; every spin must be there. Rows with weights that are
        whole frequencies are repeated, so often that drawn tables have as many rows; with other weights drawn rows
        carry those of the table.
    missing : {"em", "pairwise", "drop", "minus", "error"}
        Rule for missing cells, `weight_kind` and `prior`: those that the model was fitted with, or it is not the
        maximum of the likelihood for the table.
    weight_kind : {"frequency", "survey"}
    prior : float, optional
    n_tables : int
        The smallest p-value is 1 / (n_tables + 1).
    seed : int
    progress : bool
        Show a bar.

    Returns
    -------
    GoodnessOfFit

    Raises
    ------
    DataError
        When columns do not fit the model, for weights or missing cells that the settings do not fit, and when no
        model can be fitted to most simulated tables.
    ModelError
        For a number of tables below 19.
    NonPlanarError, PrecisionError
        As in `IsingModel.sample`.
    """
    given = _in_order_of(model, table)
    if n_tables < FEWEST_TABLES:
        raise ModelError(
            f"n_tables={n_tables} are too few for p-values of 0.05: at least {FEWEST_TABLES}, such as n_tables=100"
        )
    table = _with_rules(given, missing, weight_kind)
    moments = empirical_moments(table)
    simulation = Simulation.of(model, table, moments, prior, seed)
    missed = misses(model, moments, is_own=simulation.is_own)
    found: list[TableStatistics] = []
    with progress_bar("tables", enabled=progress) as update:
        for k in range(n_tables):
            one = simulation.statistics(k)
            if one is not None:
                found.append(one)
            if update is not None:
                update(k + 1, n_tables)
    if 2 * len(found) < n_tables:
        raise DataError(
            f"{n_tables - len(found)} of {n_tables} tables simulated from the model have no finite fit of its graph, "
            f"because some combination of values does not occur in them: {counted(table.n_samples, 'row')} are too few "
            "for this check. Learn the model again with prior=1, which makes every fit finite, and check that one"
        )
    mine = statistics_of(table.spins, missed, table.weights, is_own=simulation.is_own)
    triples = _triples(mine, found, model.n_spins)
    return GoodnessOfFit(
        model=model,
        n_rows=table.n_samples,
        n_missing=table.n_missing,
        notes=table.notes[len(given.notes) :],
        seed=seed,
        n_tables=n_tables,
        n_failed=n_tables - len(found),
        is_refitted=simulation.is_refitted,
        is_own=simulation.is_own,
        misses=tuple(missed),
        tests=tuple(_tests(mine, found, triples)),
        counts=_counts(mine, found),
        triples=triples,
        captured=captured(model, table.spins, table.weights),
    )


def _in_order_of(model: IsingModel, table: SpinTable) -> SpinTable:
    lacking = [name for name in model.names if name not in table.names]
    if lacking:
        raise DataError(
            f"the table has no column {listed([repr(name) for name in lacking])}, and the model has "
            f"{'such a variable' if len(lacking) == 1 else 'these variables'}; the columns are {listed(table.names)}. "
            f"A check needs all {model.n_spins} variables of the model"
        )
    return table.select(list(model.names))


def _with_rules(table: SpinTable, missing: str, weight_kind: str) -> SpinTable:
    """The table as a model with these settings is learned from it; whole frequencies as so many rows."""
    table = apply_missing(replace(table, clusters=None), missing)
    if missing == EM and table.n_missing:
        table = table.with_notes(OF_EM)
    if weight_kind == SURVEY:
        return as_survey(table)
    if table.weights is None or (table.weights != np.floor(table.weights)).any():
        return table
    total = table.weights.sum()
    if total > MOST_ROWS:
        raise DataError(
            f"the weights add up to {total:,.10g} rows, and each simulated table has as many: at most {MOST_ROWS:,}. "
            "Divide all weights by one number"
        )
    rows = np.repeat(np.arange(table.n_samples), table.weights.astype(np.int64))
    note = f"Rows of a whole weight count as so many rows: {len(rows):,}."
    return replace(table, spins=table.spins[rows], weights=None).with_notes(note)


def _counts(mine: TableStatistics, found: list[TableStatistics]) -> CountOfPositives:
    simulated = np.array([one.counts for one in found])
    lower, upper = np.quantile(simulated, [0.025, 0.975], axis=0)
    return CountOfPositives(mine.counts, simulated.mean(axis=0), lower, upper)


def _triples(mine: TableStatistics, found: list[TableStatistics], n_spins: int) -> Triples:
    simulated = np.array([one.triples for one in found])
    mean, deviation = simulated.mean(axis=0, dtype=float), simulated.std(axis=0, ddof=1, dtype=float)
    return Triples(triples_of(n_spins), mine.triples.astype(float), mean, _z(mine.triples, mean, deviation))


def _z(values: np.ndarray, mean: np.ndarray, deviation: np.ndarray) -> np.ndarray:
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.where(deviation > ROUNDING, (values - mean) / deviation, np.nan)


def _tests(mine: TableStatistics, found: list[TableStatistics], triples: Triples) -> list[Test]:
    tests = [
        _test(PAIRS, mine.pairs, [one.pairs for one in found]),
        _test(WORST_PAIR, mine.worst_pair, [one.worst_pair for one in found]),
    ]
    counts = np.array([one.counts for one in found])
    tests.append(_test(COUNTS, _largest_gap(mine.counts, counts.mean(axis=0)), _gaps(counts)))
    if triples.z.size:
        z = np.array([*_others_z(np.array([one.triples for one in found], float)), triples.z])
        mean_square, largest = np.nanmean(z**2, axis=1), np.nanmax(np.abs(z), axis=1)
        tests.append(_test(TRIPLES, mean_square[-1], mean_square[:-1]))
        tests.append(_test(WORST_TRIPLE, largest[-1], largest[:-1]))
    return tests


def _test(name: str, value: float, simulated) -> Test:
    simulated = np.asarray(simulated)
    # Rounding must not make equal tables differ.
    at_least = int((simulated >= value * (1 - 1e-9)).sum())
    return Test(name, float(value), float(simulated.mean()), (1 + at_least) / (1 + simulated.size))


def _largest_gap(shares: np.ndarray, expected: np.ndarray) -> float:
    """Between the cumulative shares (Kolmogorov and Smirnov)."""
    return float(np.abs(np.cumsum(shares) - np.cumsum(expected)).max())


def _gaps(counts: np.ndarray) -> list[float]:
    """Of each simulated table, against the mean of the others, as the real one is."""
    others = (counts.sum(axis=0) - counts) / (len(counts) - 1)
    return [_largest_gap(own, expected) for own, expected in zip(counts, others, strict=True)]


def _others_z(simulated: np.ndarray) -> np.ndarray:
    """z of each simulated table by mean and deviation of the others, as the real one has them."""
    r = len(simulated) - 1
    mean = (simulated.sum(axis=0) - simulated) / r
    squares = ((simulated**2).sum(axis=0) - simulated**2) / r
    deviation = np.sqrt(np.maximum(squares - mean**2, 0.0) * (r / (r - 1)))
    return _z(simulated, mean, deviation)
