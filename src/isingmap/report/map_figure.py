"""The picture of a planar map as a matplotlib figure, drawn in points."""

from __future__ import annotations

import numpy as np

from isingmap.data.table import counted
from isingmap.report import field_arcs
from isingmap.report.appearance import SIGN_MEANINGS, Scale, group_styles, scale_of, sign_style
from isingmap.report.fonts import fonts_for
from isingmap.report.name_places import place_labels
from isingmap.report.text import distinct

LONGEST_NAME = 24  # letters shown in the picture
FONT_SIZE = 7.5
INCH = 72.0
AREA_PER_NODE = 1.15  # square inches: a name of eleven letters is half an inch wide
SMALLEST_AREA, LARGEST_SIDE = 12.0, 60.0  # square inches, inches
MARGIN, LEGEND_WIDTH = 0.5 * INCH, 2.2 * INCH
LEGEND_ROW = 14.5
LONGEST_LEGEND = 24  # groups named in it
NODE_RADIUS = 3.6


def shown_names(names) -> list[str]:
    """Names as drawn: control characters (which XML forbids) blanked, long ones cut, all different."""
    clean = ("".join(letter if letter.isprintable() else " " for letter in name) for name in names)
    return distinct(clean, LONGEST_NAME, "\N{HORIZONTAL ELLIPSIS}")


def sheet(frame: np.ndarray) -> tuple[float, float, float]:
    """Width and height of the map in points, and points per unit of position."""
    extent = np.ptp(frame, axis=0) if len(frame) else np.zeros(2)
    longest = float(extent.max(initial=0.0)) or 1.0
    aspect = np.maximum(extent / longest, 0.4)  # at least 0.4 of the long side, for labels and legend
    area = max(SMALLEST_AREA, AREA_PER_NODE * len(frame))
    side = INCH * min(np.sqrt(area / aspect.prod()), LARGEST_SIDE)
    return float(side * aspect[0]), float(side * aspect[1]), side / longest


def map_figure(names, edges, couplings, frame, places, *, fields, groups, title, legend):
    """The whole picture. One unit of its only axes is one point, so sizes of text and map compare."""
    from matplotlib.figure import Figure

    map_width, map_height, unit = sheet(frame)
    n_rows = 18 + min(len(set(groups or [])), LONGEST_LEGEND)
    bottom, top = 0.4 * INCH, (0.45 if title else 0.1) * INCH
    height = max(map_height + 2 * MARGIN, LEGEND_ROW * n_rows if legend else 0) + bottom + top
    width = map_width + 2 * MARGIN + (LEGEND_WIDTH if legend else 0)
    figure = Figure(figsize=(width / INCH, height / INCH), facecolor="white")
    axes = figure.add_axes((0, 0, 1, 1), xlim=(0, width), ylim=(0, height))
    axes.set_axis_off()
    middle = (frame.min(axis=0) + frame.max(axis=0)) / 2 if len(frame) else np.zeros(2)
    sheet_middle = np.array([MARGIN + map_width / 2, bottom + (height - bottom - top) / 2])
    points = sheet_middle + (places - middle) * unit
    draw_edges(axes, points, edges, couplings)
    draw_nodes(axes, points, fields, groups)
    radius = NODE_RADIUS if fields is None else field_arcs.reach(NODE_RADIUS)
    draw_names(axes, points, edges, names, radius, (2.0, bottom, map_width + 2 * MARGIN, height - top))
    _draw_captions(axes, len(names), couplings, title, height)
    if legend:
        draw_legend(axes, map_rows(couplings, fields, groups), (map_width + 2 * MARGIN, height - top))
    return figure


def draw_edges(axes, points, edges, values, opacity=None) -> None:
    """Lines for the edges, by sign and strength; what is faint lies below what is not, the weak below the strong."""
    from matplotlib.collections import LineCollection
    from matplotlib.colors import to_rgba

    scale = scale_of(values)
    opacity = np.ones(len(values)) if opacity is None else opacity
    order = np.lexsort((np.abs(values), opacity))
    styles = [sign_style(values[e]) for e in order]
    axes.add_collection(
        LineCollection(
            list(points[edges[order]]),
            colors=[to_rgba(colour, opacity[e]) for e, (colour, _) in zip(order, styles, strict=True)],
            linestyles=[dashes for _, dashes in styles],
            linewidths=[scale.width(values[e]) for e in order],
            capstyle="butt",
            zorder=1,
        ),
        autolim=False,
    )


def draw_nodes(axes, points, fields, groups) -> None:
    """Nodes by group, with arcs for their fields."""
    groups = groups or [""] * len(points)
    for group, (colour, marker) in group_styles(groups).items():
        for v in np.flatnonzero(np.array(groups) == group):
            if fields is not None and fields[v] != 0:
                for patch in field_arcs.arc(points[v], fields[v], NODE_RADIUS):
                    axes.add_patch(patch)
            axes.add_line(_node(points[v], colour, marker))


def _node(point, colour: str, marker: str, **more):
    from matplotlib.lines import Line2D

    return Line2D(
        [point[0]], [point[1]], linestyle="", marker=marker, markersize=2 * NODE_RADIUS, color=colour,
        markeredgecolor="white", markeredgewidth=0.6, zorder=4, **more,
    )  # fmt: skip


def draw_names(axes, points, edges, names, radius: float, bounds) -> None:
    """Names beside the nodes, inside the bounds (x0, y0, x1, y1)."""
    from matplotlib.backends.backend_agg import RendererAgg
    from matplotlib.font_manager import FontProperties

    shown = shown_names(names)
    fonts = fonts_for(shown)
    font, measure = FontProperties(family=fonts.families, size=FONT_SIZE), RendererAgg(8, 8, INCH)
    texts = map(fonts.measurable, shown)
    widths = [measure.get_text_width_height_descent(text, font, ismath=False)[0] for text in texts]
    sizes = np.array([(width, FONT_SIZE) for width in widths]).reshape(-1, 2) + 1.0
    centres = place_labels(points, sizes, edges, radius=radius, bounds=bounds)
    halo = {"boxstyle": "square,pad=0.08", "facecolor": "white", "edgecolor": "none", "alpha": 0.75}
    for text, (x, y) in zip(shown, centres, strict=True):
        axes.text(x, y, text, fontsize=FONT_SIZE, ha="center", va="center", bbox=halo, zorder=2)


def _draw_captions(axes, n_spins: int, couplings, title: str | None, height: float) -> None:
    positive, negative = int((couplings > 0).sum()), int((couplings < 0).sum())
    caption = (
        f"{counted(n_spins, 'variable')}, {counted(len(couplings), 'edge')} "
        f"({positive} positive, {negative} negative). Edge: coupling > 0 = tend to agree"
    )
    axes.text(MARGIN / 2, 10, caption, fontsize=FONT_SIZE, va="center", color="#333333")
    if title:
        axes.text(MARGIN / 2, height - 20, title, fontsize=12, va="center", weight="bold")


def map_rows(couplings, fields, groups) -> list[tuple]:
    """Rows of the legend of a map."""
    rows = _group_rows(groups) + _sign_rows(couplings) + width_rows("|coupling|", scale_of(couplings))
    return rows if fields is None else rows + field_arcs.legend_rows(fields, NODE_RADIUS)


def draw_legend(axes, rows, corner) -> None:
    """One column of (mark, text) that begins at a corner, in the units of the axes."""
    if rows:
        axes.legend(
            [mark for mark, _ in rows], [text for _, text in rows], loc="upper left", bbox_to_anchor=corner,
            bbox_transform=axes.transData, frameon=False, fontsize=FONT_SIZE + 0.5, handlelength=2.6,
            borderaxespad=1.0, labelspacing=0.75,
        )  # fmt: skip


def _group_rows(groups) -> list[tuple]:
    if groups is None:
        return []
    styles = group_styles(groups)
    rows = [
        (_node((0, 0), *style), f"{shown or 'no group'} ({groups.count(group)})")
        for (group, style), shown in zip(styles.items(), shown_names(styles), strict=True)
    ]
    if len(rows) > LONGEST_LEGEND:
        rows = rows[:LONGEST_LEGEND] + [
            (legend_line(None, 0), f"and {counted(len(rows) - LONGEST_LEGEND, 'more group')}")
        ]
    return rows


def _sign_rows(couplings) -> list[tuple]:
    return [(legend_line(sign, 1.8), text) for sign, text in SIGN_MEANINGS if (np.sign(couplings) == sign).any()]


def width_rows(what: str, scale: Scale) -> list[tuple]:
    """Rows of a legend that show what widths stand for."""
    return [(legend_line(None, scale.width(value)), f"{what} = {value:g}") for value in scale.samples()]


def legend_line(sign: int | None, width: float):
    """A piece of edge for the legend; without a sign it shows a width only."""
    from matplotlib.lines import Line2D

    colour, dashes = sign_style(0 if sign is None else sign)
    if sign is None:
        colour, dashes = "#555555", "-"
    return Line2D([], [], color=colour, linestyle=dashes, linewidth=width)
