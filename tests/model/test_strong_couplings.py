"""Right at any coupling strength: references, limits of low temperature, and proofs."""

import csv
import itertools
import json

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import binom

from isingmap import IsingModel
from isingmap.errors import ModelError, PrecisionError
from isingmap.inference.rungs import DOUBLES, best_in_doubles, zero_field_ladder
from isingmap.inference.zero_field.plan import plan
from oracles import brute_force, grid_edges, random_planar_edges, shared_file

pytestmark = pytest.mark.usefixtures("determinants")


def strong_instances():
    with open(shared_file("reference/strong_coupling.json")) as stream:
        return json.load(stream)


def glass(name):
    table = np.loadtxt(shared_file(f"spin_glass/planar_free/{name}.csv"), delimiter=",", skiprows=1)
    return table[:, :2].astype(int), table[:, 2]


def test_all_reference_instances():
    instances = strong_instances()
    assert len(instances) == 20
    for instance in instances:
        model = IsingModel(instance["edges"], instance["J"])
        assert model.log_partition() == pytest.approx(float(instance["logZ_transfer"]), rel=1e-12)
        if instance.get("moments_tree") is not None:
            np.testing.assert_allclose(model.moments(), instance["moments_tree"], rtol=0, atol=1e-9)
        state = model.ground_state()
        assert state.certified
        assert -state.energy == pytest.approx(float(instance["map_energy_transfer"]), rel=1e-12)


@pytest.mark.parametrize("name", ["t2g10_5555_free_pmj", "t2g15_6666_free_pmj"])
def test_low_temperature_limit_of_a_glass(name):
    edges, couplings = glass(name)
    energy = IsingModel(edges, couplings).ground_state().energy
    count = IsingModel(edges, couplings).degeneracy()
    values = []
    betas = [1.0, 2.0, 5.0, 10.0, 20.0, 50.0]
    for beta in betas:
        model = IsingModel(edges, beta * couplings)
        assert (np.abs(model.moments()) <= 1).all()
        values.append(model.log_partition())
    slopes = np.diff(values) / np.diff(betas)
    assert (np.diff(slopes) >= -1e-9).all()  # convex in beta
    assert values[-1] + 50 * energy == pytest.approx(np.log(count), abs=1e-9)
    assert all(v + b * energy >= np.log(count) - 1e-9 for v, b in zip(values, betas, strict=True))


def test_ground_energies_of_the_published_glasses():
    with open(shared_file("spin_glass/planar_free/reference.csv")) as stream:
        rows = list(csv.DictReader(stream))
    for row in rows:
        edges, couplings = glass(row["instance"])
        state = IsingModel(edges, couplings).ground_state()
        assert state.certified
        assert state.energy == pytest.approx(float(row["ground_energy"]), rel=1e-12)


@pytest.mark.parametrize("seed", range(6))
def test_ground_state_and_degeneracy_with_fields(seed):
    rng = np.random.default_rng(seed)
    edges = [(k, (k + 1) % 8) for k in range(8)] + [(0, 2), (2, 5)]
    model = IsingModel(edges, rng.choice([-2, -1, 0, 1], 10), rng.choice([-1.0, 0.0, 1.0], 8))
    x, _, _ = brute_force(8, [], [])
    weights = model.log_weight(x)
    state = model.ground_state()
    assert -state.energy == pytest.approx(weights.max())
    assert model.log_weight(state.spins) == pytest.approx(weights.max())
    assert model.degeneracy() == int((weights >= weights.max() - 1e-9).sum())


def test_certified_answers_enclose_the_doubles():
    rng = np.random.default_rng(1)
    edges = random_planar_edges(rng, 9)
    model = IsingModel(edges, rng.normal(size=len(edges)), n_spins=9)
    interval = model.log_partition(certified=True)
    assert interval.lower - 1e-13 <= model.log_partition() <= interval.upper + 1e-13
    assert interval.width < 1e-12
    lower, upper = model.certified_moments()
    assert (lower <= upper).all()
    np.testing.assert_allclose(0.5 * (lower + upper), model.moments(), rtol=0, atol=1e-12)
    fielded = IsingModel([(0, 1), (1, 2)], [1.0, -0.5], [0.3, 0.0, 0.2])
    _, _, exact = brute_force(3, fielded.edges, fielded.couplings, fielded.fields)
    interval = fielded.log_partition(certified=True)
    assert interval.lower <= exact <= interval.upper


def test_samples_where_doubles_fail():
    """Against moments in balls, by the exact binomial law: nearly all edges are settled there."""
    instance = next(i for i in strong_instances() if i["L"] == 20 and i["scale"] == 50)
    model = IsingModel(instance["edges"], instance["J"])
    samples = model.sample(500, rng=0)
    agreeing = (samples[:, model.edges[:, 0]] == samples[:, model.edges[:, 1]]).sum(axis=0)
    probability = 0.5 * (1 + model.moments())
    tail = np.minimum(binom.cdf(agreeing, 500, probability), binom.sf(agreeing - 1, 500, probability))
    assert tail.min() > 1e-4 / len(model.edges)


def test_gaussian_ground_states_are_not_counted():
    rng = np.random.default_rng(0)
    edges = grid_edges(4, 4)
    with pytest.raises(ModelError, match="unit"):
        IsingModel(edges, rng.normal(size=len(edges))).degeneracy()


def test_tiny_couplings():
    edges = grid_edges(5, 5)
    model = IsingModel(edges, np.full(len(edges), 1e-12))
    assert model.log_partition() == pytest.approx(25 * np.log(2), rel=1e-15)
    np.testing.assert_allclose(model.moments(), 1e-12, rtol=1e-3)


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 2**32 - 1), st.integers(2, 10), st.sampled_from([1e-12, 1e-3, 5.0, 20.0, 50.0]))
def test_any_strength_against_brute_force(seed, n_spins, scale):
    rng = np.random.default_rng(seed)
    edges = random_planar_edges(rng, n_spins, rng.random())
    fields = scale * rng.normal(size=n_spins) * (np.arange(n_spins) < 2)
    model = IsingModel(edges, scale * rng.normal(size=len(edges)), fields, n_spins=n_spins)
    x, p, log_partition = brute_force(n_spins, model.edges, model.couplings, model.fields)
    assert model.log_partition() == pytest.approx(log_partition, rel=1e-12)
    np.testing.assert_allclose(model.correlations(), x.T @ (p[:, None] * x), rtol=0, atol=2e-9)
    np.testing.assert_allclose(model.magnetizations(), p @ x, rtol=0, atol=2e-9)


def test_overflowing_blocks_are_a_loss_and_no_crash():
    """Large blocks go to LAPACK, which refuses infinities."""
    edges = grid_edges(50, 50)
    signs = np.random.default_rng(0).choice([-1.0, 1.0], len(edges))
    ladder = zero_field_ladder(plan(2500, edges), 50 * signs)
    assert not ladder.rung(DOUBLES).loss <= 1.0
    assert not best_in_doubles(ladder).loss <= 1.0


# --- what cancels: log Z and log-weights are as large as the couplings, their differences are not --------------

HUGE = [1e8, 1e10, 1e11, 1e12, 1e15, 1e30, 1e280]


def path_with(strong, weak=0.3, field=0.0):
    """A pair that always agrees, and one more spin: what is exact of the smaller model is exact of this one."""
    fields = None if not field else [0.0, 0.0, field]
    return IsingModel([(0, 1), (1, 2)], [strong, weak], fields)


@pytest.mark.parametrize("strong", HUGE)
@pytest.mark.parametrize("field", [0.0, 0.7])
def test_entropy_and_probabilities_beside_a_huge_coupling(strong, field):
    model = path_with(strong, field=field)
    pair = IsingModel([(0, 1)], [0.3], [0.0, field] if field else None)
    assert model.entropy() == pytest.approx(pair.entropy(), abs=1e-11)
    spins = np.array([[1, 1, 1], [1, 1, -1], [-1, -1, -1], [1, -1, 1]])
    found = model.log_probability(spins)
    np.testing.assert_allclose(found[:3], pair.log_probability(spins[:3, 1:]), rtol=0, atol=1e-11)
    assert found[3] == pytest.approx(-2 * strong, rel=1e-7)


@pytest.mark.parametrize("strong", HUGE)
def test_an_enumeration_beside_huge_couplings_that_frustrate_each_other(strong):
    """K5 with huge couplings of both signs among four spins: ties that only exact sums tell from each other."""
    edges = list(itertools.combinations(range(5), 2))
    couplings = np.array([strong, strong, strong, 0.3, -strong, strong, 0.2, strong, 0.1, -0.4])
    model = IsingModel(edges, couplings)
    x = np.array(list(itertools.product([-1, 1], repeat=5)))
    huge = (x[:, [0, 0, 0, 1, 1, 2]] * x[:, [1, 2, 3, 2, 3, 3]]) @ np.array([1, 1, 1, -1, 1, 1])
    kept = x[huge == huge.max()]
    log_weight = (kept[:, [0, 1, 2, 3]] * kept[:, [4]]) @ np.array([0.3, 0.2, 0.1, -0.4])
    p = np.exp(log_weight) / np.exp(log_weight).sum()
    assert len(p) > 2 and not model.planned.is_planar
    assert model.entropy() == pytest.approx(-(p * np.log(p)).sum(), abs=1e-11)
    np.testing.assert_allclose(model.log_probability(kept), np.log(p), rtol=0, atol=1e-11)
    np.testing.assert_allclose(model.moments()[3], p @ (kept[:, 0] * kept[:, 4]), rtol=0, atol=1e-12)


@pytest.mark.parametrize("strong", [1e8, 1e12, 1e280])
def test_small_planar_models_whose_huge_couplings_frustrate_each_other(strong):
    """A triangle of which one edge is never satisfied, and a pendant: each of six states, times two of the pendant."""
    model = IsingModel([(0, 1), (1, 2), (0, 2), (2, 3)], [strong, strong, -strong, 0.3])
    p = (1 + np.tanh(0.3)) / 2
    assert model.planned.is_planar and model.method == "enumeration"
    assert model.log_partition() == pytest.approx(strong + np.log(6 * 2 * np.cosh(0.3)), rel=1e-15)
    np.testing.assert_allclose(model.moments(), [1 / 3, 1 / 3, -1 / 3, np.tanh(0.3)], rtol=0, atol=1e-14)
    np.testing.assert_allclose(model.correlations([(0, 3)]), np.tanh(0.3) / -3, rtol=0, atol=1e-14)
    assert model.entropy() == pytest.approx(np.log(6) - p * np.log(p) - (1 - p) * np.log(1 - p), abs=1e-13)
    assert model.log_probability([[1, 1, 1, 1]])[0] == pytest.approx(np.log(p / 6), abs=1e-13)
    samples = model.sample(6000, rng=0).astype(float)
    np.testing.assert_allclose(samples[:, :3].T @ samples[:, :3] / 6000, model.correlations()[:3, :3], atol=0.06)
    assert (samples[:, 0] * samples[:, 1] + samples[:, 1] * samples[:, 2] - samples[:, 0] * samples[:, 2] == 1).all()
    interval = model.log_partition(certified=True)
    assert model.log_partition() in interval and interval.width <= 4 * np.spacing(strong)
    lower, upper = model.certified_moments()
    assert (lower <= model.moments() + 1e-15).all() and (model.moments() - 1e-15 <= upper).all()
    assert (upper - lower).max() < 1e-14


@pytest.mark.parametrize("strong", HUGE)
def test_log_weights_and_predictions_round_once(strong):
    model = IsingModel([(0, 1), (0, 2), (0, 3)], [strong, -strong, 0.3])
    assert model.log_weight([[1, 1, 1, 1], [1, 1, 1, -1]]).tolist() == [0.3, -0.3]
    assert model.predict([[1, 1, 1, 1]])[0, 0] == pytest.approx((1 + np.tanh(0.3)) / 2, abs=1e-12)
    assert model.condition({"x2": 1, "x3": 1}).fields.tolist() == [0.0, 0.0]


@pytest.mark.parametrize("strong", HUGE)
def test_what_is_lost_is_refused(strong):
    with pytest.raises(PrecisionError, match=r"the divergence is lost in rounding.*ground_state\(\)"):
        path_with(strong).kl_divergence(path_with(strong, 0.5))


def test_a_model_too_large_for_balls_refuses_an_entropy_that_is_lost(monkeypatch):
    monkeypatch.setattr("isingmap.inference.cancelling.MOST_SPINS_IN_BALLS", 2)
    with pytest.raises(PrecisionError, match="the entropy is lost"):
        path_with(1e12).entropy()
    with pytest.raises(PrecisionError, match="a log-probability is lost"):
        path_with(1e12).log_probability([[1, 1, 1]])
    assert path_with(1e7).entropy() == pytest.approx(path_with(1e3).entropy(), abs=1e-8)


def test_questions_that_every_rung_refuses_are_enumerated(monkeypatch):
    """Weak couplings on a cycle of huge ones can leave log Z good and refuse what is read off along paths."""

    def refuse(*arguments, **settings):
        raise PrecisionError("no", loss=1.0)

    monkeypatch.setattr("isingmap.inference.precision.Ladder.ask", refuse)
    monkeypatch.setattr("isingmap.inference.planar_solution.samples_at_any_strength", refuse)
    edges, couplings = [(0, 1), (1, 2), (2, 3)], np.array([0.5, -0.3, 0.8])
    model = IsingModel(edges, couplings, [0.0, 0.4, 0.0, 0.0])
    x, p, _ = brute_force(4, edges, couplings, [0.0, 0.4, 0.0, 0.0])
    np.testing.assert_allclose(model.magnetizations(), p @ x, rtol=0, atol=1e-12)
    np.testing.assert_allclose(model.correlations(), x.T @ (p[:, None] * x), rtol=0, atol=1e-12)
    np.testing.assert_allclose(model.correlations([(0, 3)]), p @ (x[:, 0] * x[:, 3]), atol=1e-12)
    features = np.column_stack([x[:, 0] * x[:, 1], x[:, 1] * x[:, 2], x[:, 2] * x[:, 3], x[:, 1]])
    np.testing.assert_allclose(model.hessian(), np.cov(features.T, aweights=p, ddof=0), rtol=0, atol=1e-12)
    assert np.abs(model.sample(4000, rng=0).mean(axis=0) - p @ x).max() < 0.06
    with pytest.raises(PrecisionError):
        IsingModel([(i, i + 1) for i in range(29)], np.ones(29)).hessian()
