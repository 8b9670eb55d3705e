"""The Gibbs sampler against exact answers, through one statistical harness that has a negative control.

The harness runs many independent chains. Chain averages are independent and nearly normal, whatever the
autocorrelation inside a chain, so their mean minus the truth, divided by its standard error, is Student's t.
"""

import itertools
import os
import subprocess
import sys

import numpy as np
import pytest
from scipy import stats

from isingmap.errors import ModelError
from isingmap.model import IsingModel
from isingmap.sampling.gibbs import gibbs_sample

N_CHAINS, N_PER_CHAIN = 100, 200
LEVEL = 1e-4  # of the whole test, after Bonferroni's correction; the seeds are fixed, so a pass stays a pass


def statistics(samples, model):
    """Edge products, spins and the energy of each sample."""
    x = samples.astype(float)
    products = x[:, model.edges[:, 0]] * x[:, model.edges[:, 1]]
    return np.column_stack([products, x, -model.log_weight(samples)])


def expectations(model):
    moments, magnetizations = model.moments(), model.magnetizations()
    energy = -(model.couplings @ moments + model.fields @ magnetizations)
    return np.concatenate([moments, magnetizations, [energy]])


def p_value(samples, model):
    """How surprising are chains of `samples` if `model` is the truth?"""
    chains = statistics(samples, model).reshape(N_CHAINS, N_PER_CHAIN, -1).mean(axis=1)
    error = chains.std(axis=0, ddof=1) / np.sqrt(N_CHAINS)
    z = (chains.mean(axis=0) - expectations(model)) / error
    return min(1.0, z.size * 2 * stats.t.sf(np.abs(z).max(), N_CHAINS - 1))


def draw(model, seed, **options):
    options = {"n_burn_in": 200, "n_thin": 2, "n_chains": N_CHAINS} | options
    return gibbs_sample(model, N_CHAINS * N_PER_CHAIN, rng=np.random.default_rng(seed), **options)


def grid_edges(n_rows, n_columns):
    number = np.arange(n_rows * n_columns).reshape(n_rows, n_columns)
    pairs = itertools.chain(
        zip(number[:, :-1].flat, number[:, 1:].flat, strict=True),
        zip(number[:-1].flat, number[1:].flat, strict=True),
    )
    return np.array(list(pairs))


def models():
    rng = np.random.default_rng(5)
    complete = np.array(list(itertools.combinations(range(6), 2)))
    grid = grid_edges(3, 4)
    return {
        "grid": IsingModel(grid, rng.uniform(-0.8, 0.8, len(grid))),
        "grid with fields": IsingModel(grid, rng.uniform(-0.5, 0.5, len(grid)), rng.uniform(-0.5, 0.5, 12)),
        "not planar": IsingModel(complete, rng.uniform(-0.4, 0.4, len(complete)), rng.uniform(-0.5, 0.5, 6)),
        "disconnected": IsingModel([(1, 0), (2, 3), (3, 4)], [0.7, -0.6, 0.4], n_spins=6),
        "no edges": IsingModel(np.empty((0, 2), int), [], [0.3, -1.0, 2.0]),
        "one spin": IsingModel(np.empty((0, 2), int), [], [-0.4]),
    }


@pytest.mark.parametrize("name", models())
def test_agrees_with_exact_answers(name):
    model = models()[name]
    assert p_value(draw(model, 1), model) > LEVEL


def test_joint_distribution_of_distant_samples():
    model = IsingModel([(0, 1), (1, 2), (0, 2)], [0.5, -0.3, 0.4], [0.2, 0.0, -0.3])
    samples = draw(model, 3, n_thin=20)
    everything = np.array(list(itertools.product([-1, 1], repeat=3)))
    counts = (samples[:, None] == everything).all(axis=2).sum(axis=0)
    expected = np.exp(model.log_probability(everything)) * len(samples)
    assert stats.chisquare(counts, expected).pvalue > LEVEL


def wrong_models():
    right = models()["grid with fields"]
    one_edge, one_field = right.couplings.copy(), right.fields.copy()
    one_edge[3] += 0.1
    one_field[2] += 0.1
    return {
        "one coupling off by 0.1": IsingModel(right.edges, one_edge, right.fields),
        "one field off by 0.1": IsingModel(right.edges, right.couplings, one_field),
        "temperature off by 10 %": IsingModel(right.edges, 1.1 * right.couplings, 1.1 * right.fields),
        "signs of fields": IsingModel(right.edges, right.couplings, -right.fields),
    }


@pytest.mark.parametrize("name", wrong_models())
def test_negative_control(name):
    samples = draw(models()["grid with fields"], 1)
    assert p_value(samples, wrong_models()[name]) < LEVEL


def test_harness_is_calibrated():
    model = models()["disconnected"]
    p_values = [p_value(draw(model, seed), model) for seed in range(40)]
    # Bonferroni's bound is conservative: the p-values are at least uniform, yet not all of them large.
    assert stats.kstest(p_values, stats.uniform.cdf, alternative="greater").pvalue > LEVEL
    assert min(p_values) < 0.3


def test_burn_in_is_thrown_away():
    """Strong fields: samples without a burn-in remember the random start, samples after it do not."""
    model = IsingModel(grid_edges(1, 40), np.full(39, 2.0), np.full(40, 0.02))
    options = {"n_thin": 1, "n_chains": 200}
    early = gibbs_sample(model, 200, rng=np.random.default_rng(0), n_burn_in=0, **options)
    late = gibbs_sample(model, 200, rng=np.random.default_rng(0), n_burn_in=3000, **options)
    exact = model.magnetizations().mean()
    assert early.mean() < 0.5 * exact
    assert late.mean() == pytest.approx(exact, abs=0.15)


def test_thinning_skips_sweeps():
    model = models()["grid"]
    every = gibbs_sample(model, 60, rng=np.random.default_rng(2), n_burn_in=7, n_thin=1, n_chains=1)
    third = gibbs_sample(model, 20, rng=np.random.default_rng(2), n_burn_in=7, n_thin=3, n_chains=1)
    np.testing.assert_array_equal(third, every[2::3])


@pytest.mark.parametrize(("n_samples", "n_chains"), [(0, 3), (1, 4), (7, 3), (8, 1)])
def test_shape_and_type(n_samples, n_chains):
    rng = np.random.default_rng(0)
    samples = gibbs_sample(models()["grid"], n_samples, rng=rng, n_burn_in=1, n_chains=n_chains)
    assert samples.shape == (n_samples, 12)
    assert samples.dtype == np.int8
    assert np.isin(samples, (-1, 1)).all()


def test_very_strong_fields_and_couplings_do_not_overflow():
    model = IsingModel([(0, 1)], [-900.0], [2000.0, 0.0])
    samples = gibbs_sample(model, 50, rng=np.random.default_rng(0), n_burn_in=3)
    np.testing.assert_array_equal(samples, np.tile([1, -1], (50, 1)))


def test_reproducible_and_advances_only_its_own_generator():
    model = models()["grid"]
    before = np.random.get_state()  # noqa: NPY002 - the global state is what must not move
    rng = np.random.default_rng(11)
    first, second = gibbs_sample(model, 50, rng=rng), gibbs_sample(model, 50, rng=rng)
    again = gibbs_sample(model, 50, rng=np.random.default_rng(11))
    after = np.random.get_state()  # noqa: NPY002
    np.testing.assert_array_equal(first, again)
    assert (first != second).any()
    np.testing.assert_array_equal(before[1], after[1])
    assert before[2] == after[2]


def test_same_samples_for_every_number_of_threads():
    code = (
        "import numpy as np; from isingmap.model import IsingModel;"
        "from isingmap.sampling.gibbs import gibbs_sample;"
        "m = IsingModel([(0, 1), (1, 2)], [0.5, -0.7], [0.1, 0.2, 0.3]);"
        "print(gibbs_sample(m, 40, rng=np.random.default_rng(4)).tolist())"
    )
    outputs = [
        subprocess.run(
            [sys.executable, "-c", code],
            env=os.environ | {"NUMBA_NUM_THREADS": threads, "OMP_NUM_THREADS": threads},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for threads in ("1", "2")
    ]
    assert outputs[0] == outputs[1]
    assert "-1" in outputs[0]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"n_samples": -1}, "n_samples must be at least 0, got -1"),
        ({"n_samples": 2.5}, "n_samples must be a whole number, got 2.5"),
        ({"n_burn_in": -3}, "n_burn_in must be at least 0"),
        ({"n_thin": 0}, "n_thin must be at least 1"),
        ({"n_chains": 0}, "n_chains must be at least 1"),
        ({"rng": 7}, "rng must be a numpy.random.Generator, got 7"),
    ],
)
def test_bad_options_are_named(options, message):
    options = {"n_samples": 5, "rng": np.random.default_rng(0)} | options
    with pytest.raises(ModelError, match=message):
        gibbs_sample(models()["grid"], **options)
