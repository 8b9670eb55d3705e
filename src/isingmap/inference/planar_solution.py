"""Answers about a planar model, with fields or without, from the zero-field solution of its extended graph."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from isingmap.cached import cached_property
from isingmap.errors import PrecisionError
from isingmap.inference.elimination.solution import EliminationSolution
from isingmap.inference.enumeration import MOST_SPINS, EnumeratedSolution, enumerated_solution
from isingmap.inference.extended import ExtendedGraph, pairs_with_auxiliary
from isingmap.inference.planned_graph import PlannedGraph
from isingmap.inference.precision import MOST_SPINS_IN_BALLS, Ladder
from isingmap.inference.proofs.certified import certified_variance
from isingmap.inference.rungs import FOUR_WORDS, TWO_WORDS, PlannedModel, zero_field_ladder
from isingmap.inference.samples.joined_spins import samples_at_any_strength
from isingmap.inference.variance import variance_by_product
from isingmap.inference.zero_field.solution import DualSolution


@dataclass(frozen=True, eq=False)
class PlanarSolution:
    """See the protocol `engine.Solution`; in balls where doubles would be wrong.

    What takes too many bits is enumerated, if spins are few.
    """

    graph: ExtendedGraph
    _ladder: Ladder[PlannedModel]
    method: str = "planar"

    @property
    def log_partition(self) -> float:
        return self.graph.log_partition(self._ladder.solved.log_partition)

    @cached_property
    def _few(self) -> EnumeratedSolution:
        return enumerated_solution(self.graph, self._ladder.model.couplings)

    def _ask(self, question: Callable, of_few: Callable | None = None, *, inverts: bool = False):
        """The ladder's answer, or that of enumeration, for which the question may be another one."""
        try:
            return self._ladder.ask(question, inverts=inverts)
        except PrecisionError:
            if self.graph.n_spins > MOST_SPINS:
                raise
            return (of_few or question)(self._few)

    @cached_property
    def _edge_moments(self) -> np.ndarray:
        # The measured error is small, so what sticks out of [-1, 1] is rounding.
        return np.clip(self._ladder.solved.moments(), -1.0, 1.0)

    def moments(self) -> np.ndarray:
        of_edges, _ = self.graph.split(self._edge_moments)
        return of_edges

    def parameter_moments(self) -> np.ndarray:
        of_edges, of_spins = self.graph.split(self._edge_moments)
        return np.concatenate([of_edges, of_spins[self.graph.free_fields]])

    def magnetizations(self) -> np.ndarray:
        n_spins = self.graph.n_spins
        if self.graph.free_fields.size in (0, n_spins):
            _, of_spins = self.graph.split(self._edge_moments)
            return of_spins
        return self._magnetizations.copy()

    @cached_property
    def _magnetizations(self) -> np.ndarray:
        """Of all spins, where some have no field: a correlation along a path for each of those."""
        _, of_spins = self.graph.split(self._edge_moments)
        others = np.flatnonzero(~self.graph.is_free)
        pairs = pairs_with_auxiliary(self.graph.n_spins, others)
        of_spins[others] = self._ask(
            lambda solved: solved.pair_correlations(pairs), lambda few: few.magnetizations()[others]
        )
        return of_spins

    def hessian(self) -> np.ndarray:
        return self._ask(lambda solved: solved.hessian(), inverts=True)

    def correlations(self) -> np.ndarray:
        everything = self._ask(lambda solved: solved.correlations(), inverts=True)
        return everything[: self.graph.n_spins, : self.graph.n_spins]

    def pair_correlations(self, pairs: np.ndarray) -> np.ndarray:
        return self._ask(lambda solved: solved.pair_correlations(pairs))

    def hessian_product(self, vector: np.ndarray) -> np.ndarray:
        return self._ask(lambda solved: solved.hessian_product(vector), inverts=True)

    def hessian_entries(self, first: np.ndarray, second: np.ndarray) -> np.ndarray:
        return self._ask(lambda solved: solved.hessian_entries(first, second))

    def log_weight_variance(self) -> float:
        try:
            return self._variance_by(self._ladder.solved)
        except PrecisionError:
            if self.graph.n_spins > MOST_SPINS:
                raise
            return self._few.log_weight_variance()

    def _variance_by(self, solved) -> float:
        """By one product where that is cheap and exact enough, else in words, else by balls."""
        model, refused = self._ladder.model, None
        if isinstance(solved, DualSolution | EliminationSolution):
            try:
                return variance_by_product(solved, model.couplings)
            except PrecisionError as error:
                refused = error
        for kind, n_words in ((TWO_WORDS, 2), (FOUR_WORDS, 4)):
            if model.n_spins <= kind.most_spins and kind.suits(model):
                from isingmap.inference.word_variance import variance_in_words  # rarely needed, and slow to load

                try:
                    return variance_in_words(model.plan, model.couplings, model.gauge, n_words)
                except PrecisionError as error:
                    refused = error
        if refused is not None and self.graph.n_spins > MOST_SPINS_IN_BALLS:
            raise refused
        return certified_variance(model.plan, model.couplings, spins=model.ground_spins)

    def sample(self, n_samples: int, rng: np.random.Generator) -> np.ndarray:
        try:
            return self.graph.spins(samples_at_any_strength(self._ladder, n_samples, rng))
        except PrecisionError:
            if self.graph.n_spins > MOST_SPINS:
                raise
            return self._few.sample(n_samples, rng)


def planar_solution(planned: PlannedGraph, strengths: np.ndarray) -> PlanarSolution:
    """Solve a model on a planar graph.

    Raises
    ------
    PrecisionError
        When doubles lose too much and the model is too large for ball arithmetic.
    """
    ladder = zero_field_ladder(planned.plan, strengths)
    ladder.solved  # noqa: B018 - what cannot be answered is said here and not later
    return PlanarSolution(planned.graph, ladder)
