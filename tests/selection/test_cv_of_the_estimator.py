"""criterion="cv" from the table to the folder: what was taken is fitted to all rows, and all that was tried is told."""

import csv
import json

import numpy as np
import pytest
from test_cross_validation import chain

from isingmap import PlanarIsing
from isingmap.cli.main import main
from isingmap.errors import DataError, ModelError
from isingmap.report.results import write_results
from isingmap.report.selection_facts import SELECTION_COLUMNS


@pytest.fixture(scope="module")
def fit():
    return PlanarIsing(criterion="cv", n_folds=4).fit(chain())


def test_the_final_fit_has_the_settings_that_were_taken(fit):
    taken = fit.learned_.selection.taken
    again = PlanarIsing(family=taken.family, criterion=taken.criterion, gamma=taken.gamma).fit(chain())
    assert np.array_equal(fit.edges_, again.edges_) and np.array_equal(fit.couplings_, again.couplings_)
    assert fit.result_.criterion == taken.criterion and fit.learned_.settings["criterion"] == "cv"
    assert again.learned_.selection is None


def test_what_was_tried_is_written(fit, tmp_path):
    folder = write_results(fit.learned_, tmp_path / "map")
    with open(folder / "selection.csv", newline="") as stream:
        rows = list(csv.DictReader(stream))
    assert tuple(rows[0]) == SELECTION_COLUMNS and len(rows) == 5
    taken = [row for row in rows if row["taken"] == "yes"]
    assert [float(row["held_out"]) for row in taken] == [fit.learned_.selection.taken.mean]
    text = (folder / "summary.txt").read_text()
    assert "4 folds of rows" in text and "planar ebic 0.25" in text
    json.loads((folder / "model.json").read_text())


@pytest.mark.filterwarnings("ignore::isingmap.errors.FitWarning")
@pytest.mark.parametrize(
    "settings, error, text",
    [
        ({"criterion": "cv", "gamma": 0.5}, ModelError, "chooses gamma itself"),
        ({"n_folds": 5}, ModelError, "n_folds=5 is for criterion='cv'"),
        ({"criterion": "cv", "search": "tmfg"}, ModelError, "search=tmfg"),
        ({"criterion": "cv", "graph": [(0, 1)]}, ModelError, "does not use criterion=cv"),
    ],
)
def test_settings_without_a_use_are_refused(settings, error, text):
    with pytest.raises(error, match=text):
        PlanarIsing(**settings).fit(chain())


def test_missing_cells_and_bare_moments_are_refused():
    x = chain().astype(float)
    x[0, 0] = np.nan
    with pytest.raises(DataError, match="needs complete rows"):
        PlanarIsing(criterion="cv", missing="pairwise").fit(x)
    with pytest.raises(ModelError, match="only moments"):
        PlanarIsing(criterion="cv", family="zero-field").fit_moments(np.eye(3), 100)


def test_on_the_command_line(tmp_path, capsys):
    table = tmp_path / "t.csv"
    lines = [",".join("abcde"), *(",".join(map(str, row)) for row in chain())]
    table.write_text("\n".join(lines) + "\n")
    assert main(["fit", str(table), "--criterion", "cv", "--folds", "3", "-o", str(tmp_path / "map")]) == 0
    assert "3 folds of rows" in capsys.readouterr().out and (tmp_path / "map" / "selection.csv").exists()
    assert main(["fit", str(table), "--folds", "3", "-o", str(tmp_path / "other")]) != 0
    assert "--folds 3 is for --criterion cv" in capsys.readouterr().err.replace("\n", " ")
