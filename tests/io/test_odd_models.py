"""Model files as other programs leave them: the right model, or a message that leads to it."""

import networkx as nx
import pytest

from isingmap.errors import FileFormatError, ModelError
from isingmap.io.graphml import read_graphml
from isingmap.io.model_file import read_model_file
from isingmap.io.networkx_graph import from_networkx

RING = "1 2 0.5\n2 3 -0.75\n3 4 1\n1 4 0.25\n1 3 -0.5\n"


def edges_of(file):
    couplings = file.model.couplings.tolist()
    return {frozenset(pair): value for pair, value in zip(file.model.edge_names, couplings, strict=True)}


@pytest.mark.parametrize("counts", ["4 5 -2", "4 5", "4 4 5"])
def test_a_line_of_counts_is_no_edge(write, counts):
    path = write(f"{counts}\n{RING}")
    with pytest.raises(FileFormatError, match="sign=-1"):
        read_model_file(path, "edges")
    file = read_model_file(path, "edges", sign=-1)
    assert file.model.n_spins == 4 and edges_of(file)[frozenset("12")] == -0.5
    assert "holds counts" in file.notes[0]
    assert edges_of(read_model_file(path, "edges", sign=1)) == edges_of(read_model_file(write(RING), "edges"))


@pytest.mark.parametrize("counts", ["4 9 -3", "4 9", "4 4 9"])
def test_a_line_of_counts_is_no_term(write, counts):
    terms = RING + "1 1 -0.25\n2 2 0.5\n3 3 0\n4 4 0.75\n"
    with pytest.raises(FileFormatError, match="holds counts.*delete the line"):
        read_model_file(write(f"{counts}\n{terms}"), "coo", domain="spin")
    assert read_model_file(write(terms), "coo", domain="spin").model.log_partition() == pytest.approx(4.01360, abs=1e-5)


def test_max_cut_by_the_messages(write):
    path = write("3 3\n1 2 1\n2 3 1\n1 3 1\n")
    with pytest.raises(FileFormatError, match="sign=-1"):
        read_model_file(path, "edges")
    file = read_model_file(path, "edges", sign=-1)
    assert file.model.ground_state().energy == pytest.approx(-1.0)


def test_a_sign_is_for_edge_lists(write):
    with pytest.raises(ModelError, match="sign= is for edge lists"):
        read_model_file(write("# vartype=SPIN\n0 1 1\n"), "coo", sign=-1)


def test_a_square_matrix_of_couplings(write):
    matrix = ",sleep,worry,tired\nsleep,0,0.5,0\nworry,0.5,0,-0.25\ntired,0,-0.25,0\n"
    file = read_model_file(write(matrix), "edges")
    assert edges_of(file) == {frozenset(("sleep", "worry")): 0.5, frozenset(("worry", "tired")): -0.25}
    with pytest.raises(FileFormatError, match="not symmetric"):
        read_model_file(write(matrix.replace("sleep,0,0.5", "sleep,0,1")), "edges")


@pytest.mark.parametrize("header", ['"","Var1","Var2","value"', "node1,node2,weight", "a,b,c,d,e"])
def test_headers_that_are_not_understood(write, header):
    row = ",".join(["x", "sleep", "worry", "0.5", "y"][: header.count(",") + 1])
    with pytest.raises(FileFormatError, match="source, target, coupling"):
        read_model_file(write(f"{header}\n{row}\n"), "edges")


def graphml(edges, key="label", directed="directed"):
    nodes = "".join(f'<node id="n{k}"><data key="l">{name}</data></node>' for k, name in enumerate("abc"))
    arcs = "".join(f'<edge source="n{i}" target="n{j}"><data key="w">{w}</data></edge>' for i, j, w in edges)
    return (
        '<graphml xmlns="http://graphml.graphdrawing.org/xmlns">'
        f'<key id="l" for="node" attr.name="{key}" attr.type="string"/>'
        '<key id="w" for="edge" attr.name="weight" attr.type="double"/>'
        f'<graph edgedefault="{directed}">{nodes}{arcs}</graph></graphml>'
    )


def test_labels_and_arcs_of_graph_programs(write):
    file = read_graphml(write(graphml([(0, 1, 0.5), (2, 1, -0.25)])))
    assert edges_of(file) == {frozenset("ab"): 0.5, frozenset("bc"): -0.25}
    assert "arcs were read as edges" in file.notes[0]


def test_two_arcs_of_a_pair_are_refused_without_advice_that_loses_one(write):
    with pytest.raises(FileFormatError, match="more than one edge.*sum") as caught:
        read_graphml(write(graphml([(0, 1, 3), (1, 0, 1)])))
    assert "to_undirected" not in str(caught.value)
    graph = nx.MultiGraph()
    graph.add_edge("a", "b", coupling=0.75)
    assert from_networkx(graph).couplings.tolist() == [0.75]
    graph.add_edge("a", "b", coupling=0.25)
    with pytest.raises(ModelError, match="sum of the couplings"):
        from_networkx(graph)
