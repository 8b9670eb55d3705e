"""By how much rows that come in clusters weaken the comparison of rows that lack a cell with those that have it."""

from __future__ import annotations

import numpy as np

from isingmap.data.table import SpinTable


def design_effects(table: SpinTable) -> np.ndarray:
    """How many rows of clusters say as much as one row drawn alone, [other, column] as in `Relation`; at least 1.

    What is compared is a sum over rows, of whether the row lacks the cell times what it has in the other column. If
    one has nothing to do with the other, two rows of a cluster add the product of two covariances to the variance of
    that sum: of the lacking, and of the answers. Both are measured over the pairs of rows in all clusters. Single
    clusters, of which a sandwich is made, are poor witnesses where answers or gaps are rare.

    Parameters
    ----------
    table : SpinTable
        With clusters. A weight of w stands for w rows. Whole-number weights give the same bits for every order of rows.

    Notes
    -----
    O(n_samples n_spins^2). Source: Rao and Scott, Annals of Statistics 12 (1984), whose first-order correction this is.
    """
    assert table.clusters is not None
    clusters, weights, lacking = table.clusters, table.row_weights, table.spins == 0
    with_gaps = np.flatnonzero(lacking.any(axis=0))
    rows, gaps = np.nonzero(lacking[:, with_gaps])
    shape = (int(clusters.max()) + 1, with_gaps.size)
    effects = np.ones((table.n_spins,) * 2)
    for other in range(table.n_spins):
        known = weights * ~lacking[:, other]
        total, sizes = known.sum(), np.bincount(clusters, known)
        n_pairs = sizes @ sizes - total
        if n_pairs > 0:
            answers = np.bincount(clusters, known * table.spins[:, other])[:, None]
            lacks = np.bincount(clusters[rows] * shape[1] + gaps, known[rows], np.prod(shape)).reshape(shape)
            alike = _alike_within(answers, total, sizes) * _alike_within(lacks, lacks.sum(axis=0), sizes)
            effects[other, with_gaps] = 1.0 + alike * n_pairs / total
    return np.maximum(effects, 1.0)


def _alike_within(sums: np.ndarray, squares: np.ndarray, sizes: np.ndarray) -> np.ndarray:
    """Correlation of two rows of a cluster, (k,); 0 where all rows have one value.

    Parameters
    ----------
    sums : (n_clusters, k) array
        Of the values in each cluster.
    squares : (k,) array
        Sums of their squares over all rows.
    sizes : (n_clusters,) array
        Weights of the clusters.
    """
    total, of_pairs = sizes.sum(), np.einsum("c,c->", sizes, sizes)
    means = sums.sum(axis=0) / total
    spread = squares - total * means**2
    together = np.einsum("ck,ck->k", sums, sums) - 2 * means * np.einsum("c,ck->k", sizes, sums) + means**2 * of_pairs
    with np.errstate(divide="ignore", invalid="ignore"):
        alike = (together - spread) / (spread * (of_pairs - total) / total)
    return np.where(spread > 0, np.clip(alike, -1.0, 1.0), 0.0)
