"""The picture of a goodness-of-fit check: pairs, triples and counts of +1, table against model."""

from __future__ import annotations

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from isingmap.checking.goodness import GoodnessOfFit
from isingmap.report.appearance import NEGATIVE, ZERO
from isingmap.report.fit_figure import diagonal, plot_fit

SIZE = (11.0, 3.9)  # inches


def check_figure(check: GoodnessOfFit, title: str | None = None) -> Figure:
    """Three panels; drawn from the model's side, so that a point on the diagonal is one that the model has right."""
    figure = Figure(figsize=SIZE, layout="constrained")
    pairs, counts, triples = figure.subplots(1, 3)
    plot_fit(check, pairs).set_title("Means and pairs")
    _draw_counts(counts, check)
    _draw_triples(triples, check)
    if title:
        figure.suptitle(title)
    return figure


def _draw_counts(axes: Axes, check: GoodnessOfFit) -> None:
    found, number = check.counts, np.arange(check.model.n_spins + 1)
    axes.fill_between(number, found.lower, found.upper, step="mid", color=ZERO, alpha=0.4, label="drawn tables, 95 %")
    axes.plot(number, found.data, "o", color=NEGATIVE, markersize=3.5, label="table")
    shown = np.flatnonzero((found.data > 0) | (found.upper > 0))
    axes.set(title="Number of +1 in a row", xlabel="number", ylabel="share of rows")
    axes.set_xlim(shown[0] - 0.7, shown[-1] + 0.7)
    axes.set_ylim(bottom=0)
    axes.legend(loc="best", frameon=False, fontsize="small")


def _draw_triples(axes: Axes, check: GoodnessOfFit) -> None:
    found = check.triples
    axes.set(title="Third central moments", xlabel="model, simulated", ylabel="table")
    if not len(found.spins):
        axes.text(0.5, 0.5, "too many variables", ha="center", transform=axes.transAxes)
        return
    axes.scatter(found.expected, found.data, s=5, alpha=0.4, color=NEGATIVE, linewidths=0)
    both = np.nan_to_num(np.concatenate([found.expected, found.data]))
    diagonal(axes, float(both.min()), float(both.max()))
