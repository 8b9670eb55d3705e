"""isingmap fit: results, options, hostile names, interruptions."""

import csv
import gzip
import json

import numpy as np
import pandas as pd
import pytest

from isingmap import IsingModel, PlanarIsing
from isingmap.structure.state.search_state import SearchState

FILES = {
    *(
        "model.json",
        "edges.csv",
        "nodes.csv",
        "path.csv",
        "path.svg",
        "misses.csv",
        "fit.svg",
        "map.svg",
        "map.png",
        "summary.txt",
        "report.html",
    )
}


def read(path):
    with open(path, encoding="utf-8", newline="") as stream:
        return list(csv.DictReader(stream))


def test_fit_writes_all_files_and_prints_the_summary(run, table, tmp_path):
    code, out, err = run("fit", table, "-o", tmp_path / "map")
    assert (code, err) == (0, "")
    assert {path.name for path in (tmp_path / "map").iterdir()} == FILES
    assert (tmp_path / "map" / "summary.txt").read_text() in out
    assert f"isingmapfit{table}-o{tmp_path / 'map'}" in "".join(out.split())  # long lines are broken
    assert [row["source"] + row["target"] for row in read(tmp_path / "map" / "edges.csv")][:1] in (
        ["ab"],
        ["bc"],
        ["cd"],
    )
    assert (tmp_path / "map" / "map.png").read_bytes().startswith(b"\x89PNG")
    assert list(tmp_path.iterdir()) and not [p for p in tmp_path.iterdir() if p.name.startswith(".")]


def test_fit_equals_the_library(run, real, tmp_path):
    path = real("psychometrics/ptsd_mcnally2015_6.csv")
    code, out, _ = run("fit", path, "--criterion", "maximal", "--prior", "1", "-o", tmp_path / "map")
    assert code == 0
    expected = PlanarIsing(criterion="maximal", prior=1.0).fit(pd.read_csv(path))  # names break ties
    model = IsingModel.load(tmp_path / "map" / "model.json")
    np.testing.assert_array_equal(model.edges, expected.edges_)
    np.testing.assert_allclose(model.couplings, expected.couplings_, rtol=0, atol=1e-9)
    assert "always adds edges" in out and "3n-6" in out and "a prior of 1 pseudo-observation, spread" in out


def test_missing_cells_stop_the_run_and_a_rule_lets_it_pass(run, real, tmp_path):
    path = real("house_votes_84/house_votes_84.csv")
    options = ("fit", path, "--group-column", "party", "-o", tmp_path / "map")
    code, out, err = run(*options)
    assert code == 2 and out == ""
    assert "392 missing cells in 203 of 435 rows" in err and "--missing drop" in err
    assert not (tmp_path / "map").exists()
    code, out, err = run(*options, "--missing", "drop")
    assert code == 0 and "203 rows with a missing cell dropped, 232 left" in " ".join(out.split())
    assert json.loads((tmp_path / "map" / "model.json").read_text())["fit"]["n_samples"] == 232


@pytest.mark.filterwarnings("default")
def test_warnings_are_printed_once_without_file_and_line(run, real, tmp_path):
    path = real("house_votes_84/house_votes_84.csv")
    code, _, err = run(
        "fit",
        path,
        "--group-column",
        "party",
        "--missing",
        "pairwise",
        "--family",
        "zero-field",
        "-o",
        tmp_path / "map",
        "--quiet",
    )
    assert code == 0
    assert err.startswith("warning: ") and "Use --family planar" in err and ".py" not in err
    lines = err.splitlines()
    assert len(lines) == len(set(lines))


def test_spike_counts_need_a_threshold(run, real, tmp_path):
    path = real("spikes/Wong1993_P15a_100ms.csv.gz")
    rows = [line.split(",")[:6] for line in gzip.decompress(path.read_bytes()).decode().splitlines()]
    rows[1][0] = "3"
    counts = tmp_path / "counts.csv"
    counts.write_text("\n".join(map(",".join, rows)))
    code, _, err = run("fit", counts, "-o", tmp_path / "map")
    assert code == 2 and "column 'c1' has" in err and "--threshold 1" in err
    assert not (tmp_path / "map").exists()
    code, out, _ = run("fit", counts, "--threshold", "1", "-o", tmp_path / "map")
    assert code == 0 and "variables           6" in out


def test_labels_ids_groups_and_weights(run, tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("who;vote;other;w\nr1;agree;reject;3\nr2;reject;agree;5\nr3;agree;agree;2\nr4;reject;reject;40\n")
    groups = tmp_path / "groups.csv"
    groups.write_text("name,group\nvote,left\nother,right\n")
    options = ("--id-column", "who", "--weight-column", "w", "--node-groups", groups, "-o", tmp_path / "map")
    code, _, err = run("fit", path, *options)
    assert code == 2 and "--positive LABEL" in err
    code, out, err = run("fit", path, *options, "--positive", "agree")
    assert code == 0, err
    nodes = [(row["name"], row["group"], row["positive_label"]) for row in read(tmp_path / "map" / "nodes.csv")]
    assert nodes == [("vote", "left", "agree"), ("other", "right", "agree")]
    assert "rows                50" in out


def test_transposed_table_with_groups(run, tmp_path, pairs):
    rows = [line.split(",") for line in pairs(["a", "b", "c"], n_rows=60).splitlines()]
    turned = [list(column) for column in zip(*rows, strict=True)]
    head = ["name", "party", *(f"v{k}" for k in range(60))]
    lines = [[row[0].strip('"'), "DRR"[k], *row[1:]] for k, row in enumerate(turned)]
    path = tmp_path / "t.csv"
    path.write_text("\n".join(",".join(line) for line in [head, *lines]))
    code, out, _ = run(
        "fit", path, "--transpose", "--id-column", "name", "--group-column", "party", "-o", tmp_path / "map"
    )
    assert code == 0 and "R 2, D 1" in out
    assert [row["group"] for row in read(tmp_path / "map" / "nodes.csv")] == ["D", "R", "R"]


def test_groups_follow_the_columns_that_are_left(run, tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("a,k,b\n" + "0,1,0\n1,1,1\n" * 30 + "0,1,1\n1,1,0\n" * 10)
    groups = tmp_path / "groups.csv"
    groups.write_text("name,group\na,x\nk,y\nb,z\n")
    options = ("fit", path, "--node-groups", groups, "-o", tmp_path / "map")
    code, _, err = run(*options)
    assert code == 2 and "k (1 in all 80)" in err and "--constant drop" in err
    code, _, _ = run(*options, "--constant", "drop")
    assert code == 0
    assert [(row["name"], row["group"]) for row in read(tmp_path / "map" / "nodes.csv")] == [
        ("a", "x"),
        ("b", "z"),
    ]


def test_histogram(run, tmp_path):
    path = tmp_path / "h.csv"
    path.write_text("40,1,1\n5,1,-1\n5,-1,1\n50,-1,-1\n")
    code, out, _ = run("fit", path, "--histogram", "-o", tmp_path / "map")
    assert code == 0 and "rows                100" in out and "x1 - x2" in out
    code, _, err = run("fit", path, "--histogram", "--positive", "1", "-o", tmp_path / "other")
    assert code == 2 and "--histogram and --positive exclude each other" in err
    code, _, err = run("fit", path, "-o", tmp_path / "other")
    assert code == 2 and "--histogram" in err


def test_empty_network(run, tmp_path):
    rng = np.random.default_rng(3)
    path = tmp_path / "t.csv"
    path.write_text("a,b\n" + "\n".join(f"{i},{j}" for i, j in rng.integers(0, 2, (200, 2))))
    code, out, _ = run("fit", path, "--family", "zero-field", "-o", tmp_path / "map")
    assert code == 0 and "no pair of variables gains enough" in out and "2 variables: a, b" in out
    assert read(tmp_path / "map" / "edges.csv") == []
    assert len(read(tmp_path / "map" / "nodes.csv")) == 2 and len(read(tmp_path / "map" / "path.csv")) == 1


@pytest.mark.filterwarnings("default")
def test_excluded_pairs_get_a_table(run, tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("a,b,c\n" + "0,0,0\n1,1,1\n" * 30 + "0,0,1\n1,1,0\n" * 10)
    code, out, err = run("fit", path, "-o", tmp_path / "map")
    assert code == 0 and "identical" in err and "--prior 1" in err and "are in excluded.csv" in out
    assert {"a", "b"} == set(list(read(tmp_path / "map" / "excluded.csv")[0].values())[:2])
    code, out, err = run("fit", path, "--prior", "1", "--force", "-o", tmp_path / "map")
    assert code == 0 and not (tmp_path / "map" / "excluded.csv").exists()


def test_hostile_names(run, tmp_path, pairs):
    names = ["=cmd()", "<script>alert(1)</script>", "two\nlines", "../x", "NA", "\x1b[31mred", "-1", "a,b"]
    path = tmp_path / "t.csv"
    path.write_text(pairs(names), encoding="utf-8")
    code, out, _ = run("fit", path, "--family", "zero-field", "-o", tmp_path / "map")
    assert code == 0 and "\x1b" not in out and "\\x1b[31mred" in out
    expected = ["'=cmd()", *names[1:5], "\\x1b[31mred", *names[6:]]
    assert [row["name"] for row in read(tmp_path / "map" / "nodes.csv")] == expected
    assert list(IsingModel.load(tmp_path / "map" / "model.json").names) == names
    assert "<script>" not in (tmp_path / "map" / "map.svg").read_text(encoding="utf-8")
    assert {entry.name for entry in tmp_path.iterdir()} == {"t.csv", "map"}


def interrupt_after(monkeypatch, n_steps):
    """Make Ctrl-C arrive while the search takes its (n_steps + 1)th step."""
    advance, calls = SearchState.add_best, []

    def interrupted(search):
        calls.append(1)
        if len(calls) > n_steps:
            raise KeyboardInterrupt
        return advance(search)

    monkeypatch.setattr(SearchState, "add_best", interrupted)


@pytest.mark.filterwarnings("default")
def test_interrupted_search_writes_what_it_has(run, table, tmp_path, monkeypatch):
    interrupt_after(monkeypatch, 2)
    code, out, err = run("fit", table, "-o", tmp_path / "map")
    assert code == 130 and "interrupted after 2 steps" in err and f"is in {tmp_path / 'map'}" in err
    assert "interrupted after 2 steps" in out and len(read(tmp_path / "map" / "path.csv")) == 3


@pytest.mark.filterwarnings("default")
def test_interrupted_search_spares_a_complete_result(run, table, tmp_path, monkeypatch):
    run("fit", table, "-o", tmp_path / "map")
    before = (tmp_path / "map" / "model.json").read_bytes()
    interrupt_after(monkeypatch, 1)
    code, _, err = run("fit", table, "-o", tmp_path / "map", "--force")
    assert code == 130 and "map-interrupted" in err
    assert (tmp_path / "map" / "model.json").read_bytes() == before
    assert (tmp_path / "map-interrupted" / "model.json").exists()


def test_interruption_elsewhere_leaves_nothing(run, table, tmp_path, monkeypatch):
    def stop(*args, **kwargs):
        raise KeyboardInterrupt

    monkeypatch.setattr("isingmap.report.results.draw_map", stop)
    code, out, err = run("fit", table, "-o", tmp_path / "map")
    assert (code, out) == (130, "") and err.startswith("interrupted")
    assert [entry.name for entry in tmp_path.iterdir()] == ["table.csv"]


def test_progress_bar_only_on_a_terminal(run, table, tmp_path, monkeypatch):
    seen = []
    original = PlanarIsing.__init__

    def spy(self, *args, verbose=False, **options):
        seen.append(verbose)
        original(self, *args, verbose=False, **options)

    spy.__signature__ = __import__("inspect").signature(original)
    monkeypatch.setattr(PlanarIsing, "__init__", spy)
    run("fit", table, "-o", tmp_path / "one")
    monkeypatch.setattr("sys.stderr.isatty", lambda: True)
    run("fit", table, "-o", tmp_path / "two")
    run("fit", table, "-o", tmp_path / "three", "--quiet")
    assert seen == [False, True, False]


def test_quiet_prints_nothing(run, table, tmp_path):
    assert run("fit", table, "-o", tmp_path / "map", "--quiet") == (0, "", "")


def test_what_learns_the_graph(run, table, tmp_path):
    code, out, _ = run("fit", table, "--search", "tmfg", "--prior", "1", "-o", tmp_path / "tmfg")
    assert code == 0 and "TMFG: triangulated maximally filtered graph" in out
    code, out, _ = run("fit", table, "--gamma", "0.75", "--restarts", "3", "--seed", "5", "-o", tmp_path / "map")
    text = " ".join(out.split())
    assert (
        code == 0 and "EBIC, gamma 0.75" in text and "restarted until 3 in a row found nothing better (seed 5)" in text
    )
    code, _, err = run("fit", table, "--search", "tmfg", "--n-edges", "3", "-o", tmp_path / "none")
    assert code == 2 and "--search tmfg does not use --n-edges 3; leave it out" in err
    code, _, err = run("fit", table, "--gamma", "nan", "-o", tmp_path / "none")
    assert code == 2 and "gamma must be a number from 0 to 1, got nan" in err
    code, _, err = run("fit", table, "--checkpoint", tmp_path / "no" / "x.npz", "-o", tmp_path / "none")
    assert code == 2 and f"there is no folder {tmp_path / 'no'} to keep the checkpoint in" in err


def test_a_checkpoint_is_taken_up_and_removed(run, table, tmp_path, monkeypatch):
    monkeypatch.setattr("isingmap.structure.checkpoint.SECONDS_BETWEEN_SAVES", 0.0)
    file = tmp_path / "search.npz"
    real = SearchState.record
    n_left = 3

    def interrupt(self, *arguments, **options):
        nonlocal n_left
        n_left -= 1
        if n_left == 0:
            raise KeyboardInterrupt
        return real(self, *arguments, **options)

    monkeypatch.setattr(SearchState, "record", interrupt)
    code, _, err = run("fit", table, "--checkpoint", file, "-o", tmp_path / "part", "--quiet")
    assert code == 130 and "interrupted" in err and file.exists()
    monkeypatch.setattr(SearchState, "record", real)
    code, _, err = run("fit", table, "--checkpoint", file, "--criterion", "aic", "-o", tmp_path / "other")
    assert code == 2 and "belongs to a search of other data or with other options" in err
    code, out, err = run("fit", table, "--checkpoint", file, "-o", tmp_path / "map")
    assert (code, err) == (0, "") and not file.exists()
    run("fit", table, "-o", tmp_path / "whole")
    assert (tmp_path / "map" / "path.csv").read_text() == (tmp_path / "whole" / "path.csv").read_text()


def test_labels_of_single_columns(run, tmp_path, pairs):
    """A column of 1 and 2 and one of F and M beside columns of 0 and 1, by the messages alone."""
    rows = [line.split(",") for line in pairs(["a", "b", "c", "s"]).splitlines()]
    for row in rows[1:]:
        row[2], row[3] = str(int(row[2]) + 1), "MF"[int(row[3])]
    path = tmp_path / "mixed.csv"
    path.write_text("\n".join(map(",".join, rows)) + "\n")
    code, _, err = run("fit", path, "-o", tmp_path / "out")
    assert code == 2 and "--positive c=2" in err
    code, _, err = run("fit", path, "--positive", "F", "-o", tmp_path / "out")
    assert code == 2 and "not the positive label 'F'" in err
    code, out, err = run("fit", path, "--positive", "c=2", "--positive", "s=F", "-o", tmp_path / "out")
    assert code == 0, err
    assert "2 as +1 in 1 column (c)" in out and "F as +1 in 1 column (s)" in out


def test_missing_labels(run, tmp_path, pairs):
    path = tmp_path / "coded.csv"
    path.write_text(pairs(["a", "b", "c"]) + "9,0,1\n1,-9,0\n")
    code, _, err = run("fit", path, "-o", tmp_path / "out")
    assert code == 2 and "--missing-label 9" in err and "--missing-label -9" in err and "--threshold" not in err
    options = ("--missing-label", "9", "--missing-label", "-9", "--missing", "drop")
    assert run("fit", path, *options, "-o", tmp_path / "out")[0] == 0


def test_the_summary_holds_what_went_to_stderr(run, tmp_path):
    """Also the wording is that of the command line."""
    rows = ["a,b,c", *("1,0,0" for _ in range(18)), "0,1,0", "0,1,1", "1,0,1", "0,0,0"]
    (tmp_path / "few.csv").write_text("\n".join(rows) + "\n")
    code, _, err = run("fit", tmp_path / "few.csv", "--family", "zero-field", "-o", tmp_path / "map")
    assert code == 0
    warnings = [line.removeprefix("warning: ") for line in err.splitlines() if line.startswith("warning: ")]
    assert len(warnings) >= 2 and any("--family planar" in warning for warning in warnings)
    summary = " ".join((tmp_path / "map" / "summary.txt").read_text().split())
    assert all(" ".join(warning.split()) in summary for warning in warnings)
    assert json.loads((tmp_path / "map" / "model.json").read_text())["fit"]["warnings"] == warnings


def test_title_places_and_pdf(run, table, tmp_path):
    first = tmp_path / "first"
    assert run("fit", table, "-o", first, "--title", "A title of mine")[0] == 0
    assert "A title of mine" in (first / "summary.txt").read_text() and "A title" in (first / "map.svg").read_text()
    stored = json.loads((first / "model.json").read_text())["positions"]
    moved = {name: [k, k * k] for k, name in enumerate(stored)}
    (tmp_path / "moved.json").write_text(json.dumps({"positions": moved}))
    assert run("fit", table, "-o", tmp_path / "second", "--places", tmp_path / "moved.json")[0] == 0
    assert json.loads((tmp_path / "second" / "model.json").read_text())["positions"] == moved
    code, out, _ = run("draw", first / "model.json", "-o", tmp_path / "m.pdf", "--places", tmp_path / "moved.json")
    assert code == 0 and "m.pdf" in out and (tmp_path / "m.pdf").read_bytes().startswith(b"%PDF")
    assert run("draw", first / "model.json", "-o", tmp_path / "m.pdf")[0] == 2
    assert run("draw", first / "model.json", "-o", tmp_path / "m.gif")[0] == 2


def test_places_are_looked_at_before_the_work(run, table, tmp_path, monkeypatch):
    (tmp_path / "few.json").write_text(json.dumps({"positions": {"a": [0, 0]}}))
    monkeypatch.setattr("isingmap.cli.learning.PlanarIsing", None)
    code, _, err = run("fit", table, "-o", tmp_path / "map", "--places", tmp_path / "few.json")
    assert code == 2 and "no place for 3 variables of 4: b, c, d" in err


@pytest.mark.parametrize("command", ["voteview", "fit"])
def test_the_way_back_in_python_can_be_run(run, tmp_path, command):
    """What the summary prints, typed in."""
    rng = np.random.default_rng(0)
    sides = rng.choice([1, 6], (60, 1)) * np.ones((1, 5), int)
    codes = np.where(rng.random((60, 5)) < 0.2, 7 - sides, sides)
    if command == "voteview":
        votes = [f"1,Senate,{r},{j + 10},{codes[r, j]}" for r in range(60) for j in range(5)]
        members = [f'1,Senate,{j + 10},AA,100,"NAME{"ABCDE"[j]}, X"' for j in range(5)]
        (tmp_path / "v.csv").write_text("\n".join(["congress,chamber,rollnumber,icpsr,cast_code", *votes]))
        (tmp_path / "m.csv").write_text("\n".join(["congress,chamber,icpsr,state_abbrev,party_code,bioname", *members]))
        files = [tmp_path / "v.csv", tmp_path / "m.csv"]
    else:
        rows = [",".join(row) for row in np.where(codes == 1, "aye", "nay").tolist()]
        (tmp_path / "t.csv").write_text("\n".join(rows))
        files = [tmp_path / "t.csv", "--positive", "aye", "--header-lines", "0"]
    code, _, err = run(command, *files, "-o", tmp_path / "map")
    assert code == 0, err
    lines = (tmp_path / "map" / "summary.txt").read_text().split("To repeat")[1].splitlines()
    at = next(k for k, line in enumerate(lines) if line.startswith("  in Python"))
    found: dict = {}
    exec(lines[at - 1].split("import", 1)[1].strip(), found)
    again = eval(" ".join(line[22:] for line in lines[at:]), found | {"PlanarIsing": PlanarIsing})
    model = IsingModel.load(tmp_path / "map" / "model.json")
    assert again.model_.edge_names == model.edge_names
    assert np.array_equal(again.couplings_, model.couplings)


def test_draw_does_not_write_over_what_it_reads(run, table, tmp_path):
    assert run("fit", table, "-o", tmp_path / "map", "--quiet")[0] == 0
    model, places = tmp_path / "map" / "model.json", tmp_path / "places.svg"
    places.write_bytes(model.read_bytes())
    for read in ((places, "-o", places), (model, "--places", places, "-o", places)):
        code, _, err = run("draw", *read, "--force")
        assert code == 2 and "is read by this command, and would be lost" in err
        assert places.read_bytes() == model.read_bytes()
