"""The cheapest crossing is a shortest path in the dual, checked against networkx and against planarity."""

import networkx as nx
import numpy as np
import pytest

from isingmap.planar.crossed_edges import cheapest_crossings, crossed_edges
from isingmap.planar.embedding import embed, faces, is_planar
from oracles import grid_edges, random_planar_edges


def dual_distance(embedding, weights, i, j):
    face_of = {dart: k for k, walk in enumerate(faces(embedding)) for dart in walk.tolist()}
    dual = nx.Graph()
    dual.add_nodes_from(range(len(faces(embedding))))
    for e, weight in enumerate(weights):
        a, b = face_of[2 * e], face_of[2 * e + 1]
        if a != b and (not dual.has_edge(a, b) or dual[a][b]["weight"] > weight):
            dual.add_edge(a, b, weight=weight)
    at = [{face_of[d] for d in np.flatnonzero(embedding.tail == v).tolist()} for v in (i, j)]
    lengths = nx.multi_source_dijkstra_path_length(dual, at[0])
    return min((lengths[f] for f in at[1] if f in lengths), default=np.inf)


@pytest.mark.parametrize("seed", range(8))
def test_costs_and_crossed_edges(seed):
    rng = np.random.default_rng(seed)
    edges = random_planar_edges(rng, 14, 0.9)
    weights = rng.random(len(edges))
    embedding = embed(14, edges)
    cost = cheapest_crossings(embedding, weights)
    np.testing.assert_allclose(cost, cost.T)
    for i, j in rng.integers(0, 14, (20, 2)).tolist():
        if i == j or not (np.isin(i, edges) and np.isin(j, edges)):
            continue
        assert cost[i, j] == pytest.approx(dual_distance(embedding, weights, i, j))
        if np.isfinite(cost[i, j]) and not (np.sort(edges, axis=1) == sorted((i, j))).all(axis=1).any():
            crossed = crossed_edges(embedding, weights, i, j)
            assert weights[crossed].sum() == pytest.approx(cost[i, j])
            rest = np.delete(edges, crossed, axis=0)
            assert is_planar(14, np.vstack([rest, [[i, j]]]))


def test_neighbours_cross_nothing_and_the_far_corner_crosses_most():
    cost = cheapest_crossings(embed(9, grid_edges(3, 3)), np.ones(12))
    assert cost[0, 1] == 0 and cost[0, 4] == 0 and cost[0, 8] == 0  # the corners share the outer face
    assert cost[1, 4] == 0 and cost[4, 8] == 0


def test_isolated_nodes_are_out_of_reach():
    cost = cheapest_crossings(embed(4, [(0, 1), (1, 2)]), np.ones(2))
    assert np.isinf(cost[0, 3]) and cost[0, 2] == 0
