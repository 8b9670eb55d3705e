"""Pictures of models: readable, reproducible, safe with any name, and never half written."""

import sys
import xml.etree.ElementTree as ElementTree

import matplotlib
import numpy as np
import pytest

from isingmap.errors import FileFormatError, ModelError, NonPlanarError
from isingmap.planar.drawing.segment_crossings import has_crossings
from isingmap.report import field_arcs, map_figure, name_places, plots
from isingmap.report.appearance import MARKERS, group_styles, scale_of, sign_style
from isingmap.report.name_places import place_labels
from isingmap.report.plots import draw_map

SQUARE = {
    "names": list("abcd"),
    "edges": [(0, 1), (1, 2), (2, 3), (0, 3)],
    "couplings": [1.0, -0.5, 0.25, 0.1],
}


def texts(path):
    """All text of an SVG file, one string for each text element."""
    root = ElementTree.parse(path).getroot()
    return ["".join(element.itertext()).strip() for element in root.iter() if element.tag.endswith("}text")]


def node_places(path):
    """Places of the markers on the sheet of an SVG file."""
    elements = ElementTree.parse(path).getroot().iter()
    return {(use.get("x"), use.get("y")) for use in elements if use.tag.endswith("}use")}


def test_writes_both_files_and_returns_positions(tmp_path):
    positions = draw_map([tmp_path / "map.svg", str(tmp_path / "map.png")], **SQUARE)
    assert set(positions) == set("abcd")
    assert not has_crossings(np.array(list(positions.values())), SQUARE["edges"])
    assert (tmp_path / "map.png").read_bytes().startswith(b"\x89PNG")
    assert {"a", "b", "c", "d"} <= set(texts(tmp_path / "map.svg"))
    assert sorted(path.name for path in tmp_path.iterdir()) == ["map.png", "map.svg"]


def test_same_input_same_bytes(tmp_path):
    for k in range(2):
        paths = [tmp_path / f"{k}.{kind}" for kind in ("svg", "png", "pdf")]
        draw_map(paths, **SQUARE, fields=[1, -1, 0, 2], groups="ABBA")
    for kind in ("svg", "png", "pdf"):
        assert (tmp_path / f"0.{kind}").read_bytes() == (tmp_path / f"1.{kind}").read_bytes()
    assert b"<dc:date>" not in (tmp_path / "0.svg").read_bytes()


def test_bytes_do_not_depend_on_the_users_settings(tmp_path):
    draw_map(tmp_path / "plain.svg", **SQUARE)
    with matplotlib.rc_context({"text.color": "red", "savefig.facecolor": "black", "svg.fonttype": "path"}):
        draw_map(tmp_path / "set.svg", **SQUARE)
    assert (tmp_path / "plain.svg").read_bytes() == (tmp_path / "set.svg").read_bytes()


def test_global_state_stays(tmp_path):
    before = dict(matplotlib.rcParams)
    pyplot_loaded = "matplotlib.pyplot" in sys.modules
    draw_map([tmp_path / "map.svg", tmp_path / "map.png"], **SQUARE)
    assert dict(matplotlib.rcParams) == before
    assert ("matplotlib.pyplot" in sys.modules) == pyplot_loaded


def test_hostile_names(tmp_path):
    names = ["<script>&\"'", "$\\frac{$", "a\nb\x00c", "n" * 300]
    paths = [tmp_path / "map.svg", tmp_path / "map.png"]
    positions = draw_map(paths, **SQUARE | {"names": names}, groups=names)
    assert list(positions) == names
    shown = texts(tmp_path / "map.svg")
    assert {"<script>&\"'", "$\\frac{$", "a b c", "n" * 23 + "…"} <= set(shown)
    assert "<script" not in (tmp_path / "map.svg").read_text(encoding="utf-8")


def test_legend_says_what_is_drawn(tmp_path):
    groups = ["D", "R", "R", None]
    draw_map(tmp_path / "map.svg", **SQUARE, fields=[2.0, 0, -1, 0], groups=groups, title="Votes")
    shown = texts(tmp_path / "map.svg")
    expected = {
        "D (1)", "R (2)", "no group (1)", "coupling > 0: agree", "coupling < 0: differ", "|coupling| = 1",
        "|coupling| = 0.5", "field +1 (alone 88 % +1)", "field -0.3 (alone 35 % +1)", "Votes",
        "4 variables, 4 edges (3 positive, 1 negative). Edge: coupling > 0 = tend to agree",
    }  # fmt: skip
    assert expected <= set(shown)
    draw_map(tmp_path / "bare.svg", **SQUARE, groups="DRRI", legend=False)
    assert "D (1)" not in texts(tmp_path / "bare.svg")


def test_many_groups_are_counted(tmp_path):
    names = [f"x{k}" for k in range(30)]
    draw_map(tmp_path / "map.svg", names=names, edges=[], couplings=[], groups=names)
    assert "and 6 more groups" in texts(tmp_path / "map.svg")


@pytest.mark.parametrize("n", [0, 1, 2, 7])
def test_without_edges(tmp_path, n):
    names = [f"x{k}" for k in range(n)]
    positions = draw_map([tmp_path / "map.svg", tmp_path / "map.png"], names=names, edges=[], couplings=[])
    assert list(positions) == names
    assert len(set(positions.values())) == n
    assert set(names) <= set(texts(tmp_path / "map.svg"))


def test_positions_are_reused(tmp_path):
    first = draw_map(tmp_path / "one.svg", **SQUARE)
    other = {"names": ["d", "a", "c"], "edges": [(0, 1)], "couplings": [-1.0]}
    second = draw_map(tmp_path / "two.svg", **other, positions=first)
    assert second == {name: first[name] for name in other["names"]}
    one, two = (node_places(tmp_path / f"{k}.svg") for k in ("one", "two"))
    assert len(two) == 3
    assert two < one


def test_kamada_kawai_draws_non_planar_graphs(tmp_path):
    k5 = [(i, j) for j in range(5) for i in range(j)]
    model = {"names": list("vwxyz"), "edges": k5, "couplings": -np.ones(10)}
    with pytest.raises(NonPlanarError, match="branch nodes v, w, x, y, z"):
        draw_map(tmp_path / "map.svg", **model)
    assert not list(tmp_path.iterdir())
    assert len(draw_map(tmp_path / "map.svg", **model, layout="kamada-kawai")) == 5


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"names": list("aacd")}, "differ"),
        ({"couplings": [1.0]}, r"couplings must have shape \(4,\)"),
        ({"couplings": [1, 2, np.nan, 0]}, r"couplings\[2\] is nan"),
        ({"fields": [1.0]}, r"fields must have shape \(4,\)"),
        ({"groups": ["D"]}, "one entry for each of the 4"),
        ({"layout": "circle"}, "planar, kamada-kawai"),
        ({"positions": {"a": (0, 0)}}, "no place for 3 variables of 4: b, c, d"),
        ({"positions": np.full((4, 2), np.inf)}, "finite"),
        ({"edges": [(0, 1), (1, 2), (2, 3), (0, 4)]}, "numbered 0..3"),
    ],
)
def test_what_does_not_fit_is_refused(tmp_path, change, message):
    with pytest.raises(ModelError, match=message):
        draw_map(tmp_path / "map.svg", **SQUARE | change)
    assert not list(tmp_path.iterdir())


def test_edges_are_checked_when_positions_are_given(tmp_path):
    places = np.array([(0, 0), (1, 0), (1, 1), (0, 1)])
    with pytest.raises(ModelError, match=r"numbered 0\.\.3"):
        edges = [(0, 1), (1, 2), (2, 3), (0, -1)]
        draw_map(tmp_path / "map.svg", **SQUARE | {"edges": edges}, positions=places)


def test_other_endings_are_refused_before_any_work(tmp_path):
    with pytest.raises(FileFormatError, match=r"map\.gif: pictures are written as \.svg, \.png, \.pdf"):
        draw_map([tmp_path / "map.svg", tmp_path / "map.gif"], **SQUARE)
    assert not list(tmp_path.iterdir())


def test_a_failed_run_leaves_the_old_file(tmp_path, monkeypatch):
    good = tmp_path / "map.svg"
    draw_map(good, **SQUARE)
    before = good.read_bytes()

    def broken_save(figure, stream, **_):
        stream.write(b"half")
        raise OSError("disk full")

    monkeypatch.setattr("matplotlib.figure.Figure.savefig", broken_save)
    with pytest.raises(OSError, match="disk full"):
        draw_map(good, **SQUARE)
    assert good.read_bytes() == before
    assert [path.name for path in tmp_path.iterdir()] == ["map.svg"]


def test_signs_and_groups_do_not_rest_on_colour_alone():
    assert sign_style(1.0)[1] != sign_style(-1.0)[1]
    assert sign_style(1.0)[0] != sign_style(-1.0)[0]
    for groups in (list("DRI"), [f"g{k:02}" for k in range(64)]):
        assert len(set(group_styles(groups).values())) == len(groups)
    assert len({marker for _, marker in group_styles(list("DRI")).values()}) == 3
    assert len({marker for _, marker in group_styles(list("abcdefgh")).values()}) == len(MARKERS)


def test_widths_are_in_proportion():
    scale = scale_of(np.array([0.5, -2.0, 1.0]))
    assert scale.width(-2.0) == pytest.approx(2 * scale.width(1.0))
    assert scale.samples()[0] == 2.0
    assert scale_of(np.zeros(3)).samples() == []


def test_an_arc_is_as_long_as_the_variable_alone_leans_and_turns_by_the_sign():
    assert field_arcs.sweep(0.5) == pytest.approx(360 * np.tanh(0.5))
    assert [field_arcs.sweep(field) for field in (-0.5, 1e-9, 50.0, 0.0)] == [-field_arcs.sweep(0.5), 6.0, 360.0, 0.0]
    for field in (0.3, -0.3, 2.0, -2.0):
        *_, arc = field_arcs.arc((10.0, 20.0), field, 4.0)
        (points,) = arc.get_path().to_polygons(closed_only=False)
        turned = np.unwrap(np.arctan2(*(points - (10.0, 20.0)).T))  # clockwise from the top
        assert max(turned) - min(turned) == pytest.approx(2 * np.pi * np.tanh(abs(field)), abs=1e-6)
        assert min(turned) % (2 * np.pi) == pytest.approx(
            0 if field > 0 else 2 * np.pi * (1 - np.tanh(-field)), abs=1e-6
        )


def test_one_strong_field_does_not_hide_the_others():
    assert field_arcs.sweep(0.3) > 100.0  # beside whatever others


def test_only_the_signs_that_there_are_have_a_legend(tmp_path):
    draw_map(tmp_path / "map.svg", **SQUARE, fields=[0.1, 0, 0, 0.2])
    assert any(text.startswith("field +") for text in texts(tmp_path / "map.svg"))
    assert not any(text.startswith("field -") for text in texts(tmp_path / "map.svg"))


def test_labels_of_a_grid_cover_nothing():
    """Room enough for all: no label may touch another, a node or the border."""
    x, y = np.meshgrid(60.0 * np.arange(1, 8), 40.0 * np.arange(1, 8))
    centres = np.column_stack([x.ravel(), y.ravel()])
    sizes = np.tile([40.0, 8.0], (49, 1))
    edges = np.array([(k, k + 1) for k in range(48) if k % 7 != 6])
    placed = place_labels(centres, sizes, edges, radius=4.0, bounds=(0, 0, 480, 320))
    low, high = placed - sizes / 2, placed + sizes / 2
    assert (low >= 0).all()
    assert (high <= [480, 320]).all()
    for v in range(49):
        meet = (np.minimum(high, high[v]) > np.maximum(low, low[v])).all(axis=1)
        assert meet.sum() == 1
        off = np.clip(centres, low[v], high[v]) - centres
        assert np.hypot(*off.T).min() >= 4.0


@pytest.mark.parametrize(
    ("centres", "wide"),
    [
        ([(200, 100), (200, 105)], 400),  # both names at the right would overlap
        ([(200, 100), (200, 160)], 230),  # a name at the right would be cut off
    ],
)
def test_labels_avoid_what_is_in_their_way(centres, wide):
    centres, sizes = np.array(centres, float), np.tile([60.0, 8.0], (2, 1))
    placed = place_labels(centres, sizes, np.empty((0, 2), int), radius=2.0, bounds=(0, 0, wide, 300))
    low, high = placed - sizes / 2, placed + sizes / 2
    assert (high[:, 0] <= wide).all()
    assert (np.minimum(*high) <= np.maximum(*low)).any()
    for v in range(2):
        off = np.clip(centres, low[v], high[v]) - centres
        assert np.hypot(*off.T).min() >= 2.0


@pytest.mark.parametrize("step", [0.0, 12.0])  # places at random, and in rows that tie and meet
def test_what_is_not_looked_at_has_no_say(monkeypatch, step):
    rng = np.random.default_rng(3)
    centres = rng.random((40, 2)) * 300
    centres = np.round(centres / step) * step if step else centres
    sizes = np.column_stack([rng.integers(10, 90, 40) + 0.5, np.full(40, 8.5)])
    edges = rng.integers(0, 40, (70, 2))
    what = {"radius": 3.6, "bounds": (0, 0, 340, 330)}
    placed = place_labels(centres, sizes, edges, **what)
    monkeypatch.setattr(name_places, "NEAR", 1e6)  # everything is near, as if nothing were left out
    np.testing.assert_array_equal(place_labels(centres, sizes, edges, **what), placed)


def test_labels_avoid_nodes():
    centres, sizes = np.array([(200.0, 100), (220, 100)]), np.array([(60.0, 8), (0, 0)])
    placed = place_labels(centres, sizes, np.empty((0, 2), int), radius=2.0, bounds=(0, 0, 400, 300))
    assert placed[0, 0] < 200


def test_labels_avoid_edges():
    centres, sizes = np.array([(100.0, 100), (300, 100)]), np.tile([60.0, 8.0], (2, 1))
    placed = place_labels(centres, sizes, np.array([(0, 1)]), radius=2.0, bounds=(0, 0, 400, 300))
    assert placed[0, 0] < 100
    assert placed[1, 0] > 300


def test_text_can_be_read():
    assert map_figure.FONT_SIZE >= 7
    assert plots.STYLE["svg.fonttype"] == "none"


def test_long_names_stay_different(tmp_path):
    """Questions of a survey begin alike and differ at their end."""
    question = "During the last two weeks, how often were you bothered by: "
    names = [question + end for end in ("sleeping badly", "feeling tired", "feeling sad")] + ["short", "a\nb", "a b"]
    draw_map(tmp_path / "map.svg", names=names, edges=[], couplings=[])
    shown = [text for text in texts(tmp_path / "map.svg") if "During" in text or text.startswith("a b")]
    assert len(shown) == len(set(shown)) == 5 and max(map(len, shown)) <= map_figure.LONGEST_NAME
    assert "a b" in shown and "a b (2)" in shown
    ends = [text.rpartition("\N{HORIZONTAL ELLIPSIS}")[2] for text in shown if "During" in text]
    assert any("tired" in end for end in ends) and any("sad" in end for end in ends)
