"""Sums that are exact until they are rounded once, so that the order in which they were added cannot be told."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np

_BITS = 32  # of a part
_MASK = np.uint64(2**_BITS - 1)
_FULL = 2**61  # of int64, from which on what is above goes into the next part
_MANTISSA = 53


@dataclass(frozen=True, eq=False)
class ExactSums:
    """An array of sums, each a whole number of 2^(32 k) for a few k.

    Parameters
    ----------
    parts : mapping of k to int64 array
        All of one shape.
    shape : tuple of int
    """

    parts: Mapping[int, np.ndarray]
    shape: tuple[int, ...]

    @classmethod
    def of_integers(cls, values: np.ndarray) -> ExactSums:
        """Whole numbers as they are."""
        return cls({0: np.asarray(values, np.int64)}, np.shape(values))

    @classmethod
    def zeros(cls, shape: tuple[int, ...]) -> ExactSums:
        """Nothing added up yet."""
        return cls({}, shape)

    def __add__(self, other: ExactSums) -> ExactSums:
        """The sums of both, in place of neither."""
        parts = dict(self.parts)
        for k, part in other.parts.items():
            parts[k] = parts[k] + part if k in parts else part
        return ExactSums(_carried(parts), self.shape)

    def __mul__(self, factor: np.ndarray | int) -> ExactSums:
        """Times small whole numbers, such as signs."""
        return self.each(lambda part: part * factor)

    def __sub__(self, other: ExactSums) -> ExactSums:
        return self + other * -1

    def __getitem__(self, index) -> ExactSums:
        return self.each(lambda part: part[index])

    def each(self, change: Callable[[np.ndarray], np.ndarray]) -> ExactSums:
        """The sums with their places or signs changed, as `change` does to an array."""
        shape = change(np.zeros(self.shape, np.int64)).shape
        return ExactSums({k: change(part) for k, part in self.parts.items()}, shape)

    def are_zero(self) -> np.ndarray:
        """Where the sums vanish, exactly."""
        found = np.ones(self.shape, np.bool_)
        rest: np.ndarray | int = 0
        for k in _positions(self.parts):
            total = self.parts.get(k, 0) + rest
            found &= total & (2**_BITS - 1) == 0
            rest = total >> _BITS
        return found & (rest == 0)

    def rounded(self) -> np.ndarray:
        """The nearest doubles."""
        used = {k: part for k, part in self.parts.items() if part.any()}
        if set(used) <= {0}:
            return used.get(0, np.zeros(self.shape, np.int64)).astype(np.float64)
        lowest = min(used)
        totals = sum(part.astype(object) * 2 ** (_BITS * (k - lowest)) for k, part in used.items())
        up, down = 2 ** max(_BITS * lowest, 0), 2 ** max(-_BITS * lowest, 0)
        # A quotient of Python's whole numbers is the nearest double.
        return np.array([total * up / down for total in np.ravel(totals)], np.float64).reshape(self.shape)


def weight_parts(weights: np.ndarray) -> dict[int, np.ndarray]:
    """Weights cut at fixed binary places: float64 arrays of whole numbers in [0, 2^32), which times 2^(32 k) add up.

    Numbers without fractions below 2^32 are one part, most weights two or three.
    """
    mantissas, exponents = np.frexp(weights)
    whole = np.ldexp(mantissas, _MANTISSA).astype(np.uint64)
    place, shift = np.divmod(exponents.astype(np.int64) - _MANTISSA, _BITS)
    shift = shift.astype(np.uint64)
    low = (whole & _MASK) << shift
    high = ((whole >> np.uint64(_BITS)) << shift) + (low >> np.uint64(_BITS))
    digits = (low & _MASK, high & _MASK, high >> np.uint64(_BITS))
    parts: dict[int, np.ndarray] = {}
    for k in np.unique(place[whole > 0]).tolist():
        for m, digit in enumerate(digits):
            cut = np.where(place == k, digit, np.uint64(0))
            if cut.any():
                parts[k + m] = parts.get(k + m, 0.0) + cut.astype(np.float64)
    return parts


def _positions(parts: Mapping[int, np.ndarray]) -> range:
    return range(min(parts), max(parts) + 1) if parts else range(0)


def _carried(parts: dict[int, np.ndarray]) -> dict[int, np.ndarray]:
    """The same numbers with parts that stay far below the limits of int64."""
    for k in sorted(parts):
        if parts[k].size and max(int(parts[k].max()), -int(parts[k].min())) >= _FULL:
            above = parts[k] >> _BITS
            parts[k] = parts[k] - (above << _BITS)
            parts[k + 1] = parts[k + 1] + above if k + 1 in parts else above
    return parts
