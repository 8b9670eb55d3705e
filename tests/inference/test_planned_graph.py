"""A graph is planned once, whether it is planar or not."""

import numpy as np
import pytest

from isingmap.errors import NonPlanarError
from isingmap.inference import planned_graph
from isingmap.inference.engine import proved, solve
from isingmap.inference.extended import ExtendedGraph
from isingmap.inference.ground_states.ground_state import ground_state_of
from isingmap.inference.planned_graph import PlannedGraph
from isingmap.inference.zero_field.plan import plan
from oracles import grid_edges


def complete(n):
    return np.array([(i, j) for j in range(n) for i in range(j)])


def planned(n_spins, edges, fields=()):
    graph = ExtendedGraph.of(n_spins, np.asarray(edges), np.asarray(fields, np.int64))
    return PlannedGraph(graph, tuple(f"s{k}" for k in range(n_spins)))


@pytest.fixture
def looks(monkeypatch):
    """How often a graph has been embedded and how often ordered."""
    counts = {"triangulated": 0, "plan_of": 0, "width_of": 0, "clique_tree": 0}

    def counting(name):
        original = getattr(planned_graph, name)

        def counted(*arguments, **options):
            counts[name] += 1
            return original(*arguments, **options)

        monkeypatch.setattr(planned_graph, name, counted)

    for name in counts:
        counting(name)
    return counts


def log_partition(proof):
    return proof.log_partition()


@pytest.mark.usefixtures("determinants")
def test_all_questions_share_one_plan(looks):
    graph = planned(9, grid_edges(3, 3), [0])
    strengths = np.random.default_rng(0).normal(size=13)
    ground_state_of(graph, strengths)
    assert (looks["triangulated"], looks["plan_of"]) == (1, 0)  # a ground state needs no order of elimination
    solve(graph, strengths)
    proved(graph, strengths, log_partition)
    solve(graph, 2 * strengths)
    assert looks == {"triangulated": 1, "plan_of": 1, "width_of": 0, "clique_tree": 0}


def test_a_graph_that_is_not_planar_has_one_plan_too(looks):
    graph = planned(9, complete(9), [0, 3])
    strengths = np.random.default_rng(0).normal(size=38)
    ground_state_of(graph, strengths)
    assert solve(graph, strengths).method == "elimination"
    proved(graph, strengths, log_partition)
    solve(graph, 2 * strengths)
    assert looks == {"triangulated": 1, "plan_of": 0, "width_of": 1, "clique_tree": 1}


def test_the_plan_is_that_of_the_extended_graph():
    graph = planned(2, [(0, 1)], [1])
    whole = plan(3, np.array([(0, 1), (1, 2)]))
    np.testing.assert_array_equal(graph.plan.elimination.order, whole.elimination.order)
    np.testing.assert_array_equal(graph.plan.signs, whole.signs)
    assert (graph.plan.n_spins, graph.plan.n_padding) == (3, 0)
    assert planned(2, [(0, 1)]).plan.n_padding == 1


def test_the_verdict_is_found_once_and_raised_anew(looks):
    graph = planned(30, complete(30))
    strengths = np.ones(435)
    questions = [
        lambda: graph.triangulation,
        lambda: graph.plan,
        lambda: graph.clique_tree,
        lambda: proved(graph, strengths, log_partition),
        lambda: solve(graph, strengths),
    ]
    errors = []
    for question in questions:
        with pytest.raises(NonPlanarError, match="s0") as caught:
            question()
        errors.append(caught.value)
    assert not graph.is_planar
    assert looks == {"triangulated": 1, "plan_of": 0, "width_of": 1, "clique_tree": 0}
    assert len({id(error) for error in errors}) == len(questions)  # a shared one would collect the tracebacks of all
    assert errors[0].subgraph == errors[-1].subgraph


def test_the_error_is_explained_once():
    wheel = [(k, (k + 1) % 25) for k in range(25)] + [(k, 25) for k in range(25)]
    graph = planned(26, wheel, range(26))
    for _ in range(2):
        with pytest.raises(NonPlanarError, match="outer-planar") as caught:
            graph.plan  # noqa: B018
        assert str(caught.value).count("outer-planar") == 1
