"""A connected embedded graph made into a triangulated disc, by auxiliary nodes inside its faces."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import scipy.sparse
from scipy.sparse.csgraph import shortest_path

from isingmap.planar.embedding import Embedding, faces

SHORTEST_RIM = 12
OWN_TRIANGLE = 1.0  # how much a face of three edges insists on area,
SECTOR = 0.35  # a sector of a longer face, from an edge to its centre,
STRIP = 0.15  # and a triangle between a face walk and the ring laid along it


@dataclass(frozen=True, eq=False)
class Disc:
    """A triangulated disc.

    Attributes
    ----------
    n_nodes : int
        The graph's own nodes come first.
    triangles : (n_triangles, 3) int64 array
        Counterclockwise when the rim is.
    weights : (n_triangles,) float64 array
        The share of the area each should have.
    rim : (n_rim,) int64 array
        Auxiliary nodes around the outer face, counterclockwise; no triangle has two sides on the rim.
    """

    n_nodes: int
    triangles: np.ndarray
    weights: np.ndarray
    rim: np.ndarray

    @property
    def edges(self) -> np.ndarray:
        """All edges, i < j, (n_edges, 2)."""
        sides = np.concatenate([self.triangles[:, pair] for pair in ([0, 1], [1, 2], [2, 0])])
        return np.unique(np.sort(sides, axis=1), axis=0)

    def with_cap(self) -> Disc:
        """A sphere: one more node, last, joined to the whole rim."""
        cap = np.full(self.rim.size, self.n_nodes)
        triangles = np.concatenate([self.triangles, np.column_stack([self.rim, cap, np.roll(self.rim, -1)])])
        weights = np.concatenate([self.weights, np.full(self.rim.size, STRIP)])
        return Disc(self.n_nodes + 1, triangles, weights, np.empty(0, np.int64))

    def without_triangle(self, k: int) -> Disc:
        """The sphere opened at one triangle, whose corners become the rim."""
        triangles, weights = np.delete(self.triangles, k, axis=0), np.delete(self.weights, k)
        return Disc(self.n_nodes, triangles, weights, self.triangles[k, ::-1])


def fill(embedding: Embedding) -> Disc:
    """Fill the faces of a connected graph with at least one edge; no loops or parallel edges arise."""
    walks = [embedding.tail[walk] for walk in faces(embedding)]
    outer = outer_face(embedding.n_nodes, walks)
    n_nodes = embedding.n_nodes
    parts, rim = [], np.empty(0, np.int64)
    for k, walk in enumerate(walks):
        if k == outer:
            walk = np.repeat(walk, -(-SHORTEST_RIM // walk.size))
            rim = n_nodes + np.arange(walk.size)
            new, n_new = [_strip(walk, rim)], rim.size
        else:
            new, n_new = _filled_face(walk, n_nodes)
        parts += new
        n_nodes += n_new
    triangles = np.concatenate([triangles for triangles, _ in parts])[:, ::-1]  # face walks run clockwise
    weights = np.concatenate([np.full(len(triangles), weight) for triangles, weight in parts])
    return Disc(n_nodes, np.ascontiguousarray(triangles), weights, rim)


def outer_face(n_nodes: int, walks: list[np.ndarray]) -> int:
    """The face nearest to all nodes, in faces crossed on the way; long faces win by themselves."""
    corner = np.concatenate(walks)
    face = np.repeat(np.arange(len(walks)), [walk.size for walk in walks])
    n_faces = len(walks)
    size = n_faces + n_nodes
    # SciPy's graph functions take no wider indices before 1.17.
    row, column = face.astype(np.int32), (n_faces + corner).astype(np.int32)
    touches = scipy.sparse.csr_array((np.ones(corner.size), (row, column)), (size, size))
    away = shortest_path(touches, directed=False, unweighted=True, indices=range(n_faces))
    return int(np.argmin(away[:, n_faces:].sum(axis=1)))


def _filled_face(walk: np.ndarray, first_new: int):
    """([(triangles, weight), ...], number of new nodes) of an inner face."""
    if walk.size == 3:
        return [(walk[None], OWN_TRIANGLE)], 0
    if np.unique(walk).size == walk.size:
        return [(_fan(walk, first_new), SECTOR)], 1
    ring = first_new + np.arange(walk.size)  # the walk visits a node twice: a fan alone would double an edge
    return [_strip(walk, ring), (_fan(ring, first_new + ring.size), SECTOR)], ring.size + 1


def _fan(cycle: np.ndarray, centre: int) -> np.ndarray:
    return np.column_stack([cycle, np.roll(cycle, -1), np.full(cycle.size, centre)])


def _strip(walk: np.ndarray, ring: np.ndarray):
    """Triangles between a face walk and a ring of new nodes, one for each corner, and their weight."""
    next_corner, next_ring = np.roll(walk, -1), np.roll(ring, -1)
    on_walk = np.column_stack([walk, next_corner, next_ring])[walk != next_corner]
    return np.concatenate([on_walk, np.column_stack([walk, next_ring, ring])]), STRIP
