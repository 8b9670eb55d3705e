"""What tables and places of a fit cannot be, however they were edited: cheap checks, without any inference."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from isingmap.errors import FileFormatError
from isingmap.files.number_text import number
from isingmap.learning.learned_map import Positions, check_places
from isingmap.report.page.sources import CHANGED, Table
from isingmap.report.saved_map import positions_in

INTERVALS = ("wald", "profile", "")
MOST_DISTANT = 1e4  # of the median distance from the middle of a map: all others would be a single dot
_ROUNDING = 1e-6


def check_intervals(table: Table, estimate: str, lower: str, upper: str, kind: str) -> None:
    """Each estimate must be within its interval, as far as there is one; columns may be absent in older versions.

    Raises
    ------
    FileFormatError
    """
    columns = (estimate, lower, upper, kind)
    for row, (value, low, high, word) in enumerate(zip(*map(table.optional, columns), strict=True), start=1):
        if word not in INTERVALS:
            raise table.wrong(row, kind, "wald or profile", word)
        middle = number(value) or 0.0
        slack = _ROUNDING * (1 + abs(middle))
        if low and _number(low) > middle + slack:
            raise table.wrong(row, lower, f"at most the {estimate}, {value}", low)
        if high and _number(high) < middle - slack:
            raise table.wrong(row, upper, f"at least the {estimate}, {value}", high)


def check_degrees(nodes: Table, edges: np.ndarray, names: Sequence[str]) -> None:
    """Numbers of edges must be those of the model.

    Raises
    ------
    FileFormatError
    """
    degrees = dict(zip(names, np.bincount(edges.ravel(), minlength=len(names)).tolist(), strict=True))
    for row, (name, text) in enumerate(zip(nodes.column("name"), nodes.optional("degree"), strict=True), start=1):
        if text and number(text) != degrees[name]:
            raise nodes.wrong(row, "degree", f"{degrees[name]}, its edges in the model", text)


def places_in(document: dict, where: str, names: Sequence[str]) -> Positions | None:
    """The positions in a file, if it has some.

    Raises
    ------
    FileFormatError
        If they are no pairs of numbers, or one is so far off that the others would be a single dot.
    ModelError
        If they lack a variable.
    """
    if "positions" not in document:
        return None
    places = check_places(positions_in(document, where), names)
    points = np.array([places[name] for name in names], dtype=float).reshape(-1, 2)
    points /= np.abs(points).max(initial=0.0) or 1.0  # whatever the units, nothing overflows
    distances = np.abs(points - np.median(points, axis=0)).max(axis=1, initial=0.0)
    typical = float(np.median(distances)) if len(names) else 0.0
    if len(names) > 2 and distances.max() > MOST_DISTANT * typical > 0:
        name = names[int(distances.argmax())]
        raise FileFormatError(
            f"{where}: the position of {name!r} is so far off that all others would be a single dot; {CHANGED}"
        )
    return places


def _number(text: str) -> float:
    return float(text) if text in ("inf", "-inf") else number(text) or 0.0


def check_count(value: object, name: str, where: str) -> None:
    """A number of rows, or nothing.

    Raises
    ------
    FileFormatError
    """
    if isinstance(value, int | float) and not (value > 0 and math.isfinite(value)):
        raise FileFormatError(f"{where}: expected a number above 0 under {name!r} of fit, got {value!r}")
