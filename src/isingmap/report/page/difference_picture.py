"""The picture of a comparison: every edge as four views draw it, and the legend of each."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from isingmap.printable import printable
from isingmap.report.appearance import LEFT_OUT, NEGATIVE, POSITIVE, SIGN_MEANINGS, Scale, scale_of, sign_style
from isingmap.report.comparison_facts import LEVEL, NOT_COMPARED
from isingmap.report.map_figure import shown_names
from isingmap.report.page.comparison_folder import Compared
from isingmap.report.page.picture import Edge, LegendRow
from isingmap.report.page.shapes import dash_pattern
from isingmap.report.page.sheet import Sheet

ONLY_FIRST, ONLY_SECOND, IN_BOTH, NO_ESTIMATE = range(4)
NARROWEST = 0.8  # points; what is pale must still be seen
# (colour, dashes) of an edge by which maps have it; the groups have the colours that they have in difference.svg.
_OWNERS = ((NEGATIVE, dash_pattern(-1)), (POSITIVE, "2 2"), ("#7b8088", ""), (LEFT_OUT, "7 2 1 2"))
WIDTH_LEFT_OUT = 1.2  # points, whatever the difference, which means nothing

Look = tuple[str, float, str]  # colour, width, dashes


@dataclass(frozen=True)
class View:
    """One way to look at both maps.

    Attributes
    ----------
    name : str
    looks : sequence of (colour, width, dashes) or None
        Of each edge; None where it is not there.
    legend : list of LegendRow
    by_chance : bool
        Whether it shows what chance makes as often: such edges pale, stars on those that are sure.
    """

    name: str
    looks: Sequence[Look | None]
    legend: list[LegendRow]
    by_chance: bool


def owners_of(found: Compared) -> np.ndarray:
    """Which maps have each edge, or that the search for one left it out: `ONLY_FIRST` to `NO_ESTIMATE`, (n_edges,)."""
    has_first, has_second = (found.couplings != 0).T
    owners = np.where(has_first & has_second, IN_BOTH, np.where(has_first, ONLY_FIRST, ONLY_SECOND))
    return np.where([bool(groups) for groups in found.left_out_of], NO_ESTIMATE, owners)


def weights_of(found: Compared) -> np.ndarray:
    """Differences by which edges are drawn and ordered: 0 where they mean nothing, (n_edges,)."""
    return np.where(owners_of(found) == NO_ESTIMATE, 0.0, found.differences.couplings)


def views_of(found: Compared) -> list[View]:
    """Differences by which map has the edge, by which group is more positive, and both maps."""
    labels = shown_names(map(printable, found.labels))
    return [
        _by_owner(found, labels),
        _by_sign(found, labels),
        *(_one_map(found, k, label) for k, label in enumerate(labels)),
    ]


def _by_owner(found: Compared, labels: Sequence[str]) -> View:
    difference, owners = weights_of(found), owners_of(found)
    words = (f"an edge in {labels[0]} only", f"an edge in {labels[1]} only", "an edge in both")
    looks = [
        (_OWNERS[owner][0], width, _OWNERS[owner][1])
        for owner, width in zip(owners.tolist(), _line_widths(difference), strict=True)
    ]
    legend = [LegendRow(words[k], _OWNERS[k][0], 2.0, _OWNERS[k][1]) for k in range(3) if (owners == k).any()]
    return _of_differences(found, "which map has an edge", looks, legend)


def _by_sign(found: Compared, labels: Sequence[str]) -> View:
    difference = weights_of(found)
    legend = [
        LegendRow(f"more positive in {label}", sign_style(sign)[0], 2.0, dash_pattern(sign))
        for sign, label in ((1, labels[1]), (-1, labels[0]))
        if (np.sign(difference) == sign).any()
    ]
    return _of_differences(found, "which group is more positive", _signed(difference), legend)


def _of_differences(found: Compared, name: str, looks: Sequence[Look], legend: list[LegendRow]) -> View:
    """The view with pairs that a search left out in a look of their own: neither size nor sign says anything."""
    left_out, (colour, dashes) = owners_of(found) == NO_ESTIMATE, _OWNERS[NO_ESTIMATE]
    looks = [
        (colour, WIDTH_LEFT_OUT, dashes) if is_left_out else look
        for look, is_left_out in zip(looks, left_out.tolist(), strict=True)
    ]
    if left_out.any():
        legend = [*legend, LegendRow(NOT_COMPARED, colour, 2.0, dashes)]
    return View(name, looks, legend + _widths("|difference|", weights_of(found)), by_chance=True)


def _one_map(found: Compared, k: int, label: str) -> View:
    """Lines as wide as those of the other map for the same coupling."""
    couplings, scale = found.couplings[:, k], scale_of(found.couplings.ravel())
    looks = [look if value else None for look, value in zip(_signed(couplings, scale), couplings.tolist(), strict=True)]
    legend = [
        LegendRow(text, sign_style(sign)[0], 2.0, dash_pattern(sign))
        for sign, text in SIGN_MEANINGS
        if sign and (np.sign(couplings) == sign).any()
    ]
    name = f"the map of {label}"
    return View(name, looks, legend + _widths("|coupling|", found.couplings.ravel()), by_chance=False)


def _signed(values: np.ndarray, scale: Scale | None = None) -> list[Look]:
    return [
        (sign_style(value)[0], width, dash_pattern(value))
        for value, width in zip(values.tolist(), _line_widths(values, scale), strict=True)
    ]


def _line_widths(values: np.ndarray, scale: Scale | None = None) -> list[float]:
    scale = scale or scale_of(values)
    return [round(max(NARROWEST, scale.width(value)), 3) for value in values.tolist()]


def _widths(what: str, values: np.ndarray) -> list[LegendRow]:
    scale = scale_of(values)
    return [
        LegendRow(f"{what} = {value:g}", "currentColor", max(NARROWEST, scale.width(value)))
        for value in scale.samples()
    ]


@dataclass(frozen=True)
class Difference(Edge):
    """A line, pale where chance makes such a difference, too; where the star is, if it is sure."""

    is_pale: bool
    star: tuple[float, float] | None


def differences_of(found: Compared, view: View, sheet: Sheet) -> list[Difference]:
    """Pale ones first, then the weak ones, so that what is sure and strong is drawn above them."""
    model, names = found.differences, [printable(name) for name in found.differences.names]
    is_pale = (found.p_values >= LEVEL) & (owners_of(found) != NO_ESTIMATE)  # those have a look of their own
    drawn = []
    for k in np.lexsort((np.abs(weights_of(found)), ~is_pale)).tolist():
        look, (i, j) = view.looks[k], model.edges[k].tolist()
        assert look is not None  # the first view has all edges
        middle = ((sheet.start[i] + sheet.start[j]) / 2).round(2).tolist()
        drawn.append(
            Difference(
                number=k,
                start=tuple(sheet.start[i].round(2).tolist()),
                end=tuple(sheet.start[j].round(2).tolist()),
                colour=look[0],
                width=look[1],
                dashes=look[2],
                words=f"{names[i]} – {names[j]}: {_words(found, k)}",
                is_pale=bool(is_pale[k]),
                star=tuple(middle) if found.holm[k] < LEVEL else None,
            )
        )
    return drawn


def _words(found: Compared, k: int) -> str:
    first, second = (f"{value:+.3f}" if value else "no edge" for value in found.couplings[k].tolist())
    one, other = map(printable, found.labels)
    without = f", left out of {printable(found.left_out_of[k])}: not comparable" if found.left_out_of[k] else ""
    return f"{one} {first}, {other} {second}, p = {found.p_values[k]:.3g}{without}"
