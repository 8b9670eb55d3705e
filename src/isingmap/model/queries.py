"""Questions about a model that lead to other models: conditioning, divergence."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from isingmap.errors import ModelError
from isingmap.inference.cancelling import refuse_lost
from isingmap.model.evidence import AnyModel, Model, fields_given


def condition(model: AnyModel, evidence: Mapping[str, int]) -> AnyModel:
    """The model of the remaining spins given the observed ones.

    Observed neighbours turn into fields: field_i + sum_j coupling_ij x_j. Every configuration has positive
    probability, so any evidence is possible. The answers of the new model are exact where it is planar with its new
    fields, or narrow: the more is observed, the narrower.

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
    fields = fields_given(model, observed[None])[0]
    touched = np.zeros(model.n_spins, bool)
    i, j = model.edges[:, 0], model.edges[:, 1]
    np.logical_or.at(touched, i, observed[j] != 0)
    np.logical_or.at(touched, j, observed[i] != 0)
    return model.induced(np.flatnonzero(observed == 0), fields, model.free_fields | touched)


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
