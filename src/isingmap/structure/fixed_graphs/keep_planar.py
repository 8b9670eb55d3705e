"""The loop of the PMFG: pairs in a given order, each kept if the graph stays planar.

Nearly all of the time goes into pairs that are rejected. Most of these are settled without a planarity test by
triangles: if two parts of the graph without the triangle abc are both joined to a, b and c, no edge can ever join
them, since contracting the two parts would leave a K5.
"""

from __future__ import annotations

import numpy as np

from isingmap.compiled import ZERO, filled, inlined, kernel
from isingmap.interruption import look
from isingmap.planar.incidence import incidence
from isingmap.planar.planarity import is_planar_kernel


def maximal_edges(n_nodes: int) -> int:
    """Edges of a maximal planar graph."""
    return 3 * n_nodes - 6 if n_nodes > 2 else n_nodes * (n_nodes - 1) // 2


def keep_planar(n_nodes: int, pairs: np.ndarray, progress=None) -> np.ndarray:
    """The maximal planar graph that takes every pair which leaves it planar, in order.

    Parameters
    ----------
    pairs : (n_nodes (n_nodes - 1) / 2, 2) int64 array
        All pairs.
    progress : callable, optional
        Called with (edges so far, all edges).

    Returns
    -------
    (3 n_nodes - 6, 2) int64 array
        In the order of `pairs`. At most O(n^2) planarity tests of O(n), in practice about 20 n; n^2 bytes.
    """
    edges = np.empty((maximal_edges(n_nodes), 2), np.int64)
    separated = np.zeros((n_nodes, n_nodes), bool)
    n_kept = tested = 0
    while n_kept < len(edges):
        look()
        n_kept, tested = _advance(n_nodes, pairs, tested, edges, n_kept, separated)
        _mark_separated(n_nodes, edges[:n_kept], separated)
        if progress is not None:
            progress(n_kept, len(edges))
    return edges


@kernel
def _advance(n_nodes, pairs, tested, edges, n_kept, separated):
    """Go on until n_nodes tests have failed or the graph is maximal; new (edges kept, pairs tested).

    So many failed tests cost about as much as looking through all triangles once more.
    """
    n_failed = 0
    while n_kept < edges.shape[0] and n_failed < n_nodes:
        i, j = pairs[tested, 0], pairs[tested, 1]
        tested += 1
        if separated[i, j]:
            continue
        edges[n_kept, 0], edges[n_kept, 1] = i, j
        if is_planar_kernel(n_nodes, edges[: n_kept + 1]):
            n_kept += 1
        else:
            n_failed += 1
    return n_kept, tested


@kernel
def _mark_separated(n_nodes, edges, separated):
    """Mark the pairs of nodes that some triangle keeps apart for good."""
    start, order = incidence(n_nodes, edges)
    neighbours = filled(order.size, ZERO)
    for k in range(order.size):
        neighbours[k] = edges[order[k] >> 1, 1 - (order[k] & 1)]
    reached = filled(n_nodes, ZERO)
    visited = filled(n_nodes, ZERO)  # the triangle for which each node was last seen
    beside_a = filled(n_nodes, ZERO)
    triangle = ZERO
    for e in range(edges.shape[0]):
        a, b = edges[e, 0], edges[e, 1]
        around_a = neighbours[start[a] : start[a + 1]]
        for v in around_a:
            beside_a[v] = 1
        for c in neighbours[start[b] : start[b + 1]]:
            if beside_a[c] and c > a and c > b:  # every triangle once
                triangle += 1
                visited[a] = visited[b] = visited[c] = triangle
                _mark_sides(around_a, b, c, triangle, neighbours, start, visited, reached, separated)
        for v in around_a:
            beside_a[v] = 0


@inlined
def _mark_sides(around_a, b, c, triangle, neighbours, start, visited, reached, separated):
    """Mark the pairs between two parts of the graph without the triangle that are joined to all its corners.

    A planar graph has at most two such parts. `reached` is working space: the nodes of one part after the other.
    """
    first, n_first, size = 0, 0, 0
    for root in around_a:
        if visited[root] == triangle:
            continue
        begin = size
        size, joins_b, joins_c = _collect(root, b, c, triangle, neighbours, start, visited, reached, size)
        if not (joins_b and joins_c):
            continue
        for v in reached[first : first + n_first]:
            for w in reached[begin:size]:
                separated[v, w] = separated[w, v] = True
        first, n_first = begin, size - begin


@inlined
def _collect(root, b, c, triangle, neighbours, start, visited, reached, size):
    """Append the part of the root to `reached`: (new size, is it joined to b, to c)."""
    joins_b = joins_c = False
    reached[size] = root
    visited[root] = triangle
    done = size
    size += 1
    while done < size:
        v = reached[done]
        done += 1
        for w in neighbours[start[v] : start[v + 1]]:
            joins_b |= w == b
            joins_c |= w == c
            if visited[w] != triangle:
                visited[w] = triangle
                reached[size] = w
                size += 1
    return size, joins_b, joins_c
