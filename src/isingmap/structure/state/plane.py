"""What must fit into the plane, and how a block of the graph is solved: with the fields or without them.

A search sees a model with fields as a zero-field model with one node more, the auxiliary one. In the families of the
paper the graph with that node has to be planar, and its blocks are solved by Pfaffians. In the family "planar" only
the couplings are drawn; every field is there from the start, so a block is a part of the graph of couplings with its
fields, and is solved by elimination. Where fields were dropped in the end, a block without any is solved by Pfaffians.
"""

from __future__ import annotations

from typing import Protocol

import numpy as np

from isingmap.inference.elimination.fielded_block import FieldedPlan
from isingmap.inference.zero_field.plan import DualPlan, plan
from isingmap.likelihood.fit import plan_beside_fields
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

    def gain(self, target: np.ndarray, correlations: np.ndarray, edges: np.ndarray, rows, columns) -> np.ndarray:
        """Guaranteed gain of pairs, nats per sample.

        From the matrices of moments to match and of the model with these edges.
        """

    def loss(self, target: np.ndarray, edges: np.ndarray, couplings: np.ndarray) -> np.ndarray:
        """What the model loses without each edge, the other couplings fixed, nats per sample, (m,)."""


def plane_of(problem: Problem) -> Plane:
    """The plane of the family."""
    n_nodes = len(problem.labels)
    return WithFields(n_nodes) if problem.rules.fields_in_plane else WithoutFields(n_nodes, problem.max_width)


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

    def gain(self, target: np.ndarray, correlations: np.ndarray, edges: np.ndarray, rows, columns) -> np.ndarray:
        return edge_gain(target[rows, columns], correlations[rows, columns])

    def loss(self, target: np.ndarray, edges: np.ndarray, couplings: np.ndarray) -> np.ndarray:
        return edge_loss(target[edges[:, 0], edges[:, 1]], couplings)


class WithoutFields:
    """The plane holds the couplings; every spin has its field beside it, unless that was dropped."""

    unfit = (
        "with it no fit converged: its coupling may be infinite, because some combination of values never occurs, or "
        "too strong for double precision; neither is proved"
    )

    def __init__(self, n_nodes: int, max_width: int | None = None):
        self.n_nodes = n_nodes
        self.max_width = max_width

    def drawn(self, edges: np.ndarray) -> np.ndarray:
        return edges[:, 1] != self.n_nodes - 1

    def has_room(self, edges: np.ndarray) -> bool:
        return bool(is_planar_kernel(self.n_nodes, edges[self.drawn(edges)]))

    def cofacial(self, nodes: np.ndarray, edges: np.ndarray) -> np.ndarray:
        return cofacial_pairs(nodes.size, np.searchsorted(nodes, edges[self.drawn(edges)]))

    def blocked(self, nodes: np.ndarray, edges: np.ndarray, asked: np.ndarray) -> np.ndarray:
        return blocked_pairs(nodes.size, np.searchsorted(nodes, edges[self.drawn(edges)]), asked)

    def plan(self, nodes: np.ndarray, edges: np.ndarray) -> DualPlan | FieldedPlan:
        return plan_beside_fields(self.n_nodes - 1, nodes, edges, self.max_width)

    def gain(self, target: np.ndarray, correlations: np.ndarray, edges: np.ndarray, rows, columns) -> np.ndarray:
        means, observed, expected = target[:, -1], target[rows, columns], correlations[rows, columns]
        gain = table_gain(observed, expected, means[rows], means[columns])
        whole = self._whole_tables(edges, rows, columns)
        return gain if whole.all() else np.where(whole, gain, edge_gain(observed, expected))

    def _whole_tables(self, edges: np.ndarray, rows, columns) -> np.ndarray:
        """For which pairs the fields of both ends are in the model, so that its table has the means of the data."""
        has_field = np.zeros(self.n_nodes, bool)
        has_field[edges[~self.drawn(edges), 0]] = True
        return has_field[rows] & has_field[columns]

    def loss(self, target: np.ndarray, edges: np.ndarray, couplings: np.ndarray) -> np.ndarray:
        rows, columns, means = edges[:, 0], edges[:, 1], target[:, -1]
        loss = edge_loss(target[rows, columns], couplings)
        whole = self._whole_tables(edges, rows, columns)
        rows, columns = rows[whole], columns[whole]
        loss[whole] = table_loss(target[rows, columns], couplings[whole], means[rows], means[columns])
        return loss
