"""What a fitted model misses: means and pairs, also those without an edge, where it differs most from the data."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from isingmap.data.moments import EmpiricalMoments
from isingmap.errors import PrecisionError
from isingmap.model import IsingModel

# Up to so many variables all pairs are told, above it those that are missed most.
ALL_PAIRS_UP_TO, MOST_PAIRS = 200, 1000
# Above so many variables no pair is looked at.
MOST_COMPARED = 2500


class Miss(NamedTuple):
    """A mean, or the moment E[x_i x_j] of a pair, in the data and in the model.

    Attributes
    ----------
    source, target : int
        The variables; the target of a mean is -1.
    is_fitted : bool
        Whether the pair has an edge, or the variable a field: then the two agree, but for a prior or EM.
    data, model : float
    error : float
        Standard error of the data's value if the model were true, given the means that it was fitted to; none where
        it was fitted to other data.
    rows : float
        Observations behind the data's value.
    """

    source: int
    target: int
    is_fitted: bool
    data: float
    model: float
    error: float
    rows: float

    @property
    def is_mean(self) -> bool:
        return self.target < 0

    @property
    def z(self) -> float:
        """The difference in standard errors; NaN where the model leaves nothing to chance."""
        return (self.data - self.model) / self.error if self.error > 0 else np.nan


def misses(model: IsingModel, moments: EmpiricalMoments, *, is_own: bool = True) -> list[Miss]:
    """Means and pairs, each with its exact value in the model, those that are missed most first.

    O(n) evaluations for n variables.

    Parameters
    ----------
    model : IsingModel
    moments : EmpiricalMoments
    is_own : bool
        Whether the model was fitted to these data, so that its fields took from each pair what chance does to means.
    """
    fitted_means = model.free_fields & is_own
    found = [*_means(model, moments), *_pairs(model, moments, fitted_means)]
    return sorted(found, key=lambda miss: (-np.nan_to_num(abs(miss.z)), miss.source, miss.target))


def _means(model: IsingModel, moments: EmpiricalMoments) -> list[Miss]:
    if moments.magnetizations is None:
        return []
    expected = model.magnetizations()
    rows = moments.rows_behind.diagonal()
    error = np.sqrt(1.0 - expected**2) / np.sqrt(rows)
    columns = model.free_fields, moments.magnetizations, expected, error, rows
    return [Miss(i, -1, *values) for i, values in enumerate(zip(*(c.tolist() for c in columns), strict=True))]


def _pairs(model: IsingModel, moments: EmpiricalMoments, free: np.ndarray) -> list[Miss]:
    n = model.n_spins
    if n > MOST_COMPARED:
        return []
    try:
        correlations = model.correlations()
    except PrecisionError:
        return []
    i, j = np.triu_indices(n, 1)
    expected, observed, rows = correlations[i, j], moments.moments[i, j], moments.rows_behind[i, j]
    means = model.magnetizations()
    error = np.sqrt(
        residual_variance(expected, means[i], means[j], free[i], free[j]) / np.where(rows > 0, rows, np.nan)
    )
    is_edge = np.zeros((n, n), bool)
    is_edge[model.edges[:, 0], model.edges[:, 1]] = is_edge[model.edges[:, 1], model.edges[:, 0]] = True
    kept = np.flatnonzero(rows > 0)
    if n > ALL_PAIRS_UP_TO:
        with np.errstate(divide="ignore", invalid="ignore"):
            z = np.nan_to_num(np.abs(observed - expected) / error)
        kept = np.argsort(-z, kind="stable")[:MOST_PAIRS]
    columns = i, j, is_edge[i, j], observed, expected, error, rows
    return [Miss(*values) for values in zip(*(column[kept].tolist() for column in columns), strict=True)]


def residual_variance(moment, first_mean, second_mean, first_free, second_free) -> np.ndarray:
    """Variance of x_i x_j in one row, less what follows from those means that were fitted; of tables of pairs.

    With both means fitted it is that of the log odds ratio's score: 16 / sum of 1 / probability. With one, the mean
    variance of the other spin given this one; with none 1 - moment^2.
    """
    cells = np.array([[1 + s * first_mean + t * second_mean + s * t * moment for t in (-1, 1)] for s in (-1, 1)]) / 4
    cells = np.maximum(cells, 0.0)
    (a, b), (c, d) = cells
    with np.errstate(divide="ignore", invalid="ignore"):
        both = 16.0 / (1.0 / cells).sum(axis=(0, 1))
        given_first = 4.0 * (np.nan_to_num(a * b / (a + b)) + np.nan_to_num(c * d / (c + d)))
        given_second = 4.0 * (np.nan_to_num(a * c / (a + c)) + np.nan_to_num(b * d / (b + d)))
    none = 4.0 * (a + d) * (b + c)
    return np.select([first_free & second_free, first_free, second_free], [both, given_first, given_second], none)
