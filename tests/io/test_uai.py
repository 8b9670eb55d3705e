"""UAI MARKOV files: factors of every shape, names beside, and what is refused."""

import math

import numpy as np
import pytest
from file_cases import (
    LINE_BREAKS,
    ODD_NAMES,
    assert_energies,
    assert_same,
    damaged,
    energies_of,
    models,
    read_or_refuse,
    refused,
    states,
)
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from isingmap import IsingModel
from isingmap.errors import FileFormatError, ModelError
from isingmap.io.uai import read_uai, write_uai

SLOW_FIXTURE = settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
NAMES = [name for name in ODD_NAMES if "\r" not in name]

# A constant, both orders of a pair, the same pair twice, a variable without factor, comments, broken lines.
OTHERS = """MARKOV
4
2 2 2 2   # all binary
6
1 0
2 0 1
2 2 1
0
2 1 2
1 1
// tables
2
 0.436
 0.564
4
 0.128 0.872
 0.920
 0.080
4
0.21 0.333 0.667 1e-3
1
2.5
4 1 2
3 4
2 1.0 1E1
"""


def product_of(text: str):
    """The definition: read words in order and multiply the entries that a state picks."""
    words = [word for line in text.splitlines() for word in line.split("#")[0].split("//")[0].split()]
    numbers = iter(words[1:])
    n = int(next(numbers))
    assert [next(numbers) for _ in range(n)] == ["2"] * n
    scopes = [[int(next(numbers)) for _ in range(int(next(numbers)))] for _ in range(int(next(numbers)))]
    tables = [[float(next(numbers)) for _ in range(int(next(numbers)))] for _ in scopes]

    def log_product(x):
        total = 0.0
        for scope, table in zip(scopes, tables, strict=True):
            index = 0
            for i in scope:
                index = 2 * index + int(x[i])
            total += math.log(table[index])
        return total

    return log_product


def test_energies_of_a_file_of_others(write):
    file = read_uai(write(OTHERS, "grid.uai"))
    assert file.model.names == ("0", "1", "2", "3") and file.model.edge_names == [("0", "1"), ("1", "2")]
    assert file.model.free_fields.tolist() == [True, True, True, False]
    log_product = product_of(OTHERS)
    assert_energies(file, lambda x: -log_product(x), "boolean")
    log_z = np.logaddexp.reduce([log_product(x) for x in (states(4) + 1) // 2])
    assert file.model.log_partition() - file.offset == pytest.approx(log_z, rel=1e-13)


@SLOW_FIXTURE
@given(model=models(names=st.sampled_from(NAMES)), offset=st.sampled_from([0.0, 0.1, -3.0, 5000.5]))
def test_round_trip_and_energies_of_our_own_files(tmp_path, model, offset):
    path = tmp_path / "m.uai"
    write_uai(model, path, offset=offset)
    file = read_uai(path)
    assert_same(file.model, model, rtol=1e-14, atol=2e-12)
    assert file.offset == pytest.approx(offset, abs=1e-11)
    log_product = product_of(path.read_text())
    assert_energies(file, lambda x: -log_product(x), "boolean", rtol=1e-11)
    np.testing.assert_allclose(
        energies_of(file), offset - model.log_weight(states(model.n_spins)), rtol=1e-12, atol=1e-10
    )


def test_couplings_beyond_exp_are_split(tmp_path):
    model = IsingModel([(0, 1)], [1500.0], [-2000.0, 0.0])
    write_uai(model, tmp_path / "m.uai")
    assert_same(read_uai(tmp_path / "m.uai").model, model, rtol=1e-14)
    with pytest.raises(ModelError, match="the coupling of x1 and x2 is 1e.06, too large"):
        write_uai(IsingModel([(0, 1)], [1e6]), tmp_path / "m.uai")


def test_a_zero_field_model_comes_back_without_fields(tmp_path):
    rng = np.random.default_rng(2)
    edges = [(0, k) for k in range(1, 9)]
    model = IsingModel(edges, rng.normal(size=8) * 3)
    write_uai(model, tmp_path / "m.uai")
    assert not read_uai(tmp_path / "m.uai").model.free_fields.any()


def test_names_beside(tmp_path, write):
    path = write(OTHERS, "grid.uai")
    write("Ann\r\nBob, Co\r\n=1+1\r\nNA", "grid.names")
    assert read_uai(path).model.names == ("Ann", "Bob, Co", "=1+1", "NA")
    write("Ann\nBob\n", "grid.names")
    with pytest.raises(FileFormatError, match="grid.names: 2 names for the 4 variables of .*grid.uai"):
        read_uai(path)
    write("Ann\nBob\nCid\nAnn\n", "grid.names")
    with pytest.raises(FileFormatError, match="names must be unique"):
        read_uai(path)


@pytest.mark.parametrize("name", [*LINE_BREAKS, "a\rb", "\ufeffx"])
def test_names_of_two_lines_are_refused(tmp_path, name):
    with pytest.raises(ModelError, match="one line"):
        write_uai(IsingModel([], [], names=[name]), tmp_path / "m.uai")
    assert list(tmp_path.iterdir()) == []


SMALL = "MARKOV\n2\n2 2\n1\n2 0 1\n\n4\n1 2 3 4\n"


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("", "ends where MARKOV should be"),
        ("BAYES\n1\n2\n", "line 1: expected MARKOV, got 'BAYES'"),
        (SMALL.replace("2 2\n", "2 3\n", 1), "line 3: variable 1 has 3 values"),
        (SMALL.replace("2 0 1", "3 0 1 1"), "line 5: factor 1 has 3 variables"),
        (SMALL.replace("2 0 1", "2 0 2"), r"line 5: factor 1 is on the variables \(0, 2\)"),
        (SMALL.replace("2 0 1", "2 1 1"), "different numbers below 2"),
        (SMALL.replace("4\n1", "3\n1"), r"line 7: factor 1 \(variables 0, 1\) has 3 entries, expected 4"),
        (SMALL.replace("1 2 3 4", "1 0.0 3 4"), r"line 8: factor 1 \(variables 0, 1\) has a zero entry.*1e-30"),
        (SMALL.replace("1 2 3 4", "1 -2 3 4"), "must be a positive number, got '-2'"),
        (SMALL.replace("1 2 3 4", "1 nan 3 4"), "must be a positive number, got 'nan'"),
        (SMALL.replace("1 2 3 4", "1 2 3"), "the file ends where an entry of factor 1"),
        (SMALL + "5\n", "line 9: expected the end of the file"),
        (SMALL.replace("MARKOV\n2\n", "MARKOV\n999999999\n"), "values of variable 2|has 1 values"),
        (SMALL.replace("MARKOV\n2\n", "MARKOV\nx\n"), "line 2: the number of variables must be"),
        ("MARKOV\n0\n\n0\n", "at least one spin"),
        (b"MARKOV\n\xff", "not UTF-8"),
    ],
)
def test_refused(write, tmp_path, content, message):
    with refused(message, tmp_path, "bad.uai"):
        read_uai(write(content, "bad.uai"))


@SLOW_FIXTURE
@given(content=damaged(OTHERS))
def test_hostile_files(tmp_path, content):
    read_or_refuse(read_uai, tmp_path / "hostile.uai", content)
