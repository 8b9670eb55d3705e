"""Answers that do not need the whole inverse agree with those that do; the dissection is a valid one."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from isingmap.errors import ModelError
from isingmap.inference.zero_field import solution as solution_module
from isingmap.inference.zero_field.plan import gauge, plan
from isingmap.inference.zero_field.solution import solve_dual
from isingmap.planar.dissection import dissect
from oracles import brute_force, finite_differences, grid_edges, random_planar_edges

TIGHT = {"rtol": 0, "atol": 1e-10}


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 2**32 - 1), st.integers(2, 11), st.floats(0.2, 1), st.sampled_from([0.0, 0.3, 1.0, 2.0]))
def test_pairs_and_entries_at_any_size(seed, n_spins, share, scale):
    rng = np.random.default_rng(seed)
    edges = random_planar_edges(rng, n_spins, share)
    couplings = scale * rng.normal(size=len(edges))
    x, p, _ = brute_force(n_spins, edges, couplings)
    solved = solve_dual(plan(n_spins, edges), couplings)
    pairs = np.array([(i, j) for i in range(n_spins) for j in range(n_spins)])
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(solution_module, "MOST_SPINS_INVERTED", 0)
        found = solved.pair_correlations(pairs).reshape(n_spins, n_spins)
    np.testing.assert_allclose(found, x.T @ (p[:, None] * x), **TIGHT)
    if len(edges):
        first, second = rng.integers(0, len(edges), (2, 6))
        hessian = solved.hessian()
        np.testing.assert_allclose(solved.hessian_entries(first, second), hessian[first, second], **TIGHT)
        vector = rng.normal(size=len(edges))
        np.testing.assert_allclose(solved.hessian_product(vector), hessian @ vector, **TIGHT)


def test_hessian_product_of_a_larger_grid():
    rng = np.random.default_rng(0)
    edges = grid_edges(20, 20)
    couplings, vector = rng.normal(size=(2, len(edges)))
    graph = plan(400, edges)
    direction = finite_differences(lambda t: solve_dual(graph, couplings + t[0] * vector).moments(), [0.0])[0]
    np.testing.assert_allclose(solve_dual(graph, couplings).hessian_product(vector), direction, rtol=0, atol=1e-8)


def test_far_correlations_of_the_uniform_grid():
    """At any size, and with the reflection symmetry of the square."""
    graph = plan(60 * 60, grid_edges(60, 60))
    solved = solve_dual(graph, np.full(graph.n_edges, 0.44))
    corner = [0, 59, 60 * 59, 60 * 60 - 1]
    pairs = np.array([(corner[0], corner[1]), (corner[0], corner[2]), (corner[1], corner[3])])
    values = solved.pair_correlations(pairs)
    assert 0 < values[0] < 0.1
    np.testing.assert_allclose(values, values[0], rtol=1e-8)
    neighbours = solved.pair_correlations(graph.edges[:5])
    np.testing.assert_allclose(neighbours, solved.moments()[:5], **TIGHT)


def test_all_pairs_are_refused_where_memory_ends():
    graph = plan(60 * 60, grid_edges(60, 60))
    with pytest.raises(ModelError, match=r"3600 x 3600 correlations need 7 GB.*correlations\(pairs\)"):
        solve_dual(graph, np.zeros(graph.n_edges)).correlations()


def test_digits_survive_on_large_random_grids():
    """The loss grows with the length of the chains of supernodes; short chains keep it small."""
    edges = grid_edges(200, 200)
    couplings = np.random.default_rng(1).uniform(-1, 1, len(edges))
    graph = plan(200 * 200, edges)
    solved = solve_dual(graph, couplings)
    assert solved.loss < 1e-10
    with_other_gauge = solve_dual(graph, couplings, np.ones(200 * 200))
    np.testing.assert_allclose(with_other_gauge.log_partition, solved.log_partition, rtol=1e-13)


def test_hubs_cost_nothing_extra():
    n_spins = 20_000
    star = np.stack([np.zeros(n_spins - 1, int), np.arange(1, n_spins)], axis=1)
    ring = np.stack([np.arange(1, n_spins), np.roll(np.arange(1, n_spins), -1)], axis=1)
    graph = plan(n_spins, np.vstack([star, ring]))
    assert graph.elimination.largest_front < 400
    couplings = np.random.default_rng(1).normal(size=graph.n_edges)
    solved = solve_dual(graph, couplings)
    assert solved.loss < 1e-10
    tree = solve_dual(plan(n_spins, star), couplings[: n_spins - 1])
    expected = n_spins * np.log(2) + np.log(np.cosh(couplings[: n_spins - 1])).sum()
    np.testing.assert_allclose(tree.log_partition, expected, rtol=1e-13)


def test_cut_and_join():
    """Two models that share one spin: their partition functions multiply, less one free spin."""
    rng = np.random.default_rng(2)
    left, right = random_planar_edges(rng, 15), random_planar_edges(rng, 12)
    a, b = rng.normal(size=len(left)), rng.normal(size=len(right))
    shifted = np.where(right == 0, 14, right + 14)
    joined = solve_dual(plan(26, np.vstack([left, shifted])), np.concatenate([a, b])).log_partition
    parts = solve_dual(plan(15, left), a).log_partition + solve_dual(plan(12, right), b).log_partition
    np.testing.assert_allclose(joined, parts - np.log(2), rtol=1e-13)


@pytest.mark.parametrize("n_nodes", [1, 5, 17, 200, 3000])
def test_dissection_is_an_elimination_tree(n_nodes):
    rng = np.random.default_rng(n_nodes)
    graph = plan(n_nodes, random_planar_edges(rng, n_nodes, 0.8))
    following = graph.triangulation.next_in_face
    neighbours = (np.stack([following, following[following]], axis=1) >> 1).reshape(-1, 4)
    tree = dissect(neighbours)
    assert sorted(tree.order.tolist()) == list(range(len(neighbours)))
    owner = np.repeat(np.arange(len(tree.parent)), np.diff(tree.first))
    node_of = np.empty(len(neighbours), int)
    node_of[tree.order] = owner
    assert ((tree.parent > np.arange(len(tree.parent))) | (tree.parent == -1)).all()
    ancestors = [set() for _ in tree.parent]
    for t in range(len(tree.parent) - 1, -1, -1):
        if tree.parent[t] >= 0:
            ancestors[t] = ancestors[tree.parent[t]] | {tree.parent[t]}
    for v, around in enumerate(neighbours):
        for w in around:
            a, b = node_of[v], node_of[w]
            assert a == b or a in ancestors[b] or b in ancestors[a]


def test_gauge_satisfies_the_strongest_edges():
    rng = np.random.default_rng(3)
    edges = random_planar_edges(rng, 40)
    couplings = rng.normal(size=len(edges))
    spins = gauge(40, edges, couplings)
    assert set(np.unique(spins)) <= {-1.0, 1.0}
    strongest = np.argmax(np.abs(couplings))
    i, j = edges[strongest]
    assert couplings[strongest] * spins[i] * spins[j] > 0
    tree = np.array([(k + 1, rng.integers(0, k + 1)) for k in range(39)])
    theta = rng.normal(size=39)
    spins = gauge(40, tree, theta)
    assert (theta * spins[tree[:, 0]] * spins[tree[:, 1]] >= 0).all()
