"""Energies of other programs and the log weights of isingmap: the one place where the sign is turned.

Optimisers minimise an energy, E(s) = sum_i h_i s_i + sum_ij J_ij s_i s_j + offset, so that a *negative* J makes two
spins agree. isingmap has a log weight, in which a *positive* coupling does. Hence coupling = -J, field = -h.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from os import PathLike, fspath

import numpy as np

from isingmap.errors import FileFormatError, ModelError
from isingmap.model import IsingModel

DOMAINS = ("spin", "boolean")
_LARGEST = 1e300  # sums of a hundred million such numbers are still finite


@dataclass(frozen=True, eq=False)
class ModelFile:
    """A model and what its file says beyond it.

    For every configuration, E(x) = offset - model.log_weight(x), where E is the energy that the file defines, in its
    own units and with its scale multiplied in, and P(x) = exp(-E(x)) / Z. The log partition function of the
    file is therefore model.log_partition() - offset.

    Attributes
    ----------
    model : IsingModel
    offset : float
        Nats, at inverse temperature 1.
    scale : float
        Factor in front of all terms in the file (1 in formats without one). The couplings, the fields and
        `offset` contain it; it is kept so that the file can be written back with the numbers it had.
    domain : {"spin", "boolean"}
        Whether the file's variables are -1/+1 or 0/1; 0 stands for -1.
    notes : tuple of str
        What was done on reading, as plain sentences.
    """

    model: IsingModel
    offset: float = 0.0
    scale: float = 1.0
    domain: str = "spin"
    notes: tuple[str, ...] = ()


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


def model_from_energy(energy: Energy, path: str | PathLike, notes: Sequence[str] = ()) -> ModelFile:
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
    linear, quadratic = (energy.scale * np.asarray(values, float) for values in (energy.linear, energy.quadratic))
    offset = energy.scale * energy.offset
    if not all(abs(value) <= _LARGEST for value in (*linear.tolist(), *quadratic.tolist(), offset)):
        raise FileFormatError(f"{fspath(path)}: a coefficient is beyond {_LARGEST:g}; rescale the energy")
    ends = np.asarray(energy.edges, np.int64).reshape(-1, 2)
    if energy.domain == "boolean":
        linear, quadratic, offset, n_dropped = _spin_from_boolean(ends, linear, quadratic, offset)
        notes = (*notes, *rounding_notes(n_dropped))
    model = build_model(path, energy.names, ends, -quadratic + 0.0, -linear + 0.0)
    return ModelFile(model, float(offset), energy.scale, energy.domain, tuple(notes))


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
    values = [(array + 0.0).tolist() for array in (linear, quadratic)]
    if not all(math.isfinite(value) for value in (*values[0], *values[1], offset)):
        raise ModelError("a coefficient is too large to be written in this domain and scale")
    pairs = [(i, j) for i, j in model.edges.tolist()]
    return Energy(model.names, pairs, *values, float(offset) + 0.0, float(scale), domain)


def build_model(path: str | PathLike, names, edges, couplings, fields) -> IsingModel:
    """IsingModel(...), with the file named in the error if the parts do not fit together."""
    try:
        return IsingModel(edges, couplings, fields, names=names)
    except ModelError as error:
        raise FileFormatError(f"{fspath(path)}: {error}") from None


def drop_rounding(fields: np.ndarray, magnitudes: np.ndarray, n_terms: np.ndarray) -> tuple[np.ndarray, int]:
    """Set to zero the fields that are nothing but the rounding error of the sum they were computed as.

    A zero-field model that went through 0/1 variables or tables of factors would otherwise come back with fields
    of 1e-17, and a planar graph with fields everywhere is no longer within reach of exact inference.

    Parameters
    ----------
    fields, magnitudes, n_terms : (n_spins,) arrays
        The sums, the sums of absolute values, and the numbers of terms.

    Returns
    -------
    fields : (n_spins,) array
    n_dropped : int
    """
    rounding = (fields != 0) & (np.abs(fields) <= 4 * np.finfo(float).eps * n_terms * magnitudes)
    return np.where(rounding, 0.0, fields), int(rounding.sum())


def settled_sum(terms: Sequence[float]) -> float:
    """The sum, or zero if it is nothing but the rounding error of its terms (an offset that cancels)."""
    magnitude = np.array([math.fsum(map(abs, terms))])
    total, _ = drop_rounding(np.array([math.fsum(terms)]), magnitude, np.array([len(terms)]))
    return float(total[0])


def rounding_notes(n_dropped: int) -> tuple[str, ...]:
    """What to say about `drop_rounding`."""
    if not n_dropped:
        return ()
    return (f"{n_dropped} field(s) as small as the rounding error of their terms were set to zero.",)


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
