"""The real engine, number phase, with dense linear algebra: right for blocks of up to a few hundred spins."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numba
import numpy as np
from scipy.linalg import lapack

from isingmap.inference.correlations import all_correlations
from isingmap.inference.dual import DualPlan, gauge


@dataclass(frozen=True, eq=False)
class DenseSolution:
    """A zero-field model whose matrix K' has been factorised.

    Everything is given for the caller's spins; the gauge is internal. Costs are for n spins after the O(n^3)
    factorisation.
    """

    plan: DualPlan
    log_partition: float
    _spins: np.ndarray
    _twin: np.ndarray
    _lu: np.ndarray
    _pivots: np.ndarray

    @cached_property
    def _inverse(self) -> np.ndarray:
        inverse, _ = lapack.dgetri(self._lu, self._pivots)
        return inverse

    @cached_property
    def _edge_gauge(self) -> np.ndarray:
        return self._spins[self.plan.edges[:, 0]] * self._spins[self.plan.edges[:, 1]]

    @cached_property
    def loss(self) -> float:
        """Measured error: how far the computed inverse, weighted by the matrix, is from skew-symmetric."""
        return skewness_defect(self._inverse, self._twin, self.plan.triangulation.next_in_face)

    def moments(self) -> np.ndarray:
        """E[x_i x_j] of each edge, (n_edges,)."""
        dart = np.arange(0, 2 * self.plan.n_edges, 2)
        gauged = 2.0 * self._twin[dart] * self._inverse[dart + 1, dart] - 1.0
        return self._edge_gauge * gauged

    def hessian(self) -> np.ndarray:
        """Covariance matrix of the edge products, (n_edges, n_edges). O(m^2)."""
        m = 2 * self.plan.n_edges
        inverse = self._inverse
        forward, backward = slice(0, m, 2), slice(1, m, 2)
        # Wick: cov(n_e, n_f) of two dart pairs (h, t), (g, u) is k_e k_f (G_tg G_hu - G_tu G_hg), x = 2 n - 1.
        covariance = inverse[backward, forward] * inverse[forward, backward]
        covariance -= inverse[backward, backward] * inverse[forward, forward]
        scale = 2.0 * self._twin[forward] * self._edge_gauge
        covariance *= scale[:, None]
        covariance *= scale[None, :]
        np.fill_diagonal(covariance, 1.0 - self.moments() ** 2)
        return 0.5 * (covariance + covariance.T)

    def correlations(self) -> np.ndarray:
        """E[x_i x_j] of every pair, (n_spins, n_spins). O(n^2 L^3) for paths of at most L edges."""
        n = self.plan.n_spins
        gauged = all_correlations(self.plan.triangulation.n_nodes, self.plan.triangulation.edges,
                                   self._inverse, self._twin)
        return (self._spins[:, None] * gauged * self._spins[None, :])[:n, :n]


def solve_dense(plan: DualPlan, couplings: np.ndarray) -> DenseSolution:
    """Factorise the model's matrix. O(n^3), about 5 ms at n = 100."""
    triangulation = plan.triangulation
    spins = gauge(triangulation.n_nodes, plan.edges, couplings)
    gauged = np.zeros(len(triangulation.edges))
    gauged[: plan.n_edges] = couplings * spins[plan.edges[:, 0]] * spins[plan.edges[:, 1]]
    twin, matrix = scaled_matrix(gauged, plan.signs, triangulation.next_in_face)
    lu, pivots, _ = lapack.dgetrf(matrix, overwrite_a=True)
    with np.errstate(divide="ignore"):
        half_log_det = 0.5 * np.log(np.abs(np.diagonal(lu))).sum()
    log_partition = (1 - plan.n_padding) * np.log(2.0) + np.abs(gauged).sum() + half_log_det
    return DenseSolution(plan, float(log_partition), spins, twin, lu, pivots)


@numba.njit(cache=True)
def scaled_matrix(couplings, signs, next_in_face):
    """(twin entry of each dart's row, the matrix K' in Fortran order)."""
    size = signs.size
    twin = np.empty(size)
    scale = np.empty(size)
    for h in range(size):
        theta = couplings[h >> 1]
        scale[h] = np.exp(-max(theta, 0.0))
        twin[h] = signs[h] * np.exp(2.0 * min(theta, 0.0))
    transposed = np.zeros((size, size))
    for h in range(size):
        g = next_in_face[h]
        transposed[h ^ 1, h] = twin[h]
        transposed[g, h] += scale[h] * scale[g]
        transposed[h, g] -= scale[h] * scale[g]
    return twin, transposed.T


@numba.njit(cache=True)
def skewness_defect(inverse, twin, next_in_face):
    """Largest |k (G + G^T)| over dart pairs inside the pattern of the matrix."""
    worst = 0.0
    for h in range(twin.size):
        worst = max(worst, abs(twin[h] * (inverse[h, h ^ 1] + inverse[h ^ 1, h])))
    return worst


