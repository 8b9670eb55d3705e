"""isingmap stability: the files it writes, merging, interruption, and messages in its own words."""

import csv
import json

import pytest

from ctrl_c import press_after
from isingmap import PlanarIsing
from isingmap.io.csv_table import read_table

FEW = ("--search", "greedy", "--n-resamples", "6")


def rows_of(path):
    with open(path, newline="") as stream:
        return list(csv.DictReader(stream))


def test_all_pairs_get_their_frequency(run, table, tmp_path):
    code, out, err = run("stability", table, *FEW, "--seed", 3, "-o", tmp_path / "o")
    assert code == 0 and not err
    names = {path.name for path in (tmp_path / "o").iterdir()}
    assert {"stability.csv", "stability.svg", "stability.png", "resamples.npz", "map.svg", "summary.txt"} <= names
    assert "case_dropping.csv" not in names
    pairs = rows_of(tmp_path / "o" / "stability.csv")
    found = PlanarIsing(search="greedy", random_state=3)
    found = found.stability(read_table(table), n_resamples=6)
    assert {(row["source"], row["target"]): float(row["frequency"]) for row in pairs} == dict(
        zip(found.pair_names, found.frequency.tolist(), strict=True)
    )
    assert [float(row["frequency"]) for row in pairs] == sorted(
        (float(row["frequency"]) for row in pairs), reverse=True
    )
    edges = {(row["source"], row["target"]): row["frequency"] for row in rows_of(tmp_path / "o" / "edges.csv")}
    assert edges == {(row["source"], row["target"]): row["frequency"] for row in pairs if row["edge"] == "yes"}
    assert "6 refits with the same settings, nonparametric" in out and "seed 3" in out
    facts = json.loads((tmp_path / "o" / "model.json").read_text())["facts"]
    assert [fact["value"] for fact in facts if fact["label"] == "resamples"] == [6]


def test_what_is_printed_to_repeat_it_leads_to_it_again(run, table, tmp_path):
    run("stability", table, *FEW, "--kind", "m-out-of-n", "--share", 0.25, "-o", tmp_path / "o")
    lines = (tmp_path / "o" / "summary.txt").read_text().split("in Python")[1].split()
    found = eval(" ".join(lines), {"PlanarIsing": PlanarIsing, "read_table": read_table})
    pairs = {(row["source"], row["target"]): row["lower"] for row in rows_of(tmp_path / "o" / "stability.csv")}
    assert pairs == {
        names: str(low) for names, low in zip(found.pair_names, found.interval[:, 0].tolist(), strict=True)
    }


def test_cases_dropped(run, table, tmp_path):
    code, out, _ = run("stability", table, *FEW, "--kind", "case-dropping", "-o", tmp_path / "o")
    assert code == 0 and "of the rows can be dropped" in out
    steps = rows_of(tmp_path / "o" / "case_dropping.csv")
    assert len(steps) == 6 and all(float(step["couplings_alike"]) == 1 for step in steps)
    assert rows_of(tmp_path / "o" / "stability.csv")[0]["lower"] == ""


def test_two_batches_are_merged_to_the_same_bytes(run, table, tmp_path):
    run("stability", table, *FEW, "-o", tmp_path / "whole")
    run("stability", table, "--search", "greedy", "--n-resamples", 2, "-o", tmp_path / "a")
    run("stability", table, "--search", "greedy", "--n-resamples", 4, "--first", 2, "-o", tmp_path / "b")
    parts = [str(tmp_path / name / "resamples.npz") for name in "ab"]
    code, *_ = run("stability", table, *FEW, "--resamples", parts[0], "--resamples", parts[1], "-o", tmp_path / "c")
    assert code == 0
    whole, merged = ((tmp_path / name / "stability.csv").read_bytes() for name in ("whole", "c"))
    assert whole == merged


def test_ctrl_c_writes_the_finished_resamples(run, table, tmp_path, monkeypatch):
    press_after(1, monkeypatch)
    command = ("stability", table, *FEW, "--checkpoint", tmp_path / "kept")
    code, out, err = run(*command, "-o", tmp_path / "o")
    assert code == 130 and f"interrupted: the results of 2 of 6 resamples are in {tmp_path / 'o'}" in err
    assert f"{tmp_path / 'kept'} has them too, and the same command goes on" in err
    assert "2 refits" in out and "interrupted, 6 were wanted" in " ".join(out.split())
    monkeypatch.undo()
    code, out, err = run(*command, "-o", tmp_path / "o", "--force")
    assert code == 0 and "6 refits" in out and not (tmp_path / "kept").exists()


def test_names_with_markup_in_pictures_and_tables(run, pairs, tmp_path):
    (tmp_path / "t.csv").write_text(pairs(["=a", "<b>", "$c$", "d\x1b"]))
    code, out, _ = run("stability", tmp_path / "t.csv", *FEW, "-o", tmp_path / "o", "--title", "<i>\x1b")
    assert code == 0 and "\x1b" not in out
    svg = (tmp_path / "o" / "stability.svg").read_text()
    assert "<b>" not in svg and "&lt;b&gt;" in svg and "\x1b" not in svg
    assert "'=a" in (tmp_path / "o" / "stability.csv").read_text()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--share", "0.2"], "--share 0.2 goes with --kind m-out-of-n; --kind nonparametric has no use for it"),
        (["--n-jobs", "0"], "--n-jobs must be 1 or more, or -1"),
        (["--n-jobs", "x"], "argument --n-jobs: expected a whole number, got 'x'"),
        (["--n-resamples", "0"], "--n-resamples must be a whole number from 1"),
        (["--resamples", "none.npz"], "none.npz: there is no such file"),
        (["--checkpoint", "nowhere/file"], "there is no folder"),
        (["--moments"], "there is no option --moments"),
    ],
)
def test_what_is_refused_is_told_in_options(run, table, tmp_path, options, message):
    code, _, err = run("stability", table, "--search", "greedy", "-o", tmp_path / "o", *options)
    assert code == 2 and message in err and "(in Python)" not in err and not (tmp_path / "o").exists()


def test_clusters_and_weights_of_a_survey(run, table, tmp_path):
    header, *rows = table.read_text().splitlines()
    lines = [f"{header},school,w", *(f"{row},s{k % 9},{1 + k % 3}" for k, row in enumerate(rows))]
    (tmp_path / "t.csv").write_text("\n".join(lines) + "\n")
    options = ("--cluster-column", "school", "--weight-column", "w", "--weight-kind", "survey")
    code, out, err = run("stability", tmp_path / "t.csv", *FEW, *options, "-o", tmp_path / "o")
    assert code == 0 and "whole clusters are drawn, 9 of them" in " ".join(out.split())
    command = ("stability", tmp_path / "t.csv", *FEW, *options, "-o", tmp_path / "p")
    code, _, err = run(*command, "--kind", "parametric")
    assert code == 2 and "--kind nonparametric draws whole clusters" in err and not (tmp_path / "p").exists()
    assert run(*command, "--kind", "nonparametric")[0] == 0


def stability_section(out):
    return " ".join(out.partition("\nStability\n")[2].partition("\n\n")[0].split())


def test_what_cannot_be_said_is_not_said_in_numbers(run, table, tmp_path):
    few = ("--search", "greedy", "--n-resamples")
    for kind in ("nonparametric", "case-dropping", "m-out-of-n"):
        code, out, _ = run("stability", table, *few, 1, "--kind", kind, "-o", tmp_path / "o", "--force")
        said = stability_section(out)
        assert code == 0 and "nan" not in said and "1 refit with" in said and "number 0," in said
    assert "selection not told" in said and "intervals none of a single refit" in said
    (tmp_path / "two.csv").write_text("a,b\n" + "0,0\n0,1\n1,0\n1,1\n" * 25)
    code, out, _ = run("stability", tmp_path / "two.csv", *few, 5, "-o", tmp_path / "o", "--force")
    assert code == 0 and "selection nothing to select: no refit has an edge" in stability_section(out)
    (tmp_path / "two.csv").write_text("a,b\n" + "0,0\n0,0\n0,1\n1,0\n1,1\n1,1\n" * 25)
    code, out, _ = run("stability", tmp_path / "two.csv", *few, 5, "-o", tmp_path / "o", "--force")
    assert "of 1 pair to choose from no more than 1 can be false" in stability_section(out)
    assert "of 5 refits they reach about from the smallest to the largest" in stability_section(out)


def test_columns_that_are_constant_in_the_same_resamples_are_named_once(run, tmp_path):
    rare = ["0,1,1,1,1,1,1", *("1,0,0,0,0,0,0" if k % 2 else "0,0,0,0,0,0,0" for k in range(29))]
    (tmp_path / "t.csv").write_text("a,b,c,d,e,f,g\n" + "\n".join(rare) + "\n")
    code, out, _ = run("stability", tmp_path / "t.csv", *FEW, "-o", tmp_path / "o")
    said = stability_section(out)
    assert code == 0 and said.count("constant column") == 1
    assert "6 columns with a single value, and so no edge, in some resamples: b, c, d, e, f, g in" in said
    facts = json.loads((tmp_path / "o" / "model.json").read_text())["facts"]
    (value,) = [fact["value"] for fact in facts if fact["label"] == "constant columns"]
    assert [entry["name"] for entry in value] == list("bcdefg")
