"""Graphs read off a similarity matrix: maximum spanning tree, PMFG and TMFG. No model is fitted on the way.

Equal similarities are decided by name, never by column position, and every sum runs in the order of the names, so
that a permutation of the columns cannot change the graph.
"""

from __future__ import annotations

import heapq
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from isingmap.compiled import NONE, ZERO, filled, helper, kernel
from isingmap.errors import DataError, ModelError
from isingmap.structure.fixed_graphs.keep_planar import keep_planar


@dataclass(frozen=True, eq=False)
class FilteredGraph:
    """A triangulated maximally filtered graph and the cliques it is glued from.

    Attributes
    ----------
    edges : (3 n - 6, 2) int64 array
        In the order in which they were drawn.
    cliques : (n - 3, 4) int64 array
        Sets of four nodes, all joined; none for fewer than four nodes.
    separators : (n - 4, 3) int64 array
        The triangle along which each clique but the first is glued on.
    """

    edges: np.ndarray
    cliques: np.ndarray
    separators: np.ndarray


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
        raise ModelError(f"{len(names)} names for {n_nodes} variables; give one for each")
    rank = np.empty(n_nodes, np.int64)
    rank[sorted(range(n_nodes), key=lambda k: names[k])] = np.arange(n_nodes)
    return rank


def _checked(similarity) -> np.ndarray:
    array = np.asarray(similarity)
    if array.ndim != 2 or array.shape[0] != array.shape[1]:
        raise ModelError(f"expected a square matrix, one row for each variable, got shape {array.shape}")
    bad = ~np.isfinite(array)
    if bad.any():
        i, j = np.argwhere(bad)[0].tolist()
        raise DataError(f"entry ({i}, {j}) of the matrix is {array[i, j]}; every pair needs a finite number")
    return array


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
    moments = _checked(moments)
    similarity = np.abs(moments) if magnetizations is None else mutual_information(moments, magnetizations)
    return spanning_tree(similarity, name_ranks(names, len(moments)))


def spanning_tree(similarity: np.ndarray, rank: np.ndarray) -> np.ndarray:
    """Maximum spanning tree, ties by rank, (n - 1, 2), largest similarity first."""
    edges = _spanning_tree(similarity, rank)
    return edges[_by_similarity(similarity, rank, edges)]


def _by_similarity(similarity, rank, pairs) -> np.ndarray:
    ends = np.sort(rank[pairs], axis=1)
    return np.lexsort((ends[:, 1], ends[:, 0], -similarity[pairs[:, 0], pairs[:, 1]]))


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
    similarity = _checked(similarity)
    return planar_filter(similarity, name_ranks(names, len(similarity)), progress)


def planar_filter(similarity: np.ndarray, rank: np.ndarray, progress=None) -> np.ndarray:
    """Edges of the PMFG, ties by rank, in the order in which they were added."""
    pairs = np.stack(np.triu_indices(rank.size, 1), axis=1)
    return keep_planar(rank.size, pairs[_by_similarity(similarity, rank, pairs)], progress)


def tmfg_edges(similarity, *, names=None) -> FilteredGraph:
    """Triangulated maximally filtered graph: nodes are put, best first, into the face where they gain most.

    Parameters
    ----------
    similarity : (n, n) array
        Symmetric, float32 or float64; see `pmfg_edges`.
    names : sequence of str, optional
        Decide among equal gains; default: the position.

    Returns
    -------
    FilteredGraph

    Notes
    -----
    The first clique is that of the paper: the four nodes with the largest sum of similarities above the mean. O(n^2)
    time where a node is the best choice of boundedly many faces, as it is in practice; O(n) memory.
    Massara, Di Matteo & Aste, "Network filtering for big data", J. Complex Networks 5, 161 (2016).
    """
    similarity = _checked(similarity)
    return triangulated_filter(similarity, name_ranks(names, len(similarity)))


def triangulated_filter(similarity: np.ndarray, rank: np.ndarray) -> FilteredGraph:
    """The TMFG, ties by rank. Fewer than four nodes: the complete graph, without cliques."""
    n = rank.size
    order = np.argsort(rank)
    if n < 4:
        everything = order[np.stack(np.triu_indices(n, 1), axis=1)]
        return FilteredGraph(everything, np.empty((0, 4), np.int64), np.empty((0, 3), np.int64))
    # A stable sort: equal strengths stay in the order of the names.
    first = np.sort(np.argsort(-_strengths(similarity, order), kind="stable")[:4])
    cliques = np.empty((n - 3, 4), np.int64)
    cliques[0] = first
    _stack_cliques(similarity, order, np.delete(np.arange(n), first), cliques)
    cliques = order[cliques]
    separators = cliques[1:, 1:]
    spokes = np.stack([np.repeat(cliques[1:, :1], 3, axis=1), separators], axis=2).reshape(-1, 2)
    tetrahedron = cliques[0][np.stack(np.triu_indices(4, 1), axis=1)]
    return FilteredGraph(np.vstack([tetrahedron, spokes]), cliques, separators)


@kernel
def _strengths(similarity, order):
    """Sum of the similarities of each node above the mean of all pairs, by rank."""
    n = order.size
    total = 0.0
    for i in range(n):
        for j in range(i + 1, n):
            total += similarity[order[i], order[j]]
    mean = total / (n * (n - 1) / 2)
    strength = np.zeros(n)
    for i in range(n):
        for j in range(n):
            s = similarity[order[i], order[j]]
            if i != j and s > mean:
                strength[i] += s
    return strength


@helper
def _choose(similarity, order, waiting, n_waiting, a, b, c, heap):
    """Push the best waiting node of a face, all ranks, a < b < c: largest gain first, then all four by name.

    The four make one number, so that the heap has entries of the same type as others of the package; it fits into
    int64 up to 55 000 nodes, whose similarities would fill 24 GB.
    """
    row_a, row_b, row_c = similarity[order[a]], similarity[order[b]], similarity[order[c]]
    largest, best = -np.inf, NONE
    for j in range(n_waiting):
        v = order[waiting[j]]
        gain = (row_a[v] + row_b[v]) + row_c[v]
        if gain > largest:
            largest, best = gain, waiting[j]
    n = order.size
    heapq.heappush(heap, (-np.float64(largest), ((best * n + a) * n + b) * n + c))


@kernel
def _stack_cliques(similarity, order, waiting, cliques):
    """Fill in the cliques of the TMFG after the first, in ranks; the new node comes first and then its separator.

    A face's best choice can only get worse as nodes are used up, so stale heap entries are renewed only when they
    come to the top.
    """
    n = order.size
    n_waiting = waiting.size
    is_waiting = filled(n, ZERO)
    for v in waiting:
        is_waiting[v] = 1
    heap = [(0.0, ZERO) for _ in range(0)]
    a, b, c, d = cliques[0, 0], cliques[0, 1], cliques[0, 2], cliques[0, 3]
    for x, y, z in ((a, b, c), (a, b, d), (a, c, d), (b, c, d)):
        _choose(similarity, order, waiting, n_waiting, x, y, z, heap)
    while n_waiting > 0:
        _, code = heapq.heappop(heap)
        v, a, b, c = code // n**3, code // n**2 % n, code // n % n, code % n
        if not is_waiting[v]:
            _choose(similarity, order, waiting, n_waiting, a, b, c, heap)
            continue
        clique = cliques[n - 3 - n_waiting]
        clique[0], clique[1], clique[2], clique[3] = v, a, b, c
        is_waiting[v] = 0
        n_waiting -= 1
        place = 0
        while waiting[place] != v:
            place += 1
        for j in range(place, n_waiting):
            waiting[j] = waiting[j + 1]
        for x, y in ((a, b), (a, c), (b, c)):
            low, high = min(x, v), max(y, v)
            _choose(similarity, order, waiting, n_waiting, low, x + y + v - low - high, high, heap)
