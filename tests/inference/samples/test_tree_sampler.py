"""Exact samples: frequencies, energies, long-range correlations, and a control that must fail."""

import numpy as np
import pytest
from scipy.stats import chi2

from isingmap import IsingModel
from isingmap.errors import ModelError, PrecisionError
from isingmap.inference.samples import joined_spins
from isingmap.inference.samples.tree_sampler import exact_samples
from oracles import brute_force, grid_edges, random_planar_edges

pytestmark = pytest.mark.usefixtures("determinants")


def frequency_p_value(model, samples):
    """Chi-square p-value of configuration counts against the exact distribution, rare configurations pooled."""
    x, p, _ = brute_force(model.n_spins, model.edges, model.couplings, model.fields)
    code = 2 ** np.arange(model.n_spins)
    counts = np.bincount(((samples + 1) // 2) @ code, minlength=len(p))[((x + 1) // 2) @ code]
    expected = len(samples) * p
    common = expected >= 10
    if common.sum() < 2:
        return 1.0
    observed = np.append(counts[common], counts[~common].sum())
    wanted = np.append(expected[common], expected[~common].sum() + 1e-300)
    kept = wanted > 5
    statistic = ((observed - wanted)[kept] ** 2 / wanted[kept]).sum()
    return chi2.sf(statistic, max(kept.sum() - 1, 1))


def z_scores(model, samples):
    """Standardised deviations of all pair products and means from the exact ones."""
    n = len(samples)
    x = samples.astype(float)
    exact, mean = model.correlations(), model.magnetizations()
    pairs = np.triu_indices(model.n_spins, 1)
    z_pairs = (x.T @ x / n - exact)[pairs] / np.sqrt((1 - exact[pairs] ** 2) / n + 1e-12)
    z_means = (x.mean(axis=0) - mean) / np.sqrt((1 - mean**2) / n + 1e-12)
    return np.concatenate([z_pairs, z_means])


@pytest.mark.parametrize("seed", range(16))
def test_frequencies_of_configurations(seed):
    rng = np.random.default_rng(seed)
    n_spins = int(rng.integers(1, 10))
    edges = random_planar_edges(rng, n_spins, rng.uniform(0.3, 1))
    fields = rng.normal(size=n_spins) * (np.arange(n_spins) < seed % 3)
    model = IsingModel(edges, rng.choice([0.3, 1.0, 2.5]) * rng.normal(size=len(edges)), fields, n_spins=n_spins)
    samples = model.sample(20_000, rng=seed)
    assert samples.dtype == np.int8
    assert frequency_p_value(model, samples) > 1e-4


def test_negative_control():
    """The same harness rejects samples of a slightly different model."""
    rng = np.random.default_rng(0)
    edges = random_planar_edges(rng, 8)
    couplings = rng.normal(size=len(edges))
    model = IsingModel(edges, couplings)
    wrong = IsingModel(edges, couplings + 0.05)
    samples = wrong.sample(20_000, rng=1)
    assert frequency_p_value(model, samples) < 1e-6
    assert np.abs(z_scores(model, samples)).max() > 5


@pytest.mark.parametrize("beta", [0.2, 0.44, 1.0])
def test_moments_and_long_range_correlations_of_a_grid(beta):
    edges = grid_edges(12, 12)
    signs = np.random.default_rng(3).choice([-1, 1], len(edges), p=[0.15, 0.85])
    model = IsingModel(edges, beta * signs)
    z = z_scores(model, model.sample(4000, rng=5))
    assert np.abs(z).max() < 5.5  # 10 000 numbers, many of them dependent
    assert 0.5 < np.sqrt((z**2).mean()) < 1.5


def test_energies():
    """The mean energy is exact, and so is its variance, by the Hessian."""
    rng = np.random.default_rng(6)
    edges = random_planar_edges(rng, 50)
    model = IsingModel(edges, rng.normal(size=len(edges)))
    weights = model.log_weight(model.sample(5000, rng=7))
    mean = model.couplings @ model.moments()
    variance = model.couplings @ model.hessian() @ model.couplings
    assert abs(weights.mean() - mean) < 4.5 * np.sqrt(variance / 5000)
    assert abs(weights.var() / variance - 1) < 0.15


def test_samples_are_reproducible_and_leave_global_state_alone():
    model = IsingModel(grid_edges(4, 4), np.full(24, 0.3))
    state = np.random.get_state()[1].copy()  # noqa: NPY002
    first = model.sample(100, rng=11)
    np.testing.assert_array_equal(first, model.sample(100, rng=11))
    np.testing.assert_array_equal(first, model.sample(100, rng=np.random.default_rng(11)))
    np.testing.assert_array_equal(state, np.random.get_state()[1])  # noqa: NPY002
    assert (first != model.sample(100, rng=12)).any()
    assert model.sample(0).shape == (0, 16)
    with pytest.raises(ModelError, match="n_samples must be a whole number"):
        model.sample(2.5)


def test_consecutive_samples_are_independent():
    model = IsingModel(grid_edges(6, 6), np.full(60, 0.4))
    magnetization = model.sample(4000, rng=2).mean(axis=1)
    centred = magnetization - magnetization.mean()
    assert abs(centred[1:] @ centred[:-1]) / (centred @ centred) < 4.5 / np.sqrt(4000)


def glass(side, beta, seed=0):
    edges = grid_edges(side, side)
    return IsingModel(edges, beta * np.random.default_rng(seed).choice([-1.0, 1.0], len(edges)))


def refusing(n_refusals):
    """An `exact_samples` that refuses its first calls."""
    calls = []

    def sampler(solution, n_samples, rng):
        calls.append(solution.plan.n_edges)
        if len(calls) <= n_refusals and solution.plan.n_edges:
            raise PrecisionError("refused for the test", loss=1.0)
        return exact_samples(solution, n_samples, rng)

    return sampler, calls


class TestAtAnyStrength:
    @pytest.mark.parametrize("n_refusals", [1, 3, 10**6])
    @pytest.mark.parametrize("scale", [1.0, 8.0])
    def test_frequencies_when_the_fast_sampler_refuses(self, monkeypatch, n_refusals, scale):
        """Edges are drawn, and at the larger scale also joined, until it accepts, or to the last one."""
        sampler, calls = refusing(n_refusals)
        monkeypatch.setattr(joined_spins, "exact_samples", sampler)
        rng = np.random.default_rng(3)
        edges = random_planar_edges(rng, 8)
        fields = np.where(np.arange(8) == 2, 0.3, 0.0)
        model = IsingModel(edges, scale * rng.normal(size=len(edges)), fields)
        assert frequency_p_value(model, model.sample(20_000, rng=4)) > 1e-4
        assert len(calls) > 1
        wrong = IsingModel(edges, model.couplings + 0.1 * (np.arange(len(edges)) == 0), fields)
        assert frequency_p_value(wrong, model.sample(20_000, rng=4)) < 1e-4 or scale > 1.0

    def test_balls_decide_and_degenerate_ground_states_are_even(self):
        """Couplings of 40: all samples are ground states, and each of them comes up as often as the others."""
        model = glass(4, 40.0, seed=1)
        samples = model.sample(4000, rng=5)
        weights = model.log_weight(samples)
        np.testing.assert_allclose(weights, -model.ground_state().energy, rtol=1e-12)
        states, counts = np.unique(samples, axis=0, return_counts=True)
        assert len(states) == model.degeneracy()
        expected = 4000 / len(states)
        assert chi2.sf(((counts - expected) ** 2 / expected).sum(), len(states) - 1) > 1e-4

    def test_large_glass_far_beyond_doubles(self):
        model = glass(15, 50.0)
        samples = model.sample(5, rng=6)
        np.testing.assert_allclose(model.log_weight(samples), -model.ground_state().energy, rtol=1e-12)
        np.testing.assert_array_equal(samples, model.sample(5, rng=6))

    def test_too_many_open_spins_are_refused(self, monkeypatch):
        sampler, _ = refusing(10**6)
        monkeypatch.setattr(joined_spins, "exact_samples", sampler)
        monkeypatch.setattr(joined_spins, "MOST_SPINS_DRAWN", 8)
        with pytest.raises(PrecisionError, match=r"the 21 groups of spins not settled among 21 are too many"):
            IsingModel(grid_edges(3, 7), np.full(32, 0.3)).sample(2, rng=0)
