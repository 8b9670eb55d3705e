"""What a table and tables simulated from a model are compared by: pairs, counts of +1 in a row, triples.

Cells that are missing are 0, so sums over them are sums over what is known.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from isingmap.learning.misses import Miss

# Triples grow with the third power: 161,700 of them.
MOST_SPINS_IN_TRIPLES = 100


@dataclass(frozen=True, eq=False)
class TableStatistics:
    """Of one table, real or simulated, beside the model fitted to it.

    Attributes
    ----------
    pairs : float
        Sum of z^2 over what is `held_against` the model.
    worst_pair : float
        The largest |z| of those.
    counts : (n_spins + 1,) array
        Share of the rows with so many +1.
    triples : (n_triples,) float32 array
        E[(x_i - E x_i)(x_j - E x_j)(x_k - E x_k)], i < j < k, in the order of `triples_of`.
    """

    pairs: float
    worst_pair: float
    counts: np.ndarray
    triples: np.ndarray


def held_against(missed: Iterable[Miss], is_own: bool) -> list[Miss]:
    """Means and pairs that the model was not fitted to: of rows that are not its own, all of them."""
    return [miss for miss in missed if not (is_own and miss.is_fitted) and np.isfinite(miss.z)]


def statistics_of(
    spins: np.ndarray, missed: list[Miss], weights: np.ndarray | None = None, *, is_own: bool = True
) -> TableStatistics:
    """Statistics of a table of -1, +1 and 0 (missing), whose rows may have weights, from what its model misses."""
    z = np.array([miss.z for miss in held_against(missed, is_own)])
    return TableStatistics(
        float((z**2).sum()),
        float(np.abs(z).max(initial=0.0)),
        count_shares(spins, weights),
        central_triples(spins, weights),
    )


def count_shares(spins: np.ndarray, weights: np.ndarray | None = None) -> np.ndarray:
    """Share of the rows, or of their weight, with 0, 1, ..., n_spins times +1."""
    n_rows, n = spins.shape
    total = n_rows if weights is None else weights.sum()
    return np.bincount((spins == 1).sum(axis=1), weights, minlength=n + 1) / total


def triples_of(n_spins: int) -> np.ndarray:
    """All i < j < k, (n_triples, 3) int; none where there are too many variables."""
    if n_spins > MOST_SPINS_IN_TRIPLES:
        return np.empty((0, 3), np.int64)
    first, second = np.triu_indices(n_spins, 1)
    parts = [np.column_stack([np.full(first.size, i), first, second])[first > i] for i in range(n_spins)]
    return np.vstack(parts) if parts else np.empty((0, 3), np.int64)


def central_triples(spins: np.ndarray, weights: np.ndarray | None = None) -> np.ndarray:
    """Third central moments of all triples, over the rows in which all three are known; NaN without any. O(N n^3)."""
    n = spins.shape[1]
    if n > MOST_SPINS_IN_TRIPLES:
        return np.empty(0, np.float32)
    known = (spins != 0).astype(np.float64)
    weighted = known if weights is None else known * weights[:, None]
    with np.errstate(invalid="ignore", divide="ignore"):
        centred = np.where(known > 0, spins - (spins * weighted).sum(axis=0) / weighted.sum(axis=0), 0.0)
        first, second = np.triu_indices(n, 1)
        parts = []
        for i in range(n):
            later = first > i
            sums = (centred * (centred * weighted)[:, [i]]).T @ centred
            rows = (known * weighted[:, [i]]).T @ known
            parts.append((sums / rows)[first[later], second[later]])
    return np.concatenate([np.empty(0), *parts]).astype(np.float32)
