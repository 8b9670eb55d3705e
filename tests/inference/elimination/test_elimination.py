"""Elimination of variables against enumeration, transfer matrices and finite differences."""

import math

import numpy as np
import pytest

from isingmap.inference.elimination import solution as solution_module
from isingmap.inference.elimination.clique_tree import clique_tree, width_of
from isingmap.inference.elimination.solution import elimination_solution
from isingmap.inference.enumeration import enumerated_solution
from isingmap.inference.extended import ExtendedGraph
from oracles import brute_force, finite_differences, grid_edges, random_planar_edges

SCALES = (0.3, 2.0, 10.0, 50.0)


def random_edges(rng, n_spins):
    """Any graph: planar or not, also without edges, or in several pieces."""
    if rng.random() < 0.4:
        return random_planar_edges(rng, n_spins, rng.choice([0.3, 0.7, 1.0])).reshape(-1, 2)
    pairs = np.array([(i, j) for i in range(n_spins) for j in range(i)], np.int64).reshape(-1, 2)
    return pairs[rng.random(len(pairs)) < rng.choice([0.0, 0.2, 0.5, 1.0])]


def random_strengths(rng, size):
    """Uniform, tied, or over many orders of magnitude; some are 0."""
    scale = rng.choice(SCALES)
    kind = rng.integers(3)
    if kind == 0:
        values = scale * rng.uniform(-1, 1, size)
    elif kind == 1:
        values = scale * rng.choice([-1.0, 1.0], size)
    else:
        values = scale * rng.choice([-1.0, 1.0], size) * 10.0 ** rng.uniform(-6, 0, size)
    return np.where(rng.random(size) < 0.1, 0.0, values)


def random_case(seed, n_spins=None):
    rng = np.random.default_rng(seed)
    n_spins = int(rng.integers(1, 10)) if n_spins is None else n_spins
    free = np.flatnonzero(rng.random(n_spins) < rng.choice([0.0, 0.5, 1.0]))
    graph = ExtendedGraph.of(n_spins, random_edges(rng, n_spins), free)
    return graph, random_strengths(rng, len(graph.extended_edges)), rng


def solved(graph, strengths):
    return elimination_solution(graph, clique_tree(graph.n_spins, graph.edges), strengths)


@pytest.mark.parametrize("first", range(0, 400, 40))
def test_every_answer_is_that_of_enumeration(first):
    for seed in range(first, first + 40):
        graph, strengths, rng = random_case(seed)
        ours, truth = solved(graph, strengths), enumerated_solution(graph, strengths)
        assert ours.log_partition == pytest.approx(truth.log_partition, rel=1e-13, abs=1e-13)
        close = {"rtol": 0, "atol": 1e-12, "err_msg": str(seed)}
        np.testing.assert_allclose(ours.moments(), truth.moments(), **close)
        np.testing.assert_allclose(ours.magnetizations(), truth.magnetizations(), **close)
        np.testing.assert_allclose(ours.parameter_moments(), truth.parameter_moments(), **close)
        np.testing.assert_allclose(ours.correlations(), truth.correlations(), **close)
        np.testing.assert_allclose(ours.hessian(), truth.hessian(), **close)
        vector = rng.normal(size=len(strengths))
        np.testing.assert_allclose(ours.hessian_product(vector), truth.hessian_product(vector), **close)
        pairs = rng.integers(graph.n_spins, size=(5, 2))
        np.testing.assert_allclose(ours.pair_correlations(pairs), truth.pair_correlations(pairs), **close)
        if len(strengths):
            first_of, second_of = rng.integers(len(strengths), size=(2, 7))
            expected = truth.hessian_entries(first_of, second_of)
            np.testing.assert_allclose(ours.hessian_entries(first_of, second_of), expected, **close)


@pytest.mark.parametrize("scale", [1.0, 50.0, 1000.0])
def test_strong_couplings_against_sums_of_whole_numbers(scale):
    """log Z of +-J models with fields, whose levels are counted in whole numbers."""
    for seed in range(20):
        rng = np.random.default_rng(seed)
        n_spins = int(rng.integers(2, 10))
        graph = ExtendedGraph.of(n_spins, random_edges(rng, n_spins), np.arange(n_spins))
        whole = rng.integers(-2, 3, len(graph.extended_edges))
        of_edges, of_spins = graph.split(whole.astype(float))
        x, _, _ = brute_force(n_spins, graph.edges, of_edges, of_spins)
        energy = (x[:, graph.edges[:, 0]] * x[:, graph.edges[:, 1]]) @ of_edges + x @ of_spins
        levels, counts = np.unique(energy, return_counts=True)
        top = levels[-1]
        exact = scale * top + math.log(math.fsum(counts * np.exp(scale * (levels - top))))
        ours = solved(graph, scale * whole)
        assert ours.log_partition == pytest.approx(exact, rel=1e-13, abs=1e-13)
        best = x[energy == top]
        if scale == 1000.0:
            np.testing.assert_allclose(ours.magnetizations(), best.mean(axis=0), rtol=0, atol=1e-11)


def transfer_log_partition(n_rows, n_columns, across, down, fields):
    """log Z of a grid by transfer matrices, column by column: shares nothing with elimination."""
    state = np.array(np.meshgrid(*[[-1.0, 1.0]] * n_rows, indexing="ij")).reshape(n_rows, -1).T

    def within(c):
        return state @ fields[:, c] + (state[:, 1:] * state[:, :-1]) @ down[:, c]

    vector = within(0)
    for c in range(1, n_columns):
        between = (state * across[:, c - 1]) @ state.T + vector
        top = between.max(axis=1)
        vector = top + np.log(np.exp(between - top[:, None]).sum(axis=1)) + within(c)
    return vector.max() + np.log(np.exp(vector - vector.max()).sum())


@pytest.mark.parametrize("scale", [1.0, 20.0])
@pytest.mark.parametrize(("n_rows", "n_columns"), [(1, 30), (3, 40), (6, 20), (9, 9)])
def test_grids_with_fields_against_transfer_matrices(n_rows, n_columns, scale):
    rng = np.random.default_rng(n_rows)
    across = scale * rng.uniform(-1, 1, (n_rows, n_columns - 1))
    down = scale * rng.uniform(-1, 1, (n_rows - 1, n_columns))
    fields = scale * rng.uniform(-1, 1, (n_rows, n_columns))
    graph = ExtendedGraph.of(n_rows * n_columns, grid_edges(n_rows, n_columns), np.arange(n_rows * n_columns))
    strengths = graph.join(np.concatenate([across.ravel(), down.ravel()]), fields.ravel())
    truth = transfer_log_partition(n_rows, n_columns, across, down, fields)
    ours = solved(graph, strengths)
    assert ours.log_partition == pytest.approx(truth, rel=1e-12)
    # One moment as a difference quotient of an independent log Z.
    step = 1e-5 * scale
    values = []
    for sign in (1, -1):
        shifted = fields.copy()
        shifted[0, 0] += sign * step
        values.append(transfer_log_partition(n_rows, n_columns, across, down, shifted))
    assert ours.magnetizations()[0] == pytest.approx((values[0] - values[1]) / (2 * step), abs=1e-6)


def test_large_tables_are_worked_through_in_blocks():
    """Both arithmetics, in fronts beyond one block, agree with each other and with finite differences."""
    rng = np.random.default_rng(3)
    graph = ExtendedGraph.of(169, grid_edges(13, 13), np.arange(169))
    strengths = rng.normal(size=len(graph.extended_edges))
    tree = clique_tree(169, graph.edges)
    assert tree.width == 13
    ours = elimination_solution(graph, tree, strengths)
    logarithmic = elimination_solution(graph, tree, strengths)
    logarithmic.__dict__["_mode"] = np.int64(1)
    assert ours._mode == 0
    assert ours.log_partition == pytest.approx(logarithmic.log_partition, rel=1e-14)
    np.testing.assert_allclose(ours.parameter_moments(), logarithmic.parameter_moments(), rtol=0, atol=1e-13)
    pairs = np.array([[0, 168], [5, 90], [0, 1]])
    np.testing.assert_allclose(ours.pair_correlations(pairs)[2], ours.moments()[0], rtol=0, atol=1e-13)
    vector = rng.normal(size=len(strengths))
    step = 1e-5
    up, down = (solved(graph, strengths + sign * step * vector).parameter_moments() for sign in (1, -1))
    np.testing.assert_allclose(ours.hessian_product(vector), (up - down) / (2 * step), rtol=0, atol=1e-8)


def test_moments_are_derivatives_of_log_partition():
    graph, strengths, _ = random_case(11, n_spins=7)
    strengths = strengths / max(1.0, np.abs(strengths).max(initial=0.0))

    def log_partition(theta):
        return solved(graph, theta).log_partition

    def moments(theta):
        return solved(graph, theta).parameter_moments()

    ours = solved(graph, strengths)
    np.testing.assert_allclose(moments(strengths), finite_differences(log_partition, strengths), rtol=0, atol=1e-8)
    np.testing.assert_allclose(ours.hessian(), finite_differences(moments, strengths), rtol=0, atol=1e-8)


def test_samples_have_the_frequencies_of_the_model():
    graph, strengths, _ = random_case(4, n_spins=5)
    strengths = strengths / max(1.0, np.abs(strengths).max(initial=0.0))
    x, p, _ = brute_force(5, graph.edges, *graph.split(strengths))
    ours = solved(graph, strengths)
    drawn = ours.sample(100_000, np.random.default_rng(0))
    assert drawn.dtype == np.int8
    place = ((drawn + 1) // 2) @ (2 ** np.arange(5))
    frequency = np.bincount(place, minlength=32)[((x + 1) // 2) @ (2 ** np.arange(5))] / len(drawn)
    assert np.abs(frequency - p).max() < 4 * np.sqrt(0.25 / len(drawn))
    np.testing.assert_array_equal(drawn, ours.sample(100_000, np.random.default_rng(0)))
    assert ours.sample(0, np.random.default_rng(0)).shape == (0, 5)


def test_samples_do_not_depend_on_how_many_are_drawn_at_a_time(monkeypatch):
    graph, strengths, _ = random_case(4, n_spins=5)
    whole = solved(graph, strengths).sample(100, np.random.default_rng(1))
    monkeypatch.setattr("isingmap.inference.elimination.configurations.MOST_UNIFORMS", 35)
    np.testing.assert_array_equal(whole, solved(graph, strengths).sample(100, np.random.default_rng(1)))


def test_directions_are_worked_on_a_few_at_a_time(monkeypatch):
    graph, strengths, _ = random_case(8, n_spins=8)
    whole = solved(graph, strengths).hessian()
    monkeypatch.setattr(solution_module, "MOST_TOGETHER", 1)
    np.testing.assert_array_equal(whole, solved(graph, strengths).hessian())


@pytest.mark.parametrize("side", [4, 14, 20])
def test_large_grids_are_as_wide_as_their_sides(side):
    assert width_of(side * side, grid_edges(side, side)).width == side


def test_widths_of_known_graphs():
    assert width_of(1, np.empty((0, 2), np.int64)).width == 0
    assert width_of(50, np.array([(v, v + 1) for v in range(49)])).width == 1
    assert width_of(12, np.array([(v, (v + 1) % 12) for v in range(12)])).width == 2
    complete = np.array([(i, j) for i in range(21) for j in range(i)])
    assert width_of(21, complete).width == 20
    hub = np.array([(0, v) for v in range(1, 1000)])
    assert width_of(1000, hub).width == 1
    disconnected = np.vstack([grid_edges(4, 4), grid_edges(5, 5) + 16])
    assert width_of(41, disconnected).width == 5


def test_the_bound_on_the_spread_of_tables_holds():
    """Nothing underflows where probabilities are used as they are: their logarithms stay as near as is claimed."""
    for seed in range(60):
        graph, strengths, _ = random_case(seed)
        tree = clique_tree(graph.n_spins, graph.edges)
        bound = tree.spread(*graph.split(strengths))
        ours = elimination_solution(graph, tree, strengths)
        ours.__dict__["_mode"] = np.int64(1)
        chance = ours._conditionals[(ours._conditionals > 0) & (ours._conditionals < 0.5)]
        odds = np.log1p(-chance) - np.log(chance)
        assert odds.max(initial=0.0) <= bound + 1e-9
