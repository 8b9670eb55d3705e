"""Messages of every command name its own options, and their advice works when followed there."""

import json

import pytest

from isingmap.cli.wording import in_options
from isingmap.model.ising_model import IsingModel

ROWS = "0,0,0\n1,1,1\n1,0,1\n0,1,0\n" * 9


@pytest.fixture
def model(tmp_path):
    """Path of a model with variables a, b, c."""
    IsingModel([("a", "b"), ("b", "c")], [1.0, -0.5], names=["a", "b", "c"]).save(tmp_path / "m.json")
    return tmp_path / "m.json"


@pytest.mark.parametrize(
    ("command", "message"),
    [
        ("fit t.csv -o o --threshold nan", "--threshold must be a finite number, got nan"),
        ("fit t.csv -o o --threshold 1 --positive 1", "--threshold and --positive exclude each other"),
        ("fit t.csv -o o --search tmfg --min-gain 1 --n-edges 3", "--min-gain 1.0, --n-edges 3; leave them out"),
        ("fit t.csv -o o --weight-kind survey", "give them (--weight-column of a file, sample_weight= of `fit` in"),
        ("fit const.csv -o o", "c (1 in all 36). Leave it out, or use --constant drop"),
        ("fit empty.csv -o o --missing drop", "Use --missing em, --missing minus or --missing pairwise"),
        ("fit ids.csv -o o", "set it aside (--id-column of a file"),
        ("predict m.json ids.csv -o p.csv", "set it aside (--id-column of a file"),
        ("predict m.json more.csv -o p.csv", "'d', 'e'; its variables are a, b, c. Leave these columns out: "),
        ("predict m.json more.csv -o p.csv", "--drop-column d, --drop-column e"),
        ("correlations m.json --pair a zz", "the model has no variable 'zz'; its variables are a, b, c"),
        ("simulate grid --rows 0 -n 3 -o s.csv", "error: --rows must be at least 1"),
        ("simulate grid --thin 0 -n 3 -o s.csv", "error: --thin must be at least 1"),
        ("simulate outer-planar --variables 1 -n 3 -o s.csv", "error: --variables must be at least 3"),
        ("simulate grid --low 3 --high 1 -n 3 -o s.csv", "0 <= low <= high, both finite; got 3.0 and 1.0"),
        ("sample m.json -n 100000000000 -o s.csv", "error: --n-samples 100000000000 times 3 spins"),
        ("draw m.json --places m.json -o m.svg", "The model.json in a folder of results has them"),
        ("fit t.csv -o o --node-groups blanks.txt", "write commas in their place"),
    ],
)  # fmt: skip
def test_advice_in_options(run, model, tmp_path, monkeypatch, command, message):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "t.csv").write_text("a,b,c\n" + ROWS)
    (tmp_path / "const.csv").write_text("a,b,c\n" + ROWS.replace("0\n", "1\n"))
    (tmp_path / "empty.csv").write_text("a,b,c\n" + ROWS.replace("1,1,1", "1,,1").replace("0,", ",").replace("1,", ","))
    (tmp_path / "ids.csv").write_text("a,b,c\n" + "".join(f"{k},{k % 2},{k % 3 % 2}\n" for k in range(9)))
    (tmp_path / "more.csv").write_text("a,d,e\n" + ROWS)
    (tmp_path / "blanks.txt").write_text("name group\na x\nb y\n")
    code, _, err = run(*command.split())
    assert code == 2 and message in err and "(in Python)" not in err


def test_every_rule_for_missing_cells_is_an_option(run, tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("a,b,c\n" + ROWS.replace("1,0,1", ",,1"))
    code, _, err = run("fit", path, "-o", tmp_path / "o", "--missing", "minus", "--quiet")
    assert code == 0 and "--missing drop and --missing pairwise invent nothing" in err


@pytest.mark.parametrize(
    ("version", "message"),
    [
        (99, "all versions read that"),
        ("x", "\"version\", that of the format, must be a whole number such as 1; got 'x' (a text)"),
        (True, "must be a whole number such as 1; got True (a truth value)"),
        (0, "got 0 (too small)"),
    ],
)
def test_versions_of_model_files(run, model, version, message):
    model.write_text(json.dumps(json.loads(model.read_text()) | {"version": version}))
    code, _, err = run("info", model)
    assert code == 2 and message in err


def test_switches_that_are_off_and_names_that_begin_a_message():
    assert in_options("keep them (drop_unanimous=False)") == "keep them (without --drop-unanimous)"
    assert in_options("lower participation=") == "lower --participation"
    assert in_options("t.csv: threshold must be", frozenset({"--threshold"})) == "t.csv: --threshold must be"
    assert in_options("n_samples must be", frozenset({"--threshold"})) == "n_samples must be"


def test_a_graph_that_is_not_planar_is_told_how_else_it_is_drawn(run, tmp_path):
    path = tmp_path / "k5.json"
    IsingModel([(i, j) for i in range(5) for j in range(i)], [0.1] * 10).save(path)
    code, _, err = run("draw", path, "-o", tmp_path / "k5.svg")
    assert code == 2 and "is not planar" in err and "in Gephi, after isingmap convert MODEL model.gexf" in err
    assert run("convert", path, tmp_path / "k5.gexf")[0] == 0


def test_a_folder_in_place_of_its_model(run, tmp_path):
    for command in (("draw", tmp_path, "-o", tmp_path / "m.svg"), ("info", tmp_path)):
        code, _, err = run(*command)
        assert code == 2 and "is a folder; give a file, such as the model.json in a folder of results" in err
