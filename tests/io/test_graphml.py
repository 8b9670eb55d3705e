"""GraphML: files of other programs, hostile names, hostile XML."""

import networkx as nx
import pytest
from file_cases import LINE_BREAKS, ODD_NAMES, assert_same, damaged, models, read_or_refuse, refused
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from isingmap import IsingModel
from isingmap.errors import FileFormatError, ModelError
from isingmap.io.graphml import read_graphml, write_graphml
from isingmap.io.networkx_graph import from_networkx

SLOW_FIXTURE = settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)

IGRAPH = """<?xml version="1.0" encoding="UTF-8"?>
<graphml xmlns="http://graphml.graphdrawing.org/xmlns">
  <key id="v_name" for="node" attr.name="name" attr.type="string"/>
  <key id="e_weight" for="edge" attr.name="weight" attr.type="double"/>
  <graph id="G" edgedefault="undirected">
    <node id="n0"><data key="v_name">Ann</data></node>
    <node id="n1"><data key="v_name">Bob &amp; Co</data></node>
    <node id="n2"><data key="v_name">alone</data></node>
    <edge source="n0" target="n1"><data key="e_weight">-0.75</data></edge>
  </graph>
</graphml>
"""
BOMB = """<?xml version="1.0"?>
<!DOCTYPE lolz [<!ENTITY a "lol"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;&a;&a;">]>
<graphml>&b;</graphml>
"""


@SLOW_FIXTURE
@given(model=models(names=st.sampled_from(ODD_NAMES + LINE_BREAKS)), offset=st.sampled_from([0.0, -1.5, 1e-9]))
def test_round_trip(tmp_path, model, offset):
    write_graphml(model, tmp_path / "m.graphml", offset=offset)
    back = read_graphml(tmp_path / "m.graphml")
    assert back.model.names == model.names and back.offset == offset
    order = sorted(range(model.n_edges), key=lambda k: back.model.edges.tolist().index(model.edges[k].tolist()))
    expected = IsingModel(model.edges[order].reshape(-1, 2), model.couplings[order], model.fields, names=model.names)
    assert_same(back.model, expected)


def test_a_file_of_igraph(write):
    model = read_graphml(write(IGRAPH, "g.graphml")).model
    assert model.names == ("Ann", "Bob & Co", "alone") and not model.fields.any()
    assert model.edge_names == [("Ann", "Bob & Co")] and model.couplings.tolist() == [-0.75]


def test_other_attributes_can_be_named(write):
    text = IGRAPH.replace('attr.name="weight"', 'attr.name="J"')
    assert read_graphml(write(text), coupling="J").model.couplings.tolist() == [-0.75]
    with pytest.raises(FileFormatError, match="has no attribute 'coupling'; its attributes: 'J'"):
        read_graphml(write(text))


def test_networkx_reads_what_we_write(tmp_path):
    model = IsingModel([(0, 1)], [0.1], [0.0, 1 / 3], names=["<x>&", '"q"'])
    write_graphml(model, tmp_path / "m.graphml")
    assert_same(from_networkx(nx.read_graphml(tmp_path / "m.graphml")), model)


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16"])
def test_entity_bombs_are_refused_before_they_are_expanded(write, encoding):
    data = BOMB.replace('"1.0"', f'"1.0" encoding="{encoding}"').encode(encoding)
    with pytest.raises(FileFormatError, match="DOCTYPE"):
        read_graphml(write(data))


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("", "not well-formed XML"),
        ("<graphml>", "not well-formed XML: .*line 1"),
        ("<gexf/>", "no graph|not a GraphML"),
        (IGRAPH.replace("-0.75", "much"), "not a GraphML graph"),
        (IGRAPH.replace("-0.75", "nan"), "finite number, got nan"),
        (IGRAPH.replace('target="n1"', 'target="n0"'), "to itself"),
        (IGRAPH.replace("alone", "Ann"), "same attribute name"),
        (IGRAPH.replace("UTF-8", "klingon"), "not well-formed XML"),
    ],
)
def test_refused(write, tmp_path, content, message):
    with refused(message, tmp_path, "bad.graphml"):
        read_graphml(write(content, "bad.graphml"))


@pytest.mark.parametrize("name", ["a\x00b", "bell\x07", "\ud800", "\uffff"])
def test_characters_without_xml(tmp_path, name):
    with pytest.raises(ModelError, match="XML does not allow"):
        write_graphml(IsingModel([], [], names=[name]), tmp_path / "m.graphml")
    assert list(tmp_path.iterdir()) == []


@SLOW_FIXTURE
@given(content=damaged(IGRAPH))
def test_hostile_files(tmp_path, content):
    read_or_refuse(read_graphml, tmp_path / "hostile.graphml", content)
