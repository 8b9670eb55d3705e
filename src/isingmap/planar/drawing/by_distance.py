"""Positions whose distances follow the number of edges between nodes: springs between all pairs."""

from __future__ import annotations

import numpy as np
from scipy.linalg import cho_factor, cho_solve
from scipy.sparse import coo_array
from scipy.sparse.csgraph import shortest_path

N_STEPS = 300
STILL = 1e-4  # of the stress, by which a step must lower it to be followed by another


def by_distance(n_nodes: int, edges: np.ndarray) -> np.ndarray:
    """The springs of Kamada and Kawai (1989) brought to rest, (n_nodes, 2); the graph is connected.

    The energy, sum of (|p_i - p_j| - d_ij)^2 / d_ij^2 over all pairs with d_ij edges on the shortest way between them,
    is lowered by majorization, which never raises it (Gansner, Koren and North, 2004): each step solves a linear system
    with one and the same matrix.
    """
    ones = np.ones(len(edges))
    graph = coo_array((ones, edges.T.astype(np.int32)), shape=(n_nodes, n_nodes))  # SciPy 1.12 wants such indices
    distances = shortest_path(graph.tocsr(), directed=False, unweighted=True)
    with np.errstate(divide="ignore"):
        weights = np.where(distances > 0, distances**-2.0, 0.0)
    laplacian = np.diag(weights.sum(axis=1)) - weights
    factor = cho_factor(laplacian[1:, 1:])  # the first node is held: the rest follows from differences
    pull = np.where(distances > 0, weights * distances, 0.0)
    position = _from_distances(distances)
    before = np.inf
    for _ in range(N_STEPS):
        apart = _apart(position)
        stress = float(np.vdot(weights, (apart - distances) ** 2))
        if stress > (1 - STILL) * before:
            break
        before = stress
        share = pull / np.maximum(apart, 1e-12)
        force = share.sum(axis=1)[:, None] * position - share @ position
        position = np.vstack([np.zeros(2), cho_solve(factor, force[1:])])
    return position


def _apart(position: np.ndarray) -> np.ndarray:
    x, y = position.T
    return np.hypot(x[:, None] - x, y[:, None] - y)


def _from_distances(distances: np.ndarray) -> np.ndarray:
    """Classical scaling (Torgerson, 1952): the plane that shows the distances best, if they were those of points."""
    squares = distances**2
    inner = -0.5 * (squares - squares.mean(axis=0) - squares.mean(axis=1)[:, None] + squares.mean())
    values, vectors = np.linalg.eigh(inner)
    found = vectors[:, -2:] * np.sqrt(np.maximum(values[-2:], 1e-9))
    # Twins, which have the same neighbours, would start, and stay, at one place.
    turn = 2 * np.pi * np.arange(len(found)) / len(found)
    return found + 1e-3 * np.column_stack([np.cos(turn), np.sin(turn)])
