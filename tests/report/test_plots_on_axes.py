"""Plots on axes of the caller's: the same pictures as among the results, in places that can be used again."""

import numpy as np
import pandas as pd
import pytest
from matplotlib.figure import Figure

from isingmap import IsingModel, PlanarIsing
from isingmap.errors import ModelError
from isingmap.plots import plot_map, plot_stability, positions_of


@pytest.fixture(scope="module")
def fit():
    rng = np.random.default_rng(3)
    coin = rng.integers(0, 2, (150, 1))
    rows = np.where(rng.random((150, 4)) < 0.2, 1 - coin, coin)
    fit = PlanarIsing(n_restarts=0).fit(pd.DataFrame(rows, columns=list("abcd")))
    return fit, fit.stability(pd.DataFrame(rows, columns=list("abcd")), n_resamples=3)


def axes_of(width=5, height=4):
    return Figure(figsize=(width, height)).add_axes((0, 0, 1, 1))


def places_drawn(axes):
    """Middles of the nodes, in points."""
    return np.array([line.get_xydata()[0] for line in axes.get_lines() if len(line.get_xydata())])


def test_a_map_is_drawn_on_the_axes_given_in_points(fit):
    axes = axes_of()
    assert plot_map(fit[0].learned_, axes) is axes
    assert axes.get_xlim() == (0, 5 * 72) and axes.get_ylim() == (0, 4 * 72)
    model = fit[0].model_
    assert sum(len(lines.get_segments()) for lines in axes.collections) == model.n_edges > 0
    assert {text.get_text() for text in axes.texts} == set(model.names)
    assert axes.get_legend() is not None and plot_map(model, axes_of(), legend=False).get_legend() is None


def test_a_second_map_takes_the_places_of_the_first(fit):
    learned = fit[0].learned_
    other = IsingModel([[0, 1]], [-0.4], names=["d", "a"])
    one, two = plot_map(learned, axes_of()), plot_map(other, axes_of(), positions=positions_of(learned))
    first = dict(zip(learned.model.names, places_drawn(one), strict=True))
    np.testing.assert_allclose(places_drawn(two), [first["d"], first["a"]])


def test_positions_of_a_model_are_those_of_its_layout(fit):
    model = fit[0].model_
    found, known = positions_of(model), fit[0].learned_.positions
    np.testing.assert_allclose([found[name] for name in model.names], [known[name] for name in model.names])
    assert positions_of(model, "kamada-kawai") != positions_of(model)


def test_what_cannot_be_drawn_is_refused(fit):
    with pytest.raises(ModelError, match="plot_map draws learned_ of a fit, or an IsingModel; got PlanarIsing"):
        plot_map(fit[0], axes_of())
    with pytest.raises(ModelError, match="no place for 3 variables of 4: b, c, d"):
        plot_map(fit[0].model_, axes_of(), positions={"a": (0, 0)})


def test_stability_on_two_axes_has_the_same_rows(fit):
    axes = Figure(figsize=(8, 4)).subplots(1, 2)
    assert plot_stability(fit[1], axes) is axes
    assert axes[0].get_ylim() == axes[1].get_ylim()
    assert len(axes[0].get_yticks()) == len(axes[1].patches) > 0
