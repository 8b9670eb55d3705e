"""How much rows with missing cells tell of the parameters of a fixed graph: the observed information, exact.

Source: T. A. Louis, Finding the observed information matrix when using the EM algorithm, JRSS B 44 (1982).
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from isingmap.inference.pfaffian.blas import one_blas_thread
from isingmap.interruption import look
from isingmap.missing_cells.expectation import Completion
from isingmap.missing_cells.parts import MOST_ENUMERATED, Part
from isingmap.model import IsingModel
from isingmap.model.evidence import fields_given


def observed_information(completion: Completion, model: IsingModel, prior: float | None = None) -> np.ndarray:
    """Minus the second derivatives of the log-likelihood of what was observed, couplings first, then free fields.

    Louis' identity: the information of complete rows, N times the model's covariance of the statistics t, less what the
    missing cells would have told, the sum over rows of Cov(t | what the row shows). Couplings among observed cells
    vary in neither. With N rows it costs what an E-step costs, and a covariance of each part's statistics in each row.
    The pseudo-observations of a prior are complete rows.

    Raises
    ------
    NonPlanarError, PrecisionError
        As in `IsingModel.hessian`, of the model and of what is missing in a row.
    KeyboardInterrupt
        Ctrl-C, between parts.
    """
    with one_blas_thread():
        n_rows = completion.observed.n_samples + (prior or 0.0)
        return n_rows * model.hessian() - _missing_information(completion, model)


def _missing_information(completion: Completion, model: IsingModel) -> np.ndarray:
    rows, weights = completion.observed.rows.astype(np.float64), completion.observed.weights
    fields = fields_given(model, rows)
    number = np.full(model.n_spins, -1)
    number[model.free_fields] = model.n_edges + np.arange(int(model.free_fields.sum()))
    total = np.zeros((model.n_parameters,) * 2)
    for k, part in enumerate(completion.parts):
        look()
        local, parameter, beside = _statistics(model, part, number)
        pull = np.where(beside < 0, 1.0, rows[:, beside])
        of_part = np.zeros((parameter.size,) * 2)
        for those, covariance in _covariances(completion, model, k, fields):
            weighted = pull[those] * weights[those, None]
            of_part += (weighted.T @ pull[those]) * covariance[np.ix_(local, local)]
        np.add.at(total, np.ix_(parameter, parameter), of_part)
    return total


def _covariances(
    completion: Completion, model: IsingModel, k: int, fields: np.ndarray
) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """Of each different set of fields: the rows that have it, covariances of the products of edges, then of spins."""
    part = completion.parts[k]
    if part.members.size > MOST_ENUMERATED:
        for rows, solved in completion.solved(model, k, fields):
            yield rows, _with_every_spin(solved)
        return
    states = 2.0 * ((np.arange(2**part.members.size)[:, None] >> np.arange(part.members.size)) & 1) - 1.0
    statistics = np.hstack([states[:, part.ends[:, 0]] * states[:, part.ends[:, 1]], states])
    inner = statistics[:, : part.edges.size] @ model.couplings[part.edges]
    for rows, values in part.by_fields(fields):
        weight = states @ values + inner
        p = np.exp(weight - weight.max())
        p /= p.sum()
        mean = p @ statistics
        yield rows, (statistics.T * p) @ statistics - np.outer(mean, mean)


def _with_every_spin(solved: IsingModel) -> np.ndarray:
    """The Hessian, also for the fields of spins that have none here."""
    if solved.free_fields.all():
        return solved.hessian()
    every = np.ones(solved.n_spins, bool)
    with_fields = IsingModel(solved.edges, solved.couplings, solved.fields, names=list(solved.names), free_fields=every)
    return with_fields.hessian()


def _statistics(model: IsingModel, part: Part, number: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Which of the part's own statistics each parameter has, its number, and the observed spin beside (-1: none)."""
    place = np.full(model.n_spins, -1)
    place[part.members] = np.arange(part.members.size)
    n_inside = part.edges.size
    found = [(k, edge, -1) for k, edge in enumerate(part.edges.tolist())]
    found += [(n_inside + k, int(number[v]), -1) for k, v in enumerate(part.members.tolist()) if number[v] >= 0]
    inside = place[model.edges] >= 0
    for edge in np.flatnonzero(inside[:, 0] != inside[:, 1]).tolist():
        outer, inner = model.edges[edge][np.argsort(inside[edge], kind="stable")].tolist()
        found.append((n_inside + int(place[inner]), edge, outer))
    local, parameter, beside = np.array(found, dtype=np.int64).reshape(-1, 3).T
    return local, parameter, beside
