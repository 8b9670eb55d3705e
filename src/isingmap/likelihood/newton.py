"""Newton's method for the couplings of one zero-field planar graph: maximise moments . theta - log Z(theta)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.linalg import cho_factor, cho_solve

from isingmap.inference.pfaffian.blas import one_blas_thread
from isingmap.inference.zero_field.plan import DualPlan
from isingmap.inference.zero_field.solution import DualSolution, solve_dual

GRADIENT_TOLERANCE = 1e-10
# Where rounding stops the ascent earlier, this still counts as the maximum.
CONVERGED = 1e-8
MOST_ITERATIONS = 100
SUFFICIENT_INCREASE = 1e-4
SHORTEST_STEP = 2.0**-30
# No coupling moves further than this in one step: far from the optimum the quadratic model overshoots to couplings
# so strong that doubles cannot evaluate them.
LARGEST_MOVE = 2.0
LOSS_ALLOWED = 1e-8


@dataclass(frozen=True, eq=False)
class NewtonResult:
    """Couplings at the maximum and the inference that belongs to them.

    `gradient_norm` is the largest absolute difference between given and model moments.
    """

    couplings: np.ndarray
    solution: DualSolution
    gradient_norm: float
    n_iter: int
    converged: bool


def maximise(plan: DualPlan, moments: np.ndarray, start: np.ndarray) -> NewtonResult:
    """Damped Newton ascent with backtracking from `start`, to a gradient of 1e-10. O(n^3 + m^3) an iteration.

    The objective is strictly concave; the caller has checked that its maximum exists.
    """
    with one_blas_thread():
        return _ascend(plan, moments, np.array(start, float))


def _ascend(plan, moments, theta) -> NewtonResult:
    solution = solve_dual(plan, theta)
    value = moments @ theta - solution.log_partition
    gradient = moments - solution.moments()
    for iteration in range(MOST_ITERATIONS):
        norm = float(np.abs(gradient).max(initial=0.0))
        if norm <= GRADIENT_TOLERANCE:
            return NewtonResult(theta, solution, norm, iteration, True)
        step = _newton_step(solution.curvature(), gradient)
        moved = line_search(plan, moments, theta, step, value, float(gradient @ step), norm)
        if moved is None:
            break
        theta, solution, value = moved
        gradient = moments - solution.moments()
    norm = float(np.abs(gradient).max(initial=0.0))
    return NewtonResult(theta, solution, norm, iteration + 1, norm <= CONVERGED)


def _newton_step(hessian: np.ndarray, gradient: np.ndarray) -> np.ndarray:
    try:
        return cho_solve(cho_factor(hessian, lower=True), gradient)
    except np.linalg.LinAlgError:
        # Rounding near the edge of existence: a ridge far below the curvature that matters.
        ridge = 1e-10 * np.trace(hessian) / len(hessian)
        return np.linalg.solve(hessian + ridge * np.eye(len(hessian)), gradient)


def line_search(plan, moments, theta, step, value, slope, norm):
    """Halve the step until the objective grows enough; close to the optimum until the gradient falls."""
    length = min(1.0, LARGEST_MOVE / np.abs(step).max())
    while length > SHORTEST_STEP:
        candidate = theta + length * step
        solution = solve_dual(plan, candidate)
        new_value = moments @ candidate - solution.log_partition
        if solution.loss <= LOSS_ALLOWED:
            if new_value >= value + SUFFICIENT_INCREASE * length * slope:
                return candidate, solution, new_value
            # The gain of the last steps is below the rounding of log Z: there the gradient decides.
            if slope < 1e-9 and np.abs(moments - solution.moments()).max() < norm:
                return candidate, solution, new_value
        length /= 2
    return None
