"""Samples are written so that the other commands read them as they read the data of the fit."""

import csv
import json

import numpy as np
import pytest


def rows_of(path):
    with path.open(encoding="utf-8", newline="") as stream:
        return list(csv.reader(stream))


def dependent(labels, n_rows=120):
    """Three columns that resemble each other, in these labels."""
    rng = np.random.default_rng(0)
    rows = np.where(rng.random((n_rows, 3)) < 0.85, (rng.random(n_rows) < 0.4)[:, None], rng.random((n_rows, 3)) < 0.5)
    text = [",".join(np.where(row, labels[1], labels[0])) for row in rows]
    return "\n".join(["a,b,c", *text]) + "\n"


@pytest.mark.parametrize(
    ("labels", "options"),
    [
        (("0", "1"), []),
        (("-1", "1"), []),
        (("no", "yes"), []),
        (("2", "1"), ["--positive", "1"]),
        (("m, or so", "f"), ["--positive", "f"]),
        (("'-", "'+"), ["--positive", "+"]),  # as a spreadsheet must have them
        (("=a", "@b"), ["--positive", "@b"]),
    ],
)
def test_fit_sample_and_back(run, tmp_path, labels, options):
    table, made, drawn = tmp_path / "t.csv", tmp_path / "map", tmp_path / "s.csv"
    table.write_text(dependent([f'"{label}"' for label in labels]))
    quick = ("--quiet", "--restarts", "0", "--force")
    assert run("fit", table, "-o", made, *quick, *options)[0] == 0
    code, said, _ = run("sample", made / "model.json", "-n", "300", "--seed", "1", "-o", drawn)
    assert code == 0 and f"{labels[0].strip(chr(39))} is -1, {labels[1].strip(chr(39))} is +1" in said
    code, said, _ = run("check", made / "model.json", drawn, "--n-tables", "19")
    assert code == 0 and "300 rows of 3 variables" in said
    assert run("predict", made / "model.json", drawn, "-o", tmp_path / "p.csv")[0] == 0
    again = tmp_path / "again"
    assert run("fit", drawn, "-o", again, *quick, *options)[0] == 0
    first, second = (json.loads((folder / "model.json").read_text()) for folder in (made, again))
    assert first["fit"]["labels"] == second["fit"]["labels"]
    assert run("sample", again / "model.json", "-n", "9", "--seed", "1", "-o", tmp_path / "more.csv")[0] == 0
    assert run("predict", made / "model.json", tmp_path / "more.csv", "-o", tmp_path / "q.csv")[0] == 0


def test_spins_can_be_had(run, tmp_path):
    table, made = tmp_path / "t.csv", tmp_path / "map"
    table.write_text(dependent(("no", "yes")))
    assert run("fit", table, "-o", made, "--quiet")[0] == 0
    sample = ("sample", made / "model.json", "-n", "40", "--seed", "1", "--force", "-o", tmp_path / "s.csv")
    plain = {}
    for domain in ("spin", "boolean"):
        assert run(*sample, "--domain", domain)[0] == 0
        plain[domain] = np.array(rows_of(tmp_path / "s.csv")[1:]).astype(int)
    assert set(plain["spin"].ravel()) == {-1, 1}
    np.testing.assert_array_equal(plain["boolean"], (plain["spin"] + 1) // 2)
    assert run(*sample)[0] == 0
    np.testing.assert_array_equal(np.array(rows_of(tmp_path / "s.csv")[1:]) == "yes", plain["spin"] > 0)


def test_samples_of_a_model_of_counts_are_read_back(run, tmp_path):
    counts = np.random.default_rng(1).poisson(1.0, (200, 3)).astype(str).tolist()
    table, made, drawn = tmp_path / "counts.csv", tmp_path / "map", tmp_path / "s.csv"
    table.write_text("a,b,c\n" + "\n".join(",".join(row) for row in counts) + "\n")
    assert run("fit", table, "--threshold", "2", "-o", made, "--quiet")[0] == 0
    assert run("sample", made / "model.json", "-n", "40", "--seed", "1", "-o", drawn)[0] == 0
    assert {cell for row in rows_of(drawn)[1:] for cell in row} == {"< 2", ">= 2"}
    assert run("check", made / "model.json", drawn, "--n-tables", "19")[0] == 0
    code, _, err = run("check", made / "model.json", table, "--n-tables", "19")
    assert code == 2 and "--threshold 2" in err
    assert run("check", made / "model.json", table, "--n-tables", "19", "--threshold", "2")[0] == 0


def test_damaged_labels_are_told_and_spins_written(run, tmp_path):
    table, made = tmp_path / "t.csv", tmp_path / "map"
    table.write_text(dependent(("no", "yes")))
    assert run("fit", table, "-o", made, "--quiet")[0] == 0
    document = json.loads((made / "model.json").read_text())
    document["fit"]["labels"] = [["no", "no"]] * 3
    (made / "model.json").write_text(json.dumps(document))
    code, said, _ = run("sample", made / "model.json", "-n", "5", "--seed", "1", "-o", tmp_path / "s.csv")
    assert code == 0 and '"labels" of "fit"' in said and "values: -1 and +1" in said
