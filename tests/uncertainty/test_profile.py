"""The ends of profile intervals, where twice the loss is the statistic: against enumeration and another optimiser."""

import numpy as np
import pytest
from brute_force import Family

from isingmap import IsingModel
from isingmap.data.convert import as_spin_table
from isingmap.data.moments import empirical_moments
from isingmap.likelihood.newton import solve
from isingmap.structure.edge_losses import refitted
from isingmap.structure.fixed_graphs.fit_graph import fit_graph
from isingmap.structure.problem import Problem
from isingmap.uncertainty import profile
from isingmap.uncertainty.held import HeldPlan
from isingmap.uncertainty.profile import profile_intervals

Q = 3.841458820694124
WHEEL = [(0, 1), (1, 2), (0, 2), (0, 3), (1, 3), (2, 3), (3, 4)]  # K4, and a bridge
TREE = [(0, 1), (1, 2), (1, 3), (3, 4)]


def rows(n_samples=300, strength=0.4, seed=3):
    rng = np.random.default_rng(seed)
    couplings = strength * rng.choice([-1, 1], len(WHEEL)) * rng.uniform(0.5, 1.5, len(WHEEL))
    truth = IsingModel(WHEEL, couplings, 0.4 * rng.normal(size=5))
    return truth.sample(n_samples, rng=seed)


def fitted(spins, edges, family, prior=None):
    moments = empirical_moments(as_spin_table(spins))
    result = fit_graph(edges, Problem(moments, family=family, prior=prior))
    return result, moments


CASES = [
    ("planar", WHEEL, None),
    ("planar", TREE, None),
    ("zero-field", WHEEL, None),
    ("zero-field", TREE, None),
    ("partial", [*TREE, (0, 5), (2, 5)], None),
    ("outer-planar", TREE, None),
    ("planar", WHEEL, 2.0),
]


@pytest.mark.parametrize(("family", "edges", "prior"), CASES)
def test_twice_the_loss_at_both_ends_is_the_statistic(family, edges, prior):
    result, moments = fitted(rows(), edges, family, prior)
    model, n = result.model, moments.n_samples + (prior or 0.0)
    fields = np.flatnonzero(model.free_fields)
    brute = Family(5, model.edges, fields)
    target = np.append(moments.moments[tuple(model.edges.T)], moments.magnetizations[fields])
    target = target * moments.n_samples / n
    top, theta = brute.best(target)
    np.testing.assert_allclose(np.append(model.couplings, model.fields[fields]), theta, atol=1e-7)
    asked = np.arange(theta.size)
    ends = profile_intervals(result, moments, asked, np.full(theta.size, Q))
    for k, (lower, upper) in enumerate(ends):
        assert lower < theta[k] < upper
        for end in (lower, upper):
            assert 2.0 * n * (top - brute.best(target, (k, end))[0]) == pytest.approx(Q, abs=1e-8)


def test_each_parameter_has_its_own_statistic_and_only_those_asked_are_computed():
    result, moments = fitted(rows(), WHEEL, "planar")
    wanted = np.array([1, 8])
    statistic = np.linspace(1.0, 5.0, 12)
    ends = profile_intervals(result, moments, wanted, statistic)
    assert ends.shape == (2, 2)
    for k, end in zip(wanted, ends, strict=True):
        alone = profile_intervals(result, moments, np.array([k]), np.full(12, statistic[k]))
        np.testing.assert_allclose(alone[0], end, rtol=1e-12)
    assert profile_intervals(result, moments, np.empty(0, int), statistic).shape == (0, 2)


def test_an_interval_is_skew_where_a_cell_is_nearly_empty():
    """Two rare answers that never but once come alone: far more can be said against a weak tie than a strong one."""
    table = np.repeat([[-1, -1], [1, 1], [1, -1], [-1, 1]], [60, 12, 1, 4], axis=0)
    result, moments = fitted(table, [(0, 1)], "planar")
    (lower, upper), theta = (
        profile_intervals(result, moments, np.array([0]), np.full(3, Q))[0],
        result.model.couplings[0],
    )
    assert upper - theta > 1.3 * (theta - lower)
    counts = np.array([60, 12, 1, 4])
    exact = np.log(counts[0] * counts[1] / counts[2] / counts[3]) / 4.0
    assert theta == pytest.approx(exact, abs=1e-8)


def test_ends_are_the_same_for_every_order_of_columns():
    spins = rows()
    result, moments = fitted(spins, WHEEL, "planar")
    order = np.array([3, 0, 4, 2, 1])
    place = np.argsort(order)
    other_edges = np.sort(place[np.array(WHEEL)], axis=1)
    names = [f"x{k + 1}" for k in order]
    other_moments = empirical_moments(as_spin_table(spins[:, order], names=names))
    other = fit_graph(other_edges, Problem(other_moments, family="planar"))
    ours = profile_intervals(result, moments, np.arange(12), np.full(12, Q))
    theirs = profile_intervals(other, other_moments, np.arange(12), np.full(12, Q))
    np.testing.assert_allclose(theirs[7:][place], ours[7:], rtol=1e-9)
    np.testing.assert_allclose(theirs[:7], ours[:7], rtol=1e-9)


@pytest.mark.parametrize("first", [0.01, 0.9, 1.0, 5.0, 400.0])
@pytest.mark.parametrize("side", [-1.0, 1.0])
def test_the_root_is_found_from_any_start(first, side):
    """Of a skew convex loss that is not known beyond 6."""

    def lost(value):
        if abs(value) > 6:
            return np.inf, np.nan
        return np.exp(value) - 1 - value, np.exp(value) - 1

    end = profile._end(lost, 0.0, side * first, 0.5, 1e-12)
    assert lost(end)[0] == pytest.approx(0.5, abs=1e-12) and end * side > 0


def test_an_end_that_cannot_be_reached_is_no_number():
    def lost(value):
        return (value**2, 2 * value) if value < 1 else (np.inf, np.nan)

    assert np.isnan(profile._end(lost, 0.0, 0.5, 2.0, 1e-12))


def test_large_blocks_are_left_out(monkeypatch):
    monkeypatch.setattr(profile, "MOST_EDGES", 3)
    result, moments = fitted(rows(), WHEEL, "zero-field")
    ends = profile_intervals(result, moments, np.arange(7), np.full(7, Q))
    is_bridge = (result.model.edges == (3, 4)).all(axis=1)
    assert np.isnan(ends[~is_bridge]).all() and np.isfinite(ends[is_bridge]).all()


@pytest.mark.parametrize("family", ["planar", "zero-field"])
@pytest.mark.parametrize("held", [0, 3, 5])
def test_a_held_plan_answers_as_the_whole_one_without_that_coupling(family, held):
    result, moments = fitted(rows(), WHEEL, family)
    model, _ = refitted(result, moments)
    number = max(set(model.block.tolist()), key=model.block.tolist().count)
    plan, couplings = model.fits[number].solution.plan, model.fits[number].couplings
    whole, free = solve(plan, couplings), np.arange(couplings.size) != held
    answers = HeldPlan(plan, held, couplings[held]).solve(couplings[free])
    np.testing.assert_array_equal(answers.moments(), whole.moments()[free])
    np.testing.assert_array_equal(answers.curvature(), whole.curvature()[np.ix_(free, free)])
    np.testing.assert_array_equal(answers.plan.edges, plan.edges[free])
    assert (answers.log_partition, answers.loss) == (whole.log_partition, whole.loss)
    assert answers.plan.n_spins == plan.n_spins
