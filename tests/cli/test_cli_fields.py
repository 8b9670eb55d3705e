"""isingmap fit: which fields, and which families."""

import csv
import json

import numpy as np
import pytest

from isingmap import IsingModel, PlanarIsing

NAMES = ["tea", "milk", "sugar", "lemon", "biscuit"]


@pytest.fixture
def breakfast(tmp_path):
    """Two columns lean, three hardly do."""
    model = IsingModel([(0, 1), (1, 2), (0, 3)], [0.6, 0.6, -0.6], [1.0, 0.0, 0.0, -1.0, 0.01])
    rows = model.sample(400, rng=3)
    path = tmp_path / "breakfast.csv"
    path.write_text("\n".join([",".join(NAMES), *(",".join(map(str, row)) for row in rows.tolist())]))
    return path


def summary(folder):
    return " ".join((folder / "summary.txt").read_text().split())


def nodes(folder):
    with open(folder / "nodes.csv", newline="") as stream:
        return {row["name"]: row for row in csv.DictReader(stream)}


def test_fields_that_do_not_pay_are_dropped_and_named(run, breakfast, tmp_path):
    code, _, err = run("fit", breakfast, "--fields", "paying", "-o", tmp_path / "map")
    assert (code, err) == (0, "")
    rows = np.loadtxt(breakfast, delimiter=",", skiprows=1)
    fit = PlanarIsing(fields="paying").fit(rows)
    dropped = [NAMES[int(name[1:]) - 1] for name in fit.result_.dropped_fields]
    assert dropped
    text, table = summary(tmp_path / "map"), nodes(tmp_path / "map")
    assert (
        f"fields dropped {len(dropped)} of 5 not worth their price ({', '.join(dropped)}); the log-likelihood falls by"
        in text
    )
    assert f"and EBIC by {fit.result_.gained_by_drops:.2f}, which is better" in text
    full = PlanarIsing().fit(rows)
    assert full.result_.ebic - fit.result_.ebic == pytest.approx(fit.result_.gained_by_drops, abs=1e-6)
    assert fit.result_.gained_by_drops > 0 == full.result_.gained_by_drops
    assert {name for name, row in table.items() if row["field_se"] == ""} == {*dropped}
    assert all(float(table[name]["field"]) == 0 for name in dropped)
    assert "fields='paying'" in text and "search ended the best addition left" in text
    facts = json.loads((tmp_path / "map" / "model.json").read_text())["facts"]
    assert next(f["value"] for f in facts if f["label"] == "fields dropped") == dropped
    with open(tmp_path / "map" / "path.csv", newline="") as stream:
        last = list(csv.DictReader(stream))[-len(dropped) :]
    assert [(row["action"], row["source"], row["target"]) for row in last] == [
        ("remove", name, "(field)") for name in dropped
    ]


def test_steps_of_edges_are_known_where_only_fields_were_dropped(run, breakfast, tmp_path):
    run("fit", breakfast, "--fields", "paying", "--search", "greedy", "-o", tmp_path / "map")
    with open(tmp_path / "map" / "edges.csv", newline="") as stream:
        assert {row["step"] for row in csv.DictReader(stream)} == {"1", "2", "3"}


def test_all_fields_pay(run, breakfast, tmp_path):
    lines = breakfast.read_text().splitlines()
    rare = ["rare,scarce", *("1,1" if k % 10 == 0 else "1,-1" if k % 11 == 0 else "-1,-1" for k in range(len(lines)))]
    (tmp_path / "rare.csv").write_text("\n".join(rare))
    run("fit", tmp_path / "rare.csv", "--fields", "paying", "-o", tmp_path / "map")
    assert "fields dropped none: every field is worth its price" in summary(tmp_path / "map")


def test_required_fields_by_name(run, breakfast, tmp_path):
    options = ("--family", "partial", "--required-field", "sugar", "--required-field", "biscuit")
    code, _, err = run("fit", breakfast, *options, "-o", tmp_path / "map")
    assert (code, err) == (0, "")
    table = nodes(tmp_path / "map")
    assert table["sugar"]["field_se"] and table["biscuit"]["field_se"]
    assert "required_fields=['sugar', 'biscuit']" in summary(tmp_path / "map")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (
            ("--required-field", "suger"),
            "--required-field must be names or numbers of columns, and none is 'suger'; the columns are tea, milk",
        ),
        (
            ("--family", "zero-field", "--required-field", "tea"),
            "--required-field must be left out with --family zero-field, which has no fields; --family planar gives",
        ),
        (
            ("--family", "partial", "--fields", "paying"),
            "--fields paying goes with --family planar; --family partial chooses its fields",
        ),
        (
            ("--search", "chow-liu", "--fields", "paying"),
            "--search chow-liu does not use --fields paying; leave it out",
        ),
    ],
)
def test_what_cannot_be_asked_of_fields(run, breakfast, tmp_path, options, message):
    code, out, err = run("fit", breakfast, *options, "-o", tmp_path / "map")
    assert (code, out) == (2, "") and message in err and not (tmp_path / "map").exists()


def test_the_best_family(run, breakfast, tmp_path):
    code, out, err = run("fit", breakfast, "--family", "auto", "--restarts", "1", "-o", tmp_path / "map")
    assert (code, err) == (0, "")
    facts = json.loads((tmp_path / "map" / "model.json").read_text())["facts"]
    table = {fact["label"]: fact["value"] for fact in facts if fact["section"] == "Families"}
    assert {"zero-field", "partial", "outer-planar", "planar"} <= table.keys()
    best = min(("zero-field", "partial", "outer-planar", "planar"), key=lambda name: round(table[name]["value"], 6))
    assert f"{best} was taken, by EBIC with every coupling and every field at the same price" in " ".join(out.split())
    assert table["planar"]["n_fields"] == 5 and table["zero-field"]["n_fields"] == 0


def test_the_best_family_of_what_can_be_fitted(run, breakfast, tmp_path):
    code, out, _ = run(
        *("fit", breakfast, "--family", "auto", "--required-field", "tea", "--restarts", "0", "-o", tmp_path / "map")
    )
    assert code == 0
    assert "zero-field not fitted: required_fields must be left out" in " ".join(out.split())


def test_the_best_family_of_pairwise_cells_is_refused_with_advice(run, breakfast, tmp_path):
    lines = breakfast.read_text().splitlines()
    lines[1] = "," + lines[1].partition(",")[2]
    breakfast.write_text("\n".join(lines))
    options = ("fit", breakfast, "--family", "auto", "--restarts", "0", "-o", tmp_path / "map", "--missing")
    code, _, err = run(*options, "pairwise")
    assert code == 2 and "--family auto compares exact likelihoods, and with --missing pairwise there is none" in err
    assert "--missing drop" in err and run(*options, "drop")[0] == 0


def test_the_width_of_the_graph(run, breakfast, tmp_path):
    options = ("--criterion", "aic", "--max-width", "1", "-o")
    code, _, err = run("fit", breakfast, *options, tmp_path / "map")
    assert code == 0 and "A stricter criterion keeps it narrower, and --max-width 2 lets the first in" in err
    assert "max_width=1" in summary(tmp_path / "map")
    code, _, err = run("fit", breakfast, "--family", "partial", *options, tmp_path / "other")
    assert code == 2 and "--max-width 1 goes with --family planar" in err
