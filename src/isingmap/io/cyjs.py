"""Cytoscape's JSON of a network, with places and columns of the tables."""

from __future__ import annotations

from os import fspath
from typing import Any

from isingmap.errors import FileFormatError, ModelError
from isingmap.files.strict_json import object_or_nothing, read_json_object, shown, write_json
from isingmap.io.model_content import FormatFunctions, ModelFile, ModelPath
from isingmap.io.network import coupling_attribute, named, network_of, offset_of
from isingmap.io.networkx_graph import from_networkx


def read_cyjs(path: ModelPath) -> ModelFile:
    """Read a network of Cytoscape: names from `name`, else `id`; couplings from `coupling`, else `weight`.

    Raises
    ------
    FileFormatError
        With what is not as expected.
    """
    import networkx as nx

    where, document = fspath(path), read_json_object(path)
    graph = nx.MultiGraph()
    nodes, edges = (_entries(document, kind, where) for kind in ("nodes", "edges"))
    for node in nodes:
        name = node.get("name", node["id"])
        if node["id"] in graph or not isinstance(name, str):
            raise FileFormatError(f"{where}: the node {shown(node['id'])} is given twice, or its name is not a text")
        graph.add_node(node["id"], name=name, **{key: value for key, value in node.items() if key == "field"})
    for edge in edges:
        ends = edge.get("source"), edge.get("target")
        if not all(isinstance(end, str) and end in graph for end in ends):
            raise FileFormatError(f"{where}: the edge {shown(ends)} joins a node that is not in the file")
        known = {key: value for key, value in edge.items() if key in ("coupling", "weight")}
        graph.add_edge(*ends, **known)
    graph.graph.update({key: value for key, value in document.get("data", {}).items() if key == "offset"})
    try:
        graph = named(graph)
        return ModelFile(from_networkx(graph, coupling=coupling_attribute(graph)), offset_of(graph))
    except ModelError as error:
        raise FileFormatError(f"{where}: {error}") from None


def write_cyjs(content: ModelFile, path: ModelPath) -> None:
    """Write ids n0, n1, ..., names as `name`, places, and all that `network_of` knows as data of nodes and edges.

    Raises
    ------
    ModelError
        If a text has no UTF-8 form.
    """
    graph = network_of(content)
    number = {name: f"n{k}" for k, name in enumerate(graph)}
    nodes, edges = [], []
    for name, known in graph.nodes(data=True):
        place = {"position": {"x": known.pop("x"), "y": -known.pop("y")}} if "x" in known else {}  # y points down
        # `value` is what NetworkX takes for the node, and edges name their ends by the id.
        nodes.append({"data": {**known, "id": number[name], "value": number[name], "name": name}, **place})
    for k, (source, target, known) in enumerate(graph.edges(data=True)):
        edges.append({"data": {**known, "id": f"e{k}", "source": number[source], "target": number[target]}})
    title = content.record.get("fit", {}).get("title") or "isingmap"
    write_json(
        path,
        {
            "format_version": "1.0",
            "generated_by": "isingmap",
            "target_cytoscapejs_version": "~2.1",
            "data": {"name": title, **graph.graph},
            "elements": {"nodes": nodes, "edges": edges},
        },
    )


def _entries(document: dict[str, Any], kind: str, where: str) -> list[dict[str, Any]]:
    """What is known of each node or edge."""
    elements = document.get("elements")
    found = elements.get(kind, []) if isinstance(elements, dict) else None
    if not isinstance(found, list) or not isinstance(document.get("data", {}), dict):
        raise FileFormatError(f'{where}: "elements" must hold lists "nodes" and "edges", got {shown(elements)}')
    for entry in found:
        data = entry.get("data") if isinstance(entry, dict) else None
        if not isinstance(data, dict) or (kind == "nodes" and not isinstance(data.get("id"), str)):
            raise FileFormatError(f'{where}: one of the {kind} has no "data" with an "id": {shown(entry)}')
    return [entry["data"] for entry in found]


# --- the format -------------------------------------------------------------------------------------------


def _read(path: ModelPath, domain: str | None) -> ModelFile:
    return read_cyjs(path)


def _write(content: ModelFile, path: ModelPath, domain: str) -> None:
    write_cyjs(content, path)


def _recognises(text: str) -> bool:
    return isinstance(object_or_nothing(text).get("elements"), dict)


FUNCTIONS = FormatFunctions(_read, _write, _recognises)
