"""The curvature of a likelihood at its maximum, inverted once: what errors, their covariances and sandwiches share."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from isingmap.cached import cached_property


@dataclass(frozen=True, eq=False)
class Curvature:
    """Fisher information of one row.

    Attributes
    ----------
    hessian : (n_parameters, n_parameters) array
    """

    hessian: np.ndarray

    @cached_property
    def inverse(self) -> np.ndarray:
        """NaN where double precision finds no inverse. O(n_parameters^3)."""
        try:
            return np.linalg.inv(self.hessian)
        except np.linalg.LinAlgError:
            return np.full(self.hessian.shape, np.nan)

    def standard_errors(self, n_samples: float, overlap: np.ndarray | None = None) -> np.ndarray:
        """See the function `standard_errors` in `likelihood.fit`."""
        if overlap is not None:
            return self.sandwich(self.hessian * overlap)
        return _roots(np.diagonal(self.inverse) / n_samples)

    def sandwich(self, covariance: np.ndarray) -> np.ndarray:
        """Standard errors where moments have these covariances C: roots of the diagonal of H^-1 C H^-1."""
        return _roots(np.einsum("ij,jk,ki->i", self.inverse, covariance, self.inverse, optimize=True))


def _roots(variance: np.ndarray) -> np.ndarray:
    return np.sqrt(np.where(variance > 0, variance, np.nan))
