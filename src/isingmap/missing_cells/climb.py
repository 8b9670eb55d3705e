"""EM on one graph: from expected moments to the model that has them, and again, until it rests.

Source: A. P. Dempster, N. M. Laird, D. B. Rubin, Maximum likelihood from incomplete data via the EM algorithm,
JRSS B 39 (1977).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from isingmap.interruption import look, undisturbed, was_interrupted
from isingmap.likelihood.existence import Obstacle, find_obstacle
from isingmap.likelihood.fit import fit_couplings
from isingmap.missing_cells.expectation import Completion, Expectation
from isingmap.missing_cells.parts import ObservedRows
from isingmap.model import IsingModel

MOST_STEPS = 1000
# It rests where no expected moment changes by more than this from step to step: then it is the gradient of the
# log-likelihood per row, and as small as that of an ordinary fit.
AT_REST = 1e-8
# A fall of the log-likelihood per row that rounding can make: log Z may be off by 1e-10, that of a large model by more.
ROUNDING = 1e-8
# Expected moments so close to the border, in parts of a row and of all rows, that nothing observed holds them off it.
NEAREST_ROWS, NEAREST = 0.1, 1e-6


@dataclass(frozen=True, eq=False)
class Refined:
    """EM on one graph.

    Attributes
    ----------
    model : IsingModel
    expectation : Expectation
        Of the model.
    values : tuple of float
        What is maximised, at the start and after each step, never falling by more than rounding: the log-likelihood of
        what was observed, with a prior less what the prior takes.
    score : (n_parameters,) array
        Derivatives of that by the couplings and the free fields, per row.
    converged : bool
        Whether it rests, at a finite maximum.
    interrupted : bool
    """

    model: IsingModel
    expectation: Expectation
    values: tuple[float, ...]
    score: np.ndarray
    converged: bool
    interrupted: bool = False

    @property
    def gradient_norm(self) -> float:
        """The largest of the derivatives."""
        return float(np.abs(self.score).max(initial=0.0))

    @property
    def n_steps(self) -> int:
        return len(self.values) - 1


def evaluated(model: IsingModel, completion: Completion, prior: float | None = None) -> Refined:
    """No step: what the model is worth as it is."""
    found = completion.expectation(model)
    score = _score(model, found, completion.observed.n_samples, prior)
    return Refined(model, found, (_penalised(found, prior),), score, float(np.abs(score).max(initial=0.0)) <= AT_REST)


def refined(
    model: IsingModel,
    completion: Completion,
    *,
    prior: float | None = None,
    fields_in_plane: bool = True,
    told: Callable[[int], None] | None = None,
) -> Refined:
    """EM on the graph of a model, from its numbers on, until it rests.

    Every step raises what is maximised, in exact arithmetic. Should it fall by more than rounding, the model before is
    returned as not converged. Ctrl-C returns the best so far.

    Parameters
    ----------
    model : IsingModel
    completion : Completion
        Of its graph.
    prior : float, optional
    fields_in_plane : bool
        See `fit_couplings`.
    told : callable, optional
        Called with the number of each step.

    Raises
    ------
    NoEstimateError, NonPlanarError, PrecisionError
        As in `fit_couplings` and `Completion.expectation`.
    """
    with undisturbed():
        now = evaluated(model, completion, prior)
    try:
        for step in range(MOST_STEPS):
            look()
            if told is not None:
                told(step + 1)
            better = _maximised(now, completion.observed, prior, fields_in_plane)
            found = evaluated(better, completion, prior)
            if found.values[0] < now.values[-1] - ROUNDING * completion.observed.n_samples:
                return replace(now, converged=False)
            now = replace(found, values=(*now.values, *found.values))
            if now.converged:
                is_finite = prior is not None or border_reached(now, completion.observed.n_samples) is None
                return replace(now, converged=is_finite)
    except BaseException as error:
        if not was_interrupted(error):
            raise
        return replace(now, interrupted=True)
    return now


def border_reached(now: Refined, n_samples: float) -> Obstacle | None:
    """The pair or cycle whose inequality is as good as tight where EM rests, if any: then the estimate is infinite.

    Steps towards it become small, so that EM comes to rest on the way. What was observed of all values holds expected
    moments off the border by a row or more; see `likelihood.existence`.
    """
    graph, expected = now.model.planned.graph, now.expectation
    outward = 1.0 + min(NEAREST, NEAREST_ROWS / n_samples)
    moments = graph.moments(expected.moments, expected.magnetizations)
    found = find_obstacle(graph.n_nodes, graph.extended_edges, outward * moments)
    return None if found is None else replace(found, slack=0.0)


def _maximised(now: Refined, observed: ObservedRows, prior: float | None, fields_in_plane: bool) -> IsingModel:
    """The M-step: the couplings and fields of the graph that have the expected moments."""
    model, expected = now.model, now.expectation
    has_fields = bool(model.free_fields.any())
    return fit_couplings(
        model.edges,
        expected.moments[tuple(model.edges.T)],
        n_spins=model.n_spins,
        magnetizations=expected.magnetizations if has_fields else None,
        free_fields=model.free_fields if has_fields else None,
        prior=prior,
        n_samples=observed.n_samples,
        names=model.names,
        start=np.append(model.couplings, model.fields[model.free_fields]),
        fields_in_plane=fields_in_plane,
    ).model


def _penalised(expected: Expectation, prior: float | None) -> float:
    """The log-likelihood and that of the prior's pseudo-observations, up to a constant."""
    return expected.log_likelihood - (0.0 if prior is None else prior * expected.log_partition)


def _score(model: IsingModel, expected: Expectation, n_samples: float, prior: float | None) -> np.ndarray:
    """Gradient of the log-likelihood of what was observed, per row: expected less own moments."""
    share = n_samples / (n_samples + (prior or 0.0))
    of_edges = share * expected.moments[tuple(model.edges.T)] - model.moments()
    return np.append(of_edges, (share * expected.magnetizations - model.magnetizations())[model.free_fields])
