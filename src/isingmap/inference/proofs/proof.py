"""Proofs about a model with or without fields, from those about its extended graph."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from isingmap.inference.extended import ExtendedGraph
from isingmap.inference.proofs.certified import Interval, certified_log_partition, certified_moments
from isingmap.inference.proofs.degeneracy import degeneracy
from isingmap.inference.zero_field.plan import DualPlan


@dataclass(frozen=True, eq=False)
class Proof:
    """Certified answers about one model, each computed when asked for.

    Attributes
    ----------
    graph : ExtendedGraph
    plan : DualPlan
        Of the extended graph.
    strengths : (n_edges + n_fields,) array
        Of the extended edges.
    """

    graph: ExtendedGraph
    plan: DualPlan
    strengths: np.ndarray

    def log_partition(self) -> Interval:
        """An interval that provably contains log Z.

        Raises
        ------
        PrecisionError
            When the couplings are so strong that the bits allowed are not enough.
        """
        extended = certified_log_partition(self.plan, self.strengths)
        return Interval(*self.graph.log_partition_bounds(extended.lower, extended.upper))

    def moments(self) -> tuple[np.ndarray, np.ndarray]:
        """(lower, upper) bounds that provably contain the moments of the edges, then of the spins with free fields.

        Raises
        ------
        PrecisionError
            As in `log_partition`.
        """
        return certified_moments(self.plan, self.strengths)

    def degeneracy(self) -> int:
        """Number of ground states, proved.

        Raises
        ------
        ModelError
            When the strengths have no common unit.
        PrecisionError
            As in `log_partition`.
        """
        return self.graph.count(degeneracy(self.plan, self.strengths))
