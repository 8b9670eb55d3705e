"""Facts of a model, fitted or not: sizes, exact numbers, strongest couplings."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from isingmap.data.table import counted
from isingmap.errors import NonPlanarError, PrecisionError
from isingmap.model import IsingModel
from isingmap.planar.embedding import is_planar
from isingmap.report.facts import Fact, convention, strongest_couplings, text_fact
from isingmap.report.text import shortened, some

SIZES, ANSWERS = "Sizes", "Exact answers"

METHODS = {
    "planar": "planar method",
    "elimination": "elimination of variables",
    "enumeration": "sum over all configurations",
    "pieces": "each piece by the planar method or by elimination of variables",
}


def model_facts(model: IsingModel) -> list[Fact]:
    """All facts, in the order of the report.

    Where the model has no exact answers, because it is not planar or too strongly coupled, the reason is given in
    their place.
    """
    return [*_sizes(model), *_answers(model), *strongest_couplings(model), convention()]


def _sizes(model: IsingModel) -> Iterator[Fact]:
    n_fields = int(model.free_fields.sum())
    yield Fact(SIZES, "variables", model.n_spins, f"{model.n_spins:,}: {some(model.names, 6)}")
    yield Fact(SIZES, "couplings", model.n_edges, f"{model.n_edges:,}")
    yield Fact(SIZES, "free fields", n_fields, f"{n_fields} of {counted(model.n_spins, 'variable')}")
    yield text_fact(SIZES, "planar", _planarity(model))


def _planarity(model: IsingModel) -> str:
    """Whether the graph is planar, and whether it is so with the auxiliary node of the fields."""
    if model.planned.is_planar:
        return "yes, also together with the auxiliary spin of the fields" if model.free_fields.any() else "yes"
    if not model.free_fields.any() or not is_planar(model.n_spins, model.edges):
        return "no"
    return "yes, but not together with the auxiliary spin of the fields"


def _answers(model: IsingModel) -> Iterator[Fact]:
    try:
        entropy = model.entropy()
    except (NonPlanarError, PrecisionError) as error:
        yield text_fact(ANSWERS, "none", error)
        return
    log_z = model.log_partition()
    by = METHODS[model.method]
    yield Fact(ANSWERS, "log Z", log_z, f"{log_z:.12g} nats ({by})")
    yield Fact(ANSWERS, "entropy", float(entropy), f"{entropy:.10g} nats = {entropy / np.log(2):.10g} bits")
    yield _magnetizations(model)


def _magnetizations(model: IsingModel) -> Fact:
    means = model.magnetizations()
    low, high = int(means.argmin()), int(means.argmax())
    text = (
        f"from {means[low]:.4f} ({shortened(model.names[low], 24)}) to {means[high]:.4f} "
        f"({shortened(model.names[high], 24)})"
    )
    if not model.free_fields.any():
        text = "all zero: without fields, every variable is -1 half of the time"
    return Fact(ANSWERS, "magnetizations", [float(means[low]), float(means[high])], text)
