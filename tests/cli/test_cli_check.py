"""isingmap check, from the files of a fit to the files of a check."""

import csv
import json
from pathlib import Path

import numpy as np
import pytest

from isingmap.cli.main import main
from isingmap.datasets.random_models import grid_model

WILD = "<img src=x>"


@pytest.fixture
def fitted(tmp_path):
    model = grid_model(2, 3, rng=np.random.default_rng(0))
    header = ",".join([WILD, *"bcdef"])
    table = tmp_path / "table.csv"
    rows = [",".join("yes" if x > 0 else "no" for x in row) for row in model.sample(150, rng=1).tolist()]
    table.write_text("\n".join([header, *rows]) + "\n")
    assert main(["fit", str(table), "-o", str(tmp_path / "map"), "--quiet", "--restarts", "0"]) == 0
    return str(tmp_path / "map" / "model.json"), str(table)


def test_everything_is_written_and_told(fitted, tmp_path, capsys):
    capsys.readouterr()
    out = tmp_path / "check"
    assert main(["check", *fitted, "--n-tables", "19", "-o", str(out), "--title", "Grid"]) == 0
    text = capsys.readouterr().out
    assert "Goodness of fit: Grid" in text and "150 rows of 6 variables" in text
    assert (out / "check.txt").read_text() in text
    assert {path.name for path in out.iterdir()} == {
        "check.txt", "check.json", "pairs.csv", "counts.csv", "triples.csv", "check.svg", "check.png"
    }  # fmt: skip
    pairs = list(csv.DictReader((out / "pairs.csv").open()))
    assert len(pairs) == 6 + 15
    assert {row["fitted"] for row in pairs} == {"yes", "no"}
    counts, triples = (list(csv.reader((out / name).open())) for name in ("counts.csv", "triples.csv"))
    assert len(counts) == 1 + 7 and len(triples) == 1 + 20
    assert counts[0] == ["n_positive", "data", "simulated_mean", "simulated_lower", "simulated_upper"]
    assert triples[0] == ["first", "second", "third", "data", "simulated_mean", "z"]
    assert WILD not in (out / "check.svg").read_text()
    tests = {fact["label"]: fact["value"] for fact in json.loads((out / "check.json").read_text())["facts"]}
    assert 0 < tests["pairs, sum of z^2"]["p"] <= 1


def test_the_settings_of_the_fit_are_those_of_the_check(fitted, tmp_path, capsys):
    """As model.json tells them, or as they are given; otherwise tables are not refitted, and the text says why."""
    _, table = fitted
    header, *rows = Path(table).read_text().splitlines()
    holes = [f"{row},{1 + k % 3}" if k % 9 else f",{row.partition(',')[2]},{1 + k % 3}" for k, row in enumerate(rows)]
    weighted = tmp_path / "weighted.csv"
    weighted.write_text("\n".join([f"{header},w", *holes]) + "\n")
    made = str(tmp_path / "weighted-map")
    options = ["--missing", "drop", "--prior", "5", "--weight-column", "w"]
    assert main(["fit", str(weighted), "-o", made, "--quiet", "--restarts", "0", *options]) == 0
    document = json.loads((tmp_path / "weighted-map" / "model.json").read_text())
    assert document["fit"]["moments"] == {"missing": "drop", "weight_kind": "frequency", "prior": 5.0}

    def check(*given):
        capsys.readouterr()
        assert main(["check", f"{made}/model.json", str(weighted), "--n-tables", "19", *given]) == 0
        return capsys.readouterr().out

    assert "each with its own fit" in check("--weight-column", "w")
    assert "\\n" not in check("--weight-column", "w")  # two notes on lines of their own
    assert "another rule for missing cells" in check("--weight-column", "w", "--missing", "minus")
    assert "not the maximum that a refit would find" in check("--drop-column", "w")
    del document["fit"]["moments"]  # as an older file
    (tmp_path / "weighted-map" / "model.json").write_text(json.dumps(document))
    assert "another prior" in check("--weight-column", "w")
    assert "each with its own fit" in check(*options)
    document["fit"]["moments"] = {"missing": "?"}
    (tmp_path / "weighted-map" / "model.json").write_text(json.dumps(document))
    assert '"moments" of "fit"' in check("--weight-column", "w")


def test_results_are_not_overwritten_and_nothing_is_written_unasked(fitted, tmp_path, capsys):
    before = set(tmp_path.iterdir())
    assert main(["check", *fitted, "--n-tables", "19"]) == 0
    assert set(tmp_path.iterdir()) == before
    capsys.readouterr()
    assert main(["check", *fitted, "-o", str(tmp_path / "map")]) == 2
    assert "not empty" in capsys.readouterr().err


def test_advice_can_be_followed(fitted, tmp_path, capsys):
    model, table = fitted
    assert main(["check", *fitted, "--n-tables", "3"]) == 2
    assert "--n-tables 3 are too few" in capsys.readouterr().err
    narrow = tmp_path / "narrow.csv"
    narrow.write_text("b,c\nyes,no\nno,yes\nyes,yes\n")
    assert main(["check", model, str(narrow)]) == 2
    assert "no column '<img src=x>'" in capsys.readouterr().err


def test_a_prior_of_nothing_is_no_prior_of_the_fit(fitted, capsys):
    capsys.readouterr()
    assert main(["check", *fitted, "--n-tables", "19", "--prior", "0"]) == 2
    assert "--prior must be a positive number" in capsys.readouterr().err


def test_too_few_rows_for_a_check_are_told_and_the_advice_works(tmp_path, capsys):
    """Two cells of the pair's table hold a single row, so most simulated tables lack one."""
    (tmp_path / "t.csv").write_text("a,b\n" + "1,1\n" * 9 + "0,0\n" * 8 + "1,0\n0,1\n")
    options = [str(tmp_path / "t.csv"), "--n-tables", "19", "-o", str(tmp_path / "check")]
    model = str(tmp_path / "map" / "model.json")
    assert main(["fit", options[0], "-o", str(tmp_path / "map")]) == 0
    capsys.readouterr()
    assert main(["check", model, *options]) == 2
    said = capsys.readouterr().err
    assert "simulated from the model have no finite fit" in said and "Learn the model again with --prior 1" in said
    assert main(["fit", options[0], "--prior", "1", "-o", str(tmp_path / "map"), "--force"]) == 0
    assert main(["check", model, *options]) == 0
