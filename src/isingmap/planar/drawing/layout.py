"""Straight-line drawings: where to put the nodes of a graph on a sheet."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from isingmap.errors import ModelError
from isingmap.planar.blocks import component_labels
from isingmap.planar.drawing.by_distance import by_distance
from isingmap.planar.drawing.disc import Disc, fill
from isingmap.planar.drawing.grid_positions import grid_positions
from isingmap.planar.drawing.packing import pack, to_scale, to_unit_box, upright
from isingmap.planar.drawing.segment_crossings import has_crossings
from isingmap.planar.drawing.spreading import Springs, balanced, double_areas, spread
from isingmap.planar.embedding import as_simple_edges, embed

STIFFNESS = 0.2  # of the graph's own edges, against areas of weight 1 in a disc of n_nodes * pi
AUXILIARY_STIFFNESS = 0.004
SMALLEST_SHARE = 1e-13  # of the mean area, for a triangle to be told from a flat one
LAYOUTS = ("planar", "kamada-kawai")


def named_layout(name: str, n_nodes: int, edges, *, labels=None) -> np.ndarray:
    """Positions by one of `LAYOUTS`, (n_nodes, 2) float64 in the unit box.

    Raises
    ------
    ModelError
        For an unknown name.
    NonPlanarError
        From "planar": carries a subdivision of K5 or K3,3.
    """
    if name not in LAYOUTS:
        raise ModelError(f"layout must be one of {', '.join(LAYOUTS)}; got {name!r}")
    return planar_layout(n_nodes, edges, labels=labels) if name == "planar" else kamada_kawai_layout(n_nodes, edges)


def planar_layout(n_nodes: int, edges, *, labels=None) -> np.ndarray:
    """Positions at which a planar graph has no crossings, its edges are even and its faces open.

    Connected components are drawn apart and set side by side, nodes without edges below them. The same for
    every order and direction of the edges. About 0.1 s at 100 nodes, 1 s at 1000.

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
    embedding = embed(n_nodes, edges, labels=labels)
    position = _by_component(n_nodes, edges, _draw_connected)
    return to_unit_box(grid_positions(embedding)) if has_crossings(position, edges) else position


def straight_line_positions(n_nodes: int, edges, *, labels=None) -> np.ndarray:
    """Crossing-free integer positions, at most 2 n_nodes, as (n_nodes, 2) float64; fast, not beautified.

    About 3 ms at 100 nodes. Raises NonPlanarError like `planar_layout`.
    """
    return grid_positions(embed(n_nodes, _in_order(edges, n_nodes), labels=labels))


def kamada_kawai_layout(n_nodes: int, edges) -> np.ndarray:
    """Positions whose distances follow the number of edges between nodes (Kamada and Kawai, 1989).

    Couplings play no part (a negative one is no distance); components are laid out apart. Edges may cross. About 0.1 s
    at 300 nodes.

    Returns
    -------
    (n_nodes, 2) float64 array
        In the unit box, both axes to the same scale.
    """
    return _by_component(n_nodes, _in_order(edges, n_nodes), by_distance)


def _in_order(edges, n_nodes: int) -> np.ndarray:
    return np.unique(np.sort(as_simple_edges(edges, n_nodes), axis=1), axis=0)


def _by_component(n_nodes: int, edges: np.ndarray, draw: Callable) -> np.ndarray:
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
    start, fixed = _in_circle(disc)
    areas = double_areas(start, disc.triangles)
    if areas.min() < SMALLEST_SHARE * areas.mean():  # nested too deep for barycentric coordinates
        disc, start, fixed = _in_triangle(disc)
    every = disc.edges
    own = (every < n_nodes).all(axis=1)  # auxiliary nodes come last
    springs = Springs(every, np.where(own, STIFFNESS, AUXILIARY_STIFFNESS))
    return spread(start, fixed, disc.triangles, disc.weights, springs)[:n_nodes]


def _in_circle(disc: Disc):
    """The disc drawn by barycentric coordinates (W. Tutte, 1963), and the nodes to keep fixed: its rim."""
    angle = 2 * np.pi * np.arange(disc.rim.size) / disc.rim.size
    circle = np.sqrt(disc.n_nodes) * np.column_stack([np.cos(angle), np.sin(angle)])
    return balanced(disc.rim, circle, disc.edges, disc.n_nodes), disc.rim


def _in_triangle(disc: Disc):
    """The disc with a cap over its rim, drawn inside a triangle at the cap; the drawing; the fixed corners.

    Grid drawings stay precise where barycentric ones shrink exponentially.
    """
    capped = disc.with_cap()
    position = grid_positions(embed(capped.n_nodes, capped.edges), first=capped.n_nodes - 1)
    areas = double_areas(position, capped.triangles)
    if (areas < 0).sum() > 1:  # drawn as in a mirror
        position, areas = position * [-1.0, 1.0], -areas
    outer = int(np.argmin(areas))
    corners = capped.triangles[outer]
    return capped.without_triangle(outer), _equilateral(position, corners[::-1]), corners


def _equilateral(position: np.ndarray, corners: np.ndarray) -> np.ndarray:
    """The affine image in which three nodes are the corners of an equilateral triangle."""
    angle = 2 * np.pi * np.arange(3) / 3
    target = 2 * np.sqrt(len(position)) * np.column_stack([np.cos(angle), np.sin(angle), np.ones(3)])
    source = np.column_stack([position, np.ones(len(position))])
    return source @ np.linalg.solve(source[corners], target)[:, :2]
