"""Learning from rows with missing cells: the graph and the model that make what was observed most probable.

Structural EM: a search, EM on the graph it finds until it rests, a search on what is expected then (see `start.py`),
until the graph stays or what was observed gets no better.

Source: N. Friedman, The Bayesian structural EM algorithm, UAI (1998).
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from isingmap.data.moments import EmpiricalMoments
from isingmap.data.table import SpinTable, counted
from isingmap.errors import FitWarning, ModelError, NoEstimateError, PrecisionError
from isingmap.interruption import listening, was_interrupted
from isingmap.likelihood.existence import no_estimate_error
from isingmap.missing_cells.climb import Refined, border_reached, evaluated, refined
from isingmap.missing_cells.expectation import Completion
from isingmap.missing_cells.parts import ObservedRows
from isingmap.missing_cells.start import KnownTogether
from isingmap.model import IsingModel
from isingmap.model.reordered import reordered
from isingmap.progress import entitle
from isingmap.structure.criteria import CRITERIA
from isingmap.structure.families import FAMILIES
from isingmap.structure.learn import learn_structure
from isingmap.structure.options import RESTARTED, SearchOptions
from isingmap.structure.problem import Problem
from isingmap.structure.result import SearchResult
from isingmap.structure.search_methods import STEPWISE
from isingmap.structure.state.stopping import LEAST_IMPROVEMENT
from isingmap.warned import unheard, warn

MOST_ROUNDS = 10  # of search and EM, without and with restarts together
INTERRUPTED = "interrupted in EM"
# What a step of the loops takes, how many E-steps to expect in all rounds, and from how many minutes on it is said.
_SECONDS, _STEPS_EXPECTED, _LONG = 1e-8, 60, 1.0

Progress = Callable[[int, int], None]


@dataclass(frozen=True, eq=False)
class EMFit:
    """What EM found.

    Attributes
    ----------
    result : SearchResult
        Of the last search that found anything better; its model and log-likelihood are those of the observed cells,
        and so are the criteria. Log-likelihoods of earlier steps of its path are not known, NaN.
    observed : ObservedRows
        Columns in the order of the table.
    moments : EmpiricalMoments
        Expected moments under the model.
    n_steps, n_rounds : int
        EM steps on the last graph; rounds of search.
    values : tuple of float
        What was maximised, after each EM step on the last graph.
    """

    result: SearchResult
    observed: ObservedRows
    moments: EmpiricalMoments
    n_steps: int
    n_rounds: int
    values: tuple[float, ...]


@dataclass(frozen=True, eq=False)
class _Round:
    """A search, and EM on its graph."""

    result: SearchResult
    refined: Refined

    @property
    def interrupted(self) -> bool:
        return self.result.was_interrupted or self.refined.interrupted


def check_em(problem: Problem, options: SearchOptions) -> None:
    """Refuse what makes no sense together with missing="em".

    Raises
    ------
    ModelError
    """
    reasons = {
        "family='auto'": (problem.is_open, "give one of the families, such as family='planar'"),
        f"checkpoint={str(options.checkpoint)!r}": (options.checkpoint is not None, "leave checkpoint= out"),
    }
    for setting, (unfit, advice) in reasons.items():
        if unfit:
            raise ModelError(
                f"missing='em' searches again and again, each time with other expected moments, and cannot do so with "
                f"{setting}; {advice}, or take another rule for missing cells, such as missing='drop'"
            )


def learn_by_em(
    table: SpinTable, asked: dict[str, Any], options: SearchOptions, progress: Progress | None = None
) -> EMFit:
    """The model that makes the observed cells most probable, on a graph found by structural EM.

    Starts from the moments of the rows where both of a pair are known, or, where these belong to no model, from means
    filled in. First rounds go without restarts, the last ones with those that the options have. Independent of the
    order of rows and columns. An interrupted search returns the best so far.

    Parameters
    ----------
    table : SpinTable
        Every column has two values.
    asked : dict
        Fields of `Problem` besides the moments; columns by name or by number.
    options : SearchOptions
    progress : callable, optional
        Called with (edges so far, largest possible number) while a graph is searched.

    Raises
    ------
    ModelError
        For settings that do not go with missing cells.
    NoEstimateError, NonPlanarError, PrecisionError
        As in `learn_structure`.

    Warns
    -----
    FitWarning
        Before the first EM, where it will take minutes.
    """
    with listening():
        work = _Work(table, asked, options, progress)
        best, n_rounds = work.first(), 1
        for full in (False, True) if work.has_restarts else (True,):
            best, n_rounds = _searched_again(work, best, n_rounds, full)
        return work.outcome(best, n_rounds)


def _searched_again(work: _Work, best: _Round, n_rounds: int, full: bool) -> tuple[_Round, int]:
    """Rounds of search and EM until the graph stays, or what was observed gets no better."""
    while n_rounds < MOST_ROUNDS and not work.is_given and not best.interrupted:
        n_rounds += 1
        try:
            found = work.round(best.refined, full, n_rounds)
        except (NoEstimateError, PrecisionError):  # a graph drawn at once that has no estimate: the one before has
            return best, n_rounds
        except BaseException as error:
            if not was_interrupted(error):
                raise
            return _noted(best), n_rounds
        if _same_graph(found.refined.model, best.refined.model):
            return found, n_rounds
        if not work.value(found.refined) < work.value(best.refined) - work.least_difference:
            # What is said of the end of a search, and of its restarts, is said of expected moments: of the last ones.
            best = replace(best, result=replace(best.result, blocked=(), n_restarts=found.result.n_restarts))
            return (_noted(best) if found.interrupted else best), n_rounds
        best = found
    return best, n_rounds


def _noted(best: _Round) -> _Round:
    return replace(best, refined=replace(best.refined, interrupted=True))


class _Work:
    """A table in the order of its names, and what is asked of it."""

    def __init__(self, table: SpinTable, asked: dict[str, Any], options: SearchOptions, progress: Progress | None):
        self.table, self.options, self.progress = table, options, progress
        self.order = np.array(sorted(range(table.n_spins), key=table.names.__getitem__))
        self.observed = ObservedRows.of(table.spins[:, self.order], table.weights)
        family = FAMILIES.get(asked.get("family", "planar"))
        self.has_fields = family is None or family.has_fields
        self.known = KnownTogether.of(self.observed)
        self.filled = self.known.means_filled(self.observed.n_samples, has_fields=self.has_fields)
        self.problem = Problem(self._moments(*self.filled), **asked)
        check_em(self.problem, options)

    @property
    def is_given(self) -> bool:
        return self.problem.graph is not None

    @property
    def has_restarts(self) -> bool:
        return not self.is_given and self.options.search in RESTARTED and self.options.n_restarts != 0

    @property
    def least_difference(self) -> float:
        """Of two values of the criterion that rounding cannot make."""
        return 2.0 * self.observed.n_samples * LEAST_IMPROVEMENT

    def first(self) -> _Round:
        """Search and EM from the moments of what is known together; where no model has them, from means filled in."""
        moments, means = self.filled
        try:
            return self._searched(self.known.pairwise(moments, self._means(means)), means, not self.has_restarts, 1)
        except (NoEstimateError, PrecisionError):
            return self._searched(moments, means, not self.has_restarts, 1)

    def round(self, last: Refined, full: bool, number: int) -> _Round:
        """A search on what is expected by the last model, and EM on the graph it finds."""
        moments, means = last.expectation.moments, last.expectation.magnetizations
        with suppress(PrecisionError):  # then as they are
            moments = self.known.undiluted(moments, last.model.correlations(), self._means(means))
        return self._searched(moments, means, full, number, last)

    def _means(self, means: np.ndarray) -> np.ndarray:
        """As the family has them."""
        return means if self.has_fields else np.zeros_like(means)

    def _searched(
        self, moments: np.ndarray, means: np.ndarray, full: bool, number: int, last: Refined | None = None
    ) -> _Round:
        """A search, and EM on its graph; where that is the graph of the last EM, which rests, its result."""
        if self.problem.prior is None:
            moments = self.known.without_empty_cells(moments, means, has_fields=self.has_fields)
        searched = replace(self._moments(moments, means), pair_counts=None if self.is_given else self._counts)
        problem = replace(self.problem, moments=searched)
        options = self.options if full else replace(self.options, n_restarts=0)
        entitle(f"search {number}")
        with unheard():
            result = learn_structure(problem, options, progress=self.progress)
        model = reordered(result.model, self.order)
        if last is not None and last.converged and _same_graph(model, last.model):
            return _Round(result, last)
        completion = Completion(model.edges, self.observed)
        if result.was_interrupted:
            return _Round(result, evaluated(model, completion, self.problem.prior))
        if number == 1:
            _warn_of_cost(completion)
        in_plane, prior = problem.rules.fields_in_plane, problem.prior
        with unheard():
            found = refined(model, completion, prior=prior, fields_in_plane=in_plane, told=_tell)
        self._refuse_infinite(found)
        return _Round(result, found)

    def _refuse_infinite(self, found: Refined) -> None:
        """A given graph has no other estimate; a search goes on from there, or says that it did not converge."""
        if self.is_given and not (found.converged or found.interrupted):
            obstacle = border_reached(found, self.observed.n_samples)
            if obstacle is not None:
                raise no_estimate_error(obstacle, self.problem.labels, self.problem.prior, self.problem.codings)

    def _moments(self, moments: np.ndarray, means: np.ndarray) -> EmpiricalMoments:
        """In the order of the table."""
        back = np.argsort(self.order)
        of_all, n_samples = moments[np.ix_(back, back)], self.observed.n_samples
        return EmpiricalMoments(of_all, means[back], n_samples, self.table.names, codings=self.table.codings)

    @property
    def _counts(self) -> np.ndarray:
        """Rows behind each pair, in the order of the table."""
        back = np.argsort(self.order)
        return self.known.counts[np.ix_(back, back)]

    def value(self, found: Refined) -> float:
        """What the search makes small: -2 log L of what was observed, and the price of its parameters.

        That of a graph drawn at once is the likelihood alone; a least gain asked for is a price.
        """
        model, n_samples = found.model, self.observed.n_samples
        n_fields = int(model.free_fields.sum())
        if self.is_given or self.options.search not in STEPWISE:
            return -2.0 * found.values[-1]
        price = CRITERIA[self.options.criterion].price(n_samples, model.n_spins, self.options.gamma)
        dearer = 0.0
        if self.options.min_gain is not None:
            dearer = max(self.options.min_gain - price.of_coupling(0, 0), 0.0) * model.n_edges
            if self.problem.rules.has_fields and not self.problem.rules.every_field:
                dearer += max(self.options.min_gain - price.of_field(0, 0), 0.0) * n_fields
        return 2.0 * (n_samples * (price.of_model(model.n_edges, n_fields) + dearer) - found.values[-1])

    def outcome(self, best: _Round, n_rounds: int) -> EMFit:
        found, back = best.refined, np.argsort(self.order)
        stopped = best.result.stopped
        if found.interrupted and not best.result.was_interrupted:
            stopped = f"{INTERRUPTED}, after {found.n_steps:,} steps on the last graph"
        log_likelihood = np.full(len(best.result.path), np.nan)
        log_likelihood[-1] = found.expectation.log_likelihood
        result = replace(
            best.result,
            model=_on_graph_of(best.result.model, reordered(found.model, back)),
            path=replace(best.result.path, log_likelihood=log_likelihood, is_composite=False),
            stopped=stopped,
            converged=found.converged,
            gradient_norm=found.gradient_norm,
        )
        expected = self._moments(found.expectation.moments, found.expectation.magnetizations)
        return EMFit(result, self.observed.in_order(back), expected, found.n_steps, n_rounds, found.values)


def _warn_of_cost(completion: Completion) -> None:
    """Before the first EM, where it will take minutes."""
    minutes = completion.work * _SECONDS * _STEPS_EXPECTED / 60.0
    if minutes > _LONG:
        largest = max(part.members.size for part in completion.parts)
        warn(
            f"EM will take about {minutes:,.0f} minutes: {counted(len(completion.parts), 'connected part')} of missing "
            f"cells, of up to {counted(largest, 'variable')}, in {len(completion.observed.rows):,} different rows. "
            "Columns that are mostly missing make it long; missing='pairwise' takes none of it",
            FitWarning,
        )


def _tell(step: int) -> None:
    entitle(f"EM step {step}")


def _on_graph_of(first: IsingModel, model: IsingModel) -> IsingModel:
    """A model of ascending edges with these in the order that another on the same graph has them."""
    number = {tuple(pair): k for k, pair in enumerate(model.edges.tolist())}
    at = [number[tuple(sorted(pair))] for pair in first.edges.tolist()]
    return first.with_couplings(model.couplings[np.array(at, np.int64)], model.fields)


def _same_graph(one: IsingModel, other: IsingModel) -> bool:
    return np.array_equal(one.edges, other.edges) and np.array_equal(one.free_fields, other.free_fields)
