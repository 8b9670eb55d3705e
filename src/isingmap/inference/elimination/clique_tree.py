"""What the elimination of a graph's variables looks like: cliques, where their tables lie, and how they fit together.

The *front* of a variable are its neighbours when its turn comes. Positions count the variables in their order of
elimination, a postorder of the tree in which the parent of a variable is the first of its front to be eliminated. A
configuration of the clique (variable and front) is a number whose bit 0 is the variable and whose further bits are the
front, by position; without bit 0 it is a configuration of the front. A set bit is +1.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from isingmap.compiled import kernel
from isingmap.inference.elimination.layout import laid_out
from isingmap.inference.elimination.order import cheapest_order

# Entries of the largest store of tables, one for each configuration of each front: 1 GiB of doubles.
MOST_ENTRIES = 2**27


class CliqueTables(NamedTuple):
    """The form that kernels read, all int64; k counts positions.

    Attributes
    ----------
    node : (n,) array
        The variable at position k.
    front, start : arrays
        The front of k holds the positions front[start[k]:start[k + 1]], ascending.
    place : array
        Beside `front`: the bit of that member in the clique of the parent of k.
    child, child_start : arrays
        The children of k are child[child_start[k]:child_start[k + 1]].
    edge, bit, edge_start : arrays
        The edges from k to its front: their numbers, and the bit of the other end in the clique of k, ascending.
    store : (n + 1,) array
        Where the table of each front starts, when all are kept.
    slot : (n,) array
        Where it lies in the arena, which holds the tables between a clique and its parent only while they are needed.
    arena, most_children, most_edges : int
    """

    node: np.ndarray
    front: np.ndarray
    start: np.ndarray
    place: np.ndarray
    child: np.ndarray
    child_start: np.ndarray
    edge: np.ndarray
    bit: np.ndarray
    edge_start: np.ndarray
    store: np.ndarray
    slot: np.ndarray
    arena: int
    most_children: int
    most_edges: int


@dataclass(frozen=True, eq=False)
class Width:
    """What an elimination would need.

    Attributes
    ----------
    order : (n,) int64 array
    joined : (n, n) bool array
        See `cheapest_order`.
    cost : float
        Additions for log Z: the sum over all variables of 2^(size of the front + 1).
    width : int
        Size of the largest front.
    """

    order: np.ndarray
    joined: np.ndarray
    cost: float
    width: int

    @property
    def fits(self) -> bool:
        """Whether all tables together stay within 1 GiB."""
        return self.cost / 2.0 <= MOST_ENTRIES


@dataclass(frozen=True, eq=False)
class CliqueTree:
    """The elimination of a graph, for any couplings and fields.

    Attributes
    ----------
    n_spins : int
    edges : (n_edges, 2) int64 array
    tables : CliqueTables
    subtree : (n_spins,) int64 array
        The positions from subtree[k] to k are those that hang on position k in the elimination tree, and itself.
    width : int
        Size of the largest front.
    cost : float
        Additions for log Z: the sum over all variables of 2^(size of the front + 1).
    """

    n_spins: int
    edges: np.ndarray
    tables: CliqueTables
    subtree: np.ndarray
    width: int
    cost: float

    def spread(self, couplings: np.ndarray, fields: np.ndarray) -> float:
        """See `spread_of`."""
        return spread_of(self.tables, self.subtree, couplings, fields)

    @property
    def n_entries(self) -> int:
        """Of all tables of fronts together."""
        return int(self.tables.store[-1])


def width_of(n_spins: int, edges: np.ndarray) -> Width:
    """How wide the graph is, as far as the orders tried can tell. About n^2 + n width^3."""
    return Width(*cheapest_order(n_spins, edges))


def clique_tree(n_spins: int, edges: np.ndarray, width: Width | None = None) -> CliqueTree:
    """Plan the elimination of a graph whose tables fit.

    Raises
    ------
    ValueError
        When they do not; ask `Width.fits` first.
    """
    width = width_of(n_spins, edges) if width is None else width
    if not width.fits:
        raise ValueError(f"tables of width {width.width} do not fit")
    edges = np.array(edges, np.int64, order="C")  # a copy: for arrays that are read-only kernels are compiled anew
    arrays, arena, most_children, most_edges, subtree = laid_out(width.order, width.joined, edges)
    tables = CliqueTables._make((*arrays, arena, most_children, most_edges))
    return CliqueTree(n_spins, edges, tables, subtree, width.width, width.cost)


@kernel
def spread_of(tables, subtree, couplings, fields):
    """A bound on how far two entries of one table can be apart, as a logarithm, whatever is in the tables.

    A configuration of the front changes the sum over what is below only through the edges that lead there.
    """
    n = tables.node.size
    upward, downward = np.empty(n), np.empty(n)
    for k in range(n):
        upward[k], downward[k] = 0.0, 0.0
    for k in range(n):
        for e in range(tables.edge_start[k], tables.edge_start[k + 1]):
            size = abs(couplings[tables.edge[e]])
            upward[k] += size
            downward[tables.front[tables.start[k] + tables.bit[e] - 1]] += size
    widest, before = 0.0, np.empty(n + 1)
    before[0] = 0.0
    for k in range(n):
        before[k + 1] = before[k] + upward[k] - downward[k]
        cut = before[k + 1] - before[subtree[k]]
        widest = max(widest, cut + downward[k] + abs(fields[tables.node[k]]))
    return 2.0 * widest
