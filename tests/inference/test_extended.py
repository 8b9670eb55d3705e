"""The auxiliary spin: what fields are in the extended model, in any order of its edges."""

import numpy as np
import pytest

from isingmap.errors import NonPlanarError
from isingmap.inference.extended import AUXILIARY, ExtendedGraph, extended_labels, extended_moments
from oracles import brute_force

# Fields of spins 2, 0 and couplings 0-1, 1-2, mixed as a search adds them.
MIXED = ExtendedGraph(3, np.array([[2, 3], [0, 1], [0, 3], [1, 2]]))
WITHOUT = ExtendedGraph.of(3, np.array([[0, 1], [1, 2]]), np.array([], np.int64))


def test_couplings_come_first_then_fields():
    graph = ExtendedGraph.of(3, np.array([[0, 1], [1, 2]]), np.array([0, 2]))
    assert graph.extended_edges.tolist() == [[0, 1], [1, 2], [0, 3], [2, 3]]
    assert graph.extended_edges.dtype == np.int64
    assert graph.n_nodes == 4
    assert WITHOUT.n_nodes == 3


def test_edges_and_fields_are_told_apart_in_any_order():
    assert MIXED.edges.tolist() == [[0, 1], [1, 2]]
    assert MIXED.free_fields.tolist() == [2, 0]
    assert MIXED.is_free.tolist() == [True, False, True]
    assert MIXED.n_edges == 2


def test_join_and_split_undo_each_other():
    joined = MIXED.join(np.array([0.1, 0.2]), np.array([1.0, 0.0, 3.0]))
    assert joined.tolist() == [3.0, 0.1, 1.0, 0.2]
    of_edges, of_spins = MIXED.split(joined)
    assert of_edges.tolist() == [0.1, 0.2]
    assert of_spins.tolist() == [1.0, 0.0, 3.0]


def test_renumbered_keeps_the_order_of_the_edges():
    moved = MIXED.renumbered(np.array([2, 0, 1]))
    assert moved.extended_edges.tolist() == [[1, 3], [2, 0], [2, 3], [0, 1]]


@pytest.mark.parametrize("graph", [MIXED, WITHOUT])
def test_the_extended_model_has_twice_the_weight_and_magnetizations_for_moments(graph):
    rng = np.random.default_rng(0)
    couplings, fields = rng.normal(size=2), rng.normal(size=3) * graph.is_free
    strengths = graph.join(couplings, fields)
    x, p, log_partition = brute_force(3, graph.edges, couplings, fields)
    y, q, extended = brute_force(graph.n_nodes, graph.extended_edges, strengths)
    assert graph.log_partition(extended) == pytest.approx(log_partition, abs=1e-12)
    products = y[:, graph.extended_edges[:, 0]] * y[:, graph.extended_edges[:, 1]]
    expected = graph.moments(x.T @ (p[:, None] * x), p @ x)
    np.testing.assert_allclose(q @ products, expected, rtol=0, atol=1e-14)
    best = graph.spins(y[np.argmax(q)].astype(np.int8))
    most_probable = x[np.argmax(p)].tolist()
    assert best.tolist() in ([most_probable] if graph.has_fields else [most_probable, [-v for v in most_probable]])
    assert graph.count(8) == (4 if graph.has_fields else 8)


def test_bounds_on_log_partition_stay_outside():
    lower, upper = MIXED.log_partition_bounds(1.0, 1.0)
    shifted = 1.0 - np.log(2.0)
    assert lower == np.nextafter(np.nextafter(shifted, -np.inf), -np.inf)
    assert upper == np.nextafter(np.nextafter(shifted, np.inf), np.inf)
    assert WITHOUT.log_partition_bounds(1.0, 2.0) == (1.0, 2.0)


def test_configurations_are_turned_by_the_auxiliary_spin():
    samples = np.array([[1, -1, 1, -1], [1, -1, 1, 1]], np.int8)
    assert MIXED.spins(samples).tolist() == [[-1, 1, -1], [1, -1, 1]]
    assert MIXED.spins(samples[0]).tolist() == [-1, 1, -1]
    assert WITHOUT.spins(samples[0, :3]).tolist() == [1, -1, 1]


def test_extended_moments_have_the_magnetizations_in_the_last_row():
    moments = np.array([[1.0, 0.5], [0.5, 1.0]], np.float32)
    extended = extended_moments(moments, np.array([0.1, 0.2]))
    assert extended.dtype == np.float32
    np.testing.assert_array_equal(extended, np.array([[1, 0.5, 0.1], [0.5, 1, 0.2], [0.1, 0.2, 1]], np.float32))
    np.testing.assert_array_equal(extended_moments(moments, None)[2], [0, 0, 1])


def test_an_error_is_explained_only_where_there_are_fields():
    error = NonPlanarError("not planar", kind="K5", subgraph=[("a", AUXILIARY)], branch_nodes=("a",))
    explained = MIXED.explained(error)
    assert "act like couplings to one more spin" in str(explained)
    assert (explained.kind, explained.subgraph, explained.branch_nodes) == ("K5", (("a", AUXILIARY),), ("a",))
    assert str(WITHOUT.explained(error)) == "not planar"
    assert extended_labels(("a", "b")) == ("a", "b", AUXILIARY)
