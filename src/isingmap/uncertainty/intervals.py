"""95 % intervals of couplings and fields: by standard errors (Wald), or by the profile of the likelihood."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from isingmap.data.moments import EmpiricalMoments
from isingmap.model import IsingModel
from isingmap.structure.result import SearchResult
from isingmap.uncertainty.errors import Errors
from isingmap.uncertainty.profile import profile_intervals

# Below so many rows in a cell of a pair's table the likelihood is too skew for Wald's interval; `benchmarks/
# uncertainty.py` has the figures.
FEW_ROWS = 10.0


@dataclass(frozen=True, eq=False)
class Intervals:
    """95 % intervals, of the couplings, the free fields or both.

    Attributes
    ----------
    lower, upper : arrays
        NaN where they could not be found.
    by_profile : bool array
        Which are profile-likelihood intervals; the others are Wald's.
    """

    lower: np.ndarray
    upper: np.ndarray
    by_profile: np.ndarray

    def part(self, which: slice) -> Intervals:
        """Those of some of the parameters."""
        return Intervals(self.lower[which], self.upper[which], self.by_profile[which])


def intervals_of(result: SearchResult, moments: EmpiricalMoments, errors: Errors, kind: str) -> Intervals:
    """Intervals of all parameters, couplings first, then free fields.

    Parameters
    ----------
    result : SearchResult
    moments : EmpiricalMoments
    errors : Errors
    kind : {"auto", "wald", "profile"}
        "auto" takes the profile where a cell of the pair's table (a value of the column) has few rows, and where there
        is no standard error.
    """
    theta = np.append(result.model.couplings, result.model.fields[result.model.free_fields])
    reach = errors.quantile * errors.standard
    lower, upper = theta - reach, theta + reach
    by_profile = np.full(theta.size, kind == "profile")
    if kind == "auto":
        by_profile = (fewest_rows(result.model, moments) < FEW_ROWS) | np.isnan(errors.standard)
    # Without a standard error nothing is known of an inflation.
    inflation = np.where(np.isnan(errors.inflation), 1.0, errors.inflation)
    asked = np.flatnonzero(by_profile)
    lower[asked], upper[asked] = profile_intervals(result, moments, asked, errors.quantile**2 * inflation).T
    return Intervals(lower, upper, by_profile)


def fewest_rows(model: IsingModel, moments: EmpiricalMoments) -> np.ndarray:
    """Rows in the emptiest cell of each parameter's table (2 x 2 of a pair, the values of a column), (n_parameters,).

    A variable without a field is one of a fair coin to the model: what counts is then how often two agree or differ.
    """
    means = np.zeros(model.n_spins) if moments.magnetizations is None else np.asarray(moments.magnetizations)
    means = np.where(model.free_fields, means, 0.0)
    counts = moments.rows_behind
    i, j = model.edges.T
    first, second, both = means[i], means[j], moments.moments[i, j]
    cells = [1.0 + s * first + t * second + s * t * both for s in (-1, 1) for t in (-1, 1)]
    of_pairs = counts[i, j] * np.min(cells, axis=0, initial=4.0) / 4.0
    of_columns = counts.diagonal() * (1.0 - np.abs(means)) / 2.0
    return np.append(of_pairs, of_columns[model.free_fields])
