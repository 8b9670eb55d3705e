"""The real engine, the printed Kac-Ward formulas and enumeration agree; published exact values are met."""

import csv
import json

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from isingmap import IsingModel
from isingmap.errors import NonPlanarError, PrecisionError
from isingmap.inference.enumeration import enumerate_model
from isingmap.inference.kac_ward import solve_kac_ward
from isingmap.inference.zero_field.plan import plan
from isingmap.inference.zero_field.solution import solve_dual
from oracles import brute_force, finite_differences, grid_edges, random_planar_edges, shared_file

TIGHT = {"rtol": 0, "atol": 1e-10}


def moments_of(configurations, probabilities, edges):
    return probabilities @ (configurations[:, edges[:, 0]] * configurations[:, edges[:, 1]])


def hessian_of(configurations, probabilities, edges):
    products = configurations[:, edges[:, 0]] * configurations[:, edges[:, 1]]
    return np.cov(products.T, aweights=probabilities, ddof=0).reshape(len(edges), len(edges))


@settings(max_examples=80, deadline=None)
@given(st.integers(0, 2**32 - 1), st.integers(1, 11), st.floats(0, 1), st.sampled_from([1e-12, 0.1, 1.0, 3.0]))
def test_against_brute_force(seed, n_spins, share, scale):
    rng = np.random.default_rng(seed)
    edges = random_planar_edges(rng, n_spins, share)
    couplings = scale * rng.normal(size=len(edges))
    x, p, log_partition = brute_force(n_spins, edges, couplings)
    solved = solve_dual(plan(n_spins, edges), couplings)
    np.testing.assert_allclose(solved.log_partition, log_partition, rtol=1e-12)
    try:
        np.testing.assert_allclose(solved.correlations(), x.T @ (p[:, None] * x), **TIGHT)
    except PrecisionError:  # beyond doubles alone: what the ladder is for
        assert scale == 3.0
    assert solved.loss < 1e-9
    if len(edges):
        np.testing.assert_allclose(solved.moments(), moments_of(x, p, edges), **TIGHT)
        np.testing.assert_allclose(solved.hessian(), hessian_of(x, p, edges), **TIGHT)


@pytest.mark.parametrize("seed", range(15))
def test_kac_ward_as_printed_agrees(seed):
    rng = np.random.default_rng(seed)
    n_spins = int(rng.integers(2, 30))
    edges = random_planar_edges(rng, n_spins, rng.random())
    couplings = 0.7 * rng.normal(size=len(edges))
    real = solve_dual(plan(n_spins, edges), couplings)
    printed = solve_kac_ward(n_spins, edges, couplings)
    np.testing.assert_allclose(printed.log_partition, real.log_partition, rtol=1e-11)
    np.testing.assert_allclose(printed.moments, real.moments(), **TIGHT)
    np.testing.assert_allclose(printed.hessian, real.hessian(), **TIGHT)


def test_kac_ward_does_not_depend_on_the_drawing():
    edges = grid_edges(3, 3)
    couplings = np.random.default_rng(0).normal(size=12)
    square = np.array([(i, j) for i in range(3) for j in range(3)], dtype=float)
    skewed = square @ np.array([[1.0, 0.4], [-0.3, 2.0]])
    first = solve_kac_ward(9, edges, couplings, positions=square)
    second = solve_kac_ward(9, edges, couplings, positions=skewed)
    np.testing.assert_allclose(first.log_partition, second.log_partition, rtol=1e-13)
    np.testing.assert_allclose(first.log_partition, brute_force(9, edges, couplings)[2], rtol=1e-13)


def test_enumeration_is_an_independent_witness():
    rng = np.random.default_rng(1)
    edges = random_planar_edges(rng, 7)
    couplings, fields = rng.normal(size=len(edges)), rng.normal(size=7)
    x, p, log_partition = brute_force(7, edges, couplings, fields)
    table = enumerate_model(7, edges, couplings, fields)
    np.testing.assert_allclose(table.log_partition, log_partition, rtol=1e-13)
    np.testing.assert_allclose(table.magnetizations(), p @ x, **TIGHT)
    features = np.hstack([x[:, edges[:, 0]] * x[:, edges[:, 1]], x[:, [2, 5]]])
    np.testing.assert_allclose(table.hessian(edges, np.array([2, 5])), np.cov(features.T, aweights=p, ddof=0), **TIGHT)


def test_derivatives_by_finite_differences():
    rng = np.random.default_rng(5)
    edges = random_planar_edges(rng, 25, 0.9)
    couplings = 0.5 * rng.normal(size=len(edges))
    graph = plan(25, edges)
    solved = solve_dual(graph, couplings)
    gradient = finite_differences(lambda theta: solve_dual(graph, theta).log_partition, couplings)
    np.testing.assert_allclose(gradient, solved.moments(), rtol=0, atol=1e-8)
    jacobian = finite_differences(lambda theta: solve_dual(graph, theta).moments(), couplings)
    np.testing.assert_allclose(jacobian, solved.hessian(), rtol=0, atol=1e-8)


def test_closed_forms_of_tree_and_cycle():
    rng = np.random.default_rng(2)
    theta = rng.normal(size=50)
    tree = np.array([(k + 1, rng.integers(0, k + 1)) for k in range(50)])
    tree_value = 51 * np.log(2) + np.log(np.cosh(theta)).sum()
    np.testing.assert_allclose(solve_dual(plan(51, tree), theta).log_partition, tree_value, rtol=1e-13)
    cycle = np.array([(k, (k + 1) % 50) for k in range(50)])
    cycle_value = 50 * np.log(2) + np.log(np.prod(np.cosh(theta)) + np.prod(np.sinh(theta)))
    np.testing.assert_allclose(solve_dual(plan(50, cycle), theta).log_partition, cycle_value, rtol=1e-13)


def test_gauge_zero_edges_and_relabelling_change_nothing():
    rng = np.random.default_rng(3)
    edges = random_planar_edges(rng, 20)
    theta = rng.normal(size=len(edges))
    base = solve_dual(plan(20, edges), theta)
    spins = rng.choice([-1, 1], 20)
    flipped = solve_dual(plan(20, edges), theta * spins[edges[:, 0]] * spins[edges[:, 1]])
    np.testing.assert_allclose(flipped.log_partition, base.log_partition, rtol=1e-13)
    np.testing.assert_allclose(flipped.correlations(), np.outer(spins, spins) * base.correlations(), **TIGHT)
    order = rng.permutation(20)
    moved = solve_dual(plan(20, order[edges]), theta)
    np.testing.assert_allclose(moved.log_partition, base.log_partition, rtol=1e-13)
    np.testing.assert_allclose(moved.correlations()[np.ix_(order, order)], base.correlations(), **TIGHT)
    fewer = theta.copy()
    fewer[::3] = 0.0
    without = np.flatnonzero(fewer)
    np.testing.assert_allclose(
        solve_dual(plan(20, edges), fewer).log_partition,
        solve_dual(plan(20, edges[without]), fewer[without]).log_partition,
        rtol=1e-13,
    )


def test_published_values_of_free_grids():
    with open(shared_file("ising_exact/logZ_uniform.csv")) as stream:
        rows = [row for row in csv.DictReader(stream) if row["boundary"] == "free"]
    assert len(rows) > 50
    for row in rows:
        side = int(row["L"])
        edges = grid_edges(side, side)
        solved = solve_dual(plan(side * side, edges), np.full(len(edges), float(row["beta"])))
        np.testing.assert_allclose(solved.log_partition, float(row["logZ"]), rtol=1e-12)


def test_published_values_of_spin_glasses():
    folder = shared_file("spin_glass/planar_free/reference.csv").parent
    with open(folder / "reference.csv") as stream:
        rows = list(csv.DictReader(stream))
    for row in rows:
        table = np.loadtxt(folder / f"{row['instance']}.csv", delimiter=",", skiprows=1)
        graph = plan(int(row["n"]), table[:, :2].astype(int))
        for beta in ("0.2", "0.5", "1.0"):
            solved = solve_dual(graph, float(beta) * table[:, 2])
            np.testing.assert_allclose(solved.log_partition, float(row[f"logZ_beta{beta}"]), rtol=1e-11)
            assert solved.loss < 1e-8


def test_reference_graphs():
    with open(shared_file("reference/exact_values.json")) as stream:
        graphs = json.load(stream)["small_graphs"]["data"]
    assert len(graphs) == 19
    for graph in graphs.values():
        edges = np.array(graph["edges"], dtype=np.int64).reshape(-1, 2)
        model = IsingModel(edges, graph["theta"], graph.get("field"), n_spins=graph["n"])
        np.testing.assert_allclose(model.log_partition(), graph["logZ"], rtol=1e-12)
        np.testing.assert_allclose(model.moments(), graph["edge_moments"], **TIGHT)
        np.testing.assert_allclose(model.correlations(), graph["pair_correlations"], **TIGHT)
        np.testing.assert_allclose(model.magnetizations(), graph.get("mean", np.zeros(graph["n"])), **TIGHT)
        if "field" not in graph:
            np.testing.assert_allclose(np.trace(model.hessian()), graph["hessian_trace"], **TIGHT)


def test_density_of_states_of_free_grids():
    """log Z at several temperatures from the exact integer counts of free grids."""
    with open(shared_file("reference/exact_values.json")) as stream:
        block = json.load(stream)["free_square_grid_exact_dos"]["data"]
    assert block
    with open(shared_file("ising_exact/density_of_states.csv")) as stream:
        rows = [row for row in csv.DictReader(stream) if row["boundary"] == "free"]
    for side in sorted({int(row["L"]) for row in rows}):
        levels = [(int(row["energy_J1"]), int(row["count"])) for row in rows if int(row["L"]) == side]
        edges = grid_edges(side, side)
        for beta in (0.1, 0.4, 1.3, 4.0):
            exact = np.logaddexp.reduce([np.log(float(count)) - beta * energy for energy, count in levels])
            solved = solve_dual(plan(side * side, edges), np.full(len(edges), beta))
            np.testing.assert_allclose(solved.log_partition, exact, rtol=1e-13)


def cylinder_edges(ring, length):
    node = np.arange(ring * length).reshape(length, ring)
    around = np.stack([node.ravel(), np.roll(node, -1, axis=1).ravel()], axis=1)
    along = np.stack([node[:-1].ravel(), node[1:].ravel()], axis=1)
    return around, along


def test_closed_form_of_cylinders():
    with open(shared_file("reference/exact_values.json")) as stream:
        values = json.load(stream)["cylinder_closed_form"]["values"]
    sizes = [value for value in values if value["n"] <= 256]  # the largest, 1000 x 1000, is in benchmarks/
    assert len(sizes) == 10
    for value in sizes:
        around, along = cylinder_edges(value["n"], value["m"])
        couplings = np.repeat([float(value["Kx"]), float(value["Ky"])], [len(around), len(along)])
        solved = solve_dual(plan(value["n"] * value["m"], np.vstack([around, along])), couplings)
        np.testing.assert_allclose(solved.log_partition, float(value["logZ"]), rtol=1e-13)


def test_the_torus_is_refused():
    around, along = cylinder_edges(4, 4)
    closing = np.stack([np.arange(12, 16), np.arange(4)], axis=1)
    with pytest.raises(NonPlanarError, match="K3,3|K5"):
        plan(16, np.vstack([around, along, closing]))


def test_loss_is_measured_where_doubles_fail():
    with open(shared_file("reference/strong_coupling.json")) as stream:
        instances = json.load(stream)
    failing = 0
    for instance in instances:
        graph = plan(instance["L"] ** 2, np.array(instance["edges"]))
        solved = solve_dual(graph, np.array(instance["J"]))
        error = abs(solved.log_partition - float(instance["logZ_transfer"]))
        assert error <= max(solved.loss, 1e-11 * abs(solved.log_partition))
        failing += error > 1e-6
    assert failing >= 3  # the instances are strong enough to make the statement above worth something
