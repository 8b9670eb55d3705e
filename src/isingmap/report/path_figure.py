"""The picture of a path: every criterion, and the rows held out, against the number of edges."""

from __future__ import annotations

from typing import Any

import numpy as np

from isingmap.errors import ModelError
from isingmap.learning.learned_map import LearnedMap
from isingmap.report.appearance import PALETTE
from isingmap.report.on_axes import check_axes, check_kind, new_axes
from isingmap.report.path_facts import has_criteria
from isingmap.report.text import shortened
from isingmap.selection.cross_validation import HeldOutPath
from isingmap.structure.along_path import criteria_along, edges_along
from isingmap.structure.result import GIVEN
from isingmap.structure.search_methods import STEPWISE

FONT_SIZE = 7.5
SIZE = (6.4, 4.2)  # inches
HELD_OUT = "#333333"
_DASHES = ("-", (0, (5, 1.5)), (0, (3, 1.2)), (0, (1.5, 1.2)), (0, (5, 1.2, 1.2, 1.2)))


def path_figure(learned: LearnedMap) -> Any:
    """A figure with the path of a map alone.

    Raises
    ------
    ModelError
        As `plot_path`.
    """
    from matplotlib.figure import Figure

    figure = Figure(figsize=SIZE, facecolor="white")
    axes = plot_path(learned, figure.add_axes((0.11, 0.12, 0.86, 0.76)))
    if learned.title:
        axes.set_title(shortened(learned.title, 80), fontsize=11, loc="left")
    return figure


def plot_path(learned: LearnedMap, axes: Any = None) -> Any:
    """Draw each criterion above its smallest value, so that all share a scale; a dot is what it would choose.

    Of several steps with the same number of edges the best is shown. Held-out rows are shown as a deviance, -2 N times
    their log-likelihood, with the standard error of the difference from the best.

    Parameters
    ----------
    learned : LearnedMap
        Of a search that went step by step.
    axes : matplotlib Axes, optional
        Those of a new pyplot figure where left out.

    Returns
    -------
    matplotlib Axes

    Raises
    ------
    ModelError
        If it is no LearnedMap, has no path, or the axes are none.
    """
    check_kind("plot_path", learned, LearnedMap, "learned_ of a fit")
    if not has_criteria(learned.result):
        raise ModelError(_no_path(learned))
    axes = new_axes(SIZE) if axes is None else check_axes(axes)
    edges, n_samples = edges_along(learned.result), learned.result.n_samples
    chosen: list[float] = []
    curves: list[tuple[np.ndarray, np.ndarray]] = []
    for criterion, colour, dashes in zip(criteria_along(learned.result), PALETTE, _DASHES, strict=False):
        sizes, above = _lowest(edges, criterion.values - criterion.values.min())
        best = int(edges[criterion.step])
        look = {"color": colour, "linestyle": dashes, "linewidth": 1.3}
        axes.plot(sizes, above, label=f"{criterion.name}: {best:,}", **look)
        axes.plot([best], [0.0], "o", color=colour, markersize=5, clip_on=False, zorder=3)
        curves.append((sizes, above))
        chosen.append(best)
    held_out = None if learned.selection is None else learned.selection.path
    if held_out is not None:
        curves.append(_draw_held_out(axes, held_out, n_samples))
        chosen.append(float(held_out.n_edges[held_out.best]))
    _frame(axes, curves, chosen)
    return axes


def _no_path(learned: LearnedMap) -> str:
    """Why there is nothing to draw."""
    result = learned.result
    if result.search not in STEPWISE:
        which = "that was given" if result.search == GIVEN else f'of search="{result.search}"'
        ways = " and ".join(f'search="{name}"' for name in STEPWISE)
        return f"plot_path draws the steps of a search; a graph {which} has none, those of {ways} have"
    if learned.em is not None or result.is_composite:
        return (
            "plot_path draws criteria along the path, and where cells are missing they are known of the last step alone"
        )
    return f"plot_path draws the steps of a search, and this one took none: no edge was worth it by {result.criterion}"


def _lowest(edges: np.ndarray, values: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The smallest value for each number of edges."""
    sizes, place = np.unique(edges, return_inverse=True)
    lowest = np.full(len(sizes), np.inf)
    np.minimum.at(lowest, place.reshape(-1), values)
    return sizes, lowest


def _draw_held_out(axes, path: HeldOutPath, n_samples: float) -> tuple[np.ndarray, np.ndarray]:
    above, error = 2.0 * n_samples * path.behind, 2.0 * n_samples * path.behind_se
    sizes, best, simplest = path.n_edges, path.best, path.simplest
    label = f"held out: {sizes[best]:,.4g}; within 1 se: {sizes[simplest]:,.4g}"
    axes.fill_between(sizes, above - error, above + error, color=HELD_OUT, alpha=0.13, linewidth=0)
    axes.plot(sizes, above, color=HELD_OUT, linewidth=1.6, label=label)
    axes.plot(sizes[best], 0.0, "D", color=HELD_OUT, markersize=5, clip_on=False, zorder=3)
    look = {"color": "white", "markeredgecolor": HELD_OUT, "markersize": 5, "clip_on": False, "zorder": 3}
    axes.plot(sizes[simplest], above[simplest], "D", **look)
    return sizes, above


def _frame(axes, curves: list[tuple[np.ndarray, np.ndarray]], chosen: list[float]) -> None:
    """Limits that show all that would be chosen, under every criterion; what is far above leaves the picture."""
    from matplotlib.ticker import MaxNLocator

    least = min(*chosen, max(float(sizes[-1]) for sizes, _ in curves) * 2 / 3)
    top = max(float(above[sizes >= least].max(initial=0.0)) for sizes, above in curves)
    axes.set_ylim(0.0, 1.08 * top if top > 0 else 1.0)
    axes.set_xlim(left=0)
    axes.set_xlabel("edges", fontsize=FONT_SIZE)
    axes.xaxis.set_major_locator(MaxNLocator("auto", steps=(1, 2, 2.5, 5, 10), integer=True))
    axes.set_ylabel("above its smallest value, nats", fontsize=FONT_SIZE)
    axes.tick_params(labelsize=FONT_SIZE)
    for side in ("top", "right"):
        axes.spines[side].set_visible(False)
    axes.legend(fontsize=FONT_SIZE, frameon=False, title="edges chosen by", title_fontsize=FONT_SIZE, loc="lower left")
