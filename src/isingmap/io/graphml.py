"""GraphML, the XML of graph programs (Gephi, igraph, Cytoscape, yEd), through networkx."""

from __future__ import annotations

import io
import re
from os import fspath
from typing import TYPE_CHECKING
from xml.etree.ElementTree import ParseError
from xml.parsers import expat

from isingmap.errors import FileFormatError, ModelError
from isingmap.files.reading import read_bytes
from isingmap.files.whole_file import write_bytes
from isingmap.io.model_content import FormatFunctions, ModelFile, ModelPath
from isingmap.io.networkx_graph import from_networkx, to_networkx
from isingmap.model import IsingModel

if TYPE_CHECKING:
    import networkx as nx

_NOT_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


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
    _refuse_bad_xml(data, name)
    try:
        graph = nx.read_graphml(io.BytesIO(data))
    except (nx.NetworkXException, ParseError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise FileFormatError(f"{name}: not a GraphML graph that networkx can read: {error!r:.200}") from None
    try:
        graph, offset = _named(graph), _offset(graph)
        directed = graph.is_directed() and graph.number_of_edges()
        notes = ("The file calls the graph directed; its arcs were read as edges.",) if directed else ()
        return ModelFile(from_networkx(graph, coupling=coupling or _guess(graph), field=field), offset, notes=notes)
    except ModelError as error:
        raise FileFormatError(f"{name}: {error}") from None


def write_graphml(model: IsingModel, path: ModelPath, *, offset: float = 0.0) -> None:
    """Write node attribute `field`, edge attribute `coupling` and, unless zero, graph attribute `offset`.

    Raises
    ------
    ModelError
        If a name holds a character that XML cannot hold, such as a control character.
    """
    import networkx as nx

    bad = [name for name in model.names if _NOT_XML.search(name)]
    if bad:
        raise ModelError(f"the name {bad[0]!r} holds a character that XML does not allow; rename the variable")
    graph = to_networkx(model)
    if offset:
        graph.graph["offset"] = float(offset)
    stream = io.BytesIO()
    nx.write_graphml(graph, stream)
    write_bytes(path, stream.getvalue())


def _refuse_bad_xml(data: bytes, name: str) -> None:
    """Parse once without building anything, so that a document type is met before anything in it is expanded.

    A search for its bytes would not do: in UTF-16 they look different.
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


def _named(graph: nx.Graph) -> nx.Graph:
    for key in ("name", "label"):
        names = {node: name for node, name in graph.nodes(data=key) if isinstance(name, str)}
        if not names or len(names) < len(graph):
            continue
        if len(set(names.values())) == len(names):
            import networkx as nx

            return nx.relabel_nodes(graph, names)
        if key == "name":
            raise ModelError("two nodes have the same attribute name; make them unique or remove the attribute")
    return graph


def _guess(graph: nx.Graph) -> str:
    found = {key for _, _, attributes in graph.edges(data=True) for key in attributes}
    return "weight" if "weight" in found and "coupling" not in found else "coupling"


def _offset(graph: nx.Graph) -> float:
    offset = graph.graph.get("offset", 0.0)
    if type(offset) not in (int, float) or not abs(offset) < float("inf"):
        raise ModelError(f"the graph attribute offset must be a finite number, got {offset!r}")
    return float(offset)


# --- the format -------------------------------------------------------------------------------------------


def _read(path: ModelPath, domain: str | None) -> ModelFile:
    return read_graphml(path)


def _write(content: ModelFile, path: ModelPath, domain: str) -> None:
    write_graphml(content.model, path, offset=content.offset)


def _recognises(text: str) -> bool:
    return text.startswith("<")


FUNCTIONS = FormatFunctions(_read, _write, _recognises)
