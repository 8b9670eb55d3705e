"""Newton's method arrives from anywhere, and says so when it does not."""

import numpy as np
import pytest

from isingmap.inference.zero_field.plan import plan
from isingmap.inference.zero_field.solution import solve_dual
from isingmap.likelihood import newton
from isingmap.likelihood.newton import line_search, maximise
from oracles import random_planar_edges


def strong_problem(seed):
    """A plan and moments of a model of strong couplings, with these couplings."""
    rng = np.random.default_rng(seed)
    edges = random_planar_edges(rng, 12)
    couplings = rng.normal(size=len(edges))
    graph = plan(12, edges)
    return graph, solve_dual(graph, couplings).moments(), couplings, rng


@pytest.mark.parametrize("seed", range(10))
@pytest.mark.parametrize("distance", [1.0, 2.0])
def test_far_starts(seed, distance):
    graph, moments, couplings, rng = strong_problem(seed)
    found = maximise(graph, moments, couplings + distance * rng.choice([-1, 1], len(couplings)))
    assert found.converged and found.gradient_norm <= 1e-8
    np.testing.assert_allclose(found.couplings, couplings, rtol=0, atol=1e-4)
    assert found.n_iter < 60


@pytest.mark.parametrize("seed", range(10))
def test_no_step_goes_too_far_or_down(seed):
    graph, moments, couplings, rng = strong_problem(seed)
    theta = couplings + 0.2 * rng.normal(size=len(couplings))

    def value(point):
        return moments @ point - solve_dual(graph, point).log_partition

    gradient = moments - solve_dual(graph, theta).moments()
    for factor in (1.0, 100.0, 1e4):  # the longer, the further beyond the maximum
        step = factor * gradient
        moved, solution, reached = line_search(graph, moments, theta, step, value(theta), float(gradient @ step), 1.0)
        assert np.abs(moved - theta).max() <= 2.0 + 1e-12
        assert reached > value(theta)
        assert reached == pytest.approx(value(moved), rel=1e-12)
        assert solution.loss <= 1e-8


def test_lost_digits_are_no_step_up(monkeypatch):
    graph, moments, couplings, _ = strong_problem(0)
    gradient = moments - solve_dual(graph, 0 * couplings).moments()
    monkeypatch.setattr(newton, "LOSS_ALLOWED", 0.0)
    assert line_search(graph, moments, 0 * couplings, gradient, -np.inf, float(gradient @ gradient), 1.0) is None


def test_an_ascent_that_was_cut_short_says_so(monkeypatch):
    graph, moments, couplings, _ = strong_problem(1)
    monkeypatch.setattr(newton, "MOST_ITERATIONS", 2)
    found = maximise(graph, moments, np.zeros(len(couplings)))
    assert not found.converged
    assert found.n_iter == 2
    assert found.gradient_norm == pytest.approx(np.abs(moments - solve_dual(graph, found.couplings).moments()).max())
