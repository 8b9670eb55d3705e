"""Names and paths of strangers steer no terminal and forge no line, on either stream of any command."""

import csv

import numpy as np
import pytest

from isingmap.model.ising_model import IsingModel

NASTY = ["a\x1b[31m", "b\nFORGED", "c\x07", "d\u202e", "e\r\x1b]0;t\x07"]
PLACE = "p\x1b[31m\nFORGED"


@pytest.fixture
def folder(tmp_path, monkeypatch, pairs):
    """A working folder with a table and models of nasty names, also in files of such names."""
    monkeypatch.chdir(tmp_path)
    rows = np.array([line.split(",") for line in pairs(["a", "b", "c", "d"]).splitlines()[1:]])
    rows = np.column_stack([rows, rows[:, 1], np.ones(len(rows), int)])  # two columns agree, one is constant
    for path in ("t.csv", f"{PLACE}.csv"):
        with open(path, "w", newline="") as stream:
            csv.writer(stream).writerows([[*NASTY, "f\nFORGED"], *rows.tolist()])
    IsingModel([(0, 1), (1, 2)], [1.0, -0.5], [0.1, 0.0, 0.0], names=NASTY[:3]).save("m.json")
    (tmp_path / f"{PLACE}.json").write_bytes((tmp_path / "m.json").read_bytes())
    names = [f"{NASTY[1]}{k}" for k in range(40)]
    IsingModel([(i, j) for i in range(40) for j in range(i)], [0.1] * 780, names=names).save("wide.json")
    return tmp_path


@pytest.mark.parametrize(
    ("code", "command"),
    [
        (0, ["fit", f"{PLACE}.csv", "-o", PLACE, "--constant", "drop", "--title", "T\x1b\nFORGED"]),
        (0, ["fit", "t.csv", "-o", "o", "--constant", "drop", "--family", "zero-field", "--search", "greedy"]),
        (2, ["fit", "t.csv", "-o", "o"]),
        (2, ["fit", "t.csv", "-o", "o", "--constant", "drop", "--search", "tmfg"]),
        (2, ["fit", "t.csv", "-o", "o", "--constant", "drop", "--places", f"{PLACE}.json"]),
        (2, ["fit", "t.csv", "-o", "o", "--constant", "drop", "--node-groups", f"{PLACE}.csv"]),
        (2, ["fit", f"{PLACE}.none", "-o", "o"]),
        (2, ["fit", "t.csv", "-o", "o", "more\x1b\nFORGED"]),
        (0, ["info", f"{PLACE}.json"]),
        (2, ["info", f"{PLACE}.none", "--debug"]),
        (2, ["infer", "wide.json"]),
        (0, ["infer", "m.json", "-o", f"{PLACE}.csv", "--force"]),
        (2, ["infer", "m.json", "-o", f"{PLACE}.csv"]),
        (0, ["ground-state", "m.json"]),
        (0, ["correlations", "m.json"]),
        (2, ["correlations", "m.json", "--pair", "z\nFORGED\x1b", "a"]),
        (2, ["predict", "m.json", "t.csv", "-o", f"{PLACE}.out.csv"]),
        (2, ["convert", f"{PLACE}.json", f"{PLACE}.xyz"]),
        (0, ["convert", f"{PLACE}.json", f"{PLACE}.coo"]),
        (0, ["draw", f"{PLACE}.json", "-o", f"{PLACE}.svg"]),
        (2, ["draw", f"{PLACE}.json", "-o", f"{PLACE}.jpg"]),
        (0, ["sample", f"{PLACE}.json", "-n", "2", "-o", f"{PLACE}.s.csv"]),
        (0, ["simulate", "grid", "-n", "2", "-o", f"{PLACE}.g.csv", "--model", f"{PLACE}.g.json"]),
    ],
)
def test_nothing_on_the_screen_comes_from_a_name(folder, capsys, code, command):
    from isingmap.cli.main import main

    assert main(command) == code
    shown = "".join(capsys.readouterr())
    assert not [letter for letter in shown if letter < " " and letter not in "\n\t" or letter in "\x7f\u202e"]
    assert not [line for line in shown.splitlines() if line.startswith("FORGED")]


def test_tables_of_results_hold_no_control_characters_and_are_read_back(folder, run):
    IsingModel([(0, 1), (1, 2)], [1.0, -0.5], [0.3, 0.0, 0.0], names=["a\x1b[31m", "=b", "c\\x1b"]).save("m.json")
    names = IsingModel.load("m.json").names
    assert run("sample", "m.json", "-n", "400", "-o", "s.csv")[0] == 0
    assert run("fit", "s.csv", "-o", "o", "--quiet")[0] == 0
    assert run("predict", "m.json", "s.csv", "-o", "p.csv")[0] == 0
    assert run("fit", "s.csv", "-o", "o2", "--graph", "o/edges.csv", "--node-groups", "o/nodes.csv", "--quiet")[0] == 0
    assert IsingModel.load("o/model.json").names == IsingModel.load("o2/model.json").names == names
    for path in [*folder.glob("?.csv"), *folder.glob("o*/*.csv")]:
        if path.name != "t.csv":
            assert "\x1b" not in path.read_text()
