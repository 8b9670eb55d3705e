"""Left-right planarity test and embedding, compiled.

Source: U. Brandes, "The Left-Right Planarity Test" (2009), written without recursion so that paths and grids of
millions of nodes work. An edge e has the half-edges (darts) 2e, from edges[e, 0] to edges[e, 1], and 2e+1, back.
Linear time and memory; about 20 microseconds at 100 nodes.
"""

from __future__ import annotations

import numpy as np

from isingmap.compiled import helper, inlined, kernel

NONE = np.int64(-1)  # numba compiles a function anew for every literal it is called with


@kernel
def incidence(n_nodes, edges):
    """Darts grouped by tail: darts leaving v are order[start[v]:start[v+1]], in edge order."""
    start = np.zeros(n_nodes + 1, np.int64)
    for e in range(edges.shape[0]):
        start[edges[e, 0] + 1] += 1
        start[edges[e, 1] + 1] += 1
    for v in range(n_nodes):
        start[v + 1] += start[v]
    fill = start[:-1].copy()
    order = np.empty(2 * edges.shape[0], np.int64)
    for e in range(edges.shape[0]):
        for side in range(2):
            v = edges[e, side]
            order[fill[v]] = 2 * e + side
            fill[v] += 1
    return start, order


@helper
def _head(edges, dart):
    return edges[dart >> 1, 1 - (dart & 1)]


@helper
def _orient(n_nodes, edges, start, order):
    """Phase 1: depth-first orientation with low points and nesting depths.

    Returns height, parent edge of each node, the chosen dart of each edge, lowpt, nesting depth and the roots.
    """
    n_edges = edges.shape[0]
    height = np.full(n_nodes, NONE, np.int64)
    parent = np.full(n_nodes, NONE, np.int64)
    oriented = np.full(n_edges, NONE, np.int64)
    lowpt = np.zeros(n_edges, np.int64)
    lowpt2 = np.zeros(n_edges, np.int64)
    nesting = np.zeros(n_edges, np.int64)
    roots = np.empty(n_nodes, np.int64)
    n_roots = 0
    pointer = start[:-1].copy()
    stack = np.empty(n_nodes, np.int64)
    for root in range(n_nodes):
        if height[root] != NONE:
            continue
        height[root] = 0
        roots[n_roots] = root
        n_roots += 1
        stack[0] = root
        top = 0
        while top >= 0:
            v = stack[top]
            if pointer[v] == start[v + 1]:
                top -= 1
                continue
            dart = order[pointer[v]]
            e = dart >> 1
            if oriented[e] == NONE:
                oriented[e] = dart
                lowpt[e] = height[v]
                lowpt2[e] = height[v]
                w = _head(edges, dart)
                if height[w] == NONE:  # tree edge: finished when the search comes back to it
                    parent[w] = e
                    height[w] = height[v] + 1
                    top += 1
                    stack[top] = w
                    continue
                lowpt[e] = height[w]
            elif oriented[e] != dart:  # already used from its other end
                pointer[v] += 1
                continue
            nesting[e] = 2 * lowpt[e] + (1 if lowpt2[e] < height[v] else 0)
            up = parent[v]
            if up != NONE:
                if lowpt[e] < lowpt[up]:
                    lowpt2[up] = min(lowpt[up], lowpt2[e])
                    lowpt[up] = lowpt[e]
                elif lowpt[e] > lowpt[up]:
                    lowpt2[up] = min(lowpt2[up], lowpt[e])
                else:
                    lowpt2[up] = min(lowpt2[up], lowpt2[e])
            pointer[v] += 1
    return height, parent, oriented, lowpt, nesting, roots[:n_roots]


@helper
def _outgoing_by_nesting(n_nodes, edges, oriented, nesting):
    """Edges grouped by their oriented tail, each group in order of (signed) nesting depth; counting sort."""
    n_edges = edges.shape[0]
    low = 0
    high = 0
    for e in range(n_edges):
        low = min(low, nesting[e])
        high = max(high, nesting[e])
    bucket = np.zeros(high - low + 2, np.int64)
    for e in range(n_edges):
        bucket[nesting[e] - low + 1] += 1
    for k in range(bucket.size - 1):
        bucket[k + 1] += bucket[k]
    by_depth = np.empty(n_edges, np.int64)
    for e in range(n_edges):
        k = nesting[e] - low
        by_depth[bucket[k]] = e
        bucket[k] += 1
    start = np.zeros(n_nodes + 1, np.int64)
    for e in range(n_edges):
        start[edges[e, oriented[e] & 1] + 1] += 1
    for v in range(n_nodes):
        start[v + 1] += start[v]
    fill = start[:-1].copy()
    outgoing = np.empty(n_edges, np.int64)
    for k in range(n_edges):
        e = by_depth[k]
        v = edges[e, oriented[e] & 1]
        outgoing[fill[v]] = e
        fill[v] += 1
    return start, outgoing


# A conflict pair is a row (L.low, L.high, R.low, R.high) of the stack; NONE marks an empty interval.


@helper
def _conflicting(high, e, lowpt):
    return high != NONE and lowpt[high] > lowpt[e]


@helper
def _swap_sides(row):
    row[0], row[2] = row[2], row[0]
    row[1], row[3] = row[3], row[1]


@inlined
def _add_constraints(  # noqa: C901 - one step of the published algorithm
    e, up, pairs, size, bottom, lowpt, lowpt_edge, ref
):
    """Merge the return edges of e with those of its elder siblings; returns the new stack size or NONE."""
    left_low, left_high, right_low, right_high = NONE, NONE, NONE, NONE
    while True:
        size -= 1
        row = pairs[size]
        if row[1] != NONE:
            _swap_sides(row)
        if row[1] != NONE:
            return NONE
        if lowpt[row[2]] > lowpt[up]:
            if right_high == NONE:
                right_high = row[3]
            else:
                ref[right_low] = row[3]
            right_low = row[2]
        else:
            ref[row[2]] = lowpt_edge[up]
        if size == bottom:
            break
    while size > 0 and (_conflicting(pairs[size - 1, 1], e, lowpt) or _conflicting(pairs[size - 1, 3], e, lowpt)):
        size -= 1
        row = pairs[size]
        if _conflicting(row[3], e, lowpt):
            _swap_sides(row)
        if _conflicting(row[3], e, lowpt):
            return NONE
        if right_low != NONE:
            ref[right_low] = row[3]
        if row[2] != NONE:
            right_low = row[2]
        if left_high == NONE:
            left_high = row[1]
        else:
            ref[left_low] = row[1]
        left_low = row[0]
    if left_high != NONE or right_high != NONE:
        pairs[size, 0], pairs[size, 1] = left_low, left_high
        pairs[size, 2], pairs[size, 3] = right_low, right_high
        size += 1
    return size


@inlined
def _lowest(row, lowpt):
    if row[1] == NONE:
        return lowpt[row[2]]
    if row[3] == NONE:
        return lowpt[row[0]]
    return min(lowpt[row[0]], lowpt[row[2]])


@inlined
def _trim(row, low, u, edges, oriented, ref, side):
    """Drop back edges that end at u from one interval (columns low, low + 1) of a conflict pair."""
    high, other_low = low + 1, 2 - low
    while row[high] != NONE and _head(edges, oriented[row[high]]) == u:
        row[high] = ref[row[high]]
    if row[high] == NONE and row[low] != NONE:
        ref[row[low]] = row[other_low]
        side[row[low]] = -1
        row[low] = NONE


@inlined
def _remove_back_edges(up, u, pairs, size, height, lowpt, edges, oriented, ref, side):
    """All return edges of the subtree below `up` that end at its tail u are settled: take them off."""
    while size > 0 and _lowest(pairs[size - 1], lowpt) == height[u]:
        size -= 1
        if pairs[size, 0] != NONE:
            side[pairs[size, 0]] = -1
    if size > 0:
        row = pairs[size - 1]
        for low in (0, 2):
            _trim(row, low, u, edges, oriented, ref, side)
    if size > 0 and lowpt[up] < height[u]:
        left, right = pairs[size - 1, 1], pairs[size - 1, 3]
        if left != NONE and (right == NONE or lowpt[left] > lowpt[right]):
            ref[up] = left
        else:
            ref[up] = right
    return size


@helper
def _test(n_nodes, edges, height, parent, oriented, lowpt, nesting, roots, ref, side):
    """Phase 2: can all back edges be split into left and right without conflict? Fills ref and side."""
    n_edges = edges.shape[0]
    start, outgoing = _outgoing_by_nesting(n_nodes, edges, oriented, nesting)
    pointer = start[:-1].copy()
    lowpt_edge = np.full(n_edges, NONE, np.int64)
    bottom = np.zeros(n_edges, np.int64)
    entered = np.zeros(n_edges, np.bool_)
    pairs = np.empty((n_edges + 1, 4), np.int64)
    size = np.int64(0)
    stack = np.empty(n_nodes, np.int64)
    for root in roots:
        stack[0] = root
        top = 0
        while top >= 0:
            v = stack[top]
            up = parent[v]
            if pointer[v] == start[v + 1]:
                if up != NONE:
                    u = edges[up, oriented[up] & 1]
                    size = _remove_back_edges(up, u, pairs, size, height, lowpt, edges, oriented, ref, side)
                top -= 1
                continue
            e = outgoing[pointer[v]]
            if not entered[e]:
                entered[e] = True
                bottom[e] = size
                w = _head(edges, oriented[e])
                if parent[w] == e:
                    top += 1
                    stack[top] = w
                    continue
                lowpt_edge[e] = e
                pairs[size, 0], pairs[size, 1] = NONE, NONE
                pairs[size, 2], pairs[size, 3] = e, e
                size += 1
            if lowpt[e] < height[v]:
                if pointer[v] == start[v]:
                    lowpt_edge[up] = lowpt_edge[e]
                else:
                    size = _add_constraints(e, up, pairs, size, bottom[e], lowpt, lowpt_edge, ref)
                    if size == NONE:
                        return False
            pointer[v] += 1
    return True


@inlined
def _resolve_sides(ref, side):
    """Sides are given relative to reference edges; make them absolute (iteratively: chains can be long)."""
    chain = np.empty(ref.size, np.int64)
    for first in range(ref.size):
        length = 0
        e = first
        while ref[e] != NONE:
            chain[length] = e
            length += 1
            e = ref[e]
        while length > 0:
            length -= 1
            side[chain[length]] *= side[ref[chain[length]]]
            ref[chain[length]] = NONE


@helper
def _insert(dart, after, clockwise, counter):
    """Put `dart` clockwise next to `after` in the circular order around their tail."""
    following = clockwise[after]
    clockwise[after] = dart
    counter[dart] = after
    clockwise[dart] = following
    counter[following] = dart


@inlined
def _embed(n_nodes, edges, parent, oriented, nesting, roots, side):
    """Phase 3: the clockwise successor of every dart around its tail."""
    n_edges = edges.shape[0]
    start, outgoing = _outgoing_by_nesting(n_nodes, edges, oriented, nesting * side)
    clockwise = np.empty(2 * n_edges, np.int64)
    counter = np.empty(2 * n_edges, np.int64)
    first = np.full(n_nodes, NONE, np.int64)
    for v in range(n_nodes):
        for k in range(start[v], start[v + 1]):
            dart = oriented[outgoing[k]]
            if k == start[v]:
                first[v] = dart
                clockwise[dart] = dart
                counter[dart] = dart
            else:
                _insert(dart, oriented[outgoing[k - 1]], clockwise, counter)
    left_ref = np.full(n_nodes, NONE, np.int64)
    right_ref = np.full(n_nodes, NONE, np.int64)
    pointer = start[:-1].copy()
    stack = np.empty(n_nodes, np.int64)
    for root in roots:
        stack[0] = root
        top = 0
        while top >= 0:
            v = stack[top]
            if pointer[v] == start[v + 1]:
                top -= 1
                continue
            e = outgoing[pointer[v]]
            pointer[v] += 1
            dart = oriented[e]
            back = dart ^ 1
            w = _head(edges, dart)
            if parent[w] == e:
                if first[w] == NONE:
                    clockwise[back] = back
                    counter[back] = back
                else:
                    _insert(back, counter[first[w]], clockwise, counter)
                first[w] = back
                left_ref[v] = dart
                right_ref[v] = dart
                top += 1
                stack[top] = w
            elif side[e] == 1:
                _insert(back, right_ref[w], clockwise, counter)
            else:
                _insert(back, counter[left_ref[w]], clockwise, counter)
                left_ref[w] = back
    return clockwise


@helper
def _too_many_edges(n_nodes, n_edges):
    return n_nodes > 2 and n_edges > 3 * n_nodes - 6


@kernel
def is_planar_kernel(n_nodes, edges):
    """Decision only; `edges` must be simple (no loops, no duplicates)."""
    if _too_many_edges(n_nodes, edges.shape[0]):
        return False
    start, order = incidence(n_nodes, edges)
    height, parent, oriented, lowpt, nesting, roots = _orient(n_nodes, edges, start, order)
    ref = np.full(edges.shape[0], NONE, np.int64)
    side = np.full(edges.shape[0], 1, np.int64)
    return _test(n_nodes, edges, height, parent, oriented, lowpt, nesting, roots, ref, side)


@kernel
def embed_kernel(n_nodes, edges):
    """(planar?, clockwise successor of each dart); the second is empty for a non-planar graph."""
    nothing = np.empty(0, np.int64)
    if _too_many_edges(n_nodes, edges.shape[0]):
        return False, nothing
    start, order = incidence(n_nodes, edges)
    height, parent, oriented, lowpt, nesting, roots = _orient(n_nodes, edges, start, order)
    ref = np.full(edges.shape[0], NONE, np.int64)
    side = np.full(edges.shape[0], 1, np.int64)
    if not _test(n_nodes, edges, height, parent, oriented, lowpt, nesting, roots, ref, side):
        return False, nothing
    _resolve_sides(ref, side)
    return True, _embed(n_nodes, edges, parent, oriented, nesting, roots, side)
