"""The elements of the picture: nodes, edges, the legend, with the look of the printed picture."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from isingmap.model import IsingModel
from isingmap.printable import printable
from isingmap.report import field_arcs
from isingmap.report.appearance import SIGN_MEANINGS, group_styles, scale_of, sign_style
from isingmap.report.map_figure import shown_names
from isingmap.report.page.shapes import MARKER_PATHS, arc_path, dash_pattern
from isingmap.report.page.sheet import Sheet


@dataclass(frozen=True)
class Node:
    """A variable; places in points, `name` in full and `shown` as it is written in the picture."""

    name: str
    shown: str
    x: float
    y: float
    label_x: float
    label_y: float
    colour: str
    shape: str
    arc: str
    arc_colour: str


def nodes_of(model: IsingModel, groups: Sequence[str] | None, sheet: Sheet) -> Iterator[Node]:
    """In the order of the model."""
    groups = groups or [""] * model.n_spins
    styles = group_styles(groups)
    for k, name in enumerate(model.names):
        (x, y), (label_x, label_y) = sheet.start[k].round(2).tolist(), sheet.labels[k].round(2).tolist()
        colour, marker = styles[groups[k]]
        field = float(model.fields[k])
        yield Node(
            printable(name), sheet.names[k], x, y, label_x, label_y, colour, MARKER_PATHS[marker],
            arc_path(field), field_arcs.colour(field),
        )  # fmt: skip


@dataclass(frozen=True)
class Edge:
    """A line: its number in the model, both ends in points, and in words what it stands for."""

    number: int
    start: tuple[float, float]
    end: tuple[float, float]
    colour: str
    width: float
    dashes: str
    words: str


def edges_of(model: IsingModel, sheet: Sheet) -> Iterator[Edge]:
    """The weak ones first, so that strong ones are drawn above them."""
    scale = scale_of(model.couplings)
    names = [printable(name) for name in model.names]
    for k in np.argsort(np.abs(model.couplings), kind="stable").tolist():
        i, j = model.edges[k].tolist()
        coupling = float(model.couplings[k])
        yield Edge(
            number=k,
            start=tuple(sheet.start[i].round(2).tolist()),
            end=tuple(sheet.start[j].round(2).tolist()),
            colour=sign_style(coupling)[0],
            width=round(scale.width(coupling), 3),
            dashes=dash_pattern(coupling),
            words=f"{names[i]} – {names[j]}: coupling {coupling:+.3f}",
        )


@dataclass(frozen=True)
class LegendRow:
    """A piece of edge, or an arc of a field, and what it means."""

    text: str
    colour: str
    width: float
    dashes: str = ""
    arc: str = ""


def legend_of(model: IsingModel) -> list[LegendRow]:
    """Signs, widths and fields that the picture has."""
    scale, fields = scale_of(model.couplings), model.fields
    rows = [
        LegendRow(text, sign_style(sign)[0], 2.0, dash_pattern(sign))
        for sign, text in SIGN_MEANINGS
        if (np.sign(model.couplings) == sign).any()
    ]
    rows += [LegendRow(f"|coupling| = {value:g}", "currentColor", scale.width(value)) for value in scale.samples()]
    rows += [
        LegendRow(field_arcs.meaning(value), field_arcs.colour(value), field_arcs.WIDTH, arc=arc_path(value))
        for value in field_arcs.SAMPLES
        if (np.sign(fields) == np.sign(value)).any()
    ]
    return rows


def groups_of(groups: Sequence[str] | None) -> list[tuple[str, str, str]]:
    """(name and size, colour, shape) of each group, in the order of `group_styles`."""
    styles = group_styles(groups or [])
    shown = [name or "no group" for name in shown_names(styles)]
    sizes = [list(groups or ()).count(group) for group in styles]
    return [
        (f"{name} ({size})", colour, MARKER_PATHS[marker])
        for name, size, (colour, marker) in zip(shown, sizes, styles.values(), strict=True)
    ]
