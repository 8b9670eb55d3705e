"""Proofs about small models that are not planar, from the sum over all configurations."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from isingmap.inference.enumeration import all_configurations
from isingmap.inference.extended import ExtendedGraph
from isingmap.inference.proofs.certified import Interval, outward, working_precision
from isingmap.inference.proofs.degeneracy import common_multiples

BITS = 128


@dataclass(frozen=True, eq=False)
class EnumeratedProof:
    """Certified answers about a model of at most 20 spins; see `Proof` for what they are.

    Attributes
    ----------
    graph : ExtendedGraph
    strengths : (n_edges + n_fields,) array
    """

    graph: ExtendedGraph
    strengths: np.ndarray

    def _features(self) -> np.ndarray:
        """What each strength multiplies in each configuration, (2^n, n_edges + n_fields)."""
        x = all_configurations(self.graph.n_spins)
        x = np.hstack([x, np.ones((len(x), 1))])
        edges = self.graph.extended_edges
        return x[:, edges[:, 0]] * x[:, edges[:, 1]]

    def log_partition(self) -> Interval:
        """An interval that provably contains log Z; O(2^n) balls.

        Raises
        ------
        ModelError
            For more than 20 spins.
        """
        with working_precision(BITS):
            return Interval(*outward(sum(self._weights(self._features())).log()))

    def moments(self) -> tuple[np.ndarray, np.ndarray]:
        """(lower, upper) bounds on the moments of the edges, then of the spins with free fields; O(2^n) balls each.

        Raises
        ------
        ModelError
            For more than 20 spins.
        """
        features = self._features()
        with working_precision(BITS):
            weights = self._weights(features)
            total = sum(weights)
            up = [sum(weights[k] for k in np.flatnonzero(column > 0).tolist()) for column in features.T]
            bounds = np.array([outward(2 * part / total - 1) for part in up]).reshape(-1, 2)
        bounds = np.clip(bounds, -1.0, 1.0)
        of_edges, of_spins = (self.graph.split(column) for column in bounds.T), self.graph.is_free
        lower, upper = (np.concatenate([edges, spins[of_spins]]) for edges, spins in of_edges)
        return lower, upper

    def _weights(self, features: np.ndarray) -> list:
        """exp(log-weight) of each configuration, as balls."""
        from flint import arb

        # A sum of k terms in doubles, in any order, is off by less than k roundings of the sum of their sizes.
        radius = float(2.0 * (self.strengths.size + 1) * np.finfo(float).eps * np.abs(self.strengths).sum())
        return [arb(log_weight, radius).exp() for log_weight in (features @ self.strengths).tolist()]

    def degeneracy(self) -> int:
        """Number of ground states: log-weights in whole units are compared without rounding.

        Raises
        ------
        ModelError
            When the strengths have no common unit.
        """
        log_weights = self._features() @ common_multiples(self.strengths)
        return int((log_weights == log_weights.max()).sum())
