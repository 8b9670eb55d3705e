"""Pairs of nodes that an edge can join, or no longer can."""

from __future__ import annotations

import numpy as np

from isingmap.compiled import kernel
from isingmap.planar.blocks import component_labels
from isingmap.planar.embedding import embed, orbits
from isingmap.planar.planarity import is_planar_kernel


@kernel
def blocked_pairs(n_nodes, edges, asked):
    """Of the pairs i < j asked about, those that no embedding can join, (n_nodes, n_nodes) bool, symmetric.

    `edges` must be simple and planar. O(n) for each pair.
    """
    n_edges = edges.shape[0]
    trial = np.empty((n_edges + 1, 2), np.int64)
    joined, blocked = np.empty((n_nodes, n_nodes), np.bool_), np.empty((n_nodes, n_nodes), np.bool_)
    for i in range(n_nodes):
        for j in range(n_nodes):
            joined[i, j] = False
            blocked[i, j] = False
    for e in range(n_edges):
        trial[e, 0] = edges[e, 0]
        trial[e, 1] = edges[e, 1]
        joined[edges[e, 0], edges[e, 1]] = True
        joined[edges[e, 1], edges[e, 0]] = True
    for i in range(n_nodes):
        for j in range(i + 1, n_nodes):
            if asked[i, j] and not joined[i, j]:
                trial[n_edges, 0] = i
                trial[n_edges, 1] = j
                if not is_planar_kernel(n_nodes, trial):
                    blocked[i, j] = True
                    blocked[j, i] = True
    return blocked


def cofacial_pairs(n_nodes: int, edges: np.ndarray) -> np.ndarray:
    """Pairs on a common face of one embedding or in different components, (n_nodes, n_nodes) bool, symmetric.

    An edge can join all of them. O(n) and the sum of the squares of the face lengths.
    """
    embedding = embed(n_nodes, edges)
    face, n_faces = orbits(embedding.next_in_face)
    component = component_labels(n_nodes, edges)
    cofacial = component[:, None] != component[None, :]
    by_face = np.argsort(face, kind="stable")
    begin = np.searchsorted(face[by_face], np.arange(n_faces + 1))
    _join_corners(embedding.tail[by_face], begin, cofacial)
    return cofacial


@kernel
def _join_corners(corner, begin, cofacial):
    for f in range(begin.size - 1):
        for p in range(begin[f], begin[f + 1]):
            for q in range(begin[f], p):
                if corner[p] != corner[q]:
                    cofacial[corner[p], corner[q]] = True
                    cofacial[corner[q], corner[p]] = True
