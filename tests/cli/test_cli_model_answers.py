"""isingmap ground-state, sample, correlations and infer --certified."""

import csv

import numpy as np
import pytest

from isingmap import IsingModel
from isingmap.cli.wording import in_options
from isingmap.errors import ModelError, PrecisionError
from isingmap.inference.proofs.degeneracy import degeneracy
from isingmap.io.model_file import write_model_file


@pytest.fixture
def model():
    return IsingModel([(0, 1), (1, 2), (0, 2)], [1.0, -1.0, 1.0], names=["a", "=b", "c"])


@pytest.fixture
def model_file(model, tmp_path):
    path = tmp_path / "m.json"
    model.save(path)
    return path


def rows_of(path):
    with open(path, newline="") as stream:
        return list(csv.reader(stream))


def test_ground_state_and_degeneracy(run, model_file, tmp_path):
    code, out, err = run("ground-state", model_file, "--degeneracy")
    assert (code, err) == (0, "")
    assert "energy -1 (certified)" in out and "ground states 6 (proved)" in out
    code, out, _ = run("ground-state", model_file, "-o", tmp_path / "g.csv")
    assert code == 0 and "a\t" not in out
    header, *rows = rows_of(tmp_path / "g.csv")
    assert header == ["name", "value"] and [row[0] for row in rows] == ["a", "'=b", "c"]
    code, _, err = run("ground-state", model_file, "-o", tmp_path / "g.csv")
    assert code == 2 and "g.csv" in err


def test_degeneracy_needs_a_unit(run, tmp_path):
    IsingModel([(0, 1), (1, 2)], [np.pi, np.e]).save(tmp_path / "m.json")
    code, _, err = run("ground-state", tmp_path / "m.json", "--degeneracy")
    assert code == 2 and "unit" in err and "Traceback" not in err


def test_samples_are_reproducible_and_in_the_values_of_the_file(run, model, tmp_path):
    write_model_file(model, tmp_path / "m.json", "bqpjson", domain="boolean")
    arguments = ("sample", tmp_path / "m.json", "-n", "50", "--seed", "3")
    code, out, _ = run(*arguments, "-o", tmp_path / "one.csv")
    assert code == 0 and "seed 3" in out
    assert run(*arguments, "-o", tmp_path / "two.csv")[0] == 0
    header, *rows = rows_of(tmp_path / "one.csv")
    assert rows == rows_of(tmp_path / "two.csv")[1:]
    assert len(rows) == 50 and {cell for row in rows for cell in row} == {"0", "1"}
    assert run("sample", tmp_path / "m.json", "-n", "5")[0] == 2


def test_correlations_of_named_and_of_all_pairs(run, model, model_file, tmp_path):
    code, out, _ = run("correlations", model_file, "--pair", "a", "=b")
    exact = model.correlations()
    assert code == 0 and out.splitlines() == [
        "source\ttarget\tcorrelation\tcovariance",
        f"a\t=b\t{exact[0, 1]:+.6f}\t{exact[0, 1]:+.6f}",
    ]
    assert run("correlations", model_file, "-o", tmp_path / "all.csv")[0] == 0
    header, *rows = rows_of(tmp_path / "all.csv")
    assert header == ["source", "target", "correlation", "covariance"]
    np.testing.assert_allclose([float(row[2]) for row in rows], exact[np.triu_indices(3, 1)], rtol=1e-12)
    code, _, err = run("correlations", model_file, "--pair", "a", "nobody")
    assert code == 2 and "nobody" in err


def test_certified_log_partition(run, model, model_file):
    code, out, _ = run("infer", model_file, "--certified")
    lower, upper = out.rsplit("[", 1)[1].split("]")[0].split(", ")
    assert code == 0 and float(lower) <= model.log_partition() <= float(upper)
    assert float(upper) - float(lower) < 1e-12


def test_what_is_advised_for_strong_couplings_works(run, tmp_path):
    """A ground state, and couplings divided by one number; both have answers where log Z of many spins has none."""
    edges = [(0, 2), *((k, k + 1) for k in range(21))]
    couplings = np.array([1e6, 1e6, -1e6, *[0.5] * 19])
    IsingModel(edges, couplings).save(tmp_path / "m.json")
    code, _, err = run("infer", tmp_path / "m.json")
    assert code == 2 and "at any strength: isingmap ground-state." in err
    assert run("ground-state", tmp_path / "m.json")[0] == 0
    IsingModel(edges, couplings / 1e6).save(tmp_path / "divided.json")
    assert run("infer", tmp_path / "divided.json")[0] == 0


def test_what_is_advised_where_ground_states_cannot_be_counted(monkeypatch):
    """Rounding to the unit that is named makes them countable; scaling does not help, and is not advised."""
    edges = [(0, 1), (1, 2), (2, 3), (0, 3)]
    couplings = np.array([1.5, -np.pi, np.e, 0.3])
    with pytest.raises(ModelError, match=r"not below 0\.00307") as refused:
        IsingModel(edges, couplings).degeneracy()
    unit = float(str(refused.value).split("below ")[1])
    assert IsingModel(edges, np.rint(couplings / unit) * unit).degeneracy() == 2
    monkeypatch.setattr("isingmap.inference.proofs.degeneracy.EXPONENTS", ())
    model = IsingModel(edges, [1.0, 1.0, 1.0, -1.0])
    assert model.degeneracy() == 8  # by clique tables
    with pytest.raises(PrecisionError, match="does not depend on the scale") as refused:
        degeneracy(model.planned.plan, model.couplings)
    assert "temperature" not in str(refused.value)


def test_calls_are_worded_for_the_command_line():
    assert in_options("ask for correlations(pairs)") == "ask for --pair NAME NAME"


def test_predictions_of_a_table_with_gaps(run, model, model_file, tmp_path):
    table = tmp_path / "t.csv"
    table.write_text("id,c,=b\nr1,yes,\nr2,,no\nr3,no,no\n")
    code, out, err = run("predict", model_file, table, "--id-column", "id", "-o", tmp_path / "p.csv")
    assert (code, err) == (0, "")
    assert "not in the table, so missing in every row: 1 variable (a)" in out and "3 rows of P(+1)" in out
    header, *rows = rows_of(tmp_path / "p.csv")
    assert header == ["a", "'=b", "c"]
    expected = model.predict([[np.nan, np.nan, 1], [np.nan, -1, np.nan], [np.nan, -1, -1]])
    np.testing.assert_allclose(np.array(rows, float), expected, rtol=1e-12)
    assert run("predict", model_file, table, "--id-column", "id", "-o", tmp_path / "p.csv")[0] == 2


def test_tables_that_do_not_fit_a_model_are_refused_with_advice_that_works(run, model_file, tmp_path):
    table = tmp_path / "t.csv"
    table.write_text("a,c,other\nyes,no,yes\nno,no,no\n")
    code, _, err = run("predict", model_file, table, "-o", tmp_path / "p.csv")
    assert code == 2 and "no variable 'other'" in err and "--drop-column other" in err
    assert run("predict", model_file, table, "--drop-column", "other", "-o", tmp_path / "p.csv")[0] == 0
