"""How rows are drawn. A resample is a function of the rows, the seed and its number, and of nothing else.

Rows have an order of their own here, that of their values with the columns in the order of their names; so the order
in a file does not matter. Rows that are equal are kept once with their number, and a resample is other numbers. Where
rows come in clusters whole clusters are drawn, in the order of their labels; equal rows are kept once in each.

Efron (1979) for the bootstrap; Bickel, Goetze and van Zwet (1997) for m out of n; Shah and Samworth (2013) for halves
that complement each other; Epskamp, Borsboom and Fried (2018) for dropping cases; Davison and Hinkley (1997), section
3.8, for clusters.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from isingmap.data.table import SpinTable
from isingmap.errors import DataError
from isingmap.model import IsingModel
from isingmap.resampling.options import CASE_DROPPING, M_OUT_OF_N, NONPARAMETRIC, PARAMETRIC

# Shares of the rows that are dropped, one for each resample in turn; as in R's bootnet.
DROPPED = tuple(np.linspace(0.05, 0.75, 10).tolist())
MOST_ROWS = 10**9  # above it NumPy does not draw without replacement


@dataclass(frozen=True, eq=False)
class Rows:
    """The rows of a table in their own order.

    Attributes
    ----------
    table : SpinTable
        Columns in the order of their names.
    are_counts : bool
        Whether all weights are whole numbers of rows. Then a row of weight w is drawn like w rows; else rows are drawn
        whatever their weight, which they carry with them, and the weights of a resample are scaled to the sum they
        should have.
    cluster : (n_rows,) int64 array or None
        The number of each row's cluster, 0, 1, ...; what is drawn are clusters, whatever their size.
    """

    table: SpinTable
    are_counts: bool
    cluster: np.ndarray | None

    @property
    def weights(self) -> np.ndarray:
        assert self.table.weights is not None
        return self.table.weights

    @property
    def identity(self) -> list[np.ndarray]:
        """The arrays on which a resample depends."""
        return [self.table.spins, self.weights, *([] if self.cluster is None else [self.cluster])]

    @property
    def units(self) -> np.ndarray:
        """How often each row, or cluster, can be drawn without replacement, int64."""
        if self.cluster is not None:
            return np.ones(int(self.cluster[-1]) + 1, np.int64)
        return self.weights.astype(np.int64) if self.are_counts else np.ones(len(self.weights), np.int64)

    def of_number(self, resampling: Any, seed: int, number: int, model: IsingModel | None) -> SpinTable:
        """The table of a resample; see `resample`."""
        return resample(self, resampling.kind, resampling.share, seed, number, model)

    def drawn(self, times: np.ndarray, share: float = 1.0) -> SpinTable:
        """The table with each row, or cluster, so many times.

        Weights that are no counts add up to a share of what they did.
        """
        if self.are_counts and self.cluster is None:
            return replace(self.table, weights=times)
        weights = (times if self.cluster is None else times[self.cluster]) * self.weights
        if self.are_counts:
            return replace(self.table, weights=weights)
        return replace(self.table, weights=weights * (share * self.weights.sum() / weights.sum()))


def own_order(table: SpinTable, *, weights_are_counts: bool = True) -> Rows:
    """The rows of a table in an order that depends on what they hold alone.

    Parameters
    ----------
    table : SpinTable
    weights_are_counts : bool
        Whether weights that are whole numbers count rows; those of a survey do not.

    Raises
    ------
    DataError
        For more rows than can be drawn from. Cost O(n_samples n_spins log n_samples).
    """
    return placed_rows(table, weights_are_counts=weights_are_counts)[0]


def placed_rows(table: SpinTable, *, weights_are_counts: bool = True) -> tuple[Rows, np.ndarray]:
    """Those rows, and for each row of the table which of them it is, (n_samples,); -1 for a row of weight 0.

    Raises
    ------
    DataError
        As `own_order`.
    """
    table = table.select(sorted(table.names))
    weights = table.row_weights
    if weights.sum() > MOST_ROWS:
        raise DataError(
            f"the weights add up to {weights.sum():,.10g} rows, and rows are drawn one by one, from at most "
            f"{MOST_ROWS:,}. Divide all weights by one number"
        )
    there = np.flatnonzero(weights > 0)
    cluster = np.zeros(table.n_samples, np.int64) if table.clusters is None else table.clusters
    order = there[np.lexsort((weights[there], *table.spins[there].T[::-1], cluster[there]))]
    spins, weights, cluster = table.spins[order], weights[order], cluster[order]
    place, number = np.full(table.n_samples, -1), np.arange(len(order))
    are_counts = weights_are_counts and bool((weights == np.floor(weights)).all())
    if are_counts:
        is_new = np.append(True, (spins[1:] != spins[:-1]).any(axis=1) | (cluster[1:] != cluster[:-1]))
        first, number = np.flatnonzero(is_new), np.cumsum(is_new) - 1
        spins, weights, cluster = spins[first], np.add.reduceat(weights, first), cluster[first]
    place[order] = number
    plain = replace(table, spins=spins, weights=weights, groups=None, details={}, notes=(), clusters=None)
    numbers = None if table.clusters is None else np.unique(cluster, return_inverse=True)[1].reshape(-1)
    return Rows(plain, are_counts, numbers), place


def resample(rows: Rows, kind: str, share: float, seed: int, number: int, model: IsingModel | None) -> SpinTable:
    """The table of a resample.

    Parameters
    ----------
    rows : Rows
    kind : {"nonparametric", "parametric", "m-out-of-n", "case-dropping"}
    share : float
        Of the rows, with "m-out-of-n".
    seed, number : int
        Of all, and of this one.
    model : IsingModel or None
        Whose samples the rows are, with "parametric"; variables in the order of their names.
    """
    return _KINDS[kind](rows, share, seed, number, model)


def dropped_share(number: int) -> float:
    """The share of rows that a resample of the kind "case-dropping" lacks."""
    return DROPPED[number % len(DROPPED)]


def generator_of(seed: int, number: int) -> np.random.Generator:
    return np.random.default_rng(np.random.SeedSequence(seed, spawn_key=(number,)))


def _with_replacement(rows: Rows, share: float, seed: int, number: int, model: object) -> SpinTable:
    units = rows.units
    return rows.drawn(generator_of(seed, number).multinomial(units.sum(), units / units.sum()))


def _of_the_model(rows: Rows, share: float, seed: int, number: int, model: IsingModel | None) -> SpinTable:
    """Exact samples; where a cell is missing, it is missing there too."""
    assert model is not None
    which = np.repeat(np.arange(len(rows.weights)), rows.units)
    spins = model.sample(len(which), rng=generator_of(seed, number))
    if rows.table.n_missing:
        spins = spins * (rows.table.spins[which] != 0)
    return replace(rows.table, spins=spins, weights=None if rows.are_counts else rows.weights)


def _part(rows: Rows, share: float, seed: int, number: int, model: object) -> SpinTable:
    """Resamples 2k and 2k + 1 have no row in common, if both find room."""
    units, generator = rows.units, generator_of(seed, number // 2)
    size = _size(units, share)
    first = generator.multivariate_hypergeometric(units, size)
    if number % 2 == 0:
        return rows.drawn(first, share)
    left = units - first if 2 * size <= units.sum() else units
    return rows.drawn(generator.multivariate_hypergeometric(left, size), share)


def _without_some(rows: Rows, share: float, seed: int, number: int, model: object) -> SpinTable:
    units, kept = rows.units, 1 - dropped_share(number)
    return rows.drawn(generator_of(seed, number).multivariate_hypergeometric(units, _size(units, kept)), kept)


def _size(units: np.ndarray, share: float) -> int:
    return max(int(share * units.sum()), 1)


_KINDS: dict[str, Callable[..., SpinTable]] = {
    NONPARAMETRIC: _with_replacement,
    PARAMETRIC: _of_the_model,
    M_OUT_OF_N: _part,
    CASE_DROPPING: _without_some,
}
