"""What each edge is worth where cells are missing: the likelihood of what was observed, without it, at its maximum."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from time import monotonic

import numpy as np

from isingmap.errors import PrecisionError
from isingmap.inference.pfaffian.blas import one_blas_thread
from isingmap.interruption import listening, look, wants_to_stop
from isingmap.missing_cells.climb import Refined, evaluated
from isingmap.missing_cells.expectation import Completion
from isingmap.model import IsingModel

# The refit of an edge ends where a step promises less than this, total nats, or than so much of the likelihood.
LEAST_GAIN, ROUNDING = 1e-7, 1e-12
MOST_STEPS = 60
SUFFICIENT_INCREASE, SHORTEST_STEP = 1e-4, 2.0**-20
# Edges times `Completion.work`: at most a minute or so.
MOST_WORK = 6e9


def edge_losses_by_refits(
    completion: Completion, model: IsingModel, information: np.ndarray, prior: float | None = None
) -> np.ndarray:
    """Log-likelihood of what was observed that is lost without each edge, all else refitted, (n_edges,), total nats.

    Quasi-Newton ascent from the observed information, with the coupling held at 0. With a prior it is the likelihood
    that was maximised, that of rows and pseudo-observations together. NaN everywhere where it would take minutes
    (`MOST_WORK`), and for an edge without which doubles find no maximum. After Ctrl-C the refits that are left are NaN
    where a result is being brought home.

    Parameters
    ----------
    completion : Completion
        Of the graph of the model.
    model : IsingModel
        At the maximum.
    information : (n_parameters, n_parameters) array
        The observed information, with that of the prior.
    prior : float, optional

    Raises
    ------
    KeyboardInterrupt
        Ctrl-C, soon.
    """
    if model.n_edges * completion.work > MOST_WORK:
        return np.full(model.n_edges, np.nan)
    found, since = evaluated(model, completion, prior), monotonic()
    with listening(), one_blas_thread(), ThreadPoolExecutor() as threads:
        try:
            inverse = np.linalg.inv(information)
        except np.linalg.LinAlgError:
            return np.full(model.n_edges, np.nan)
        without = threads.map(lambda k: _without(k, completion, found, inverse, prior, since), range(model.n_edges))
        losses = found.values[-1] - np.array(list(without))
        look()
        return losses


def _without(
    k: int, completion: Completion, full: Refined, inverse: np.ndarray, prior: float | None, since: float
) -> float:
    """The largest value of what is maximised where coupling k is 0; NaN where it was not found, or after Ctrl-C."""
    if wants_to_stop(since):
        return np.nan
    theta = np.append(full.model.couplings, full.model.fields[full.model.free_fields])
    n_rows = completion.observed.n_samples + (prior or 0.0)
    free = np.arange(theta.size) != k
    theta = theta - inverse[:, k] / inverse[k, k] * theta[k]
    theta[k] = 0.0
    metric = (inverse - np.outer(inverse[k], inverse[k]) / inverse[k, k])[np.ix_(free, free)]
    try:
        now = _at(theta, full.model, completion, prior)
        for _ in range(MOST_STEPS):
            if wants_to_stop(since):
                return np.nan
            gradient = n_rows * now.score[free]
            direction = metric @ gradient
            slope = float(gradient @ direction)
            if slope <= 2.0 * max(LEAST_GAIN, ROUNDING * abs(now.values[0])):
                return now.values[-1]
            step, after = 1.0, None
            while step >= SHORTEST_STEP:
                tried = theta.copy()
                tried[free] += step * direction
                after = _at(tried, full.model, completion, prior)
                if after.values[0] >= now.values[0] + SUFFICIENT_INCREASE * step * slope:
                    break
                step /= 2.0
            else:
                return np.nan
            metric = _updated(metric, step * direction, n_rows * (now.score - after.score)[free])
            theta, now = tried, after
    except PrecisionError:
        pass
    return np.nan


def _at(theta: np.ndarray, model: IsingModel, completion: Completion, prior: float | None) -> Refined:
    fields = np.zeros(model.n_spins)
    fields[model.free_fields] = theta[model.n_edges :]
    return evaluated(model.with_couplings(theta[: model.n_edges], fields), completion, prior)


def _updated(inverse: np.ndarray, step: np.ndarray, change: np.ndarray) -> np.ndarray:
    """The inverse curvature after a step that changed the (negative) gradient so (BFGS), where it says anything."""
    along = float(step @ change)
    if not along > 1e-12 * float(np.linalg.norm(step) * np.linalg.norm(change)):
        return inverse
    moved = inverse @ change
    return (
        inverse
        + np.outer(step, step) * ((along + change @ moved) / along**2)
        - (np.outer(moved, step) + np.outer(step, moved)) / along
    )
