"""The picture of two maps' differences on common positions."""

from __future__ import annotations

from typing import Any

import numpy as np

from isingmap.comparing.comparison import Comparison
from isingmap.data.table import counted
from isingmap.learning.learned_map import Positions, check_places
from isingmap.report.appearance import LEFT_OUT, scale_of
from isingmap.report.common_places import common_places
from isingmap.report.comparison_facts import LEVEL, NOT_COMPARED, left_out_pairs
from isingmap.report.map_figure import (
    FONT_SIZE,
    INCH,
    LEGEND_ROW,
    MARGIN,
    NODE_RADIUS,
    draw_edges,
    draw_legend,
    draw_names,
    draw_nodes,
    legend_line,
    sheet,
    shown_names,
    width_rows,
)
from isingmap.report.on_axes import as_written, check_axes, check_kind, in_points, new_axes, room_beside, scaled
from isingmap.report.text import shortened

FADED = 0.4  # opacity of differences that chance makes as often
CAPTION = 0.4 * INCH
LEGEND_WIDTH = 2.9 * INCH  # room for the label of a group
_LEGEND_ROWS = 11


def difference_figure(comparison: Comparison, title: str | None, places: Positions | None = None) -> Any:
    """A sheet with `plot_difference` on it."""
    from matplotlib.figure import Figure

    places = common_places([learned.model for learned in comparison.maps]) if places is None else places
    top = 0.45 * INCH if title else 0.1 * INCH
    width, height = (side * INCH for side in _size(places))
    figure = Figure(figsize=(width / INCH, (height + top) / INCH), facecolor="white")
    if title:
        look: dict[str, Any] = {"fontsize": 12, "va": "center", "weight": "bold"}
        figure.text(MARGIN / 2 / width, 1 - 20 / (height + top), shortened(title, 80), **look)
    plot_difference(comparison, figure.add_axes((0, 0, 1, height / (height + top))), places=places)
    return figure


def _size(places: Positions) -> tuple[float, float]:
    """Width and height of the map with its legend and caption, inches."""
    map_width, map_height, _ = sheet(np.array(list(places.values()), dtype=float).reshape(-1, 2))
    height = max(map_height + 2 * MARGIN, LEGEND_ROW * _LEGEND_ROWS) + CAPTION
    return (map_width + 2 * MARGIN + LEGEND_WIDTH) / INCH, height / INCH


def plot_difference(comparison: Comparison, axes: Any = None, *, places: Positions | None = None) -> Any:
    """Draw what is stronger in which group on axes, whose size should not change afterwards; returns the axes.

    Parameters
    ----------
    comparison : Comparison
    axes : matplotlib Axes, optional
        Those of a new pyplot figure where left out, as large as the picture of `isingmap compare`.
    places : mapping of name to (x, y), optional
        By default `common_places` of both maps.

    Returns
    -------
    matplotlib Axes
        One unit of it is one point (1/72 inch).

    Raises
    ------
    ModelError
        If it is no comparison, the places lack a variable, or the axes are none or too small.
    """
    check_kind("plot_difference", comparison, Comparison, "what compare returns")
    models = [learned.model for learned in comparison.maps]
    places = common_places(models) if places is None else check_places(places, comparison.names)
    shown, left_out = _shown_pairs(comparison)
    edges, difference = comparison.pairs[shown], comparison.difference[shown]
    rows = _legend_rows(comparison, shown, bool(len(left_out)))
    axes = new_axes(_size(places), whole=True) if axes is None else check_axes(axes)
    width, height = in_points(axes)
    box, corner = room_beside((width, max(height - CAPTION, 1.0)), len(rows), LEGEND_WIDTH, "")
    box[1::2] += CAPTION
    frame = np.array(list(places.values()), dtype=float).reshape(-1, 2)
    points = scaled(np.array([places[name] for name in comparison.names], dtype=float).reshape(-1, 2), frame, box)
    draw_edges(axes, points, edges, difference, np.where(comparison.edge_p_values[shown] < LEVEL, 1.0, FADED))
    for i, j in comparison.pairs[left_out].tolist():
        axes.add_line(_left_out(*points[[i, j]].T))
    _draw_stars(axes, points[edges[comparison.holm_p_values[shown] < LEVEL]])
    draw_nodes(axes, points, None, None)
    with as_written(axes):
        draw_names(axes, points, comparison.pairs[[*shown, *left_out]], comparison.names, NODE_RADIUS, (2.0, *box[1:]))
        axes.text(MARGIN / 2, 10, _caption(comparison), fontsize=FONT_SIZE, va="center", color="#333333")
        draw_legend(axes, rows, corner + (0.0, CAPTION))
    return axes


def _shown_pairs(comparison: Comparison) -> tuple[np.ndarray, np.ndarray]:
    """Numbers of the pairs that differ: those with two estimates, and those that a map lacks as they had none."""
    differ, left_out = np.flatnonzero(comparison.difference != 0), left_out_pairs(comparison)
    names = comparison.names
    is_left_out = np.array([frozenset((names[i], names[j])) in left_out for i, j in comparison.pairs[differ].tolist()])
    return differ[~is_left_out.astype(bool)], differ[is_left_out.astype(bool)]


def _left_out(x: Any, y: Any) -> Any:
    from matplotlib.lines import Line2D

    return Line2D(x, y, color=LEFT_OUT, linestyle="-.", linewidth=1.2, zorder=1)


def _draw_stars(axes: Any, ends: np.ndarray) -> None:
    for x, y in ends.mean(axis=1).tolist():
        axes.add_line(_star(x, y))


def _star(x: float, y: float) -> Any:
    from matplotlib.lines import Line2D

    return Line2D([x], [y], linestyle="", marker="*", markersize=8, color="black", markeredgecolor="white",
                  markeredgewidth=0.6, zorder=3)  # fmt: skip


def _caption(comparison: Comparison) -> str:
    test = comparison.structure
    return (
        f"{counted(len(comparison.names), 'variable')}; {comparison.n_permutations:,} permutations: largest difference "
        f"of a coupling {test.value:.3g}, p = {test.p_value:.2g}"
    )


def _legend_rows(comparison: Comparison, shown: np.ndarray, has_left_out: bool) -> list[tuple]:
    first, second = shown_names(comparison.labels)
    difference = comparison.difference[shown]
    p_values, holm = comparison.edge_p_values[shown], comparison.holm_p_values[shown]
    rows = [
        (legend_line(sign, 1.8), f"more positive in {label}")
        for sign, label in ((1, second), (-1, first))
        if (np.sign(difference) == sign).any()
    ]
    if (p_values >= LEVEL).any():
        rows.append((_faded(), f"pale: p \N{GREATER-THAN OR EQUAL TO} {LEVEL:g}"))
    if (holm < LEVEL).any():
        rows.append((_star(0, 0), f"p < {LEVEL:g}, corrected (Holm)"))
    if has_left_out:
        rows.append((_left_out([], []), NOT_COMPARED))
    return rows + width_rows("|difference|", scale_of(difference))


def _faded() -> Any:
    """Both kinds of edge, pale."""
    line = legend_line(None, 1.8)
    line.set_alpha(FADED)
    return line
