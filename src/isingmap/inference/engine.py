"""One door to exact inference: models with and without fields, planar or narrow, weak or strong."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Protocol, TypeVar

import numpy as np

from isingmap.errors import PrecisionError
from isingmap.inference.elimination.solution import elimination_solution
from isingmap.inference.enumeration import MOST_SPINS, enumerated_solution
from isingmap.inference.parts import PartsSolution, ProofOfParts
from isingmap.inference.planar_solution import planar_solution
from isingmap.inference.planned_graph import PlannedGraph
from isingmap.inference.precision import AT_ANY_STRENGTH, LOSS_TOLERANCE, LOSS_TOLERANCE_OF_LARGE
from isingmap.inference.proofs.proof import Proof
from isingmap.inference.proofs.table_proof import TableProof

Answer = TypeVar("Answer")
AnyProof = Proof | TableProof | ProofOfParts


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

    def log_weight_variance(self) -> float:
        """Variance of the log-weight."""

    def hessian_entries(self, first: np.ndarray, second: np.ndarray) -> np.ndarray:
        """Hessian entries of pairs of parameters, (k,)."""

    def sample(self, n_samples: int, rng: np.random.Generator) -> np.ndarray:
        """Independent samples, (n_samples, n) int8."""


def solve(planned: PlannedGraph, strengths: np.ndarray) -> Solution:
    """Exact solution: by elimination where the model is small, else with determinants where the extended graph is
    planar, else by elimination where it is narrow.

    A model in several pieces that is neither is solved piece by piece.

    Where both would lose small couplings beside huge ones, models of few spins are enumerated.

    Parameters
    ----------
    planned : PlannedGraph
    strengths : (n_edges + n_fields,) float64 array
        Of its extended edges; see `ExtendedGraph.join`.

    Raises
    ------
    NonPlanarError
        For a model whose (extended) graph is not planar and too wide for elimination.
    PrecisionError
        When doubles lose too much and the model is too large for ball arithmetic.
    """
    if planned.is_small:
        solution = elimination_solution(planned.graph, planned.clique_tree, strengths)
        if solution.loss <= LOSS_TOLERANCE:
            return solution
    if planned.is_planar:
        return _planar(planned, strengths)
    if planned.parts:
        solutions = [solve(part.planned, strengths[part.extended_edges]) for part in planned.parts]
        return PartsSolution(planned.graph, planned.parts, tuple(solutions))
    solution = elimination_solution(planned.graph, planned.clique_tree, strengths)
    if solution.loss <= LOSS_TOLERANCE:
        return solution
    if planned.graph.n_spins <= MOST_SPINS:
        return enumerated_solution(planned.graph, strengths)
    if solution.loss <= LOSS_TOLERANCE_OF_LARGE:
        return solution
    raise PrecisionError(
        f"the couplings and fields (up to {np.abs(strengths).max():.3g}) are too strong for elimination in double "
        f"precision: rounding can change an answer by {solution.loss:.1e}, allowed {LOSS_TOLERANCE_OF_LARGE:.0e}. Give "
        "spins that such fields hold their values (model.condition in Python). " + AT_ANY_STRENGTH,
        loss=solution.loss,
    )


def _planar(planned: PlannedGraph, strengths: np.ndarray) -> Solution:
    try:
        return planar_solution(planned, strengths)
    except PrecisionError:  # balls would need more bits than are allowed
        if planned.graph.n_spins > MOST_SPINS:
            raise
        return enumerated_solution(planned.graph, strengths)


def proved(planned: PlannedGraph, strengths: np.ndarray, question: Callable[[AnyProof], Answer]) -> Answer:
    """What a proof about a model answers: determinants where the extended graph is planar, else clique tables.

    Tables are asked too where balls of determinants would need more bits than are allowed: they lose none.

    Raises
    ------
    NonPlanarError
        As in `solve`.
    PrecisionError
        When both refuse.
    """
    if planned.is_planar:
        try:
            return question(Proof(planned.graph, planned.plan, strengths))
        except PrecisionError:
            if planned.width is None or not planned.width.fits:
                raise
    if planned.parts:
        asked = [partial(proved, part.planned, strengths[part.extended_edges]) for part in planned.parts]
        return question(ProofOfParts(planned.parts, tuple(asked)))
    return question(TableProof(planned.graph, planned.clique_tree, strengths))
