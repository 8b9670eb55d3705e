"""Nested dissection of graphs with bounded degree, such as the dual of a triangulation.

Each part is cut along a level set of the difference of the distances from its two (nearly) farthest nodes, or of one
of these distances, whichever gives the smaller separator at a balance between 3:7 and 7:3. On planar graphs of
bounded degree the separators grow like the square root, also next to hubs, because the dual has none.
"""

from __future__ import annotations

from dataclasses import dataclass

import numba
import numpy as np

# Parts of this size are not cut further.
LEAF = 16
# Longer separators are cut into supernodes of this size. The errors of an inverse that is rebuilt from supernode to
# supernode grow with the length of the chain (16 in place of 256 costs nine digits on a 316 x 316 grid).
CHUNK = 256
SMALLEST_SHARE = 0.3


@dataclass(frozen=True, eq=False)
class Dissection:
    """An elimination tree of supernodes in postorder.

    Attributes
    ----------
    order : (n,) int64 array
        Nodes in order of elimination.
    first : (n_supernodes + 1,) int64 array
        Supernode t holds order[first[t]:first[t + 1]].
    parent : (n_supernodes,) int64 array
        Always larger than the child; -1 for a root.
    """

    order: np.ndarray
    first: np.ndarray
    parent: np.ndarray


def dissect(neighbours: np.ndarray) -> Dissection:
    """Nested dissection of the graph in which node v has the neighbours neighbours[v], (n, degree). O(n log n)."""
    order, first, parent = _dissect(neighbours)
    by_position = np.argsort(first, kind="stable")
    rank = np.empty_like(by_position)
    rank[by_position] = np.arange(by_position.size)
    above = parent[by_position]
    above = np.where(above >= 0, rank[above], -1)
    return Dissection(order, np.append(first[by_position], order.size), above)


@numba.njit(cache=True)
def _distances(source, part, owner, neighbours, distance, queue):
    """Breadth-first distances inside one part; returns (last node reached, number reached)."""
    distance[source] = 0
    queue[0] = source
    size = 1
    k = 0
    while k < size:
        v = queue[k]
        k += 1
        for w in neighbours[v]:
            if owner[w] == part and distance[w] < 0:
                distance[w] = distance[v] + 1
                queue[size] = w
                size += 1
    return queue[size - 1], size


@numba.njit(cache=True)
def _best_cut(nodes, part, owner, neighbours, key, counts, crossing):
    """Threshold t of the smallest balanced vertex separator {v: key v <= t < key of a neighbour}.

    Returns (size of the separator, t); the size is larger than the part when no cut is balanced.
    """
    low = key[nodes[0]]
    high = low
    for v in nodes:
        low = min(low, key[v])
        high = max(high, key[v])
    span = high - low + 2
    counts[:span] = 0
    crossing[:span] = 0
    for v in nodes:
        largest = key[v]
        for w in neighbours[v]:
            if owner[w] == part:
                largest = max(largest, key[w])
        counts[key[v] - low] += 1
        crossing[key[v] - low] += 1
        crossing[largest - low] -= 1
    best, best_t = nodes.size + 1, low
    below = 0
    separator = 0
    for t in range(span - 1):
        below += counts[t]
        separator += crossing[t]
        smaller = min(below - separator, nodes.size - below)
        if smaller >= SMALLEST_SHARE * nodes.size and separator < best:
            best, best_t = separator, t + low
    return best, best_t


@numba.njit(cache=True)
def _arrange(nodes, part, owner, neighbours, key, t, space):
    """Reorder a part as [below | above | separator]; returns their sizes."""
    n_below, n_above, n_separator = 0, 0, 0
    for v in nodes:
        if key[v] > t:
            n_above += 1
            continue
        touches = False
        for w in neighbours[v]:
            if owner[w] == part and key[w] > t:
                touches = True
        if touches:
            n_separator += 1
        else:
            n_below += 1
    places = np.array([0, n_below, n_below + n_above])
    for v in nodes:
        side = 0
        if key[v] > t:
            side = 1
        else:
            for w in neighbours[v]:
                if owner[w] == part and key[w] > t:
                    side = 2
        space[places[side]] = v
        places[side] += 1
    nodes[:] = space[: nodes.size]
    return n_below, n_above, n_separator


@numba.njit(cache=True)
def _cut(nodes, part, owner, neighbours, work):
    """Reorder a part as [below | above | separator] and return their sizes; (0, 0, all) when nothing separates it."""
    from_u, from_v, queue, counts, crossing = work
    u, reached = _distances(nodes[0], part, owner, neighbours, from_u, queue)
    if reached < nodes.size:  # several components: no separator is needed
        return _arrange(nodes, part, owner, neighbours, from_u, -1, queue)
    for v in nodes:
        from_u[v] = -1
    v, _ = _distances(u, part, owner, neighbours, from_u, queue)
    _distances(v, part, owner, neighbours, from_v, queue)
    best_u, t_u = _best_cut(nodes, part, owner, neighbours, from_u, counts, crossing)
    for w in nodes:
        from_v[w] = from_u[w] - from_v[w]
    best_v, t_v = _best_cut(nodes, part, owner, neighbours, from_v, counts, crossing)
    if min(best_u, best_v) > nodes.size:
        return 0, 0, nodes.size
    if best_u < best_v:
        return _arrange(nodes, part, owner, neighbours, from_u, t_u, queue)
    return _arrange(nodes, part, owner, neighbours, from_v, t_v, queue)


@numba.njit(cache=True)
def _dissect(neighbours):
    n = neighbours.shape[0]
    order = np.arange(n)
    first = np.empty(n, np.int64)
    parent = np.empty(n, np.int64)
    count = 0
    owner = np.zeros(n, np.int64)
    work = (
        np.empty(n, np.int64),
        np.empty(n, np.int64),
        np.empty(n, np.int64),
        np.empty(2 * n + 2, np.int64),
        np.empty(2 * n + 2, np.int64),
    )
    todo = [(0, n, -1)]
    part = 0
    while len(todo) > 0:
        low, high, above = todo.pop()
        nodes = order[low:high]
        part += 1
        for v in nodes:
            owner[v] = part
            work[0][v] = -1
            work[1][v] = -1
        n_below, n_above, n_separator = 0, 0, high - low
        if high - low > LEAF:
            n_below, n_above, n_separator = _cut(nodes, part, owner, neighbours, work)
        middle = high - n_separator
        n_chunks = (n_separator + CHUNK - 1) // CHUNK
        for k in range(n_chunks):  # a chain of supernodes, from its top down
            first[count] = middle + n_separator * (n_chunks - 1 - k) // n_chunks
            parent[count] = above
            above = count
            count += 1
        if n_below > 0:
            todo.append((low, low + n_below, above))
        if n_above > 0:
            todo.append((low + n_below, middle, above))
    return order, first[:count], parent[:count]
