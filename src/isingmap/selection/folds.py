"""The rows in folds, each held out once: the same folds for every order of rows and columns."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from isingmap.data.table import SpinTable, counted, listed, numbered_clusters
from isingmap.errors import DataError

# A row of whole weight w is w rows, which may go to different folds, up to so many rows in all.
MOST_UNITS = 10_000_000


@dataclass(frozen=True, eq=False)
class Folds:
    """Distinct rows, and how much of each is held out in each fold.

    Attributes
    ----------
    table : SpinTable
        The distinct rows, in the order of their values, with their weight.
    held : (n_folds, n_distinct) array
        Weight of each distinct row in each fold; the columns add up to the weights of the table.
    by_group : bool
        Whether rows that belong together are in one fold.
    """

    table: SpinTable
    held: np.ndarray
    by_group: bool

    def training_weights(self, fold: int) -> np.ndarray:
        """What is left of each distinct row where a fold is held out."""
        return np.delete(self.held, fold, axis=0).sum(axis=0)


def folds_of(table: SpinTable, n_folds: int, seed, *, groups: Sequence | np.ndarray | None = None) -> Folds:
    """Rows, or groups of rows, drawn into folds of equal size.

    They are drawn in the order of their values, so that the order of rows and columns does not matter, and a row of
    whole weight w is treated as w rows. Rows with fractional weights, and groups, stay whole.

    Parameters
    ----------
    table : SpinTable
        Without missing cells.
    n_folds : int
    seed : int or Generator
    groups : (n_samples,) sequence of labels, optional
        Rows with one label are held out together.

    Raises
    ------
    DataError
        For missing cells, fewer rows or groups than folds, or a column that has a single value without some fold.
        Cost O(n_samples n_spins log n_samples).
    """
    if table.n_missing:
        raise DataError(
            f"criterion='cv': held-out likelihood needs complete rows, and {counted(table.n_missing, 'cell')} would "
            "stay missing; use missing='drop' or missing='minus'"
        )
    weights = table.row_weights
    by_name = table.spins[:, np.argsort(table.names, kind="stable")]
    first, number = np.unique(by_name[weights > 0], axis=0, return_index=True, return_inverse=True)[1:]
    used, row_weights, number = table.spins[weights > 0], weights[weights > 0], number.reshape(-1)
    if groups is None:
        of_unit, unit_weights = _units(number, row_weights)
        group = np.arange(len(of_unit))
    else:
        group = numbered_clusters(groups, table.n_samples)[weights > 0]
        group = np.unique(group, return_inverse=True)[1].reshape(-1)
        order = np.lexsort((row_weights, number, group))  # sums of weights have one rounding
        of_unit, unit_weights, group = number[order], row_weights[order], group[order]
    n_units = int(group.max()) + 1
    if n_units < n_folds:
        what = counted(n_units, "row" if groups is None else "group")
        advice = f"use n_folds={n_units} or fewer" if n_units > 1 else "cross-validation needs at least 2"
        raise DataError(f"n_folds={n_folds} with {what}: each fold needs at least one; {advice}")
    fold = (np.random.default_rng(seed).permutation(n_units) % n_folds)[group]
    cells = np.bincount(fold * len(first) + of_unit, unit_weights, n_folds * len(first))
    held = cells.reshape(n_folds, len(first))
    distinct = SpinTable(used[first], table.names, table.codings, held.sum(axis=0))
    return Folds(distinct, held, groups is not None)


def refuse_constant(folds: Folds) -> None:
    """Refuse folds without which a column has a single value: the others would give the held-out rows probability 0.

    Raises
    ------
    DataError
        Naming the columns.
    """
    spins = folds.table.spins
    training = np.array([folds.training_weights(fold) for fold in range(len(folds.held))])
    least = np.minimum(training @ (spins == -1), training @ (spins == 1)).min(axis=0)
    names = [folds.table.names[k] for k in np.flatnonzero(least == 0).tolist()]
    if names:
        them = "it" if len(names) == 1 else "them"
        raise DataError(
            f"{counted(len(names), 'column')} ({listed(names)}) {'has' if len(names) == 1 else 'have'} a single value "
            "in all rows but those of one fold, so the others give these rows probability 0 and no held-out likelihood "
            f"exists. Leave {them} out, or use prior=1"
        )


def _units(number: np.ndarray, weights: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """What is drawn into folds: the distinct row of each unit and its weight, in the order of values and weights."""
    order = np.lexsort((weights, number))
    number, weights = number[order], weights[order]
    if (weights == np.floor(weights)).all() and weights.sum() <= MOST_UNITS:
        units = np.repeat(number, weights.astype(np.int64))
        return units, np.ones(len(units))
    return number, weights
