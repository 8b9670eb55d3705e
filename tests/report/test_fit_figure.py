"""The picture of a fit shows every mean and every pair where it is, in the data and in the model."""

from dataclasses import replace

import numpy as np
import pytest

from isingmap import PlanarIsing, plots
from isingmap.report import fit_figure
from isingmap.report.fit_figure import plot_fit
from isingmap.report.plots import write_figure


@pytest.fixture(scope="module")
def learned():
    x = np.random.default_rng(0).choice([-1, 1], (60, 4))
    x[:40, 1] = x[:40, 0]
    return PlanarIsing(graph=[(0, 1)]).fit(x).learned_.described(title="A $\\frac$ & <b>")


def axes():
    from matplotlib.figure import Figure

    return Figure().add_subplot()


def test_every_mean_and_pair_is_a_point(learned):
    mine = axes()
    assert plot_fit(learned, mine) is mine
    shown = {collection.get_label(): np.asarray(collection.get_offsets()) for collection in mine.collections}
    assert {label: len(points) for label, points in shown.items()} == {
        "pair without an edge (5)": 5,
        "pair with an edge (1)": 1,
        "mean with a field (4)": 4,
    }
    np.testing.assert_allclose(
        shown["pair with an edge (1)"], [[learned.model.moments()[0], learned.moments.moments[0, 1]]]
    )
    assert "missed most" not in mine.get_xlabel()


def test_many_points_are_a_bitmap_and_a_choice_is_said(learned, monkeypatch):
    monkeypatch.setattr(fit_figure, "MOST_VECTORS", 4)
    monkeypatch.setattr(fit_figure, "ALL_PAIRS_UP_TO", 3)
    mine = plot_fit(learned, axes())
    assert [collection.get_rasterized() for collection in mine.collections] == [True, False, False]
    assert mine.get_xlabel().endswith("; the 6 pairs missed most")


def test_without_axes_there_is_a_new_figure(learned):
    from matplotlib import pyplot

    before = pyplot.get_fignums()
    drawn = [plot(learned) for plot in (plots.plot_fit, lambda found: plots.plot_fit(found, None))]
    assert drawn[0].figure is not drawn[1].figure and len(pyplot.get_fignums()) == len(before) + 2
    for each in drawn:
        pyplot.close(each.figure)


def test_nothing_to_compare_is_an_empty_frame(learned):
    nothing = replace(learned)
    vars(nothing)["misses"] = []
    mine = plot_fit(nothing, axes())
    assert not mine.collections and mine.get_legend() is None


def test_the_same_fit_gives_the_same_bytes(learned, tmp_path):
    for name in ("one.svg", "two.svg"):
        write_figure([tmp_path / name], lambda: fit_figure.fit_figure(replace(learned)))
    text = (tmp_path / "one.svg").read_text()
    assert text == (tmp_path / "two.svg").read_text() and "A $\\frac$ &amp; &lt;b&gt;" in text
