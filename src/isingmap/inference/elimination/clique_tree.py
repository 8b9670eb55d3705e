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
        """A bound on how far two entries of one table can be apart, as a logarithm, whatever is in the tables.

        A configuration of the front changes the sum over what is below only through the edges that lead there.
        """
        sizes = np.abs(couplings)
        position = np.empty(self.n_spins, np.int64)
        position[self.tables.node] = np.arange(self.n_spins)
        earlier, later = np.sort(position[self.edges], axis=1).reshape(-1, 2).T
        upward, downward = (np.bincount(ends, sizes, self.n_spins) for ends in (earlier, later))
        before = np.concatenate([[0.0], np.cumsum(upward - downward)])
        cut = before[1:] - before[self.subtree]
        return 2.0 * float((cut + downward + np.abs(fields)[self.tables.node]).max(initial=0.0))

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
    edges = np.ascontiguousarray(edges, np.int64)
    position, parent, subtree = _tree(width.order, width.joined)
    tables = _tables(edges, position, parent, width.joined)
    return CliqueTree(n_spins, edges, tables, subtree, width.width, width.cost)


def _tables(edges: np.ndarray, position: np.ndarray, parent: np.ndarray, joined: np.ndarray) -> CliqueTables:
    n = position.size
    node = np.argsort(position)
    owner, front = np.nonzero(joined[node][:, node])
    start = _starts(owner, n)
    key = owner * n + front  # ascending, so that members are found by bisection

    def bits(above, member):
        """The bit of a member of the front in the clique of `above`."""
        return np.searchsorted(key, above * n + member) - start[above] + 1

    above = parent[owner]
    place = np.where(above == front, 0, bits(np.maximum(above, 0), front))
    child = np.argsort(parent, kind="stable")[int((parent < 0).sum()) :]
    child_start = _starts(parent[child], n)
    earlier, later = np.sort(position[edges], axis=1).reshape(-1, 2).T
    edge = np.lexsort((later, earlier))
    edge_start = _starts(earlier, n)
    store = np.concatenate([[0], np.cumsum(1 << np.diff(start))])
    slot, arena = _slots(parent, np.diff(store))
    return CliqueTables(
        node=node,
        front=front,
        start=start,
        place=place,
        child=child,
        child_start=child_start,
        edge=edge,
        bit=bits(earlier, later)[edge],
        edge_start=edge_start,
        store=store,
        slot=slot,
        arena=arena,
        most_children=int(np.diff(child_start).max(initial=0)),
        most_edges=int(np.diff(edge_start).max(initial=0)),
    )


def _starts(owner: np.ndarray, n: int) -> np.ndarray:
    """Where the entries of each owner start in a list sorted by owner, (n + 1,)."""
    return np.concatenate([[0], np.cumsum(np.bincount(owner, minlength=n))])


def _tree(order: np.ndarray, joined: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """A postorder of the elimination tree: the position of each node, and for each position its parent and subtree."""
    by_rank = np.triu(joined[order][:, order])
    above = np.where(by_rank.any(axis=1), by_rank.argmax(axis=1), -1)
    n = order.size
    size = [1] * n
    for k, p in enumerate(above.tolist()):
        if p >= 0:
            size[p] += size[k]
    free = [0] * (n + 1)  # where the next subtree below each may start; at the end, the next tree
    first, last = np.zeros(n, np.int64), np.zeros(n, np.int64)
    for k in range(n - 1, -1, -1):
        p = int(above[k])
        first[k] = free[k] = free[p]
        free[p] += size[k]
        last[k] = free[k] + size[k] - 1
    position, parent, subtree = np.empty(n, np.int64), np.empty(n, np.int64), np.empty(n, np.int64)
    position[order] = last
    parent[last] = np.where(above < 0, -1, last[above])
    subtree[last] = first
    return position, parent, subtree


def _slots(parent: np.ndarray, size: np.ndarray) -> tuple[np.ndarray, int]:
    """Places of the tables in an arena of two stacks, by the parity of their depth; and the size of the arena.

    In postorder the children of a clique lie on top of one stack when its own table is put on top of the other.
    """
    n = parent.size
    above, sizes = parent.tolist(), size.tolist()
    slot, depth, before = [0] * n, [0] * n, [0] * (n + 1)
    for k, p in enumerate(above):  # siblings that came before; roots are siblings
        slot[k] = before[p]
        before[p] += sizes[k]
    height = [0, 0]
    for k in range(n - 1, -1, -1):
        p = above[k]
        if p >= 0:
            depth[k] = 1 - depth[p]
            slot[k] += slot[above[p]] if above[p] >= 0 else 0
        height[depth[k]] = max(height[depth[k]], slot[k] + sizes[k])
    return np.array(slot, np.int64) + np.array(depth, np.int64) * height[0], height[0] + height[1]
