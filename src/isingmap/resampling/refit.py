"""The whole procedure once more, on resampled rows: what a worker is sent, and what it sends back."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.special import xlogy

from isingmap.data.moments import empirical_moments
from isingmap.data.screening import constant_columns
from isingmap.data.table import FIELD, SpinTable
from isingmap.errors import IsingMapError
from isingmap.inference.pfaffian.blas import one_blas_thread
from isingmap.interruption import guest
from isingmap.missing_cells.structural import learn_by_em
from isingmap.model import IsingModel
from isingmap.resampling.options import ComparisonOptions, StabilityOptions
from isingmap.resampling.resamples import Rows
from isingmap.structure.asked_by_name import numbers_of_edges, numbers_of_fields
from isingmap.structure.families import AUTO, FAMILIES
from isingmap.structure.learn import learn_structure
from isingmap.structure.options import SearchOptions
from isingmap.structure.problem import Problem
from isingmap.structure.result import SearchResult

Asked = Mapping[str, Any]
_NO_EDGES = np.empty((0, 2), np.int64), np.empty(0)


@dataclass(frozen=True, eq=False)
class Outcome:
    """What came of a resample. Columns are numbered in the order of their names.

    Attributes
    ----------
    number : int
        Of the resample.
    edges : (n_edges, 2) int64 array, i < j
    couplings : (n_edges,) float64 array
    constant : tuple of int
        Columns that had a single value among the rows drawn, and therefore no edge.
    failure : str
        Why there is no fit; empty where there is one.
    log_likelihood : float
        Of the fit, total nats, columns of a single value included; NaN where there is none.
    """

    number: int
    edges: np.ndarray
    couplings: np.ndarray
    constant: tuple[int, ...] = ()
    failure: str = ""
    log_likelihood: float = float("nan")


@dataclass(frozen=True, eq=False)
class Refit:
    """All that leads from the number of a resample to its outcome.

    Attributes
    ----------
    rows : Rows
        Of two groups, where those are permuted.
    resampling : StabilityOptions or ComparisonOptions
    seed : int
    asked : mapping of str to object
        The arguments of `Problem`, columns by name.
    search : SearchOptions
    model : IsingModel or None
        The one to sample from, with the kind "parametric".
    home : int
        The process that it was made in.
    by_em : bool
        Whether missing cells are for the EM algorithm, within each resample.
    """

    rows: Rows
    resampling: StabilityOptions | ComparisonOptions
    seed: int
    asked: Asked
    search: SearchOptions
    model: IsingModel | None
    home: int
    by_em: bool = False

    def __call__(self, number: int) -> Outcome:
        """Draw the rows and learn from them.

        Raises
        ------
        KeyboardInterrupt
            The search was interrupted; what it had found until then is nobody's estimate.
        """
        with one_blas_thread(), guest(self.home):
            try:
                return self.learned(self.rows.of_number(self.resampling, self.seed, number, self.model), number)
            except IsingMapError as error:
                return Outcome(number, *_NO_EDGES, failure=str(error))

    def learned(self, table: SpinTable, number: int) -> Outcome:
        """Learn from the rows of a resample.

        Raises
        ------
        IsingMapError
            There is no estimate.
        KeyboardInterrupt
            As above.
        """
        constant = () if self.asked["prior"] is not None else tuple(constant_columns(table).tolist())
        kept = np.delete(np.arange(table.n_spins), constant)
        if len(kept) < 2:
            has_fields = self.asked["family"] == AUTO or FAMILIES[self.asked["family"]].has_fields
            return Outcome(number, *_NO_EDGES, constant, log_likelihood=_alone(table, has_fields))
        chosen = table if len(kept) == table.n_spins else table.select(kept.tolist())
        result = self._searched(chosen, among(self.asked, frozenset(chosen.names)))
        if result.was_interrupted:
            raise KeyboardInterrupt
        edges, couplings = kept[result.model.edges].reshape(-1, 2), np.array(result.model.couplings)
        value = result.log_likelihood
        if constant:
            value += _alone(table.select(list(constant)), FAMILIES[result.family].has_fields)
        return Outcome(number, edges, couplings, constant, log_likelihood=value)

    def _searched(self, table: SpinTable, asked: Asked) -> SearchResult:
        if self.by_em:
            return learn_by_em(table, dict(asked), self.search).result
        return learn_structure(Problem(empirical_moments(table), **asked), self.search)


def _alone(table: SpinTable, has_fields: bool) -> float:
    """Log-likelihood of columns on their own, total nats: of fair coins where they have no field."""
    weights = table.row_weights
    counts = np.stack([weights @ (table.spins == value) for value in (-1, 1)])
    total = counts.sum(axis=0)
    if not has_fields:
        return float(-np.log(2) * total.sum())
    return float((xlogy(counts, counts) - xlogy(counts, total)).sum())


def by_name(asked: Asked, names: tuple[str, ...]) -> dict[str, Any]:
    """The arguments of a problem with columns by name, whether they were given by name or number.

    Raises
    ------
    ModelError
        Where they are none.
    """
    found = dict(asked)
    for setting in ("required_edges", "graph"):
        if asked[setting] is not None:
            ends = (*names, FIELD) if setting == "graph" else names
            pairs = numbers_of_edges(asked[setting], ends, setting)
            found[setting] = [(ends[i], ends[j]) for i, j in pairs.tolist()]
    if asked["required_fields"] is not None:
        found["required_fields"] = [names[k] for k in numbers_of_fields(asked["required_fields"], names).tolist()]
    return found


def among(asked: Asked, names: frozenset[str]) -> dict[str, Any]:
    """Without what was asked of columns that are not there: a single value has no finite field or coupling."""
    found = dict(asked)
    for setting in ("required_edges", "graph"):
        if asked[setting] is not None:
            found[setting] = [pair for pair in asked[setting] if {*pair} <= names | {FIELD}]
    if asked["required_fields"] is not None:
        found["required_fields"] = [name for name in asked["required_fields"] if name in names]
    return found
