"""How many ground states a model has, as an integer with a proof.

When all couplings are integers k_e (times a unit), M(x) = sum_e k_e x_i x_j takes integer values two apart, and with
t = exp(-2 beta) the ball of exp(log Z - beta M_0) encloses g + g_1 t + g_2 t^2 + ..., whose first coefficient g is
the number of ground states. The tail at a larger beta is at most exp(-2 (beta - beta')) times the sum at a smaller
beta', so moderate values of beta are enough, far below the n log(2) / 2 that the bound 2^n t on the tail would ask for.
"""

from __future__ import annotations

import functools
import math

import numpy as np

from isingmap.errors import ModelError, PrecisionError
from isingmap.inference.precision import MOST_BITS
from isingmap.inference.proofs.certified import Problem, log_partition_ball, working_precision
from isingmap.inference.zero_field.plan import DualPlan

LARGEST_MULTIPLE = 1024
# Last digits of a coupling that may differ from those of a multiple: it was written, or multiplied, with rounding.
LAST_DIGITS = 2


def degeneracy(plan: DualPlan, couplings, *, spins=None) -> int:
    """Number of configurations of largest log-weight, x and -x counted both; 0.1 s at n = 100, 2 s at n = 400.

    Parameters
    ----------
    plan : DualPlan
    couplings : (n_edges,) array
        Integer multiples, up to `LARGEST_MULTIPLE`, of a common unit, which is found; see `common_multiples`.
    spins : (n_spins,) array of +-1, optional
        A ground state; makes it faster. The answer is proven with any spins.

    Raises
    ------
    ModelError
        When the couplings have no common unit.
    PrecisionError
        When the bits allowed are not enough.
    """
    multiples = common_multiples(np.asarray(couplings, dtype=np.float64))
    if not multiples.any():
        return 2**plan.n_spins
    try:
        return _count(plan, multiples, spins)
    except PrecisionError as error:
        raise PrecisionError(
            f"the ground states of {plan.n_spins} spins cannot be counted with {MOST_BITS} bits. Their number does not "
            "depend on the scale of the couplings; count those of a part of the model, or with some spins given "
            "(model.condition in Python)",
            loss=error.loss,
        ) from None


def _count(plan: DualPlan, multiples: np.ndarray, spins) -> int:
    beta, digits = math.ceil(4 + 0.07 * plan.n_spins), 20 + plan.n_spins // 5
    while True:
        count = _count_at(plan, multiples, spins, float(beta), digits)
        if count is not None:
            return count
        beta, digits = beta + (beta + 1) // 2, 2 * digits


def common_multiples(couplings: np.ndarray) -> np.ndarray:
    """Integers proportional to the couplings, (n_edges,) float64.

    Whole numbers have to be exact multiples. Others may differ from multiples by the rounding of their last digit, but
    different couplings never become the same multiple.

    Raises
    ------
    ModelError
        When the couplings have no common unit.
    """
    sizes = np.abs(couplings)
    distinct = np.unique(sizes[sizes > 0]).tolist()
    if not distinct:
        return sizes
    whole = all(size.is_integer() for size in distinct)
    unit = float(math.gcd(*map(int, distinct))) if whole else _approximate_unit(sizes, distinct)
    multiples = np.rint(couplings / unit)
    off = np.abs(couplings - multiples * unit)
    exact = (off <= (0.0 if whole else LAST_DIGITS * np.spacing(sizes))).all()
    told_apart = np.unique(np.abs(multiples[sizes > 0])).size == len(distinct)
    if exact and told_apart and np.abs(multiples).max() <= LARGEST_MULTIPLE:
        return multiples
    raise ModelError(
        f"ground states can be counted when all couplings are integer multiples, up to {LARGEST_MULTIPLE}, of a "
        f"common unit (such as +-J); these {couplings.size} couplings with {np.unique(sizes).size} different "
        "absolute values are not. Round them to multiples of one unit "
        f"that is not below {sizes.max() / LARGEST_MULTIPLE:.3g}"
    )


def _approximate_unit(sizes: np.ndarray, distinct: list[float]) -> float:
    noise = 1e-9 * max(distinct)
    unit = functools.reduce(functools.partial(_approximate_gcd, noise=noise), distinct)
    return float(sizes.sum() / np.rint(sizes / unit).sum())


def _approximate_gcd(a: float, b: float, *, noise: float) -> float:
    """Euclid's algorithm on positive floats that are multiples of a common unit up to noise."""
    while b > noise:
        a, b = b, abs(a - round(a / b) * b)
    return a


def _count_at(plan, multiples, spins, beta, digits):
    """The number of ground states from log Z at beta / 2 and beta to `digits` binary digits; None: not pinned."""
    from flint import arb

    def allowed(_):
        return arb(2) ** -digits

    half, _ = log_partition_ball(Problem.of(plan, 0.5 * beta * multiples, spins), allowed)
    full, bits = log_partition_ball(Problem.of(plan, beta * multiples, spins), allowed)
    with working_precision(bits):
        best = _largest_log_weight(plan, multiples, spins, half, full, beta)
        if best is None:
            return None
        at_half, at_full = (half - best * beta / 2).exp(), (full - best * beta).exp()
        tail = at_half * arb(-beta).exp()
        pairs = (((at_full - tail) / 2).union(at_full / 2)).unique_fmpz()
    return None if pairs is None else 2 * int(pairs)


def _largest_log_weight(plan, multiples, spins, half, full, beta):
    """M_0 where it is the only value of the right parity between its bounds, else None.

    log Z is convex and its slope tends to M_0, so a secant bounds M_0 from below; g >= 2 bounds it from above.
    """
    from flint import arb

    parity = int(multiples.sum()) % 2
    lower = (full - half) / (beta / 2)
    upper = (full - arb(2).log()) / beta
    if spins is not None:
        i, j = plan.edges.T
        spins = np.asarray(spins, dtype=np.float64)
        lower = lower.max(arb(float(multiples @ (spins[i] * spins[j]))))
    half_best = ((lower.union(upper) - parity) / 2).unique_fmpz()
    return None if half_best is None else 2 * int(half_best) + parity
