"""criterion="cv" from the table to the folder: what was taken is fitted to all rows, and all that was tried is told."""

import csv
import json

import numpy as np
import pytest
from test_cross_validation import chain

from isingmap import MomentAccumulator, PlanarIsing
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
    for refused in (
        lambda fit: fit.fit_moments(np.eye(3), 100),
        lambda fit: fit.partial_fit(chain()),
        lambda fit: fit.fit(MomentAccumulator().add(chain())),
    ):
        with pytest.raises(DataError, match="give the table, or leave criterion='cv' out"):
            refused(PlanarIsing(criterion="cv", family="zero-field"))
    with pytest.raises(ModelError, match="chooses? first"):
        PlanarIsing(criterion="cv").stability(chain())
    with pytest.raises(ModelError, match="n_folds=5 is for fits"):
        PlanarIsing(n_folds=5).stability(chain())


def test_on_the_command_line(tmp_path, capsys):
    table = tmp_path / "t.csv"
    lines = [",".join("abcde"), *(",".join(map(str, row)) for row in chain())]
    table.write_text("\n".join(lines) + "\n")
    assert main(["fit", str(table), "--criterion", "cv", "--folds", "3", "-o", str(tmp_path / "map")]) == 0
    assert "3 folds of rows" in capsys.readouterr().out and (tmp_path / "map" / "selection.csv").exists()
    assert main(["fit", str(table), "--folds", "3", "-o", str(tmp_path / "other")]) != 0
    assert "--folds 3 is for --criterion cv" in capsys.readouterr().err.replace("\n", " ")


def test_clusters_are_held_out_together(tmp_path, capsys):
    x, clusters = chain()[:120], np.arange(120) // 6
    fit = PlanarIsing(criterion="cv", n_folds=4, search="greedy").fit(x, clusters=clusters)
    alone = PlanarIsing(criterion="cv", n_folds=4, search="greedy").fit(x)
    found = fit.learned_.selection
    assert found.by_group and not alone.learned_.selection.by_group
    assert [e.mean for e in found.tried] != [e.mean for e in alone.learned_.selection.tried]
    table = tmp_path / "t.csv"
    lines = ["a,b,c,d,e,day", *(",".join(map(str, (*row, f"d{k:02}"))) for row, k in zip(x, clusters, strict=True))]
    table.write_text("\n".join(lines) + "\n")
    options = ["--criterion", "cv", "--folds", "4", "--search", "greedy", "--cluster-column", "day"]
    assert main(["fit", str(table), *options, "-o", str(tmp_path / "map")]) == 0
    assert "4 folds of clusters" in capsys.readouterr().out
    with open(tmp_path / "map" / "selection.csv", newline="") as stream:
        assert [float(row["held_out"]) for row in csv.DictReader(stream)] == [entry.mean for entry in found.tried]
    few = ["--folds", "30", *options[:2], *options[4:]]
    assert main(["fit", str(table), *few, "-o", str(tmp_path / "few")]) == 2
    assert "use --folds 20 or fewer" in " ".join(capsys.readouterr().err.split())


def test_rows_are_kept_of_a_large_file(tmp_path, monkeypatch):
    monkeypatch.setattr("isingmap.io.table_in_parts.is_large", lambda path: True)
    monkeypatch.setattr("isingmap.io.table_in_parts.read_in_parts", None)  # nobody lets the rows pass
    table = tmp_path / "t.csv"
    table.write_text("\n".join([",".join("abcde"), *(",".join(map(str, row)) for row in chain())]) + "\n")
    options = ["--criterion", "cv", "--folds", "2", "--search", "greedy", "--quiet"]
    assert main(["fit", str(table), *options, "-o", str(tmp_path / "map")]) == 0


def test_moments_are_refused_in_the_words_of_the_command(tmp_path, capsys):
    matrix = tmp_path / "m.csv"
    matrix.write_text("name,a,b,c\na,1,0.5,0\nb,0.5,1,0\nc,0,0,1\n")
    command = ["fit", str(matrix), "--moments", "--n-samples", "100", "--family", "zero-field"]
    assert main([*command, "--criterion", "cv", "-o", str(tmp_path / "map")]) == 2
    assert "give the table, or leave --criterion cv out" in " ".join(capsys.readouterr().err.split())
    assert main([*command, "-o", str(tmp_path / "map")]) == 0


def test_weights_of_a_survey_are_scaled_and_their_rows_stay_whole():
    rng = np.random.default_rng(2)
    x, weights = chain()[:150], np.exp(rng.normal(size=150))
    settings = {"criterion": "cv", "n_folds": 3, "search": "greedy", "weight_kind": "survey"}
    fit = PlanarIsing(**settings).fit(x, sample_weight=weights)
    again = PlanarIsing(**settings).fit(x, sample_weight=1000 * weights)
    found = fit.learned_.selection
    assert [e.mean for e in again.learned_.selection.tried] == pytest.approx([e.mean for e in found.tried], abs=1e-9)
    scaled = weights * weights.sum() / (weights**2).sum()  # to the effective number of rows
    other = PlanarIsing(**{**settings, "weight_kind": "frequency"}).fit(x, sample_weight=scaled)
    assert [e.mean for e in other.learned_.selection.tried] == pytest.approx([e.mean for e in found.tried], abs=1e-9)


def test_a_frequency_weight_is_so_many_rows():
    settings = {"criterion": "cv", "n_folds": 3, "search": "greedy"}
    x = chain()
    distinct, counts = np.unique(x, axis=0, return_counts=True)
    fit, weighted = PlanarIsing(**settings).fit(x), PlanarIsing(**settings).fit(distinct, sample_weight=counts)
    assert weighted.learned_.selection.tried == fit.learned_.selection.tried
    assert np.array_equal(weighted.couplings_, fit.couplings_)
