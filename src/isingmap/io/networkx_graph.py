"""networkx graphs: fields on the nodes, couplings on the edges."""

from __future__ import annotations

import math
from collections.abc import Hashable
from numbers import Real
from typing import TYPE_CHECKING

from isingmap.errors import ModelError
from isingmap.model import IsingModel

if TYPE_CHECKING:
    import networkx as nx


def to_networkx(model: IsingModel) -> nx.Graph:
    """A graph with node attribute `field` and edge attribute `coupling`, both plain floats; nodes are names."""
    import networkx as nx

    graph = nx.Graph()
    graph.add_nodes_from(
        (name, {"field": field}) for name, field in zip(model.names, model.fields.tolist(), strict=True)
    )
    for (source, target), coupling in zip(model.edge_names, model.couplings.tolist(), strict=True):
        graph.add_edge(source, target, coupling=coupling)
    return graph


def from_networkx(graph: nx.Graph, *, coupling: str = "coupling", field: str = "field") -> IsingModel:
    """The Ising model of a graph.

    Spins come in the order of the graph's nodes, isolated ones included; `node_names` tells which name a node got.

    Parameters
    ----------
    graph : networkx.Graph
        No parallel edges, no loops. Arcs of a directed graph are taken as edges, unless there are two between a pair.
    coupling : str
        Edge attribute, needed on every edge: positive where two spins tend to agree ("weight" in many graphs).
    field : str
        Node attribute, on all nodes or on none (all fields zero).

    Raises
    ------
    ModelError
        With the node or edge that has no such number, or the kind of graph that is not taken.
    """
    import networkx as nx

    if not isinstance(graph, nx.Graph):
        raise ModelError(f"expected a networkx Graph, got {type(graph).__name__}")
    names = node_names(graph)
    position = {node: k for k, node in enumerate(names)}
    _refuse_parallel(graph)
    edges, couplings = [], []
    for source, target, attributes in graph.edges(data=True):
        where = f"the edge {source!r} - {target!r}"
        if source == target:
            raise ModelError(f"{where} joins a node to itself; remove it, s * s = 1 is a constant")
        edges.append((position[source], position[target]))
        couplings.append(_number(attributes, coupling, where))
    return IsingModel(edges, couplings, _fields(graph, field), names=list(names.values()))


def node_names(graph: nx.Graph) -> dict[Hashable, str]:
    """{node: name} of every node, in order; names are the nodes written as text.

    Raises
    ------
    ModelError
        If two nodes, such as 1 and "1", are written alike.
    """
    names = {node: str(node) for node in graph}
    node_of: dict[str, Hashable] = {}
    for node, name in names.items():
        if name in node_of:
            raise ModelError(f"the nodes {node_of[name]!r} and {node!r} are both written {name!r}; relabel one")
        node_of[name] = node
    return names


def _refuse_parallel(graph: nx.Graph) -> None:
    """Two edges, or two arcs, of one pair: nobody can know whether they add up, and every conversion loses one."""
    seen: set[frozenset] = set()
    for source, target in graph.edges():
        pair = frozenset((source, target))
        if pair in seen:
            raise ModelError(
                f"there is more than one edge between {source!r} and {target!r}; give it one edge, with the sum of "
                "the couplings if they add up"
            )
        seen.add(pair)


def _fields(graph: nx.Graph, field: str) -> list[float]:
    if not any(field in attributes for _, attributes in graph.nodes(data=True)):
        return [0.0] * len(graph)
    return [_number(attributes, field, f"the node {node!r}") for node, attributes in graph.nodes(data=True)]


def _number(attributes: dict, key: str, where: str) -> float:
    if key not in attributes:
        found = ", ".join(map(repr, list(attributes)[:10])) or "none"
        raise ModelError(f"{where} has no attribute {key!r}; its attributes: {found}")
    value = attributes[key]
    if not isinstance(value, Real) or isinstance(value, bool) or not _finite(value):
        raise ModelError(f"{where}: {key} must be a finite number, got {value!r}"[:300])
    return float(value)


def _finite(value: Real) -> bool:
    try:
        return math.isfinite(value)
    except OverflowError:  # an int beyond floats
        return False
