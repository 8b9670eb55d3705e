"""The picture of a fit: means and pairs in the data against the model."""

from __future__ import annotations

from typing import Any

import numpy as np

from isingmap.checking.goodness import GoodnessOfFit
from isingmap.data.table import counted
from isingmap.learning.learned_map import LearnedMap
from isingmap.learning.misses import ALL_PAIRS_UP_TO, Miss
from isingmap.report.appearance import NEGATIVE, POSITIVE, ZERO
from isingmap.report.on_axes import check_axes, check_kind, new_axes
from isingmap.report.text import shortened

FONT_SIZE = 7.5
SIZE = (4.6, 4.6)  # inches
MOST_VECTORS = 500  # points of a kind; more are a bitmap, or the file would have megabytes
# (of a mean, fitted): marker, colour, label; hollow where nothing was fitted.
_KINDS = {
    (False, False): ("o", NEGATIVE, "pair without an edge"),
    (False, True): ("o", POSITIVE, "pair with an edge"),
    (True, False): ("s", NEGATIVE, "mean without a field"),
    (True, True): ("s", POSITIVE, "mean with a field"),
}


def fit_figure(learned: LearnedMap) -> Any:
    """A figure with `plot_fit` alone."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=SIZE, facecolor="white")
    plot_fit(learned, figure.add_axes((0.13, 0.11, 0.84, 0.78)))
    if learned.title:
        figure.text(0.03, 0.94, shortened(learned.title, 60), fontsize=11)
    return figure


def plot_fit(found: LearnedMap | GoodnessOfFit, axes: Any = None) -> Any:
    """Means and pairs in the data against those of the model; what lies on the diagonal the model has right.

    Of more than 200 variables the pairs are those 1000 that the model misses most, and the label of the axis says so.

    Parameters
    ----------
    found : LearnedMap or GoodnessOfFit
        `learned_` of a fitted PlanarIsing, or what `goodness_of_fit` returns for a table.
    axes : matplotlib Axes, optional
        Those of a new pyplot figure where left out.

    Returns
    -------
    matplotlib Axes

    Raises
    ------
    ModelError
        If it is neither, or the axes are none.
    """
    check_kind("plot_fit", found, (LearnedMap, GoodnessOfFit), "learned_ of a fit, or what goodness_of_fit returns")
    axes = new_axes(SIZE) if axes is None else check_axes(axes)
    for (is_mean, is_fitted), (marker, colour, label) in _KINDS.items():
        points = _points(found.misses, is_mean, is_fitted)
        if len(points):
            look = {"facecolors": colour if is_fitted else "none", "edgecolors": colour, "linewidths": 0.7}
            axes.scatter(
                *points.T, s=14, marker=marker, alpha=0.75, label=f"{label} ({len(points):,})",
                rasterized=len(points) > MOST_VECTORS, **look,
            )  # fmt: skip
    diagonal(axes, -1.0, 1.0)
    axes.set(xticks=(-1, -0.5, 0, 0.5, 1), yticks=(-1, -0.5, 0, 0.5, 1))
    few = found.model.n_spins > ALL_PAIRS_UP_TO
    n_pairs = sum(not miss.is_mean for miss in found.misses)
    worst = f"; the {counted(n_pairs, 'pair')} missed most" if few else ""
    axes.set_xlabel(f"model: mean, or E[x_i x_j]{worst}", fontsize=FONT_SIZE)
    axes.set_ylabel("data", fontsize=FONT_SIZE)
    axes.tick_params(labelsize=FONT_SIZE)
    if found.misses:
        axes.legend(loc="upper left", frameon=False, fontsize=FONT_SIZE)
    return axes


def _points(misses: Any, is_mean: bool, is_fitted: bool) -> np.ndarray:
    kind = [miss for miss in misses if _kind(miss) == (is_mean, is_fitted)]
    return np.array([(miss.model, miss.data) for miss in kind]).reshape(-1, 2)


def _kind(miss: Miss) -> tuple[bool, bool]:
    return miss.is_mean, bool(miss.is_fitted)


def diagonal(axes: Any, low: float, high: float) -> None:
    """Both axes over the same range, and the line on which they agree."""
    margin = 0.05 * (high - low) or 0.05
    ends = low - margin, high + margin
    axes.plot(ends, ends, color=ZERO, linewidth=0.8, zorder=0)
    axes.set(xlim=ends, ylim=ends, aspect="equal")
