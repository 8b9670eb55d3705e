"""The variance of the log-weight in numbers of two or four words, where doubles lose it and balls take long.

It is the derivative of the mean log-weight by a factor of all couplings, and that the difference of the means at 1 + h
and 1 - h. Words hold the digits that a difference so small needs; what it misses of the derivative is bounded.
"""

from __future__ import annotations

import math

import numpy as np

from isingmap.inference.variance import known_variance
from isingmap.inference.word_solution import WordSolution, word_solution
from isingmap.inference.zero_field.plan import DualPlan

FINENESS = 17  # of the step, in bits beyond those of the range of the log-weight


def variance_in_words(plan: DualPlan, couplings: np.ndarray, spins: np.ndarray, n_words: int) -> float:
    """Variance of the log-weight of a zero-field model; twice the cost of the moments in words.

    The difference of means misses the derivative by at most h^2 / 6 times the fourth cumulant of the log-weight, which
    is no larger than its variance times the square of its range R: with h R = 2^-17 a part in 10^11.

    Parameters
    ----------
    plan, couplings, spins, n_words
        As in `word_solution`.

    Raises
    ------
    PrecisionError
        When it could be off by more than one part in 10^8, absolute where it is below 1.
    """
    reach = 2.0 * math.fsum(np.abs(couplings))
    if not reach:
        return 0.0
    step = 2.0 ** -(FINENESS + max(math.ceil(math.log2(reach)), 0))
    above, below = (word_solution(plan, couplings, spins, n_words, beyond) for beyond in (step, -step))
    found = _slope(couplings, above, below, step)
    rounding = above.visible_loss + below.visible_loss + couplings.size * 2.0 ** (2 - 53 * n_words)
    error = rounding * reach / (4.0 * step) + 2.0**-52 * couplings.size * abs(found)
    error += (reach * step) ** 2 / 5.0 * abs(found)
    if above.may_hide_errors or below.may_hide_errors:
        error += abs(_slope(couplings, above.other_roundings, below.other_roundings, step) - found)
    return known_variance(found, error, f", in numbers of {53 * n_words} bits too")


def _slope(couplings: np.ndarray, above: WordSolution, below: WordSolution, step: float) -> float:
    return math.fsum(couplings * above.moments_less_those_of(below)) / (2.0 * step)
