"""Clusters, weights of a survey, kinds of errors and intervals on the command line; the recipe of two halves."""

import csv
import re
import shutil
import subprocess
from pathlib import Path

import numpy as np
import pytest

QUESTIONS = Path(__file__).resolve().parents[2] / "docs" / "questions.md"


def read(path):
    with open(path, newline="") as stream:
        return list(csv.DictReader(stream))


def numbers(path, column):
    return np.array([float(row[column]) for row in read(path)])


@pytest.fixture(scope="module")
def survey(tmp_path_factory):
    """Rows in schools, each with a leaning of its own, and weights."""
    rng = np.random.default_rng(4)
    lines = ["respondent,school,weight,dreams,flashbacks,upset"]
    for k in range(400):
        leaning = (-1, 1)[k // 20 % 2] * 0.25
        first = rng.random() < 0.5 + leaning
        second = first if rng.random() < 0.75 else rng.random() < 0.5
        third = second if rng.random() < 0.75 else rng.random() < 0.5
        lines.append(f"r{k},s{k // 20},{rng.integers(1, 5) / 4},{first:d},{second:d},{third:d}")
    path = tmp_path_factory.mktemp("survey") / "survey.csv"
    path.write_text("\n".join(lines) + "\n")
    return path


ASIDE = ("--id-column", "respondent", "--drop-column", "weight")


def test_clusters_change_the_errors_and_not_the_map(run, survey, tmp_path):
    code, out, err = run("fit", survey, *ASIDE, "--cluster-column", "school", "-o", tmp_path / "clusters")
    assert (code, err) == (0, "")
    text = " ".join(out.split())
    assert "Column school holds the clusters of the rows: 20 of them." in text
    assert "robust (sandwich), from 20 clusters of rows, with Student's t of 19 degrees of freedom" in text
    assert run("fit", survey, *ASIDE, "--drop-column", "school", "-o", tmp_path / "rows")[0] == 0
    one, two = tmp_path / "clusters" / "edges.csv", tmp_path / "rows" / "edges.csv"
    for column in ("coupling", "loss"):
        np.testing.assert_array_equal(numbers(one, column), numbers(two, column))
    assert (numbers(one, "se") != numbers(two, "se")).all()
    se, upper, coupling = (numbers(one, column) for column in ("se", "upper", "coupling"))
    np.testing.assert_allclose((upper - coupling) / se, 2.093024, rtol=1e-6)  # t with 19 degrees of freedom
    np.testing.assert_allclose(numbers(two, "lr"), 2 * numbers(two, "loss"), rtol=1e-12)
    se = numbers(tmp_path / "rows" / "nodes.csv", "field_se")
    clustered = numbers(tmp_path / "clusters" / "nodes.csv", "field_se")
    assert clustered[0] > 1.5 * se[0]  # schools differ in how they lean


def test_what_was_typed_is_in_the_summary_and_works_in_python(run, survey, tmp_path):
    options = ("--cluster-column", "school", "--intervals", "profile")
    _, out, _ = run("fit", survey, *ASIDE, *options, "-o", tmp_path / "map")
    text = " ".join(out.split())
    assert "95 %, by profile likelihood." in text
    assert {row["interval"] for row in read(tmp_path / "map" / "edges.csv")} == {"profile"}
    module = re.search(r"import +(from \S+ import \w+)", out)[1]
    call = re.search(r"in Python +(PlanarIsing\(.*?\)\))\n", out.replace("\n                      ", " "), re.DOTALL)[1]
    names = {}
    exec(f"from isingmap import PlanarIsing\n{module}\nfit = {call}", names)
    np.testing.assert_array_equal(
        names["fit"].learned_.coupling_intervals.upper, numbers(tmp_path / "map" / "edges.csv", "upper")
    )


def test_weights_of_a_survey_state_the_effective_number(run, survey, tmp_path):
    options = ("--id-column", "respondent", "--drop-column", "school", "--weight-column", "weight")
    code, out, _ = run("fit", survey, *options, "--weight-kind", "survey", "-o", tmp_path / "map")
    weights = np.array([float(row["weight"]) for row in read(survey)])
    effective = weights.sum() ** 2 / (weights**2).sum()
    assert code == 0 and f"rows {effective:,.1f} effective, of 400 with weights of a survey" in " ".join(out.split())
    assert "robust (sandwich), from 400 weighted rows" in " ".join(out.split())
    np.testing.assert_allclose(numbers(tmp_path / "map" / "edges.csv", "rows"), effective)
    code, out, _ = run("fit", survey, *options, "-o", tmp_path / "frequencies")
    assert code == 0 and f"rows 400, with frequency weights sum of weights {weights.sum():,.10g}," in " ".join(
        out.split()
    )


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("--weight-kind", "survey", *ASIDE, "--drop-column", "school"), "give them (--weight-column of a file"),
        (("--cluster-column", "school", "--transpose", "--id-column", "respondent"), "--cluster-column gives clusters"),
        (("--cluster-column", "none", *ASIDE), "none"),
        (("--cluster-column", "school", "--histogram"), "--histogram and --cluster-column exclude each other"),
        (("--weight-kind", "survey", "--histogram"), "--histogram and --weight-kind survey exclude each other"),
        (("--errors", "robust", "--moments", "--n-samples", "9", "--family", "zero-field"), "--errors robust"),
    ],
)
def test_what_makes_no_sense_is_refused(run, survey, tmp_path, options, said):
    table = survey
    if "--moments" in options:
        table = tmp_path / "moments.csv"
        table.write_text("a,b,c\n1,0.5,0\n0.5,1,0.2\n0,0.2,1\n")
    code, _, err = run("fit", table, *options, "-o", tmp_path / "map")
    assert code == 2 and said in " ".join(err.split()), err
    assert not (tmp_path / "map").exists()


def test_rows_without_a_cluster_and_a_single_cluster_are_refused(run, survey, tmp_path):
    lines = survey.read_text().splitlines()
    holes = tmp_path / "holes.csv"
    holes.write_text("\n".join([*lines[:3], lines[3].replace(",s0,", ",,"), *lines[4:]]) + "\n")
    code, _, err = run("fit", holes, *ASIDE, "--cluster-column", "school", "-o", tmp_path / "map")
    assert code == 2 and "'school' must hold the label of each row's cluster; row 3 (line 4) has ''" in " ".join(
        err.split()
    )
    assert "(1 such row)" in err
    single = tmp_path / "single.csv"
    single.write_text(re.sub(r",s\d+,", ",only,", survey.read_text()))
    code, _, err = run("fit", single, *ASIDE, "--cluster-column", "school", "-o", tmp_path / "map")
    assert code == 2 and "all rows are in one cluster" in err and "(another --cluster-column of a file)" in err


@pytest.mark.skipif(shutil.which("awk") is None, reason="needs awk")
def test_the_recipe_of_two_halves(run, survey, tmp_path, monkeypatch):
    """The lines of the page as they stand; the second half has the graph of the first."""
    monkeypatch.chdir(tmp_path)
    cells = [line.split(",") for line in survey.read_text().splitlines()]
    Path("survey.csv").write_text("".join(",".join(line[:1] + line[3:]) + "\n" for line in cells))
    block = next(b for b in re.findall(r"```bash\n(.*?)```", QUESTIONS.read_text(), re.DOTALL) if "awk" in b)
    for line in block.splitlines():
        if line.startswith("awk"):
            subprocess.run(["bash", "-c", line], check=True)
        else:
            code, out, err = run(*line.split()[1:])
            assert code == 0, err
    first, second = (read(f"{half}-map/edges.csv") for half in ("first", "second"))
    assert [row["source"] + row["target"] for row in first] == [row["source"] + row["target"] for row in second]
    assert len(first) >= 2
    assert "Given the graph" not in out and "as it was given" in " ".join(out.split())
    assert len(Path("first.csv").read_text().splitlines()) + len(Path("second.csv").read_text().splitlines()) == 402


def test_real_tables_have_what_a_reader_looks_for(run, real, tmp_path):
    """PTSD symptoms: tests and intervals of every edge, in the files and in the summary."""
    table = real("psychometrics/ptsd_mcnally2015_6.csv")
    code, out, _ = run("fit", table, "-o", tmp_path / "map")
    rows = read(tmp_path / "map" / "edges.csv")
    assert code == 0 and len(rows) == 8
    few = {row["source"] + "-" + row["target"] for row in rows if row["interval"] == "profile"}
    assert few == {"upset-physior"}
    assert all(float(row["lower"]) > 0 and float(row["p_value"]) < 0.01 for row in rows)
    text = " ".join(out.split())
    assert "of 1 of 8 edges by profile likelihood, because a cell of the pair's table holds fewer than 10 rows" in text
    assert "least certain intrusion - flash: likelihood ratio 10.84, p = 0.00099" in text
    assert "cover the true coupling in 90 to 96 % of cases" in text


def test_nine_justices_by_term_against_sums_over_all_configurations(run, real, tmp_path):
    """Every standard error once more, from rows, clusters and 512 configurations written out."""
    table = real("scotus/rehnquist_1994_2005_direction.csv")
    options = ("--id-column", "caseId", "--drop-column", "issueArea", "--missing", "drop", "--cluster-column", "term")
    assert run("fit", table, *options, "-o", tmp_path / "map", "--restarts", "0")[0] == 0
    complete = [row for row in read(table) if all(row.values())]
    names = [row["name"] for row in read(tmp_path / "map" / "nodes.csv")]
    spins = np.array([[float(row[name]) for name in names] for row in complete])
    terms = np.array([row["term"] for row in complete])
    edges = read(tmp_path / "map" / "edges.csv")
    pairs = np.array([[names.index(row["source"]), names.index(row["target"])] for row in edges])
    theta = np.append(
        numbers(tmp_path / "map" / "edges.csv", "coupling"), numbers(tmp_path / "map" / "nodes.csv", "field")
    )
    every = 2.0 * ((np.arange(512)[:, None] >> np.arange(9)) & 1) - 1.0

    def statistics(x):
        return np.hstack([x[:, pairs[:, 0]] * x[:, pairs[:, 1]], x])

    weight = statistics(every) @ theta
    chance = np.exp(weight - np.logaddexp.reduce(weight))
    mean = chance @ statistics(every)
    centred = statistics(every) - mean
    hessian = (centred * chance[:, None]).T @ centred
    scores = statistics(spins) - mean
    sums = np.array([scores[terms == term].sum(axis=0) for term in np.unique(terms)])
    n = len(sums)
    bread = np.linalg.inv(hessian * len(spins))
    errors = np.sqrt(np.diag(bread @ (sums.T @ sums) @ bread) * n / (n - 1))
    found = np.append(
        numbers(tmp_path / "map" / "edges.csv", "se"), numbers(tmp_path / "map" / "nodes.csv", "field_se")
    )
    assert n == 11
    np.testing.assert_allclose(found, errors, rtol=1e-6)
