"""In which order to eliminate the variables of a graph so that the tables stay small.

Two kinds of orders are tried, and the cheapest wins. *Min-fill* takes next whoever joins the fewest pairs of
neighbours: the best on graphs learned from data. A *sweep* goes through the graph as a front, from one end to the
other: the best on grids, where it has width L on L x L and min-fill half as much again. (Nested dissection was tried
and never won: its separators are small, but several of them surround each part.)
"""

from __future__ import annotations

import numpy as np

from isingmap.compiled import NONE, ONE, ZERO, filled, helper, kernel

# Sums of the sizes of all tables up to this are not improved on: they take a fraction of a millisecond.
CHEAP = 2.0**15
# Ends from which sweeps start.
N_STARTS = 12
# Nodes with more neighbours than this come last, whatever pairs they would join.
HOPELESS = 40
LATER = 1 << 40


def cheapest_order(n_nodes: int, edges: np.ndarray) -> tuple[np.ndarray, np.ndarray, float, int]:
    """The cheapest order found; the same for the same graph.

    Returns
    -------
    order : (n_nodes,) int64 array
    joined : (n_nodes, n_nodes) bool array
        Row v: the neighbours of v when its turn comes.
    cost : float
        Sum of 2^(neighbours + 1).
    width : int
        Most neighbours.
    """
    edges = np.array(edges, np.int64, order="C")  # a copy: for arrays that are read-only kernels are compiled anew
    best = _eliminated(n_nodes, edges, NONE, np.inf)
    if best[2] <= CHEAP:
        return best
    for start in _far_nodes(n_nodes, edges, min(N_STARTS, n_nodes)):
        sweep = _eliminated(n_nodes, edges, start, best[2])
        if sweep[2] < best[2]:
            best = sweep
    return best


@helper
def _matrix(n_nodes, edges):
    joined = np.empty((n_nodes, n_nodes), np.bool_)
    for v in range(n_nodes):
        for w in range(n_nodes):
            joined[v, w] = False
    for e in range(edges.shape[0]):
        joined[edges[e, 0], edges[e, 1]] = True
        joined[edges[e, 1], edges[e, 0]] = True
    return joined


@helper
def _neighbours(joined, v, around):
    """Lists the neighbours of v in `around`; returns their number."""
    size = 0
    for w in range(joined.shape[0]):
        if joined[v, w]:
            around[size] = w
            size += 1
    return size


@helper
def _price(joined, v, around, reached):
    """Who has the lowest price comes next: pairs of neighbours to be joined, or in a sweep (`reached`) neighbours."""
    degree = _neighbours(joined, v, around)
    if reached >= 0:
        return degree + (LATER if reached == LATER else 0)
    if degree > HOPELESS:
        return LATER + degree
    missing = 0
    for a in range(degree):
        for b in range(a):
            if not joined[around[a], around[b]]:
                missing += 1
    return missing * joined.shape[0] + degree


@kernel
def _eliminated(n_nodes, edges, start, limit):  # noqa: C901 - as helpers, its parts would be compiled once more
    """(order, joined, cost, width) of min-fill (`start` -1) or of the sweep from a node; cost infinite beyond `limit`.

    Ties go to who became a neighbour of the front first, then to the smaller number.
    """
    joined = _matrix(n_nodes, edges)
    order = filled(n_nodes, ZERO)
    price = filled(n_nodes, ZERO)
    reached = filled(n_nodes, LATER if start >= 0 else NONE)
    met = filled(n_nodes, LATER)
    done = filled(n_nodes, ZERO)
    around = filled(n_nodes, ZERO)
    near = filled(n_nodes, ZERO)
    asked = filled(n_nodes, NONE)
    if start >= 0:
        reached[start] = ZERO
    for v in range(n_nodes):
        price[v] = _price(joined, v, around, reached[v])
    clock = ONE
    cost = 0.0
    width = ZERO
    for k in range(n_nodes):
        best = -1
        for v in range(n_nodes):
            if done[v] == 0 and (
                best < 0 or price[v] < price[best] or (price[v] == price[best] and met[v] < met[best])
            ):
                best = v
        done[best] = 1
        order[k] = best
        degree = _neighbours(joined, best, near)
        cost += 2.0 ** (degree + 1)
        width = max(width, degree)
        if cost >= limit:
            return order, joined, np.inf, width
        for a in range(degree):
            u = near[a]
            joined[u, best] = False
            for b in range(degree):
                if b != a:
                    joined[u, near[b]] = True
            if met[u] == LATER:
                met[u] = clock
                clock += 1
            if start >= 0:
                reached[u] = met[u]
        for a in range(degree):
            u = near[a]
            price[u] = _price(joined, u, around, reached[u])
            if start >= 0 or degree > HOPELESS:
                continue
            for w in range(n_nodes):  # pairs among whose neighbours may have been joined
                if joined[u, w] and asked[w] != k:
                    asked[w] = k
                    price[w] = _price(joined, w, around, reached[w])
    return order, joined, cost, width


def _far_nodes(n_nodes: int, edges: np.ndarray, count: int) -> list[int]:
    """Nodes far from each other: each the farthest from those before it, the first the farthest from node 0."""
    joined = np.zeros((n_nodes, n_nodes), bool)
    joined[edges[:, 0], edges[:, 1]] = joined[edges[:, 1], edges[:, 0]] = True
    found = [int(_distances(joined, 0).argmax())]
    nearest = _distances(joined, found[0])
    while len(found) < count:
        found.append(int(nearest.argmax()))
        nearest = np.minimum(nearest, _distances(joined, found[-1]))
    return found


def _distances(joined: np.ndarray, source: int) -> np.ndarray:
    """Edges on a shortest path from the source; the number of nodes where there is none."""
    distance = np.full(len(joined), len(joined))
    front = np.arange(len(joined)) == source
    steps = 0
    while front.any():
        distance[front] = steps
        steps += 1
        front = joined[front].any(axis=0) & (distance == len(joined))
    return distance
