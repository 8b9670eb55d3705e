"""Refits of a block with fields in one compiled climb: the ascent of `quasi_newton`, for sums of some microseconds.

Such a block is small and its evaluation takes less time than a few lines of Python, so the whole ascent is compiled:
evaluations, line searches and the correction of the curvature. What cannot be climbed is left to Newton's method.
"""

from __future__ import annotations

import numpy as np

from isingmap.compiled import helper, inlined, kernel
from isingmap.inference.elimination.clique_tree import spread_of
from isingmap.inference.elimination.downward import sweep_down
from isingmap.inference.elimination.fielded_block import FieldedPlan, FieldedSolution
from isingmap.inference.elimination.solution import WIDEST_SPREAD, EliminationSolution
from isingmap.inference.elimination.upward import LINEAR, LOGARITHMIC, sweep_up
from isingmap.interruption import look
from isingmap.likelihood.newton import (
    CONVERGED,
    GRADIENT_TOLERANCE,
    LARGEST_MOVE,
    LEAST_SLOPE,
    LOSS_ALLOWED,
    MOST_LOST,
    ROUNDING,
    SHORTEST_STEP,
    SUFFICIENT_INCREASE,
    resolution,
)
from isingmap.progress import at_work

MOST_EVALUATIONS = 60
# A new edge must keep this share of its variance given all others; below, the bordered curvature is noise.
LEAST_CONDITIONAL_VARIANCE = 1e-8
# How a climb ended, or that it has not.
AT_MAXIMUM, NOT_WORTH, STUCK, CLIMBING = 0, 1, 2, 3
EPSILON = float(np.finfo(float).eps)
LOG_2 = float(np.log(2.0))


@helper
def _times(inverse, vector, product):
    """product = inverse . vector, from the lower triangle."""
    n = vector.size
    for i in range(n):
        product[i] = 0.0
    for j in range(n):
        own, across = vector[j], 0.0
        product[j] += inverse[j, j] * own
        for i in range(j + 1, n):
            product[i] += inverse[i, j] * own
            across += inverse[i, j] * vector[i]
        product[j] += across


@helper
def _dot(first, second):
    total = 0.0
    for i in range(first.size):
        total += first[i] * second[i]
    return total


@helper
def _distance(gradient, unit):
    """(largest entry in units of the resolution, largest entry); NaN stays NaN."""
    scaled, plain = 0.0, 0.0
    for i in range(gradient.size):
        size = abs(gradient[i])
        if size != size:
            return np.nan, np.nan
        plain = max(plain, size)
        scaled = max(scaled, size / unit[i])
    return scaled, plain


@inlined
def _bordered(inverse, column, across):
    """Inverse of the matrix that gained a last row and column; empty when it would not be positive."""
    m = column.size - 1
    _times(inverse, column[:m], across[:m])
    across[m] = -1.0
    left = column[m] - _dot(column[:m], across[:m])
    if not left > LEAST_CONDITIONAL_VARIANCE:
        return np.empty((0, 0)).T
    larger = np.empty((m + 1, m + 1)).T
    for j in range(m + 1):
        for i in range(j, m + 1):
            larger[i, j] = across[i] * across[j] / left + (inverse[i, j] if i < m else 0.0)
    return larger


@inlined
def _correct(inverse, step, change, mapped):
    """BFGS in place: afterwards the inverse maps the change of the gradient to the step."""
    curvature = _dot(step, change)
    if curvature > 0.0:  # else rounding: the objective is strictly concave
        _times(inverse, change, mapped)
        half = 0.5 * (1.0 + _dot(change, mapped) / curvature)
        for i in range(step.size):
            mapped[i] = (half * step[i] - mapped[i]) / curvature
        for j in range(step.size):
            for i in range(j, step.size):
                inverse[i, j] += step[i] * mapped[j] + mapped[i] * step[j]


@inlined
def _evaluated(plan, subtree, place, theta, both, conditionals, moments, target, gradient):
    """(log Z of the extended model, loss); fills conditional probabilities, moments of edges and spins, gradient."""
    m = plan.edge.size
    for e in range(theta.size):
        both[place[e]] = theta[e]
    couplings, fields = both[:m], both[m:]
    total, largest = 0.0, 0.0
    for e in range(m):
        total += abs(couplings[e])
    for v in range(fields.size):
        largest = max(largest, abs(fields[v]))
    loss, mode = float(both.size), LINEAR
    if not 2.0 * (total + largest) <= WIDEST_SPREAD:
        spread = spread_of(plan, subtree, couplings, fields)
        if not spread <= WIDEST_SPREAD:
            loss += spread
            mode = LOGARITHMIC
    log_partition = sweep_up(plan, couplings, fields, mode, conditionals, np.empty(0))
    of_edges, of_spins = sweep_down(plan, conditionals, np.empty((0, conditionals.size)))
    for k in range(moments.size):
        moment = of_edges[0, k] if k < m else of_spins[0, k - m]
        moments[k] = min(max(moment, -1.0), 1.0)
    for e in range(theta.size):
        gradient[e] = target[e] - moments[place[e]]
    return log_partition + LOG_2, EPSILON * loss


@kernel
def climb(plan, subtree, place, target, unit, start, inverse, correlation, raw, least):  # noqa: C901 - one ascent
    """The maximum of target . theta - log Z, from couplings and a curvature close to it.

    Parameters
    ----------
    plan, subtree
        See `CliqueTree`.
    place : (m,) int64 array
        Of each extended edge: its coupling, or behind all of those its spin.
    target, unit : (m,) arrays
        Moments, and their `resolution`.
    start : (m,) array
    inverse : (m, m) or (m - 1, m - 1) array, Fortran order
        Lower triangle of the inverse Hessian. The smaller one lacks the last edge and stays as it is; the other is
        overwritten.
    correlation : float
        Of the ends of the last edge before it was added; read if `inverse` is the smaller one.
    raw, least : (m,) array, float
        See `Worth`.

    Returns
    -------
    status, theta, inverse, log_partition, gradient, conditionals, moments
        Moments of all couplings, then E[x_i] of all spins.
    """
    m = target.size
    both = np.empty(plan.edge.size + plan.node.size)
    for k in range(both.size):
        both[k] = 0.0
    theta, gradient, moments = np.empty((2, m)), np.empty((2, m)), np.empty((2, both.size))
    conditionals = np.empty((2, plan.store[plan.node.size]))
    step, change, work = np.empty(m), np.empty(m), np.empty(m)
    for e in range(m):
        theta[0, e] = start[e]
    # Rows `now` of the arrays belong to the best point so far, rows `new` to the one that is tried.
    now, new, n_moves, lost = 0, 0, 0, 0
    status, value, log_partition, slope, norm, length = CLIMBING, -np.inf, 0.0, 0.0, np.inf, 0.0
    while status == CLIMBING:
        reached, loss = _evaluated(
            plan, subtree, place, theta[new], both, conditionals[new], moments[new], target, gradient[new]
        )
        new_value = _dot(target, theta[new]) - reached
        lost += 0 if loss <= LOSS_ALLOWED else 1
        # The gain of the last steps is below the rounding of log Z: there the gradient decides.
        if loss <= LOSS_ALLOWED and (
            new_value >= value + SUFFICIENT_INCREASE * length * slope
            or (slope < LEAST_SLOPE and _distance(gradient[new], unit)[0] < norm)
        ):
            if n_moves > 0:
                for e in range(m):
                    step[e] = theta[new, e] - theta[now, e]
                    change[e] = gradient[now, e] - gradient[new, e]
                _correct(inverse, step, change, work)
            elif inverse.shape[0] < m:
                # How far each moment went when the last edge got its coupling is its column of the Hessian.
                for e in range(m):
                    change[e] = -gradient[new, e] / start[m - 1]
                change[m - 1] += (target[m - 1] - correlation) / start[m - 1]
                inverse = _bordered(inverse, change, work)
            now, new, value, log_partition = new, 1 - new, new_value, reached
            n_moves, lost = n_moves + 1, 0
            norm, largest = _distance(gradient[now], unit)
            if inverse.shape[0] < m or (n_moves > MOST_EVALUATIONS and not norm <= CONVERGED):
                status = STUCK
            elif norm <= GRADIENT_TOLERANCE or largest <= ROUNDING or n_moves > MOST_EVALUATIONS:
                status = AT_MAXIMUM
            else:
                _times(inverse, gradient[now], step)
                # Half of it is the gain still to come, by the curvature; all of it is beyond what that is off by.
                slope = _dot(gradient[now], step)
                if _dot(raw, theta[now]) - log_partition + slope < least:
                    status = NOT_WORTH
                longest = _distance(step, unit)[1]
                length = min(1.0, LARGEST_MOVE / longest) if 0.0 < longest < np.inf else 0.0
        else:
            length /= 2
        if status == CLIMBING and (not length > SHORTEST_STEP or lost >= MOST_LOST):
            status = AT_MAXIMUM if norm <= CONVERGED else STUCK
        for e in range(m):
            theta[new, e] = theta[now, e] + length * step[e]
    return status, theta[now], inverse, log_partition, gradient[now], conditionals[now], moments[now]


def climbed(plan: FieldedPlan, moments, start, inverse_hessian, correlation=0.0, raw=None, least=-np.inf):
    """(status, couplings, solution, gradient, inverse Hessian); see `climb`. The solution has its moments."""
    look()
    with at_work(EliminationSolution.method):
        status, theta, inverse, log_partition, gradient, conditionals, reached = climb(
            plan.tree.tables, plan.tree.subtree, plan.place, moments, resolution(moments), start, inverse_hessian,
            correlation, moments if raw is None else raw, least,
        )  # fmt: skip
    solution = FieldedSolution.known(plan, theta, log_partition, reached, conditionals)
    return status, theta, solution, gradient, inverse
