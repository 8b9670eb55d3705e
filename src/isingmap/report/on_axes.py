"""What is drawn on axes of the caller's: are they axes, is it what the plot draws, and is there room."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

from isingmap.errors import ModelError
from isingmap.report.fonts import fonts_for
from isingmap.report.map_figure import FONT_SIZE, INCH, LEGEND_ROW, MARGIN


def check_kind(plot: str, found: Any, kinds: type | tuple[type, ...], what: str) -> None:
    """Refuse what a plot does not draw.

    Raises
    ------
    ModelError
    """
    if not isinstance(found, kinds):
        raise ModelError(f"{plot} takes {what}; got {type(found).__name__}")


def check_axes(axes: Any) -> Any:
    """The axes, if they are one pair of flat ones.

    Raises
    ------
    ModelError
    """
    from matplotlib.axes import Axes

    if isinstance(axes, Axes) and axes.name == "rectilinear":
        return axes
    got = f"{axes.name} axes" if isinstance(axes, Axes) else type(axes).__name__
    advice = "; pyplot.subplots returns an array of several: give one of them" if isinstance(axes, np.ndarray) else ""
    raise ModelError(f"axes must be rectilinear matplotlib Axes, got {got}{advice}")


@contextmanager
def as_written(*axes: Any) -> Iterator[None]:
    """Texts that are put on the axes inside are no formulas, and get the fonts that have their letters."""
    from matplotlib.text import Text

    there = {text for one in axes for text in one.findobj(Text)}
    yield
    new = [text for one in axes for text in one.findobj(Text) if text not in there]
    families = fonts_for(text.get_text() for text in new).families
    for text in new:
        text.set_parse_math(False)
        if len(families) > 1:
            text.set_fontfamily(families)


def new_axes(size: tuple[float, float], *, whole: bool = False):
    """Axes of a new pyplot figure, inches; over all of it if `whole`."""
    from matplotlib import pyplot

    figure = pyplot.figure(figsize=size)
    return figure.add_axes((0, 0, 1, 1)) if whole else figure.add_subplot()


def in_points(axes) -> tuple[float, float]:
    """Make one unit of the axes one point, without a frame, and return width and height."""
    box = axes.get_window_extent()
    width, height = (side * INCH / axes.figure.dpi for side in (box.width, box.height))
    axes.set(xlim=(0, width), ylim=(0, height))
    axes.set_axis_off()
    return width, height


def room_beside(size: tuple[float, float], n_rows: int, legend: float, advice: str) -> tuple[np.ndarray, np.ndarray]:
    """The box (x0, y0, x1, y1) of a map, and the upper left corner of its legend, `legend` points wide.

    The legend stands beside the map where it takes at most half of the width, else below it where it takes at most
    three fifths of the height, else there is no room.

    Raises
    ------
    ModelError
        With the advice.
    """
    width, height = size
    if not n_rows:
        return np.array([0.0, 0.0, width, height]), np.array([0.0, height])
    if width >= 2 * legend:
        return np.array([0.0, 0.0, width - legend, height]), np.array([width - legend, height])
    rows = LEGEND_ROW * n_rows + 2 * FONT_SIZE
    if rows <= 0.6 * height:
        return np.array([0.0, rows, width, height]), np.array([0.0, rows])
    raise ModelError(
        f"axes of {width / INCH:.2g} x {height / INCH:.2g} inches are too small for a map and its legend: give it axes "
        f"{2 * legend / INCH:.2g} inches wide or {rows / 0.6 / INCH:.2g} inches high{advice}"
    )


def scaled(points: np.ndarray, frame: np.ndarray, box: np.ndarray) -> np.ndarray:
    """Positions as points of the sheet, the frame as large as there is room for in a box, and in its middle."""
    low, extent = frame.min(axis=0), np.maximum(np.ptp(frame, axis=0), 1e-9)
    room = box[2:] - box[:2]
    inner = np.maximum(room - 2 * MARGIN, room * (2 / 3))
    unit = float(min((side / e for side, e in zip(inner, extent, strict=True) if e > 1e-9), default=1.0))
    return (points - low - extent / 2) * unit + (box[:2] + box[2:]) / 2
