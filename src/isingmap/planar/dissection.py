"""Nested dissection of graphs with bounded degree, such as the dual of a triangulation.

Each part is cut along a level set of the difference of the distances from its two (nearly) farthest nodes, or of one
of these distances, whichever gives the smaller separator at a balance between 3:7 and 7:3. On planar graphs of
bounded degree the separators grow like the square root, also next to hubs, because the dual has none.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from isingmap.compiled import NONE, ZERO, filled, helper, inlined, kernel

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


@helper
def _distances(source, part, owner, neighbours, distance, queue):
    """Breadth-first distances inside one part; returns (last node reached, number reached)."""
    distance[source] = 0
    queue[0] = source
    size = 1
    k = 0
    while k < size:
        v = queue[k]
        k += 1
        for j in range(neighbours.shape[1]):
            w = neighbours[v, j]
            if owner[w] == part and distance[w] < 0:
                distance[w] = distance[v] + 1
                queue[size] = w
                size += 1
    return queue[size - 1], size


@helper
def _best_cut(nodes, part, owner, neighbours, key, counts, crossing):
    """Threshold t of the smallest balanced vertex separator {v: key v <= t < key of a neighbour}.

    Returns (size of the separator, t); the size is larger than the part when no cut is balanced.
    """
    low = key[nodes[0]]
    high = low
    for v in nodes:
        if key[v] < low:
            low = key[v]
        if key[v] > high:
            high = key[v]
    span = high - low + 2
    for k in range(span):
        counts[k] = 0
        crossing[k] = 0
    for v in nodes:
        largest = key[v]
        for k in range(neighbours.shape[1]):
            w = neighbours[v, k]
            if owner[w] == part and key[w] > largest:
                largest = key[w]
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


@helper
def _arrange(nodes, part, owner, neighbours, key, t, space):
    """Reorder a part as [below | above | separator]; returns their sizes."""
    n_below, n_above, n_separator = 0, 0, 0
    for v in nodes:  # those below move up in place, the others wait at the two ends of `space`
        if key[v] > t:
            space[n_above] = v
            n_above += 1
            continue
        touches = False
        for k in range(neighbours.shape[1]):
            w = neighbours[v, k]
            if owner[w] == part and key[w] > t:
                touches = True
        if touches:
            n_separator += 1
            space[space.size - n_separator] = v
        else:
            nodes[n_below] = v
            n_below += 1
    for k in range(n_above):
        nodes[n_below + k] = space[k]
    for k in range(n_separator):
        nodes[n_below + n_above + k] = space[space.size - 1 - k]
    return n_below, n_above, n_separator


@inlined
def _cut(nodes, part, owner, neighbours, work):
    """Reorder a part as [below | above | separator] and return their sizes; (0, 0, all) when nothing separates it."""
    from_u, from_v, queue, counts, crossing = work
    u, reached = _distances(nodes[0], part, owner, neighbours, from_u, queue)
    if reached < nodes.size:  # several components: no separator is needed
        return _arrange(nodes, part, owner, neighbours, from_u, NONE, queue)
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


@kernel
def _dissect(neighbours):
    n = neighbours.shape[0]
    order = filled(n, ZERO)
    for v in range(n):
        order[v] = v
    first = filled(n, ZERO)
    parent = filled(n, ZERO)
    count = 0
    owner = filled(n, ZERO)
    work = (
        filled(n, ZERO),
        filled(n, ZERO),
        filled(n, ZERO),
        filled(2 * n + 2, ZERO),
        filled(2 * n + 2, ZERO),
    )
    todo = np.empty((n + 1, 3), np.int64)  # rows (low, high, supernode above)
    todo[0, 0], todo[0, 1], todo[0, 2] = 0, n, -1
    n_todo = 1
    part = 0
    while n_todo > 0:
        n_todo -= 1
        low, high, above = todo[n_todo, 0], todo[n_todo, 1], todo[n_todo, 2]
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
            todo[n_todo, 0], todo[n_todo, 1], todo[n_todo, 2] = low, low + n_below, above
            n_todo += 1
        if n_above > 0:
            todo[n_todo, 0], todo[n_todo, 1], todo[n_todo, 2] = low + n_below, middle, above
            n_todo += 1
    return order, first[:count], parent[:count]
