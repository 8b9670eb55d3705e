"""One door to exact inference: models with and without fields, planar of any kind or small, weak or strong."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Protocol

import numpy as np

from isingmap.errors import NonPlanarError
from isingmap.inference.enumeration import MOST_SPINS, Enumeration, enumerate_model
from isingmap.inference.extended import AUXILIARY, explained, extended_edges
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

    n_spins: int
    n_edges: int
    free_fields: np.ndarray
    _ladder: Ladder
    method: str = "planar"

    @property
    def has_fields(self) -> bool:
        return self.free_fields.size > 0

    @property
    def log_partition(self) -> float:
        return self._ladder.solved.log_partition - (np.log(2.0) if self.has_fields else 0.0)

    def _ask(self, question: Callable):
        return self._ladder.ask(question, self._ladder.solved)

    @cached_property
    def _edge_moments(self) -> np.ndarray:
        # The measured error is small, so what sticks out of [-1, 1] is rounding.
        return np.clip(self._ladder.solved.moments(), -1.0, 1.0)

    def moments(self) -> np.ndarray:
        return self._edge_moments[: self.n_edges].copy()

    def magnetizations(self) -> np.ndarray:
        if not self.has_fields:
            return np.zeros(self.n_spins)
        if self.free_fields.size == self.n_spins:
            return self._edge_moments[self.n_edges :].copy()
        spins = np.arange(self.n_spins)
        return self.pair_correlations(np.stack([spins, np.full_like(spins, self.n_spins)], axis=1))

    def hessian(self) -> np.ndarray:
        return self._ask(lambda solved: solved.hessian())

    def correlations(self) -> np.ndarray:
        everything = self._ask(lambda solved: solved.correlations())
        return everything[: self.n_spins, : self.n_spins]

    def pair_correlations(self, pairs: np.ndarray) -> np.ndarray:
        return self._ask(lambda solved: solved.pair_correlations(pairs))

    def hessian_product(self, vector: np.ndarray) -> np.ndarray:
        return self._ask(lambda solved: solved.hessian_product(vector))

    def hessian_entries(self, first: np.ndarray, second: np.ndarray) -> np.ndarray:
        return self._ask(lambda solved: solved.hessian_entries(first, second))

    def sample(self, n_samples: int, rng: np.random.Generator) -> np.ndarray:
        samples = samples_at_any_strength(self._ladder, n_samples, rng)
        if self.has_fields:
            samples = samples[:, :-1] * samples[:, -1:]
        return samples


@dataclass(frozen=True, eq=False)
class EnumeratedSolution:
    """Answers from the sum over all configurations."""

    edges: np.ndarray
    free_fields: np.ndarray
    _table: Enumeration
    method: str = "enumeration"

    @property
    def log_partition(self) -> float:
        return self._table.log_partition

    def moments(self) -> np.ndarray:
        return self._table.moments(self.edges)

    def magnetizations(self) -> np.ndarray:
        return self._table.magnetizations()

    def hessian(self) -> np.ndarray:
        return self._table.hessian(self.edges, self.free_fields)

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


def solve(n_spins: int, edges, couplings, fields, free_fields: np.ndarray, labels) -> Solution:
    """Exact solution by the planar engine, or by enumeration for a non-planar model of at most 20 spins.

    Raises
    ------
    NonPlanarError
        For a larger model whose (extended) graph is not planar.
    PrecisionError
        When doubles lose too much and the model is too large for ball arithmetic.
    """
    try:
        graph_plan = extended_plan(n_spins, edges, free_fields, labels)
    except NonPlanarError:
        if n_spins > MOST_SPINS:
            raise
        return EnumeratedSolution(edges, free_fields, enumerate_model(n_spins, edges, couplings, fields))
    strengths = np.concatenate([couplings, fields[free_fields]])
    ladder = Ladder(graph_plan, strengths)
    ladder.solved  # noqa: B018 - what cannot be answered is said here and not later
    return PlanarSolution(n_spins, len(edges), free_fields, ladder)


def extended_plan(n_spins: int, edges, free_fields: np.ndarray, labels) -> DualPlan:
    """Plan of the graph with the auxiliary node; NonPlanarError explains what fields mean for planarity."""
    n_nodes = n_spins + (1 if free_fields.size else 0)
    try:
        return plan(n_nodes, extended_edges(n_spins, edges, free_fields), labels=(*labels, AUXILIARY))
    except NonPlanarError as error:
        raise explained(error, bool(free_fields.size)) from None


@dataclass(frozen=True, eq=False)
class Proof:
    """Certified answers about one model, each computed when asked for."""

    graph_plan: DualPlan
    couplings: np.ndarray
    n_edges: int
    has_fields: bool

    def log_partition(self) -> Interval:
        """An interval that provably contains log Z."""
        interval = certified_log_partition(self.graph_plan, self.couplings)
        if not self.has_fields:
            return interval
        # Z of the extended model is twice Z; one step outwards covers the rounding of log 2 and of the difference.
        shift = np.log(2.0)
        lower = np.nextafter(np.nextafter(interval.lower - shift, -np.inf), -np.inf)
        upper = np.nextafter(np.nextafter(interval.upper - shift, np.inf), np.inf)
        return Interval(float(lower), float(upper))

    def moments(self) -> tuple[np.ndarray, np.ndarray]:
        """(lower, upper) bounds that provably contain the moments of the edges, then of the spins with free fields."""
        return certified_moments(self.graph_plan, self.couplings)

    def degeneracy(self) -> int:
        """Number of ground states, proved."""
        count = degeneracy(self.graph_plan, self.couplings)
        return count // 2 if self.has_fields else count


def proof(n_spins: int, edges, couplings, fields, free_fields: np.ndarray, labels) -> Proof:
    """Where proofs about a planar model come from; the arguments of `solve`."""
    graph_plan = extended_plan(n_spins, edges, free_fields, labels)
    strengths = np.concatenate([couplings, fields[free_fields]])
    return Proof(graph_plan, strengths, len(edges), bool(free_fields.size))
