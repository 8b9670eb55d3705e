"""Everything that can be asked given some observed spins, against sums over all configurations."""

import numpy as np
import pytest

from isingmap import IsingModel
from isingmap.errors import ModelError
from isingmap.model import evidence
from oracles import brute_force, grid_edges, random_planar_edges

TIGHT = {"rtol": 0, "atol": 1e-10}


def any_model(seed, n_spins=8):
    """Planar or not, with fields on all, some or none."""
    rng = np.random.default_rng(seed)
    edges = random_planar_edges(rng, n_spins, 0.8)
    if seed % 2:
        edges = np.array([(i, j) for i in range(n_spins) for j in range(i) if rng.random() < 0.7])
    fields = rng.normal(size=n_spins) * (rng.random(n_spins) < rng.choice([0.0, 0.5, 1.0]))
    return IsingModel(edges, rng.normal(size=len(edges)), fields, names=[f"s{k}" for k in range(n_spins)])


def conditional(model, row):
    """Configurations that agree with the observed cells (not 0) of a row, and their probabilities."""
    x, p, _ = brute_force(model.n_spins, model.edges, model.couplings, model.fields)
    matches = ((row == 0) | (x == row)).all(axis=1)
    return x[matches], p[matches] / p[matches].sum()


@pytest.mark.parametrize("seed", range(30))
def test_expected_statistics_of_every_pattern(seed):
    model = any_model(seed)
    rng = np.random.default_rng(seed)
    rows = rng.choice([-1.0, 1.0], size=(12, 8))
    rows[rng.random(rows.shape) < rng.random((12, 1))] = np.nan
    rows[0], rows[1] = np.nan, [1, -1, 1, 1, -1, 1, 1, 1]
    rows[11] = rows[10]
    found = model.expected_statistics(rows)
    assert found.moments.shape == (12, model.n_edges)
    assert found.magnetizations.shape == (12, 8)
    for row, moments, means in zip(np.nan_to_num(rows), *found, strict=True):
        x, p = conditional(model, row)
        np.testing.assert_allclose(means, p @ x, **TIGHT)
        np.testing.assert_allclose(moments, p @ (x[:, model.edges[:, 0]] * x[:, model.edges[:, 1]]), **TIGHT)


@pytest.mark.parametrize("seed", range(30))
def test_predictions_of_every_pattern(seed):
    model = any_model(seed)
    rng = np.random.default_rng(seed)
    rows = rng.choice([-1, 1], size=(6, 8))
    rows[rng.random(rows.shape) < rng.random((6, 1))] = 0
    rows[0], rows[1] = 0, -1
    for row, chance in zip(rows, model.predict(np.where(rows == 0, np.nan, rows)), strict=True):
        for k in range(8):
            others = row.copy()
            others[k] = 0
            x, p = conditional(model, others)
            assert chance[k] == pytest.approx(p[x[:, k] == 1].sum(), abs=1e-10)


@pytest.mark.parametrize("seed", range(20))
def test_questions_given_evidence(seed):
    model = any_model(seed)
    rng = np.random.default_rng(seed)
    row = np.zeros(8)
    observed = rng.permutation(8)[: rng.integers(1, 7)]
    row[observed] = rng.choice([-1, 1], observed.size)
    given = {f"s{k}": int(row[k]) for k in observed}
    x, p = conditional(model, row)
    pairs = np.array([(i, j) for i in range(8) for j in range(8) if i != j])
    tables = model.pair_marginals(pairs, given=given)
    for (i, j), table in zip(pairs.tolist(), tables, strict=True):
        for a, u in enumerate((-1, 1)):
            for b, v in enumerate((-1, 1)):
                assert table[a, b] == pytest.approx(p[(x[:, i] == u) & (x[:, j] == v)].sum(), abs=1e-10)
    best = model.ground_state(given=given)
    assert best.spins.dtype == np.int8
    assert (best.spins[observed] == row[observed]).all()
    assert -best.energy == pytest.approx(model.log_weight(x).max(), rel=1e-13)
    assert -best.energy == pytest.approx(model.log_weight(best.spins)[0], rel=1e-13)
    drawn = model.sample(20_000, rng=1, given=given)
    assert drawn.shape == (20_000, 8) and drawn.dtype == np.int8
    assert (drawn[:, observed] == row[observed]).all()
    assert np.abs(drawn.mean(axis=0) - p @ x).max() < 0.04
    np.testing.assert_array_equal(drawn, model.sample(20_000, rng=1, given=given))


def test_no_evidence_is_no_condition():
    model = any_model(2)
    pairs = [("s0", "s1")]
    np.testing.assert_array_equal(model.sample(5, rng=0, given={}), model.sample(5, rng=0))
    np.testing.assert_array_equal(model.ground_state(given={}).spins, model.ground_state().spins)
    np.testing.assert_array_equal(model.pair_marginals(pairs, given={}), model.pair_marginals(pairs))


def test_wrong_evidence_is_refused_everywhere():
    model = any_model(2)
    everything = {name: 1 for name in model.names}
    for ask in (
        lambda given: model.sample(5, given=given),
        lambda given: model.ground_state(given=given),
        lambda given: model.pair_marginals([(0, 1)], given=given),
    ):
        with pytest.raises(ModelError, match="'zz', which is no spin"):
            ask({"zz": 1})
        with pytest.raises(ModelError, match="evidence for s1 is 0"):
            ask({"s1": 0})
        with pytest.raises(ModelError, match="covers every spin"):
            ask(everything)
    with pytest.raises(ModelError, match="0/1 data"):
        model.expected_statistics(np.array([[0, 1, 1, 0, 1, 1, 0, 1]]))
    with pytest.raises(ModelError, match=r"shape \(n_samples, 8\)"):
        model.expected_statistics(np.ones((2, 3)))


def test_a_part_is_planned_once_and_equal_rows_are_solved_once(monkeypatch):
    n = 36
    model = IsingModel(grid_edges(6, 6), np.random.default_rng(0).normal(size=60), np.ones(n))
    rows = np.random.default_rng(1).choice([-1.0, 1.0], size=(40, n))
    rows[:, :20] = np.nan
    rows[20:] = rows[:20]
    planned, solved = [], []
    induced, answer = IsingModel.induced, IsingModel.magnetizations
    monkeypatch.setattr(IsingModel, "induced", lambda self, *a: planned.append(1) or induced(self, *a))
    monkeypatch.setattr(IsingModel, "magnetizations", lambda self: solved.append(1) or answer(self))
    found = model.expected_statistics(rows)
    np.testing.assert_array_equal(found.moments[:20], found.moments[20:])
    assert len(planned) == 1
    assert len(solved) == len(np.unique(rows[:20, 20:26], axis=0))  # the cells beside the part


def test_a_grid_with_fields_and_gaps_is_answered_at_any_pattern():
    """Neither planar with its fields nor small; what is missing is narrow."""
    rng = np.random.default_rng(0)
    model = IsingModel(grid_edges(12, 12), rng.normal(size=264), rng.normal(size=144))
    rows = rng.choice([-1.0, 1.0], size=(3, 144))
    rows[0, rng.random(144) < 0.5] = np.nan
    rows[1] = np.nan
    chance = model.predict(rows)
    np.testing.assert_allclose(chance[1], (1 + model.magnetizations()) / 2, rtol=0, atol=1e-12)
    assert ((chance > 0) & (chance < 1)).all()
    k = int(np.flatnonzero(np.isnan(rows[0]))[0])
    seen = {name: int(v) for name, v in zip(model.names, rows[0], strict=True) if not np.isnan(v)}
    rest = model.condition(seen)
    assert chance[0, k] == pytest.approx((1 + rest.magnetizations()[rest.names.index(model.names[k])]) / 2, abs=1e-12)


def test_pulls_are_those_of_neighbours():
    model = IsingModel([(0, 1), (1, 2)], [0.5, -2.0], names=["a", "b", "c"])
    rows = np.array([[1.0, 0.0, 1.0], [0.0, -1.0, 0.0]])
    np.testing.assert_array_equal(evidence.pull(model, rows), [[0, -1.5, 0], [-0.5, 0, 2.0]])
