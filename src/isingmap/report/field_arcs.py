"""How a field is drawn: an arc around the node, as long as the variable leans.

Clockwise from the top for a field above 0, the other way round below, so that the sign does not rest on the colour. A
whole turn is |mean| = 1 of the variable alone, without its neighbours: tanh |field|. So one large field leaves the
others legible, and pictures compare.
"""

from __future__ import annotations

import numpy as np
from scipy.special import expit

from isingmap.report.appearance import NEGATIVE, POSITIVE

# Points.
WIDTH, GAP = 2.2, 1.2
TRACK_WIDTH, TRACK = 0.5, "#bbbbbb"
# Fields whose arcs are in the legend.
SAMPLES = (1.0, 0.3, -0.3, -1.0)


def reach(node_radius: float) -> float:
    """How far arcs go out from the middle of the node."""
    return node_radius + GAP + WIDTH


def sweep(field: float) -> float:
    """Degrees of the arc, clockwise from the top; at least 6, so that it can be seen."""
    return float(np.sign(field) * max(360.0 * np.tanh(abs(field)), 6.0)) if field else 0.0


def colour(field: float) -> str:
    """Of the arc."""
    return POSITIVE if field > 0 else NEGATIVE


def _path(field: float):
    from matplotlib.path import Path

    angle = sweep(field)
    return Path.arc(90.0 - angle, 90.0) if angle > 0 else Path.arc(90.0, 90.0 - angle)


def arc(point, field: float, node_radius: float) -> list:
    """Patches around a node: a thin circle, white inside so that edges end there, and the arc on it."""
    from matplotlib.patches import Circle, PathPatch
    from matplotlib.transforms import Affine2D

    radius = node_radius + GAP + WIDTH / 2
    placed = _path(field).transformed(Affine2D().scale(radius).translate(*point))
    return [
        Circle(point, reach(node_radius), facecolor="white", edgecolor="none", zorder=1.5),
        Circle(point, radius, fill=False, edgecolor=TRACK, linewidth=TRACK_WIDTH, zorder=2.5),
        PathPatch(placed, fill=False, edgecolor=colour(field), linewidth=WIDTH, capstyle="butt", zorder=3),
    ]


def meaning(field: float) -> str:
    """In words, for a legend."""
    return f"field {field:+g} (alone {100 * expit(2 * field):.0f} % +1)"


def legend_rows(fields, node_radius: float) -> list[tuple]:
    """(mark, text) of a few fields of the signs that there are."""
    from matplotlib.lines import Line2D

    size = 2 * node_radius + GAP
    return [
        (
            Line2D(
                [], [], linestyle="", marker=_path(value), markersize=size, markerfacecolor="none",
                markeredgecolor=colour(value), markeredgewidth=WIDTH,
            ),
            meaning(value),
        )
        for value in SAMPLES
        if (np.sign(fields) == np.sign(value)).any()
    ]  # fmt: skip
