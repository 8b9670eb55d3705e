"""What rows of partly observed cells say about the rest, exactly, whatever is observed.

Given the observed cells of a row, the others are a smaller Ising model: the couplings among them, and fields to which
the observed neighbours add their pull. It falls into connected parts, which are solved one by one. A part is planned
once for all rows in which it occurs, and rows that pull alike share its answers.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Generic, NamedTuple, Protocol, TypeVar

import numpy as np

from isingmap.errors import ModelError
from isingmap.inference.cancelling import cancels
from isingmap.planar.blocks import component_labels


class Model(Protocol):
    """What the questions in this folder need of an `IsingModel`, which calls them."""

    @property
    def names(self) -> tuple[str, ...]: ...

    @property
    def n_spins(self) -> int: ...

    @property
    def n_edges(self) -> int: ...

    @property
    def edges(self) -> np.ndarray: ...

    @property
    def couplings(self) -> np.ndarray: ...

    @property
    def fields(self) -> np.ndarray: ...

    @property
    def free_fields(self) -> np.ndarray: ...

    def induced(self: AnyModel, kept: np.ndarray, fields: np.ndarray, free_fields: np.ndarray) -> AnyModel: ...

    def with_couplings(self: AnyModel, couplings: np.ndarray, fields: np.ndarray) -> AnyModel: ...

    def log_partition(self) -> float: ...

    def moments(self) -> np.ndarray: ...

    def magnetizations(self) -> np.ndarray: ...

    def correlations(self, pairs: np.ndarray) -> np.ndarray: ...

    def entropy(self) -> float: ...


AnyModel = TypeVar("AnyModel", bound=Model)


class ExpectedStatistics(NamedTuple):
    """Expectations given what each row shows.

    Attributes
    ----------
    moments : (n_rows, n_edges) array
        E[x_i x_j | observed cells of the row] of each edge.
    magnetizations : (n_rows, n_spins) array
        E[x_i | observed cells of the row]; an observed cell is its own expectation.
    """

    moments: np.ndarray
    magnetizations: np.ndarray


def cells(model: Model, spins) -> np.ndarray:
    """Rows of -1, +1 and 0 for a missing cell, (n_rows, n_spins) float64.

    Raises
    ------
    ModelError
        For spins of the wrong shape or with other values.
    """
    x: np.ndarray
    try:
        x = np.atleast_2d(np.ma.filled(np.ma.asarray(spins, dtype=float), np.nan))
    except (TypeError, ValueError):
        raise ModelError("spins must be numbers: -1, +1, and NaN for a missing cell") from None
    if x.ndim != 2 or x.shape[1] != model.n_spins or not (np.isin(x, (-1, 0, 1)) | np.isnan(x)).all():
        raise ModelError(f"spins must have shape (n_samples, {model.n_spins}) and hold -1, +1, or NaN or 0 for missing")
    if (x == 0).any() and (x == 1).any() and not (x == -1).any():
        raise ModelError(
            "spins hold 0 and 1 and no -1: this looks like 0/1 data. Convert it with 2 * x - 1; if a 0 is a missing "
            "cell, write NaN"
        )
    return np.nan_to_num(x, nan=0.0)


def pull(model: Model, rows: np.ndarray) -> np.ndarray:
    """Fields that the observed spins of each row put on their neighbours, (n_rows, n_spins)."""
    i, j = model.edges[:, 0], model.edges[:, 1]
    fields = np.zeros(rows.shape)
    of_all = np.ascontiguousarray(fields.T)
    np.add.at(of_all, i, (model.couplings * rows[:, j]).T)
    np.add.at(of_all, j, (model.couplings * rows[:, i]).T)
    return np.ascontiguousarray(of_all.T)


def fields_given(model: Model, rows: np.ndarray) -> np.ndarray:
    """The fields with what the observed spins of each row add; where large numbers cancel, each is rounded once."""
    fields = model.fields + pull(model, rows)
    first, second = model.edges.T
    for row, k in np.argwhere(cancels(np.append(model.couplings, model.fields), fields)).tolist():
        terms = [model.couplings[first == k] * rows[row, second[first == k]]]
        terms += [model.couplings[second == k] * rows[row, first[second == k]]]
        fields[row, k] = math.fsum([model.fields[k], *np.concatenate(terms).tolist()])
    return fields


class _Part(NamedTuple):
    """A connected part of what is missing in a row: its spins and, of the model, its edges."""

    members: np.ndarray
    edges: np.ndarray


class _Parts(Generic[AnyModel]):
    """The connected parts of a model that rows leave unobserved, with their plans and answers."""

    def __init__(self, model: AnyModel):
        self.model = model
        self._cut: dict[bytes, list[_Part]] = {}
        self._planned: dict[tuple[bytes, bytes], AnyModel] = {}
        self._answers: dict[tuple[bytes, bytes], tuple[np.ndarray, np.ndarray]] = {}

    def of(self, missing: np.ndarray) -> list[_Part]:
        """The parts of a pattern, (n_spins,) bool."""
        key = missing.tobytes()
        if key not in self._cut:
            edges = self.model.edges
            inside = np.flatnonzero(missing[edges].all(axis=1))
            label = component_labels(self.model.n_spins, edges[inside])
            self._cut[key] = [
                _Part(np.flatnonzero(missing & (label == part)), inside[label[edges[inside, 0]] == part])
                for part in np.unique(label[missing])
            ]
        return self._cut[key]

    def answers(self, part: _Part, fields: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """(E[x_i] of its spins, E[x_i x_j] of its edges), in the fields of all spins, (n_spins,)."""
        own = fields[part.members]
        if part.members.size == 1:
            return np.tanh(own), np.empty(0)
        key = (part.members.tobytes(), own.tobytes())
        if key not in self._answers:
            solved = self._with_fields(part, own, fields)
            self._answers[key] = (solved.magnetizations(), solved.moments())
        return self._answers[key]

    def _with_fields(self, part: _Part, own: np.ndarray, fields: np.ndarray) -> AnyModel:
        key = (part.members.tobytes(), (own != 0).tobytes())
        if key not in self._planned:
            self._planned[key] = self.model.induced(part.members, fields, fields != 0)
        planned = self._planned[key]
        return planned.with_couplings(planned.couplings, own)


def expected_statistics(model: Model, spins) -> ExpectedStatistics:
    """E[x_i] and E[x_i x_j] of the edges given the observed cells of each row.

    Parameters
    ----------
    spins : (n_samples, n_spins) array of -1, +1 and NaN
        NaN, a masked cell or 0 is missing; 0 and 1 without any -1 are refused, because they look like 0/1 data.

    Raises
    ------
    ModelError
        For spins of the wrong shape or with other values.
    NonPlanarError, PrecisionError
        As in `IsingModel.log_partition`, of what is missing in a row.

    Notes
    -----
    What is missing is solved one connected part at a time. A part is planned once, and rows in which it is alike and
    has equal neighbours are solved once.
    """
    rows = cells(model, spins)
    i, j = model.edges[:, 0], model.edges[:, 1]
    fields = fields_given(model, rows)
    means, inside = rows.copy(), np.full((len(rows), model.n_edges), np.nan)
    parts = _Parts(model)
    for k, missing in _incomplete(rows):
        for part in parts.of(missing):
            means[k, part.members], inside[k, part.edges] = parts.answers(part, fields[k])
    return ExpectedStatistics(np.where(np.isnan(inside), means[:, i] * means[:, j], inside), means)


def _incomplete(rows: np.ndarray) -> Iterator[tuple[int, np.ndarray]]:
    """Numbers of the rows with missing cells, and which those are."""
    for k in np.flatnonzero((rows == 0).any(axis=1)).tolist():
        yield k, rows[k] == 0


def predict(model: Model, spins) -> np.ndarray:
    """P(x_i = +1 | observed cells of the same row) for every cell.

    Parameters
    ----------
    spins : (n_samples, n_spins) array of -1, +1 and NaN
        NaN, a masked cell or 0 is missing; 0 and 1 without any -1 are refused, because they look like 0/1 data.

    Returns
    -------
    (n_samples, n_spins) array
        Observed cells: P(x_i = +1 | all other observed cells), the prediction that leaves the cell itself out
        (exact where the missing cells around it are); missing cells: given all observed ones.

    Raises
    ------
    ModelError
        For spins of the wrong shape or with other values.
    NonPlanarError, PrecisionError
        As in `IsingModel.log_partition`, of what is missing in a row.

    Notes
    -----
    A row without missing cells costs O(m). Missing cells are solved exactly, one connected group at a time.
    """
    rows = cells(model, spins)
    fields = fields_given(model, rows)
    means = np.tanh(fields)  # right where no neighbour is missing
    parts = _Parts(model)
    for k, missing in _incomplete(rows):
        for part in parts.of(missing):
            means[k, part.members], _ = parts.answers(part, fields[k])
        for v in np.flatnonzero(_beside(model, missing)).tolist():
            means[k, v] = _left_out(model, parts, rows[k], v)
    return (1.0 + means) / 2.0


def _beside(model: Model, missing: np.ndarray) -> np.ndarray:
    """Observed spins with a missing neighbour, (n_spins,) bool."""
    i, j = model.edges[:, 0], model.edges[:, 1]
    beside = np.zeros(missing.size, bool)
    np.logical_or.at(beside, i, missing[j])
    np.logical_or.at(beside, j, missing[i])
    return beside & ~missing


def _left_out(model: Model, parts: _Parts, row: np.ndarray, v: int) -> float:
    """E[x_v | the other observed cells]."""
    others = np.where(np.arange(row.size) == v, 0.0, row)
    part = next(part for part in parts.of(others == 0) if v in part.members)
    means, _ = parts.answers(part, fields_given(model, others[None])[0])
    return float(means[part.members == v][0])
