"""networkx graphs: attributes, labels, and the graphs that are refused."""

import networkx as nx
import numpy as np
import pytest
from file_cases import models
from hypothesis import given

from isingmap import IsingModel
from isingmap.errors import ModelError
from isingmap.io.networkx_graph import from_networkx, node_names, to_networkx


@given(models())
def test_round_trip(model):
    back = from_networkx(to_networkx(model))
    assert back.names == model.names and back.fields.tolist() == model.fields.tolist()
    value = dict(zip(map(frozenset, model.edge_names), model.couplings.tolist(), strict=True))
    assert dict(zip(map(frozenset, back.edge_names), back.couplings.tolist(), strict=True)) == value


def test_plain_floats_because_writers_refuse_those_of_numpy():
    graph = to_networkx(IsingModel([(0, 1)], [0.5], [0.1, 0.0]))
    assert type(graph.edges["x1", "x2"]["coupling"]) is float and type(graph.nodes["x1"]["field"]) is float


def test_labels_of_any_kind_become_names_in_the_order_of_the_nodes():
    graph = nx.grid_2d_graph(2, 2)
    graph.add_node("alone")
    nx.set_edge_attributes(graph, 0.25, "weight")
    model = from_networkx(graph, coupling="weight")
    assert model.names == ("(0, 0)", "(0, 1)", "(1, 0)", "(1, 1)", "alone")
    assert node_names(graph)[1, 0] == "(1, 0)" and model.n_edges == 4 and not model.free_fields.any()


def test_numbers_of_other_libraries_are_numbers():
    graph = nx.Graph([(0, 1, {"coupling": np.float32(0.5)}), (1, 2, {"coupling": 2})])
    assert from_networkx(graph).couplings.tolist() == [0.5, 2.0]


def graph_with(attributes, **node):
    graph = nx.Graph()
    graph.add_node("a", **node)
    graph.add_edge("a", "b", **attributes)
    return graph


@pytest.mark.parametrize(
    ("graph", "message"),
    [
        (graph_with({"weight": 1.0}), r"'a' - 'b' has no attribute 'coupling'; its attributes: 'weight'"),
        (graph_with({}), "its attributes: none"),
        (graph_with({"coupling": "1"}), "coupling must be a finite number, got '1'"),
        (graph_with({"coupling": True}), "finite number, got True"),
        (graph_with({"coupling": np.nan}), "finite number, got nan"),
        (graph_with({"coupling": 10**400}), "finite number"),
        (graph_with({"coupling": 1.0}, field=1.0), "the node 'b' has no attribute 'field'"),
        (nx.DiGraph([(0, 1), (1, 0)]), "more than one edge"),
        (nx.MultiGraph([(0, 1), (0, 1)]), "more than one edge"),
        (nx.Graph([(0, 0)]), "joins a node to itself"),
        (nx.Graph([(1, "1")]), "1 and '1' are both written '1'"),
        (nx.Graph(), "at least one spin"),
        ([(0, 1)], "expected a networkx Graph, got list"),
    ],
)
def test_refused(graph, message):
    with pytest.raises(ModelError, match=message):
        from_networkx(graph)
