"""Pictures of what resamples say: couplings with their intervals beside frequencies, or what dropped rows do."""

from __future__ import annotations

from typing import Any

import numpy as np

from isingmap.errors import ModelError
from isingmap.report.appearance import NEGATIVE, POSITIVE, ZERO
from isingmap.report.fonts import fonts_for
from isingmap.report.map_figure import shown_names
from isingmap.report.on_axes import check_axes, check_kind
from isingmap.report.stability_facts import MOST_FALSE
from isingmap.report.stability_tables import by_frequency
from isingmap.report.text import shortened
from isingmap.resampling.options import CASE_DROPPING
from isingmap.resampling.stability import STILL_ALIKE, Stability

MOST_PAIRS = 60  # shown in one picture
ROW, WIDTH, FRAME = 0.19, 8.4, 1.5  # inches: of a pair, of the picture, and above and below the pairs
FONT_SIZE = 7.5


def stability_figure(stability: Stability, title: str | None) -> Any:
    """Pairs in the order of their frequencies: all edges of the fit and others, as far as there is room.

    Raises
    ------
    ModelError
        As `plot_stability`.
    """
    from matplotlib.figure import Figure

    if stability.settings.kind == CASE_DROPPING:
        height = 4.4
        figure = Figure(figsize=(6.4, height), facecolor="white")
        caption = _caption(stability, len(stability.pairs)).partition(";")[0]
    else:
        chosen = _shown_pairs(stability)
        height = _height(chosen)
        figure = Figure(figsize=(WIDTH, height), facecolor="white")
        caption = _caption(stability, len(chosen))
    plot_stability(stability, _axes_of(figure, stability))
    _head(figure, height, title, caption)
    return figure


def plot_stability(found: Stability, axes: Any = None) -> Any:
    """Couplings with the intervals of the refits, beside the share of refits that have them.

    After `kind="case-dropping"` there is one picture: how the map of fewer rows resembles that of all.

    Parameters
    ----------
    found : Stability
        What `PlanarIsing.stability` returns.
    axes : two matplotlib Axes, or one after case dropping; optional
        Those of a new pyplot figure where left out. The rows of both are the same pairs.

    Returns
    -------
    two matplotlib Axes, or one
        The same.

    Raises
    ------
    ModelError
        If it is not what `stability` returns, or the axes are not as many.
    """
    check_kind("plot_stability", found, Stability, "what PlanarIsing.stability returns")
    one = found.settings.kind == CASE_DROPPING
    if axes is not None:
        _check_number(axes, one)
    else:
        from matplotlib import pyplot

        figure = pyplot.figure(figsize=(6.4, 4.4) if one else (WIDTH, _height(_shown_pairs(found))))
        axes = _axes_of(figure, found)
    if one:
        _draw_cases(axes, found)
        return axes
    chosen = _shown_pairs(found)
    left, right = axes
    _draw_couplings(left, found, chosen)
    _draw_frequencies(right, found, chosen)
    names = shown_names(found.names)
    pairs = [f"{names[i]} \N{EN DASH} {names[j]}" for i, j in found.pairs[chosen].tolist()]
    fonts = fonts_for(pairs).families
    family = {"fontfamily": fonts} if len(fonts) > 1 else {}
    left.set_yticks(range(len(chosen)), pairs, fontsize=FONT_SIZE, parse_math=False, **family)
    if not left.get_shared_y_axes().joined(left, right):  # the rows are those on the left, and have no numbers
        right.set_yticks(range(len(chosen)), [""] * len(chosen))
    for each in (left, right):
        each.set_ylim(max(len(chosen), 1) - 0.4, -0.6)
    return axes


def _check_number(axes: Any, one: bool) -> None:
    if one:
        check_axes(axes)
        return
    n_axes = np.size(axes)
    if n_axes != 2 or np.ndim(axes) != 1:
        raise ModelError(
            f"plot_stability takes two axes, as pyplot.subplots(1, 2, sharey=True)[1] has them; got {n_axes}"
        )
    for each in axes:
        check_axes(each)


def _height(chosen: np.ndarray) -> float:
    return FRAME + ROW * max(len(chosen), 3)


def _axes_of(figure: Any, stability: Stability) -> Any:
    """One for shares of rows, two that share their rows for pairs."""
    if stability.settings.kind == CASE_DROPPING:
        return figure.add_axes((0.1, 0.13, 0.86, 0.7))
    height = figure.get_figheight()
    top, bottom = 1 - 0.75 / height, 0.75 / height
    return figure.subplots(
        1, 2, sharey=True, gridspec_kw={"left": 0.36, "right": 0.97, "bottom": bottom, "top": top, "wspace": 0.06}
    )


def _shown_pairs(stability: Stability) -> np.ndarray:
    order = by_frequency(stability)
    order = order[stability.is_edge[order] | (stability.counts[order] > 0)]
    others = max(MOST_PAIRS - int(stability.is_edge.sum()), MOST_PAIRS // 4)
    is_edge = stability.is_edge[order]
    return order[(is_edge & (np.cumsum(is_edge) <= MOST_PAIRS)) | (~is_edge & (np.cumsum(~is_edge) <= others))]


def _caption(stability: Stability, n_shown: int) -> str:
    left_out = int(((stability.counts > 0) | stability.is_edge).sum()) - n_shown
    more = f"; {left_out:,} rarer pairs are in stability.csv" if left_out else ""
    return f"{stability.n_fitted:,} refits, {stability.settings.kind}{more}"


def _draw_couplings(axes, stability: Stability, chosen: np.ndarray) -> None:
    """The coupling of the fit on the interval of the refits."""
    rows = np.arange(len(chosen))
    low, high = stability.interval[chosen].T
    couplings, is_edge = stability.coupling[chosen], stability.is_edge[chosen]
    axes.axvline(0, color=ZERO, linewidth=0.7)
    axes.hlines(rows, low, high, color="#777777", linewidth=1.1)
    for sign, colour in ((1, POSITIVE), (-1, NEGATIVE)):
        here = is_edge & (np.sign(couplings) == sign)
        axes.plot(couplings[here], rows[here], "o" if sign > 0 else "s", color=colour, markersize=4)
    axes.plot(couplings[~is_edge], rows[~is_edge], "o", markersize=4, color="white", markeredgecolor=ZERO)
    _label(axes, "coupling: fit, and 95 % of the refits\n(0 without the edge)")


def _draw_frequencies(axes, stability: Stability, chosen: np.ndarray) -> None:
    """Bars, hollow for pairs that are no edge of the fit."""
    is_edge = stability.is_edge[chosen]
    filled = np.where(is_edge, "#777777", "white")
    look = {"height": 0.62, "color": filled, "edgecolor": "#777777", "linewidth": 0.7}
    axes.barh(np.arange(len(chosen)), stability.frequency[chosen], **look)
    limit = stability.threshold(MOST_FALSE)
    if limit <= 1:
        axes.axvline(limit, color="black", linewidth=0.8, linestyle=":")
    axes.set_xlim(0, 1.02)
    axes.tick_params(left=False)
    dots = "; dots: at most 1 false edge" if limit <= 1 else ""
    _label(axes, f"share of refits with the edge\n(hollow: not in the fit{dots})")


def _draw_cases(axes, stability: Stability) -> None:
    steps = stability.case_dropping
    dropped = [step.dropped for step in steps]
    for what, colour, marker in (("couplings", POSITIVE, "o"), ("strengths", NEGATIVE, "s")):
        low, mean, high = np.array([getattr(step, what) for step in steps]).reshape(-1, 3).T
        axes.fill_between(dropped, low, high, color=colour, alpha=0.15, linewidth=0)
        name = {"couplings": "couplings of all pairs", "strengths": "sums of |couplings| at a variable"}[what]
        axes.plot(dropped, mean, marker=marker, color=colour, markersize=4, linewidth=1.2, label=name)
    axes.axhline(STILL_ALIKE, color="black", linewidth=0.8, linestyle=":")
    axes.set_ylim(min(0.0, axes.get_ylim()[0]), 1.03)
    axes.legend(fontsize=FONT_SIZE, loc="lower left", frameon=False)
    axes.set_ylabel("correlation with the fit of all rows", fontsize=FONT_SIZE)
    _label(axes, "share of rows dropped (mean, and 95 % of the refits)")
    axes.tick_params(axis="y", labelsize=FONT_SIZE)


def _label(axes, text: str) -> None:
    axes.set_xlabel(text, fontsize=FONT_SIZE)
    axes.tick_params(axis="x", labelsize=FONT_SIZE)
    for side in ("top", "right"):
        axes.spines[side].set_visible(False)


def _head(figure, height: float, title: str | None, caption: str) -> None:
    if title:
        figure.text(0.02, 1 - 0.3 / height, shortened(title, 80), fontsize=11)
    figure.text(0.02, 1 - 0.55 / height, caption, fontsize=FONT_SIZE, color="#555555")
