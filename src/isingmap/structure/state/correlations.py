"""Correlations of a state, computed when they are first asked for; most states are only weighed and never asked.

What the computation needs is a record. It refers to the correlations of the state before, not to that state, and is
dropped once it has been used: no state keeps its ancestors alive.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from isingmap.compiled import kernel
from isingmap.planar.blocks import attachment
from isingmap.structure.state.block_fit import BlockFit, correlations_of
from isingmap.structure.state.plane import Plane


class Correlations:
    """E[x_i x_j] of all nodes, or how they follow from those of the state before."""

    def __init__(self, source: np.ndarray | Change):
        self._source = source

    @property
    def matrix(self) -> np.ndarray:
        """(n_nodes, n_nodes); NaN for pairs that are not kept."""
        if isinstance(self._source, Change):
            self._source = self._source.applied()
        return self._source


@dataclass(frozen=True, eq=False)
class Change:
    """What a change of the graph does to correlations.

    Attributes
    ----------
    plane : Plane
    before : Correlations
        Of the state before.
    edges, couplings : (n_edges, 2), (n_edges,) arrays
        After the change.
    members : (k,) int array
        Numbers of the edges that were refitted.
    nodes : (b,) int array
        Their nodes and those of a removed edge, ascending.
    fits : list of BlockFit
        Of the blocks that the members form.
    only_kept : bool
        Whether some pairs are not kept; then only those that are get computed.
    shrinks : bool
        Whether an edge was removed: faces have merged, and their pairs are new.
    """

    plane: Plane
    before: Correlations
    edges: np.ndarray
    couplings: np.ndarray
    members: np.ndarray
    nodes: np.ndarray
    fits: list[BlockFit]
    only_kept: bool
    shrinks: bool

    def applied(self) -> np.ndarray:
        """The correlations before, with those that pass through the members brought up to date."""
        before, nodes, members = self.before.matrix, self.nodes, self.members
        asked = None
        if self.only_kept:
            asked = ~np.isnan(before[np.ix_(nodes, nodes)])
            if self.shrinks:
                asked |= self.plane.cofacial(nodes, self.edges[members])
        if len(self.fits) == 1 and self.fits[0].n_nodes == nodes.size:
            inside = self.fits[0].correlations(asked)
        else:
            graph = self.plane.plan(nodes, self.edges[members])
            inside = correlations_of(graph, self.couplings[members], asked)
        return through_part(before, self.edges, members, nodes, inside)


def through_part(correlations, edges, members, nodes, inside) -> np.ndarray:
    """New correlations of all pairs: those that hang on different nodes of a part of the graph meet through it."""
    n_nodes = len(correlations)
    in_core = np.zeros(n_nodes, bool)
    in_core[nodes] = True
    is_core_edge = np.zeros(len(edges), bool)
    is_core_edge[members] = True
    hangs_on = attachment(n_nodes, edges, in_core, is_core_edge)
    place = np.searchsorted(nodes, hangs_on)
    return _meet(correlations, hangs_on, place, inside)


@kernel
def _meet(correlations, hangs_on, place, inside):
    n_nodes = hangs_on.size
    updated = correlations.copy()
    for i in range(n_nodes):
        if hangs_on[i] < 0:
            continue
        to_foot = correlations[i, hangs_on[i]]
        for j in range(i):
            if hangs_on[j] >= 0 and hangs_on[j] != hangs_on[i]:
                through = to_foot * inside[place[i], place[j]] * correlations[j, hangs_on[j]]
                updated[i, j] = through
                updated[j, i] = through
    return updated
