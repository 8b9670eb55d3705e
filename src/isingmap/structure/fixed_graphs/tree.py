"""The Chow-Liu tree: no cycle, so the best of all trees is found at once."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from isingmap.compiled import helper, kernel
from isingmap.likelihood.fit import shrunk
from isingmap.structure.fixed_graphs.fit_graph import drawn_at_once, fit_graph
from isingmap.structure.fixed_graphs.similarity import (
    by_similarity,
    checked,
    mutual_information,
    name_ranks,
    node_similarity,
)
from isingmap.structure.options import SearchOptions
from isingmap.structure.problem import Problem
from isingmap.structure.result import SearchResult


def chow_liu_edges(moments, magnetizations=None, *, names=None) -> np.ndarray:
    """The Chow-Liu tree: maximum spanning tree of the pairwise mutual information.

    Parameters
    ----------
    moments : (n, n) array
        E[x_i x_j] of -1/+1 data.
    magnetizations : (n,) array, optional
        E[x_i]. Without them the spins count as fair, and mutual information orders pairs as |moments| does.
    names : sequence of str, optional
        Decide among equal pairs; default: the position.

    Returns
    -------
    (n - 1, 2) int64 array
        In decreasing order of information. Pairs without any are used where a tree needs them.

    Notes
    -----
    Prim's algorithm, O(n^2) time. Chow & Liu, IEEE Trans. Inf. Theory 14, 462 (1968).
    """
    moments = checked(moments)
    similarity = np.abs(moments) if magnetizations is None else mutual_information(moments, magnetizations)
    return spanning_tree(similarity, name_ranks(names, len(moments)))


def spanning_tree(similarity: np.ndarray, rank: np.ndarray) -> np.ndarray:
    """Maximum spanning tree, ties by rank, (n - 1, 2), largest similarity first."""
    edges = _spanning_tree(similarity, rank)
    return edges[by_similarity(similarity, rank, edges)]


@helper
def _comes_first(value, i, j, other_value, k, m):
    """Is the pair of ranks i, j better than the pair k, m: a larger value, or the same and first by name?"""
    if value != other_value:
        return value > other_value
    return (min(i, j), max(i, j)) < (min(k, m), max(k, m))


@kernel
def _spanning_tree(similarity, rank):
    n = rank.size
    edges = np.empty((max(n - 1, 0), 2), np.int64)
    anchor = np.full(n, -1, np.int64)  # best neighbour inside the tree
    inside = np.zeros(n, np.bool_)
    v = 0
    for k in range(n - 1):
        inside[v] = True
        best = -1
        for w in range(n):
            if inside[w]:
                continue
            a = anchor[w]
            if a < 0 or _comes_first(similarity[v, w], rank[v], rank[w], similarity[a, w], rank[a], rank[w]):
                anchor[w] = a = v
            if best < 0 or _comes_first(
                similarity[a, w],
                rank[a],
                rank[w],
                similarity[anchor[best], best],
                rank[anchor[best]],
                rank[best],
            ):
                best = w
        edges[k, 0], edges[k, 1] = anchor[best], best
        v = best
    return edges


def search(problem: Problem, options: SearchOptions, progress: Callable | None) -> SearchResult:
    """The exact fit on the best tree; O(n^2) for the tree, O(n) for the fit.

    Where every variable has a field it is the usual tree, by mutual information; else the auxiliary node takes part
    as one more variable, and its edges are the fields.
    """
    if problem.rules.every_field:
        moments, means = problem.moments.moments, np.asarray(problem.moments.magnetizations)
        information = mutual_information(
            shrunk(moments, problem.prior, problem.n_samples), shrunk(means, problem.prior, problem.n_samples)
        )
        edges = spanning_tree(information, name_ranks(problem.names, problem.n_spins))
    else:
        edges = spanning_tree(*node_similarity(problem))
    return drawn_at_once(fit_graph(edges, problem), options)
