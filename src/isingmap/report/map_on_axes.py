"""A map on axes of the caller's, beside other plots, and the places of its variables."""

from __future__ import annotations

from typing import Any

import numpy as np

from isingmap.errors import NonPlanarError
from isingmap.learning.learned_map import LearnedMap, Positions, check_places
from isingmap.model import IsingModel
from isingmap.planar.drawing.layout import named_layout
from isingmap.report import field_arcs
from isingmap.report.map_figure import (
    INCH,
    LEGEND_ROW,
    LEGEND_WIDTH,
    MARGIN,
    NODE_RADIUS,
    draw_edges,
    draw_legend,
    draw_names,
    draw_nodes,
    map_rows,
    sheet,
)
from isingmap.report.on_axes import as_written, check_axes, check_kind, in_points, new_axes, room_beside, scaled

_DRAWN = "learned_ of a fit, or an IsingModel"


def positions_of(found: LearnedMap | IsingModel, layout: str = "planar") -> dict[str, tuple[float, float]]:
    """Places of the variables, to draw another map in the same places.

    Parameters
    ----------
    found : LearnedMap or IsingModel
        A LearnedMap has places of its own, and `layout` is not asked.
    layout : {"planar", "kamada-kawai"}

    Returns
    -------
    dict
        Name -> (x, y).

    Raises
    ------
    ModelError
        If `found` is neither, or for an unknown layout.
    NonPlanarError
        From "planar", of a model whose graph is not.
    """
    check_kind("positions_of", found, (LearnedMap, IsingModel), _DRAWN)
    if isinstance(found, LearnedMap):
        return dict(found.positions)
    places = named_layout(layout, found.n_spins, found.edges, labels=found.names)
    return {name: (x, y) for name, (x, y) in zip(found.names, places.tolist(), strict=True)}


def plot_map(
    found: LearnedMap | IsingModel, axes: Any = None, *, positions: Positions | None = None, legend: bool = True
) -> Any:
    """Draw a map on axes, whose size should not change afterwards; returns the axes.

    Parameters
    ----------
    found : LearnedMap or IsingModel
        `learned_` of a fitted PlanarIsing, with its groups and places, or any model.
    axes : matplotlib Axes, optional
        Those of a new pyplot figure where left out, as large as the map needs.
    positions : mapping of name to (x, y), optional
        Places to take, such as `positions_of` another map; names that are not in this one keep room for them.
    legend : bool

    Returns
    -------
    matplotlib Axes
        One unit of it is one point (1/72 inch).

    Raises
    ------
    ModelError
        If `found` is neither, the positions lack a variable, or the axes are none or too small.
    NonPlanarError
        Of a model whose graph is not planar; `positions_of(found, "kamada-kawai")` has places for it, with crossings.
    """
    check_kind("plot_map", found, (LearnedMap, IsingModel), _DRAWN)
    model = found if isinstance(found, IsingModel) else found.model
    groups = list(found.groups) if isinstance(found, LearnedMap) and found.groups else None
    places = _own_places(found) if positions is None else check_places(positions, model.names)
    frame = np.array(list(places.values()), dtype=float).reshape(-1, 2)
    fields = model.fields if model.free_fields.any() else None
    rows = map_rows(model.couplings, fields, groups) if legend else []
    axes = new_axes(_size(frame, len(rows)), whole=True) if axes is None else check_axes(axes)
    box, corner = room_beside(in_points(axes), len(rows), LEGEND_WIDTH, ", or legend=False")
    points = scaled(np.array([places[name] for name in model.names], dtype=float).reshape(-1, 2), frame, box)
    draw_edges(axes, points, model.edges, model.couplings)
    draw_nodes(axes, points, fields, groups)
    radius = NODE_RADIUS if fields is None else field_arcs.reach(NODE_RADIUS)
    with as_written(axes):
        draw_names(axes, points, model.edges, model.names, radius, (2.0, *box[1:]))
        draw_legend(axes, rows, corner)
    return axes


def _own_places(found: LearnedMap | IsingModel) -> Positions:
    try:
        return positions_of(found)
    except NonPlanarError as error:
        error.add_note('It can be drawn with crossings: positions=positions_of(model, "kamada-kawai")')
        raise


def _size(frame: np.ndarray, n_rows: int) -> tuple[float, float]:
    """Of the map with its margins and the rows of its legend, inches."""
    width, height, _ = sheet(frame)
    side = LEGEND_WIDTH if n_rows else 0.0
    return (width + 2 * MARGIN + side) / INCH, max(height + 2 * MARGIN, LEGEND_ROW * (n_rows + 1)) / INCH
