"""What a model must pay for its parameters: the criteria, each one record.

A criterion prices a whole model by its numbers of couplings and of fields, so that one may treat these two
differently, or not in proportion. To add a criterion, add a record to `CRITERIA`; options, summary and search
read it from there. NumPy is imported where it is needed, because the command line reads the names.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

# Weight of the prior over graphs in the extended criterion; IsingFit, which most users come from, has the same.
EBIC_GAMMA = 0.25
# Stands for the one that predicts held-out rows best; it takes rows, so a search never sees it.
CROSS_VALIDATED = "cv"


class Price(Protocol):
    """What parameters cost, nats per sample."""

    def of_model(self, n_couplings: int, n_fields: int) -> float:
        """Cost of a whole model; the search maximises the mean log-likelihood less this."""

    def of_coupling(self, n_couplings: int, n_fields: int) -> float:
        """What one coupling more costs a model that has so many parameters: the difference of `of_model`."""

    def of_field(self, n_couplings: int, n_fields: int) -> float:
        """What one field more costs."""


@dataclass(frozen=True)
class LinearPrice:
    """So much for each coupling and so much for each field."""

    coupling: float
    field: float

    def of_model(self, n_couplings: int, n_fields: int) -> float:
        """Cost of a whole model, nats per sample."""
        return self.coupling * (n_couplings + n_fields) + (self.field - self.coupling) * n_fields

    def of_coupling(self, n_couplings: int, n_fields: int) -> float:
        """The same for every coupling."""
        return self.coupling

    def of_field(self, n_couplings: int, n_fields: int) -> float:
        """The same for every field."""
        return self.field


@dataclass(frozen=True)
class Criterion:
    """How models of different size are compared.

    Attributes
    ----------
    name : str
    meaning : str
        For the summary; `{gamma}` stands for the strictness.
    help : str
        For whoever chooses.
    price : callable
        (n_samples, n_spins, gamma) -> Price.
    fills_the_plane : bool
        Whether it ends only where the plane has no room, so that the summary tells how much room there is.
    """

    name: str
    meaning: str
    help: str
    price: Callable[[float, int, float], Price]
    fills_the_plane: bool = False

    def value(
        self, log_likelihood: float, n_couplings: int, n_fields: int, *, n_samples: float, n_spins: int, gamma: float
    ) -> float:
        """-2 log L and what couplings and fields cost, as AIC and BIC are written; smaller is better."""
        price = self.price(n_samples, n_spins, gamma).of_model(n_couplings, n_fields)
        return 2.0 * (n_samples * price - log_likelihood)


def _each(nats_per_parameter: Callable[[float, int, float], float]) -> Callable[[float, int, float], Price]:
    """The price of a criterion of the usual kind, -2 log L + so many nats for each parameter."""

    def price(n_samples: float, n_spins: int, gamma: float) -> Price:
        each = float(nats_per_parameter(n_samples, n_spins, gamma) / (2.0 * n_samples))
        return LinearPrice(each, each)

    return price


def _log(value: float) -> float:
    import numpy as np

    return np.log(value)


CRITERIA = {
    criterion.name: criterion
    for criterion in (
        Criterion(
            "ebic",
            "EBIC, gamma {gamma:g}: an edge must gain at least (log(N) + 4 gamma log(n))/(2N) nats per row",
            "extended BIC, stricter when there are many variables (Foygel & Drton 2010)",
            _each(lambda n_samples, n_spins, gamma: _log(n_samples) + ebic_penalty(gamma, n_spins)),
        ),
        Criterion(
            "bic",
            "BIC: an edge must gain at least log(N)/(2N) nats per row",
            "a parameter must gain log(N)/(2N) nats per row",
            _each(lambda n_samples, n_spins, gamma: _log(n_samples)),
        ),
        Criterion(
            "aic",
            "AIC: an edge must gain at least 1/N nats per row",
            "more edges, a parameter must gain 1/N nats per row",
            _each(lambda n_samples, n_spins, gamma: 2.0),
        ),
        Criterion(
            "maximal",
            "maximal: it always adds edges as long as the plane has room, needed or not;",
            "edges as long as the plane has room, needed or not",
            _each(lambda n_samples, n_spins, gamma: 0.0),
            fills_the_plane=True,
        ),
    )
}


def ebic_penalty(gamma: float, n_spins: int) -> float:
    """What a parameter costs more in EBIC than in BIC, in units of twice the log-likelihood."""
    return 4.0 * gamma * _log(n_spins)


def aic(log_likelihood, n_parameters):
    """Akaike's criterion, -2 log L + 2 k, nats; smaller is better."""
    return -2.0 * log_likelihood + 2.0 * n_parameters


def bic(log_likelihood, n_parameters, n_samples):
    """Schwarz's criterion, -2 log L + k log N, nats; smaller is better."""
    return -2.0 * log_likelihood + _log(n_samples) * n_parameters


def ebic(log_likelihood, n_parameters, n_samples, n_spins, gamma):
    """The extended criterion of Foygel and Drton, -2 log L + k (log N + 4 gamma log n), nats; smaller is better."""
    return bic(log_likelihood, n_parameters, n_samples) + ebic_penalty(gamma, n_spins) * n_parameters
