"""Refits after a small change of the graph: quasi-Newton ascent with a curvature that is carried from fit to fit.

A search refits thousands of times, each time close to the optimum before. The inverse of the Hessian changes little
from one graph to the next: a new edge borders it, a removed one is eliminated, and the gradients seen on the way
correct it (BFGS). So a refit costs some ten evaluations of the moments, O(n^{3/2}) each, and no Hessian at all. The
exact gradient decides about convergence, so an inexact curvature costs evaluations and never exactness.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.linalg import blas, lapack

from isingmap.errors import PrecisionError
from isingmap.inference.elimination.fielded_block import FieldedPlan
from isingmap.inference.pfaffian.blas import one_blas_thread
from isingmap.likelihood.fielded_refit import (
    AT_MAXIMUM,
    LEAST_CONDITIONAL_VARIANCE,
    MOST_EVALUATIONS,
    NOT_WORTH,
    climbed,
)
from isingmap.likelihood.fit import tree_couplings
from isingmap.likelihood.newton import (
    CONVERGED,
    LOSS_ALLOWED,
    Plan,
    Solution,
    at_maximum,
    check_settled,
    distance,
    line_search,
    maximise,
    positive_factor,
    resolution,
    solve,
)

# Beyond this `distance` a fit that did not converge is none at all.
USABLE = 1e-4


# A first step shorter than this says nothing about the curvature beyond rounding.
LEAST_FIRST_STEP = 1e-6


@dataclass(frozen=True, eq=False)
class Refit:
    """Couplings at the maximum, the inference that belongs to them and the approximate inverse of the Hessian.

    `inverse_hessian` (n_edges, n_edges), Fortran order, holds the lower triangle only.
    """

    couplings: np.ndarray
    solution: Solution
    gradient_norm: float
    converged: bool
    inverse_hessian: np.ndarray


@dataclass(frozen=True, eq=False)
class Worth:
    """The mean log-likelihood `raw` . theta - log Z that a refit must reach to be of interest."""

    raw: np.ndarray
    least: float


def refit_with_edge(
    plan: Plan, moments, couplings, inverse_hessian, correlation: float, worth: Worth | None = None
) -> Refit | None:
    """Refit after an edge was added, the last of the plan.

    Parameters
    ----------
    moments : (n_edges,) array
    couplings : (n_edges - 1,) array
        Fitted without the new edge.
    inverse_hessian : (n_edges - 1, n_edges - 1) array
        Of the fit without it.
    correlation : float
        Of the ends of the new edge, before it was added.
    worth : Worth, optional
        Give up, with None, as soon as the result will surely be worth less.

    Raises
    ------
    PrecisionError
        When the couplings get too strong for doubles before the maximum is reached.
    """
    # The exact optimum with the other couplings fixed.
    first = float(np.arctanh(moments[-1]) - np.arctanh(correlation))
    theta = np.append(couplings, first)
    if isinstance(plan, FieldedPlan):
        if not abs(first) > LEAST_FIRST_STEP:
            return refit_exactly(plan, moments, theta)
        return _climb_with_fields(plan, moments, theta, inverse_hessian, correlation, worth)
    with one_blas_thread():
        solution = solve(plan, theta)
        if not solution.loss <= LOSS_ALLOWED:
            return refit_exactly(plan, moments, theta)
        gradient = moments - solution.moments()
        before = np.zeros_like(gradient)
        before[-1] = moments[-1] - correlation
        bordered = _bordered(inverse_hessian, (before - gradient) / first) if abs(first) > LEAST_FIRST_STEP else None
        if bordered is None:
            return refit_exactly(plan, moments, theta)
        return _climb(plan, moments, theta, solution, gradient, bordered, worth)


def refit(plan: Plan, moments, start, inverse_hessian) -> Refit:
    """Refit from couplings and a curvature close to the result; `inverse_hessian` is overwritten.

    Raises
    ------
    PrecisionError
        As in `refit_with_edge`.
    """
    if isinstance(plan, FieldedPlan):
        found = _climb_with_fields(plan, moments, start, inverse_hessian)
        assert found is not None  # as below
        return found
    with one_blas_thread():
        solution = solve(plan, start)
        if not solution.loss <= LOSS_ALLOWED:
            return refit_exactly(plan, moments, start)
        found = _climb(plan, moments, start, solution, moments - solution.moments(), inverse_hessian)
    assert found is not None  # it gives up only on what is not worth it, and nothing was asked for here
    return found


def refit_exactly(plan: Plan, moments, start) -> Refit:
    """Newton's method from `start`, when nothing is known about the curvature.

    Raises
    ------
    PrecisionError
        As in `refit_with_edge`.
    """
    result = maximise(plan, moments, start)
    if not result.converged:
        again = maximise(plan, moments, tree_couplings(plan.n_spins, plan.edges, moments))
        result = again if again.converged or again.gradient_norm < result.gradient_norm else result
    if not result.converged:
        left = distance(moments - result.solution.moments(), resolution(moments))
        if not left <= USABLE:
            raise PrecisionError(
                f"the fit stopped {left:.1e} away from the moments (largest |coupling| so far "
                f"{np.abs(result.couplings).max():.3g}): on the way to the maximum the couplings get too strong for "
                "double precision. A prior (prior=1, or a larger one) makes them weaker",
                loss=result.solution.loss,
            )
    with one_blas_thread():
        inverse = _inverse(result.solution.curvature())
    return Refit(result.couplings, result.solution, result.gradient_norm, result.converged, inverse)


def _inverse(hessian) -> np.ndarray:
    """Lower triangle of the inverse; where the curvature is no number, as if every coupling stood alone."""
    factor = positive_factor(hessian)
    if factor is None:
        return np.asfortranarray(np.eye(len(hessian)))
    return lapack.dpotri(factor, lower=1, overwrite_c=1)[0]


def _climb(plan, moments, theta, solution, gradient, inverse, worth=None) -> Refit | None:
    value, unit = moments @ theta - solution.log_partition, resolution(moments)
    for _ in range(MOST_EVALUATIONS):
        norm = distance(gradient, unit)
        if at_maximum(gradient, norm):
            check_settled(theta, solution, gradient)
            return Refit(theta, solution, float(np.abs(gradient).max(initial=0.0)), True, inverse)
        step = blas.dsymv(1.0, inverse, gradient, lower=1)
        # Half of it is the gain still to come, by the curvature; twice that is beyond what the curvature is off by.
        still_to_come = float(gradient @ step)
        if worth is not None and worth.raw @ theta - solution.log_partition + still_to_come < worth.least:
            return None
        moved = line_search(plan, moments, theta, step, value, still_to_come, norm)
        if moved is None:
            break
        new_theta, solution, value = moved
        new_gradient = moments - solution.moments()
        _correct(inverse, new_theta - theta, gradient - new_gradient)
        theta, gradient = new_theta, new_gradient
    if distance(gradient, unit) <= CONVERGED:
        return Refit(theta, solution, float(np.abs(gradient).max(initial=0.0)), True, inverse)
    return refit_exactly(plan, moments, theta)


def _climb_with_fields(plan, moments, start, inverse, correlation=0.0, worth=None) -> Refit | None:
    """The same ascent in one compiled piece; `inverse` may lack the last edge."""
    raw, least = (moments, -np.inf) if worth is None else (worth.raw, worth.least)
    status, theta, solution, gradient, inverse = climbed(plan, moments, start, inverse, correlation, raw, least)
    if status == NOT_WORTH:
        return None
    if status != AT_MAXIMUM:
        return refit_exactly(plan, moments, theta)
    check_settled(theta, solution, gradient)
    return Refit(theta, solution, float(np.abs(gradient).max(initial=0.0)), True, inverse)


def _bordered(inverse, column) -> np.ndarray | None:
    """Inverse of a matrix that gained a last row and column; None when it would not be positive."""
    across = blas.dsymv(1.0, inverse, column[:-1], lower=1) if len(inverse) else np.empty(0)
    left = column[-1] - column[:-1] @ across
    if not left > LEAST_CONDITIONAL_VARIANCE:
        return None
    larger = np.empty((len(column), len(column)), order="F")
    larger[:-1, :-1] = inverse
    larger[-1] = 0.0
    return blas.dsyr(1.0 / left, np.append(across, -1.0), lower=1, a=larger, overwrite_a=1)


def _correct(inverse, step, change) -> None:
    """BFGS in place: afterwards the inverse maps the change of the gradient to the step."""
    curvature = float(step @ change)
    if not curvature > 0:  # rounding; the objective is strictly concave
        return
    mapped = blas.dsymv(1.0, inverse, change, lower=1)
    other = (0.5 * (1.0 + float(change @ mapped) / curvature) * step - mapped) / curvature
    blas.dsyr2(1.0, step, other, lower=1, a=inverse, overwrite_a=1)


def without_row(inverse, k: int) -> np.ndarray:
    """Inverse of the matrix that lost row and column k."""
    row = np.concatenate([inverse[k, :k], inverse[k + 1 :, k]])
    smaller = np.empty((row.size, row.size), order="F")
    smaller[:k, :k] = inverse[:k, :k]
    smaller[k:, :k] = inverse[k + 1 :, :k]
    smaller[k:, k:] = inverse[k + 1 :, k + 1 :]
    if not row.size:
        return smaller
    with one_blas_thread():
        return blas.dsyr(-1.0 / inverse[k, k], row, lower=1, a=smaller, overwrite_a=1)
