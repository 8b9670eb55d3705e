"""Models in several pieces of which one is not planar and the whole too wide: each piece is solved in its own way."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from isingmap.cached import cached_property
from isingmap.inference.extended import ExtendedGraph
from isingmap.inference.planned_graph import Part
from isingmap.inference.proofs.certified import Interval


@dataclass(frozen=True, eq=False)
class PartsSolution:
    """See the protocol `engine.Solution`; what belongs to different parts is independent.

    Attributes
    ----------
    graph : ExtendedGraph
    parts : tuple of Part
    solutions : tuple of Solution
        One for each part.
    """

    graph: ExtendedGraph
    parts: tuple[Part, ...]
    solutions: tuple[Any, ...]
    method: str = "pieces"

    @property
    def _solved(self) -> Sequence[tuple[Part, Any]]:
        return list(zip(self.parts, self.solutions, strict=True))

    @property
    def log_partition(self) -> float:
        return math.fsum(solution.log_partition for solution in self.solutions)

    def moments(self) -> np.ndarray:
        moments = np.empty(self.graph.n_edges)
        for part, solution in self._solved:
            moments[part.edges] = solution.moments()
        return moments

    @property
    def _n_parameters(self) -> int:
        return len(self.graph.extended_edges)

    def parameter_moments(self) -> np.ndarray:
        moments = np.empty(self._n_parameters)
        for part, solution in self._solved:
            moments[part.parameters] = solution.parameter_moments()
        return moments

    @cached_property
    def _magnetizations(self) -> np.ndarray:
        magnetizations = np.empty(self.graph.n_spins)
        for part, solution in self._solved:
            magnetizations[part.spins] = solution.magnetizations()
        return magnetizations

    def magnetizations(self) -> np.ndarray:
        return self._magnetizations.copy()

    def hessian(self) -> np.ndarray:
        hessian = np.zeros((self._n_parameters,) * 2)
        for part, solution in self._solved:
            hessian[np.ix_(part.parameters, part.parameters)] = solution.hessian()
        return hessian

    def hessian_product(self, vector: np.ndarray) -> np.ndarray:
        product = np.empty(self._n_parameters)
        for part, solution in self._solved:
            product[part.parameters] = solution.hessian_product(np.asarray(vector, float)[part.parameters])
        return product

    def log_weight_variance(self) -> float:
        return math.fsum(solution.log_weight_variance() for solution in self.solutions)

    def hessian_entries(self, first: np.ndarray, second: np.ndarray) -> np.ndarray:
        entries = np.zeros(len(first))
        for part, solution in self._solved:
            within, a, b = _within(part.parameters, self._n_parameters, first, second)
            if within.any():
                entries[within] = solution.hessian_entries(a, b)
        return entries

    def correlations(self) -> np.ndarray:
        correlations = np.outer(self._magnetizations, self._magnetizations)
        for part, solution in self._solved:
            correlations[np.ix_(part.spins, part.spins)] = solution.correlations()
        return correlations

    def pair_correlations(self, pairs: np.ndarray) -> np.ndarray:
        correlations = self._magnetizations[pairs].prod(axis=1)
        for part, solution in self._solved:
            within, a, b = _within(part.spins, self.graph.n_spins, *pairs.T)
            if within.any():
                correlations[within] = solution.pair_correlations(np.stack([a, b], axis=1))
        return correlations

    def sample(self, n_samples: int, rng: np.random.Generator) -> np.ndarray:
        samples = np.empty((n_samples, self.graph.n_spins), np.int8)
        for part, solution in self._solved:
            samples[:, part.spins] = solution.sample(n_samples, rng)
        return samples


def _within(members: np.ndarray, size: int, first, second) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Which pairs lie within a part, bool, and those pairs in the part's own numbers."""
    place = np.full(size, -1)
    place[members] = np.arange(members.size)
    a, b = place[first], place[second]
    within = (a >= 0) & (b >= 0)
    return within, a[within], b[within]


@dataclass(frozen=True, eq=False)
class ProofOfParts:
    """Certified answers from those about the parts; see `Proof` for what they are.

    Attributes
    ----------
    parts : tuple of Part
    asked : tuple of callable
        For each part: what its proof answers to a question.
    """

    parts: tuple[Part, ...]
    asked: tuple[Callable[[Callable[[Any], Any]], Any], ...]

    def log_partition(self) -> Interval:
        """An interval that provably contains log Z: sums rounded once, and one step outwards."""
        found = [ask(lambda proof: proof.log_partition()) for ask in self.asked]
        lower, upper = math.fsum(each.lower for each in found), math.fsum(each.upper for each in found)
        return Interval(math.nextafter(lower, -math.inf), math.nextafter(upper, math.inf))

    def moments(self) -> tuple[np.ndarray, np.ndarray]:
        """(lower, upper) bounds that provably contain the moments of the edges, then of the spins with free fields."""
        bounds = np.empty((2, sum(part.parameters.size for part in self.parts)))
        for part, ask in zip(self.parts, self.asked, strict=True):
            bounds[:, part.parameters] = ask(lambda proof: proof.moments())
        return bounds[0], bounds[1]

    def degeneracy(self) -> int:
        """Number of ground states."""
        return math.prod(ask(lambda proof: proof.degeneracy()) for ask in self.asked)
