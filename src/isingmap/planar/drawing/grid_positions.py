"""Straight-line drawings on the integer grid, crossing-free for certain.

M. Chrobak and T. Payne, "A linear-time algorithm for drawing a planar graph on a grid" (1995), by networkx.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from isingmap.planar.embedding import Embedding

if TYPE_CHECKING:
    import networkx


def grid_positions(embedding: Embedding, *, first: int = 0) -> np.ndarray:
    """Integer positions, at most 2 n_nodes, as an (n_nodes, 2) float64 array.

    In a triangulation the outer face is one at node `first`; otherwise it is a largest one.
    """
    import networkx

    placed = networkx.combinatorial_embedding_to_pos(_as_networkx(embedding, first))
    nodes = range(embedding.n_nodes)
    return np.array([placed[v] for v in nodes], dtype=np.float64).reshape(embedding.n_nodes, 2)


def _as_networkx(embedding: Embedding, first: int) -> networkx.PlanarEmbedding:
    import networkx

    planar = networkx.PlanarEmbedding()
    # networkx looks for the outer face in the order of the nodes
    planar.add_nodes_from(sorted(range(embedding.n_nodes), key=lambda v: v != first))
    planar.set_data(_neighbours_clockwise(embedding))
    return planar


def _neighbours_clockwise(embedding: Embedding) -> dict[int, list[int]]:
    head, clockwise = embedding.head.tolist(), embedding.clockwise.tolist()
    neighbours: dict[int, list[int]] = {v: [] for v in range(embedding.n_nodes)}
    for start, v in enumerate(embedding.tail.tolist()):
        if neighbours[v]:
            continue
        dart = start
        while not neighbours[v] or dart != start:
            neighbours[v].append(head[dart])
            dart = clockwise[dart]
    return neighbours
