"""GEXF, the XML of Gephi, with places and columns of the tables; through networkx."""

from __future__ import annotations

import io
import warnings
from os import fspath
from xml.etree import ElementTree

from isingmap.errors import DataWarning, FileFormatError, ModelError
from isingmap.files.reading import read_bytes
from isingmap.files.whole_file import write_bytes
from isingmap.io.graphml import is_gexf, refuse_bad_xml
from isingmap.io.model_content import FormatFunctions, ModelFile, ModelPath
from isingmap.io.network import check_names_for_xml, coupling_attribute, named, network_of, without_bad_letters
from isingmap.io.networkx_graph import from_networkx

# What networkx raises on damaged files; the last of them from a `raise` outside any handler.
_FAILURES = (ElementTree.ParseError, ValueError, LookupError, TypeError, AttributeError, RuntimeError)
# Columns of these names would be something else to the writer: times, hierarchies, ids.
_WORDS = frozenset(["id", "pid", "parents", "slices", "start", "end", "startopen", "endopen", "mutual", "type", "key"])


def read_gexf(path: ModelPath) -> ModelFile:
    """Read a GEXF graph: couplings from the edge attribute `coupling`, else from the weights; fields from `field`.

    Raises
    ------
    FileFormatError
        If it is not XML, declares a document type, is not a GEXF graph, or a number is missing.
    """
    import networkx as nx

    name = fspath(path)
    data = read_bytes(path)
    refuse_bad_xml(data, name)
    try:
        graph = nx.read_gexf(io.BytesIO(data), node_type=str)
    except (nx.NetworkXException, *_FAILURES) as error:
        raise FileFormatError(f"{name}: not a GEXF graph that networkx can read: {error!r:.200}") from None
    try:
        graph = named(graph)
        directed = graph.is_directed() and graph.number_of_edges()
        notes = ("The file calls the graph directed; its arcs were read as edges.",) if directed else ()
        return ModelFile(from_networkx(graph, coupling=coupling_attribute(graph)), notes=notes)
    except ModelError as error:
        raise FileFormatError(f"{name}: {error}") from None


def write_gexf(content: ModelFile, path: ModelPath) -> None:
    """Write names as labels of the nodes, places for the eye (`viz`), and all that `network_of` knows as attributes.

    Raises
    ------
    ModelError
        If a name or another text holds a character that XML cannot hold.
    """
    import networkx as nx
    from networkx.readwrite.gexf import GEXFWriter

    check_names_for_xml(content.model.names)
    graph = without_bad_letters(network_of(content))
    for _, node in graph.nodes(data=True):
        if "x" in node:
            node["viz"] = {"position": {"x": node.pop("x"), "y": node.pop("y"), "z": 0.0}}
    for known in (*dict(graph.nodes).values(), *(known for *_, known in graph.edges(data=True))):
        for key in _WORDS & known.keys():
            known[f"{key}_"] = known.pop(key)
    graph = nx.relabel_nodes(graph, {name: f"n{k}" for k, name in enumerate(graph)})
    writer = GEXFWriter(encoding="utf-8", prettyprint=True, version="1.2draft")
    writer.add_graph(graph)
    for meta in writer.xml.findall("meta"):  # holds the date: the same model gives the same bytes
        writer.xml.remove(meta)
    writer.graph_element.attrib.pop("name", None)  # not in the schema of GEXF 1.2
    stream = io.BytesIO()
    writer.write(stream)
    write_bytes(path, stream.getvalue())


# --- the format -------------------------------------------------------------------------------------------


def _read(path: ModelPath, domain: str | None) -> ModelFile:
    return read_gexf(path)


def _write(content: ModelFile, path: ModelPath, domain: str) -> None:
    if content.offset:
        warnings.warn(
            f"{fspath(path)}: GEXF cannot hold the offset {content.offset:.12g} of the energy; it is lost", DataWarning
        )
    write_gexf(content, path)


def _recognises(text: str) -> bool:
    return text.startswith("<") and is_gexf(text)


FUNCTIONS = FormatFunctions(_read, _write, _recognises)
