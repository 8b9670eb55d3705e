"""A model solved in ball arithmetic: the last rung, which proves its answers."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from isingmap.cached import cached_property
from isingmap.inference.precision import BALL_TOLERANCE, MOST_BITS
from isingmap.inference.proofs.certified import (
    Interval,
    Problem,
    log_partition_ball,
    moment_bounds,
    outward,
    with_enough_bits,
)
from isingmap.inference.zero_field.plan import DualPlan


@dataclass(frozen=True, eq=False)
class CertifiedSolution:
    """Exact answers as floats, for couplings too strong for doubles; the interface of `DualSolution`.

    Log Z alone takes fewer bits than moments do, so it is computed alone until something else is asked for.

    Attributes
    ----------
    plan : DualPlan
    log_partition : float
        Middle of `log_partition_interval`.
    log_partition_interval : Interval
    moment_bounds : tuple of two (n_edges,) arrays
    bits : int
        Precision that was enough for log Z and moments.
    loss : float
        Bound on the absolute error of the moments, proven when they are computed.
    """

    plan: DualPlan
    _problem: Problem
    _tolerance: float

    @property
    def log_partition(self) -> float:
        return self.log_partition_interval.midpoint

    @cached_property
    def log_partition_interval(self) -> Interval:
        if "_solved" in self.__dict__:
            return self._solved[0]
        ball, _ = log_partition_ball(self._problem, lambda _: self._tolerance)
        return Interval(*outward(ball))

    @property
    def moment_bounds(self) -> tuple[np.ndarray, np.ndarray]:
        return self._solved[1]

    @property
    def bits(self) -> int:
        return self._solved[2]

    @cached_property
    def _solved(self) -> tuple[Interval, tuple[np.ndarray, np.ndarray], int]:
        """Log Z, moments, and the bits that were enough."""

        def compute():
            weights, factors = self._problem.factorise()
            return [self._problem.log_partition(factors), *self._problem.moments(weights, factors)]

        balls, bits = with_enough_bits(compute, self._problem.first_bits() * 4 // 3, lambda _: self._tolerance)
        return Interval(*outward(balls[0])), moment_bounds(balls[1:]), bits

    @property
    def loss(self) -> float:
        return self._tolerance + float(np.finfo(float).eps)

    def moments(self) -> np.ndarray:
        """E[x_i x_j] of each edge, (n_edges,)."""
        lower, upper = self.moment_bounds
        return lower + 0.5 * (upper - lower)

    def hessian(self) -> np.ndarray:
        """Covariance matrix of the edge products, (n_edges, n_edges), error at most the tolerance. O(n^{5/2})."""
        return self._hessian.copy()

    def correlations(self, asked: np.ndarray | None = None) -> np.ndarray:
        """E[x_i x_j] of every pair, (n_spins, n_spins), error at most the tolerance. O(n^{5/2} + n^2 L^2).

        `asked` names the pairs that are needed; here it saves nothing, and the others are there too.
        """
        return self._correlations.copy()

    def pair_correlations(self, pairs: np.ndarray) -> np.ndarray:
        """E[x_i x_j] of the given pairs, (k,), from all of them."""
        return self._correlations[pairs[:, 0], pairs[:, 1]]

    def hessian_product(self, vector: np.ndarray) -> np.ndarray:
        """Hessian times a vector, (n_edges,)."""
        return self._hessian @ vector

    def hessian_entries(self, first: np.ndarray, second: np.ndarray) -> np.ndarray:
        """Hessian entries of pairs of edges, (k,)."""
        return self._hessian[first, second]

    @cached_property
    def _hessian(self) -> np.ndarray:
        from isingmap.inference.proofs.ball_correlations import edge_covariances

        signs = self._problem.edge_gauge
        return self._symmetric(edge_covariances, self.plan.n_edges) * np.outer(signs, signs)

    @cached_property
    def _correlations(self) -> np.ndarray:
        from isingmap.inference.proofs.ball_correlations import pair_correlations

        spins = self._problem.spins
        gauged = self._symmetric(pair_correlations, len(spins)) * np.outer(spins, spins)
        return gauged[: self.plan.n_spins, : self.plan.n_spins]

    def _symmetric(self, method, size) -> np.ndarray:
        """The symmetric matrix whose upper triangle, row by row, `method(plan, twin, inverse)` returns as balls."""
        from isingmap.inference.proofs.balls import full_balls

        def compute():
            weights, factors = self._problem.factorise()
            return method(self.plan, weights.twin, full_balls(self.plan.elimination, factors))

        balls, _ = with_enough_bits(compute, self.bits, lambda _: self._tolerance)
        matrix = np.zeros((size, size))
        matrix[np.triu_indices(size)] = [float(ball) for ball in balls]
        return np.triu(matrix) + np.triu(matrix, 1).T


def certified_solution(
    plan: DualPlan, couplings, *, tolerance: float = BALL_TOLERANCE, spins=None
) -> CertifiedSolution:
    """Solve a model in ball arithmetic, when asked: 20 ms at n = 100 for log Z and moments.

    `tolerance`: largest radius before rounding to floats, absolute, of log Z and of all moments, covariances and
    correlations. Parameters and errors as in `certified_log_partition`. Where `MOST_BITS` may be too few, everything is
    computed at once, so that who asks for a solution hears of it here.
    """
    solution = CertifiedSolution(plan, Problem.of(plan, couplings, spins), tolerance)
    if solution._problem.first_bits() > MOST_BITS // 4:
        solution._solved  # noqa: B018
    return solution
