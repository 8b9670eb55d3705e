"""Answers with a proof: log partition, moments and all else of a model, enclosed by ball arithmetic.

The couplings are taken as the exact numbers that the doubles are. The elimination of `balls` runs at a precision
guessed from the couplings and is repeated with more bits until the balls are small; the intervals handed out are
rounded outwards. flint's precision is global: it is set under a lock and put back.
"""

from __future__ import annotations

import math
import threading
from contextlib import contextmanager
from dataclasses import dataclass

import numpy as np

from isingmap.errors import ModelError, PrecisionError
from isingmap.inference.precision import AT_ANY_STRENGTH, BALL_TOLERANCE, MOST_BITS
from isingmap.inference.zero_field.plan import DualPlan, gauge
from isingmap.progress import at_work

_FLINT_PRECISION = threading.RLock()


@dataclass(frozen=True)
class Interval:
    """A closed interval of floats that provably contains the true value."""

    lower: float
    upper: float

    @property
    def width(self) -> float:
        """Length of the interval."""
        return self.upper - self.lower

    @property
    def midpoint(self) -> float:
        """The float nearest the middle."""
        return self.lower + 0.5 * (self.upper - self.lower)

    def __contains__(self, value: float) -> bool:
        return self.lower <= value <= self.upper


@dataclass(frozen=True, eq=False)
class Problem:
    """What is enclosed: gauged couplings, one for each edge of the triangulation, and the spins of the gauge."""

    plan: DualPlan
    spins: np.ndarray
    gauged: np.ndarray

    @classmethod
    def of(cls, plan: DualPlan, couplings, spins=None) -> Problem:
        """Gauge the couplings by `spins`, or by those that satisfy the strongest edges.

        Raises
        ------
        ModelError
            For couplings that are not finite, spins that are not +-1, or a wrong number of either.
        """
        couplings = np.asarray(couplings, dtype=np.float64)
        if couplings.shape != (plan.n_edges,) or not np.isfinite(couplings).all():
            raise ModelError(
                f"a certified answer needs {plan.n_edges} finite couplings, one for each edge, got shape "
                f"{couplings.shape} with {np.count_nonzero(~np.isfinite(couplings))} that are not finite"
            )
        n_nodes = plan.triangulation.n_nodes
        if spins is None:
            spins = gauge(n_nodes, plan.edges, couplings)
        else:
            spins = np.append(_checked_spins(plan, spins), np.ones(plan.n_padding))
        gauged = np.zeros(len(plan.triangulation.edges))
        gauged[: plan.n_edges] = couplings * spins[plan.edges[:, 0]] * spins[plan.edges[:, 1]]
        return cls(plan, spins, gauged)

    @property
    def edge_gauge(self) -> np.ndarray:
        return self.spins[self.plan.edges[:, 0]] * self.spins[self.plan.edges[:, 1]]

    @property
    def frustration(self) -> float:
        """Log-weight, in bits, that the gauge spins lose on the edges they do not satisfy."""
        return -2.0 * float(np.minimum(self.gauged, 0.0).sum()) / math.log(2.0)

    @property
    def graded(self) -> bool:
        """Whether frustration, more than the number of steps, decides how many bits are needed."""
        return self.frustration > len(self.spins)

    def first_bits(self) -> int:
        """Bits that are usually enough for log Z: balls grow along a separator and with the frustration across it.

        Fitted to grids of 10 to 100 a side with couplings from 1 to 50. Moments take a third more.
        """
        root = math.sqrt(len(self.spins))
        deepest = 0.18 * self.frustration if self.graded else 3.2 * self.frustration / root
        return int(min(90 + 2.0 * root + deepest, 2 * MOST_BITS))

    def factorise(self, stretch=1):
        """Weights and factors, of couplings multiplied by `stretch`."""
        from isingmap.inference.proofs.balls import ball_weights, factorise_balls

        weights = ball_weights(self.gauged, self.plan.signs, stretch)
        return weights, factorise_balls(self.plan.elimination, weights, graded=self.graded)

    def log_partition(self, factors, stretch=1):
        """log Z as a ball: log 2 + sum |theta| + 1/2 log det K'; a padding spin doubles Z."""
        from flint import arb

        weight = stretch * sum((arb(abs(theta)) for theta in self.gauged.tolist() if theta), arb(0))
        return (1 - self.plan.n_padding) * arb(2).log() + weight + factors.determinant.log() / 2

    def moments(self, weights, factors) -> list:
        """E[x_i x_j] of each edge, balls."""
        from isingmap.inference.proofs.balls import selected_balls

        across = selected_balls(self.plan.elimination, factors)
        signs = self.edge_gauge.astype(int).tolist()
        return [-(2 * weights.twin[2 * e] * across[e] + 1) * sign for e, sign in enumerate(signs)]


def _checked_spins(plan, spins):
    spins = np.asarray(spins, dtype=np.float64)
    if spins.shape != (plan.n_spins,) or not (np.abs(spins) == 1).all():
        raise ModelError(f"a gauge needs {plan.n_spins} spins of +1 or -1, got shape {spins.shape}")
    return spins


@contextmanager
def working_precision(bits: int):
    """flint's global precision, set for a while by one thread at a time."""
    from flint import ctx

    with _FLINT_PRECISION, ctx.workprec(bits):
        yield


def with_enough_bits(compute, bits: int, tolerance):
    """(balls, bits): `compute()` at the first precision at which every radius is at most `tolerance(balls)`.

    Raises
    ------
    PrecisionError
        When `MOST_BITS` are not enough.
    """
    from flint import arb

    from isingmap.inference.proofs.balls import TooFewBits

    while bits <= MOST_BITS:
        with working_precision(bits), at_work(f"ball arithmetic with {bits} bits"):
            try:
                balls = compute()
            except TooFewBits:
                bits += bits // 2
                continue
            # In balls, because radii and tolerances may be far below the smallest double.
            excess = max((ball.rad() for ball in balls), default=arb(0)) / tolerance(balls)
            if excess <= 1:
                return balls, bits
            missing = float(excess.log()) / math.log(2.0)
        bits += int(missing) + 16 if math.isfinite(missing) else bits // 2
    raise PrecisionError(
        f"{MOST_BITS} bits are not enough to enclose the answer: the couplings are too strong. {AT_ANY_STRENGTH}",
        loss=math.inf,
    )


def outward(ball) -> tuple[float, float]:
    """Floats below and above a ball: rounding to nearest errs by less than the step to the next float."""
    lower, upper = float(ball.lower()), float(ball.upper())
    return math.nextafter(lower, -math.inf), math.nextafter(upper, math.inf)


def _relative(tolerance: float):
    """Allowed radius of log Z, the first ball: relative, absolute where |log Z| < 1."""
    return lambda balls: tolerance * max(1.0, abs(float(balls[0])))


def certified_log_partition(plan: DualPlan, couplings, *, tolerance: float = BALL_TOLERANCE, spins=None) -> Interval:
    """An interval that provably contains log Z. O(n^{3/2}) operations on numbers of O(n^{1/2} max |theta|) bits.

    Parameters
    ----------
    plan : DualPlan
    couplings : (n_edges,) array
        Taken as exact numbers.
    tolerance : float
        Largest radius before rounding to floats, relative to max(1, |log Z|).
    spins : (n_spins,) array of +-1, optional
        A gauge: a ground state needs the fewest bits.

    Raises
    ------
    ModelError
        For couplings of the wrong shape or not finite.
    PrecisionError
        When `MOST_BITS` are not enough.
    """
    problem = Problem.of(plan, couplings, spins)
    ball, _ = log_partition_ball(problem, _relative(tolerance))
    return Interval(*outward(ball))


def log_partition_ball(problem: Problem, tolerance):
    """(log Z as a ball, bits) with a radius of at most `tolerance([ball])`."""

    def compute():
        _, factors = problem.factorise()
        return [problem.log_partition(factors)]

    balls, bits = with_enough_bits(compute, problem.first_bits(), tolerance)
    return balls[0], bits


def certified_moments(
    plan: DualPlan, couplings, *, tolerance: float = BALL_TOLERANCE, spins=None
) -> tuple[np.ndarray, np.ndarray]:
    """(lower, upper), arrays (n_edges,) that provably enclose E[x_i x_j] of each edge; about twice log Z's cost.

    `tolerance` is the largest radius, absolute. The intervals are intersected with [-1, 1], where the truth lies.
    Parameters and errors as in `certified_log_partition`.
    """
    problem = Problem.of(plan, couplings, spins)

    def compute():
        return problem.moments(*problem.factorise())

    balls, _ = with_enough_bits(compute, problem.first_bits() * 4 // 3, lambda _: tolerance)
    return moment_bounds(balls)


def certified_difference(plan: DualPlan, couplings, products: np.ndarray | None = None, *, spins=None) -> Interval:
    """An interval around log Z less the log-weight of one configuration, given by its products on the edges.

    Without `products`, less the mean log-weight: this is the entropy. Neither is spoilt by what cancels. Parameters and
    errors as in `certified_log_partition`.
    """
    problem = Problem.of(plan, couplings, spins)
    exact = [float(theta) for theta in couplings]

    def compute():
        from flint import arb

        weights, factors = problem.factorise()
        factor = problem.moments(weights, factors) if products is None else [int(p) for p in products]
        log_weight = sum((arb(theta) * p for theta, p in zip(exact, factor, strict=True)), arb(0))
        return [problem.log_partition(factors) - log_weight]

    balls, _ = with_enough_bits(compute, problem.first_bits() * 4 // 3, _relative(BALL_TOLERANCE))
    return Interval(*outward(balls[0]))


def certified_variance(plan: DualPlan, couplings, *, tolerance: float = BALL_TOLERANCE, spins=None) -> float:
    """Variance of the log-weight M, error at most the tolerance, absolute; three times the cost of log Z.

    It is the second difference of log Z of the couplings times 1 - h, 1 and 1 + h. That differs from the derivative by
    at most h^2 / 12 times the largest fourth cumulant of M, which is no larger than the fourth power of the range of M,
    divided by 4. Parameters and errors as in `certified_log_partition`.
    """
    problem = Problem.of(plan, couplings, spins)
    spread = 2.0 * math.fsum(np.abs(problem.gauged))
    halvings = max(math.ceil(2.0 * math.log2(spread) - 0.5 * math.log2(24.0 * tolerance)) if spread else 1, 1)

    def compute():
        from flint import arb

        step = arb(2) ** -halvings
        at = [problem.log_partition(problem.factorise(s)[1], s) for s in (1 - step, 1, 1 + step)]
        return [(at[0] - 2 * at[1] + at[2]) / step**2]

    balls, _ = with_enough_bits(compute, problem.first_bits() + 2 * halvings, lambda _: tolerance / 2)
    return max(float(balls[0].mid()), 0.0)


def moment_bounds(balls):
    lower, upper = np.array([outward(ball) for ball in balls]).reshape(-1, 2).T
    return np.maximum(lower, -1.0), np.minimum(upper, 1.0)
