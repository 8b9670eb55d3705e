"""Shortest paths in a graph, as numbers of edges: correlations are products along them."""

from __future__ import annotations

import numpy as np

from isingmap.compiled import NONE, ZERO, filled, helper, kernel
from isingmap.planar.incidence import incidence


@kernel
def breadth_first(source, edges, start, order, parent, depth, queue):
    """Fill the dart by which each node was reached and its distance; returns the largest distance."""
    for v in range(depth.size):
        depth[v] = -1
    depth[source] = 0
    queue[0] = source
    size = 1
    k = 0
    while k < size:
        v = queue[k]
        k += 1
        for j in range(start[v], start[v + 1]):
            dart = order[j]
            w = edges[dart >> 1, 1 - (dart & 1)]
            if depth[w] < 0:
                depth[w] = depth[v] + 1
                parent[w] = dart
                queue[size] = w
                size += 1
    return depth[queue[size - 1]]


@helper
def _reach(source, wanted, n_wanted, edges, start, order, parent, seen, queue):
    """Breadth first from `source` until all wanted nodes have the dart in `parent` by which they were reached."""
    seen[source] = source
    queue[0] = source
    size = 1
    k = 0
    while n_wanted > 0:
        v = queue[k]
        k += 1
        for p in range(start[v], start[v + 1]):
            w = edges[order[p] >> 1, 1 - (order[p] & 1)]
            if seen[w] != source:
                seen[w] = source
                parent[w] = order[p]
                queue[size] = w
                size += 1
                n_wanted -= w < wanted.size and wanted[w]


@kernel
def asked_paths(n_nodes, edges, asked, n_asked):
    """Shortest paths between the pairs i < j of `asked`: (begin (n_asked + 1,), edge numbers), pairs row by row.

    `asked` holds no other entries, so many in all. Only as much of the graph is seen as the paths need.
    """
    start, order = incidence(n_nodes, edges)
    parent = filled(n_nodes, ZERO)
    seen = filled(n_nodes, NONE)
    queue = filled(n_nodes, ZERO)
    begin = filled(n_asked + 1, ZERO)
    path = filled(4 * begin.size, ZERO)
    size = 0
    pair = 0
    for i in range(asked.shape[0]):
        n_wanted = 0
        for j in range(i + 1, asked.shape[0]):
            n_wanted += asked[i, j]
        _reach(i, asked[i], n_wanted, edges, start, order, parent, seen, queue)
        for j in range(i + 1, asked.shape[0] if n_wanted else 0):
            if not asked[i, j]:
                continue
            if size + n_nodes > path.size:
                longer = filled(2 * path.size + n_nodes, ZERO)
                for k in range(size):
                    longer[k] = path[k]
                path = longer
            v = j
            while v != i:
                path[size] = parent[v] >> 1
                size += 1
                v = edges[parent[v] >> 1, parent[v] & 1]
            pair += 1
            begin[pair] = size
    return begin, path[:size]


def shortest_paths(n_nodes: int, edges: np.ndarray, pairs: np.ndarray) -> list[np.ndarray]:
    """Edge numbers of a shortest path between the two nodes of each pair. O(n) for each different first node."""
    start, order = incidence(n_nodes, edges)
    parent, depth, queue = (np.empty(n_nodes, np.int64) for _ in range(3))
    paths: list[np.ndarray] = [np.empty(0, np.int64)] * len(pairs)
    by_source = np.argsort(pairs[:, 0], kind="stable")
    source = -1
    for k in by_source.tolist():
        if pairs[k, 0] != source:
            source = pairs[k, 0]
            breadth_first(source, edges, start, order, parent, depth, queue)
        paths[k] = _path_back(pairs[k, 1], source, edges, parent)
    return paths


def _path_back(node: int, source: int, edges: np.ndarray, parent: np.ndarray) -> np.ndarray:
    path = []
    while node != source:
        dart = parent[node]
        path.append(dart >> 1)
        node = edges[dart >> 1, dart & 1]
    return np.array(path, dtype=np.int64)
