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
        Known cells of a row, eight to a byte.
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
        return cls(np.packbits(spins != 0, axis=1), ExactSums(parts, (len(spins),)), spins.shape[1])._united()

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
        distinct, of_row = np.unique(self.bits, axis=0, return_inverse=True)
        of_row = of_row.reshape(-1)
        parts = {}
        for k, part in self.weight.parts.items():
            parts[k] = np.zeros(len(distinct), np.int64)
            np.add.at(parts[k], of_row, part)
        return MissingPatterns(distinct, ExactSums(parts, (len(distinct),)), self.n_spins)


def _part(sums: ExactSums, k: int) -> np.ndarray:
    return sums.parts.get(k, np.zeros(sums.shape, np.int64))
