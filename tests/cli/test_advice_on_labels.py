"""Advice about labels and shapes makes sense for what the table holds, and comes once."""

import re

import numpy as np
import pytest

from isingmap import IsingModel


def columns_of(zero, one, names="abc"):
    cells = np.random.default_rng(0).integers(0, 2, (50, len(names)))
    rows = [";".join((zero, one)[cell] for cell in row) for row in cells.tolist()]
    return "\n".join([";".join(names), *rows]) + "\n"


@pytest.mark.parametrize(
    ("zero", "one", "label"),
    [
        ("0,0", "1,0", "1,0"),
        ("0,0", "2,5", "2,5"),
        ("\u0660", "\u0661", "'a=\u0661'"),
        ("\uff10", "\uff11", "'a=\uff11'"),
        ("-9", "1", "1"),
        ("0", "-99", "LABEL"),
        ("0", "-1", "LABEL"),
        ("refused", "yes", "yes"),
        ("refused", "no", "LABEL"),
        ("2", "3", "3"),
    ],
)
def test_the_example_is_one_and_makes_sense(run, tmp_path, zero, one, label):
    (tmp_path / "t.csv").write_text(columns_of(zero, one), encoding="utf-8")
    code, _, err = run("fit", tmp_path / "t.csv", "-o", tmp_path / "m")
    assert code == 2 and err.count("Say which label is +1") == 1
    example = label if label.startswith("'") else f"a={label}"
    assert f"such as --positive {example}." in err


@pytest.mark.parametrize("code", ["-9", "99", "refused"])
def test_a_lone_mark_of_missing_answers_is_asked_about(run, tmp_path, code):
    table = re.sub("^0;", f"{code};", columns_of("0", "1"), flags=re.MULTILINE)
    (tmp_path / "t.csv").write_text(table)
    status, _, err = run("fit", tmp_path / "t.csv", "-o", tmp_path / "m")
    assert status == 2 and f"If '{code}' stands for a missing answer, say so: --missing-label {code}." in err
    assert err.index("--missing-label") < err.index("--positive")


def test_a_table_to_be_transposed_is_told_so_first(run, tmp_path):
    (tmp_path / "t.csv").write_text("Species,s1,s2,s3,s4,s5\nPoa,0,1,1,0,1\nFoo,1,1,0,0,1\nBar,1,0,0,1,1\n")
    code, _, err = run("fit", tmp_path / "t.csv", "-o", tmp_path / "m")
    assert code == 2 and err.index("--transpose and --id-column Species") < err.index("cannot be read")
    assert "--missing-label" not in err and "If it is an id or a group, set it aside (--id-column" in err
    options = ("--transpose", "--id-column", "Species", "--family", "zero-field", "--prior", "1")
    assert run("fit", tmp_path / "t.csv", *options, "-o", tmp_path / "m")[0] == 0


def test_predict_says_nothing_of_transposing_a_few_rows(run, tmp_path):
    IsingModel([("a", "b"), ("b", "c")], [1.0, -0.5], names=["a", "b", "c"]).save(tmp_path / "m.json")
    (tmp_path / "t.csv").write_text("a,b,c\n1,0,1\n0,1,0\n")
    code, out, err = run("predict", tmp_path / "m.json", tmp_path / "t.csv", "-o", tmp_path / "p.csv")
    assert code == 0 and "transpose" not in out + err
    (tmp_path / "u.csv").write_text("o1,o2\n1,0\n0,1\n1,1\n")
    code, _, err = run("predict", tmp_path / "m.json", tmp_path / "u.csv", "-o", tmp_path / "q.csv")
    assert code == 2 and "If the rows of the table are the variables, use --transpose" in err


@pytest.mark.parametrize("beside", [True, False])
@pytest.mark.parametrize(("diagonal", "said"), [(1, "--moments --n-samples N"), (0, "isingmap infer"), (3, None)])
def test_a_square_matrix_is_sent_where_it_can_be_read(run, tmp_path, beside, diagonal, said):
    matrix = np.diag([diagonal] * 5) + np.diag([1] * 4, 1) * 0.25 + np.diag([1] * 4, -1) * 0.25
    rows = [",".join([name] * beside + [f"{x:g}" for x in row]) for name, row in zip("abcde", matrix, strict=True)]
    path = tmp_path / "t.csv"
    path.write_text("\n".join(["," * beside + "a,b,c,d,e", *rows]) + "\n")
    code, _, err = run("fit", path, "-o", tmp_path / "m")
    assert code == 2 and "looks like a matrix" in err
    assert [word for word in ("--moments --n-samples N", "isingmap infer") if word in err] == ([said] if said else [])
    if diagonal == 1:
        options = ("--moments", "--n-samples", "99", "--family", "zero-field")
        assert run("fit", path, *options, "-o", tmp_path / "m")[0] == 0
    if diagonal == 0 and beside:
        assert run("infer", path)[0] == 0


def test_a_table_comes_from_standard_input(run, table, tmp_path, monkeypatch):
    monkeypatch.setattr("isingmap.cli.streams.STANDARD_INPUT", str(table))
    assert run("fit", "-", "-o", tmp_path / "m", "--quiet")[0] == 0


@pytest.mark.parametrize("header", ['"","Var1","Var2","value"', "node1,node2,weight"])
def test_a_list_of_edges_is_sent_to_models(run, table, tmp_path, header):
    number = '"1",' if header.startswith('""') else ""
    path = tmp_path / "edges.csv"
    path.write_text(f'{header}\n{number}"a","b",0.5\n{number}"b","c",-0.25\n')
    code, _, err = run("fit", path, "-o", tmp_path / "m")
    assert code == 2 and "looks like a list of edges" in err and "--transpose" not in err
    path.write_text(path.read_text().replace(header.split(",", 1)[1] if number else header, "source,target,coupling"))
    assert run("infer", path)[0] == 0
    assert run("fit", table, "--graph", path, "-o", tmp_path / "m", "--quiet")[0] == 0


def test_a_threshold_does_not_count_missing_codes_in_silence(run, tmp_path):
    rows = [f"{k % 2},{(k // 2) % 2},{9 if k % 7 == 0 else (k // 3) % 2}" for k in range(60)]
    (tmp_path / "t.csv").write_text("a,b,c\n" + "\n".join(rows) + "\n")
    code, out, _ = run("fit", tmp_path / "t.csv", "--threshold", "1", "-o", tmp_path / "map")
    assert code == 0 and "9 was taken for a number, beside two labels, in 1 column (c)" in " ".join(out.split())
    counts = [f"{k % 2},{k % 4},{k % 10}" for k in range(60)]
    (tmp_path / "counts.csv").write_text("a,b,c\n" + "\n".join(counts) + "\n")
    code, out, _ = run("fit", tmp_path / "counts.csv", "--threshold", "1", "-o", tmp_path / "map2")
    assert code == 0 and "taken for a number" not in out


def test_decimal_commas_are_named(run, tmp_path):
    (tmp_path / "t.csv").write_text("a;b\n0,5;1,25\n2,5;0,5\n1,5;1,5\n0,5;2,5\n")
    code, _, err = run("fit", tmp_path / "t.csv", "--threshold", "1", "-o", tmp_path / "map")
    assert code == 2 and "decimal points instead of commas" in err


def test_a_scale_is_cut_and_the_threshold_works(run, tmp_path):
    cells = np.random.default_rng(0).integers(1, 6, (60, 3)).astype(str).tolist()
    (tmp_path / "t.csv").write_text("a,b,c\n" + "\n".join(map(",".join, cells)) + "\n")
    code, _, err = run("fit", tmp_path / "t.csv", "-o", tmp_path / "m")
    assert code == 2 and "If it is a scale, choose from which value on a cell is +1: --threshold 3, for all" in err
    assert run("fit", tmp_path / "t.csv", "--threshold", "3", "-o", tmp_path / "m")[0] == 0
