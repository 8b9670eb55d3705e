"""Newton's method for the couplings of one zero-field planar graph: maximise moments . theta - log Z(theta)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from scipy.linalg import lapack

from isingmap.errors import PrecisionError
from isingmap.inference.elimination.fielded_block import FieldedPlan, FieldedSolution
from isingmap.inference.pfaffian.blas import one_blas_thread
from isingmap.inference.rungs import best_in_doubles, zero_field_ladder
from isingmap.inference.zero_field.plan import DualPlan
from isingmap.inference.zero_field.solution import DualSolution, solve_dual

# A part of a graph that is fitted alone, and its inference: by Pfaffians, or with every field by elimination.
Plan: TypeAlias = DualPlan | FieldedPlan
Solution: TypeAlias = DualSolution | FieldedSolution

# Largest difference between given and model moments, in units of `resolution`.
GRADIENT_TOLERANCE = 1e-10
# Where rounding stops the ascent earlier, this still counts as the maximum.
CONVERGED = 1e-8
# Differences that doubles cannot tell from none, however close to 1 the moments are.
ROUNDING = 1e-13
# Closer to 1 than this a moment is asked for more digits: what matters then is 1 - |moment|.
FAR_FROM_ONE = 0.01
# Ridges, in units of the mean variance, with which a matrix that rounding made indefinite is tried.
RIDGES = tuple(10.0**k for k in range(-10, 1))
MOST_ITERATIONS = 100
# Beyond this a coupling may be on its way to infinity, which a last step shorter than that denies.
STRONG, SETTLED = 4.0, 1e-2
# Out there some combination of statistics must keep this share of its variance given the others, or the step is noise.
LEAST_PIVOT = 1e-10
SUFFICIENT_INCREASE = 1e-4
SHORTEST_STEP = 2.0**-30
# Gains below this are lost in the rounding of log Z.
LEAST_SLOPE = 1e-9
# No coupling moves further than this in one step: far from the optimum the quadratic model overshoots to couplings
# so strong that doubles cannot evaluate them.
LARGEST_MOVE = 2.0
LOSS_ALLOWED = 1e-8
MOST_HALVINGS = 8
# So many candidates of one line search may be lost to rounding: then the maximum lies where doubles do not reach.
MOST_LOST = 5
# After so many iterations a solution that loses digits is not waited for: rounding keeps it from getting there.
PATIENCE = 30
LOSS_WITHOUT_PATIENCE = 1e-10


@dataclass(frozen=True, eq=False)
class NewtonResult:
    """Couplings at the maximum and the inference that belongs to them.

    `gradient_norm` is the largest absolute difference between given and model moments; `converged` looks at it in
    units of `resolution`.
    """

    couplings: np.ndarray
    solution: Solution
    gradient_norm: float
    n_iter: int
    converged: bool


def solve(plan: Plan, couplings: np.ndarray) -> Solution:
    """Inference in doubles; gauged by a ground state where strong frustrated couplings need it."""
    if not isinstance(plan, DualPlan):
        return plan.solve(couplings)
    solution = solve_dual(plan, couplings)
    if solution.loss <= LOSS_ALLOWED:
        return solution
    return best_in_doubles(zero_field_ladder(plan, couplings, solution))


def resolution(moments: np.ndarray) -> np.ndarray:
    """How far a moment may be off, relative to one in the middle of [-1, 1]: in proportion to 1 - |moment| near +-1.

    There the coupling depends on the digits of 1 - |moment|, and an absolute tolerance would take any strong coupling
    for the maximum.
    """
    return np.clip((1.0 - np.abs(moments)) / FAR_FROM_ONE, ROUNDING / CONVERGED, 1.0)


def distance(gradient: np.ndarray, unit: np.ndarray) -> float:
    """The largest entry of a gradient, in units of the `resolution` of its moments; NaN where one is."""
    return float(np.abs(gradient / unit).max(initial=0.0))


def at_maximum(gradient: np.ndarray, norm: float) -> bool:
    """Whether nothing is left to climb; `norm` is the `distance` of the gradient."""
    return norm <= GRADIENT_TOLERANCE or float(np.abs(gradient).max()) <= ROUNDING


def check_settled(theta: np.ndarray, solution: Solution, gradient: np.ndarray) -> None:
    """Refuse a point that looks like a maximum only because the likelihood is flat so far out.

    Where no maximum exists the gradient falls with the curvature, and Newton's step stays as long as before. Where the
    whole extended graph is planar the caller has decided about existence, and nothing is left to check.

    Raises
    ------
    PrecisionError
    """
    strongest = float(np.abs(theta).max(initial=0.0))
    if isinstance(solution, DualSolution) or strongest <= STRONG:
        return
    curvature = solution.curvature()
    if _is_flat(curvature) or not np.abs(_newton_step(curvature, gradient)).max() <= SETTLED:
        raise PrecisionError(
            "the fit has not converged: the likelihood still climbs where the largest |coupling or field| is "
            f"{strongest:.3g}. Probably some combination of values never occurs, so that there is no maximum. That is "
            "only a suspicion: no combination was found whose absence proves it. A prior (prior=1) makes the "
            "estimate finite",
            loss=float("inf"),
        )


def _is_flat(curvature: np.ndarray) -> bool:
    """Whether some combination of the statistics hardly varies, so that rounding alone says where its maximum is."""
    deviation = np.sqrt(curvature.diagonal())
    factor, info = lapack.dpotrf(curvature / deviation / deviation[:, None], lower=1)
    return info != 0 or not factor.diagonal().min(initial=1.0) ** 2 >= LEAST_PIVOT


def maximise(plan: Plan, moments: np.ndarray, start: np.ndarray) -> NewtonResult:
    """Damped Newton ascent with backtracking from `start`, to 1e-10 of its `resolution`. O(n^3 + m^3) an iteration.

    The objective is strictly concave; the caller has checked that its maximum exists.
    """
    with one_blas_thread():
        return _ascend(plan, moments, np.array(start, float))


def _ascend(plan, moments, theta) -> NewtonResult:
    theta, solution = _start(plan, theta)
    value = moments @ theta - solution.log_partition
    gradient, unit = moments - solution.moments(), resolution(moments)
    for iteration in range(MOST_ITERATIONS):
        norm = distance(gradient, unit)
        if at_maximum(gradient, norm):
            check_settled(theta, solution, gradient)
            return NewtonResult(theta, solution, float(np.abs(gradient).max(initial=0.0)), iteration, True)
        if iteration >= PATIENCE and not solution.loss <= LOSS_WITHOUT_PATIENCE:
            break
        step = _newton_step(solution.curvature(), gradient)
        moved = line_search(plan, moments, theta, step, value, float(gradient @ step), norm)
        if moved is None:
            break
        theta, solution, value = moved
        gradient = moments - solution.moments()
    norm = float(np.abs(gradient).max(initial=0.0))
    return NewtonResult(theta, solution, norm, iteration + 1, distance(gradient, unit) <= CONVERGED)


def _start(plan: Plan, theta: np.ndarray) -> tuple[np.ndarray, Solution]:
    """A start that doubles can evaluate; the objective is concave, so weaker couplings do as well."""
    solution = solve(plan, theta)
    for _ in range(MOST_HALVINGS):
        if solution.loss <= LOSS_ALLOWED:
            break
        theta = theta / 2
        solution = solve(plan, theta)
    return theta, solution


def _newton_step(hessian: np.ndarray, gradient: np.ndarray) -> np.ndarray:
    factor = positive_factor(hessian)
    if factor is None:
        return gradient
    return lapack.dpotrs(factor, gradient, lower=1)[0]


def positive_factor(hessian: np.ndarray) -> np.ndarray | None:
    """Lower Cholesky factor; near the edge of existence with the smallest ridge that rounding needs.

    None where no ridge helps, because the curvature is no number: there the gradient has to do.
    """
    ridge_unit = np.trace(hessian) / len(hessian)
    if not np.isfinite(hessian).all():
        return None
    for ridge in (0.0, *RIDGES):
        tried = hessian + ridge * ridge_unit * np.eye(len(hessian)) if ridge else hessian
        factor, info = lapack.dpotrf(tried, lower=1)
        if info == 0:
            return factor
    return None


def line_search(plan, moments, theta, step, value, slope, norm):
    """Halve the step until the objective grows enough; close to the optimum until the gradient falls.

    `norm` is the `distance` of the gradient at `theta`. None where no length of the step helps.
    """
    longest = np.abs(step).max()
    if not 0.0 < longest < np.inf:
        return None
    length, lost = min(1.0, LARGEST_MOVE / longest), 0
    while length > SHORTEST_STEP and lost < MOST_LOST:
        candidate = theta + length * step
        solution = solve(plan, candidate)
        new_value = moments @ candidate - solution.log_partition
        if solution.loss <= LOSS_ALLOWED:
            if new_value >= value + SUFFICIENT_INCREASE * length * slope:
                return candidate, solution, new_value
            # The gain of the last steps is below the rounding of log Z: there the gradient decides.
            if slope < LEAST_SLOPE and distance(moments - solution.moments(), resolution(moments)) < norm:
                return candidate, solution, new_value
        else:
            lost += 1
        length /= 2
    return None
