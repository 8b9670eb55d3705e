"""Conditioning, prediction of missing cells, pair marginals and divergence against brute force."""

import numpy as np
import pytest

from isingmap import IsingModel
from isingmap.errors import ModelError
from oracles import brute_force, random_planar_edges

TIGHT = {"rtol": 0, "atol": 1e-10}


def random_model(seed, n_spins=8):
    rng = np.random.default_rng(seed)
    edges = random_planar_edges(rng, n_spins, 0.8)
    fields = rng.normal(size=n_spins) * (rng.random(n_spins) < 0.5)
    return IsingModel(edges, rng.normal(size=len(edges)), fields, names=[f"s{k}" for k in range(n_spins)])


def table_of(model):
    return brute_force(model.n_spins, model.edges, model.couplings, model.fields)


@pytest.mark.parametrize("seed", range(10))
def test_conditioning(seed):
    model = random_model(seed)
    x, p, _ = table_of(model)
    evidence = {"s1": 1, "s4": -1, "s6": -1}
    matches = (x[:, 1] == 1) & (x[:, 4] == -1) & (x[:, 6] == -1)
    rest = model.condition(evidence)
    assert rest.names == ("s0", "s2", "s3", "s5", "s7")
    conditional = p[matches] / p[matches].sum()
    kept = x[matches][:, [0, 2, 3, 5, 7]]
    np.testing.assert_allclose(np.exp(rest.log_probability(kept)), conditional, **TIGHT)
    np.testing.assert_allclose(rest.magnetizations(), conditional @ kept, **TIGHT)


def test_impossible_or_wrong_evidence():
    model = random_model(0)
    with pytest.raises(ModelError, match="'zz', which is no spin"):
        model.condition({"zz": 1})
    with pytest.raises(ModelError, match="evidence for s1 is 0; give -1 or"):
        model.condition({"s1": 0})
    with pytest.raises(ModelError, match="covers every spin"):
        model.condition({name: 1 for name in model.names})


@pytest.mark.parametrize("seed", range(6))
def test_predictions(seed):
    model = random_model(seed)
    x, p, _ = table_of(model)
    rng = np.random.default_rng(seed)
    rows = rng.choice([-1, 1], size=(5, 8))
    rows[rng.random(rows.shape) < 0.3] = 0
    rows[0] = 1
    predicted = model.predict(rows)
    for row, probabilities in zip(rows, predicted, strict=True):
        for k in range(8):
            others = row.copy()
            others[k] = 0
            matches = ((others == 0) | (x == others)).all(axis=1)
            expected = p[matches & (x[:, k] == 1)].sum() / p[matches].sum()
            assert probabilities[k] == pytest.approx(expected, abs=1e-10)
    with pytest.raises(ModelError, match="0 for missing"):
        model.predict(rows + 0.5)


def test_pair_marginals_of_any_pair():
    model = random_model(3)
    x, p, _ = table_of(model)
    tables = model.pair_marginals([("s0", "s7"), ("s2", "s3")])
    for (i, j), table in zip([(0, 7), (2, 3)], tables, strict=True):
        for a, u in enumerate((-1, 1)):
            for b, v in enumerate((-1, 1)):
                assert table[a, b] == pytest.approx(p[(x[:, i] == u) & (x[:, j] == v)].sum(), abs=1e-12)
    with pytest.raises(ModelError, match="outside 0..7"):
        model.pair_marginals([(0, 8)])
    with pytest.raises(ModelError, match=r"shape \(k, 2\)"):
        model.correlations([0, 1, 2])


@pytest.mark.parametrize("seed", range(6))
def test_divergence(seed):
    model = random_model(seed)
    other = random_model(seed + 50)
    order = np.random.default_rng(seed).permutation(8)
    rank = np.argsort(order)
    shuffled = IsingModel(
        rank[other.edges], other.couplings, other.fields[order], names=[other.names[k] for k in order]
    )
    x, p, _ = table_of(model)
    q = np.exp(other.log_probability(x))
    assert model.kl_divergence(shuffled) == pytest.approx((p * np.log(p / q)).sum(), abs=1e-9)
    assert model.kl_divergence(model) == pytest.approx(0.0, abs=1e-10)
    with pytest.raises(ModelError, match="different spins: extra, s0"):
        model.kl_divergence(IsingModel([], [], names=["extra", *model.names[1:]]))


@pytest.mark.parametrize("seed", range(5))
def test_hessian_pieces_of_a_model(seed):
    model = random_model(seed)
    hessian = model.hessian()
    vector = np.random.default_rng(seed).normal(size=model.n_parameters)
    np.testing.assert_allclose(model.hessian_product(vector), hessian @ vector, **TIGHT)
    np.testing.assert_allclose(model.hessian_diagonal(), np.diagonal(hessian), **TIGHT)
    first, second = np.arange(model.n_parameters), np.zeros(model.n_parameters, int)
    np.testing.assert_allclose(model.hessian_entries(first, second), hessian[:, 0], **TIGHT)
