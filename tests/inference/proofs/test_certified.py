"""Intervals must contain the truth: exact sums in arb, published digits, integers, and doubles where they hold."""

import itertools
import json
import subprocess
import sys

import flint
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from isingmap.errors import ModelError, PrecisionError
from isingmap.inference.proofs import ball_correlations, certified
from isingmap.inference.proofs.certified import Interval, Problem, certified_log_partition, certified_moments
from isingmap.inference.proofs.certified_solution import certified_solution
from isingmap.inference.zero_field.plan import plan
from isingmap.inference.zero_field.solution import solve_dual
from oracles import brute_force, grid_edges, random_planar_edges, shared_file, spin_glass

ULP = np.finfo(float).eps


def exact_sums(n_spins, edges, couplings):
    """(log Z, moments) as balls of 4000 bits, by enumeration."""
    z, tops = flint.arb(0), [flint.arb(0)] * len(edges)
    with flint.ctx.workprec(4000):
        for x in itertools.product([-1, 1], repeat=n_spins):
            signs = [x[i] * x[j] for i, j in edges.tolist()]
            log_weight = sum((flint.arb(t) * s for t, s in zip(couplings, signs, strict=True)), flint.arb(0))
            weight = log_weight.exp()
            z += weight
            tops = [top + weight * s for top, s in zip(tops, signs, strict=True)]
        return z.log(), [top / z for top in tops]


def encloses(lower, upper, ball):
    with flint.ctx.workprec(4000):
        return bool(flint.arb(lower) <= ball) and bool(ball <= flint.arb(upper))


def strong_instances():
    return json.loads(shared_file("reference/strong_coupling.json").read_text())


def reference_grid(length):
    grid = json.loads(shared_file(f"reference/grid_L{length}.json").read_text())
    return plan(grid["n"], np.array(grid["edges"])), np.array(grid["J"])


class TestInterval:
    def test_contains_its_ends_and_nothing_outside(self):
        interval = Interval(1.0, 2.0)
        assert 1.0 in interval and 2.0 in interval and 1.5 in interval
        assert 0.999 not in interval and 2.001 not in interval
        assert interval.width == 1.0 and interval.midpoint == 1.5


class TestSmallModels:
    @pytest.mark.parametrize("n_spins", [1, 2, 3, 4, 7])
    @pytest.mark.parametrize("scale", [1e-12, 1.0, 50.0])
    def test_log_partition_and_moments_enclose_the_exact_sums_tightly(self, n_spins, scale):
        rng = np.random.default_rng(n_spins)
        edges = random_planar_edges(rng, n_spins)
        couplings = scale * rng.normal(size=len(edges))
        graph = plan(n_spins, edges)
        log_z, moments = exact_sums(n_spins, edges, couplings)
        interval = certified_log_partition(graph, couplings)
        assert encloses(interval.lower, interval.upper, log_z)
        assert interval.width <= 8 * ULP * max(1.0, interval.upper)
        lower, upper = certified_moments(graph, couplings)
        assert all(encloses(*row) for row in zip(lower.tolist(), upper.tolist(), moments, strict=True))
        assert (upper - lower <= 1e-12).all()
        assert (lower >= -1).all() and (upper <= 1).all()

    @settings(max_examples=40, deadline=None)
    @given(seed=st.integers(0, 2**32 - 1), n_spins=st.integers(2, 9), exponent=st.floats(-12, 1.5))
    def test_random_planar_graphs(self, seed, n_spins, exponent):
        rng = np.random.default_rng(seed)
        edges = random_planar_edges(rng, n_spins, share=rng.random())
        couplings = 10**exponent * rng.normal(size=len(edges))
        _, _, log_z = brute_force(n_spins, edges, couplings)
        interval = certified_log_partition(plan(n_spins, edges), couplings)
        assert interval.midpoint == pytest.approx(log_z, rel=1e-13, abs=1e-13)

    def test_hessian_and_correlations_agree_with_enumeration(self):
        rng = np.random.default_rng(5)
        for n_spins, share in [(2, 1.0), (5, 0.5), (9, 1.0), (11, 0.7)]:
            edges = random_planar_edges(rng, n_spins, share)
            couplings = 2.0 * rng.normal(size=len(edges))
            x, p, log_z = brute_force(n_spins, edges, couplings)
            products = x[:, edges[:, 0]] * x[:, edges[:, 1]]
            means = p @ products
            solved = certified_solution(plan(n_spins, edges), couplings)
            assert solved.log_partition == pytest.approx(log_z, rel=1e-13)
            np.testing.assert_allclose(solved.moments(), means, rtol=0, atol=1e-13)
            covariance = (products.T * p) @ products - np.outer(means, means)
            np.testing.assert_allclose(solved.hessian(), covariance, rtol=0, atol=1e-13)
            np.testing.assert_allclose(solved.correlations(), (x.T * p) @ x, rtol=0, atol=1e-13)

    def test_log_partition_alone_takes_no_moments(self, monkeypatch):
        couplings = np.random.default_rng(1).normal(size=12)
        graph = plan(9, grid_edges(3, 3))
        both = certified_solution(graph, couplings)
        lower, upper = both.moment_bounds
        assert (upper - lower).max() / 2 <= both.loss
        alone = certified_solution(graph, couplings)
        monkeypatch.setattr(Problem, "moments", None)
        assert alone.log_partition in both.log_partition_interval

    def test_correlations_that_vanish_on_the_way(self):
        """Opposite corners of a frustrated square are uncorrelated; a path that passes them must go on."""
        edges = np.array([[0, 1], [1, 2], [2, 3], [0, 3], [2, 4], [4, 5]])
        couplings = np.array([1.0, 1.0, 1.0, -1.0, 0.5, 0.0])
        x, p, _ = brute_force(6, edges, couplings)
        found = certified_solution(plan(6, edges), couplings).correlations()
        np.testing.assert_allclose(found, (x.T * p) @ x, rtol=0, atol=1e-14)
        assert abs(found[0, 2]) < 1e-20

    def test_free_spins_are_uncorrelated(self):
        edges = grid_edges(6, 6)
        found = certified_solution(plan(36, edges), np.zeros(len(edges))).correlations()
        np.testing.assert_array_equal(found, np.eye(36))

    def test_entries_that_cannot_be_told_from_zero_are_bounded(self):
        def entry(p, q):
            return flint.arb(0, 1e-9)

        state = ball_correlations._Elimination((), (), flint.arb(1))
        state, first = ball_correlations._extend(state, 0, entry)
        _, second = ball_correlations._extend(state, 1, entry)
        assert first.contains(0) and float(first.rad()) == pytest.approx(1e-9)
        assert second.contains(0) and float(second.rad()) == pytest.approx(3e-18)


class TestPublishedValues:
    def test_all_strong_couplings(self):
        for case in strong_instances():
            graph, couplings = plan(case["L"] ** 2, np.array(case["edges"])), np.array(case["J"])
            interval = certified_log_partition(graph, couplings)
            assert interval.midpoint == pytest.approx(case["logZ_transfer"], rel=1e-12)
            assert interval.width <= 4e-13 * max(1.0, interval.upper)
            if case.get("moments_tree"):
                lower, upper = certified_moments(graph, couplings)
                np.testing.assert_allclose(0.5 * (lower + upper), case["moments_tree"], rtol=0, atol=1e-11)

    @pytest.mark.parametrize("length, digits", [(32, "1019.979981777209611116839"), (50, "2470.775083885515274866")])
    def test_large_grids_to_the_last_bit(self, length, digits):
        interval = certified_log_partition(*reference_grid(length))
        with flint.ctx.workprec(200):
            assert encloses(interval.lower, interval.upper, flint.arb(digits))
        assert interval.width <= 2e-12

    def test_moments_of_a_weak_model_agree_with_doubles(self):
        graph, couplings = reference_grid(20)
        lower, upper = certified_moments(graph, couplings)
        assert (upper - lower).max() <= 1e-12
        doubles = solve_dual(graph, couplings).moments()
        np.testing.assert_allclose(0.5 * (lower + upper), doubles, rtol=0, atol=1e-11)


class TestStrongCouplings:
    def test_solution_is_consistent_where_doubles_fail(self):
        case = next(c for c in strong_instances() if c["L"] == 10 and c["scale"] == 20)
        graph, couplings = plan(100, np.array(case["edges"])), np.array(case["J"])
        assert not solve_dual(graph, couplings).loss < 1e-6
        solved = certified_solution(graph, couplings)
        assert solved.loss <= 1e-12
        np.testing.assert_allclose(solved.moments(), case["moments_tree"], rtol=0, atol=1e-11)
        i, j = graph.edges.T
        np.testing.assert_allclose(solved.correlations()[i, j], solved.moments(), rtol=0, atol=1e-12)
        hessian = solved.hessian()
        np.testing.assert_array_equal(hessian, hessian.T)
        step = 1e-4
        shift = np.zeros(len(couplings))
        shift[77] = step
        ahead = certified_solution(graph, couplings + shift).moments()
        behind = certified_solution(graph, couplings - shift).moments()
        np.testing.assert_allclose(hessian[77], (ahead - behind) / (2 * step), rtol=0, atol=1e-6)

    def test_log_partition_is_convex_and_tends_to_an_integer(self):
        graph, couplings, facts = spin_glass("t2g10_5555_free_pmj")
        betas = np.array([0.2, 0.5, 1.0, 2.0, 5.0, 10.0, 50.0])
        values = np.array([certified_log_partition(graph, beta * couplings).midpoint for beta in betas])
        for beta, value in zip(betas[:4], values, strict=False):
            assert value == pytest.approx(float(facts[f"logZ_beta{beta}"]), rel=1e-13)
        slopes = np.diff(values) / np.diff(betas)
        assert (np.diff(slopes) > 0).all()
        excess = np.exp(values[-1] + 50.0 * float(facts["ground_energy"]))
        assert excess == pytest.approx(32, abs=1e-8)
        lower, upper = certified_moments(graph, 50.0 * couplings)
        assert (lower >= -1).all() and (upper <= 1).all() and (upper - lower).max() < 1e-12

    def test_a_gauge_changes_nothing(self):
        case = strong_instances()[7]
        graph, couplings = plan(case["L"] ** 2, np.array(case["edges"])), np.array(case["J"])
        spins = np.random.default_rng(0).choice([-1, 1], size=graph.n_spins)
        plain = certified_log_partition(graph, couplings)
        gauged = certified_log_partition(graph, couplings, spins=spins)
        assert gauged.midpoint == pytest.approx(plain.midpoint, rel=4 * ULP)
        lower, upper = certified_moments(graph, couplings, spins=spins)
        np.testing.assert_allclose(0.5 * (lower + upper), case["moments_tree"], rtol=0, atol=1e-11)


class TestPrecision:
    def test_too_few_bits_at_first_are_made_up_for(self, monkeypatch):
        graph, couplings = reference_grid(10)
        enough = certified_log_partition(graph, couplings)
        for bits in (12, 60, 90):
            monkeypatch.setattr(certified.Problem, "first_bits", lambda _, bits=bits: bits)
            again = certified_log_partition(graph, couplings)
            assert again.lower <= enough.upper and enough.lower <= again.upper
            assert again.width <= 2e-13 * enough.upper

    def test_tolerance_is_the_radius(self):
        graph, couplings = reference_grid(10)
        problem = certified.Problem.of(graph, couplings)
        ball, bits = certified.log_partition_ball(problem, lambda _: 1e-60)
        assert float(ball.rad()) <= 1e-60 and bits > 200

    def test_flint_is_left_as_it_was(self, monkeypatch):
        graph, couplings = reference_grid(4)
        with flint.ctx.workprec(77):
            certified_solution(graph, couplings).correlations()
            assert flint.ctx.prec == 77
            monkeypatch.setattr(certified, "MOST_BITS", 40)
            with pytest.raises(PrecisionError, match="40 bits are not enough"):
                certified_log_partition(graph, couplings)
            assert flint.ctx.prec == 77

    def test_flint_is_imported_only_when_needed(self):
        program = "import sys, isingmap.inference.proofs.proof; sys.exit('flint' in sys.modules)"
        assert subprocess.run([sys.executable, "-c", program]).returncode == 0

    @pytest.mark.parametrize("bad", [[np.nan, 1.0, 1.0], [np.inf, 1.0, 1.0], [1.0, 1.0]])
    def test_couplings_that_are_no_numbers(self, bad):
        graph = plan(3, np.array([[0, 1], [1, 2], [0, 2]]))
        with pytest.raises(ModelError, match="3 finite couplings"):
            certified_log_partition(graph, bad)

    @pytest.mark.parametrize("bad", [[1, -1], [1, 0, 1], [1, 1, np.nan]])
    def test_spins_that_are_no_gauge(self, bad):
        with pytest.raises(ModelError, match="3 spins of"):
            certified_log_partition(plan(3, np.array([[0, 1]])), [1.0], spins=bad)

    def test_hopeless_couplings_are_refused(self):
        graph = plan(3, np.array([[0, 1], [1, 2], [0, 2]]))
        with pytest.raises(PrecisionError, match="too strong"):
            certified_log_partition(graph, [1e308, 1e308, -1e308])
