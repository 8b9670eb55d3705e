"""One door to exact inference: models with and without fields, planar of any kind or small.

Fields are couplings to one more spin (Johnson et al. 2011, Prop. 1): the auxiliary node is joined to every spin
with a free field, Z of the extended zero-field model is 2 Z, and E[x_i] is its correlation with the auxiliary node.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np

from isingmap.errors import NonPlanarError, PrecisionError
from isingmap.inference.dual import plan
from isingmap.inference.enumeration import MOST_SPINS, Enumeration, enumerate_model
from isingmap.inference.exact_samples import exact_samples
from isingmap.inference.solution import DualSolution, solve_dual

AUXILIARY = "(auxiliary spin of the fields)"
LOSS_TOLERANCE = 1e-6


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
    """Answers from the zero-field solution of the extended graph."""

    n_spins: int
    n_edges: int
    free_fields: np.ndarray
    _solved: DualSolution
    method: str = "planar"

    @property
    def has_fields(self) -> bool:
        return self.free_fields.size > 0

    @property
    def log_partition(self) -> float:
        return self._solved.log_partition - (np.log(2.0) if self.has_fields else 0.0)

    def moments(self) -> np.ndarray:
        return self._solved.moments()[: self.n_edges]

    def magnetizations(self) -> np.ndarray:
        if not self.has_fields:
            return np.zeros(self.n_spins)
        if self.free_fields.size == self.n_spins:
            return self._solved.moments()[self.n_edges :]
        spins = np.arange(self.n_spins)
        return self._solved.pair_correlations(np.stack([spins, np.full_like(spins, self.n_spins)], axis=1))

    def hessian(self) -> np.ndarray:
        return self._solved.hessian()

    def correlations(self) -> np.ndarray:
        return self._solved.correlations()[: self.n_spins, : self.n_spins]

    def pair_correlations(self, pairs: np.ndarray) -> np.ndarray:
        return self._solved.pair_correlations(pairs)

    def hessian_product(self, vector: np.ndarray) -> np.ndarray:
        return self._solved.hessian_product(vector)

    def hessian_entries(self, first: np.ndarray, second: np.ndarray) -> np.ndarray:
        return self._solved.hessian_entries(first, second)

    def sample(self, n_samples: int, rng: np.random.Generator) -> np.ndarray:
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


def extended_edges(n_spins: int, edges: np.ndarray, free_fields: np.ndarray) -> np.ndarray:
    """Edges of the model followed by those from each spin with a free field to the auxiliary node n_spins."""
    auxiliary = np.full(free_fields.size, n_spins, np.int64)
    return np.vstack([edges, np.stack([free_fields, auxiliary], axis=1)])


def solve(n_spins: int, edges, couplings, fields, free_fields: np.ndarray, labels) -> Solution:
    """Exact solution by the planar engine, or by enumeration for a non-planar model of at most 20 spins.

    Raises
    ------
    NonPlanarError
        For a larger model whose (extended) graph is not planar.
    PrecisionError
        When double precision loses more than `LOSS_TOLERANCE`.
    """
    extended = extended_edges(n_spins, edges, free_fields)
    n_nodes = n_spins + (1 if free_fields.size else 0)
    try:
        graph_plan = plan(n_nodes, extended, labels=(*labels, AUXILIARY))
    except NonPlanarError as error:
        if n_spins > MOST_SPINS:
            raise _explained(error, bool(free_fields.size)) from None
        return EnumeratedSolution(edges, free_fields, enumerate_model(n_spins, edges, couplings, fields))
    solved = solve_dual(graph_plan, np.concatenate([couplings, fields[free_fields]]))
    if not solved.loss <= LOSS_TOLERANCE:
        raise PrecisionError(
            f"the couplings (largest |coupling| {np.abs(couplings).max(initial=0):.3g}) are too strong for double "
            f"precision: the measured loss is {solved.loss:.1e}, allowed {LOSS_TOLERANCE:.0e}. "
            "Scale the couplings down (a higher temperature), or refit with prior=1",
            loss=solved.loss,
        )
    return PlanarSolution(n_spins, len(edges), free_fields, solved)


def _explained(error: NonPlanarError, with_fields: bool) -> NonPlanarError:
    """Say what planarity means for a model with fields."""
    if not with_fields:
        return error
    message = (
        f"{error}. The model has fields, which act like couplings to one more spin, so the graph together with "
        "that spin must be planar (with a field on every spin: the graph must be outer-planar)"
    )
    return NonPlanarError(message, kind=error.kind, subgraph=error.subgraph, branch_nodes=error.branch_nodes)
