"""Pairs of nodes that an edge can no longer join."""

from __future__ import annotations

import numba
import numpy as np

from isingmap.planar.planarity import is_planar_kernel


@numba.njit(cache=True)
def blocked_pairs(n_nodes, edges, asked):
    """Of the pairs i < j asked about, those that no embedding can join, (n_nodes, n_nodes) bool, symmetric.

    `edges` must be simple and planar. O(n) for each pair.
    """
    n_edges = edges.shape[0]
    trial = np.empty((n_edges + 1, 2), np.int64)
    trial[:n_edges] = edges
    joined = np.zeros((n_nodes, n_nodes), np.bool_)
    for e in range(n_edges):
        joined[edges[e, 0], edges[e, 1]] = True
        joined[edges[e, 1], edges[e, 0]] = True
    blocked = np.zeros((n_nodes, n_nodes), np.bool_)
    for i in range(n_nodes):
        for j in range(i + 1, n_nodes):
            if asked[i, j] and not joined[i, j]:
                trial[n_edges, 0] = i
                trial[n_edges, 1] = j
                if not is_planar_kernel(n_nodes, trial):
                    blocked[i, j] = True
                    blocked[j, i] = True
    return blocked
