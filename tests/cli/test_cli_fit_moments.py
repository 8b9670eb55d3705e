"""isingmap fit --moments: a matrix in place of a table."""

import numpy as np
import pandas as pd
import pytest

from isingmap import IsingModel, PlanarIsing


@pytest.fixture
def spins(table):
    return 2 * pd.read_csv(table) - 1


@pytest.fixture
def matrix(spins, tmp_path):
    path = tmp_path / "moments.csv"
    (spins.T @ spins / len(spins)).to_csv(path, float_format="%.17g")
    return path


@pytest.fixture
def means(spins, tmp_path):
    path = tmp_path / "means.csv"
    spins.mean().rename("mean").to_csv(path, index_label="name", float_format="%.17g")
    return path


def test_moments_and_means_give_the_map_of_the_table(run, spins, matrix, means, tmp_path):
    code, out, err = run("fit", matrix, "--moments", "--n-samples", len(spins), "--means", means, "-o", tmp_path / "m")
    assert (code, err) == (0, "") and "Learned from given moments" in out
    model, expected = IsingModel.load(tmp_path / "m" / "model.json"), PlanarIsing().fit(spins).model_
    assert model.names == expected.names
    np.testing.assert_array_equal(model.edges, expected.edges)
    np.testing.assert_allclose(model.couplings, expected.couplings, rtol=0, atol=1e-8)
    np.testing.assert_allclose(model.fields, expected.fields, rtol=0, atol=1e-8)


def test_without_means_the_message_leads_to_the_zero_field_map(run, spins, matrix, tmp_path):
    options = ("fit", matrix, "--moments", "--n-samples", len(spins), "-o", tmp_path / "m")
    code, _, err = run(*options)
    assert code == 2 and "--means FILE" in err and "--family zero-field" in err
    code, _, _ = run(*options, "--family", "zero-field")
    assert code == 0 and (tmp_path / "m" / "nodes.csv").exists()
    np.testing.assert_array_equal(IsingModel.load(tmp_path / "m" / "model.json").fields, 0)


def test_a_matrix_taken_for_a_table_leads_to_moments(run, matrix, tmp_path):
    code, _, err = run("fit", matrix, "-o", tmp_path / "m")
    assert code == 2 and "isingmap fit --moments" in err


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("--moments",), "--n-samples N"),
        (("--moments", "--n-samples", "9", "--id-column", "a"), "--moments and --id-column exclude each other"),
        (("--moments", "--n-samples", "9", "--missing", "drop"), "a matrix has no missing cells"),
        (("--n-samples", "9"), "give --moments"),
    ],
)
def test_options_that_do_not_fit_together_are_refused(run, matrix, tmp_path, options, said):
    code, _, err = run("fit", matrix, *options, "-o", tmp_path / "m")
    assert code == 2 and said in err


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (",a,b\na,1,0.5\nc,0.5,1\n", "'c'"),
        (",a,b\na,1,x\nb,0.5,1\n", "expected a number in column 'b'"),
        ("a,b,c,d\n1,0,0,0\n0,1,0,0\n", "expected a square matrix"),
    ],
)
def test_what_is_no_matrix_is_refused(run, tmp_path, text, said):
    (tmp_path / "x.csv").write_text(text)
    options = ("--moments", "--n-samples", "9", "--family", "zero-field", "-o", tmp_path / "m")
    code, _, err = run("fit", tmp_path / "x.csv", *options)
    assert code == 2 and said in err


def test_a_variable_without_a_mean_is_named(run, matrix, means, tmp_path):
    means.write_text("name,mean\na,0\nb,0\nc,0\n")
    code, _, err = run("fit", matrix, "--moments", "--n-samples", "9", "--means", means, "-o", tmp_path / "m")
    assert code == 2 and "no mean for 1 variable: 'd'" in err
