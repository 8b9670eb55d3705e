"""The parameters of the same model for x in {0, 1}, as R's IsingFit gives them, and their standard errors."""

from __future__ import annotations

import numpy as np
from scipy.sparse import csr_array

from isingmap.model import IsingModel

# A variance this small beside the terms it is the sum of is their rounding.
CANCELLED = 1e-8


def weights(model: IsingModel) -> np.ndarray:
    """Of the edges, (n_edges,): 4 J_ij, what the log odds of one variable gain when the other goes from 0 to 1."""
    return 4.0 * model.couplings


def thresholds(model: IsingModel) -> np.ndarray:
    """Log odds of each variable when all others are 0, (n_spins,): 2 h_i - 2 sum of J_ij over the neighbours."""
    return _of_parameters(model) @ np.append(model.couplings, model.fields[model.free_fields]) + 2.0 * np.where(
        model.free_fields, 0.0, model.fields
    )


def threshold_errors(model: IsingModel, covariance: np.ndarray) -> np.ndarray:
    """Standard errors of the thresholds, (n_spins,), from the covariances of couplings and free fields.

    NaN where one of these is not known, where nothing was estimated (a variable without edges and without a field), and
    where the terms cancel.
    """
    linear = _of_parameters(model)
    variance = (linear * (linear @ covariance)).sum(axis=1)
    size = linear.power(2) @ np.diagonal(covariance)
    known = variance > CANCELLED * size
    return np.sqrt(np.where(known, variance, np.nan))


def _of_parameters(model: IsingModel) -> csr_array:
    """Thresholds as linear functions of couplings and free fields, (n_spins, n_parameters)."""
    n_edges, free = model.n_edges, np.flatnonzero(model.free_fields)
    rows = np.concatenate([model.edges[:, 0], model.edges[:, 1], free])
    columns = np.concatenate([np.tile(np.arange(n_edges), 2), n_edges + np.arange(free.size)])
    values = np.concatenate([np.full(2 * n_edges, -2.0), np.full(free.size, 2.0)])
    return csr_array((values, (rows, columns)), shape=(model.n_spins, n_edges + free.size))
