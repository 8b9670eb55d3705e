"""Opening a crossing-free drawing up: a disc of triangles in which no triangle may turn over.

The nodes minimise

    sum over edges (stiffness * length^2 - REPULSION * log(length^2)) - sum over triangles weight * log(area).

The springs keep edges short and even, the repulsion keeps nodes apart; the last term shares the plane out
among the triangles and is a barrier, no area reaches zero. Triangles that keep their orientation inside a
fixed convex rim never overlap, so no edges cross.

The method is Newton's with the Hessian of each logarithm replaced by a Dirichlet form that bounds it from
above (cf. S. Claici, M. Bessmeltsev, S. Schaefer and J. Solomon, "Isometry-aware preconditioning for mesh
parameterization", 2017). So both coordinates share one sparse factor and steps do not meet the barrier early.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import scipy.sparse
import scipy.sparse.linalg

REPULSION = 0.15
MAX_ROUNDS = 200
SMALLEST_DECREASE = 1e-4  # per triangle; far below what the eye can see
SHORTEST_STEP = 1e-8


@dataclass(frozen=True, eq=False)
class Springs:
    """Edges (n_edges, 2) and their stiffness (n_edges,)."""

    edges: np.ndarray
    stiffness: np.ndarray

    def square_lengths(self, position: np.ndarray) -> np.ndarray:
        """Squared length of each edge."""
        return ((position[self.edges[:, 0]] - position[self.edges[:, 1]]) ** 2).sum(axis=1)

    def energy(self, position: np.ndarray) -> float:
        """Sum of stiffness * length^2 - REPULSION * log(length^2)."""
        square = self.square_lengths(position)
        return float(self.stiffness @ square - REPULSION * np.log(square).sum())


def laplacian(edges: np.ndarray, stiffness: np.ndarray, n_nodes: int) -> scipy.sparse.csr_array:
    """The matrix K with trace(position^T K position) = sum of stiffness * length^2."""
    pull = scipy.sparse.csr_array((stiffness, tuple(edges.T)), (n_nodes, n_nodes))
    pull = pull + pull.T
    return scipy.sparse.csr_array(scipy.sparse.diags_array(pull.sum(axis=1)) - pull)


def double_areas(position: np.ndarray, triangles: np.ndarray) -> np.ndarray:
    """Twice the area of each triangle (k, 3), positive when its corners run counterclockwise."""
    a, b, c = (position[triangles[:, k]] for k in range(3))
    return (b[:, 0] - a[:, 0]) * (c[:, 1] - a[:, 1]) - (b[:, 1] - a[:, 1]) * (c[:, 0] - a[:, 0])


def spread(start: np.ndarray, fixed, triangles, weights, springs: Springs) -> np.ndarray:
    """Positions that balance springs and areas.

    Parameters
    ----------
    start : (n_nodes, 2) float64 array
        Every triangle has positive area here.
    fixed : (k,) int array
        Nodes that stay where they are.
    triangles : (n_triangles, 3) int array
        Counterclockwise.
    weights : (n_triangles,) float64 array
        How much each triangle insists on area.
    springs : Springs

    Returns
    -------
    (n_nodes, 2) float64 array
        Every triangle has positive area here too. Costs a few dozen sparse factorisations.
    """
    n_nodes = len(start)
    free = np.setdiff1d(np.arange(n_nodes), fixed)
    position, energy, step = start, _energy(start, triangles, weights, springs), 1.0
    for _ in range(MAX_ROUNDS):
        gradient, metric = _expand(position, triangles, weights, springs)
        move = np.zeros_like(position)
        try:
            move[free] = -_solve(metric[free][:, free], gradient[free])
        except RuntimeError:  # singular to working precision: some triangle is too thin to go on
            break
        slope = float((gradient * move).sum())
        if -slope < SMALLEST_DECREASE * len(triangles):
            break
        step = min(1.5, 2 * step)  # the metric bounds from above: a little more than 1 pays
        candidate, lower = position + step * move, np.inf
        while step > SHORTEST_STEP:
            candidate = position + step * move
            lower = _energy(candidate, triangles, weights, springs)
            if lower <= energy + 1e-4 * step * slope:
                break
            step /= 2
        else:
            break
        position, energy = candidate, lower
    return position


def _energy(position, triangles, weights, springs: Springs) -> float:
    """Infinite as soon as a triangle is flat or turned over."""
    areas = double_areas(position, triangles)
    if not (areas > 0).all():
        return np.inf
    return springs.energy(position) - float(weights @ np.log(areas))


def _expand(position, triangles, weights, springs: Springs):
    """Gradient (n_nodes, 2) of the energy and the sparse metric that stands in for its Hessian."""
    a, b, c = (position[triangles[:, k]] for k in range(3))
    opposite = np.stack([c - b, a - c, b - a], axis=1)
    areas = double_areas(position, triangles)[:, None, None]
    hat = np.stack([-opposite[..., 1], opposite[..., 0]], axis=2) / areas  # gradients of log(area), (k, 3, 2)
    push = REPULSION / springs.square_lengths(position)
    gradient = 2 * laplacian(springs.edges, springs.stiffness - push, len(position)) @ position
    stiff = 2 * laplacian(springs.edges, springs.stiffness + push, len(position))
    np.add.at(gradient, triangles, -weights[:, None, None] * hat)
    block = weights[:, None, None] * (hat @ hat.transpose(0, 2, 1))
    row, column = np.repeat(triangles, 3, axis=1), np.tile(triangles, (1, 3))
    dirichlet = scipy.sparse.csr_array((block.ravel(), (row.ravel(), column.ravel())), stiff.shape)
    return gradient, stiff + dirichlet


def _solve(matrix, right_side):
    """Solve a sparse symmetric positive definite system."""
    return scipy.sparse.linalg.splu(matrix.tocsc(), permc_spec="MMD_AT_PLUS_A").solve(right_side)


def balanced(fixed: np.ndarray, fixed_position: np.ndarray, edges: np.ndarray, n_nodes: int) -> np.ndarray:
    """Every free node at the mean of its neighbours."""
    free = np.setdiff1d(np.arange(n_nodes), fixed)
    pull = laplacian(edges, np.ones(len(edges)), n_nodes)[free]
    position = np.empty((n_nodes, 2))
    position[fixed] = fixed_position
    position[free] = _solve(pull[:, free], -(pull[:, fixed] @ fixed_position))
    return position
