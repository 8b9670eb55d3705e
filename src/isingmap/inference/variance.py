"""The variance of the log-weight, which is the heat capacity at temperature 1: s^T H s of the strengths s.

At low temperatures it is small beside the strengths, so an estimate of what rounding does to it decides whether it is
handed out: errors of the products are those of the moments, and add up with the strengths. On grids of up to 196 spins
with couplings up to 10^4 in size no error was larger than a half of the estimate, in doubles and in tables.
"""

from __future__ import annotations

from typing import Protocol

import numpy as np

from isingmap.errors import PrecisionError
from isingmap.inference.precision import AT_ANY_STRENGTH, LARGEST_ERROR


class Solved(Protocol):
    """What is needed of a model that has been solved."""

    @property
    def loss(self) -> float:
        """Error of the moments."""

    def hessian_product(self, vector: np.ndarray) -> np.ndarray:
        """Hessian times a vector."""


def variance_by_product(solved: Solved, strengths: np.ndarray) -> float:
    """Variance of sum_e strengths_e x_i x_j, by one product with the Hessian.

    Raises
    ------
    PrecisionError
        When rounding could change it by more than one part in 10^8, absolute where it is below 1.
    """
    variance = float(strengths @ solved.hessian_product(strengths))
    return known_variance(variance, (solved.loss + float(np.finfo(float).eps)) * float(np.abs(strengths).sum()))


def known_variance(variance: float, error: float, in_what: str = "") -> float:
    """The variance, if its error is one that may be handed out.

    Raises
    ------
    PrecisionError
        As in `variance_by_product`.
    """
    if not error <= LARGEST_ERROR * max(1.0, variance):
        raise PrecisionError(
            f"the variance of the energy is lost in rounding{in_what}: it is {max(variance, 0.0):.3g} up to an error "
            f"of {error:.1e}. {AT_ANY_STRENGTH}",
            loss=error,
        )
    return max(variance, 0.0)  # what is below 0 is rounding
