"""How alike variables are, and which of equal pairs comes first: by name, never by column position."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from isingmap.compiled import helper, kernel
from isingmap.data.table import counted
from isingmap.errors import DataError, ModelError
from isingmap.inference.extended import extended_moments
from isingmap.structure.problem import Problem


def mutual_information(moments, magnetizations) -> np.ndarray:
    """Mutual information of every pair of variables, from the exact 2x2 tables.

    Parameters
    ----------
    moments : (n, n) array
        E[x_i x_j] of -1/+1 data.
    magnetizations : (n,) array
        E[x_i].

    Returns
    -------
    (n, n) array
        Nats; 0 on the diagonal. O(n^2).
    """
    return _mutual_information(np.asarray(moments), np.asarray(magnetizations, float))


@helper
def _cell(joint, independent):
    return joint * np.log(joint / independent) if joint > 0.0 else 0.0


@kernel
def _mutual_information(moments, means):
    n = means.size
    information = np.zeros((n, n))
    for i in range(n):
        for j in range(i + 1, n):
            a, b, c = means[i], means[j], moments[i, j]
            equal = _cell((1 + (a + b) + c) / 4, (1 + a) * (1 + b) / 4)
            equal += _cell((1 - (a + b) + c) / 4, (1 - a) * (1 - b) / 4)
            # Added up so that exchanging i and j cannot change the last digit, on which ties depend.
            first = _cell((1 + (a - b) - c) / 4, (1 + a) * (1 - b) / 4)
            second = _cell((1 + (b - a) - c) / 4, (1 - a) * (1 + b) / 4)
            information[i, j] = information[j, i] = equal + (first + second)
    return information


def name_ranks(names: Sequence[str] | None, n_nodes: int) -> np.ndarray:
    """Place of each node in the order of the names (of the positions, without names), (n_nodes,) int64."""
    if names is None:
        return np.arange(n_nodes)
    if len(names) != n_nodes:
        raise ModelError(f"{counted(len(names), 'name')} for {counted(n_nodes, 'variable')}; give one for each")
    rank = np.empty(n_nodes, np.int64)
    rank[sorted(range(n_nodes), key=lambda k: names[k])] = np.arange(n_nodes)
    return rank


def checked(similarity) -> np.ndarray:
    """A square matrix of finite numbers, or an error that names the entry."""
    array = np.asarray(similarity)
    if array.ndim != 2 or array.shape[0] != array.shape[1]:
        raise ModelError(f"expected a square matrix, one row for each variable, got shape {array.shape}")
    bad = ~np.isfinite(array)
    if bad.any():
        i, j = np.argwhere(bad)[0].tolist()
        raise DataError(f"entry ({i}, {j}) of the matrix is {array[i, j]}; every pair needs a finite number")
    return array


def by_similarity(similarity: np.ndarray, rank: np.ndarray, pairs: np.ndarray) -> np.ndarray:
    """Order of the pairs: the most similar first, then by the ranks of their ends."""
    ends = np.sort(rank[pairs], axis=1)
    return np.lexsort((ends[:, 1], ends[:, 0], -similarity[pairs[:, 0], pairs[:, 1]]))


def node_similarity(problem: Problem) -> tuple[np.ndarray, np.ndarray]:
    """(absolute moments, ranks) of the nodes in the caller's order, the auxiliary node last where fields are chosen.

    The similarity of a variable with the auxiliary node is |E[x_i]|. Where every variable has a field the auxiliary
    node takes no part, and correlations stand for moments.
    """
    rank = name_ranks(problem.names, problem.n_spins)
    if problem.rules.every_field:
        return np.abs(correlations(problem.moments.moments, np.asarray(problem.moments.magnetizations))), rank
    if not problem.rules.has_fields:
        return np.abs(problem.moments.moments), rank
    similarity = extended_moments(problem.moments.moments, problem.moments.magnetizations)
    return np.abs(similarity, out=similarity), np.append(rank, problem.n_spins)


def correlations(moments: np.ndarray, means: np.ndarray) -> np.ndarray:
    """Pearson's correlations of -1/+1 variables; 0 beside a constant one, which goes with nothing."""
    scale = np.sqrt(np.maximum(1.0 - means**2, 0.0))
    covariances = moments - np.outer(means, means)
    products = np.outer(scale, scale)
    found = np.divide(covariances, products, out=np.zeros_like(covariances), where=products > 0)
    np.fill_diagonal(found, 1.0)
    return np.clip(found, -1.0, 1.0)
