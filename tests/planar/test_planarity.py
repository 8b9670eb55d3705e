"""Planarity decisions against rustworkx and networkx; embeddings against Euler's formula."""

import networkx as nx
import numpy as np
import pytest
import rustworkx as rx
from hypothesis import given, settings
from hypothesis import strategies as st

from isingmap.errors import ModelError, NonPlanarError
from isingmap.planar.blocks import block_labels, component_labels
from isingmap.planar.embedding import embed, faces, is_planar, orbits
from isingmap.planar.triangulation import triangulate
from oracles import grid_edges, random_planar_edges


def rustworkx_says(n_nodes, edges):
    graph = rx.PyGraph()
    graph.add_nodes_from(range(n_nodes))
    graph.add_edges_from_no_data([tuple(edge) for edge in np.asarray(edges).tolist()])
    return rx.is_planar(graph)


def random_edges(rng, n_nodes, n_edges):
    pairs = np.array([(i, j) for i in range(n_nodes) for j in range(i)], dtype=np.int64).reshape(-1, 2)
    return pairs[rng.permutation(len(pairs))[:n_edges]]


def check_embedding(embedding):
    """The rotation is one cycle around every node, and every component satisfies Euler's formula."""
    edges, clockwise = embedding.edges, embedding.clockwise
    np.testing.assert_array_equal(embedding.tail[clockwise], embedding.tail)
    touched = np.unique(edges)
    assert orbits(clockwise)[1] == touched.size
    n_components = len(np.unique(component_labels(embedding.n_nodes, edges)[touched]))
    assert touched.size - len(edges) + len(faces(embedding)) == 2 * n_components


@pytest.mark.parametrize("seed", range(20))
def test_decisions_and_embeddings_of_random_graphs(seed):
    rng = np.random.default_rng(seed)
    for _ in range(60):
        n_nodes = int(rng.integers(1, 15))
        edges = random_edges(rng, n_nodes, int(rng.integers(0, 3 * n_nodes + 1)))
        expected = rustworkx_says(n_nodes, edges)
        assert is_planar(n_nodes, edges) == expected
        if expected:
            check_embedding(embed(n_nodes, edges))


@pytest.mark.parametrize("seed", range(20))
def test_one_edge_too_many_is_noticed(seed):
    rng = np.random.default_rng(seed)
    edges = random_planar_edges(rng, 60, 0.9)
    pairs = random_edges(rng, 60, 40)
    for pair in pairs:
        if not (np.sort(edges, axis=1) == np.sort(pair)).all(axis=1).any():
            more = np.vstack([edges, pair])
            assert is_planar(60, more) == rustworkx_says(60, more)


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 2**32 - 1), st.integers(1, 40), st.floats(0, 1))
def test_triangulation_completes_the_graph(seed, n_nodes, share):
    rng = np.random.default_rng(seed)
    edges = random_planar_edges(rng, n_nodes, share)
    n_nodes = max(n_nodes, 3) + int(rng.integers(0, 3))  # with isolated nodes
    embedding = embed(n_nodes, edges)
    check_embedding(embedding)
    triangulation = triangulate(embedding)
    following = triangulation.next_in_face
    darts = np.arange(6 * n_nodes - 12)
    np.testing.assert_array_equal(triangulation.edges[: len(edges)], edges)
    np.testing.assert_array_equal(following[following[following]], darts)
    np.testing.assert_array_equal(triangulation.edges[:, ::-1].reshape(-1), triangulation.edges.reshape(-1)[following])
    assert (triangulation.edges[:, 0] != triangulation.edges[:, 1]).all()
    assert orbits(following[darts ^ 1])[1] == n_nodes


@pytest.mark.parametrize("n_nodes", [10**6])
def test_no_recursion_limit_on_a_path(n_nodes):
    edges = np.stack([np.arange(n_nodes - 1), np.arange(1, n_nodes)], axis=1)
    assert len(embed(n_nodes, edges).clockwise) == 2 * n_nodes - 2


@pytest.mark.parametrize(
    ("graph", "kind", "n_branches"),
    [
        (nx.complete_graph(5), "K5", 5),
        (nx.complete_bipartite_graph(3, 3), "K3,3", 6),
        (nx.petersen_graph(), "K3,3", 6),
        (nx.disjoint_union(nx.path_graph(9), nx.complete_graph(7)), None, None),
    ],
)
def test_kuratowski_subgraph_is_a_certificate(graph, kind, n_branches):
    names = [f"v{k}" for k in graph]
    with pytest.raises(NonPlanarError, match="not planar: its .* form a subdivision of K") as caught:
        embed(len(graph), list(graph.edges), labels=names)
    error = caught.value
    witness = nx.Graph(error.subgraph)
    assert set(map(frozenset, error.subgraph)) <= {frozenset((names[i], names[j])) for i, j in graph.edges}
    while two := [v for v in witness if witness.degree(v) == 2]:
        a, b = witness.neighbors(two[0])
        witness.remove_node(two[0])
        witness.add_edge(a, b)
    target = nx.complete_graph(5) if error.kind == "K5" else nx.complete_bipartite_graph(3, 3)
    assert nx.is_isomorphic(witness, target)
    assert set(witness) == set(error.branch_nodes)
    if kind:
        assert (error.kind, len(error.branch_nodes)) == (kind, n_branches)


def test_torus_is_refused():
    torus = nx.convert_node_labels_to_integers(nx.grid_2d_graph(5, 5, periodic=True))
    with pytest.raises(NonPlanarError):
        embed(25, list(torus.edges))


@pytest.mark.parametrize("seed", range(10))
def test_blocks_and_components_against_networkx(seed):
    rng = np.random.default_rng(seed)
    edges = random_planar_edges(rng, 40, 0.45)
    graph = nx.Graph()
    graph.add_nodes_from(range(40))
    graph.add_edges_from(edges.tolist())
    label = block_labels(40, edges)
    ours = {frozenset(frozenset(e) for e in edges[label == k].tolist()) for k in np.unique(label)}
    theirs = {frozenset(map(frozenset, block)) for block in nx.biconnected_component_edges(graph)}
    assert ours == theirs
    component = component_labels(40, edges)
    for nodes in nx.connected_components(graph):
        assert len(np.unique(component[list(nodes)])) == 1
    assert component.max() + 1 == nx.number_connected_components(graph)


@pytest.mark.parametrize(
    ("edges", "message"),
    [
        ([(0, 1), (1, 0)], "given more than once"),
        ([(2, 2)], "to itself"),
        ([(0, 9)], r"numbered 0\.\.3"),
        ([(0, 1, 2)], r"shape \(n_edges, 2\)"),
    ],
)
def test_bad_edge_lists_are_named(edges, message):
    with pytest.raises(ModelError, match=message):
        embed(4, edges)


def test_grid_faces():
    assert sorted(len(walk) for walk in faces(embed(9, grid_edges(3, 3)))) == [4, 4, 4, 4, 8]
