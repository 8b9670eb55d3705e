"""The dual side of a ground state: faces, those that are frustrated, and spins from the unsatisfied edges.

Faces are the nodes, and an edge joins the faces on its two sides with weight |coupling|. A set of edges is the
set of unsatisfied edges of some configuration iff it has odd degree in exactly the frustrated faces (those with an
odd number of negative couplings around them). Edges of coupling 0 may be cut for free, so their faces are merged;
bridges have the same face on both sides and drop out; of parallel dual edges only the weakest is ever cut.
Blocks (biconnected components) do not depend on each other, so each has its own copy of a face it shares.

Source: Bieche, Maynard, Rammal & Uhry, J. Phys. A 13, 1980; Barahona, J. Phys. A 15, 1982.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from isingmap.inference.zero_field.spin_products import spins_from_products
from isingmap.planar.blocks import block_labels, component_labels
from isingmap.planar.embedding import orbits
from isingmap.planar.triangulation import Triangulation


@dataclass(frozen=True, eq=False)
class FaceGraph:
    """Faces of the blocks of the edges with non-zero coupling; connected within each block.

    Attributes
    ----------
    n_faces : int
    ends : (n_dual, 2) int64 array
        Faces joined by each dual edge, a < b, without repetition.
    edges : (n_dual,) int64 array
        The edge of the model it crosses.
    frustrated : (n_faces,) bool array
    block : (n_faces,) int64 array
    """

    n_faces: int
    ends: np.ndarray
    edges: np.ndarray
    frustrated: np.ndarray
    block: np.ndarray


def face_graph(triangulation: Triangulation, couplings: np.ndarray) -> FaceGraph:
    """Faces and dual edges of a model on the given edges of a triangulation. O(n log n)."""
    triangle, n_triangles = orbits(triangulation.next_in_face)
    sides = triangle.reshape(-1, 2)
    cut = np.flatnonzero(couplings != 0)
    open_sides = np.ones(len(sides), bool)
    open_sides[cut] = False
    face = component_labels(n_triangles, sides[open_sides])
    cut = cut[face[sides[cut, 0]] != face[sides[cut, 1]]]
    block = block_labels(triangulation.n_nodes, np.ascontiguousarray(triangulation.edges[cut]))
    copies, ends = np.unique(block[:, None] * n_triangles + face[sides[cut]], return_inverse=True)
    ends = np.sort(ends.reshape(-1, 2), axis=1)
    frustrated = np.bincount(ends[couplings[cut] < 0].reshape(-1), minlength=copies.size) % 2 == 1
    order = np.lexsort((np.abs(couplings[cut]), ends[:, 1], ends[:, 0]))
    ends, cut = ends[order], cut[order]
    first = np.ones(len(cut), bool)
    first[1:] = (ends[1:] != ends[:-1]).any(axis=1)
    ends = np.ascontiguousarray(ends[first])
    return FaceGraph(copies.size, ends, cut[first], frustrated, copies // n_triangles)


def spins_of(n_spins: int, edges: np.ndarray, couplings: np.ndarray, unsatisfied: np.ndarray) -> np.ndarray:
    """Spins, (n_spins,) int8, +1 on the first spin of each component, with exactly these edges unsatisfied.

    Edges of coupling 0 tie nothing.
    """
    signs = np.sign(couplings).astype(np.int8)
    signs[unsatisfied] *= -1
    tied = signs != 0
    return spins_from_products(n_spins, np.ascontiguousarray(edges[tied]), signs[None, tied] > 0)[0]
