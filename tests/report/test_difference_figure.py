"""The picture of differences: drawn on axes that are given, names and legend apart, sure told from unsure."""

from dataclasses import replace

import numpy as np
import pytest

from isingmap import IsingModel, PlanarIsing, SpinTable, compare
from isingmap.data.table import Coding
from isingmap.report.common_places import common_places
from isingmap.report.difference_figure import FADED, difference_figure, plot_difference

pytestmark = pytest.mark.filterwarnings("ignore::isingmap.errors.IsingMapWarning")
NAMES = ("alpha", "a very long name of a variable", "<b>", "$x$", "e")
EDGES = [(0, 1), (1, 2), (2, 3), (3, 4)]


@pytest.fixture(scope="module")
def found():
    couplings = [0.6, 0.5, -0.9, 0.4], [0.3, 0.5, 0.5, 0.4]
    tables = [IsingModel(EDGES, each, np.zeros(5)).sample(200, rng=k) for k, each in enumerate(couplings)]
    tables = [SpinTable(each, NAMES, (Coding("0", "1"),) * 5) for each in tables]
    return compare(*tables, PlanarIsing(graph=EDGES), n_permutations=99, labels=("<i>", "men"))


def boxes(artists, renderer):
    return [artist.get_window_extent(renderer) for artist in artists]


def test_names_and_legend_do_not_overlap(found):
    from matplotlib.backends.backend_agg import FigureCanvasAgg

    figure = difference_figure(found, "title")
    renderer = FigureCanvasAgg(figure).get_renderer()
    axes = figure.axes[0]
    texts = boxes([text for text in axes.texts if text.get_text()], renderer)
    legend = axes.get_legend().get_window_extent(renderer)
    everything = [*texts, legend, *boxes(figure.texts, renderer)]
    assert len(texts) == 6 and not any(a.overlaps(b) for k, a in enumerate(everything) for b in everything[:k])
    assert all(box.x0 >= 0 and box.x1 <= figure.bbox.width and box.y1 <= figure.bbox.height for box in everything)
    assert legend.x0 > max(box.x1 for box in texts[:-1])
    shown = [text.get_text() for text in axes.get_legend().get_texts()]
    assert shown[:2] == ["more positive in men", "more positive in <i>"] and "p < 0.05, corrected (Holm)" in shown


def test_axes_go_in_and_come_out(found):
    from matplotlib.figure import Figure

    figure = Figure(figsize=(12, 5))
    left, right = figure.subplots(1, 2)
    assert plot_difference(found, right) is right and not left.collections
    lines = right.collections[0]
    assert len(lines.get_segments()) == 4
    sure = found.edge_p_values[found.difference != 0] < 0.05
    assert (lines.get_colors()[:, 3] == 1).sum() == sure.sum() >= 1
    width, height = right.get_xlim()[1], right.get_ylim()[1]
    assert (np.concatenate(lines.get_segments()) < (width, height)).all()


def test_pale_is_by_p_and_the_star_by_its_correction(found):
    judged, edges = replace(found), np.flatnonzero(found.difference != 0)
    for name, values in (("edge_p_values", [0.01, 0.03, 0.05, 0.9]), ("holm_p_values", [0.02, 0.05, 0.2, 1.0])):
        vars(judged)[name] = np.ones(len(found.pairs))
        vars(judged)[name][edges] = values
    axes = difference_figure(judged, None).axes[0]
    assert sorted(axes.collections[0].get_colors()[:, 3]) == [FADED, FADED, 1, 1]
    assert sum(line.get_marker() == "*" for line in axes.lines) == 1


def test_maps_that_do_not_fit_into_one_plane_have_common_places():
    pairs = [(i, j) for i in range(5) for j in range(i + 1, 5)]
    names = list("abcde")
    one = IsingModel(pairs[:5], np.full(5, 0.5), names=names)
    other = IsingModel(pairs[5:], np.linspace(0.1, 0.5, 5), names=names)
    places = common_places([one, other])
    assert set(places) == set(names) and len(set(places.values())) == 5
    assert places == common_places([other, one])
    assert common_places([one, other], "kamada-kawai") != places


def test_without_axes_there_is_a_new_figure_with_room_for_the_legend(found):
    from matplotlib import pyplot

    axes = plot_difference(found)
    alone = difference_figure(found, None).axes[0]
    assert np.allclose([axes.get_xlim(), axes.get_ylim()], [alone.get_xlim(), alone.get_ylim()], rtol=0, atol=0.5)
    pyplot.close(axes.figure)
