"""Pairs that a search left out of one map: their difference is none between two estimates, and every form says so."""

import json

import numpy as np
import pandas as pd
import pytest

from isingmap import PlanarIsing, compare
from isingmap.report.appearance import LEFT_OUT
from isingmap.report.comparison_facts import NOT_COMPARED, comparison_facts
from isingmap.report.comparison_results import write_comparison
from isingmap.report.difference_figure import plot_difference
from isingmap.report.page.comparison_folder import read_comparison
from isingmap.report.page.comparison_page import page_of, verdicts_of
from isingmap.report.page.difference_picture import NO_ESTIMATE, owners_of, views_of

pytestmark = pytest.mark.filterwarnings("ignore::isingmap.errors.IsingMapWarning")


@pytest.fixture(scope="module")
def found():
    """b goes with a in the first group, but never differs from it in the second; c and d are a weaker pair in both."""
    rng = np.random.default_rng(3)

    def table(flip, n_rows, together):
        a, c = rng.integers(0, 2, (2, n_rows))
        b, d = np.where(rng.random(n_rows) < flip, 1 - a, a), np.where(rng.random(n_rows) < together, c, 1 - c)
        return pd.DataFrame({"a": a, "b": b, "c": c, "d": d})

    return compare(
        table(0.1, 150, 0.7),
        table(0.0, 120, 0.8),
        PlanarIsing(search="greedy"),
        labels=("men", "women"),
        n_permutations=3,
    )


@pytest.fixture(scope="module")
def folder(found, tmp_path_factory):
    return write_comparison(found, tmp_path_factory.mktemp("left_out") / "both", command="isingmap compare")


def test_the_structure_test_names_its_pair_and_says_when_it_means_nothing(found, folder):
    facts = {fact.label: fact for fact in comparison_facts(found)}
    structure, strength, care = (facts[label] for label in ("structure", "global strength", "left out"))
    assert "(a - b)" in structure.text
    meaningless = "in women this pair has no finite coupling, and 0 stands for it: the difference means nothing"
    assert structure.text.endswith(meaningless)
    assert [structure.value[name] for name in ("source", "target", "left_out_of")] == ["a", "b", ["women"]]
    assert strength.text.endswith("1 pair without a finite coupling in a group counted as 0 there")
    assert "with prior=1 all are finite" in care.text
    assert "with --prior 1 all are finite" in " ".join((folder / "summary.txt").read_text().split())
    first, second, _ = verdicts_of(read_comparison(folder))
    assert first.startswith("Structure: the coupling that differs most, a – b, differs by")
    assert "in women this pair has no finite coupling" in first
    assert second.endswith("1 pair without a finite coupling in a group counted as 0 there")


def test_such_pairs_have_a_look_of_their_own(found, folder):
    compared = read_comparison(folder)
    pairs = [frozenset(pair) for pair in compared.differences.edge_names]
    k, owners = pairs.index(frozenset("ab")), owners_of(compared)
    assert owners[k] == NO_ESTIMATE and (owners == NO_ESTIMATE).sum() == 1 < len(pairs)
    for view in views_of(compared)[:2]:
        looks = [look[0] == LEFT_OUT for look in view.looks]
        assert looks == (owners == NO_ESTIMATE).tolist()
        assert [row.colour for row in view.legend if row.text == NOT_COMPARED] == [LEFT_OUT]
        assert max(look[1] for look in view.looks) == pytest.approx(3.6)  # others are as wide as if it were not there
        assert view.looks[k][1] < 2
    page = page_of(compared)
    line = page[page.index(f'<line data-edge="{k}"') :].partition(">")[0]
    assert LEFT_OUT in line and "stroke-opacity" not in line and compared.p_values[k] >= 0.05
    axes = plot_difference(found)
    assert [line.get_color() for line in axes.lines].count(LEFT_OUT) == 1
    assert NOT_COMPARED in [text.get_text() for text in axes.get_legend().get_texts()]
    assert len(axes.collections[0].get_segments()) == len(pairs) - 1


def test_the_banner_counts_a_warning_once(folder):
    facts = json.loads((folder / "comparison.json").read_text())["facts"]
    n_warned = sum(fact["label"] == "warning" for fact in facts)
    assert n_warned and any("would be infinite: a - b" in fact["text"] for fact in facts if fact["label"] == "warning")
    words = "1 warning" if n_warned == 1 else f"{n_warned} warnings"
    assert f'<a href="#compared">{words}</a>' in page_of(read_comparison(folder))


def test_both_maps_are_drawn_to_one_scale(folder):
    compared = read_comparison(folder)
    *_, first, second = views_of(compared)
    widths = np.array([[look[1] if look else 0 for look in view.looks] for view in (first, second)]).T
    strengths = np.abs(compared.couplings)
    has = strengths > 0.3
    ratio = widths[has] / strengths[has]
    assert has.all(axis=1).any() and np.ptp(ratio) < 1e-3 and widths.max() == pytest.approx(3.6)


def test_saved_pictures_are_called_by_their_view(folder):
    text = page_of(read_comparison(folder))
    data = json.loads(text[text.index('id="data">') + 10 : text.index("</script>", text.index('id="data">'))])
    assert data["pictures"] == ["difference", "difference-by-sign", "map-men", "map-women"]
