"""Places at which several maps of the same variables can be compared."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from isingmap.model import IsingModel
from isingmap.planar.drawing.layout import named_layout
from isingmap.planar.planarity import is_planar_kernel


def common_places(models: Sequence[IsingModel], layout: str = "planar") -> dict[str, tuple[float, float]]:
    """Name -> (x, y), from the edges of all models.

    They may not fit into one plane together: for "planar" the strongest edges of any model are taken, as many as do,
    and the others cross. O(n_edges) planarity tests.

    Raises
    ------
    ModelError
        For an unknown layout.
    """
    names = models[0].names
    edges = _strongest_first(models)
    if layout == "planar":
        edges = _in_one_plane(len(names), edges)
    found = named_layout(layout, len(names), edges, labels=names)
    return {name: (x, y) for name, (x, y) in zip(names, found.tolist(), strict=True)}


def _strongest_first(models: Sequence[IsingModel]) -> np.ndarray:
    """The edges of any model, ties by name, (n_edges, 2)."""
    names, strength = models[0].names, dict[tuple[str, str], float]()
    for model in models:
        for pair, coupling in zip(model.edge_names, np.abs(model.couplings).tolist(), strict=True):
            first, second = sorted(pair)
            strength[first, second] = max(coupling, strength.get((first, second), 0.0))
    place = {name: k for k, name in enumerate(names)}
    ordered = sorted(strength, key=lambda pair: (-strength[pair], pair))
    return np.array([sorted((place[a], place[b])) for a, b in ordered], np.int64).reshape(-1, 2)


def _in_one_plane(n_nodes: int, edges: np.ndarray) -> np.ndarray:
    if is_planar_kernel(n_nodes, edges):
        return edges
    kept = edges[:0]
    for edge in edges:
        more = np.concatenate([kept, edge[None]])
        if is_planar_kernel(n_nodes, more):
            kept = more
    return kept
