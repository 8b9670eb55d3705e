"""isingmap check, from the files of a fit to the files of a check."""

import csv
import json

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
    assert len(list(csv.reader((out / "counts.csv").open()))) == 1 + 7
    assert len(list(csv.reader((out / "triples.csv").open()))) == 1 + 20
    assert WILD not in (out / "check.svg").read_text()
    tests = {fact["label"]: fact["value"] for fact in json.loads((out / "check.json").read_text())["facts"]}
    assert 0 < tests["pairs, sum of z^2"]["p"] <= 1


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
