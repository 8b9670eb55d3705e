"""COO files: signs, domains, what is lost and what is refused."""

import numpy as np
import pytest
from file_cases import assert_energies, assert_same, damaged, models, read_or_refuse, refused, states
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from isingmap import IsingModel
from isingmap.errors import DataWarning, ModelError
from isingmap.io.coo import read_coo, write_coo

SLOW_FIXTURE = settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
DOMAINS = pytest.mark.parametrize(("vartype", "domain"), [("SPIN", "spin"), ("BINARY", "boolean")])
NUMBERS = st.integers(0, 30).map(str)


COO = """0 0 -1.000000
0 1 1.500000
4 1 -4.5
1 0 0.25
0 0 3
"""


def coo_energy(x):
    value = dict(zip((0, 1, 4), x.tolist(), strict=True))
    triples = [(0, 0, -1.0), (0, 1, 1.5), (4, 1, -4.5), (1, 0, 0.25), (0, 0, 3.0)]
    return sum(bias * (value[i] if i == j else value[i] * value[j]) for i, j, bias in triples)


@DOMAINS
def test_energies_of_coo_files(write, vartype, domain):
    for text, stated in ((f"# vartype={vartype}\n{COO}", None), (f"#vartype: {vartype}\n{COO}", domain), (COO, domain)):
        file = read_coo(write(text, "m.coo"), domain=stated)
        assert file.model.names == ("0", "1", "4") and file.domain == domain
        assert "numbered 0 to 4, but only 3" in file.notes[0]
        assert_energies(file, coo_energy, domain)


def test_energies_of_qubo_files(write):
    file = read_coo(write("c from qbsolv\np qubo 0 5 3 3\n" + COO, "m.qubo"))
    assert_energies(file, coo_energy, "boolean")


@DOMAINS
@SLOW_FIXTURE
@given(model=models(names=NUMBERS))
@pytest.mark.filterwarnings("ignore::isingmap.errors.DataWarning")
def test_round_trip(tmp_path, vartype, domain, model):
    write_coo(model, tmp_path / "m.coo", domain=domain)
    text = (tmp_path / "m.coo").read_text()
    assert text.startswith(f"# vartype={vartype}\n") and "e" not in text.split("\n", 1)[1]
    back = read_coo(tmp_path / "m.coo").model
    assert set(back.names) == set(model.names)
    order = [model.names.index(name) for name in back.names]
    x = states(model.n_spins)
    difference = back.log_weight(x[:, order]) - model.log_weight(x)
    np.testing.assert_allclose(difference, difference[0], atol=1e-10)  # the offset is lost
    if domain == "spin":
        assert back.fields.tolist() == model.fields[order].tolist()


def test_dimod_reads_what_we_write(tmp_path):
    coo = pytest.importorskip("dimod.serialization.coo")
    model = IsingModel([(0, 1)], [1e-9], [0.25, 0, 0], names=["0", "1", "2"])
    write_coo(model, tmp_path / "m.coo")
    with open(tmp_path / "m.coo") as stream:
        there = coo.load(stream)
    assert dict(there.linear) == {0: -0.25, 1: 0.0, 2: 0.0} and there.quadratic[0, 1] == -1e-9


def test_what_is_lost_is_said(tmp_path):
    model = IsingModel([(0, 1)], [1.0], names=["a", "b"])
    with pytest.warns(DataWarning, match="have no names; the variables are numbered 0 to 1"):
        write_coo(model, tmp_path / "m.coo")
    named = IsingModel([(0, 1)], [1.0], names=["0", "7"])
    with pytest.warns(DataWarning, match="cannot hold the offset 2.5"):
        write_coo(named, tmp_path / "m.coo", offset=2.5)
    with pytest.warns(DataWarning, match="cannot hold the offset -1 "):
        write_coo(named, tmp_path / "m.coo", domain="boolean")
    assert read_coo(tmp_path / "m.coo").model.names == ("0", "7")


@pytest.mark.parametrize(
    ("content", "options", "message"),
    [
        (COO, {}, "does not say .* domain='spin'"),
        ("# vartype=SPIN\n" + COO, {"domain": "boolean"}, "says its variables are spin"),
        ("# vartype=DISCRETE\n" + COO, {}, "line 1: vartype must be SPIN or BINARY, got 'DISCRETE'"),
        ("# vartype=SPIN\n0 1\n", {}, "line 2: expected two whole numbers and a bias"),
        ("# vartype=SPIN\na b 1\n", {}, "line 2: .*edge list"),
        ("# vartype=SPIN\n0 1 nan\n", {}, "line 2: the bias must be a finite number, got 'nan'"),
        ("# vartype=SPIN\n0 1 1e301\n", {}, "0 - 1 is 1e\\+301"),
        ("# vartype=SPIN\n", {}, "at least one spin"),
        ("p cnf 3 2\n", {}, "line 1: expected `p qubo"),
    ],
)
def test_refused(write, tmp_path, content, options, message):
    with refused(message, tmp_path, "bad.coo"):
        read_coo(write(content, "bad.coo"), **options)


def test_domains_that_are_none(write):
    with pytest.raises(ModelError, match="domain must be one of"):
        read_coo(write(COO), domain="qubit")


@SLOW_FIXTURE
@given(content=damaged("# vartype=BINARY\n" + COO))
def test_hostile_files(tmp_path, content):
    read_or_refuse(read_coo, tmp_path / "hostile.coo", content)


@SLOW_FIXTURE
@given(content=damaged(COO))
def test_hostile_files_without_header(tmp_path, content):
    read_or_refuse(lambda path: read_coo(path, domain="spin"), tmp_path / "hostile.coo", content)


def test_both_domains_describe_one_model(tmp_path):
    model = IsingModel([(0, 1)], [0.5], [0.25, -0.125], names=["0", "1"])
    write_coo(model, tmp_path / "m.coo")
    assert_same(read_coo(tmp_path / "m.coo").model, model)
