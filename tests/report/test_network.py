"""Strength, betweenness and blocs of small maps, by hand and by networkx."""

import networkx
import numpy as np
import pytest

from isingmap import IsingModel
from isingmap.report import network


def test_a_star_and_a_stranger():
    """The centre lies between all 3 pairs of the leaves."""
    model = IsingModel([(0, 1), (0, 2), (0, 3)], [0.5, -0.25, 1.0], n_spins=5)
    assert network.strengths(model) == [1.75, 0.5, 0.25, 1.0, 0.0]
    assert network.betweenness(model).tolist() == [3, 0, 0, 0, 0]


def test_two_shortest_paths_share_a_pair():
    """A square: each corner has half of the pair across. Equal on paper, not after rounding, counts, too."""
    square = IsingModel([(0, 1), (1, 2), (2, 3), (0, 3)], [0.5] * 4)
    assert network.betweenness(square).tolist() == [0.5] * 4
    triangle = IsingModel([(0, 1), (1, 2), (0, 2)], [1 / 0.1, 1 / 0.2, 1 / 0.3])
    assert 0.1 + 0.2 > 0.3 and network.betweenness(triangle).tolist() == [0, 0.5, 0]


def test_betweenness_is_that_of_networkx(monkeypatch):
    monkeypatch.setattr(network, "SOURCES", 7)
    rng = np.random.default_rng(0)
    grid = networkx.convert_node_labels_to_integers(networkx.grid_2d_graph(5, 5))
    model = IsingModel(list(grid.edges), 1 / rng.integers(1, 4, grid.number_of_edges()))
    graph = networkx.Graph()
    pairs = zip(model.edges.tolist(), model.couplings, strict=True)
    graph.add_weighted_edges_from((i, j, round(1 / coupling)) for (i, j), coupling in pairs)
    expected = networkx.betweenness_centrality(graph, normalized=False, weight="weight")
    np.testing.assert_allclose(network.betweenness(model), [expected[k] for k in range(25)], rtol=0, atol=1e-10)


def test_above_the_limit_betweenness_is_left_out(monkeypatch):
    monkeypatch.setattr(network, "MOST_VARIABLES", 2)
    assert np.isnan(network.betweenness(IsingModel([(0, 1), (1, 2)], [1.0, 1.0]))).all()


def two_triangles():
    names = ["f", "e", "d", "c", "b", "a", "lone", "against"]
    edges = [(0, 1), (1, 2), (0, 2), (3, 4), (4, 5), (3, 5), (2, 3), (0, 7)]
    return IsingModel(edges, [0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.05, -0.9], names=names)


def test_blocs_are_numbered_by_size_and_then_by_name():
    found = dict(zip(two_triangles().names, network.blocs(two_triangles()).tolist(), strict=True))
    assert found == {"a": 1, "b": 1, "c": 1, "d": 2, "e": 2, "f": 2, "against": 3, "lone": 4}


@pytest.mark.parametrize("couplings", [[], [-0.5]])
def test_without_couplings_above_zero_everyone_is_alone(couplings):
    model = IsingModel([(0, 1)][: len(couplings)], couplings, n_spins=3, names=["c", "b", "a"])
    assert network.blocs(model).tolist() == [3, 2, 1]


def test_the_order_of_the_columns_does_not_matter():
    rng = np.random.default_rng(1)
    grid = networkx.convert_node_labels_to_integers(networkx.grid_2d_graph(4, 4))
    names = [f"v{k:02}" for k in range(16)]
    edges, couplings = np.array(list(grid.edges)), rng.choice([0.1, 0.2, 0.3, -0.3], grid.number_of_edges())
    model, shuffled = IsingModel(edges, couplings, names=names), rng.permutation(16)
    moved = IsingModel(np.argsort(shuffled)[edges][::-1], couplings[::-1], names=[names[k] for k in shuffled.tolist()])
    for of in (network.strengths, network.betweenness, network.blocs):
        assert np.array(of(model))[shuffled].tolist() == np.array(of(moved)).tolist()
