"""Objects of dimod, the real ones if it is installed, else look-alikes; the sign is turned once."""

import sys
from types import SimpleNamespace

import numpy as np
import pytest
from file_cases import assert_energies, energies_of, states
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st

from isingmap import IsingModel
from isingmap.errors import FileFormatError, IsingMapError, ModelError
from isingmap.io.dimod_objects import from_bqm, to_bqm

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
        (bqm({1: float("nan")}, {}, 0, "SPIN"), "is nan; expected a finite number"),
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
