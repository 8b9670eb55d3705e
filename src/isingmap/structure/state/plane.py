"""What must fit into the plane, and how a block of the graph is solved: with the fields or without them.

A search sees a model with fields as a zero-field model with one node more, the auxiliary one. In the families of the
paper the graph with that node has to be planar, and its blocks are solved by Pfaffians. In the family "planar" only
the couplings are drawn; every field is there from the start, so a block is a part of the graph of couplings with all
its fields, and is solved by elimination.
"""

from __future__ import annotations

from typing import Protocol

import numpy as np

from isingmap.inference.elimination.fielded_block import FieldedPlan, fielded_plan
from isingmap.inference.zero_field.plan import DualPlan, plan
from isingmap.planar.cofacial import blocked_pairs, cofacial_pairs
from isingmap.planar.planarity import is_planar_kernel
from isingmap.structure.edge_gain import edge_gain, edge_loss, table_gain, table_loss
from isingmap.structure.problem import Problem


class Plane(Protocol):
    """Edges are pairs of nodes of the whole model, the auxiliary node last; `nodes` are those of a part, ascending.

    `unfit` says why a pair is passed over when no fit with it is found.
    """

    unfit: str

    def drawn(self, edges: np.ndarray) -> np.ndarray:
        """Which edges must fit into the plane, (m,) bool."""

    def has_room(self, edges: np.ndarray) -> bool:
        """Whether these edges fit."""

    def cofacial(self, nodes: np.ndarray, edges: np.ndarray) -> np.ndarray:
        """Pairs of nodes on a common face or in different components, (k, k) bool; see `cofacial_pairs`."""

    def blocked(self, nodes: np.ndarray, edges: np.ndarray, asked: np.ndarray) -> np.ndarray:
        """Of the pairs asked about those that no drawing can join, (k, k) bool; see `blocked_pairs`."""

    def plan(self, nodes: np.ndarray, edges: np.ndarray) -> DualPlan | FieldedPlan:
        """How a part of the graph is solved."""

    def gain(self, target: np.ndarray, correlations: np.ndarray, rows, columns) -> np.ndarray:
        """Guaranteed gain of pairs, nats per sample, from the matrices of moments to match and of the model."""

    def loss(self, target: np.ndarray, edges: np.ndarray, couplings: np.ndarray) -> np.ndarray:
        """What the model loses without each edge, the other couplings fixed, nats per sample, (m,)."""


def plane_of(problem: Problem) -> Plane:
    """The plane of the family."""
    return (WithFields if problem.rules.fields_in_plane else WithoutFields)(len(problem.labels))


class WithFields:
    """The plane holds couplings and fields."""

    unfit = "with it the couplings would be too strong for double precision"

    def __init__(self, n_nodes: int):
        self.n_nodes = n_nodes

    def drawn(self, edges: np.ndarray) -> np.ndarray:
        return np.ones(len(edges), bool)

    def has_room(self, edges: np.ndarray) -> bool:
        return bool(is_planar_kernel(self.n_nodes, edges))

    def cofacial(self, nodes: np.ndarray, edges: np.ndarray) -> np.ndarray:
        return cofacial_pairs(nodes.size, np.searchsorted(nodes, edges))

    def blocked(self, nodes: np.ndarray, edges: np.ndarray, asked: np.ndarray) -> np.ndarray:
        return blocked_pairs(nodes.size, np.searchsorted(nodes, edges), asked)

    def plan(self, nodes: np.ndarray, edges: np.ndarray) -> DualPlan:
        return plan(nodes.size, np.searchsorted(nodes, edges))

    def gain(self, target: np.ndarray, correlations: np.ndarray, rows, columns) -> np.ndarray:
        return edge_gain(target[rows, columns], correlations[rows, columns])

    def loss(self, target: np.ndarray, edges: np.ndarray, couplings: np.ndarray) -> np.ndarray:
        return edge_loss(target[edges[:, 0], edges[:, 1]], couplings)


class WithoutFields:
    """The plane holds the couplings; every spin has its field beside it."""

    unfit = (
        "with it no fit converged: its coupling may be infinite, because some combination of values never occurs, or "
        "too strong for double precision; neither is proved"
    )

    def __init__(self, n_nodes: int):
        self.n_nodes = n_nodes

    def drawn(self, edges: np.ndarray) -> np.ndarray:
        return edges[:, 1] != self.n_nodes - 1

    def has_room(self, edges: np.ndarray) -> bool:
        return bool(is_planar_kernel(self.n_nodes, edges[self.drawn(edges)]))

    def cofacial(self, nodes: np.ndarray, edges: np.ndarray) -> np.ndarray:
        return cofacial_pairs(nodes.size, np.searchsorted(nodes, edges[self.drawn(edges)]))

    def blocked(self, nodes: np.ndarray, edges: np.ndarray, asked: np.ndarray) -> np.ndarray:
        return blocked_pairs(nodes.size, np.searchsorted(nodes, edges[self.drawn(edges)]), asked)

    def plan(self, nodes: np.ndarray, edges: np.ndarray) -> FieldedPlan:
        return fielded_plan(nodes, edges)

    def gain(self, target: np.ndarray, correlations: np.ndarray, rows, columns) -> np.ndarray:
        means = target[:, -1]
        return table_gain(target[rows, columns], correlations[rows, columns], means[rows], means[columns])

    def loss(self, target: np.ndarray, edges: np.ndarray, couplings: np.ndarray) -> np.ndarray:
        rows, columns, means = edges[:, 0], edges[:, 1], target[:, -1]
        loss = edge_loss(target[rows, columns], couplings)
        drawn = self.drawn(edges)
        rows, columns = rows[drawn], columns[drawn]
        loss[drawn] = table_loss(target[rows, columns], couplings[drawn], means[rows], means[columns])
        return loss
