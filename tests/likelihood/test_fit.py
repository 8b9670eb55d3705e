"""The fit recovers models, is stationary, knows when it does not exist, and says so in names."""

import re

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import linprog, minimize

from isingmap import IsingModel, fit_couplings
from isingmap.errors import DataError, ModelError, NoEstimateError, NonPlanarError
from isingmap.likelihood.existence import closing_obstacle, find_obstacle
from isingmap.likelihood.fit import tree_couplings
from oracles import brute_force, finite_differences, random_planar_edges


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 2**32 - 1), st.integers(2, 25), st.sampled_from([0.1, 0.5, 1.0]))
def test_couplings_come_back(seed, n_spins, scale):
    rng = np.random.default_rng(seed)
    edges = random_planar_edges(rng, n_spins, rng.random())
    model = IsingModel(edges, scale * rng.normal(size=len(edges)), n_spins=n_spins)
    fit = fit_couplings(edges, model.moments(), n_spins=n_spins)
    assert fit.converged
    assert fit.gradient_norm <= 1e-8
    np.testing.assert_allclose(fit.model.moments(), model.moments(), rtol=0, atol=1e-8)
    np.testing.assert_allclose(fit.model.couplings, model.couplings, rtol=0, atol=1e-4)


def test_fields_come_back():
    rng = np.random.default_rng(0)
    edges = [(k, (k + 1) % 9) for k in range(9)] + [(0, 2), (2, 5), (5, 7)]
    model = IsingModel(edges, rng.normal(size=12), rng.normal(size=9))
    fit = fit_couplings(edges, model.moments(), magnetizations=model.magnetizations(), n_samples=1000)
    np.testing.assert_allclose(fit.model.couplings, model.couplings, rtol=0, atol=1e-6)
    np.testing.assert_allclose(fit.model.fields, model.fields, rtol=0, atol=1e-6)
    # The moments are exact, so the log-likelihood of 1000 samples is minus 1000 entropies.
    assert fit.log_likelihood == pytest.approx(-1000 * model.entropy(), rel=1e-9)
    expected = np.sqrt(np.diagonal(np.linalg.inv(model.hessian())) / 1000)
    np.testing.assert_allclose(fit.standard_errors, expected, rtol=1e-4)


def test_against_a_general_optimiser():
    rng = np.random.default_rng(4)
    edges = random_planar_edges(rng, 6, 1.0)
    data = rng.choice([-1, 1], size=(60, 6)) * rng.choice([-1, 1], size=(60, 1))
    moments = (data.T @ data / 60)[edges[:, 0], edges[:, 1]]

    def loss(theta):
        return brute_force(6, edges, theta)[2] - moments @ theta

    best = minimize(loss, np.zeros(len(edges)), method="BFGS", options={"gtol": 1e-9})
    fit = fit_couplings(edges, moments, n_spins=6)
    np.testing.assert_allclose(fit.model.couplings, best.x, rtol=0, atol=1e-6)
    assert fit.log_likelihood == pytest.approx(-best.fun, rel=1e-10)


def test_the_gradient_is_the_one_of_the_likelihood():
    rng = np.random.default_rng(8)
    edges = random_planar_edges(rng, 8, 1.0)
    theta = rng.normal(size=len(edges))
    moments = 0.3 * rng.normal(size=len(edges))

    def value(t):
        return moments @ t - IsingModel(edges, t, n_spins=8).log_partition()

    gradient = moments - IsingModel(edges, theta, n_spins=8).moments()
    np.testing.assert_allclose(finite_differences(value, theta), gradient, rtol=0, atol=1e-8)


def interior_by_linear_programming(n_spins, edges, moments):
    """Is the moment vector a strictly positive mixture of all configurations?"""
    x, _, _ = brute_force(n_spins, [], [])
    x = x[x[:, 0] > 0]
    products = x[:, edges[:, 0]] * x[:, edges[:, 1]]
    count = len(x)
    equations = np.hstack([np.vstack([products.T, np.ones(count)]), np.zeros((len(edges) + 1, 1))])
    at_least = np.hstack([-np.eye(count), np.ones((count, 1))])
    best = linprog(
        np.append(np.zeros(count), -1.0),
        A_eq=equations,
        b_eq=np.append(moments, 1.0),
        A_ub=at_least,
        b_ub=np.zeros(count),
    )
    return best.status == 0 and -best.fun > 1e-9


@pytest.mark.parametrize("seed", range(10))
def test_existence_against_linear_programming(seed):
    rng = np.random.default_rng(seed)
    seen = set()
    for trial in range(25):
        n_spins = int(rng.integers(3, 8))
        edges = random_planar_edges(rng, n_spins, 0.95)
        data = rng.choice([-1, 1], size=(int(rng.integers(3, 14)), n_spins))
        if trial % 2:  # correlated columns
            data = np.sign(data + 1.2 * data[:, :1] * rng.choice([-1, 1], size=n_spins) + 0.01)
        moments = np.mean(data[:, edges[:, 0]] * data[:, edges[:, 1]], axis=0)
        exists = interior_by_linear_programming(n_spins, edges, moments)
        assert (find_obstacle(n_spins, edges, moments) is None) == exists
        seen.add(exists)
    assert seen == {True, False}


@pytest.mark.parametrize("seed", range(10))
def test_closing_a_cycle_is_refused_where_the_whole_graph_is(seed):
    rng = np.random.default_rng(seed)
    seen = set()
    for _ in range(40):
        n_spins = int(rng.integers(2, 9))
        edges = random_planar_edges(rng, n_spins, 0.9)
        data = rng.choice([-1, 1], size=(int(rng.integers(4, 16)), n_spins))
        moments = np.mean(data[:, edges[:, 0]] * data[:, edges[:, 1]], axis=0)
        if not len(edges) or find_obstacle(n_spins, edges[:-1], moments[:-1]) is not None:
            continue
        whole = find_obstacle(n_spins, edges, moments)
        closing = closing_obstacle(*edges[-1].tolist(), moments[-1], n_spins, edges[:-1], moments[:-1])
        assert (closing is None) == (whole is None)
        if closing is not None:
            assert closing.slack == pytest.approx(whole.slack, abs=1e-12)
            assert closing.slack == pytest.approx(slack_by_hand(closing, edges, moments), abs=1e-12)
        seen.add(len(closing.nodes) if closing else 0)
    assert 0 in seen and len(seen) > 1


def test_a_little_slack_is_enough():
    edges, moments = np.array([(0, 1), (1, 2)]), np.array([0.5, 0.5])
    assert closing_obstacle(0, 2, 1e-8, 3, edges, moments) is None
    assert closing_obstacle(0, 2, 0.0, 3, edges, moments) is not None


def slack_by_hand(obstacle, edges, moments):
    """Left-hand side of the inequality minus 2; of a pair 1 - |mu|."""
    mu = {frozenset(edge): moment for edge, moment in zip(edges.tolist(), moments, strict=True)}
    nodes, odd = obstacle.nodes, {frozenset(edge) for edge in obstacle.odd_edges}
    if len(nodes) == 2:
        return 1 - mu[frozenset(nodes)] * (-1 if odd else 1)
    around = [frozenset(pair) for pair in zip(nodes, nodes[1:] + nodes[:1], strict=True)]
    assert len(odd & set(around)) % 2 == 1
    return sum(1 + mu[edge] if edge in odd else 1 - mu[edge] for edge in around) - 2


def test_the_offending_pair_is_named():
    with pytest.raises(NoEstimateError, match="Ann and Bob always agree.*prior=1") as caught:
        fit_couplings([(0, 1), (1, 2)], [1.0, 0.2], names=["Ann", "Bob", "Cid"])
    assert caught.value.cycle == ("Ann", "Bob")
    with pytest.raises(NoEstimateError, match=r"exist: Bob is always -1\."):
        fit_couplings([(0, 1)], [0.2], magnetizations=[0.1, -1.0], names=["Ann", "Bob"])
    with pytest.raises(NoEstimateError, match="Bob and Cid always differ"):
        fit_couplings([(0, 1), (1, 2)], [0.5, -1.0], names=["Ann", "Bob", "Cid"])


def test_the_offending_cycle_is_named():
    square = [(0, 1), (1, 2), (2, 3), (0, 3)]
    names = ["Reed", "Dodd", "Kerry", "Whitehouse"]
    with pytest.raises(NoEstimateError, match="in every observation exactly one of these holds: ") as caught:
        fit_couplings(square, [0.75, 0.75, 0.5, 0.0], names=names)
    assert set(caught.value.cycle) == set(names)
    assert [set(edge) for edge in caught.value.odd_edges] == [{"Reed", "Whitehouse"}]
    # (1 - 0.75) / 2 of the rows differ in the first pair, and so on, and (1 + 0) / 2 agree in the last.
    events = re.search(r"holds: (.*?)\. Some", str(caught.value)).group(1).split("; ")
    pairs = {(frozenset(event.split()[:3:2]), event.split()[3]) for event in events}
    assert pairs == {(frozenset((names[i], names[j])), "differ") for i, j in square[:3]} | {
        (frozenset(("Reed", "Whitehouse")), "agree")
    }


def test_an_offending_triangle_is_told_by_what_never_occurs():
    triangle, names = [(0, 1), (1, 2), (0, 2)], ["Reed", "Dodd", "Whitehouse"]
    said = "of Reed = +1, Dodd = -1 and Whitehouse = +1 never exactly 0 or 3 hold"
    with pytest.raises(NoEstimateError, match=re.escape(said)) as caught:
        fit_couplings(triangle, [0.5, 0.5, 0.0], names=names)
    assert set(caught.value.cycle) == set(names)
    assert [set(edge) for edge in caught.value.odd_edges] == [{"Reed", "Whitehouse"}]
    with pytest.raises(NoEstimateError, match="no distribution has these moments"):
        fit_couplings(triangle, [0.9, 0.9, 0.0], names=names)


def test_a_prior_makes_the_fit_exist_and_shows():
    triangle = [(0, 1), (1, 2), (0, 2)]
    fit = fit_couplings(triangle, [0.5, 0.5, 0.0], n_samples=40, prior=1)
    np.testing.assert_allclose(fit.model.moments(), np.array([0.5, 0.5, 0.0]) * 40 / 41, rtol=0, atol=1e-9)
    assert fit.status.endswith("prior of 1 pseudo-observation")
    with pytest.raises(ModelError, match="needs n_samples"):
        fit_couplings(triangle, [0.5, 0.5, 0.0], prior=1)
    with pytest.raises(ModelError, match="prior must be a positive number"):
        fit_couplings(triangle, [0.5, 0.5, 0.0], prior=-1, n_samples=40)


def test_near_the_edge_of_existence():
    for slack in (1e-2, 1e-4, 1e-6, 1e-8):
        fit = fit_couplings([(0, 1), (1, 2), (0, 2)], [0.5, 0.5, slack])
        assert fit.converged
        np.testing.assert_allclose(fit.model.moments(), [0.5, 0.5, slack], rtol=0, atol=1e-8)


def test_bad_input_is_named():
    with pytest.raises(NonPlanarError, match="K5"):
        fit_couplings([(i, j) for i in range(5) for j in range(i)], np.zeros(10))
    with pytest.raises(DataError, match=r"moments\[1\] is 1.5"):
        fit_couplings([(0, 1), (1, 2)], [0.1, 1.5])
    with pytest.raises(DataError, match=r"moments\[0\] is 1.0001"):
        fit_couplings([(0, 1), (1, 2)], [1.0001, 0.1], prior=1, n_samples=10)
    with pytest.raises(DataError, match=r"moments\[0\] is nan"):
        fit_couplings([(0, 1), (1, 2)], [np.nan, 0.5])
    with pytest.raises(ModelError, match=r"moments must have shape \(2,\)"):
        fit_couplings([(0, 1), (1, 2)], [0.1])
    with pytest.raises(ModelError, match="need the magnetizations"):
        fit_couplings([(0, 1)], [0.1], free_fields=[True, True])


def test_a_matrix_of_moments_is_read_by_edges():
    model = IsingModel([(0, 1), (1, 2)], [0.4, -0.8])
    fit = fit_couplings(model.edges, model.correlations())
    np.testing.assert_allclose(fit.model.couplings, model.couplings, rtol=0, atol=1e-9)


def test_a_tree_is_fitted_in_closed_form():
    rng = np.random.default_rng(1)
    edges = np.array([(k + 1, rng.integers(0, k + 1)) for k in range(30)])
    moments = rng.uniform(-0.99, 0.99, 30)
    fit = fit_couplings(edges, moments, n_samples=10)
    assert fit.n_iter == 0
    np.testing.assert_allclose(fit.model.couplings, np.arctanh(moments), rtol=1e-14)
    share = np.stack([1 + moments, 1 - moments]) / 2  # of rows in which the ends of an edge agree, and differ
    assert fit.log_likelihood == pytest.approx(10 * ((share * np.log(share)).sum() - np.log(2)), rel=1e-13)


def test_blocks_that_share_a_node_are_fitted_apart():
    rng = np.random.default_rng(2)
    parts = [random_planar_edges(rng, 9), random_planar_edges(rng, 7) + 8]  # they share node 8
    moments = [IsingModel(part, 0.5 * rng.normal(size=len(part)), n_spins=16).moments() for part in parts]
    joined = fit_couplings(np.vstack(parts), np.concatenate(moments), n_spins=16)
    apart = [fit_couplings(part, mu, n_spins=16) for part, mu in zip(parts, moments, strict=True)]
    np.testing.assert_allclose(
        joined.model.couplings, np.concatenate([fit.model.couplings for fit in apart]), rtol=0, atol=1e-12
    )
    assert joined.n_iter == max(fit.n_iter for fit in apart)
    assert joined.gradient_norm == pytest.approx(max(fit.gradient_norm for fit in apart), abs=1e-12)
    np.testing.assert_allclose(joined.model.moments(), np.concatenate(moments), rtol=0, atol=1e-8)


def test_fits_start_from_the_best_spanning_forest():
    edges = np.array([(0, 1), (1, 2), (0, 2), (3, 4)])
    start = tree_couplings(5, edges, np.array([-0.9, 0.3, 0.5, 0.2]))
    np.testing.assert_allclose(start, np.arctanh([-0.9, 0.0, 0.5, 0.2]), rtol=1e-14)
