"""Exact answers by summing over all 2^n configurations: the oracle, and the engine for small non-planar models."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from scipy.special import entr

from isingmap.errors import ModelError
from isingmap.inference.extended import ExtendedGraph
from isingmap.inference.precision import CANCELLATION

MOST_SPINS = 20
# exp(-NEGLIGIBLE) is nothing beside 1 in doubles, also a million times.
NEGLIGIBLE = 800.0


@dataclass(frozen=True, eq=False)
class Enumeration:
    """The whole distribution of a small model.

    Attributes
    ----------
    configurations : (2^n, n) float64 array of -1/+1
    probabilities : (2^n,) float64 array
    log_partition : float
    reference : int
        Number of a most probable configuration.
    log_excess : float
        log Z less the log-weight of that one, without the rounding of either.
    """

    configurations: np.ndarray
    probabilities: np.ndarray
    log_partition: float
    reference: int
    log_excess: float

    def entropy(self) -> float:
        """In nats."""
        return float(entr(self.probabilities).sum())

    def correlations(self) -> np.ndarray:
        """E[x_i x_j] for all pairs, (n, n)."""
        return self.configurations.T @ (self.probabilities[:, None] * self.configurations)

    def magnetizations(self) -> np.ndarray:
        """E[x_i], (n,)."""
        return self.probabilities @ self.configurations

    def moments(self, edges: np.ndarray) -> np.ndarray:
        """E[x_i x_j] for each edge, (n_edges,)."""
        return self.probabilities @ self._features(edges, None)

    def hessian(self, edges: np.ndarray, free_fields: np.ndarray | None = None) -> np.ndarray:
        """Covariance of the edge products, followed by the spins listed in `free_fields`."""
        features = self._features(edges, free_fields)
        mean = self.probabilities @ features
        centred = features - mean
        return centred.T @ (self.probabilities[:, None] * centred)

    def _features(self, edges, free_fields):
        x = self.configurations
        products = x[:, edges[:, 0]] * x[:, edges[:, 1]]
        return products if free_fields is None else np.hstack([products, x[:, free_fields]])


def all_configurations(n_spins: int) -> np.ndarray:
    """All 2^n configurations, (2^n, n) float64; spin 0 changes slowest.

    Raises
    ------
    ModelError
        For more than 20 spins.
    """
    if n_spins > MOST_SPINS:
        raise ModelError(
            f"enumeration sums 2^n configurations and stops at {MOST_SPINS} spins; this model has {n_spins}"
        )
    bits = np.arange(2**n_spins)[:, None] >> np.arange(n_spins - 1, -1, -1)
    return 1.0 - 2.0 * (bits & 1)


def enumerate_model(n_spins: int, edges: np.ndarray, couplings, fields=None) -> Enumeration:
    """Sum over all configurations. O(2^n (n + m)) time and memory.

    Raises
    ------
    ModelError
        For more than 20 spins.
    """
    x = all_configurations(n_spins)
    log_weight = (x[:, edges[:, 0]] * x[:, edges[:, 1]]) @ np.asarray(couplings, float)
    if fields is not None:
        log_weight = log_weight + x @ fields
    reference = int(log_weight.argmax())
    largest, excess = log_weight[reference], log_weight - log_weight[reference]
    strengths = np.append(couplings, [] if fields is None else fields)
    if np.finfo(float).eps * np.abs(strengths).sum() > CANCELLATION:
        features = x[:, edges[:, 0]] * x[:, edges[:, 1]]
        features = features if fields is None else np.hstack([features, x])
        reference, excess = _unrounded_excess(features, strengths, excess)
        largest = math.fsum(features[reference] * strengths)
    weight = np.exp(excess)
    total = weight.sum()
    return Enumeration(x, weight / total, float(largest + np.log(total)), reference, float(np.log(total)))


def _unrounded_excess(features: np.ndarray, strengths: np.ndarray, excess: np.ndarray) -> tuple[int, np.ndarray]:
    """A configuration of largest log-weight, and by how much each one's is larger: rounded once, where it matters.

    `excess` is the same with the rounding of sums of large strengths. Each configuration that is tried as the largest
    is truly better than the one before, so there is an end.
    """
    rounding = 4.0 * strengths.size * np.finfo(float).eps * np.abs(strengths).sum()
    close = np.flatnonzero(excess >= -(NEGLIGIBLE + rounding))
    features, best = features[close], int(excess[close].argmax())
    while True:
        exact = np.array([math.fsum(row) for row in ((features - features[best]) * strengths)])
        if exact.max() <= 0:
            break
        best = int(exact.argmax())
    result = np.full(excess.size, -np.inf)
    result[close] = exact
    return int(close[best]), result


@dataclass(frozen=True, eq=False)
class EnumeratedSolution:
    """Answers about a model with or without fields; see the protocol `engine.Solution`."""

    graph: ExtendedGraph
    _table: Enumeration
    method: str = "enumeration"

    @property
    def log_partition(self) -> float:
        return self._table.log_partition

    def moments(self) -> np.ndarray:
        return self._table.moments(self.graph.edges)

    def parameter_moments(self) -> np.ndarray:
        return np.concatenate([self.moments(), self.magnetizations()[self.graph.free_fields]])

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

    def log_weight_variance(self) -> float:
        p = self._table.probabilities
        log_p = np.log(p, where=p > 0, out=np.zeros(p.size))
        return float(p @ (log_p - p @ log_p) ** 2)

    def hessian_entries(self, first: np.ndarray, second: np.ndarray) -> np.ndarray:
        return self.hessian()[first, second]

    def sample(self, n_samples: int, rng: np.random.Generator) -> np.ndarray:
        table = self._table
        chosen = rng.choice(len(table.probabilities), size=n_samples, p=table.probabilities)
        return table.configurations[chosen].astype(np.int8)


def enumerated_solution(graph: ExtendedGraph, strengths: np.ndarray) -> EnumeratedSolution:
    """Solve a model of few spins, planar or not. O(2^n (n + m)).

    Raises
    ------
    ModelError
        For more than 20 spins.
    """
    return EnumeratedSolution(graph, enumerate_model(graph.n_spins, graph.edges, *graph.split(strengths)))
