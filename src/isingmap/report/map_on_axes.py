"""A map on axes of the caller's, beside other plots, and the places of its variables."""

from __future__ import annotations

from typing import Any

import numpy as np

from isingmap.errors import ModelError
from isingmap.learning.learned_map import LearnedMap, Positions, check_places
from isingmap.model import IsingModel
from isingmap.planar.drawing.layout import named_layout
from isingmap.report import field_arcs
from isingmap.report.map_figure import (
    INCH,
    LEGEND_WIDTH,
    MARGIN,
    NODE_RADIUS,
    draw_edges,
    draw_legend,
    draw_names,
    draw_nodes,
    in_points,
    map_rows,
    new_axes,
    scaled,
    sheet,
)


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
        For an unknown layout.
    NonPlanarError
        From "planar", of a model whose graph is not.
    """
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
        If `found` is neither, or the positions lack a variable.
    """
    if not isinstance(found, LearnedMap | IsingModel):
        raise ModelError(f"plot_map draws learned_ of a fit, or an IsingModel; got {type(found).__name__}")
    model = found if isinstance(found, IsingModel) else found.model
    groups = list(found.groups) if isinstance(found, LearnedMap) and found.groups else None
    places = positions_of(found) if positions is None else check_places(positions, model.names)
    frame = np.array(list(places.values()), dtype=float).reshape(-1, 2)
    side = LEGEND_WIDTH if legend else 0.0
    axes = new_axes(_size(frame, side), whole=True) if axes is None else axes
    width, height = in_points(axes)
    room = max(width - side, 1.0), height
    points = scaled(np.array([places[name] for name in model.names], dtype=float).reshape(-1, 2), frame, room)
    fields = model.fields if model.free_fields.any() else None
    draw_edges(axes, points, model.edges, model.couplings)
    draw_nodes(axes, points, fields, groups)
    radius = NODE_RADIUS if fields is None else field_arcs.reach(NODE_RADIUS)
    draw_names(axes, points, model.edges, model.names, radius, (2.0, 0.0, *room))
    if legend:
        draw_legend(axes, map_rows(model.couplings, fields, groups), (room[0], height))
    return axes


def _size(frame: np.ndarray, side: float) -> tuple[float, float]:
    """Of the map with its margins, inches; `side` points for the legend."""
    width, height, _ = sheet(frame)
    return (width + 2 * MARGIN + side) / INCH, (height + 2 * MARGIN) / INCH
