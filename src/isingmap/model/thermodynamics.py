"""One model at many temperatures: log Z, energy, heat capacity and entropy as functions of the inverse temperature."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np

from isingmap.errors import ModelError, PrecisionError
from isingmap.interruption import look
from isingmap.model.evidence import Model


class Thermal(Model, Protocol):
    """What is needed of an `IsingModel` at each temperature."""

    def log_weight_mean(self) -> float: ...

    def log_weight_variance(self) -> float: ...


@dataclass(frozen=True, eq=False)
class Thermodynamics:
    """Exact thermodynamic functions; energies in units of the couplings, temperatures with Boltzmann's constant 1.

    Attributes
    ----------
    n_spins : int
    beta : (k,) float64 array
        Inverse temperatures.
    log_partition : (k,) float64 array
        log Z in nats; minus beta times the free energy.
    energy : (k,) float64 array
        Mean energy <E>, E(x) = -(sum couplings x x + sum fields x).
    heat_capacity : (k,) float64 array
        d<E>/dT = beta^2 (<E^2> - <E>^2), in units of Boltzmann's constant. Error at most one part in 10^8, absolute
        where it is below 1.
    entropy : (k,) float64 array
        In nats, log Z + beta <E>.
    """

    n_spins: int
    beta: np.ndarray
    log_partition: np.ndarray
    energy: np.ndarray
    heat_capacity: np.ndarray
    entropy: np.ndarray

    @property
    def log_partition_per_spin(self) -> np.ndarray:
        """log Z / n_spins."""
        return self.log_partition / self.n_spins

    @property
    def energy_per_spin(self) -> np.ndarray:
        """<E> / n_spins."""
        return self.energy / self.n_spins

    @property
    def specific_heat(self) -> np.ndarray:
        """Heat capacity per spin."""
        return self.heat_capacity / self.n_spins

    @property
    def entropy_per_spin(self) -> np.ndarray:
        """Entropy / n_spins."""
        return self.entropy / self.n_spins


def thermodynamics(model: Thermal, betas) -> Thermodynamics:
    """See `IsingModel.thermodynamics`.

    Raises
    ------
    ModelError, NonPlanarError, PrecisionError
        As there.
    """
    betas = _checked(betas)
    rows = np.array([_at(model, beta) for beta in betas.tolist()]).reshape(-1, 4)
    return Thermodynamics(model.n_spins, betas, *np.ascontiguousarray(rows.T))


def _checked(betas) -> np.ndarray:
    try:
        array = np.array(betas, dtype=float)
    except (TypeError, ValueError):
        raise ModelError(f"betas must be numbers, inverse temperatures; got {betas!r:.80}") from None
    if array.ndim != 1:
        raise ModelError(f"betas must have shape (k,), one inverse temperature each; got {array.shape}")
    wrong = ~(np.isfinite(array) & (array >= 0))
    if wrong.any():
        raise ModelError(
            f"beta={array[wrong][0]:g} is no inverse temperature: give finite numbers, 0 or more. What a negative one "
            "would be is the model with the signs of all couplings and fields turned"
        )
    return array


def _at(model: Thermal, beta: float) -> tuple[float, float, float, float]:
    """log Z, energy, heat capacity, entropy."""
    look()
    try:
        with np.errstate(over="ignore"):
            at_beta = model.with_couplings(beta * model.couplings, beta * model.fields)
        log_z, heat_capacity, entropy = at_beta.log_partition(), at_beta.log_weight_variance(), at_beta.entropy()
    except ModelError as error:
        raise ModelError(f"beta={beta:g}: {error}") from None
    except PrecisionError as error:
        raise PrecisionError(
            f"beta={beta:g} is too low a temperature: {error}; here, a smaller beta", loss=error.loss
        ) from None
    energy = -at_beta.log_weight_mean() / beta if beta else 0.0
    return log_z, energy, heat_capacity, entropy
