"""Energies of other programs and the log weights of isingmap: the one place where the sign is turned.

Optimisers minimise an energy, E(s) = sum_i h_i s_i + sum_ij J_ij s_i s_j + offset, so that a *negative* J makes two
spins agree. isingmap has a log weight, in which a *positive* coupling does. Hence coupling = -J, field = -h.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from os import fspath

import numpy as np

from isingmap.errors import FileFormatError, ModelError
from isingmap.io.domains import DOMAINS
from isingmap.io.model_content import ModelFile, ModelPath, build_model
from isingmap.io.rounding import drop_rounding, rounding_notes, settled_sum
from isingmap.model import IsingModel
from isingmap.model.arguments import LARGEST_NUMBER
from isingmap.printable import printable


@dataclass(frozen=True, eq=False)
class Energy:
    """E(x) = scale * (offset + sum_i linear_i x_i + sum_e quadratic_e x_i x_j), x in the `domain`.

    Attributes
    ----------
    names : tuple of str
    edges : (n_edges, 2) sequence of int
    linear, quadratic : sequences of float
    offset, scale : float
    domain : {"spin", "boolean"}
    """

    names: tuple[str, ...]
    edges: Sequence[tuple[int, int]]
    linear: Sequence[float]
    quadratic: Sequence[float]
    offset: float = 0.0
    scale: float = 1.0
    domain: str = "spin"


def model_from_energy(energy: Energy, path: ModelPath, notes: Sequence[str] = ()) -> ModelFile:
    """The Ising model whose log weight is minus an energy.

    Parameters
    ----------
    energy : Energy
    path : path-like
        Where it was read, for messages.
    notes : sequence of str

    Raises
    ------
    FileFormatError
        If a number is too large, or the parts do not make a model.
    """
    _check_sizes(energy, path)
    linear, quadratic = (energy.scale * np.asarray(values, float) for values in (energy.linear, energy.quadratic))
    offset = energy.scale * energy.offset
    ends = np.asarray(energy.edges, np.int64).reshape(-1, 2)
    if energy.domain == "boolean":
        linear, quadratic, offset, n_dropped = _spin_from_boolean(ends, linear, quadratic, offset)
        notes = (*notes, *rounding_notes(n_dropped))
    model = build_model(path, energy.names, ends, -quadratic + 0.0, -linear + 0.0)
    return ModelFile(model, float(offset), energy.scale, energy.domain, tuple(notes))


def _check_sizes(energy: Energy, path: ModelPath) -> None:
    pairs = [f"{energy.names[i]} - {energy.names[j]}" for i, j in energy.edges]
    whose = [f"the coefficient of {name}" for name in (*energy.names, *pairs)] + ["the offset"]
    for what, value in zip(whose, [*energy.linear, *energy.quadratic, energy.offset], strict=True):
        if not abs(energy.scale * value) <= LARGEST_NUMBER:
            times = f" times the scale {energy.scale:g}" if energy.scale != 1 else ""
            raise FileFormatError(
                f"{fspath(path)}: {printable(what)} is {value:g}{times}; expected a finite number of at "
                f"most {LARGEST_NUMBER:g}, so that no sum overflows"
            )


def energy_from_model(model: IsingModel, *, offset=0.0, scale=1.0, domain="spin") -> Energy:
    """The energy, in the given domain and units, of which the model's log weight is the negative.

    Raises
    ------
    ModelError
        If the scale is not a positive number or a coefficient is too large.
    """
    if domain not in DOMAINS:
        raise ModelError(f"domain must be one of {', '.join(DOMAINS)}, got {domain!r}")
    if not (0 < scale < math.inf):
        raise ModelError(f"scale must be a positive number, got {scale}")
    with np.errstate(over="ignore"):
        linear, quadratic, offset = -model.fields / scale, -model.couplings / scale, offset / scale
        if domain == "boolean":
            linear, quadratic, offset = _boolean_from_spin(model.edges, linear, quadratic, offset)
    # Adding 0.0 turns -0.0, which looks odd in a file, into 0.0.
    linear, quadratic = (linear + 0.0).tolist(), (quadratic + 0.0).tolist()
    if not all(math.isfinite(value) for value in (*linear, *quadratic, offset)):
        raise ModelError("a coefficient is too large to be written in this domain and scale")
    pairs = [(i, j) for i, j in model.edges.tolist()]
    return Energy(model.names, pairs, linear, quadratic, float(offset) + 0.0, float(scale), domain)


def _spin_from_boolean(edges, linear, quadratic, offset):
    """Substitute x = (1 + s) / 2."""
    fields, magnitudes, n_terms = linear / 2, np.abs(linear) / 2, np.ones(len(linear))
    for ends in edges.T:
        np.add.at(fields, ends, quadratic / 4)
        np.add.at(magnitudes, ends, np.abs(quadratic) / 4)
        np.add.at(n_terms, ends, 1)
    fields, n_dropped = drop_rounding(fields, magnitudes, n_terms)
    return fields, quadratic / 4, settled_sum([offset, *(linear / 2), *(quadratic / 4)]), n_dropped


def _boolean_from_spin(edges, linear, quadratic, offset):
    """Substitute s = 2 x - 1."""
    weights = 2 * linear
    for ends in edges.T:
        np.subtract.at(weights, ends, 2 * quadratic)
    return weights, 4 * quadratic, offset + float(quadratic.sum()) - float(linear.sum())
