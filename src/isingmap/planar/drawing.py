"""Straight-line drawings: where to put the nodes of a graph on a sheet."""

from __future__ import annotations

from collections.abc import Callable

import networkx
import numpy as np

from isingmap.planar.crossings import has_crossings
from isingmap.planar.disc import Disc, fill
from isingmap.planar.embedding import Embedding, as_simple_edges, embed
from isingmap.planar.packing import pack, to_scale, to_unit_box, upright
from isingmap.planar.separators import component_labels
from isingmap.planar.spreading import Springs, balanced, double_areas, spread

STIFFNESS = 0.2  # of the graph's own edges, against areas of weight 1 in a disc of n_nodes * pi
AUXILIARY_STIFFNESS = 0.004


def planar_layout(n_nodes: int, edges, *, labels=None) -> np.ndarray:
    """Positions at which a planar graph has no crossings, its edges are even and its faces open.

    Connected components are drawn apart and set side by side, nodes without edges below them. The same for every
    order and direction of the edges. About 0.2 s at 100 nodes.

    Parameters
    ----------
    n_nodes : int
    edges : (n_edges, 2) int array
        Of a simple graph.
    labels : sequence, optional
        Names of the nodes, used in the error.

    Returns
    -------
    (n_nodes, 2) float64 array
        In the unit box, both axes to the same scale; checked exactly by `has_crossings`.

    Raises
    ------
    NonPlanarError
        Carries a subdivision of K5 or K3,3.
    """
    edges = _in_order(edges, n_nodes)
    fallback = straight_line_positions(n_nodes, edges, labels=labels)
    position = _by_component(n_nodes, edges, _draw_connected)
    return to_unit_box(fallback) if has_crossings(position, edges) else position


def straight_line_positions(n_nodes: int, edges, *, labels=None) -> np.ndarray:
    """Crossing-free positions with integer coordinates up to 2 n_nodes, not beautified; (n_nodes, 2) float64.

    M. Chrobak and T. Payne, "A linear-time algorithm for drawing a planar graph on a grid" (1995). About 3 ms at
    100 nodes. Raises NonPlanarError like `planar_layout`.
    """
    embedding = embed(n_nodes, _in_order(edges, n_nodes), labels=labels)
    placed = networkx.combinatorial_embedding_to_pos(_as_networkx(embedding))
    return np.array([placed[v] for v in range(n_nodes)], dtype=np.float64).reshape(n_nodes, 2)


def kamada_kawai_layout(n_nodes: int, edges) -> np.ndarray:
    """Positions whose distances follow the number of edges between nodes (Kamada and Kawai, 1989).

    Couplings play no part (a negative one is no distance); components are laid out apart. Edges may cross.

    Returns
    -------
    (n_nodes, 2) float64 array
        In the unit box, both axes to the same scale.
    """
    return _by_component(n_nodes, _in_order(edges, n_nodes), _kamada_kawai_connected)


def _in_order(edges, n_nodes: int) -> np.ndarray:
    return np.unique(np.sort(as_simple_edges(edges, n_nodes), axis=1), axis=0)


def _by_component(n_nodes: int, edges: np.ndarray, draw: Callable[[int, np.ndarray], np.ndarray]) -> np.ndarray:
    """Draw every component by itself and pack the drawings into the unit box."""
    if n_nodes == 0:
        return np.empty((0, 2))
    component = component_labels(n_nodes, edges)
    members = [np.flatnonzero(component == k) for k in range(component.max() + 1)]
    drawings = []
    for nodes in members:
        if nodes.size == 1:
            drawings.append(np.zeros((1, 2)))
            continue
        own = np.searchsorted(nodes, edges[component[edges[:, 0]] == component[nodes[0]]])
        drawings.append(to_scale(upright(draw(nodes.size, own))))
    position = np.empty((n_nodes, 2))
    for nodes, placed in zip(members, pack(drawings), strict=True):
        position[nodes] = placed
    return to_unit_box(position)


def _draw_connected(n_nodes: int, edges: np.ndarray) -> np.ndarray:
    disc = fill(embed(n_nodes, edges))
    every = disc.edges
    own = (every < n_nodes).all(axis=1)  # auxiliary nodes come last, and every edge of the graph bounds a triangle
    springs = Springs(every, np.where(own, STIFFNESS, AUXILIARY_STIFFNESS))
    start, fixed = _round_start(disc, every)
    if not (double_areas(start, disc.triangles) > 0).all():
        return straight_line_positions(n_nodes, edges)
    return spread(start, fixed, disc.triangles, disc.weights, springs)[:n_nodes]


def _round_start(disc: Disc, edges: np.ndarray):
    """The disc drawn by barycentric coordinates (W. Tutte, 1963), its rim a circle, and the nodes to keep fixed."""
    angle = 2 * np.pi * np.arange(disc.rim.size) / disc.rim.size
    circle = np.sqrt(disc.n_nodes) * np.column_stack([np.cos(angle), np.sin(angle)])
    return balanced(disc.rim, circle, Springs(edges, np.ones(len(edges))), disc.n_nodes), disc.rim


def _kamada_kawai_connected(n_nodes: int, edges: np.ndarray) -> np.ndarray:
    graph = networkx.Graph()
    graph.add_nodes_from(range(n_nodes))
    graph.add_edges_from(edges.tolist())
    placed = networkx.kamada_kawai_layout(graph, weight=None)
    return np.array([placed[v] for v in range(n_nodes)])


def _as_networkx(embedding: Embedding) -> networkx.PlanarEmbedding:
    head, clockwise = embedding.head.tolist(), embedding.clockwise.tolist()
    neighbours: dict[int, list[int]] = {v: [] for v in range(embedding.n_nodes)}
    for first, v in enumerate(embedding.tail.tolist()):
        if neighbours[v]:
            continue
        dart = first
        while not neighbours[v] or dart != first:
            neighbours[v].append(head[dart])
            dart = clockwise[dart]
    planar = networkx.PlanarEmbedding()
    planar.add_nodes_from(neighbours)
    planar.set_data(neighbours)
    return planar
