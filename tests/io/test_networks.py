"""Networks for Gephi and Cytoscape, and the matrix: places, groups and columns of the tables come along."""

import json
import math
import re
from xml.etree import ElementTree

import networkx as nx
import numpy as np
import pytest
from file_cases import damaged, read_or_refuse, refused
from hypothesis import HealthCheck, example, given, settings

from isingmap import IsingModel
from isingmap.cli.main import main
from isingmap.errors import ModelError
from isingmap.files.csv_file import write_csv
from isingmap.io import cyjs, gexf, matrix
from isingmap.io.model_file import ModelFile, read_model_file, write_model_file
from isingmap.io.results_beside import with_results
from isingmap.planar.drawing.segment_crossings import has_crossings

NAMES = ("NA", "b, c", "=1+1", "睡")
EDGES = [(0, 1), (1, 2), (0, 2)]
PLACES = {"NA": [0.0, 0.0], "b, c": [2.0, 0.0], "=1+1": [0.0, 1.0], "睡": [-2.0, 0.5], "stranger": [9.0, 9.0]}
# Attributes in the schema of GEXF 1.2, of the elements that are written.
SCHEMA = {
    "gexf": "version variant", "graph": "defaultedgetype mode idtype", "attributes": "class mode",
    "attribute": "id title type", "nodes": "count", "edges": "count", "node": "id label", "attvalues": "",
    "attvalue": "for value", "position": "x y z", "edge": "id type label source target weight",
}  # fmt: skip


@pytest.fixture
def folder(tmp_path):
    """What `fit` writes, as far as networks are made of it."""
    model = IsingModel(EDGES, [0.5, -0.25, 0.125], [0.0, 1.0, 0.0, 0.0], names=NAMES)
    record = {"fit": {"title": "four", "groups": ["A", "", "A", "B"]}, "positions": PLACES}
    write_model_file(ModelFile(model, record=record), tmp_path / "model.json")
    columns = ("source", "target", "coupling", "frequency", "interval", "start", "weight", "weight_se")
    rows = []
    for k, (pair, value) in enumerate(zip(model.edge_names, model.couplings.tolist(), strict=True)):
        of_search = ("wald", k / 0.5) if k else (None, math.inf)
        rows.append((*pair, value, k / 2, *of_search, 4 * value, 0.5))
    write_csv(tmp_path / "edges.csv", columns, rows)
    labels = [(name, 0.0, 0.25, "0\x01") for name in NAMES]
    write_csv(tmp_path / "nodes.csv", ("name", "field", "mean", "negative_label"), labels)
    return tmp_path


def converted(folder, ending):
    path = folder / f"out{ending}"
    assert main(["convert", str(folder / "model.json"), str(path)]) == 0
    assert read_model_file(path).model.names == NAMES
    assert sorted(read_model_file(path).model.couplings) == [-0.25, 0.125, 0.5]
    return path


def test_gephi_finds_places_weights_and_columns(folder):
    path = converted(folder, ".gexf")
    graph = nx.read_gexf(path)
    labels = nx.get_node_attributes(graph, "label")
    assert list(labels.values()) == list(NAMES)
    graph = nx.relabel_nodes(graph, labels)
    places = np.array([[graph.nodes[name]["viz"]["position"][axis] for axis in "xy"] for name in NAMES])
    assert not has_crossings(places, EDGES)
    np.testing.assert_allclose(places, [[500, 0], [1000, 0], [500, 250], [0, 125]])
    assert [graph.nodes[name].get("group") for name in NAMES] == ["A", None, "A", "B"]
    assert graph.nodes["NA"]["mean"] == 0.25 and graph.nodes["NA"]["negative_label"] == "0\ufffd"
    known = {key: graph.edges["b, c", "=1+1"][key] for key in ("coupling", "weight", "sign", "frequency", "interval")}
    assert known == {"coupling": -0.25, "weight": 0.25, "sign": -1, "frequency": 0.5, "interval": "wald"}
    of_codings = {key: value for key, value in graph.edges["b, c", "=1+1"].items() if key.startswith("weight_")}
    assert of_codings == {"weight_01": -1.0, "weight_01_se": 0.5}  # not of the weight that the edge is drawn by
    assert "interval" not in graph.edges["NA", "b, c"] and "start_" not in graph.edges["NA", "b, c"]
    assert graph.edges["b, c", "=1+1"]["start_"] == 2.0  # start is a time in GEXF
    assert ElementTree.parse(path).find(".//{*}meta") is None  # it would hold the date
    for element in ElementTree.parse(path).iter():
        tag = element.tag.split("}")[1]
        assert {key for key in element.attrib if "schemaLocation" not in key} <= set(SCHEMA[tag].split()), tag


def test_cytoscape_finds_places_names_and_columns(folder):
    document = json.loads(converted(folder, ".cyjs").read_text("utf-8"))
    nodes, edges = document["elements"]["nodes"], document["elements"]["edges"]
    assert [node["data"]["name"] for node in nodes] == list(NAMES)
    assert nodes[2]["position"] == {"x": 500.0, "y": -250.0}  # its y points down
    assert {edge["data"]["source"] for edge in edges} <= {node["data"]["id"] for node in nodes}
    assert {edge["data"].get("frequency") for edge in edges} == {0.0, 0.5, 1.0}
    assert all(isinstance(entry["data"]["id"], str) for entry in nodes + edges)


def test_networkx_reads_the_json_of_cytoscape(folder):
    document = json.loads(converted(folder, ".cyjs").read_text("utf-8"))
    graph = nx.cytoscape_graph(document)
    names = {node: known["name"] for node, known in graph.nodes(data=True)}
    assert sorted(names.values()) == sorted(NAMES)
    edges = [entry["data"] for entry in document["elements"]["edges"]]
    assert graph.number_of_edges() == len(edges) and all("coupling" in each for *_, each in graph.edges(data=True))


def test_graphml_has_the_same(folder):
    graph = nx.read_graphml(converted(folder, ".graphml"))
    assert graph.nodes["=1+1"]["y"] == 250.0 and graph.nodes["=1+1"]["label"] == "=1+1"
    assert graph.edges["b, c", "=1+1"]["frequency"] == 0.5


def test_tables_of_another_model_are_left_out(folder, capsys):
    write_csv(folder / "edges.csv", ("source", "target", "coupling", "frequency"), [("NA", "b, c", 0.5, 1.0)])
    document = json.loads(converted(folder, ".cyjs").read_text("utf-8"))
    assert "edges.csv is not the table of this model" in capsys.readouterr().out
    assert all("frequency" not in edge["data"] for edge in document["elements"]["edges"])
    assert document["elements"]["nodes"][0]["data"]["mean"] == 0.25


def test_models_that_were_not_learned_have_no_tables(folder):
    plain = ModelFile(IsingModel(EDGES, [1, 1, 1], names=NAMES[:3]))
    assert with_results(plain, folder / "model.json") is plain


def test_matrix_has_names_above_and_beside(folder):
    lines = converted(folder, ".matrix.csv").read_text("utf-8").splitlines()
    assert lines == [
        "name,NA,\"b, c\",'=1+1,睡", "NA,0.0,0.5,0.125,0.0", '"b, c",0.5,0.0,-0.25,0.0',
        "'=1+1,0.125,-0.25,0.0,0.0", "睡,0.0,0.0,0.0,0.0",
    ]  # fmt: skip
    back = read_model_file(folder / "out.matrix.csv").model
    assert back.fields.tolist() == [0.0, 1.0, 0.0, 0.0]


def test_matrices_too_large_are_refused(monkeypatch, tmp_path):
    monkeypatch.setattr(matrix, "MOST_VARIABLES", 2)
    with pytest.raises(ModelError, match=r"of 3 variables has 9 cells; at most 2 variables"):
        write_model_file(IsingModel(EDGES, [1, 1, 1]), tmp_path / "m.matrix.csv")
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    ("elements", "message"),
    [
        ({"nodes": [{"data": {"id": 1}}]}, 'no "data" with an "id"'),
        ({"nodes": [{"data": {"id": "a", "name": 3}}]}, "not a text"),
        ({"nodes": [{"data": {"id": "a"}}, {"data": {"id": "a"}}]}, "given twice"),
        ({"nodes": [{"data": {"id": "a"}}], "edges": [{"data": {"source": "a", "target": "z"}}]}, "not in the file"),
        ({"nodes": 3}, "must hold lists"),
        ({"nodes": [{"data": {"id": "a"}}], "edges": [{"data": {"source": "a", "target": "a"}}]}, "to itself"),
        ({"nodes": [{"data": {"id": i, "name": "x"}} for i in "ab"]}, "same attribute name"),
    ],
)  # fmt: skip
def test_damaged_files_of_cytoscape(write, tmp_path, elements, message):
    path = write(json.dumps({"elements": elements}), "m.cyjs")
    with refused(message, tmp_path, "m.cyjs"):
        read_model_file(path)


def test_gexf_with_a_document_type_is_refused(write, tmp_path):
    path = write('<!DOCTYPE a [<!ENTITY a "b">]><gexf>&a;</gexf>', "m.gexf")
    with refused("DOCTYPE", tmp_path, "m.gexf"):
        read_model_file(path)


GEXF = """<gexf xmlns="http://www.gexf.net/1.2draft" version="1.2"><graph defaultedgetype="undirected">
<attributes class="edge"><attribute id="0" title="coupling" type="double"/></attributes>
<nodes><node id="n0" label="a"/><node id="n1" label="b"/></nodes>
<edges><edge source="n0" target="n1" id="0"><attvalues><attvalue for="0" value="0.5"/></attvalues></edge></edges>
</graph></gexf>"""


def test_a_file_of_another_program(write):
    assert read_model_file(write(GEXF, "m.gexf")).model.edge_names == [("a", "b")]
    weighted = re.sub("<attvalues>.*</attvalues>", "", GEXF).replace('id="0">', 'id="0" weight="-2">')
    assert read_model_file(write(weighted, "m.gexf")).model.couplings.tolist() == [-2.0]


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None, max_examples=60)
@given(content=damaged(GEXF))
@example(content=GEXF.replace("attributes class", "attributes alass").encode())
def test_damaged_gexf(tmp_path, content):
    read_or_refuse(gexf.read_gexf, tmp_path / "m.gexf", content)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None, max_examples=60)
@given(
    content=damaged(json.dumps({"data": {"offset": 1}, "elements": {"nodes": [{"data": {"id": "a"}}], "edges": []}}))
)
@example(content=b'{"elements": {"nodes": [[]], "edges": []}, "data": 3}')
def test_damaged_cyjs(tmp_path, content):
    read_or_refuse(cyjs.read_cyjs, tmp_path / "m.cyjs", content)
