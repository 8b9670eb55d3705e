"""Which cells are missing together, and how often: all that standard errors of pairwise moments need of the rows."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from isingmap.data.exact_sums import ExactSums, weight_parts
from isingmap.data.moments import moment_columns, over_counts

MOST_PATTERNS = 1 << 15


@dataclass(frozen=True, eq=False)
class MissingPatterns:
    """The distinct patterns of known cells.

    Attributes
    ----------
    bits : (n_patterns, n_bytes) uint8
        Known cells of a row, eight to a byte, in whole words.
    weight : (n_patterns,) ExactSums
        Of the rows with the pattern.
    n_spins : int
    """

    bits: np.ndarray
    weight: ExactSums
    n_spins: int

    @classmethod
    def of(cls, spins: np.ndarray, weights: np.ndarray | None) -> MissingPatterns:
        """Those of some rows."""
        each = {0: np.ones(len(spins))} if weights is None else weight_parts(weights)
        parts = {k: part.astype(np.int64) for k, part in each.items()}
        return cls(_packed(spins != 0), ExactSums(parts, (len(spins),)), spins.shape[1])._united()

    def __add__(self, other: MissingPatterns) -> MissingPatterns:
        """The patterns of the rows of both."""
        shape = (len(self.bits) + len(other.bits),)
        places = self.weight.parts.keys() | other.weight.parts.keys()
        parts = {k: np.concatenate([_part(self.weight, k), _part(other.weight, k)]) for k in places}
        return MissingPatterns(np.vstack([self.bits, other.bits]), ExactSums(parts, shape), self.n_spins)._united()

    @property
    def are_too_many(self) -> bool:
        """Whether to give up counting them."""
        return len(self.bits) > MOST_PATTERNS

    def overlap(self, kept: list[int], edges: np.ndarray, fields: np.ndarray) -> np.ndarray:
        """The same as `data.moments.overlap` of the table, of the columns `kept`."""
        known = np.unpackbits(self.bits, axis=1, count=self.n_spins).astype(np.int64)[:, kept]
        columns = moment_columns(edges, fields)
        both = known[:, columns[:, 0]] * known[:, columns[:, 1]]
        shape = (len(columns),) * 2
        return over_counts(
            ExactSums({k: both.T @ (both * part[:, None]) for k, part in self.weight.parts.items()}, shape)
        )

    def _united(self) -> MissingPatterns:
        if not len(self.bits):
            return self
        # Sorting whole numbers is many times as fast as sorting rows.
        keys = np.ascontiguousarray(self.bits).view(np.uint64)
        keys, axis = (keys[:, 0], None) if keys.shape[1] == 1 else (keys, 0)
        distinct, of_row = np.unique(keys, axis=axis, return_inverse=True)
        of_row, bits = of_row.reshape(-1), distinct.reshape(len(distinct), -1).view(np.uint8)
        parts = {}
        for k, part in self.weight.parts.items():
            parts[k] = np.zeros(len(distinct), np.int64)
            np.add.at(parts[k], of_row, part)
        return MissingPatterns(bits, ExactSums(parts, (len(distinct),)), self.n_spins)


def _packed(known: np.ndarray) -> np.ndarray:
    """Eight cells to a byte, and whole words."""
    bits = np.packbits(known, axis=1)
    return np.pad(bits, ((0, 0), (0, -bits.shape[1] % 8)))


def _part(sums: ExactSums, k: int) -> np.ndarray:
    return sums.parts.get(k, np.zeros(sums.shape, np.int64))
