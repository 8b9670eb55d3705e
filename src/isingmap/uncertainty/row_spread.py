"""How much the moments behind a model's parameters vary, from the rows themselves: the meat of the sandwich.

Nothing is assumed of a row but that it, or its cluster, was drawn independently of the others.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from isingmap.data.moments import moment_columns
from isingmap.data.options import FREQUENCY, SURVEY
from isingmap.data.table import SpinTable
from isingmap.errors import DataError, DataWarning
from isingmap.inference.pfaffian.blas import one_blas_thread
from isingmap.warned import warn

# Below, 95 % intervals cover less where clusters differ in size. With clusters that lean in ways of their own, of 3
# columns, sizes as 8 to 1: 90 % for 4 to 12 clusters, 94 % for 20; of equal size 93 to 95 % for 2 to 40 (300 tables).
FEW_CLUSTERS = 20
# Numbers that are in memory at once: rows times parameters.
_AT_ONCE = 1 << 22


@dataclass(frozen=True, eq=False)
class RowSpread:
    """Covariances of the moments of a model's parameters, couplings first, then free fields.

    Attributes
    ----------
    covariance : (n_parameters, n_parameters) array
        Of the weighted means, with the factor G / (G - 1) for G independent units.
    n_units : float
        Independent units: clusters, or rows (the sum of frequency weights).
    n_rows : int
        Rows of positive weight.
    by_cluster, is_survey : bool
    """

    covariance: np.ndarray
    n_units: float
    n_rows: int
    by_cluster: bool
    is_survey: bool


def check_clusters(table: SpinTable) -> None:
    """Refuse clusters that say nothing about how much clusters differ, or warn of it; looked at before the work.

    Raises
    ------
    DataError
        For a single cluster.

    Warns
    -----
    DataWarning
        For few.
    """
    if table.clusters is None:
        return
    used = table.clusters if table.weights is None else table.clusters[table.weights > 0]
    n_clusters = np.unique(used).size
    if n_clusters < 2:
        raise DataError(
            "all rows are in one cluster, so nothing tells how much clusters differ: standard errors need at least 2. "
            "Give other clusters (another cluster_column= of a file), or leave them out"
        )
    if n_clusters < FEW_CLUSTERS:
        warn(
            f"only {n_clusters} clusters: how much clusters differ, on which standard errors, intervals and p-values "
            f"rest, is hardly known from fewer than {FEW_CLUSTERS}, where they are of different sizes",
            DataWarning,
        )


def row_spread(table: SpinTable, edges: np.ndarray, fields: np.ndarray, weight_kind: str = FREQUENCY) -> RowSpread:
    """Covariances of the moments, from the spread of rows or of clusters.

    A moment is the mean of w t over that of w, t = x_i x_j or x_i, over the rows that know it; a unit's pull on it is
    the sum of w (t - mean) / (sum of w), and the covariance is that of the pulls. Rows with a frequency weight w pull
    as w rows. Whole-number weights give the same bits for every order of the rows. O(n_samples n_parameters^2), in
    blocks of bounded memory.

    Parameters
    ----------
    table : SpinTable
    edges : (n_edges, 2) int array
    fields : (n_fields,) int array
        Columns whose mean is one of the moments.
    weight_kind : {"frequency", "survey"}
    """
    columns = moment_columns(edges, fields)
    is_survey = weight_kind == SURVEY and table.weights is not None
    weights = table.row_weights
    used = np.flatnonzero(weights)
    if table.clusters is None:
        n_units = float(used.size if is_survey else weights.sum())
    else:
        used = used[np.argsort(table.clusters[used], kind="stable")]
        n_units = float(np.unique(table.clusters[used]).size)
    with one_blas_thread():
        totals, gram = _totals_and_gram(table, columns, weights, used, squared=is_survey)
        covariance = _covariance_of_means(totals, gram, len(columns))
    factor = n_units / (n_units - 1.0) if n_units > 1 else np.nan
    return RowSpread(covariance * factor, n_units, used.size, table.clusters is not None, is_survey)


def _covariance_of_means(totals: np.ndarray, gram: np.ndarray, k: int) -> np.ndarray:
    """From the totals of values and of where they are known, and the sum of their outer products over the units."""
    counts = np.broadcast_to(totals[k:], k)
    means = totals[:k] / counts
    of_known = -np.diag(means) if totals.size > k + 1 else -means[None, :]
    pull = np.vstack([np.eye(k), of_known])
    return pull.T @ gram @ pull / np.outer(counts, counts)


def _totals_and_gram(table: SpinTable, columns, weights, used, *, squared: bool) -> tuple[np.ndarray, np.ndarray]:
    """Without clusters a row of weight w counts w times in the outer products, or w^2."""
    size = len(columns) * 2 if table.n_missing else len(columns) + 1
    totals, gram, last, begun = np.zeros(size), np.zeros((size, size)), -1, np.zeros(size)
    for rows, values in _blocks(table, columns, used):
        weighted = values * weights[rows, None]
        totals += weighted.sum(axis=0)
        if table.clusters is None:
            gram += weighted.T @ (weighted if squared else values)
            continue
        cluster = table.clusters[rows]
        sums = np.add.reduceat(weighted, np.flatnonzero(np.diff(cluster, prepend=-1)), axis=0)
        if cluster[0] == last:
            sums[0] += begun
        else:
            gram += np.outer(begun, begun)
        gram += sums[:-1].T @ sums[:-1]
        last, begun = int(cluster[-1]), sums[-1]  # the next block may go on with it
    return totals, gram + np.outer(begun, begun)


def _blocks(table: SpinTable, columns: np.ndarray, used: np.ndarray) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """Numbers of rows; the products x_i x_j (or x_i), then where they are known, or a 1 for all where all are."""
    is_field = columns[:, 0] == columns[:, 1]
    at_once = max(1, _AT_ONCE // max(1, len(columns)))
    for start in range(0, used.size, at_once):
        rows = used[start : start + at_once]
        first, second = table.spins[np.ix_(rows, columns[:, 0])], table.spins[np.ix_(rows, columns[:, 1])]
        products = first * np.where(is_field, np.int8(1), second)
        known = products != 0 if table.n_missing else np.ones((rows.size, 1), bool)
        yield rows, np.hstack([products, known]).astype(np.float64)
