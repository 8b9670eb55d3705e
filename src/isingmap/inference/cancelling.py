"""Entropy and log-probabilities where couplings are so large that log Z and the log-weights cancel to rounding.

Each is a difference of numbers of the size of the sum of all |strengths|. Beyond ten million, doubles cannot hold both
that size and the digits of the difference; it is then computed as one number, in balls or by enumeration.
"""

from __future__ import annotations

import math

import numpy as np

from isingmap.errors import PrecisionError
from isingmap.inference.enumeration import MOST_SPINS, Enumeration, enumerate_model
from isingmap.inference.planned_graph import PlannedGraph
from isingmap.inference.precision import (
    AT_ANY_STRENGTH,
    CANCELLATION,
    LOSS_TOLERANCE_OF_LARGE,
    MOST_SPINS_IN_BALLS,
)
from isingmap.inference.proofs.certified import certified_difference
from isingmap.inference.proofs.table_proof import TableProof
from isingmap.inference.rungs import PlannedModel


def cancels(strengths: np.ndarray, differences: np.ndarray, allowed: float = CANCELLATION) -> np.ndarray:
    """Which differences of log-weights are lost in the rounding of the sums of strengths, bool."""
    rounding = 2.0 * np.finfo(float).eps * np.abs(strengths).sum()
    return rounding > allowed * np.maximum(1.0, np.abs(differences))


def unrounded_sums(terms: np.ndarray) -> np.ndarray:
    """The sum of each row, rounded once, (n_rows,)."""
    return np.array([math.fsum(row) for row in terms])


def entropy(planned: PlannedGraph, strengths: np.ndarray, rounded: float) -> float:
    """The entropy; `rounded` is a difference of doubles, and the answer where it is good enough.

    Raises
    ------
    PrecisionError
        When it is not, and the model is too large for anything else.
    """
    if not cancels(strengths, np.array(rounded)):
        return rounded
    if _is_enumerated(planned):
        return _table(planned, strengths).entropy()
    if planned.parts or planned.graph.n_nodes > MOST_SPINS_IN_BALLS:
        refuse_lost("the entropy", strengths, np.array([rounded]), LOSS_TOLERANCE_OF_LARGE)
        return rounded
    try:
        return _in_balls(planned, strengths, None)
    except PrecisionError:  # more bits than are allowed
        if planned.graph.n_spins > MOST_SPINS:
            raise
        return _table(planned, strengths).entropy()


def log_probabilities(
    planned: PlannedGraph, strengths: np.ndarray, products: np.ndarray, reference: np.ndarray, rounded: np.ndarray
) -> np.ndarray:
    """log P of configurations given by their products on the extended edges, (k, n_edges + n_fields).

    `reference` are the products of a most probable configuration; `rounded` as in `entropy`, (k,).

    Raises
    ------
    PrecisionError
        As in `entropy`.
    """
    lost = cancels(strengths, rounded)
    if not lost.any():
        return rounded
    if planned.parts or (planned.graph.n_nodes > MOST_SPINS_IN_BALLS and not _is_enumerated(planned)):
        refuse_lost("a log-probability", strengths, rounded, LOSS_TOLERANCE_OF_LARGE)
        return rounded
    below = unrounded_sums((products[lost] - reference) * strengths)
    result = rounded.copy()
    result[lost] = below - _log_partition_above(planned, strengths, reference)
    return result


def _log_partition_above(planned: PlannedGraph, strengths: np.ndarray, products: np.ndarray) -> float:
    """log Z less the log-weight of one configuration."""
    if not _is_enumerated(planned):
        try:
            return _in_balls(planned, strengths, products)
        except PrecisionError:
            if planned.graph.n_spins > MOST_SPINS:
                raise
    table, graph = _table(planned, strengths), planned.graph
    best = graph.products(table.configurations[table.reference])
    return table.log_excess + math.fsum((best - products) * strengths)


def _is_enumerated(planned: PlannedGraph) -> bool:
    return not planned.is_planar and planned.graph.n_spins <= MOST_SPINS


def _table(planned: PlannedGraph, strengths: np.ndarray) -> Enumeration:
    return enumerate_model(planned.graph.n_spins, planned.graph.edges, *planned.graph.split(strengths))


def _in_balls(planned: PlannedGraph, strengths: np.ndarray, products: np.ndarray | None) -> float:
    if not planned.is_planar:
        return TableProof(planned.graph, planned.clique_tree, strengths).log_partition_above(products)
    spins = PlannedModel(planned.plan, strengths).ground_spins
    extended = certified_difference(planned.plan, strengths, products, spins=spins).midpoint
    return planned.graph.log_partition(extended)


def refuse_lost(what: str, strengths: np.ndarray, rounded: np.ndarray, allowed: float = CANCELLATION) -> None:
    """Refuse differences that are lost in rounding, where nothing better can be computed.

    Raises
    ------
    PrecisionError
    """
    if cancels(strengths, rounded, allowed).any():
        size = float(np.abs(strengths).sum())
        raise PrecisionError(
            f"{what} is lost in rounding: a small difference of numbers as large as the sum of all |couplings| and "
            f"|fields|, {size:.3g}. {AT_ANY_STRENGTH}",
            loss=2.0 * float(np.finfo(float).eps) * size,
        )
