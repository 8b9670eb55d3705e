"""Plots for papers and notebooks, on axes of yours or on new ones; they return the axes.

The same functions draw the pictures among the results.
"""

from isingmap.report.difference_figure import plot_difference
from isingmap.report.fit_figure import plot_fit
from isingmap.report.map_on_axes import plot_map, positions_of
from isingmap.report.path_figure import plot_path
from isingmap.report.stability_figure import plot_stability

__all__ = ["plot_difference", "plot_fit", "plot_map", "plot_path", "plot_stability", "positions_of"]
