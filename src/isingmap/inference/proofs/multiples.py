"""Couplings as whole multiples of a common unit, which is found."""

from __future__ import annotations

import functools
import math

import numpy as np

from isingmap.errors import ModelError

LARGEST_MULTIPLE = 1024
# Last digits of a coupling that may differ from those of a multiple: it was written, or multiplied, with rounding.
LAST_DIGITS = 2


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
    return math.fsum(sizes) / math.fsum(np.rint(sizes / unit))


def _approximate_gcd(a: float, b: float, *, noise: float) -> float:
    """Euclid's algorithm on positive floats that are multiples of a common unit up to noise."""
    while b > noise:
        a, b = b, abs(a - round(a / b) * b)
    return a
