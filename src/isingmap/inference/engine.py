"""One door to exact inference: models with and without fields, planar of any kind or small, weak or strong."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Protocol

import numpy as np

from isingmap.errors import NonPlanarError
from isingmap.inference.enumeration import MOST_SPINS, Enumeration, enumerate_model
from isingmap.inference.extended import ExtendedGraph, extended_labels, pairs_with_auxiliary
from isingmap.inference.precision import Ladder
from isingmap.inference.proofs.certified import (
    Interval,
    certified_log_partition,
    certified_moments,
)
from isingmap.inference.proofs.degeneracy import degeneracy
from isingmap.inference.samples.joined_spins import samples_at_any_strength
from isingmap.inference.zero_field.plan import DualPlan, plan


class Solution(Protocol):
    """Exact answers for one model on n spins and m edges; f counts its free fields."""

    method: str

    @property
    def log_partition(self) -> float:
        """log Z, nats."""

    def moments(self) -> np.ndarray:
        """E[x_i x_j] of each edge, (m,)."""

    def magnetizations(self) -> np.ndarray:
        """E[x_i], (n,)."""

    def hessian(self) -> np.ndarray:
        """Covariance of the edge products, then of the spins with a free field, (m + f, m + f)."""

    def correlations(self) -> np.ndarray:
        """E[x_i x_j] of every pair, (n, n)."""

    def pair_correlations(self, pairs: np.ndarray) -> np.ndarray:
        """E[x_i x_j] of the given pairs, (k,)."""

    def hessian_product(self, vector: np.ndarray) -> np.ndarray:
        """Hessian times a vector, (m + f,)."""

    def hessian_entries(self, first: np.ndarray, second: np.ndarray) -> np.ndarray:
        """Hessian entries of pairs of parameters, (k,)."""

    def sample(self, n_samples: int, rng: np.random.Generator) -> np.ndarray:
        """Independent samples, (n_samples, n) int8."""


@dataclass(frozen=True, eq=False)
class PlanarSolution:
    """Answers from the zero-field solution of the extended graph; in balls where doubles would be wrong."""

    graph: ExtendedGraph
    _ladder: Ladder
    method: str = "planar"

    @property
    def log_partition(self) -> float:
        return self.graph.log_partition(self._ladder.solved.log_partition)

    def _ask(self, question: Callable):
        return self._ladder.ask(question, self._ladder.solved)

    @cached_property
    def _edge_moments(self) -> np.ndarray:
        # The measured error is small, so what sticks out of [-1, 1] is rounding.
        return np.clip(self._ladder.solved.moments(), -1.0, 1.0)

    def moments(self) -> np.ndarray:
        of_edges, _ = self.graph.split(self._edge_moments)
        return of_edges

    def magnetizations(self) -> np.ndarray:
        n_spins = self.graph.n_spins
        if self.graph.free_fields.size in (0, n_spins):
            _, of_spins = self.graph.split(self._edge_moments)
            return of_spins
        return self.pair_correlations(pairs_with_auxiliary(n_spins, np.arange(n_spins)))

    def hessian(self) -> np.ndarray:
        return self._ask(lambda solved: solved.hessian())

    def correlations(self) -> np.ndarray:
        everything = self._ask(lambda solved: solved.correlations())
        return everything[: self.graph.n_spins, : self.graph.n_spins]

    def pair_correlations(self, pairs: np.ndarray) -> np.ndarray:
        return self._ask(lambda solved: solved.pair_correlations(pairs))

    def hessian_product(self, vector: np.ndarray) -> np.ndarray:
        return self._ask(lambda solved: solved.hessian_product(vector))

    def hessian_entries(self, first: np.ndarray, second: np.ndarray) -> np.ndarray:
        return self._ask(lambda solved: solved.hessian_entries(first, second))

    def sample(self, n_samples: int, rng: np.random.Generator) -> np.ndarray:
        return self.graph.spins(samples_at_any_strength(self._ladder, n_samples, rng))


@dataclass(frozen=True, eq=False)
class EnumeratedSolution:
    """Answers from the sum over all configurations."""

    graph: ExtendedGraph
    _table: Enumeration
    method: str = "enumeration"

    @property
    def log_partition(self) -> float:
        return self._table.log_partition

    def moments(self) -> np.ndarray:
        return self._table.moments(self.graph.edges)

    def magnetizations(self) -> np.ndarray:
        return self._table.magnetizations()

    def hessian(self) -> np.ndarray:
        return self._table.hessian(self.graph.edges, self.graph.free_fields)

    def correlations(self) -> np.ndarray:
        return self._table.correlations()

    def pair_correlations(self, pairs: np.ndarray) -> np.ndarray:
        return self._table.correlations()[pairs[:, 0], pairs[:, 1]]

    def hessian_product(self, vector: np.ndarray) -> np.ndarray:
        return self.hessian() @ vector

    def hessian_entries(self, first: np.ndarray, second: np.ndarray) -> np.ndarray:
        return self.hessian()[first, second]

    def sample(self, n_samples: int, rng: np.random.Generator) -> np.ndarray:
        table = self._table
        chosen = rng.choice(len(table.probabilities), size=n_samples, p=table.probabilities)
        return table.configurations[chosen].astype(np.int8)


def solve(graph: ExtendedGraph, strengths: np.ndarray, names) -> Solution:
    """Exact solution by the planar engine, or by enumeration for a non-planar model of at most 20 spins.

    Parameters
    ----------
    graph : ExtendedGraph
    strengths : (n_edges + n_fields,) float64 array
        Of its extended edges; see `ExtendedGraph.join`.
    names : sequence of str
        Of the spins, for the error.

    Raises
    ------
    NonPlanarError
        For a larger model whose (extended) graph is not planar.
    PrecisionError
        When doubles lose too much and the model is too large for ball arithmetic.
    """
    try:
        graph_plan = extended_plan(graph, names)
    except NonPlanarError:
        if graph.n_spins > MOST_SPINS:
            raise
        return EnumeratedSolution(graph, enumerate_model(graph.n_spins, graph.edges, *graph.split(strengths)))
    ladder = Ladder(graph_plan, strengths)
    ladder.solved  # noqa: B018 - what cannot be answered is said here and not later
    return PlanarSolution(graph, ladder)


def extended_plan(graph: ExtendedGraph, names) -> DualPlan:
    """Plan of the graph with the auxiliary node; NonPlanarError explains what fields mean for planarity."""
    try:
        return plan(graph.n_nodes, graph.extended_edges, labels=extended_labels(names))
    except NonPlanarError as error:
        raise graph.explained(error) from None


@dataclass(frozen=True, eq=False)
class Proof:
    """Certified answers about one model, each computed when asked for."""

    graph: ExtendedGraph
    graph_plan: DualPlan
    strengths: np.ndarray

    def log_partition(self) -> Interval:
        """An interval that provably contains log Z."""
        extended = certified_log_partition(self.graph_plan, self.strengths)
        return Interval(*self.graph.log_partition_bounds(extended.lower, extended.upper))

    def moments(self) -> tuple[np.ndarray, np.ndarray]:
        """(lower, upper) bounds that provably contain the moments of the edges, then of the spins with free fields."""
        return certified_moments(self.graph_plan, self.strengths)

    def degeneracy(self) -> int:
        """Number of ground states, proved."""
        return self.graph.count(degeneracy(self.graph_plan, self.strengths))


def proof(graph: ExtendedGraph, strengths: np.ndarray, names) -> Proof:
    """Where proofs about a planar model come from; the arguments of `solve`."""
    return Proof(graph, extended_plan(graph, names), strengths)
