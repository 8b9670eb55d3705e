"""All criteria along one path: the table, the summary and the picture."""

import csv

import numpy as np
import pytest

from isingmap import PlanarIsing
from isingmap.report.path_figure import plot_path
from isingmap.report.results import write_results
from isingmap.structure.along_path import criteria_along, edges_along

N, ROWS = 8, 150


def weak(n_rows=ROWS):
    rng = np.random.default_rng(1)
    hidden = rng.normal(size=(n_rows, 2)) @ rng.normal(size=(2, N))
    return np.where(hidden + 1.5 * rng.normal(size=(n_rows, N)) > 0.3, 1, -1)


@pytest.fixture(scope="module")
def fit():
    return PlanarIsing(criterion="aic", n_restarts=2, fields="paying").fit(weak())


@pytest.fixture(scope="module")
def chosen():
    return PlanarIsing(criterion="cv", n_folds=3, search="greedy").fit(weak())


def test_every_gamma_is_computed_from_likelihood_and_size(fit):
    path = fit.path_
    along = {criterion.name: criterion.values for criterion in criteria_along(fit.result_)}
    assert [*along] == ["AIC", "BIC", "EBIC 0.25", "EBIC 0.5", "EBIC 1"]
    for gamma in (0.25, 0.5, 1.0):
        price = np.log(ROWS) + 4 * gamma * np.log(N)
        expected = -2 * path.log_likelihood + price * path.n_parameters
        assert along[f"EBIC {gamma:g}"] == pytest.approx(expected, abs=1e-9)
    assert np.array_equal(along["EBIC 0.25"], path.ebic) and np.array_equal(along["BIC"], path.bic)


def test_edges_are_counted_apart_from_fields(fit):
    path, edges = fit.path_, edges_along(fit.result_)
    assert "(field)" in path.target and "remove" in path.action
    dropped = np.cumsum([end == "(field)" for end in path.target])
    assert edges[0] == 0 and edges[-1] == fit.model_.n_edges
    assert np.array_equal(edges + N - dropped, path.n_parameters)


def test_the_criterion_of_a_greedy_search_is_smallest_at_its_end(chosen):
    lax = PlanarIsing(criterion="aic", search="greedy").fit(weak())
    strict = PlanarIsing(criterion="bic", search="greedy").fit(weak())
    bic = criteria_along(lax.result_)[1]
    assert 0 < bic.step < len(lax.path_) - 1 and lax.path_.bic[bic.step] <= strict.path_.bic[-1]


def test_the_table_has_all_columns(chosen, tmp_path):
    with open(write_results(chosen.learned_, tmp_path / "map") / "path.csv", newline="") as stream:
        rows = list(csv.DictReader(stream))
    held = chosen.learned_.selection.path
    known = min(len(held.mean), len(rows))
    assert [float(row["held_out"]) for row in rows[:known]] == held.mean[:known].tolist()
    assert [float(row["held_out_se"]) for row in rows[:known]] == held.se[:known].tolist()
    assert all(row["held_out"] == "" for row in rows[known:])
    assert [int(row["n_edges"]) for row in rows] == [*range(len(rows))]
    along = criteria_along(chosen.result_)
    assert [float(row["ebic_1"]) for row in rows] == along[-1].values.tolist()
    summary = (tmp_path / "map" / "summary.txt").read_text()
    section = summary[summary.index("Along the path") :].partition("\n\n")[0]
    for criterion in along:
        line = next(line.split() for line in section.splitlines() if line.strip().startswith(f"{criterion.name} "))
        numbers = line[len(criterion.name.split()) :]
        assert int(numbers[0]) == criterion.step and float(numbers[3].replace(",", "")) == pytest.approx(
            criterion.values[criterion.step], abs=0.01
        )
    assert "greedy graphs of the folds predict best" in " ".join(section.split())


def test_the_picture_marks_what_each_would_choose(chosen, fit):
    from matplotlib.figure import Figure

    for learned in (chosen.learned_, fit.learned_):
        axes = Figure().add_subplot()
        assert plot_path(learned, axes) is axes
        labels = [text.get_text() for text in axes.get_legend().get_texts()]
        along, edges = criteria_along(learned.result), edges_along(learned.result)
        assert labels[: len(along)] == [f"{criterion.name}: {edges[criterion.step]}" for criterion in along]
        dots = [line for line in axes.lines if line.get_marker() == "o"]
        assert [dot.get_xdata()[0] for dot in dots] == [edges[criterion.step] for criterion in along]
        assert all(axes.get_ylim()[0] == 0 and np.isfinite(line.get_ydata()).all() for line in axes.lines)
        assert (len(labels) > len(along)) == (learned.selection is not None)
    assert labels == [label for label in labels if "held out" not in label]


@pytest.mark.parametrize(
    "settings, has_picture",
    [({"search": "chow-liu"}, False), ({"search": "greedy"}, True), ({"graph": [(0, 1)]}, False)],
)
def test_there_is_no_picture_without_a_path(settings, has_picture, tmp_path):
    folder = write_results(PlanarIsing(**settings).fit(weak()).learned_, tmp_path / "map")
    assert (folder / "path.svg").exists() == has_picture
    assert ("Along the path" in (folder / "summary.txt").read_text()) == has_picture


def test_no_criterion_knows_a_composite_likelihood(tmp_path):
    x = weak().astype(float)
    x[:20, 0] = np.nan
    fit = PlanarIsing(missing="pairwise", search="greedy").fit(x)
    assert np.isnan(criteria_along(fit.result_)[3].values).all()
    assert not (write_results(fit.learned_, tmp_path / "map") / "path.svg").exists()
