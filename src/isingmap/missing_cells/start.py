"""Moments to begin with, before there is a model that says what missing cells may have been."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from isingmap.data.tally import Tally, tally_rows
from isingmap.missing_cells.parts import ObservedRows


@dataclass(frozen=True, eq=False)
class KnownTogether:
    """What pairs of columns show in the rows where both are known.

    Attributes
    ----------
    tally : Tally
    empty : (2, 2, n_spins, n_spins) bool array
        Whether a pair, known together, never has the values (-1 or +1, -1 or +1).
    """

    tally: Tally
    empty: np.ndarray

    @classmethod
    def of(cls, observed: ObservedRows) -> KnownTogether:
        tally = tally_rows(observed.rows, observed.weights)
        seen, beside = ~tally.seen.are_zero(), tally.beside
        cells = [
            [tally.seen + beside * s + beside.each(np.transpose) * t + tally.products * (s * t) for t in (-1, 1)]
            for s in (-1, 1)
        ]
        empty = np.array([[cell.are_zero() & seen for cell in row] for row in cells])
        empty[:, :, np.arange(seen.shape[0]), np.arange(seen.shape[0])] = False
        return cls(tally, empty)

    def pairwise(self, filled: np.ndarray) -> np.ndarray:
        """Moments of the rows where both are known; what is filled in for pairs that are never known together."""
        counts = self.tally.seen.rounded()
        moments = np.where(counts > 0, self.tally.products.rounded() / np.maximum(counts, 1e-300), filled)
        return _unit(moments)

    def means_filled(self, n_samples: float, *, has_fields: bool) -> tuple[np.ndarray, np.ndarray]:
        """Moments and means with the mean of its column (without fields 0) in place of a missing cell."""
        counts, n = self.tally.seen.rounded(), self.tally.missing.size
        seen = counts.diagonal()
        mean = self.tally.sums.rounded() / np.maximum(seen, 1e-300) * has_fields
        beside = self.tally.beside.rounded()  # sums of x_i where x_j is known
        alone = np.broadcast_to(self.tally.sums.rounded()[:, None], (n, n)) - beside
        rest = n_samples - seen[:, None] - seen[None, :] + counts
        sums = self.tally.products.rounded() + alone * mean[None, :] + (alone * mean[None, :]).T
        moments = (sums + rest * np.outer(mean, mean)) / n_samples
        return _unit(moments), self.tally.sums.rounded() / np.maximum(seen, 1e-300)

    def without_empty_cells(self, moments: np.ndarray, means: np.ndarray, *, has_fields: bool) -> np.ndarray:
        """The moments under which combinations that were never seen are impossible.

        Whatever is expected of missing cells, the coupling of such a pair has no finite estimate: without fields where
        it always agrees or always differs. So a search, which passes over pairs of infinite couplings, passes over it.
        """
        if not has_fields:
            means = np.zeros_like(means)
        for s, row in zip((-1, 1), self.empty, strict=True):
            for t, empty in zip((-1, 1), row, strict=True):
                never = empty if has_fields else empty & self.empty[(1 - s) // 2, (1 - t) // 2]
                moments = np.where(never, -s * t * (1.0 + s * means[:, None] + t * means[None, :]), moments)
        return _unit(moments)


def _unit(moments: np.ndarray) -> np.ndarray:
    moments = np.clip((moments + moments.T) / 2.0, -1.0, 1.0)
    np.fill_diagonal(moments, 1.0)
    return moments
