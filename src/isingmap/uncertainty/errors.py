"""Standard errors of couplings and fields: of the model's own likelihood, or robust, from the rows."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.special import stdtrit

from isingmap.likelihood.curvature import Curvature
from isingmap.model import IsingModel
from isingmap.uncertainty.row_spread import RowSpread

NORMAL_95 = 1.959963984540054  # the 97.5 % point of the standard normal distribution
# Below such an inflation clusters do not differ at all (each holds the same rows): what is left is rounding.
NOTHING = 1e-8


@dataclass(frozen=True, eq=False)
class Errors:
    """How far off the parameters of a fixed graph may be; couplings first, then free fields.

    Attributes
    ----------
    standard : (n_parameters,) array
        Standard errors; NaN where double precision cannot tell, and robust ones where clusters do not differ.
    inflation : (n_parameters,) array
        Their squares over those of the model's own likelihood, 1 where that is what they come from. A likelihood-ratio
        statistic of one parameter is divided by it (Rao and Scott 1984; Rotnitzky and Jewell 1990).
    degrees : float
        Degrees of freedom: clusters less one; infinite where rows are independent.
    """

    standard: np.ndarray
    inflation: np.ndarray
    degrees: float = np.inf

    @property
    def quantile(self) -> float:
        """What 95 % intervals multiply standard errors with: Student's t, or 1.96."""
        return NORMAL_95 if np.isinf(self.degrees) else float(stdtrit(self.degrees, 0.975))


def errors_of(
    model: IsingModel,
    n_samples: float,
    *,
    overlap: np.ndarray | None = None,
    spread: RowSpread | None = None,
    prior: float | None = None,
    curvature: Curvature | None = None,
) -> Errors:
    """Errors of the parameters for this fixed graph.

    With a prior they are those of the likelihood that was maximised, of rows and pseudo-observations together, as are
    tests and profile intervals; so none of the three contradicts another.

    Parameters
    ----------
    model : IsingModel
    n_samples : float
        Rows.
    overlap : (n_parameters, n_parameters) array, optional
        Where each pair has rows of its own; see `data.moments.overlap`.
    spread : RowSpread, optional
        Makes the errors robust.
    prior : float, optional
        Pseudo-observations of the fit.
    curvature : Curvature, optional
        Of the model, where it is known.

    Raises
    ------
    NonPlanarError, PrecisionError
        As in `IsingModel.hessian`.

    Source: Sullivan and Greenland, Bayesian regression in SAS software, Int. J. Epidemiology 42 (2013): priors as data.
    """
    curvature = curvature or Curvature(model.hessian())
    total = n_samples + (prior or 0.0)
    plain = curvature.standard_errors(total)
    if spread is None and overlap is None:
        return Errors(plain, np.ones(plain.size))
    if spread is None:
        found = np.sqrt(n_samples / total) * curvature.standard_errors(n_samples, overlap)
        return Errors(found, (found / plain) ** 2)
    found = curvature.sandwich(_with_pseudo_rows(model, spread.covariance, n_samples, prior))
    degrees, known = np.inf, np.ones(plain.size, bool)
    if spread.by_cluster:
        degrees = spread.n_units - 1.0
        known = (curvature.sandwich(spread.covariance) / plain) ** 2 > NOTHING
    return Errors(np.where(known, found, np.nan), np.where(known, (found / plain) ** 2, np.nan), degrees)


def covariance_of(
    model: IsingModel,
    n_samples: float,
    *,
    overlap: np.ndarray | None = None,
    spread: RowSpread | None = None,
    prior: float | None = None,
    curvature: Curvature | None = None,
) -> np.ndarray:
    """Covariances of the parameters' estimates, (n_parameters, n_parameters); parameters are those of `errors_of`.

    The roots of the diagonal are its standard errors, where it knows them.

    Raises
    ------
    NonPlanarError, PrecisionError
        As in `IsingModel.hessian`.
    """
    curvature = curvature or Curvature(model.hessian())
    total, inverse = n_samples + (prior or 0.0), curvature.inverse
    if spread is not None:
        return inverse @ _with_pseudo_rows(model, spread.covariance, n_samples, prior) @ inverse
    if overlap is not None:
        return n_samples / total * inverse @ (curvature.hessian * overlap) @ inverse
    return inverse / total


def errors_and_covariance(
    model: IsingModel,
    n_samples: float,
    *,
    overlap: np.ndarray | None = None,
    spread: RowSpread | None = None,
    prior: float | None = None,
) -> tuple[Errors, np.ndarray]:
    """What `errors_of` and `covariance_of` return, from one inverse of the Hessian.

    Raises
    ------
    NonPlanarError, PrecisionError
        As in `IsingModel.hessian`.
    """
    curvature = Curvature(model.hessian())
    return (
        errors_of(model, n_samples, overlap=overlap, spread=spread, prior=prior, curvature=curvature),
        covariance_of(model, n_samples, overlap=overlap, spread=spread, prior=prior, curvature=curvature),
    )


def _with_pseudo_rows(model: IsingModel, covariance: np.ndarray, n_samples: float, prior: float | None) -> np.ndarray:
    """Covariances of the moments of rows and pseudo-observations, from those of the rows.

    The pseudo-observations are as many rows, spread evenly over all configurations, so that a cell without rows still
    has its share of doubt. All products x_i x_j and all x_i are uncorrelated among them and have mean 0; the last term
    is how far they lie from the moments m of all: N (A m / N)^2 + A m^2.
    """
    if prior is None:
        return covariance
    total, m = n_samples + prior, np.append(model.moments(), model.magnetizations()[model.free_fields])
    pseudo = prior * np.eye(m.size) + prior * total / n_samples * np.outer(m, m)
    return (n_samples**2 * covariance + pseudo) / total**2


def errors_by_covariance(covariance: np.ndarray) -> Errors:
    """Errors of parameters whose estimates have these covariances; NaN where a variance is not positive."""
    variance = np.diagonal(covariance)
    return Errors(np.sqrt(np.where(variance > 0, variance, np.nan)), np.ones(variance.size))


def covariance_by_information(information: np.ndarray) -> np.ndarray:
    """Covariances of the parameters' estimates: the inverse of the information of all rows together.

    NaN everywhere where it is not positive definite: then this is no maximum that doubles can tell from a saddle.
    """
    try:
        np.linalg.cholesky(information)
        return np.linalg.inv(information)
    except np.linalg.LinAlgError:
        return np.full(information.shape, np.nan)
