"""Questions about a model that lead to other models: conditioning, prediction of missing cells, divergence."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Protocol, TypeVar

import numpy as np

from isingmap.errors import ModelError
from isingmap.inference.cancelling import cancels, refuse_lost
from isingmap.planar.blocks import component_labels


class Model(Protocol):
    """What the questions need of an `IsingModel`, which calls them."""

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

    def log_partition(self) -> float: ...

    def magnetizations(self) -> np.ndarray: ...

    def correlations(self, pairs: np.ndarray) -> np.ndarray: ...

    def entropy(self) -> float: ...


AnyModel = TypeVar("AnyModel", bound=Model)


def condition(model: AnyModel, evidence: Mapping[str, int]) -> AnyModel:
    """The model of the remaining spins given the observed ones.

    Observed neighbours turn into fields: field_i + sum_j coupling_ij x_j. Every configuration has positive
    probability, so any evidence is possible. The new fields must keep the extended graph planar (always so for a
    family of spins around one face); otherwise the answers of the new model raise NonPlanarError.

    Parameters
    ----------
    evidence : mapping of name to -1 or +1

    Raises
    ------
    ModelError
        For an unknown name, a value that is not -1 or +1, or when nothing is left.
    """
    if not isinstance(evidence, Mapping):
        raise ModelError(f"evidence must be a mapping such as {{{model.names[0]!r}: 1}}, got {evidence!r}")
    observed = np.zeros(model.n_spins)
    position = {name: k for k, name in enumerate(model.names)}
    for name, value in evidence.items():
        if name not in position:
            raise ModelError(f"evidence names {name!r}, which is no spin of the model")
        if not _is_spin(value):
            raise ModelError(f"evidence for {name} is {value!r}; give -1 or +1 (for 0/1 data 2 * x - 1)")
        observed[position[name]] = value
    if observed.all():
        raise ModelError("the evidence covers every spin, so no model is left; use log_probability")
    return _given(model, observed)


def _is_spin(value: object) -> bool:
    try:
        return bool(value in (-1, 1))
    except ValueError:  # an array
        return False


def _given(model: AnyModel, observed: np.ndarray) -> AnyModel:
    """Condition on the spins whose entry in `observed` is not 0."""
    fields = _fields_given(model, observed)
    touched = np.zeros(model.n_spins, bool)
    i, j = model.edges[:, 0], model.edges[:, 1]
    np.logical_or.at(touched, i, observed[j] != 0)
    np.logical_or.at(touched, j, observed[i] != 0)
    return model.induced(np.flatnonzero(observed == 0), fields, model.free_fields | touched)


def _fields_given(model: Model, observed: np.ndarray) -> np.ndarray:
    """The fields with what the observed spins add, (n_spins,); where large numbers cancel, each is rounded once."""
    fields = model.fields + _pull(model, observed)
    first, second = model.edges.T
    for k in np.flatnonzero(cancels(np.append(model.couplings, model.fields), fields)).tolist():
        terms = [model.couplings[first == k] * observed[second[first == k]]]
        terms += [model.couplings[second == k] * observed[first[second == k]]]
        fields[k] = math.fsum([model.fields[k], *np.concatenate(terms).tolist()])
    return fields


def _pull(model: Model, observed: np.ndarray) -> np.ndarray:
    """Fields that the observed spins put on their neighbours, (n_spins,)."""
    i, j = model.edges[:, 0], model.edges[:, 1]
    pull = np.zeros(model.n_spins)
    np.add.at(pull, i, model.couplings * observed[j])
    np.add.at(pull, j, model.couplings * observed[i])
    return pull


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
    x = _cells(model, spins)
    return np.array([_predict_row(model, row.astype(float)) for row in x])


def _cells(model: Model, spins) -> np.ndarray:
    """Rows of -1, +1 and 0 for a missing cell."""
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


def _predict_row(model: Model, row: np.ndarray) -> np.ndarray:
    if not (row == 0).any():
        return _logistic(_fields_given(model, row))
    result = _predict_missing(model, row)
    for k in np.flatnonzero(row).tolist():
        without = row.copy()
        without[k] = 0.0
        result[k] = _predict_missing(model, without, only=k)[k]
    return result


def _predict_missing(model: Model, row: np.ndarray, only: int | None = None) -> np.ndarray:
    """P(x_i = +1 | observed) of the missing cells, or of those connected with the cell `only`; else NaN."""
    missing = row == 0
    fields = _fields_given(model, row)
    inside = missing[model.edges].all(axis=1)
    group = component_labels(model.n_spins, model.edges[inside])
    result = np.full(model.n_spins, np.nan)
    for label in np.unique(group[missing]) if only is None else [group[only]]:
        members = np.flatnonzero(missing & (group == label))
        if members.size == 1:
            result[members] = _logistic(fields[members])
        else:
            part = model.induced(members, fields, fields != 0)
            result[members] = (1.0 + part.magnetizations()) / 2.0
    return result


def _logistic(field: np.ndarray) -> np.ndarray:
    """P(x = +1) of a single spin in a field."""
    return (1.0 + np.tanh(field)) / 2.0


def kl_divergence(model: Model, other: Model) -> float:
    """D(model || other) = sum P log(P / Q) in nats; exact.

    Raises
    ------
    ModelError
        When the two models are not about the same names.
    NonPlanarError, PrecisionError
        As in `IsingModel.log_partition`.
    """
    if set(model.names) != set(other.names):
        different = sorted(set(model.names) ^ set(other.names))
        raise ModelError(f"the models have different spins: {', '.join(different[:10])}")
    position = {name: k for k, name in enumerate(model.names)}
    place = np.array([position[name] for name in other.names])
    moments = model.correlations(place[other.edges]) if other.n_edges else np.empty(0)
    expected = float(other.couplings @ moments)
    if other.free_fields.any():
        expected += float(other.fields @ model.magnetizations()[place])
    cross = other.log_partition() - expected
    refuse_lost("the divergence", np.append(other.couplings, other.fields), np.array(cross))
    return cross - model.entropy()
