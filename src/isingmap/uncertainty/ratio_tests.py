"""The likelihood-ratio test of every edge: is its coupling 0, given the rest of the graph?"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.special import chdtrc, fdtrc

from isingmap.uncertainty.errors import Errors


@dataclass(frozen=True, eq=False)
class RatioTests:
    """One test for each edge, (n_edges,); NaN where the loss is.

    Attributes
    ----------
    statistic : array
        Twice the log-likelihood lost without the edge, everything else refitted, over the inflation of robust errors.
    p_value : array
        That of chi^2 with one degree of freedom; with clusters of F with 1 and (clusters - 1).
    """

    statistic: np.ndarray
    p_value: np.ndarray


def ratio_tests(losses: np.ndarray, errors: Errors) -> RatioTests:
    """From what each edge loses, in total nats, and the errors of the parameters, couplings first."""
    statistic = 2.0 * losses / errors.inflation[: losses.size]
    # With a prior an edge may lose a trifle less than nothing.
    positive = np.where(np.isnan(statistic), np.nan, np.maximum(statistic, 0.0))
    p_value = chdtrc(1.0, positive) if np.isinf(errors.degrees) else fdtrc(1.0, errors.degrees, positive)
    return RatioTests(statistic, p_value)
