"""A model as a network for programs that draw and measure networks: names, numbers, groups and places."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from isingmap.errors import ModelError
from isingmap.io.model_content import ModelFile

if TYPE_CHECKING:
    import networkx as nx

LONGEST_SIDE = 1000.0  # of the positions in Gephi's and Cytoscape's units, where a node is 10 to 40 wide
_NOT_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def network_of(content: ModelFile) -> nx.Graph:
    """A graph whose nodes are names.

    Nodes have `label` and `field`; also `group`, `x` and `y` (y points up) and the columns of nodes.csv where the
    content has them. Edges have `coupling`, `weight` = |coupling| (layouts take no negative weights), `sign`, and the
    columns of edges.csv. Empty cells are left out.
    """
    import networkx as nx

    model, results = content.model, content.record.get("results", {})
    places, groups = _places(content), content.record.get("fit", {}).get("groups") or [""] * content.model.n_spins
    graph = nx.Graph()
    for k, (name, field) in enumerate(zip(model.names, model.fields.tolist(), strict=True)):
        known = {"group": groups[k] or None, **places.get(name, {})}
        graph.add_node(name, label=name, field=field, **_there(known), **_more(results, "nodes", k))
    for k, ((source, target), coupling) in enumerate(zip(model.edge_names, model.couplings.tolist(), strict=True)):
        sign = (coupling > 0) - (coupling < 0)
        more = _more(results, "edges", k)
        graph.add_edge(source, target, coupling=coupling, weight=abs(coupling), sign=sign, **more)
    if content.offset:
        graph.graph["offset"] = float(content.offset)
    return graph


def check_names_for_xml(names) -> None:
    """Refuse names with characters that no XML file can hold.

    Raises
    ------
    ModelError
    """
    bad = [name for name in names if _NOT_XML.search(name)]
    if bad:
        raise ModelError(f"the name {bad[0]!r} holds a character that XML does not allow; rename the variable")


def without_bad_letters(graph: nx.Graph) -> nx.Graph:
    """The graph with a replacement character for what XML cannot hold in its texts other than names."""
    for _, known in (*graph.nodes(data=True), *((ends, known) for *ends, known in graph.edges(data=True))):
        known.update({key: _NOT_XML.sub("\ufffd", text) for key, text in known.items() if isinstance(text, str)})
    return graph


def named(graph: nx.Graph) -> nx.Graph:
    """The graph with its nodes called by their attribute `name` or else `label`, where all have one.

    Raises
    ------
    ModelError
        If two nodes have the same `name`.
    """
    import networkx as nx

    for key in ("name", "label"):
        names = {node: name for node, name in graph.nodes(data=key) if isinstance(name, str)}
        if not names or len(names) < len(graph):
            continue
        if len(set(names.values())) == len(names):
            return nx.relabel_nodes(graph, names)
        if key == "name":
            raise ModelError("two nodes have the same attribute name; make them unique or remove the attribute")
    return graph


def coupling_attribute(graph: nx.Graph) -> str:
    """What couplings are called: `coupling`, or `weight` if no edge has a coupling."""
    found = {key for _, _, attributes in graph.edges(data=True) for key in attributes}
    return "weight" if "weight" in found and "coupling" not in found else "coupling"


def offset_of(graph: nx.Graph) -> float:
    """The graph attribute `offset`, 0 if there is none.

    Raises
    ------
    ModelError
        If it is no finite number.
    """
    offset = graph.graph.get("offset", 0.0)
    if type(offset) not in (int, float) or not abs(offset) < float("inf"):
        raise ModelError(f"the graph attribute offset must be a finite number, got {offset!r}")
    return float(offset)


def _places(content: ModelFile) -> dict[str, dict[str, float]]:
    places = {name: content.record["positions"][name] for name in content.model.names if "positions" in content.record}
    if not places:
        return {}
    low = [min(place[axis] for place in places.values()) for axis in (0, 1)]
    side = max(place[axis] - low[axis] for place in places.values() for axis in (0, 1)) or 1.0
    return {
        name: {axis: LONGEST_SIDE * (place[k] - low[k]) / side for k, axis in enumerate("xy")}
        for name, place in places.items()
    }


def _more(results: dict, table: str, row: int) -> dict[str, Any]:
    return {key: values[row] for key, values in results.get(table, {}).items() if values[row] is not None}


def _there(values: dict[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in values.items() if value is not None}
