"""Models that are not planar, asked through `IsingModel`, against sums over all configurations."""

import copy
import pickle
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from isingmap import IsingModel
from isingmap.errors import PrecisionError
from isingmap.inference.proofs.table_proof import TableProof
from oracles import brute_force, grid_edges


def dense_model(seed, n_spins=9):
    rng = np.random.default_rng(seed)
    edges = [(i, j) for i in range(n_spins) for j in range(i) if rng.random() < 0.8]
    free = rng.random(n_spins) < 0.7
    fields = np.where(free, rng.normal(size=n_spins), 0.0)
    return IsingModel(edges, rng.normal(size=len(edges)), fields, free_fields=free)


@pytest.mark.parametrize("seed", range(8))
def test_every_question(seed):
    model = dense_model(seed)
    x, p, log_partition = brute_force(9, model.edges, model.couplings, model.fields)
    assert model.method == "elimination"
    assert model.log_partition() == pytest.approx(log_partition, rel=1e-14)
    assert log_partition == pytest.approx(model.log_partition(certified=True).midpoint, rel=1e-14)
    assert model.entropy() == pytest.approx(-(p @ np.log(p)), rel=1e-12)
    close = {"rtol": 0, "atol": 1e-12}
    np.testing.assert_allclose(model.log_probability(x), np.log(p), **close)
    features = np.hstack([x[:, model.edges[:, 0]] * x[:, model.edges[:, 1]], x[:, model.free_fields]])
    centred = features - p @ features
    hessian = centred.T @ (p[:, None] * centred)
    np.testing.assert_allclose(model.moments(), p @ features[:, : model.n_edges], **close)
    np.testing.assert_allclose(model.magnetizations(), p @ x, **close)
    np.testing.assert_allclose(model.hessian(), hessian, **close)
    np.testing.assert_allclose(model.hessian_diagonal(), np.diag(hessian), **close)
    np.testing.assert_allclose(model.correlations(), x.T @ (p[:, None] * x), **close)
    lower, upper = model.certified_moments()
    assert ((lower - 1e-13 <= p @ features) & (p @ features <= upper + 1e-13)).all()
    assert -model.ground_state().energy == pytest.approx(model.log_weight(x).max(), rel=1e-14)
    other = dense_model(seed + 100)
    q = np.exp(other.log_probability(x))
    assert model.kl_divergence(other) == pytest.approx(p @ np.log(p / q), rel=1e-10)


def test_ground_states_are_counted():
    rng = np.random.default_rng(2)
    model = IsingModel(grid_edges(4, 4), rng.choice([-1, 1], 24), rng.choice([-1, 1], 16))
    x, _, _ = brute_force(16, model.edges, model.couplings, model.fields)
    weight = model.log_weight(x)
    assert model.method == "elimination"
    assert model.degeneracy() == (weight == weight.max()).sum()


def test_nothing_that_is_handed_out_can_change_a_model():
    model = dense_model(0)
    for ask in (IsingModel.moments, IsingModel.magnetizations, IsingModel.hessian, IsingModel.correlations):
        first = ask(model)
        expected = first.copy()
        first[:] = 7.0
        np.testing.assert_array_equal(ask(model), expected)


def test_copies_and_relatives_answer_alike():
    model = dense_model(1)
    relative = model.with_couplings(model.couplings)
    assert relative.planned is model.planned
    for other in (pickle.loads(pickle.dumps(model)), copy.deepcopy(model), relative):
        np.testing.assert_array_equal(other.moments(), model.moments())
        np.testing.assert_array_equal(other.sample(5, rng=3), model.sample(5, rng=3))


def test_threads_get_equal_answers():
    rng = np.random.default_rng(0)
    model = IsingModel(grid_edges(10, 10), rng.normal(size=180), rng.normal(size=100))
    expected = model.with_couplings(model.couplings).moments()
    with ThreadPoolExecutor(4) as pool:
        for moments in pool.map(lambda _: model.moments(), range(8)):
            np.testing.assert_array_equal(moments, expected)


def frustrated(scale, n_spins):
    """A ring of equal couplings that cannot all be satisfied, beside a small graph that is not planar."""
    dense = [(i, j) for i in range(6) for j in range(i)]
    ring = [(6 + k, 6 + (k + 1) % 5) for k in range(5)]
    couplings = np.append(np.full(15, 0.2), scale * np.array([1.0, 1.0, 1.0, 1.0, -1.0]))
    return IsingModel(dense + ring, couplings, n_spins=n_spins), IsingModel(dense, couplings[:15])


@pytest.mark.parametrize("scale", [1e3, 1e9, 1e20])
def test_small_couplings_beside_huge_ones_are_not_lost(scale):
    model, small = frustrated(scale, 11)
    assert model.method == ("elimination" if scale == 1e3 else "enumeration")
    # Ten ground states of the ring.
    assert model.entropy() == pytest.approx(small.entropy() + np.log(10), rel=1e-11)
    np.testing.assert_allclose(model.moments()[:15], small.moments(), rtol=0, atol=1e-12)
    expected = small.log_probability(np.ones((1, 6)))[0] - np.log(10)
    assert model.log_probability(np.ones((1, 11)))[0] == pytest.approx(expected, rel=1e-11)


def test_what_elimination_would_lose_is_refused():
    model, _ = frustrated(1e12, 25)
    with pytest.raises(PrecisionError, match="rounding can change an answer"):
        model.log_partition()
    assert model.ground_state().certified
    assert frustrated(1e3, 25)[0].method == "elimination"


@pytest.mark.parametrize("scale", [1.0, 1e9, 1e30])
def test_differences_in_balls_over_tables(scale):
    model, small = frustrated(scale, 11)
    proof = TableProof(model.planned.graph, model.planned.clique_tree, model._strengths)
    assert proof.log_partition_above() == pytest.approx(model.entropy(), rel=1e-11)
    up = np.ones(model.n_edges)
    assert proof.log_partition_above(up) == pytest.approx(-model.log_probability(np.ones((1, 11)))[0], rel=1e-11)
