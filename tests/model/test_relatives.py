"""Models on one graph share its plan; copies and pickles are those of the five fields."""

import copy
import pickle

import numpy as np
import pytest

from isingmap import IsingModel
from isingmap.errors import ModelError, NonPlanarError
from isingmap.inference import planned_graph
from oracles import grid_edges, random_planar_edges

FIELDS = ("edges", "couplings", "fields", "free_fields")


def small_model(seed=0, n_spins=9):
    rng = np.random.default_rng(seed)
    edges = random_planar_edges(rng, n_spins, 0.8)
    fields = np.zeros(n_spins)
    fields[2] = 0.4
    return IsingModel(edges, rng.normal(size=len(edges)), fields, names=[f"s{k}" for k in range(n_spins)])


@pytest.fixture
def plans(monkeypatch):
    """The arguments of every planning."""
    calls = []
    original = planned_graph.triangulated

    def counted(*arguments, **options):
        calls.append(arguments)
        return original(*arguments, **options)

    monkeypatch.setattr(planned_graph, "triangulated", counted)
    return calls


def test_relatives_are_planned_once_whoever_asks_first(plans):
    model = small_model()
    first, second = (model.with_couplings(scale * model.couplings) for scale in (0.5, 2.0))
    second.moments()
    grandchild = first.with_couplings(first.couplings + 0.1, first.fields * 3)
    for relative in (first, model, grandchild):
        relative.hessian()
        relative.log_partition(certified=True)
        relative.ground_state()
    assert len(plans) == 1


def test_a_relative_answers_as_a_model_made_anew():
    model = small_model()
    rng = np.random.default_rng(1)
    couplings, fields = rng.normal(size=model.n_edges), rng.normal(size=model.n_spins) * model.free_fields
    model.moments()
    relative = model.with_couplings(couplings, fields)
    anew = IsingModel(model.edges, couplings, fields, names=model.names, free_fields=model.free_fields)
    for ask in (IsingModel.moments, IsingModel.magnetizations, IsingModel.hessian, IsingModel.correlations):
        assert ask(relative).tobytes() == ask(anew).tobytes()
    assert relative.log_partition() == anew.log_partition()
    assert relative.sample(3, rng=0).tobytes() == anew.sample(3, rng=0).tobytes()
    assert relative.names == model.names
    assert not relative.couplings.flags.writeable
    assert couplings.flags.writeable  # the caller's array is left alone


def test_fields_stay_when_left_out_and_a_free_field_may_vanish():
    model = small_model()
    same = model.with_couplings(np.zeros(model.n_edges))
    np.testing.assert_array_equal(same.fields, model.fields)
    without = model.with_couplings(model.couplings, np.zeros(model.n_spins))
    assert without.n_parameters == model.n_parameters
    assert without.hessian().shape == model.hessian().shape


def test_wrong_numbers_are_refused():
    model = small_model()
    with pytest.raises(ModelError, match="couplings must have shape"):
        model.with_couplings(model.couplings[1:])
    with pytest.raises(ModelError, match="must be finite"):
        model.with_couplings(model.couplings * np.nan)
    with pytest.raises(ModelError, match="the field of s0 is not free"):
        model.with_couplings(model.couplings, np.ones(model.n_spins))


def test_a_graph_that_is_not_planar_is_looked_at_once(plans):
    edges = [(i, j) for i in range(30) for j in range(i)]
    model = IsingModel(edges, np.ones(435), n_spins=40)
    for relative in (model, model.with_couplings(np.zeros(435))):
        for ask in (IsingModel.log_partition, IsingModel.ground_state, IsingModel.certified_moments):
            with pytest.raises(NonPlanarError):
                ask(relative)
    assert len(plans) == 3  # of the whole, of the spins without an edge, and of the others


def duplicates(model):
    return pickle.loads(pickle.dumps(model)), copy.deepcopy(model), copy.copy(model)


def test_copies_are_equal_and_read_only():
    model = small_model()
    model.hessian()
    for again in duplicates(model):
        assert again.names == model.names
        for name in FIELDS:
            assert getattr(again, name).tobytes() == getattr(model, name).tobytes()
            assert not getattr(again, name).flags.writeable
        assert again.hessian().tobytes() == model.hessian().tobytes()


def test_nothing_computed_is_pickled():
    edges = grid_edges(10, 10)
    model = IsingModel(edges, np.full(len(edges), 0.3))
    before = len(pickle.dumps(model))
    model.hessian()
    model.ground_state()
    model.correlations()
    relative = model.with_couplings(0.5 * model.couplings)
    relative.moments()
    assert len(pickle.dumps(model)) == before
    assert len(pickle.dumps(relative)) == before
    assert before < 5000 + 16 * edges.size + 8 * len(edges)
