"""Profile likelihood: how far a parameter can go before a likelihood-ratio test rejects it, all others refitted.

Source: Venzon and Moolgavkar, A method for computing profile-likelihood-based confidence intervals (1988).
"""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import numpy as np

from isingmap.data.moments import EmpiricalMoments
from isingmap.errors import PrecisionError
from isingmap.inference.pfaffian.blas import one_blas_thread
from isingmap.likelihood.quasi_newton import refit, without_row
from isingmap.structure.edge_losses import MOST_EDGES, refitted
from isingmap.structure.result import SearchResult
from isingmap.structure.state.refitted_model import RefittedModel
from isingmap.uncertainty.held import HeldPlan

# An end is found where the statistic is off by less than this share, or by so many roundings of log Z.
TOLERANCE, ROUNDINGS = 1e-9, 16.0
MOST_STEPS = 60
# While no value beyond the end is known, a step goes at most so many times as far as the last one.
FARTHEST = 3.0

# Value of the coupling -> (what the log-likelihood of one row loses there, its derivative)
Loss = Callable[[float], tuple[float, float]]


def profile_intervals(
    result: SearchResult, moments: EmpiricalMoments, asked: np.ndarray, statistic: np.ndarray
) -> np.ndarray:
    """Both ends of the profile-likelihood intervals of some parameters, (n_asked, 2).

    The graph is fixed; all other couplings and fields are refitted at every value, exactly. With a prior the likelihood
    is that of rows and pseudo-observations together. NaN for a parameter of a block of more than `MOST_EDGES` edges and
    fields, and for an end that doubles cannot reach. Some ten refits each.

    Parameters
    ----------
    result : SearchResult
    moments : EmpiricalMoments
    asked : (n_asked,) int array
        Numbers of parameters, couplings first, then free fields.
    statistic : (n_parameters,) array
        What twice the loss of log-likelihood is at the ends: 3.84 for 95 %.
    """
    if not asked.size:
        return np.empty((0, 2))
    model, numbers = refitted(result, moments)
    n_rows = moments.n_samples + (result.prior or 0.0)

    def both_ends(k: int) -> tuple[float, float]:
        return _ends(model, numbers[k], float(statistic[k]) / (2.0 * n_rows))

    with one_blas_thread(), ThreadPoolExecutor() as threads:
        return np.array(list(threads.map(both_ends, asked.tolist())))


def _ends(model: RefittedModel, number: int, loss: float) -> tuple[float, float]:
    """Where the log-likelihood of one row has lost so much."""
    members = np.flatnonzero(model.block == model.block[number])
    if members.size > MOST_EDGES or not loss > 0:
        return np.nan, np.nan
    held = int(np.searchsorted(members, number))
    variance = float(model.fits[int(model.block[number])].inverse_hessian[held, held])
    centre, first = float(model.couplings[number]), float(np.sqrt(2.0 * loss * variance))
    size = 1.0 + np.unique(model.edges[members]).size + float(np.abs(model.couplings[members]).sum())
    tolerance = TOLERANCE * loss + ROUNDINGS * np.finfo(float).eps * size
    lower, upper = (
        _end(_loss_along(model, members, held), centre, centre + side * first, loss, tolerance) for side in (-1.0, 1.0)
    )
    return lower, upper


def _end(lost: Loss, centre: float, value: float, loss: float, tolerance: float) -> float:
    """The value on this side of `centre` where `lost` is `loss`; the loss is convex and 0 at the centre.

    Newton's method for its root, which is nearly a straight line, inside a bracket.
    """
    inside: float = centre
    outside: float | None = None
    for _ in range(MOST_STEPS):
        found, slope = lost(value)
        if abs(found - loss) <= tolerance:
            return value
        if found < loss:
            inside = value
        else:
            outside = value
        root = np.sqrt(max(found, 0.0))
        step = 2.0 * root * (root - np.sqrt(loss)) / slope if slope else np.nan
        value = _guarded(value - step, centre, inside, outside)
    return np.nan


def _guarded(value: float, centre: float, inside: float, outside: float | None) -> float:
    """The value, if it lies in the bracket; else its middle, or farther out while there is none."""
    if outside is not None:
        between = min(inside, outside) < value < max(inside, outside)
        return value if between else (inside + outside) / 2.0
    farthest = centre + FARTHEST * (inside - centre)
    return value if 1.0 < (value - centre) / (inside - centre) < FARTHEST else farthest


def _loss_along(model: RefittedModel, members: np.ndarray, held: int) -> Loss:
    """The profile of one coupling, `held` among the `members` of its block; each value starts from the one before."""
    fit = model.fits[int(model.block[members[0]])]
    edges, centre = model.edges[members], float(fit.couplings[held])
    target = model.target[edges[:, 0], edges[:, 1]]
    if fit.solution is None:
        return _loss_of_bridge(centre, float(target[0]))
    plan, top = fit.solution.plan, float(target @ fit.couplings) - fit.solution.log_partition
    column = np.concatenate([fit.inverse_hessian[held, :held], fit.inverse_hessian[held:, held]])
    direction = np.delete(column, held) / column[held]
    others = np.delete(target, held)
    last = centre, np.delete(fit.couplings, held), without_row(fit.inverse_hessian, held)

    def lost(value: float) -> tuple[float, float]:
        nonlocal last
        before, free, inverse = last
        start = free + direction * (value - before)
        try:
            found = refit(HeldPlan(plan, held, value), others, start, inverse.copy(order="F"))  # type: ignore[arg-type]
        except PrecisionError:
            return np.inf, np.nan
        if not found.converged:
            return np.inf, np.nan
        last = value, found.couplings, found.inverse_hessian
        whole = found.solution.whole  # type: ignore[union-attr]
        loss = top - (float(others @ found.couplings) + target[held] * value - whole.log_partition)
        return loss, float(whole.moments()[held] - target[held])

    return lost


def _loss_of_bridge(centre: float, moment: float) -> Loss:
    """A block of one edge has a closed form."""

    def lost(value: float) -> tuple[float, float]:
        grown = np.logaddexp(value, -value) - np.logaddexp(centre, -centre)
        return float(grown - moment * (value - centre)), float(np.tanh(value) - moment)

    return lost
