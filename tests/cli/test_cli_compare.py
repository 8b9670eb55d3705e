"""isingmap compare and fit --split-by: folders, tables, pictures, interruption, and messages in their own words."""

import csv
import json
import re
import signal

import numpy as np
import pytest

from ctrl_c import press_after
from isingmap import IsingModel, PlanarIsing, compare
from isingmap.holm import holm
from isingmap.interruption import look
from isingmap.io.csv_table import read_table
from isingmap.io.row_groups import read_groups
from isingmap.resampling import run as running

FEW = ("--search", "greedy", "--n-permutations", "6")
FILES = {
    *("comparison.json", "differences.csv", "variables.csv", "difference.svg", "difference.png"),
    *("summary.txt", "report.html"),
}


def rows_of(path):
    with open(path, newline="") as stream:
        return list(csv.DictReader(stream))


@pytest.fixture
def unseen(monkeypatch):
    """Pictures, which take most of the time, are left out."""
    from isingmap.report import comparison_results, results

    monkeypatch.setattr(results, "draw_map", lambda paths, **_: [path.touch() for path in paths])
    monkeypatch.setattr(comparison_results, "write_figure", lambda paths, draw: [path.touch() for path in paths])


@pytest.fixture
def two(pairs, tmp_path):
    """Two tables of four variables."""
    for name, seed, n_rows in (("women", 0, 160), ("men", 1, 150)):
        (tmp_path / f"{name}.csv").write_text(pairs(list("abcd"), n_rows, seed))
    return tmp_path / "women.csv", tmp_path / "men.csv"


def together(two, path, labels=("women", "men"), column="sex", more=()):
    """One table with a column that says which of the two a row is from."""
    lines = [column + "," + two[0].read_text().splitlines()[0]]
    for label, table in zip(labels, two, strict=True):
        lines += [f'"{label}",{line}' for line in table.read_text().splitlines()[1:]]
    path.write_text("\n".join([*lines, *more]) + "\n")
    return path


def test_tests_table_and_picture_and_a_map_for_each(run, two, tmp_path):
    code, out, err = run("compare", *two, *FEW, "--seed", 3, "-o", tmp_path / "o")
    assert code == 0 and not err
    assert {path.name for path in (tmp_path / "o").iterdir()} == FILES | {"women", "men"}
    found = compare(*map(read_table, two), PlanarIsing(search="greedy", random_state=3), n_permutations=6)
    rows = {(row["source"], row["target"]): row for row in rows_of(tmp_path / "o" / "differences.csv")}
    for names, (first, second), p, q in zip(
        found.pair_names, found.couplings.tolist(), found.edge_p_values, found.holm_p_values, strict=True
    ):
        row = rows[names]
        assert [float(row[name]) for name in ("coupling_first", "coupling_second")] == [first, second]
        assert [float(row[name]) for name in ("p_value", "p_holm")] == [p, q]
    told = json.loads((tmp_path / "o" / "comparison.json").read_text())["facts"]
    facts = {fact["label"]: fact["value"] for fact in told}
    strongest = [fact for fact in told if fact["section"] == "Edges that differ most"]
    for fact in strongest:
        row = rows[fact["value"]["source"], fact["value"]["target"]]
        first, second = (float(row[f"coupling_{which}"]) for which in ("first", "second"))
        assert f": {first:+.3f} and {second:+.3f}, p = " in fact["text"]
    assert strongest
    assert facts["structure"]["p_value"] == found.structure.p_value and facts["permutations"] == 6
    assert facts["likelihood ratio"]["value"] == found.likelihood_ratio.value
    edges = rows_of(tmp_path / "o" / "women" / "edges.csv")
    assert [float(row["coupling"]) for row in edges] == found.maps[0].model.couplings.tolist()
    places = [json.loads((tmp_path / "o" / name / "model.json").read_text())["positions"] for name in ("women", "men")]
    assert places[0] == places[1]
    assert "6 of rows (seed 3)" in out and f"Written to {tmp_path / 'o'}" in out


def test_a_comparison_and_a_fit_do_not_share_a_folder(run, two, tmp_path):
    fitted, compared = tmp_path / "fit", tmp_path / "compared"
    run("fit", two[0], "--search", "greedy", "-o", fitted, "--quiet")
    (compared / "data").mkdir(parents=True)
    code, out, _ = run("compare", *two, *FEW, "-o", compared, "--force")
    assert code == 0 and "report.html, women, men\n" in out  # not what others have there
    for command, folder, held in (
        (("compare", *two, *FEW), fitted, "a fit (model.json)"),
        (("fit", two[0]), compared, "a comparison (comparison.json)"),
    ):
        before = (folder / "report.html").read_bytes()
        code, _, err = run(*command, "-o", folder, "--force")
        assert code != 0 and held in err and "choose another folder" in err
        assert (folder / "report.html").read_bytes() == before
    (compared / "model.json").write_bytes((fitted / "model.json").read_bytes())
    code, _, err = run("report", compared)
    assert code != 0 and "holds a fit (model.json) and a comparison (comparison.json)" in err


@pytest.mark.usefixtures("unseen")
def test_what_is_printed_to_repeat_it_leads_to_it_again(run, two, tmp_path):
    run("compare", *two, *FEW, "--seed", 3, "--positive", "1", "-o", tmp_path / "o")
    lines = (tmp_path / "o" / "summary.txt").read_text().split("in Python")[1].split()
    found = eval(" ".join(lines), {"PlanarIsing": PlanarIsing, "read_table": read_table, "compare": compare})
    rows = {(row["source"], row["target"]): row["p_value"] for row in rows_of(tmp_path / "o" / "differences.csv")}
    assert rows == {names: str(p) for names, p in zip(found.pair_names, found.edge_p_values.tolist(), strict=True)}
    assert found.labels == ("women", "men") and found.seed == 3


@pytest.mark.usefixtures("unseen")
def test_what_is_printed_to_repeat_the_map_of_a_group_leads_to_it_again(run, two, tmp_path):
    run("compare", *two, *FEW, "--seed", 3, "--positive", "1", "-o", tmp_path / "o")
    folder = tmp_path / "o" / "women"
    lines = (folder / "summary.txt").read_text().split("in Python")[1].split()
    fit = eval(" ".join(lines), {"PlanarIsing": PlanarIsing, "read_table": read_table})
    known = IsingModel.load(folder / "model.json")
    assert fit.model_.edge_names == known.edge_names
    np.testing.assert_array_equal(fit.couplings_, known.couplings)


@pytest.mark.usefixtures("unseen")
def test_a_column_splits_a_table_to_the_same(run, two, tmp_path):
    table = together(two, tmp_path / "all.csv", more=("kids,1,0,1,0", ",1,0,1,0", "NA,1,0,1,0"))
    code, out, err = run("fit", table, "--split-by", "sex", *FEW, "-o", tmp_path / "o")
    assert code == 0 and {path.name for path in (tmp_path / "o").iterdir()} == FILES | {"women", "men"}
    assert "column 'sex': 2 rows without a label are left out" in err
    assert "column 'sex': left out 1 group with fewer than 10 rows: 'kids' (1 row)" in err
    assert "'kids' (1 row)" in (tmp_path / "o" / "summary.txt").read_text()
    run("compare", *reversed(two), *FEW, "-o", tmp_path / "p")
    same = [(tmp_path / name / "differences.csv").read_bytes() for name in "op"]
    assert same[0] == same[1]


@pytest.mark.usefixtures("unseen")
def test_what_is_printed_to_repeat_a_split_leads_to_it_again(run, two, tmp_path):
    table = together(two, tmp_path / "all.csv")
    run("fit", table, "--split-by", "sex", *FEW, "-o", tmp_path / "o")
    called = {"PlanarIsing": PlanarIsing, "read_groups": read_groups, "compare": compare}
    lines = (tmp_path / "o" / "summary.txt").read_text().split("in Python")[1].split()
    found = eval(" ".join(lines), called)
    rows = {(row["source"], row["target"]): row["p_value"] for row in rows_of(tmp_path / "o" / "differences.csv")}
    assert rows == {names: str(p) for names, p in zip(found.pair_names, found.edge_p_values.tolist(), strict=True)}
    lines = (tmp_path / "o" / "women" / "summary.txt").read_text().split("in Python")[1].split()
    fit = eval(" ".join(lines), called)
    np.testing.assert_array_equal(fit.couplings_, IsingModel.load(tmp_path / "o" / "women" / "model.json").couplings)


def test_labels_are_not_trusted(run, two, tmp_path):
    table = together(two, tmp_path / "all.csv", ("../<b>&", "=cmd|'x\x1b[31m'!A0"))
    code, out, err = run("fit", table, "--split-by", "sex", *FEW, "-o", tmp_path / "o", "--title", "<i>")
    assert code == 0 and "\x1b" not in out + err
    assert {path.name for path in (tmp_path / "o").iterdir()} - FILES == {"_cmd__x__31m__A0", "__b__"}
    svg = (tmp_path / "o" / "difference.svg").read_text()
    assert "<b>" not in svg and "\x1b" not in svg
    assert "\x1b" not in (tmp_path / "o" / "summary.txt").read_text()


@pytest.mark.usefixtures("unseen")
def test_three_groups_are_compared_in_pairs(run, two, pairs, tmp_path):
    third = [f"=other,{line}" for line in pairs(list("abcd"), 140, 3).splitlines()[1:]]
    table = together(two, tmp_path / "all.csv", more=third)
    code, out, err = run("fit", table, "--split-by", "sex", *FEW, "-o", tmp_path / "o")
    assert code == 0 and not err
    names = {path.name for path in (tmp_path / "o").iterdir()}
    assert names == {"groups.csv", "comparisons.csv", "summary.txt", "report.html", "_other", "men", "women"} | {
        "compare-_other-men", "compare-_other-women", "compare-men-women"
    }  # fmt: skip
    groups = rows_of(tmp_path / "o" / "groups.csv")
    assert [(row["group"], row["folder"], float(row["rows"])) for row in groups] == [
        ("'=other", "_other", 140), ("men", "men", 150), ("women", "women", 160)
    ]  # fmt: skip
    tests = rows_of(tmp_path / "o" / "comparisons.csv")
    assert len(tests) == 3
    for test in ("structure", "strength", "likelihood_ratio"):
        p_values, corrected = ([float(row[f"{test}_p{which}"]) for row in tests] for which in ("", "_holm"))
        assert corrected == holm(np.array(p_values)).tolist()
    assert {path.name for path in (tmp_path / "o" / "compare-men-women").iterdir()} == FILES
    page = (tmp_path / "o" / "report.html").read_bytes()
    assert run("report", tmp_path / "o")[0] == 0 and (tmp_path / "o" / "report.html").read_bytes() == page
    addresses = re.findall(r'href="([^"#]+/report.html)"', page.decode())
    assert len(addresses) == 6 and all((tmp_path / "o" / address).is_file() for address in addresses)
    page = (tmp_path / "o" / "compare-men-women" / "report.html").read_text()
    assert re.findall(r'href="([^"#]+/report.html)"', page) == ["../men/report.html", "../women/report.html"]
    assert "Maps of 3 groups" in out and "men and women: structure p =" in " ".join(out.split())
    code, _, err = run("fit", table, "--split-by", "sex", *FEW, "--checkpoint", tmp_path / "c", "-o", tmp_path / "p")
    assert code == 2 and "--checkpoint keeps the permutations of one comparison, and there are 3 groups" in err


@pytest.mark.usefixtures("unseen")
def test_the_same_persons_twice(run, pairs, tmp_path):
    for name, seed in (("before", 0), ("after", 1)):
        lines = pairs(list("abcd"), 140, seed).splitlines()
        order = range(140) if seed else reversed(range(140))
        lines = ["who," + lines[0], *(f"p{k},{lines[1 + k]}" for k in order)]
        (tmp_path / f"{name}.csv").write_text("\n".join(lines) + "\n")
    tables = [tmp_path / f"{name}.csv" for name in ("before", "after")]
    code, out, _ = run("compare", *tables, *FEW, "--cluster-column", "who", "-o", tmp_path / "o")
    assert code == 0 and "6 of clusters that are in both groups, which swap sides" in " ".join(out.split())
    assert "in Python" not in (tmp_path / "o" / "summary.txt").read_text()


def test_ctrl_c_before_anything_is_finished_says_so(run, two, tmp_path, monkeypatch):
    def interrupted(refit, numbers):
        signal.raise_signal(signal.SIGINT)
        look()
        yield

    monkeypatch.setattr(running, "_side_by_side", interrupted)
    code, _, err = run("compare", *two, *FEW, "-o", tmp_path / "o")
    assert code == 130 and not (tmp_path / "o").exists()
    assert "interrupted before the first fit was finished; no half-written result was left" in err


@pytest.mark.usefixtures("unseen")
def test_ctrl_c_writes_the_finished_permutations(run, two, tmp_path, monkeypatch):
    press_after(4, monkeypatch)
    command = ("compare", *two, *FEW, "--checkpoint", tmp_path / "kept", "-o", tmp_path / "o")
    code, out, err = run(*command)
    assert code == 130 and f"interrupted: the tests by 2 of 6 permutations are in {tmp_path / 'o'}" in err
    assert f"{tmp_path / 'kept'} has them too, and the same command goes on" in err
    assert "2 of rows (seed 0), with a search in both groups each time; interrupted, 6 were wanted" in " ".join(
        out.split()
    )
    assert run(*command, "--force")[0] == 130 and (tmp_path / "o-interrupted" / "men" / "model.json").exists()
    monkeypatch.undo()
    code, out, _ = run(*command, "--force")
    assert code == 0 and "6 of rows" in out and not (tmp_path / "kept").exists()


@pytest.mark.usefixtures("unseen")
def test_files_of_others_stay_where_results_are_replaced(run, two, tmp_path):
    command = ("compare", *two, *FEW, "-o", tmp_path / "o")
    run(*command)
    (tmp_path / "o" / "men" / "mine.txt").write_text("mine")
    code, _, err = run(*command)
    assert code == 2 and "is not empty" in err
    assert run(*command, "--force")[0] == 0 and (tmp_path / "o" / "men" / "mine.txt").read_text() == "mine"


@pytest.mark.usefixtures("unseen")
def test_tables_of_one_name_are_called_by_their_paths(run, two, tmp_path):
    for name, table in zip("ab", two, strict=True):
        (tmp_path / name).mkdir()
        (tmp_path / name / "t.csv").write_text(table.read_text())
    code, out, _ = run("compare", tmp_path / "a" / "t.csv", tmp_path / "b" / "t.csv", *FEW, "-o", tmp_path / "o")
    assert code == 0 and len([path for path in (tmp_path / "o").iterdir() if path.is_dir()]) == 2


@pytest.mark.usefixtures("unseen")
def test_a_constant_column_is_named_and_the_advice_helps(run, two, tmp_path):
    lines = two[1].read_text().splitlines()
    two[1].write_text("\n".join([lines[0], *(line[:-1] + "1" for line in lines[1:])]) + "\n")
    code, _, err = run("compare", *two, *FEW, "-o", tmp_path / "o")
    assert code == 2 and "in 'men' (150 rows) d. Leave it out of all groups by --constant drop (or" in err
    for k, advice in enumerate(
        (["--constant", "drop"], ["--drop-column", "d"], ["--constant", "keep", "--prior", "1"])
    ):
        assert run("compare", *two, *FEW, *advice, "-o", tmp_path / str(k))[0] == 0


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--n-jobs", "0"], "--n-jobs must be 1 or more, or -1"),
        (["--n-permutations", "0"], "--n-permutations must be a whole number from 1"),
        (["--checkpoint", "nowhere/file"], "there is no folder"),
        (["--cluster-column", "who"], "women.csv: there is no column 'who' (--cluster-column)"),
        (["--moments"], "there is no option --moments"),
    ],
)
def test_what_is_refused_is_told_in_options(run, two, tmp_path, options, message):
    code, _, err = run("compare", *two, "--search", "greedy", "-o", tmp_path / "o", *options)
    assert code == 2 and message in err and "(in Python)" not in err and not (tmp_path / "o").exists()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--n-permutations", "9"], "--n-permutations is for comparing groups; give --split-by, too, or leave it out"),
        (["--split-by", "sex", "--transpose"], "--split-by and --transpose exclude each other"),
        (["--split-by", "nobody"], "there is no column 'nobody' (--split-by); the columns are sex, a, b, c, d"),
        (["--split-by", "sex", "--weight-kind", "survey"], "--weight-kind survey has no permutation test"),
    ],
)
def test_what_a_split_refuses_is_told_in_options(run, two, tmp_path, options, message):
    table = together(two, tmp_path / "all.csv", ("x", "y"))
    code, _, err = run("fit", table, "--search", "greedy", "-o", tmp_path / "o", *options)
    assert code == 2 and message in err and "(in Python)" not in err and not (tmp_path / "o").exists()


def test_a_single_group_of_some_size(run, two, tmp_path):
    table = together(two, tmp_path / "all.csv", ("x", "y"))
    table.write_text("\n".join(table.read_text().splitlines()[:170]) + "\n")
    code, _, err = run("fit", table, "--split-by", "sex", *FEW, "-o", tmp_path / "o")
    assert code == 2 and "it has 'x' (160 rows), and 1 group with fewer than 10 rows: 'y' (9 rows)" in err


def test_standard_input_is_read_once(run, tmp_path):
    code, _, err = run("fit", "-", "--split-by", "sex", "-o", tmp_path / "o")
    assert (
        code == 2 and "/dev/stdin can be read only once, and --split-by takes a second look; write it to a file" in err
    )


@pytest.mark.usefixtures("unseen")
def test_groups_of_the_house_differ(run, real, tmp_path):
    path = real("house_votes_84/house_votes_84.csv")
    small = np.array([line.split(",")[:7] for line in path.read_text().splitlines()])
    (tmp_path / "house.csv").write_text("\n".join(",".join(row) for row in small.tolist()) + "\n")
    options = ("--missing", "drop", "--search", "greedy", "--n-permutations", 19)
    code, out, _ = run("fit", tmp_path / "house.csv", "--split-by", "party", *options, "-o", tmp_path / "o")
    facts = {
        fact["label"]: fact["value"] for fact in json.loads((tmp_path / "o" / "comparison.json").read_text())["facts"]
    }
    assert code == 0 and facts["likelihood ratio"]["p_value"] == 0.05 and facts["likelihood ratio"]["value"] > 200
    assert {"democrat", "republican"} < {path.name for path in (tmp_path / "o").iterdir()}
