"""Tables as the model would make them, with the same cells missing, and the model fitted to each again."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from isingmap.checking.statistics import TableStatistics, statistics_of
from isingmap.data.moments import EmpiricalMoments, empirical_moments
from isingmap.data.table import SpinTable
from isingmap.errors import DataError, NoEstimateError, NonPlanarError, PrecisionError
from isingmap.interruption import look
from isingmap.learning.misses import misses
from isingmap.likelihood.fit import fit_couplings, shrunk
from isingmap.missing_cells.climb import evaluated
from isingmap.missing_cells.expectation import Completion
from isingmap.missing_cells.parts import ObservedRows
from isingmap.model import IsingModel

# Moments this close are those of a maximum of the likelihood.
FITTED = 1e-6


@dataclass(frozen=True, eq=False)
class Simulation:
    """Where simulated tables come from.

    Attributes
    ----------
    model : IsingModel
    table : SpinTable
        Of -1, +1 and 0 (missing), columns in the order of the model; drawn rows have its weights.
    prior : float or None
        Pseudo-observations of the model's fit.
    is_refitted : bool
        Whether the model is the maximum of the likelihood on its graph for this table, so that each simulated table
        gets a model of its own too. Otherwise all are held against the model as it is.
    is_own : bool
        Whether it was fitted to this table, also by EM, so that its means are those of the table but for chance.
    seed : int
    """

    model: IsingModel
    table: SpinTable
    prior: float | None
    is_refitted: bool
    is_own: bool
    seed: int

    @classmethod
    def of(
        cls, model: IsingModel, table: SpinTable, moments: EmpiricalMoments, prior: float | None, seed: int
    ) -> Simulation:
        """Of a table and its moments."""
        is_refitted = is_maximum(model, moments, prior)
        return cls(model, table, prior, is_refitted, is_refitted or is_maximum_by_em(model, table, prior), seed)

    def statistics(self, number: int) -> TableStatistics | None:
        """Of simulated table `number`, a function of it and the seed alone; None where no model can be fitted to it."""
        look()
        # Not from 0 on: NumPy takes (seed, 0) for the seed alone, which drew the table itself if it is a sample.
        rng = np.random.default_rng([self.seed, number + 1])
        drawn = self.model.sample(self.table.n_samples, rng=rng)
        table = replace(self.table, spins=np.where(self.table.spins == 0, 0, drawn).astype(np.int8))
        moments = empirical_moments(table)
        try:
            model = refitted(self.model, moments, self.prior) if self.is_refitted else self.model
        except (NoEstimateError, PrecisionError, DataError):
            return None
        missed = misses(model, moments, is_own=self.is_own)
        return statistics_of(table.spins, missed, table.weights, is_own=self.is_own)


def is_maximum(model: IsingModel, moments: EmpiricalMoments, prior: float | None = None) -> bool:
    """Whether the model has the moments of its edges and the means of its fields from this table, and its prior."""
    first, second = model.edges.T
    assert moments.magnetizations is not None  # they come from rows
    of_edges = shrunk(moments.moments[first, second], prior, moments.n_samples) - model.moments()
    of_fields = shrunk(moments.magnetizations, prior, moments.n_samples) - model.magnetizations()
    of_fields = of_fields[model.free_fields]
    return bool(np.abs(np.concatenate([of_edges, of_fields])).max(initial=0.0) <= FITTED)


def is_maximum_by_em(model: IsingModel, table: SpinTable, prior: float | None = None) -> bool:
    """Whether the model is the maximum of the likelihood of the cells that are known, some of which are missing."""
    if not table.n_missing:
        return False
    completion = Completion(model.edges, ObservedRows.of(table.spins, table.weights))
    try:
        return evaluated(model, completion, prior).gradient_norm <= FITTED
    except (NonPlanarError, PrecisionError):  # what is missing is too wide: such a model is not learned by EM
        return False


def refitted(model: IsingModel, moments: EmpiricalMoments, prior: float | None = None) -> IsingModel:
    """The maximum of the likelihood on the same graph.

    Raises
    ------
    NoEstimateError, PrecisionError, DataError
        As in `fit_couplings`.
    """
    return fit_couplings(
        model.edges,
        moments.moments,
        n_spins=model.n_spins,
        magnetizations=moments.magnetizations if model.free_fields.any() else None,
        n_samples=moments.n_samples,
        prior=prior,
        names=model.names,
        free_fields=model.free_fields if model.free_fields.any() else None,
        start=np.concatenate([model.couplings, model.fields[model.free_fields]]),
        fields_in_plane=model.planned.is_planar,
    ).model
