"""One greedy path and what rows that were held out say of every graph on it: all prices at once.

A stricter price stops the same path earlier, so the longest one has the graphs of all criteria.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from isingmap.data.moments import EmpiricalMoments
from isingmap.inference.extended import extended_moments
from isingmap.inference.pfaffian.blas import one_blas_thread
from isingmap.interruption import look
from isingmap.structure.criteria import CRITERIA
from isingmap.structure.options import SearchOptions
from isingmap.structure.problem import Problem
from isingmap.structure.state.search_state import SearchState

# What is tried in every family: the criterion and its gamma, the strictest first.
CRITERIA_TRIED = (("ebic", 1.0), ("ebic", 0.5), ("ebic", 0.25), ("bic", 0.0), ("aic", 0.0))


@dataclass(frozen=True, eq=False)
class Growth:
    """Graphs of a greedy path, from the start to the last that some criterion of `CRITERIA_TRIED` pays for.

    Attributes
    ----------
    gain : (n_steps,) array
        Guaranteed gain of each step, nats per training row.
    n_edges, n_parameters : (n_steps + 1,) int arrays
    held_out : (n_steps + 1,) array
        Mean log-likelihood of the rows held out, nats per row.
    n_samples : float
        Training rows.
    n_spins : int
    """

    gain: np.ndarray
    n_edges: np.ndarray
    n_parameters: np.ndarray
    held_out: np.ndarray
    n_samples: float
    n_spins: int

    def step_of(self, criterion: str, gamma: float) -> int:
        """Where a search by the criterion ends: before the first gain below its price."""
        below = np.flatnonzero(self.gain < _price(criterion, gamma, self.n_samples, self.n_spins))
        return int(below[0]) if below.size else len(self.gain)


def grown(problem: Problem, options: SearchOptions, held: EmpiricalMoments) -> Growth:
    """Grow the graph of a problem; of rows that were held out no more is needed than their moments.

    Cost: a greedy search.

    Raises
    ------
    NoEstimateError, PrecisionError
        The required edges have no estimate.
    KeyboardInterrupt
        See `look`.
    """
    prices = [_price(*tried, problem.n_samples, problem.n_spins) for tried in CRITERIA_TRIED]
    criterion, gamma = CRITERIA_TRIED[int(np.argmin(prices))]
    state = SearchState(problem, replace(options, criterion=criterion, gamma=gamma))
    means = None if held.magnetizations is None else held.magnetizations[problem.order]
    moments = extended_moments(held.moments[np.ix_(problem.order, problem.order)], means)
    rows = [_row(state, moments)]
    goes_on = True
    while goes_on:
        look()
        with one_blas_thread():
            goes_on = state.add_best()
        if len(state.steps) == len(rows):
            rows.append(_row(state, moments))
    n_edges, n_parameters, held_out = np.array(rows).T
    gains = np.array([step.gain for step in state.steps])
    counts = n_edges.astype(np.int64), n_parameters.astype(np.int64)
    return Growth(gains, *counts, held_out, problem.n_samples, problem.n_spins)


def _price(criterion: str, gamma: float, n_samples: float, n_spins: int) -> float:
    return CRITERIA[criterion].price(n_samples, n_spins, gamma).of_coupling(0, 0)


def _row(state: SearchState, moments: np.ndarray) -> tuple[int, int, float]:
    """Couplings, parameters, and the mean log-likelihood of rows with these moments between nodes."""
    model = state.model
    i, j = model.edges.T
    of_training = model.gain - state.n_spins * np.log(2.0)
    held_out = of_training + float(model.couplings @ (moments[i, j] - model.raw[i, j]))
    return int((j < state.n_spins).sum()), len(model.edges), held_out
