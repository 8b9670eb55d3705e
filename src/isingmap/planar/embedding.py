"""Embeddings: a graph together with the circular order of the edges around every node."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from isingmap.compiled import NONE, filled, kernel
from isingmap.errors import ModelError
from isingmap.planar.kuratowski import non_planar_error
from isingmap.planar.planarity import embed_kernel, is_planar_kernel


@dataclass(frozen=True, eq=False)
class Embedding:
    """A planar embedding, stored on darts.

    Edge e has two darts: 2e leaves edges[e, 0], 2e + 1 leaves edges[e, 1]. The twin of dart d is d ^ 1.

    Attributes
    ----------
    n_nodes : int
    edges : (n_edges, 2) int64 array
    clockwise : (2 n_edges,) int64 array
        The next dart clockwise around the same tail.
    """

    n_nodes: int
    edges: np.ndarray
    clockwise: np.ndarray

    @property
    def tail(self) -> np.ndarray:
        """Node each dart leaves, (2 n_edges,)."""
        return self.edges.reshape(-1)

    @property
    def head(self) -> np.ndarray:
        """Node each dart enters, (2 n_edges,)."""
        return self.edges[:, ::-1].reshape(-1)

    @property
    def next_in_face(self) -> np.ndarray:
        """The dart that follows on the boundary of the face to the right of each dart, (2 n_edges,)."""
        counterclockwise = np.empty_like(self.clockwise)
        counterclockwise[self.clockwise] = np.arange(self.clockwise.size)
        twin = np.arange(self.clockwise.size) ^ 1
        return counterclockwise[twin]


def as_simple_edges(edges, n_nodes: int) -> np.ndarray:
    """Check an edge list and return it as an (n_edges, 2) int64 array, order and direction kept.

    Raises
    ------
    ModelError
        For a wrong shape, a node outside 0..n_nodes-1, a loop, or an edge given twice (in either direction).
    """
    array = np.asarray(edges, dtype=np.int64)
    if array.size == 0:
        return np.empty((0, 2), np.int64)
    if array.ndim != 2 or array.shape[1] != 2:
        raise ModelError(f"edges must have shape (n_edges, 2), got {array.shape}: one row (i, j) for each edge")
    outside = np.flatnonzero((array < 0).any(axis=1) | (array >= n_nodes).any(axis=1))
    if outside.size:
        k = outside[0]
        raise ModelError(f"edge {k} joins {tuple(array[k].tolist())}, but nodes are numbered 0..{n_nodes - 1}")
    loops = np.flatnonzero(array[:, 0] == array[:, 1])
    if loops.size:
        k = loops[0]
        raise ModelError(f"edge {k} joins node {array[k, 0]} to itself; an edge needs two different nodes")
    key = array.min(axis=1) * n_nodes + array.max(axis=1)
    _, first, count = np.unique(key, return_index=True, return_counts=True)
    if (count > 1).any():
        pair = tuple(array[first[count > 1][0]].tolist())
        raise ModelError(
            f"pairs of nodes given more than once: {int((count > 1).sum())}, e.g. {pair}; "
            "give each pair once, in one direction"
        )
    return np.ascontiguousarray(array)


def is_planar(n_nodes: int, edges) -> bool:
    """Whether a simple graph can be drawn without crossings. Linear time."""
    return bool(is_planar_kernel(n_nodes, as_simple_edges(edges, n_nodes)))


def embed(n_nodes: int, edges, *, labels=None) -> Embedding:
    """A planar embedding of a simple graph. Linear time (left-right algorithm).

    Parameters
    ----------
    labels : sequence, optional
        Names of the nodes, used in the error.

    Raises
    ------
    NonPlanarError
        Carries a subdivision of K5 or K3,3.
    """
    array = as_simple_edges(edges, n_nodes)
    planar, clockwise = embed_kernel(n_nodes, array)
    if not planar:
        raise non_planar_error(n_nodes, array, labels)
    return Embedding(n_nodes, array, clockwise)


@kernel
def orbits(permutation):
    """Cycles of a permutation: (index of the cycle of each element, number of cycles)."""
    label = filled(permutation.size, NONE)
    count = 0
    for first in range(permutation.size):
        if label[first] >= 0:
            continue
        k = first
        while label[k] < 0:
            label[k] = count
            k = permutation[k]
        count += 1
    return label, count


def faces(embedding: Embedding) -> list[np.ndarray]:
    """Boundary walks, one array of darts for each face (connected parts have an outer face each)."""
    successor = embedding.next_in_face
    seen = np.zeros(successor.size, bool)
    walks = []
    for first in range(successor.size):
        if seen[first]:
            continue
        walk = [first]
        seen[first] = True
        dart = successor[first]
        while dart != first:
            walk.append(dart)
            seen[dart] = True
            dart = successor[dart]
        walks.append(np.array(walk))
    return walks
