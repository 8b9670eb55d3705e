"""fit --missing em, what refuses it, and predict --fill and --calibration."""

import csv

import numpy as np
import pytest

from isingmap import IsingModel


@pytest.fixture
def gaps(tmp_path):
    rng = np.random.default_rng(0)
    x = IsingModel([[0, 1], [1, 2]], [0.8, -0.7], [0.1, 0.2, 0.0]).sample(300, rng=rng)
    cells = np.where(rng.random(x.shape) < 0.1, "", ((x + 1) // 2).astype(str))
    path = tmp_path / "gaps.csv"
    path.write_text("a,b,c\n" + "".join(",".join(row) + "\n" for row in cells.tolist()))
    return path


def test_the_advice_on_missing_cells_works_as_it_is_printed(run, gaps, tmp_path):
    code, _, err = run("fit", gaps, "-o", tmp_path / "map")
    assert code == 2 and "Choose a rule: --missing em (the model that makes what was observed" in err
    code, out, err = run("fit", gaps, "--missing", "em", "-o", tmp_path / "map")
    assert code == 0 and not err and "a model" not in err and "most probable (EM)" in out
    assert (tmp_path / "map" / "missing.csv").exists()
    code, out, _ = run("stability", gaps, "--missing", "em", "--n-resamples", "3", "-o", tmp_path / "again")
    assert code == 0 and "3 refits with the same settings" in out


@pytest.mark.parametrize(
    ("options", "named"),
    [
        (("--errors", "robust"), "--errors robust; leave it out, or take --missing drop"),
        (("--family", "auto"), "--family auto; give one of the families, such as --family planar"),
    ],
)
def test_refusals_are_in_the_words_of_the_command(run, gaps, tmp_path, options, named):
    code, _, err = run("fit", gaps, "--missing", "em", *options, "-o", tmp_path / "map")
    assert code == 2 and named in err


def test_moments_have_no_missing_cells(run, tmp_path):
    (tmp_path / "m.csv").write_text(",a,b\na,1,0.5\nb,0.5,1\n")
    code, _, err = run("fit", tmp_path / "m.csv", "--moments", "--missing", "em", "-o", tmp_path / "map")
    assert code == 2 and "--moments and --missing em exclude each other: a matrix has no missing cells" in err


def test_predictions_fill_the_gaps_and_are_held_against_known_cells(run, gaps, tmp_path):
    run("fit", gaps, "--missing", "em", "-o", tmp_path / "map")
    model, out = tmp_path / "map" / "model.json", tmp_path / "p.csv"
    code, said, _ = run("predict", model, gaps, "--fill", "--calibration", tmp_path / "c.csv", "-o", out)
    assert code == 0 and "known cells in" in said and "by the shares of the columns alone" in said
    given, filled = (list(csv.DictReader(path.open())) for path in (gaps, out))
    for before, after in zip(given, filled, strict=True):
        for name, cell in before.items():
            assert 0 < float(after[name]) < 1 if cell == "" else float(after[name]) == float(cell)
    bins = list(csv.DictReader((tmp_path / "c.csv").open()))
    assert len(bins) == 10 and sum(int(line["cells"]) for line in bins) == sum(
        c != "" for r in given for c in r.values()
    )
    code, _, err = run("predict", model, gaps, "--calibration", out, "-o", out, "--force")
    assert code == 2 and "--calibration needs a file of its own" in err
    code, _, err = run("predict", model, gaps, "--calibration", gaps, "-o", out, "--force")
    assert code == 2 and "would be lost" in err


def test_columns_that_nobody_answered_both_are_left_to_em(run, tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("a,b,c\n" + "1,,0\n0,,1\n,1,1\n,0,0\n1,,1\n" * 4)
    code, _, err = run("fit", path, "--missing", "pairwise", "-o", tmp_path / "map")
    assert code == 2 and "never observed in the same row" in err
    assert "Use --missing em" in err and "by --drop-column of a file" in err
    assert run("fit", path, "--missing", "em", "-o", tmp_path / "map")[0] == 0
    assert run("fit", path, "--missing", "pairwise", "--drop-column", "b", "-o", tmp_path / "other")[0] == 0
