"""dimod: objects (the real ones if installed, else look-alikes) and COO files; the sign is turned once."""

import sys
from types import SimpleNamespace

import numpy as np
import pytest
from file_cases import assert_energies, assert_same, damaged, energies_of, models, read_or_refuse, refused, states
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from isingmap import IsingModel
from isingmap.errors import DataWarning, FileFormatError, IsingMapError, ModelError
from isingmap.io.bqm import from_bqm, read_coo, to_bqm, write_coo

SLOW_FIXTURE = settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
DOMAINS = pytest.mark.parametrize(("vartype", "domain"), [("SPIN", "spin"), ("BINARY", "boolean")])
NUMBERS = st.integers(0, 30).map(str)


def bqm(linear, quadratic, offset, vartype):
    """What isingmap needs of a dimod.BinaryQuadraticModel."""
    return SimpleNamespace(linear=linear, quadratic=quadratic, offset=offset, vartype=SimpleNamespace(name=vartype))


@DOMAINS
def test_energies_of_an_object(vartype, domain):
    linear = {"a": 1.5, 7: -0.25, (0, 1): 0.0, "alone": 0.0}
    quadratic = {(7, "a"): 2.0, ("a", (0, 1)): -0.5}
    file = from_bqm(bqm(linear, quadratic, 3.25, vartype))
    assert file.model.names == ("a", "7", "(0, 1)", "alone") and file.domain == domain

    def energy(x):
        value = dict(zip(linear, x.tolist(), strict=True))
        return (
            3.25 + sum(h * value[v] for v, h in linear.items())
            + sum(bias * value[u] * value[v] for (u, v), bias in quadratic.items())
        )  # fmt: skip

    assert_energies(file, energy, domain)


def test_two_spins_with_negative_bias_agree():
    model = from_bqm(bqm({0: 0.0, 1: 0.0}, {(0, 1): -1.0}, 0.0, "SPIN")).model
    assert model.couplings.tolist() == [1.0] and model.correlations([(0, 1)])[0] > 0


@pytest.mark.parametrize(
    ("broken", "message"),
    [
        (SimpleNamespace(), "not a binary quadratic model"),
        (bqm({"a": "x"}, {}, 0, "SPIN"), "not a binary quadratic model"),
        (bqm({"a": 1}, {}, 0, "DISCRETE"), "vartype must be"),
        (bqm({"a": 1}, {("a", "b"): 1}, 0, "SPIN"), "'b' of a quadratic term is not in linear"),
        (bqm({1: 1, "1": 1}, {}, 0, "SPIN"), "unique"),
        (bqm({1: float("nan")}, {}, 0, "SPIN"), "beyond"),
        (bqm({}, {}, 0, "SPIN"), "at least one spin"),
    ],
)
def test_objects_that_are_none(broken, message):
    with pytest.raises((ModelError, FileFormatError), match=message):
        from_bqm(broken)


def test_without_dimod_the_advice_is_plain(monkeypatch):
    monkeypatch.setitem(sys.modules, "dimod", None)
    with pytest.raises(IsingMapError, match="pip install dimod"):
        to_bqm(IsingModel([(0, 1)], [1.0]))


@DOMAINS
def test_objects_of_dimod(vartype, domain):
    dimod = pytest.importorskip("dimod")
    model = IsingModel([(0, 1), (1, 2)], [0.5, -2.0], [0.1, 0.0, 0.0, 0.3], names=["a", "b", "NA", "alone"])
    there = to_bqm(model, offset=0.75, domain=domain)
    assert there.vartype.name == vartype
    for row in states(4):
        sample = dict(zip(model.names, (row + 1) // 2 if domain == "boolean" else row, strict=True))
        assert there.energy(sample) == pytest.approx(0.75 - model.log_weight(row)[0], abs=1e-12)
    back = from_bqm(there)
    assert back.offset == pytest.approx(0.75) and isinstance(there, dimod.BinaryQuadraticModel)
    np.testing.assert_allclose(energies_of(back), 0.75 - model.log_weight(states(4)), atol=1e-12)


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
        (COO, {}, 'does not say .* domain="spin"'),
        ("# vartype=SPIN\n" + COO, {"domain": "boolean"}, "says its variables are spin"),
        ("# vartype=DISCRETE\n" + COO, {}, "line 1: vartype must be SPIN or BINARY, got 'DISCRETE'"),
        ("# vartype=SPIN\n0 1\n", {}, "line 2: expected two whole numbers and a bias"),
        ("# vartype=SPIN\na b 1\n", {}, "line 2: .*edge list"),
        ("# vartype=SPIN\n0 1 nan\n", {}, "line 2: the bias must be a finite number, got 'nan'"),
        ("# vartype=SPIN\n0 1 1e301\n", {}, "beyond"),
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
