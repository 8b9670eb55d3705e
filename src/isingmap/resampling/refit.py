"""The whole procedure once more, on resampled rows: what a worker is sent, and what it sends back."""

from __future__ import annotations

import os
import signal
import threading
import warnings
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np

from isingmap.data.moments import empirical_moments
from isingmap.data.table import SpinTable
from isingmap.errors import IsingMapError, IsingMapWarning
from isingmap.inference.pfaffian.blas import one_blas_thread
from isingmap.missing_cells.structural import learn_by_em
from isingmap.model import IsingModel
from isingmap.resampling.options import StabilityOptions
from isingmap.resampling.resamples import Rows, resample
from isingmap.structure.asked_by_name import numbers_of_edges, numbers_of_fields
from isingmap.structure.learn import learn_structure
from isingmap.structure.options import SearchOptions
from isingmap.structure.problem import Problem
from isingmap.structure.result import FIELD

Asked = Mapping[str, Any]


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
    """

    number: int
    edges: np.ndarray
    couplings: np.ndarray
    constant: tuple[int, ...] = ()
    failure: str = ""


@dataclass(frozen=True, eq=False)
class Refit:
    """All that leads from the number of a resample to its outcome.

    Attributes
    ----------
    rows : Rows
    resampling : StabilityOptions
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
    resampling: StabilityOptions
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
        none = np.empty((0, 2), np.int64), np.empty(0)
        with one_blas_thread(), _guest(self.home):
            try:
                table = resample(self.rows, self.resampling.kind, self.resampling.share, self.seed, number, self.model)
                constant = () if self.asked["prior"] is not None else _constant(table)
                edges, couplings = self._learned(table, constant) if table.n_spins - len(constant) > 1 else none
            except IsingMapError as error:
                return Outcome(number, *none, failure=str(error))
        return Outcome(number, edges, couplings, constant)

    def _learned(self, table: SpinTable, constant: tuple[int, ...]) -> tuple[np.ndarray, np.ndarray]:
        kept = np.delete(np.arange(table.n_spins), constant)
        if len(kept) < table.n_spins:
            table = table.select(kept.tolist())
        asked = among(self.asked, frozenset(table.names))
        if self.by_em:
            result = learn_by_em(table, asked, self.search).result
        else:
            result = learn_structure(Problem(empirical_moments(table), **asked), self.search)
        if result.was_interrupted:
            raise KeyboardInterrupt
        return kept[result.model.edges].reshape(-1, 2), np.array(result.model.couplings)


def _constant(table: SpinTable) -> tuple[int, ...]:
    """Columns without a -1 or without a +1 among the rows that count."""
    weights = np.ones(table.n_samples) if table.weights is None else table.weights
    minus, plus = weights @ (table.spins == -1), weights @ (table.spins == 1)
    return tuple(np.flatnonzero((minus == 0) | (plus == 0)).tolist())


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


@contextmanager
def _guest(home: int) -> Iterator[None]:
    """In a process of others: Ctrl-C is for the one that waits there, and warnings would be said a thousand times."""
    if os.getpid() == home:
        yield
        return
    if threading.current_thread() is threading.main_thread():
        signal.signal(signal.SIGINT, signal.SIG_IGN)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", IsingMapWarning)
        yield
