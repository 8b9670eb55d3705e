"""Dask arrays and data frames: every partition is added up where it lies, and neighbours are merged in pairs."""

from __future__ import annotations

from collections.abc import Sequence
from copy import deepcopy
from typing import Any

import numpy as np

from isingmap.data.accumulator import MomentAccumulator
from isingmap.errors import DataError


def accumulate_dask(
    X: Any, *, weight_column: str | None = None, names: Sequence[str] | None = None, **settings: Any
) -> MomentAccumulator:
    """Add up the rows of a Dask array or data frame on whatever runs it: threads, processes or a cluster.

    Only sums travel. The result is that of adding all rows on one machine, to the last bit, and `PlanarIsing.fit`
    takes it.

    Parameters
    ----------
    X : dask array or dask data frame
    weight_column : str, optional
        Of a data frame: the column of frequency weights of the rows.
    names : sequence of str, optional
        Of the columns of an array.
    settings
        positive, threshold, missing_label and missing, as of MomentAccumulator.

    Raises
    ------
    DataError
        If X is no such table, or its partitions cannot be read.
    """
    if not hasattr(X, "to_delayed"):
        raise DataError(f"expected a dask array or data frame, got {type(X).__name__}; add(X) takes tables in memory")
    from dask import delayed

    is_array = not hasattr(X, "columns")
    if is_array and weight_column is not None:
        raise DataError(f"weight_column={weight_column!r} names a column, but X is an array")
    if not is_array and weight_column is not None and weight_column not in X.columns:
        raise DataError(f"there is no column {weight_column!r} (weight_column=)")
    parts = np.ravel(X.rechunk({1: -1}).to_delayed() if is_array else X.to_delayed()).tolist()
    waiting = [delayed(_added)(part, names, weight_column, settings) for part in parts]
    while len(waiting) > 1:
        pairs = [waiting[k : k + 2] for k in range(0, len(waiting), 2)]
        waiting = [delayed(_merged)(*pair) if len(pair) == 2 else pair[0] for pair in pairs]
    return waiting[0].compute()


def _added(part: Any, names: Sequence[str] | None, weight_column: str | None, settings: dict) -> MomentAccumulator:
    accumulator = MomentAccumulator(names, **settings)
    if not len(part):
        return accumulator
    if weight_column is None:
        return accumulator.add(part)
    return accumulator.add(part.drop(columns=weight_column), part[weight_column].to_numpy())


def _merged(first: MomentAccumulator, second: MomentAccumulator) -> MomentAccumulator:
    """A new one: who runs the partitions may ask for the same merging twice."""
    return deepcopy(first).merge(second)
