"""One door to exact inference: models with and without fields, planar of any kind or small, weak or strong.

Doubles come first, and their loss is measured. Where it is too large, the model is gauged by a ground state, which
keeps most digits, and where that is not enough either, ball arithmetic takes over and proves its answer.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Protocol

import numpy as np

from isingmap.errors import NonPlanarError, PrecisionError
from isingmap.inference.auxiliary import AUXILIARY, explained, extended_edges
from isingmap.inference.dual import DualPlan, plan
from isingmap.inference.enumeration import MOST_SPINS, Enumeration, enumerate_model
from isingmap.inference.exact_samples import exact_samples
from isingmap.inference.ground_states.ground_state import ground_spins
from isingmap.inference.proofs.certified import (
    CertifiedSolution,
    Interval,
    certified_log_partition,
    certified_moments,
    certified_solution,
)
from isingmap.inference.proofs.degeneracy import degeneracy
from isingmap.inference.solution import DualSolution, solve_dual

# Largest measured error of a moment that doubles may have.
LOSS_TOLERANCE = 1e-9
# Ball arithmetic over everything takes minutes above this size; below, a fraction of a second to a minute.
MOST_SPINS_IN_BALLS = 12_000
# Allowed above that size, where nothing better is left.
LOSS_TOLERANCE_OF_LARGE = 1e-7
# Hessian and correlations in balls take the whole inverse: a minute at this size.
MOST_SPINS_INVERTED_IN_BALLS = 500


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
    _solved: DualSolution | CertifiedSolution
    _couplings: np.ndarray
    method: str = "planar"

    @property
    def has_fields(self) -> bool:
        return self.free_fields.size > 0

    @property
    def log_partition(self) -> float:
        return self._solved.log_partition - (np.log(2.0) if self.has_fields else 0.0)

    @cached_property
    def _proved(self) -> CertifiedSolution:
        spins = ground_spins(self._solved.plan, self._couplings).spins
        return certified_solution(self._solved.plan, self._couplings, spins=spins.astype(np.float64))

    def _ask(self, question: Callable):
        """The answer in doubles, or in balls where doubles refuse and the model is small enough for them."""
        try:
            return question(self._solved)
        except PrecisionError:
            if self.n_spins > MOST_SPINS_INVERTED_IN_BALLS:
                raise
            return question(self._proved)

    @cached_property
    def _edge_moments(self) -> np.ndarray:
        # The measured error is below 1e-9, so what sticks out of [-1, 1] is rounding.
        return np.clip(self._solved.moments(), -1.0, 1.0)

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
        if isinstance(self._solved, CertifiedSolution):
            raise PrecisionError(
                "the couplings are too strong for exact sampling in double precision; scale them down (a higher "
                "temperature), or look at the ground state",
                loss=np.inf,
            )
        samples = exact_samples(self._solved, n_samples, rng)
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
    return PlanarSolution(n_spins, len(edges), free_fields, solve_safely(graph_plan, strengths), strengths)


def extended_plan(n_spins: int, edges, free_fields: np.ndarray, labels) -> DualPlan:
    """Plan of the graph with the auxiliary node; NonPlanarError explains what fields mean for planarity."""
    n_nodes = n_spins + (1 if free_fields.size else 0)
    try:
        return plan(n_nodes, extended_edges(n_spins, edges, free_fields), labels=(*labels, AUXILIARY))
    except NonPlanarError as error:
        raise explained(error, bool(free_fields.size)) from None


def solve_safely(graph_plan: DualPlan, couplings: np.ndarray) -> DualSolution | CertifiedSolution:
    """Doubles, doubles gauged by a ground state, balls: the first whose error is small enough."""
    solved = solve_dual(graph_plan, couplings)
    if solved.loss <= LOSS_TOLERANCE:
        return solved
    spins = ground_spins(graph_plan, couplings).spins.astype(np.float64)
    gauged = solve_dual(graph_plan, couplings, np.append(spins, np.ones(graph_plan.n_padding)))
    if gauged.loss <= LOSS_TOLERANCE:
        return gauged
    if graph_plan.n_spins <= MOST_SPINS_IN_BALLS:
        return certified_solution(graph_plan, couplings, spins=spins)
    best = min(solved, gauged, key=lambda candidate: np.nan_to_num(candidate.loss, nan=np.inf))
    if best.loss <= LOSS_TOLERANCE_OF_LARGE:
        return best
    raise PrecisionError(
        f"the couplings (largest |coupling| {np.abs(couplings).max(initial=0):.3g}) are too strong for double "
        f"precision: the measured loss is {best.loss:.1e}, allowed {LOSS_TOLERANCE_OF_LARGE:.0e}, and "
        f"{graph_plan.n_spins} spins are too many for ball arithmetic (at most {MOST_SPINS_IN_BALLS}). "
        "Scale the couplings down (a higher temperature)",
        loss=best.loss,
    )


def safe_correlations(solved: DualSolution, couplings: np.ndarray, asked: np.ndarray | None = None) -> np.ndarray:
    """Correlations of a solved model: in doubles, in doubles gauged by a ground state, or in balls.

    All pairs, or those of `asked` (n_spins, n_spins) with i < j and NaN elsewhere.
    """
    try:
        return solved.correlations(asked)
    except PrecisionError:
        graph_plan = solved.plan
    spins = ground_spins(graph_plan, couplings).spins.astype(np.float64)
    try:
        gauged = solve_dual(graph_plan, couplings, np.append(spins, np.ones(graph_plan.n_padding)))
        return gauged.correlations(asked)
    except PrecisionError:
        if graph_plan.n_spins > MOST_SPINS_INVERTED_IN_BALLS:
            raise
    return certified_solution(graph_plan, couplings, spins=spins).correlations()


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
