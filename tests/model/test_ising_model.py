"""IsingModel: exact answers with and without fields, its file, and what it says to bad input."""

import json
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from isingmap import IsingModel
from isingmap.errors import FileFormatError, ModelError, NonPlanarError, PrecisionError
from isingmap.inference import rungs
from isingmap.model.marginals import moments_from_marginals, pair_marginals
from isingmap.model.potentials import model_from_potentials, potentials_from_model
from oracles import brute_force, grid_edges, random_planar_edges, shared_file

pytestmark = pytest.mark.usefixtures("determinants")

TIGHT = {"rtol": 0, "atol": 1e-10}


def random_model(seed, n_spins, n_fields):
    """A planar model whose first spins have fields; with few fields the extended graph may still be planar."""
    rng = np.random.default_rng(seed)
    edges = random_planar_edges(rng, n_spins, rng.random())
    fields = np.zeros(n_spins)
    fields[:n_fields] = rng.normal(size=n_fields)
    return IsingModel(edges, rng.normal(size=len(edges)), fields, n_spins=n_spins)


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 2**32 - 1), st.integers(1, 10), st.integers(0, 10))
def test_all_answers_against_brute_force(seed, n_spins, n_fields):
    model = random_model(seed, n_spins, min(n_fields, n_spins))
    x, p, log_partition = brute_force(n_spins, model.edges, model.couplings, model.fields)
    np.testing.assert_allclose(model.log_partition(), log_partition, rtol=1e-12)
    np.testing.assert_allclose(model.magnetizations(), p @ x, **TIGHT)
    np.testing.assert_allclose(model.correlations(), x.T @ (p[:, None] * x), **TIGHT)
    np.testing.assert_allclose(model.moments(), model.correlations(model.edges), **TIGHT)
    np.testing.assert_allclose(model.log_probability(x), np.log(p), rtol=0, atol=1e-9)
    np.testing.assert_allclose(model.entropy(), -(p * np.log(p)).sum(), rtol=0, atol=1e-9)
    products = x[:, model.edges[:, 0]] * x[:, model.edges[:, 1]]
    features = np.hstack([products, x[:, model.free_fields]])
    if features.shape[1]:
        covariance = np.cov(features.T, aweights=p, ddof=0).reshape(features.shape[1], -1)
        np.testing.assert_allclose(model.hessian(), covariance, **TIGHT)


def test_both_engines_are_reached():
    triangle = [(0, 1), (1, 2), (0, 2)]
    assert IsingModel(triangle, [1, 1, 1], [0.1, 0.2, 0.3]).method == "planar"  # K4 with the auxiliary node
    k4 = [(i, j) for i in range(4) for j in range(i)]
    assert IsingModel(k4, [0.1] * 6, [0.1] * 4).method == "elimination"  # K5 with it


def test_edge_cases_of_size():
    assert IsingModel([], [], n_spins=1).log_partition() == pytest.approx(np.log(2))
    assert IsingModel([], [], [0.3]).log_partition() == pytest.approx(np.log(2 * np.cosh(0.3)))
    assert IsingModel([], [], n_spins=1).moments().shape == (0,)
    assert IsingModel([], [], n_spins=5).log_partition() == pytest.approx(5 * np.log(2))
    assert IsingModel([(1, 0)], [0.7]).log_partition() == pytest.approx(np.log(4 * np.cosh(0.7)))
    np.testing.assert_array_equal(IsingModel([(1, 0)], [0.7]).edges, [[0, 1]])


def test_a_field_may_be_free_and_zero():
    model = IsingModel([(0, 1)], [0.5], [0.0, 0.2], free_fields=[True, True])
    assert model.hessian().shape == (3, 3)
    assert IsingModel([(0, 1)], [0.5], [0.0, 0.2]).hessian().shape == (2, 2)


def test_names_serve_as_nodes():
    model = IsingModel([("b", "a"), ("b", "c")], [1.0, -1.0], names=["a", "b", "c"])
    assert model.edge_names == [("a", "b"), ("b", "c")]
    np.testing.assert_allclose(model.correlations([("a", "c")]), [-(np.tanh(1.0) ** 2)])


def test_arrays_are_read_only_and_the_callers_stay_his():
    couplings = np.array([1.0])
    model = IsingModel(np.array([[0, 1]]), couplings)
    couplings[0] = 5.0
    assert model.couplings[0] == 1.0
    with pytest.raises(ValueError, match="read-only"):
        model.couplings[0] = 2.0
    everything = model.correlations()
    everything[0, 1] = 9.0
    assert model.correlations()[0, 1] != 9.0


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (([(0, 1), (1, 0)], [1, 2]), "given more than once"),
        (([(0, 1)], [1, 2]), r"couplings must have shape \(1,\)"),
        (([(0, 1)], [np.inf]), r"couplings\[0\] \(x1 - x2\) is inf"),
        (([(0, 1)], [1], [0.0]), "numbered 0..0"),
        (([("a", "b")], [1]), "need names="),
        (([], []), "at least one spin"),
    ],
)
def test_bad_models_are_refused(arguments, message):
    with pytest.raises(ModelError, match=message):
        IsingModel(*arguments)


def test_bad_names_are_refused():
    with pytest.raises(ModelError, match="unique; repeated: a"):
        IsingModel([], [], names=["a", "a", "b"])
    with pytest.raises(ModelError, match="no variable .z.; its variables are a, b$"):
        IsingModel([("a", "z")], [1.0], names=["a", "b"])
    with pytest.raises(ModelError, match="2 names for n_spins=3"):
        IsingModel([], [], names=["a", "b"], n_spins=3)
    with pytest.raises(ModelError, match="field of b is not free"):
        IsingModel([], [], [0, 1.0], names=["a", "b"], free_fields=[False, False])


def test_bad_configurations_are_located():
    model = IsingModel([(0, 1)], [1.0], names=["a", "b"])
    with pytest.raises(ModelError, match="are not: 1, the first in row 2, column b: 0"):
        model.log_probability([[1, 1], [1, 0]])
    with pytest.raises(ModelError, match=r"shape \(n_samples, 2\)"):
        model.log_probability([[1, 1, 1]])


def test_non_planar_models_carry_the_reason():
    edges = [(i, j) for i in range(30) for j in range(i)]
    model = IsingModel(edges, [0.1] * 435, names=[f"s{k}" for k in range(30)])
    with pytest.raises(NonPlanarError, match="s0") as caught:
        model.log_partition()
    assert caught.value.kind in ("K5", "K3,3")
    message = str(caught.value)
    assert "tables of up to 30 spins, 8 GiB in all; 1 GiB are the limit" in message
    assert "Given the values of s0, s1, s2, s3 (model.condition in Python) the rest is narrow enough" in message
    model.condition({"s0": 1, "s1": 1, "s2": -1, "s3": 1}).planned.clique_tree  # noqa: B018 - the advice works
    torn = grid_edges(40, 40)
    with pytest.raises(NonPlanarError, match="outer-planar.* Without its fields the graph is planar"):
        IsingModel(torn, [0.1] * len(torn), [0.1] * 1600).log_partition()


def test_a_wrong_log_partition_is_never_returned(monkeypatch):
    with open(shared_file("reference/strong_coupling.json")) as stream:
        instance = next(i for i in json.load(stream) if i["L"] == 20 and i["scale"] == 50)
    monkeypatch.setattr(rungs, "RUNGS", (*rungs.SAMPLED, replace(rungs.BALLS, most_spins=399)))
    model = IsingModel(instance["edges"], instance["J"])
    with pytest.raises(PrecisionError, match="too strong for double precision") as caught:
        model.log_partition()
    assert caught.value.loss > 1e-9


def test_save_and_load(tmp_path):
    model = random_model(3, 8, 2)
    path = tmp_path / "model.json"
    model.save(path)
    again = IsingModel.load(path)
    for key in ("edges", "couplings", "fields", "free_fields"):
        np.testing.assert_array_equal(getattr(again, key), getattr(model, key))
    assert again.names == model.names
    assert [file.name for file in tmp_path.iterdir()] == ["model.json"]


def test_a_failed_save_keeps_the_good_file(tmp_path, monkeypatch):
    path = tmp_path / "model.json"
    random_model(3, 8, 2).save(path)
    before = path.read_bytes()
    monkeypatch.setattr("os.replace", lambda *_: (_ for _ in ()).throw(OSError("disk full")))
    with pytest.raises(OSError, match="disk full"):
        random_model(4, 8, 2).save(path)
    assert path.read_bytes() == before
    assert [file.name for file in tmp_path.iterdir()] == ["model.json"]


GOOD = {
    "format": "isingmap-model",
    "version": 1,
    "names": ["a", "b"],
    "edges": [[0, 1]],
    "couplings": [1.0],
    "fields": [0, 0],
    "free_fields": [False, False],
}


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"format": "pickle"}, "not an isingmap model"),
        ({"version": 99}, "version 99 of the format.*bqpjson"),
        ({"version": True}, "a whole number such as 1; got True .a truth value"),
        ({"names": "ab"}, 'list under "names"'),
        ({"names": ["a", 1]}, r"names\[1\] has the wrong type"),
        ({"edges": [[0, 1.5]]}, r"edges\[0\] must be two integers"),
        ({"edges": [[0, 7]]}, "there are 2 names"),
        ({"edges": [[0]]}, r"edges\[0\] must be two integers"),
        ({"couplings": [True]}, r"couplings\[0\] has the wrong type"),
        ({"couplings": ["x" * 500]}, r"wrong type: 'xxx.*\.\.\."),
        ({"fields": None}, 'list under "fields"'),
    ],
)
def test_hostile_files_are_refused(tmp_path, change, message):
    path = tmp_path / "model.json"
    path.write_text(json.dumps({**GOOD, **change}))
    with pytest.raises(FileFormatError, match=message):
        IsingModel.load(path)


@pytest.mark.parametrize("content", [b"", b"\xff\xfe", b"[1, 2", b"[" * 100_000, b"null"])
def test_files_that_are_no_models(tmp_path, content):
    path = tmp_path / "model.json"
    path.write_bytes(content)
    with pytest.raises(FileFormatError, match="model.json"):
        IsingModel.load(path)


@pytest.mark.parametrize("number", ["NaN", "Infinity", "1e999"])
def test_numbers_that_are_not_finite(tmp_path, number):
    path = tmp_path / "model.json"
    path.write_text(json.dumps(GOOD).replace("1.0", number))
    with pytest.raises(FileFormatError, match="finite"):
        IsingModel.load(path)


@pytest.mark.parametrize("seed", range(5))
def test_potentials_there_and_back(seed):
    rng = np.random.default_rng(seed)
    edges = np.array([(0, 1), (2, 1), (0, 3), (1, 3)])
    pair, unary = rng.normal(size=(4, 2, 2)), rng.normal(size=(4, 2))
    model, constant = model_from_potentials(edges, pair, unary)
    x, _, _ = brute_force(4, [], [])
    index = (x + 1) // 2
    log_weight = sum(pair[k][index[:, i], index[:, j]] for k, (i, j) in enumerate(edges.tolist()))
    log_weight = log_weight + sum(unary[i][index[:, i]] for i in range(4))
    log_partition = np.log(np.exp(log_weight).sum())
    np.testing.assert_allclose(model.log_partition() + constant, log_partition, rtol=1e-12)
    np.testing.assert_allclose(model.log_probability(x), log_weight - log_partition, rtol=0, atol=1e-12)
    again, none = model_from_potentials(model.edges, *potentials_from_model(model))
    np.testing.assert_allclose(again.couplings, model.couplings, rtol=1e-13)
    np.testing.assert_allclose(again.fields, model.fields, rtol=1e-13)
    assert none == pytest.approx(0.0, abs=1e-12)


def test_marginals_there_and_back():
    model = random_model(1, 6, 6)
    mean = model.magnetizations()
    first, second = mean[model.edges[:, 0]], mean[model.edges[:, 1]]
    tables = pair_marginals(model.moments(), first, second)
    assert (tables > 0).all()
    for ours, given_ in zip(moments_from_marginals(tables), (model.moments(), first, second), strict=True):
        np.testing.assert_allclose(ours, given_, **TIGHT)
    with pytest.raises(ModelError, match=r"marginals\[0\] is not a distribution"):
        moments_from_marginals(2 * tables)
