"""Where everything is in the picture of the page: the places of two layouts, and of names beside the nodes."""

from __future__ import annotations

import unicodedata
from contextlib import suppress
from dataclasses import dataclass

import numpy as np

from isingmap.errors import NonPlanarError
from isingmap.learning.learned_map import Positions
from isingmap.model import IsingModel
from isingmap.planar.drawing.layout import LAYOUTS, kamada_kawai_layout, named_layout
from isingmap.planar.drawing.segment_crossings import has_crossings
from isingmap.report.field_arcs import reach
from isingmap.report.map_figure import FONT_SIZE, MARGIN, NODE_RADIUS, sheet, shown_names
from isingmap.report.name_places import place_labels

PLANAR, BY_DISTANCE = LAYOUTS
AS_DRAWN = "as drawn before"
# Names that are placed with care, which the script does anew; variables with a layout by distance: a second each.
MOST_PLACED, MOST_BY_DISTANCE = 300, 500
SMALLEST = 1e-100  # of the largest place; to divide by less would overflow
_LETTER, _WIDE_LETTER, _LINE = 0.56, 1.0, 1.25  # of the font size, for a sans-serif font


@dataclass(frozen=True)
class Sheet:
    """The picture in points, y downwards.

    Attributes
    ----------
    width, height : float
    names : list of str
        As shown.
    layouts : dict
        Name of a layout -> (n_spins, 2) places, each within the sheet; the first is shown at the start.
    labels : (n_spins, 2) array
        Middles of the names in the first.
    """

    width: float
    height: float
    names: list[str]
    layouts: dict[str, np.ndarray]
    labels: np.ndarray

    @property
    def start(self) -> np.ndarray:
        """The places that are shown first."""
        return next(iter(self.layouts.values()))


def sheet_of(model: IsingModel, positions: Positions | None, *, several: bool = True, drawn: str = AS_DRAWN) -> Sheet:
    """The places given first, then a planar layout if there are none or they have crossings, then by distance.

    With `several=False` only the first of them is sought. Places given are `drawn` where edges cross.
    """
    names = shown_names(model.names)
    layouts = _layouts(model, positions, several, drawn)
    first = next(iter(layouts.values()))
    map_width, map_height, _ = sheet(first)
    placed = {name: _fitted(places, np.array([map_width, map_height])) for name, places in layouts.items()}
    width, height = map_width + 2 * MARGIN, map_height + 2 * MARGIN
    labels = _labels(next(iter(placed.values())), names, model, (0, 0, width, height))
    return Sheet(width, height, names, placed, labels)


def _labels(centres: np.ndarray, names: list[str], model: IsingModel, bounds: tuple) -> np.ndarray:
    """Middles of the names, off each other, or all at the right of their nodes where there are too many to look."""
    sizes = np.array([(_width(name), _LINE * FONT_SIZE) for name in names]).reshape(-1, 2)
    radius = reach(NODE_RADIUS) if model.free_fields.any() else NODE_RADIUS
    if len(names) > MOST_PLACED:
        return centres + np.column_stack([radius + sizes[:, 0] / 2, np.zeros(len(names))])
    return place_labels(centres, sizes, model.edges, radius=radius, bounds=bounds)


def _layouts(model: IsingModel, positions: Positions | None, several: bool, drawn: str) -> dict[str, np.ndarray]:
    n, found = model.n_spins, {}
    if positions is not None:
        given = np.array([positions[name] for name in model.names], dtype=float).reshape(-1, 2)
        given = given / (np.abs(given).max(initial=0.0) or 1.0)  # whatever the units, nothing overflows
        given[np.abs(given) < SMALLEST] = 0.0
        found[drawn if has_crossings(given, model.edges) else PLANAR] = given
    if PLANAR not in found and (several or not found):
        with suppress(NonPlanarError):
            found[PLANAR] = named_layout(PLANAR, n, model.edges, labels=model.names)
    if not found or (several and n <= MOST_BY_DISTANCE):
        found[BY_DISTANCE] = kamada_kawai_layout(n, model.edges)
    return found


def _fitted(places: np.ndarray, size: np.ndarray) -> np.ndarray:
    """Both axes to the same scale, in the middle of the sheet, y downwards."""
    if not len(places):
        return places
    low, extent = places.min(axis=0), np.ptp(places, axis=0)
    longest = extent > 0
    unit = float((size[longest] / extent[longest]).min()) if longest.any() else 1.0
    moved = (places - low - extent / 2) * unit * [1.0, -1.0]
    return moved + size / 2 + MARGIN


def _width(text: str) -> float:
    """About as wide as it will be, whatever the reader's font is."""
    wide = sum(unicodedata.east_asian_width(letter) in "WF" for letter in text)
    return FONT_SIZE * (_WIDE_LETTER * wide + _LETTER * (len(text) - wide))
