"""Pair marginals and moments, one from the other. Tables are indexed 0 for x = -1 and 1 for x = +1."""

from __future__ import annotations

import numpy as np

from isingmap.errors import ModelError

STATES = np.array([-1.0, 1.0])


def pair_marginals(moments, first_means, second_means) -> np.ndarray:
    """P(x_i, x_j) = (1 + m_i x_i + m_j x_j + mu_ij x_i x_j) / 4 for each pair, (n_pairs, 2, 2)."""
    mu, first, second = (np.asarray(v, float)[:, None, None] for v in (moments, first_means, second_means))
    x, y = STATES[:, None], STATES[None, :]
    return (1.0 + first * x + second * y + mu * x * y) / 4.0


def moments_from_marginals(marginals) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """(moments, first means, second means) of pair tables P(x_i, x_j), (n_pairs, 2, 2); the inverse of the above.

    Raises
    ------
    ModelError
        When a table is negative or does not sum to 1.
    """
    table = np.asarray(marginals, float)
    if table.ndim != 3 or table.shape[1:] != (2, 2):
        raise ModelError(f"marginals must have shape (n_pairs, 2, 2), got {table.shape}")
    bad = np.flatnonzero((table < 0).any(axis=(1, 2)) | (np.abs(table.sum(axis=(1, 2)) - 1) > 1e-9))
    if bad.size:
        raise ModelError(f"marginals[{bad[0]}] is not a distribution: {table[bad[0]].tolist()}")
    moments = np.einsum("eab,a,b->e", table, STATES, STATES)
    return moments, np.einsum("eab,a->e", table, STATES), np.einsum("eab,b->e", table, STATES)
