"""Likelihood-ratio tests and intervals of edges: null distribution, coverage, which interval is given."""

import numpy as np
import pytest
from scipy import stats

from isingmap import IsingModel, PlanarIsing
from isingmap.data.moments import EmpiricalMoments
from isingmap.structure.edge_losses import edge_losses
from isingmap.structure.fixed_graphs.fit_graph import fit_graph
from isingmap.structure.problem import Problem
from isingmap.uncertainty.errors import Errors, errors_of
from isingmap.uncertainty.intervals import FEW_ROWS, fewest_rows, intervals_of
from isingmap.uncertainty.ratio_tests import ratio_tests

CYCLE = [(0, 1), (1, 2), (2, 3), (0, 3)]
FALSE = [*CYCLE, (0, 2)]  # with a pair that has no coupling


def moments_of(spins):
    x = spins.astype(float)
    names = tuple(f"x{k + 1}" for k in range(x.shape[1]))
    return EmpiricalMoments(x.T @ x / len(x), x.mean(axis=0), float(len(x)), names)


@pytest.fixture(scope="module")
def under_the_null():
    """Statistics of the false edge in 180 samples, and whether 95 % intervals cover the couplings of the others."""
    truth = IsingModel(CYCLE, [0.4, 0.3, -0.4, 0.5], [0.2, -0.2, 0.0, 0.3])
    p_values, covered = [], []
    for seed in range(180):
        moments = moments_of(truth.sample(300, rng=seed))
        result = fit_graph(FALSE, Problem(moments, family="planar"))
        errors = errors_of(result.model, moments.n_samples)
        at = {pair: k for k, pair in enumerate(map(tuple, result.model.edges.tolist()))}
        p_values.append(ratio_tests(edge_losses(result, moments), errors).p_value[at[0, 2]])
        found = intervals_of(result, moments, errors, "wald")
        true = np.array([0.0 if pair == (0, 2) else truth.couplings[CYCLE.index(pair)] for pair in at])
        covered.append((found.lower[:5] < true) & (true < found.upper[:5]))
    return np.array(p_values), np.array(covered)


def test_p_values_of_an_edge_that_is_not_there_are_uniform(under_the_null):
    assert stats.kstest(under_the_null[0], "uniform").pvalue > 0.01
    assert 0.02 < (under_the_null[0] < 0.05).mean() < 0.09


def test_wald_intervals_cover_the_truth(under_the_null):
    assert 0.93 < under_the_null[1].mean() < 0.97


def test_the_test_is_chi_square_and_f_with_clusters():
    losses = np.array([0.0, 1.920729, np.nan, -1e-9])
    plain = ratio_tests(losses, Errors(np.ones(6), np.ones(6)))
    np.testing.assert_allclose(plain.p_value, [1.0, 0.05, np.nan, 1.0], atol=1e-6)
    clustered = ratio_tests(losses, Errors(np.ones(6), np.full(6, 2.0), 10.0))
    np.testing.assert_allclose(clustered.statistic, losses)
    assert clustered.p_value[1] == pytest.approx(2 * stats.t.sf(np.sqrt(losses[1]), 10))
    assert Errors(np.ones(1), np.ones(1), 10.0).quantile == pytest.approx(stats.t.ppf(0.975, 10))


def table(*counts):
    """Two columns with so many rows of --, -+, +-, ++, and a third that has nothing to do with them."""
    pairs = np.repeat([[-1, -1], [-1, 1], [1, -1], [1, 1]], counts, axis=0)
    other = np.resize([1, -1, -1, 1, 1], len(pairs))
    return np.column_stack([pairs, other])


def test_the_profile_is_taken_where_a_cell_holds_few_rows():
    few = PlanarIsing(graph=[(0, 1), (1, 2)]).fit(table(90, 9, 30, 71)).learned_
    assert fewest_rows(few.model, few.moments)[0] == pytest.approx(9.0) and FEW_ROWS == 10
    assert few.intervals.by_profile.tolist() == [True, False, False, False, False]
    many = PlanarIsing(graph=[(0, 1), (1, 2)]).fit(table(90, 10, 30, 70)).learned_
    assert not many.intervals.by_profile.any()
    again = PlanarIsing(graph=[(0, 1), (1, 2)], intervals="wald").fit(table(90, 9, 30, 71)).learned_
    model = again.model
    np.testing.assert_array_equal(
        again.intervals.lower[:2], model.couplings - 1.959963984540054 * again.coupling_errors
    )
    np.testing.assert_array_equal(again.intervals.lower[1:], few.intervals.lower[1:])
    assert again.intervals.lower[0] != few.intervals.lower[0]
    profiled = PlanarIsing(graph=[(0, 1), (1, 2)], intervals="profile").fit(table(90, 9, 30, 71)).learned_
    assert profiled.intervals.by_profile.all()
    assert profiled.intervals.lower[0] == few.intervals.lower[0]


def test_a_field_of_a_rare_answer_has_a_profile_interval():
    learned = PlanarIsing(graph=np.empty((0, 2), int)).fit(table(193, 3, 2, 2)).learned_
    found = learned.field_intervals
    assert found.by_profile.tolist() == [True, True, False]
    share = (1 + np.tanh(found.upper[0])) / 2, (1 + np.tanh(found.lower[0])) / 2
    for end in share:  # the interval of a binomial share: 4 of 200
        loss = 4 * np.log(0.02 / end) + 196 * np.log(0.98 / (1 - end))
        assert 2 * loss == pytest.approx(3.841458820694124, abs=1e-8)


@pytest.mark.filterwarnings("ignore::isingmap.errors.FitWarning")
@pytest.mark.filterwarnings("ignore::isingmap.errors.DataWarning")
def test_a_model_without_fields_looks_at_how_often_two_agree():
    learned = PlanarIsing(family="zero-field", graph=[(0, 1)], intervals="auto").fit(table(90, 9, 9, 92)).learned_
    assert fewest_rows(learned.model, learned.moments)[0] == pytest.approx(9.0)
    uneven = PlanarIsing(family="zero-field", graph=[(0, 1)]).fit(table(150, 9, 31, 10)).learned_
    assert fewest_rows(uneven.model, uneven.moments)[0] == pytest.approx(20.0)  # half of the 40 that differ
    assert np.isnan(learned.field_intervals.lower).all() and not learned.field_intervals.by_profile.any()


def test_robust_profiles_and_tests_are_scaled_by_the_inflation():
    """Every row twice, as clusters of two: intervals of the single rows, though the likelihood counts twice as many."""
    spins = table(50, 15, 20, 45)
    single = PlanarIsing(graph=[(0, 1), (1, 2)], intervals="profile", errors="robust").fit(spins).learned_
    doubled = PlanarIsing(graph=[(0, 1), (1, 2)], intervals="profile").fit(
        np.repeat(spins, 2, axis=0), clusters=np.repeat(np.arange(len(spins)), 2)
    )
    ratio = doubled.learned_.errors.quantile / single.errors.quantile
    assert ratio > 1.0
    model = single.model
    for side in ("lower", "upper"):
        one = getattr(single.coupling_intervals, side) - model.couplings
        two = getattr(doubled.learned_.coupling_intervals, side) - model.couplings
        np.testing.assert_allclose(two / one, ratio, rtol=2e-3)
    np.testing.assert_allclose(doubled.learned_.edge_tests.statistic, single.edge_tests.statistic, rtol=1e-6)


def test_both_codings_give_identical_intervals():
    spins = table(60, 20, 15, 55)
    for settings in ({}, {"intervals": "profile"}, {"errors": "robust"}):
        one = PlanarIsing(graph=[(0, 1), (1, 2)], **settings).fit(spins).learned_
        two = PlanarIsing(graph=[(0, 1), (1, 2)], **settings).fit((spins + 1) // 2).learned_
        for side in ("lower", "upper"):
            np.testing.assert_array_equal(getattr(one.intervals, side), getattr(two.intervals, side))
        np.testing.assert_array_equal(one.edge_tests.p_value, two.edge_tests.p_value)
