"""Questions at the border: proofs without the plane, rounded degeneracies, numbers that overflow, wrong arguments."""

import itertools

import numpy as np
import pytest

from isingmap import IsingModel
from isingmap.errors import FileFormatError, ModelError, NonPlanarError
from isingmap.io.model_file import read_model_file

K33 = [(i, j) for i in range(3) for j in range(3, 6)]


def test_proofs_of_a_small_model_that_is_not_planar():
    model = IsingModel(K33, np.linspace(-1, 1, 9), np.linspace(-0.5, 0.5, 6))
    interval = model.log_partition(certified=True)
    assert interval.lower <= model.log_partition() <= interval.upper and interval.width < 1e-12
    lower, upper = model.certified_moments()
    middle = np.concatenate([model.moments(), model.magnetizations()[model.free_fields]])
    assert (lower <= middle + 1e-14).all() and (middle - 1e-14 <= upper).all() and (upper - lower).max() < 1e-12
    assert IsingModel(K33, np.full(9, 0.3)).degeneracy() == 2
    frustrated = IsingModel(list(itertools.combinations(range(5), 2)), -np.ones(10))
    assert frustrated.degeneracy() == 20


@pytest.mark.parametrize(
    "couplings",
    [
        [-1e10, -1e10 - 1, -1e10 - 2],
        [-1.0, -1.0000000002, -1.0000000004],
        [-4.5e15, -4.5e15, -(9e15 + 1)],
        [-9e15, -(9e15 - 1), -9e15],
    ],
)
def test_no_degeneracy_is_proved_of_rounded_couplings(couplings):
    with pytest.raises(ModelError, match="common unit"):
        IsingModel([(0, 1), (1, 2), (0, 2)], couplings).degeneracy()


@pytest.mark.parametrize("unit", [1.0, 0.1, 1 / 3, 1e15, 7e-9, 0.1 * 3])
def test_degeneracy_of_multiples(unit):
    assert IsingModel([(0, 1), (1, 2), (0, 2)], -unit * np.ones(3)).degeneracy() == 6
    assert IsingModel([(0, 1), (1, 2), (0, 2)], -unit * np.array([1.0, 2.0, 3.0])).degeneracy() == 2


def test_decimal_numbers_are_multiples():
    assert IsingModel([(0, 1), (1, 2)], [0.1, 0.3]).degeneracy() == 2


@pytest.mark.parametrize(
    ("question", "message"),
    [
        (lambda m: m.sample(10**13), "draw them in parts"),
        (lambda m: m.sample(3, rng="a"), "rng must be a whole number"),
        (lambda m: m.sample(True), "whole number"),
        (lambda m: m.condition(None), "must be a mapping"),
        (lambda m: m.condition({"x1": np.array([1, 1])}), "give -1 or \\+1"),
        (lambda m: IsingModel([(0, 1)], [1j]), "must be real numbers"),
        (lambda m: IsingModel([(0, 1)], ["a"]), "must be real numbers"),
        (lambda m: IsingModel([(0, 1)], [1.7e308]), "overflow"),
        (lambda m: m.with_couplings([1e308, 1.0]), "overflow"),
        (lambda m: m.predict([["a", "b", "c"]]), "must be numbers"),
    ],
)
def test_wrong_arguments_are_refused_in_words(question, message):
    with pytest.raises(ModelError, match=message):
        question(IsingModel([(0, 1), (1, 2)], [0.5, -0.5]))


def test_entropy_needs_the_spins_with_fields_only(monkeypatch):
    from isingmap.inference.planar_solution import PlanarSolution

    model = IsingModel([(0, 1), (1, 2)], [0.5, -0.5], [0.3, 0.0, 0.0])
    expected = model.entropy()
    monkeypatch.setattr(PlanarSolution, "pair_correlations", None)
    again = IsingModel([(0, 1), (1, 2)], [0.5, -0.5], [0.3, 0.0, 0.0])
    assert again.entropy() == expected
    assert again.hessian_diagonal().shape == (3,)


def test_large_models_that_are_not_planar_are_still_refused():
    edges = list(itertools.combinations(range(30), 2))
    with pytest.raises(NonPlanarError):
        IsingModel(edges, np.zeros(len(edges))).log_partition(certified=True)


@pytest.mark.parametrize("value", [1e308, -1e300, np.nan, np.inf])
def test_a_number_that_is_none_is_named_with_its_ends(value):
    names = ["a", "b", "c"]
    with pytest.raises(ModelError, match=r"couplings\[1\] \(b - c\) is"):
        IsingModel([("a", "b"), ("c", "b")], [1e289, value], names=names)
    with pytest.raises(ModelError, match=r"fields\[2\] \(c\) is"):
        IsingModel([("a", "b")], [1.0], [0.0, 1e289, value], names=names)


@pytest.mark.parametrize("domain", ["spin", "boolean"])
def test_a_coefficient_that_is_too_large_is_named(tmp_path, domain):
    path = tmp_path / "m.coo"
    path.write_text("0 1 0.5\n1 2 -1e308\n")
    with pytest.raises(FileFormatError, match=r"the coefficient of 1 - 2 is -1e\+308; expected a finite number"):
        read_model_file(path, domain=domain)
