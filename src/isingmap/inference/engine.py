"""One door to exact inference: models with and without fields, planar of any kind or small, weak or strong."""

from __future__ import annotations

from typing import Protocol

import numpy as np

from isingmap.inference.enumeration import MOST_SPINS, enumerated_solution
from isingmap.inference.planar_solution import planar_solution
from isingmap.inference.planned_graph import PlannedGraph
from isingmap.inference.proofs.enumerated_proof import EnumeratedProof
from isingmap.inference.proofs.proof import Proof


class Solution(Protocol):
    """Exact answers for one model on n spins and m edges; f counts its free fields."""

    @property
    def method(self) -> str:
        """How answers are computed, in a word."""

    @property
    def log_partition(self) -> float:
        """log Z, nats."""

    def moments(self) -> np.ndarray:
        """E[x_i x_j] of each edge, (m,)."""

    def parameter_moments(self) -> np.ndarray:
        """E[x_i x_j] of each edge, then E[x_i] of each spin with a free field, (m + f,); cheaper than all E[x_i]."""

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


def solve(planned: PlannedGraph, strengths: np.ndarray) -> Solution:
    """Exact solution by the first engine that can: planar, or the sum over all configurations up to 20 spins.

    Parameters
    ----------
    planned : PlannedGraph
    strengths : (n_edges + n_fields,) float64 array
        Of its extended edges; see `ExtendedGraph.join`.

    Raises
    ------
    NonPlanarError
        For a larger model whose (extended) graph is not planar.
    PrecisionError
        When doubles lose too much and the model is too large for ball arithmetic.
    """
    if not planned.is_planar and planned.graph.n_spins <= MOST_SPINS:
        return enumerated_solution(planned.graph, strengths)
    return planar_solution(planned, strengths)


def proof(planned: PlannedGraph, strengths: np.ndarray) -> Proof | EnumeratedProof:
    """Where proofs about a model come from; the arguments of `solve`.

    Raises
    ------
    NonPlanarError
        As in `solve`.
    """
    if not planned.is_planar and planned.graph.n_spins <= MOST_SPINS:
        return EnumeratedProof(planned.graph, strengths)
    return Proof(planned.graph, planned.plan, strengths)
