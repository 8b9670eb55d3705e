"""The cheapest way to draw one more edge: which edges of an embedded graph it has to cross.

A line from i to j crosses the edges of a path in the dual, from a face at i to a face at j. With a weight on every
edge the cheapest crossing is a shortest path.
"""

from __future__ import annotations

import heapq

import numpy as np

from isingmap.compiled import kernel
from isingmap.planar.embedding import Embedding, orbits


def cheapest_crossings(embedding: Embedding, weights: np.ndarray) -> np.ndarray:
    """Total weight of the edges that a line between two nodes must cross in this embedding, (n_nodes, n_nodes).

    Weights must not be negative. Zero for nodes on a common face; infinite for nodes in different components and
    isolated nodes, which no edge separates in every embedding: the caller knows those. O(n^2 log n).
    """
    face, n_faces = orbits(embedding.next_in_face)
    return _all_costs(embedding.n_nodes, embedding.tail, face, *_darts_by_face(face, n_faces), weights)


def crossed_edges(embedding: Embedding, weights: np.ndarray, i: int, j: int) -> np.ndarray:
    """Edges crossed by the cheapest line from i to j."""
    face, n_faces = orbits(embedding.next_in_face)
    distance, entered = _from_node(i, embedding.tail, face, *_darts_by_face(face, n_faces), weights)
    at_j = face[embedding.tail == j]
    current = at_j[np.argmin(distance[at_j])]
    crossed = []
    while entered[current] >= 0:
        crossed.append(entered[current] >> 1)
        current = face[entered[current]]
    return np.array(crossed, dtype=np.int64)


def _darts_by_face(face: np.ndarray, n_faces: int) -> tuple[np.ndarray, np.ndarray]:
    """(darts face by face, where each face begins (n_faces + 1,))."""
    by_face = np.argsort(face, kind="stable")
    return by_face, np.searchsorted(face[by_face], np.arange(n_faces + 1))


@kernel
def _from_node(source, tail, face, by_face, start, weights):
    """Shortest distances from the faces at a node, and the dart across which each face was entered, -1 at the start.

    The dart belongs to the face on the near side.
    """
    n_faces = start.size - 1
    distance = np.full(n_faces, np.inf)
    entered = np.full(n_faces, -1, np.int64)
    heap = [(0.0, np.int64(-1))]
    heap.pop()
    for dart in range(tail.size):
        if tail[dart] == source and distance[face[dart]] > 0.0:
            distance[face[dart]] = 0.0
            heapq.heappush(heap, (0.0, face[dart]))
    while len(heap) > 0:
        d, f = heapq.heappop(heap)
        if d > distance[f]:
            continue
        for k in range(start[f], start[f + 1]):
            dart = by_face[k]
            across = face[dart ^ 1]
            length = d + weights[dart >> 1]
            if length < distance[across]:
                distance[across] = length
                entered[across] = dart
                heapq.heappush(heap, (length, across))
    return distance, entered


@kernel
def _all_costs(n_nodes, tail, face, by_face, start, weights):
    costs = np.full((n_nodes, n_nodes), np.inf)
    for i in range(n_nodes):
        distance, _ = _from_node(i, tail, face, by_face, start, weights)
        for dart in range(tail.size):
            costs[i, tail[dart]] = min(costs[i, tail[dart]], distance[face[dart]])
        costs[i, i] = 0.0
    return costs
