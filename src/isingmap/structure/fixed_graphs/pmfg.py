"""The planar maximally filtered graph: pairs by decreasing similarity, each kept if the graph stays planar."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from isingmap.structure.fixed_graphs.fit_graph import drawn_at_once, fit_graph, refuse_every_field
from isingmap.structure.fixed_graphs.keep_planar import keep_planar
from isingmap.structure.fixed_graphs.similarity import by_similarity, checked, name_ranks, node_similarity
from isingmap.structure.options import SearchOptions
from isingmap.structure.problem import Problem
from isingmap.structure.result import SearchResult


def pmfg_edges(similarity, *, names=None, progress: Callable[[int, int], None] | None = None) -> np.ndarray:
    """Planar maximally filtered graph: pairs by decreasing similarity, each kept if the graph stays planar.

    Parameters
    ----------
    similarity : (n, n) array
        Symmetric, any sign. Users take |E[x_i x_j]|, so that strong disagreement counts as a tie, or for data
        with means `mutual_information`.
    names : sequence of str, optional
        Decide among equal pairs; default: the position.
    progress : callable, optional
        Called with (edges so far, 3 n - 6).

    Returns
    -------
    (3 n - 6, 2) int64 array
        In the order in which they were added.

    Notes
    -----
    In practice about 20 n planarity tests of O(n); O(n^2) of them at most, and O(n^2 log n) to sort the pairs.
    Tumminello, Aste, Di Matteo & Mantegna, PNAS 102, 10421 (2005).
    """
    similarity = checked(similarity)
    return planar_filter(similarity, name_ranks(names, len(similarity)), progress)


def planar_filter(similarity: np.ndarray, rank: np.ndarray, progress=None) -> np.ndarray:
    """Edges of the PMFG, ties by rank, in the order in which they were added."""
    pairs = np.stack(np.triu_indices(rank.size, 1), axis=1)
    return keep_planar(rank.size, pairs[by_similarity(similarity, rank, pairs)], progress)


def search(problem: Problem, options: SearchOptions, progress: Callable | None) -> SearchResult:
    """The exact fit on the PMFG of the absolute moments, with those of the auxiliary node where fields are chosen."""
    refuse_every_field(problem, "PMFG")
    return drawn_at_once(fit_graph(planar_filter(*node_similarity(problem), progress), problem), options)
