"""Moments for a search: what each pair shows in the rows where both are known, beside what is expected of the others.

In expected moments a pair without an edge is diluted: where a cell is missing it has the moment of the model without
the edge. Where both are known in a share s of the rows, a search would see s times what an edge gains, and 1/s times
what it loses when it goes. So a search gets undiluted moments, and the rows behind each pair, by which it pays.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from isingmap.data.tally import Tally, tally_rows
from isingmap.missing_cells.parts import ObservedRows

# How far a moment may go to where a combination of values has no probability, and its coupling no finite estimate.
_MOST_OF_THE_WAY = 0.95


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

    def pairwise(self, filled: np.ndarray, means: np.ndarray) -> np.ndarray:
        """Moments of the rows where both are known; what is filled in for pairs that are never known together."""
        counts = self.counts
        known = np.where(counts > 0, self.tally.products.rounded() / np.maximum(counts, 1e-300), filled)
        return _inside(filled, known, means)

    def undiluted(self, expected: np.ndarray, of_model: np.ndarray, means: np.ndarray) -> np.ndarray:
        """Moments that differ from the model's by as much as those of the rows where both are known would.

        Where an edge is, expected moments at the maximum are the model's, and so are these.
        """
        share = self.counts / float(self.tally.total.rounded())
        known = np.where(share > 0, of_model + (expected - of_model) / np.where(share > 0, share, 1.0), expected)
        return _inside(expected, known, means)

    @property
    def counts(self) -> np.ndarray:
        """Weight of the rows where both are known, (n_spins, n_spins)."""
        return self.tally.seen.rounded()

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


def _inside(possible: np.ndarray, wanted: np.ndarray, means: np.ndarray) -> np.ndarray:
    """What is wanted, or, where a pair could not have it with these means, most of the way there from what it can."""
    sums, differences = np.abs(np.add.outer(means, means)), np.abs(np.subtract.outer(means, means))
    least, most = sums - 1.0, 1.0 - differences
    nearest = np.clip(
        wanted, possible + _MOST_OF_THE_WAY * (least - possible), possible + _MOST_OF_THE_WAY * (most - possible)
    )
    return _unit(nearest)


def _unit(moments: np.ndarray) -> np.ndarray:
    moments = np.clip((moments + moments.T) / 2.0, -1.0, 1.0)
    np.fill_diagonal(moments, 1.0)
    return moments
