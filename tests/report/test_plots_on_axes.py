"""Plots on axes of the caller's: the same pictures as among the results, in places that can be used again."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from matplotlib import pyplot
from matplotlib.figure import Figure

from isingmap import IsingModel, PlanarIsing
from isingmap.errors import ModelError, NonPlanarError
from isingmap.plots import plot_difference, plot_fit, plot_map, plot_path, plot_stability, positions_of
from isingmap.report import on_axes
from isingmap.report.fonts import Fonts


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
    with pytest.raises(ModelError, match="plot_map takes learned_ of a fit, or an IsingModel; got PlanarIsing"):
        plot_map(fit[0], axes_of())
    with pytest.raises(ModelError, match="no place for 3 variables of 4: b, c, d"):
        plot_map(fit[0].model_, axes_of(), positions={"a": (0, 0)})


def test_stability_on_axes_that_share_nothing_has_no_row_numbers(fit):
    left, right = plot_stability(fit[1], Figure().subplots(1, 2))
    assert all(label.get_text() for label in left.get_yticklabels())
    assert not any(label.get_text() for label in right.get_yticklabels())
    left, right = plot_stability(fit[1], Figure().subplots(1, 2, sharey=True))
    assert all(label.get_text() for label in left.get_yticklabels())


def test_stability_on_two_axes_has_the_same_rows(fit):
    axes = Figure(figsize=(8, 4)).subplots(1, 2)
    assert plot_stability(fit[1], axes) is axes
    assert axes[0].get_ylim() == axes[1].get_ylim()
    assert len(axes[0].get_yticks()) == len(axes[1].patches) > 0


@pytest.mark.parametrize("width", [2, 3, 4, 5])
def test_a_map_keeps_its_size_beside_a_legend_on_small_axes(fit, width):
    axes = plot_map(fit[0].learned_, axes_of(width, 5))
    axes.figure.canvas.draw()
    points, legend = places_drawn(axes)[: fit[0].model_.n_spins], axes.get_legend().get_window_extent()
    scale = 72 / axes.figure.dpi
    assert np.ptp(points, axis=0).max() > 0.3 * width * 72
    inside = (points > np.array(legend.min) * scale) & (points < np.array(legend.max) * scale)
    assert not inside.all(axis=1).any()


def test_many_groups_find_room_in_a_figure_of_its_own():
    names = [f"v{k}" for k in range(24)]
    learned = (
        PlanarIsing(search="independent")
        .fit(np.random.default_rng(1).integers(0, 2, (240, 24)))
        .learned_.described(groups=names)
    )
    axes = plot_map(learned)
    axes.figure.canvas.draw()
    assert axes.get_legend().get_window_extent().ymin >= 0
    pyplot.close(axes.figure)


def test_axes_that_are_too_small_are_refused_and_the_advice_works(fit):
    with pytest.raises(ModelError, match=r"axes of 0.5 x 0.5 inches are too small .* give it axes 4.4 inches wide or"):
        plot_map(fit[0].model_, axes_of(0.5, 0.5))
    plot_map(fit[0].model_, axes_of(4.4, 0.5))
    points = places_drawn(plot_map(fit[0].model_, axes_of(0.5, 0.5), legend=False))
    assert np.ptp(points, axis=0).max() > 0.3 * 36 and (points > 0).all() and (points < 36).all()


def test_the_way_to_draw_a_graph_that_is_not_planar_is_told_and_works():
    model = IsingModel([(i, j) for i in range(5) for j in range(i)], np.full(10, 0.1))
    with pytest.raises(NonPlanarError) as caught:
        plot_map(model, axes_of())
    assert caught.value.__notes__ == ['It can be drawn with crossings: positions=positions_of(model, "kamada-kawai")']
    plot_map(model, axes_of(), positions=positions_of(model, "kamada-kawai"))


@pytest.mark.parametrize("plot", [plot_map, plot_path, plot_fit, plot_stability, plot_difference, positions_of])
def test_what_a_plot_takes_is_told_of_anything_else(fit, plot):
    with pytest.raises(ModelError, match=f"{plot.__name__} takes .*; got PlanarIsing"):
        plot(fit[0])


@pytest.mark.parametrize("plot", [plot_map, plot_path, plot_fit])
def test_axes_are_one_pair(fit, plot):
    with pytest.raises(ModelError, match="matplotlib Axes, got ndarray; pyplot.subplots returns an array of several"):
        plot(fit[0].learned_, Figure().subplots(1, 2))
    with pytest.raises(ModelError, match="matplotlib Axes, got polar axes"):
        plot(fit[0].learned_, Figure().add_subplot(projection="polar"))


@pytest.mark.parametrize("n_axes", [1, 3])
def test_stability_takes_two_axes(fit, n_axes):
    with pytest.raises(ModelError, match=f"takes two axes, .* got {n_axes}"):
        plot_stability(fit[1], Figure().subplots(1, n_axes))


@pytest.mark.parametrize(
    ("settings", "why"),
    [
        ({"search": "tmfg"}, 'a graph of search="tmfg" has none, those of .*search="greedy" have'),
        ({"graph": [("x1", "x2")]}, "a graph that was given has none"),
        ({"search": "greedy"}, "this one took none: no edge was worth it by ebic"),
    ],
)
def test_a_path_of_no_steps_is_refused(settings, why):
    independent = np.array([[i & 1, i >> 1 & 1, i >> 2 & 1] for i in range(64)])
    with pytest.raises(ModelError, match=why):
        plot_path(PlanarIsing(**settings).fit(independent).learned_, axes_of())


def test_ticks_of_the_path_are_whole_numbers_of_edges(fit):
    axes = axes_of()
    axes.set_xticks([0.5])
    plot_path(fit[0].learned_, axes)
    assert len(axes.get_xticks()) > 1 and all(tick.is_integer() for tick in axes.get_xticks())


def test_two_maps_with_fields_fit_side_by_side_on_ordinary_subplots():
    model = IsingModel([(0, 1), (1, 2)], [0.5, -0.4], [0.2, -1.0, 0.5])
    for axes in Figure(figsize=(10, 5)).subplots(1, 2):
        assert np.ptp(places_drawn(plot_map(model, axes))[:3], axis=0).max() > 72


def test_names_on_axes_are_no_formulas_and_have_the_fonts_of_their_script(monkeypatch):
    """What the caller wrote stays as it was."""
    monkeypatch.setattr(on_axes, "fonts_for", lambda texts: Fonts(("DejaVu Sans", "Other") * any(texts), frozenset()))
    axes = axes_of()
    own = axes.text(0.5, 0.5, "$x^2$")
    plot_map(IsingModel([(0, 1)], [0.5], names=["$x_1$", "b"]), axes)
    names = [text for text in axes.texts if text is not own]
    assert {text.get_text() for text in names} == {"$x_1$", "b"}
    for text in (*names, *axes.get_legend().get_texts()):
        assert not text.get_parse_math() and text.get_fontfamily() == ["DejaVu Sans", "Other"]
    assert own.get_parse_math() and "Other" not in own.get_fontfamily()


def test_names_of_pairs_are_no_formulas(fit):
    axes = plot_stability(replace(fit[1], names=("$a$", "b", "c", "d")), Figure(figsize=(8, 4)).subplots(1, 2))
    labels = axes[0].get_yticklabels()
    assert any("$a$" in label.get_text() for label in labels) and not any(label.get_parse_math() for label in labels)
