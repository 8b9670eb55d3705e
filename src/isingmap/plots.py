"""Plots for papers and notebooks, on axes of yours or on new ones; they return the axes.

The same functions draw the pictures among the results.
"""

from isingmap.report.difference_figure import plot_difference
from isingmap.report.fit_figure import plot_fit
from isingmap.report.path_figure import plot_path

__all__ = ["plot_difference", "plot_fit", "plot_path"]
