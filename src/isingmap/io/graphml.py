"""GraphML, the XML of graph programs (Gephi, igraph, Cytoscape, yEd), through networkx."""

from __future__ import annotations

import io
import re
from os import fspath
from xml.etree.ElementTree import ParseError
from xml.parsers import expat

from isingmap.errors import FileFormatError, ModelError
from isingmap.files.reading import read_bytes
from isingmap.files.whole_file import write_bytes
from isingmap.io.model_content import FormatFunctions, ModelFile, ModelPath
from isingmap.io.network import (
    check_names_for_xml,
    coupling_attribute,
    named,
    network_of,
    offset_of,
    without_bad_letters,
)
from isingmap.io.networkx_graph import from_networkx
from isingmap.model import IsingModel

_GEXF = re.compile(r"<(?:\w+:)?gexf[\s>]")


def read_graphml(path: ModelPath, *, coupling: str | None = None, field: str = "field") -> ModelFile:
    """Read a GraphML graph; arcs count as edges, for Cytoscape and yEd call every graph directed.

    Nodes are called by their attribute `name` if all have one (as igraph writes it), else by their attribute `label`
    (Gephi, yEd) if all have one and they differ, else by their ids.

    Parameters
    ----------
    path : path-like
    coupling : str, optional
        Edge attribute; by default `coupling`, or `weight` if no edge has a coupling.
    field : str
        Node attribute; zero fields if no node has it.

    Raises
    ------
    FileFormatError
        If it is not XML, declares a document type or entities (which could blow up), is not a GraphML graph, or
        a number is missing.
    """
    import networkx as nx

    name = fspath(path)
    data = read_bytes(path)
    refuse_bad_xml(data, name)
    try:
        graph = nx.read_graphml(io.BytesIO(data))
    except (nx.NetworkXException, ParseError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise FileFormatError(f"{name}: not a GraphML graph that networkx can read: {error!r:.200}") from None
    try:
        graph, offset = named(graph), offset_of(graph)
        directed = graph.is_directed() and graph.number_of_edges()
        notes = ("The file calls the graph directed; its arcs were read as edges.",) if directed else ()
        model = from_networkx(graph, coupling=coupling or coupling_attribute(graph), field=field)
        return ModelFile(model, offset, notes=notes)
    except ModelError as error:
        raise FileFormatError(f"{name}: {error}") from None


def write_graphml(model: ModelFile | IsingModel, path: ModelPath, *, offset: float = 0.0) -> None:
    """Write node attribute `field`, edge attribute `coupling` and, unless zero, graph attribute `offset`.

    Also what else `network_of` knows of a ModelFile, which brings its own offset.

    Raises
    ------
    ModelError
        If a name holds a character that XML cannot hold, such as a control character.
    """
    import networkx as nx

    content = model if isinstance(model, ModelFile) else ModelFile(model, offset)
    check_names_for_xml(content.model.names)
    graph = without_bad_letters(network_of(content))
    if any("\r" in name for name in content.model.names):
        for _, node in graph.nodes(data=True):  # readers of XML turn \r in a text into \n; in ids it stays
            del node["label"]
    stream = io.BytesIO()
    nx.write_graphml(graph, stream)
    write_bytes(path, stream.getvalue())


def is_gexf(text: str) -> bool:
    """Whether XML is GEXF: its first element says so."""
    return _GEXF.search(text[:4096]) is not None


def refuse_bad_xml(data: bytes, name: str) -> None:
    """Parse once without building anything, so that a document type is met before anything in it is expanded.

    A search for its bytes would not do: in UTF-16 they look different.

    Raises
    ------
    FileFormatError
        Also if the data are no XML.
    """

    def refuse(*_):
        raise FileFormatError(
            f"{name}: the file declares a document type (DOCTYPE), in which entities could grow without bounds; "
            "remove the declaration"
        )

    parser = expat.ParserCreate()
    parser.StartDoctypeDeclHandler = refuse
    try:
        parser.Parse(data, True)
    except (expat.ExpatError, ValueError, LookupError) as error:
        raise FileFormatError(f"{name}: not well-formed XML: {error}") from None


# --- the format -------------------------------------------------------------------------------------------


def _read(path: ModelPath, domain: str | None) -> ModelFile:
    return read_graphml(path)


def _write(content: ModelFile, path: ModelPath, domain: str) -> None:
    write_graphml(content, path)


def _recognises(text: str) -> bool:
    return text.startswith("<") and not is_gexf(text)


FUNCTIONS = FormatFunctions(_read, _write, _recognises)
