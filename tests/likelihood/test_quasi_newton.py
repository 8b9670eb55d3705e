"""Refits with a carried curvature reach the maximum of Newton's method, and give up only what is not worth it."""

import numpy as np
import pytest

from isingmap.inference.zero_field.plan import plan
from isingmap.inference.zero_field.solution import solve_dual
from isingmap.likelihood.newton import maximise
from isingmap.likelihood.quasi_newton import (
    Worth,
    _bordered,
    _correct,
    refit,
    refit_exactly,
    refit_with_edge,
    without_row,
)
from oracles import random_planar_edges


def problem(seed, n_spins=14, strength=0.5):
    """(edges, moments of a dense sample at them): the last edge closes a cycle or joins what was apart."""
    rng = np.random.default_rng(seed)
    edges = random_planar_edges(rng, n_spins)
    edges = edges[rng.permutation(len(edges))]
    data = np.sign(rng.normal(size=(300, n_spins)) @ rng.normal(size=(n_spins, n_spins)))
    moments = strength * (data.T @ data)[tuple(edges.T)] / 300
    return edges, moments


def whole(lower):
    return np.tril(lower) + np.tril(lower, -1).T


@pytest.mark.parametrize("seed", range(10))
@pytest.mark.parametrize("strength", [0.5, 0.97])
def test_an_added_edge(seed, strength):
    edges, moments = problem(seed, strength=strength)
    graph = plan(14, edges)
    before = refit_exactly(plan(14, edges[:-1]), moments[:-1], np.zeros(len(edges) - 1))
    correlation = before.solution.correlations()[tuple(edges[-1])]
    found = refit_with_edge(graph, moments, before.couplings, before.inverse_hessian.copy(order="F"), correlation)
    exact = maximise(graph, moments, np.zeros(len(edges)))
    np.testing.assert_allclose(found.couplings, exact.couplings, rtol=0, atol=1e-7)
    assert found.converged and found.gradient_norm <= 1e-10
    np.testing.assert_allclose(found.solution.moments(), moments, rtol=0, atol=1e-10)
    # The curvature is good enough for the next step, and better than one that knows nothing of the new edge.
    hessian = found.solution.hessian()
    unbordered = np.zeros_like(hessian)
    unbordered[:-1, :-1] = whole(before.inverse_hessian)
    unbordered[-1, -1] = 1.0 / hessian[-1, -1]
    error = largest_error(whole(found.inverse_hessian), hessian)
    assert error < 0.15
    assert error < 0.7 * largest_error(unbordered, hessian)


def largest_error(inverse, hessian):
    """Largest share by which a Newton step with this inverse is too long or too short, over all directions."""
    root = np.linalg.cholesky(hessian)
    return np.abs(np.linalg.eigvalsh(root.T @ inverse @ root) - 1.0).max()


def exact_hessian(seed):
    edges, moments = problem(seed)
    return maximise(plan(14, edges), moments, np.zeros(len(edges))).solution.hessian()


@pytest.mark.parametrize("seed", range(3))
def test_enough_corrections_give_the_exact_inverse(seed):
    """Along conjugate directions each correction stays true to those before (Nocedal and Wright, theorem 6.4)."""
    hessian = exact_hessian(seed)
    conjugate = np.linalg.inv(np.linalg.cholesky(hessian))  # its rows
    rng = np.random.default_rng(seed)
    start = rng.normal(size=hessian.shape)
    inverse = np.asfortranarray(start @ start.T + np.eye(len(hessian)))
    for step in rng.permutation(conjugate):
        _correct(inverse, step, hessian @ step)
        np.testing.assert_allclose(whole(inverse) @ (hessian @ step), step, rtol=0, atol=1e-8)
    np.testing.assert_allclose(whole(inverse), np.linalg.inv(hessian), rtol=0, atol=1e-8)


@pytest.mark.parametrize("seed", range(3))
def test_the_border_is_exact_where_its_column_is(seed):
    hessian = exact_hessian(seed)
    smaller = np.asfortranarray(np.linalg.inv(hessian[:-1, :-1]))
    np.testing.assert_allclose(whole(_bordered(smaller, hessian[:, -1])), np.linalg.inv(hessian), rtol=0, atol=1e-9)
    explained = hessian[:, -1].copy()
    explained[-1] = explained[:-1] @ smaller @ explained[:-1]  # the new edge varies only with the others
    assert _bordered(smaller, explained) is None


@pytest.mark.parametrize("seed", range(10))
def test_a_removed_edge(seed):
    edges, moments = problem(seed)
    full = refit_exactly(plan(14, edges), moments, np.zeros(len(edges)))
    k = seed % len(edges)
    kept = np.delete(np.arange(len(edges)), k)
    smaller = without_row(full.inverse_hessian, k)
    expected = np.linalg.inv(np.delete(np.delete(full.solution.hessian(), k, 0), k, 1))
    np.testing.assert_allclose(whole(smaller), expected, rtol=1e-6, atol=1e-8)
    found = refit(plan(14, edges[kept]), moments[kept], full.couplings[kept], smaller)
    exact = maximise(plan(14, edges[kept]), moments[kept], np.zeros(len(kept)))
    np.testing.assert_allclose(found.couplings, exact.couplings, rtol=0, atol=1e-8)


def test_a_useless_curvature_costs_time_and_not_exactness():
    edges, moments = problem(3)
    graph = plan(14, edges)
    exact = maximise(graph, moments, np.zeros(len(edges)))
    start = exact.couplings + np.random.default_rng(0).normal(size=len(edges))
    for useless in (100.0, 1e-9):
        found = refit(graph, moments, start, np.asfortranarray(useless * np.eye(len(edges))))
        np.testing.assert_allclose(found.couplings, exact.couplings, rtol=0, atol=1e-7)


def test_an_edge_without_gain():
    edges, moments = problem(4)
    before = refit_exactly(plan(14, edges[:-1]), moments[:-1], np.zeros(len(edges) - 1))
    moments[-1] = before.solution.correlations()[tuple(edges[-1])]
    found = refit_with_edge(plan(14, edges), moments, before.couplings, before.inverse_hessian, moments[-1])
    np.testing.assert_allclose(found.couplings, np.append(before.couplings, 0.0), rtol=0, atol=1e-9)


@pytest.mark.parametrize("seed", range(10))
def test_giving_up(seed):
    edges, moments = problem(seed)
    graph = plan(14, edges)
    before = refit_exactly(plan(14, edges[:-1]), moments[:-1], np.zeros(len(edges) - 1))
    correlation = before.solution.correlations()[tuple(edges[-1])]

    def attempt(least):
        inverse = before.inverse_hessian.copy(order="F")
        return refit_with_edge(graph, moments, before.couplings, inverse, correlation, Worth(moments, least))

    reached = maximise(graph, moments, np.zeros(len(edges)))
    best = float(moments @ reached.couplings - solve_dual(graph, reached.couplings).log_partition)
    assert attempt(best + 1.0) is None
    assert attempt(best - 1e-9) is not None
