"""What to say when a model is neither planar nor narrow: how wide it is, what fits, and what would help."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from isingmap.errors import NonPlanarError
from isingmap.inference.elimination.clique_tree import MOST_ENTRIES, Width, width_of
from isingmap.inference.extended import ExtendedGraph
from isingmap.planar.planarity import is_planar_kernel

# Larger graphs are not tried: their planning alone would take minutes.
MOST_SPINS = 5000
# Variables whose values would make the rest narrow are looked for up to this number, in graphs up to this size.
MOST_GIVEN = 12
MOST_SPINS_ADVISED = 500


def too_wide(error: NonPlanarError, graph: ExtendedGraph, names: Sequence[str], width: Width | None) -> NonPlanarError:
    """A new error that adds to the planar engine's reason that of elimination, and advice."""
    if width is None:
        reason = f"Eliminating variables, which needs no planarity, is tried up to {MOST_SPINS} spins"
    else:
        reason = (
            f"Eliminating variables one by one, which needs no planarity, would take tables of up to {width.width + 1} "
            f"spins, {_size(width.cost * 4.0)} in all; {_size(MOST_ENTRIES * 8.0)} are the limit"
        )
    advice = [text for text in (_without_fields(graph), _given(graph, names)) if text]
    message = ". ".join([str(error), reason, *(advice or ["Remove edges until the graph is planar or narrow"])])
    return NonPlanarError(message, kind=error.kind, subgraph=error.subgraph, branch_nodes=error.branch_nodes)


def _size(n_bytes: float) -> str:
    gibibytes = n_bytes / 2.0**30
    if gibibytes < 100.0:
        return f"{gibibytes:.3g} GiB"
    return f"{gibibytes:,.0f} GiB" if gibibytes < 1e6 else f"2^{np.log2(n_bytes) - 30.0:.0f} GiB"


def _without_fields(graph: ExtendedGraph) -> str:
    if graph.has_fields and is_planar_kernel(graph.n_spins, np.ascontiguousarray(graph.edges)):
        return "Without its fields the graph is planar, and any size can be answered"
    return ""


def _given(graph: ExtendedGraph, names: Sequence[str]) -> str:
    """Which variables would have to be given for the rest to be narrow: each time the one with the most edges."""
    if graph.n_spins > MOST_SPINS_ADVISED:
        return ""
    edges = graph.edges
    given: list[str] = []
    while len(given) < MOST_GIVEN:
        busiest = int(np.bincount(edges.ravel(), minlength=graph.n_spins).argmax())
        given.append(names[busiest])
        edges = edges[(edges != busiest).all(axis=1)]
        if width_of(graph.n_spins, edges).fits:
            return f"Given the values of {', '.join(given)} (model.condition in Python) the rest is narrow enough"
    return ""
