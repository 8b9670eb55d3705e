"""Compiled refits of blocks with fields reach the maximum of Newton's method, whatever they start from."""

import numpy as np
import pytest

from isingmap.inference.elimination.fielded_block import fielded_plan
from isingmap.inference.elimination.upward import LOGARITHMIC
from isingmap.likelihood.fielded_refit import AT_MAXIMUM, NOT_WORTH, STUCK, climbed
from isingmap.likelihood.newton import maximise
from isingmap.likelihood.quasi_newton import Worth, refit, refit_exactly, refit_with_edge, without_row
from oracles import random_planar_edges

N = 9


def plan_of(edges):
    return fielded_plan(np.unique(edges), edges)


def problem(seed, strength=0.5, free=N):
    """(edges with those of the fields, moments of a dense sample): the first `free` spins have fields."""
    rng = np.random.default_rng(seed)
    couplings = random_planar_edges(rng, N)
    fields = np.array([(v, N) for v in range(free)])
    edges = np.vstack([fields[:3], couplings, fields[3:]])
    data = np.sign(rng.normal(size=(300, N)) @ rng.normal(size=(N, N)) + rng.normal(size=N))
    extended = np.hstack([data, np.ones((300, 1))])
    return edges, strength * (extended.T @ extended)[tuple(edges.T)] / 300


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("free", [N, 4])
def test_an_added_edge(seed, free):
    edges, moments = problem(seed, 0.9, free)
    order = np.roll(np.arange(len(edges)), -4)  # a coupling comes last
    edges, moments = edges[order], moments[order]
    before = refit_exactly(plan_of(edges[:-1]), moments[:-1], np.zeros(len(edges) - 1))
    correlation = before.solution.correlations()[tuple(edges[-1])]
    kept = before.inverse_hessian.copy()
    found = refit_with_edge(plan_of(edges), moments, before.couplings, before.inverse_hessian, correlation)
    exact = maximise(plan_of(edges), moments, np.zeros(len(edges)))
    assert found.converged and found.gradient_norm <= 1e-10
    np.testing.assert_array_equal(before.inverse_hessian, kept)
    np.testing.assert_allclose(found.couplings, exact.couplings, rtol=0, atol=1e-7)
    # What the climb leaves behind is the inference at its end, of spins without a field too.
    again = plan_of(edges).solve(found.couplings)
    assert found.solution.log_partition == pytest.approx(again.log_partition, rel=1e-14)
    np.testing.assert_allclose(found.solution.moments(), again.moments(), rtol=0, atol=1e-14)
    np.testing.assert_allclose(found.solution.correlations(), again.correlations(), rtol=0, atol=1e-14)


@pytest.mark.parametrize("seed", range(4))
def test_a_removed_edge(seed):
    edges, moments = problem(seed)
    full = refit_exactly(plan_of(edges), moments, np.zeros(len(edges)))
    kept = np.delete(np.arange(len(edges)), 5)
    found = refit(plan_of(edges[kept]), moments[kept], full.couplings[kept], without_row(full.inverse_hessian, 5))
    exact = maximise(plan_of(edges[kept]), moments[kept], np.zeros(len(kept)))
    np.testing.assert_allclose(found.couplings, exact.couplings, rtol=0, atol=1e-8)


@pytest.mark.parametrize("useless", [100.0, 1e-9])
def test_a_useless_curvature_costs_time_and_not_exactness(useless):
    edges, moments = problem(3)
    exact = maximise(plan_of(edges), moments, np.zeros(len(edges)))
    start = exact.couplings + np.random.default_rng(0).normal(size=len(edges))
    found = refit(plan_of(edges), moments, start, np.asfortranarray(useless * np.eye(len(edges))))
    np.testing.assert_allclose(found.couplings, exact.couplings, rtol=0, atol=1e-7)


@pytest.mark.parametrize("seed", range(6))
def test_giving_up(seed):
    edges, moments = problem(seed)
    edges, moments = np.roll(edges, -4, axis=0), np.roll(moments, -4)
    before = refit_exactly(plan_of(edges[:-1]), moments[:-1], np.zeros(len(edges) - 1))
    correlation = before.solution.correlations()[tuple(edges[-1])]
    reached = maximise(plan_of(edges), moments, np.zeros(len(edges)))
    best = float(moments @ reached.couplings - reached.solution.log_partition)

    def attempt(least):
        worth = Worth(moments, least)
        return refit_with_edge(plan_of(edges), moments, before.couplings, before.inverse_hessian, correlation, worth)

    assert attempt(best + 1.0) is None
    assert attempt(best - 1e-9) is not None


def test_how_a_climb_ends():
    edges, moments = problem(1)
    size = len(edges)
    identity = np.asfortranarray(np.eye(size))
    status, theta, solution, gradient, inverse = climbed(plan_of(edges), moments, np.zeros(size), identity.copy("F"))
    assert status == AT_MAXIMUM
    np.testing.assert_allclose(gradient, moments - solution.moments(), rtol=0, atol=1e-15)
    far = float(moments @ theta - solution.log_partition) + 100.0
    assert climbed(plan_of(edges), moments, np.zeros(size), identity.copy("F"), least=far)[0] == NOT_WORTH
    against = -identity  # a curvature that leads downhill
    assert climbed(plan_of(edges), moments, np.zeros(size), against)[0] == STUCK
    unknown = np.full(size, np.nan)
    assert climbed(plan_of(edges), moments, unknown, identity.copy("F"))[0] == STUCK


def test_couplings_whose_tables_need_logarithms():
    """The first point of the ascent, where probabilities would underflow, is evaluated like everywhere else."""
    edges, moments = problem(2)
    plan, strong = plan_of(edges), np.resize([300.0, -280.0, 260.0], len(edges))
    uphill = np.asfortranarray(1e-300 * np.eye(len(edges)))
    _, theta, solution, gradient, _ = climbed(plan, moments, strong, uphill)
    np.testing.assert_array_equal(theta, strong)
    assert plan.solve(strong)._solved._mode == LOGARITHMIC
    assert solution.log_partition == pytest.approx(plan.solve(strong).log_partition, rel=1e-14)
    np.testing.assert_allclose(moments - gradient, plan.solve(strong).moments(), rtol=0, atol=1e-14)
