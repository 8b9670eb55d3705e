"""Left-right planarity test and embedding, compiled.

Source: U. Brandes, "The Left-Right Planarity Test" (2009), written without recursion so that paths and grids of
millions of nodes work. An edge e has the half-edges (darts) 2e, from edges[e, 0] to edges[e, 1], and 2e+1, back.
Linear time and memory; about 20 microseconds at 100 nodes.
"""

from __future__ import annotations

import numpy as np

from isingmap.compiled import NONE, ONE, ZERO, filled, helper, inlined, kernel, record
from isingmap.planar.incidence import incidence

# A conflict pair: the return edges that must lie left and right, as intervals; NONE marks an empty one.
PAIR = record([
    ("left_low", np.int64),
    ("left_high", np.int64),
    ("right_low", np.int64),
    ("right_high", np.int64),
])  # fmt: skip


@helper
def _head(edges, dart):
    return edges[dart >> 1, 1 - (dart & 1)]


@helper
def _orient(n_nodes, edges, start, order):
    """Phase 1: depth-first orientation with low points and nesting depths.

    Returns height, parent edge of each node, the chosen dart of each edge, lowpt, nesting depth and the roots.
    """
    n_edges = edges.shape[0]
    height = filled(n_nodes, NONE)
    parent = filled(n_nodes, NONE)
    oriented = filled(n_edges, NONE)
    lowpt = filled(n_edges, ZERO)
    lowpt2 = filled(n_edges, ZERO)
    nesting = filled(n_edges, ZERO)
    roots = filled(n_nodes, ZERO)
    n_roots = 0
    done = filled(n_nodes, ZERO)  # how many of its darts the search has left behind
    stack = filled(n_nodes, ZERO)
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
            k = start[v] + done[v]
            if k == start[v + 1]:
                top -= 1
                continue
            dart = order[k]
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
                done[v] += 1
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
            done[v] += 1
    return height, parent, oriented, lowpt, nesting, roots[:n_roots]


@helper
def _outgoing_by_nesting(n_nodes, edges, oriented, nesting, side):
    """Edges grouped by their oriented tail, each group in order of signed nesting depth; counting sort."""
    n_edges = edges.shape[0]
    low = 0
    high = 0
    for e in range(n_edges):
        depth = nesting[e] * side[e]
        if depth < low:
            low = depth
        if depth > high:
            high = depth
    bucket = filled(high - low + 2, ZERO)
    for e in range(n_edges):
        bucket[nesting[e] * side[e] - low + 1] += 1
    for k in range(bucket.size - 1):
        bucket[k + 1] += bucket[k]
    by_depth = filled(n_edges, ZERO)
    for e in range(n_edges):
        k = nesting[e] * side[e] - low
        by_depth[bucket[k]] = e
        bucket[k] += 1
    start = filled(n_nodes + 1, ZERO)
    for e in range(n_edges):
        start[edges[e, oriented[e] & 1]] += 1
    for v in range(n_nodes):
        start[v + 1] += start[v]
    outgoing = filled(n_edges, ZERO)
    for k in range(n_edges - 1, -1, -1):
        e = by_depth[k]
        v = edges[e, oriented[e] & 1]
        start[v] -= 1
        outgoing[start[v]] = e
    return start, outgoing


@helper
def _conflicting(high, e, lowpt):
    return high != NONE and lowpt[high] > lowpt[e]


@helper
def _swap_sides(row):
    row.left_low, row.right_low = row.right_low, row.left_low
    row.left_high, row.right_high = row.right_high, row.left_high


@inlined
def _add_constraints(  # noqa: C901 - one step of the published algorithm
    e, up, pairs, size, bottom, lowpt, lowpt_edge, ref
):
    """Merge the return edges of e with those of its elder siblings; returns the new stack size or NONE."""
    left_low, left_high, right_low, right_high = NONE, NONE, NONE, NONE
    while True:
        size -= 1
        row = pairs[size]
        if row.left_high != NONE:
            _swap_sides(row)
        if row.left_high != NONE:
            return NONE
        if lowpt[row.right_low] > lowpt[up]:
            if right_high == NONE:
                right_high = row.right_high
            else:
                ref[right_low] = row.right_high
            right_low = row.right_low
        else:
            ref[row.right_low] = lowpt_edge[up]
        if size == bottom:
            break
    while size > 0 and (
        _conflicting(pairs[size - 1].left_high, e, lowpt) or _conflicting(pairs[size - 1].right_high, e, lowpt)
    ):
        size -= 1
        row = pairs[size]
        if _conflicting(row.right_high, e, lowpt):
            _swap_sides(row)
        if _conflicting(row.right_high, e, lowpt):
            return NONE
        if right_low != NONE:
            ref[right_low] = row.right_high
        if row.right_low != NONE:
            right_low = row.right_low
        if left_high == NONE:
            left_high = row.left_high
        else:
            ref[left_low] = row.left_high
        left_low = row.left_low
    if left_high != NONE or right_high != NONE:
        pairs[size].left_low, pairs[size].left_high = left_low, left_high
        pairs[size].right_low, pairs[size].right_high = right_low, right_high
        size += 1
    return size


@inlined
def _lowest(row, lowpt):
    if row.left_high == NONE:
        return lowpt[row.right_low]
    if row.right_high == NONE:
        return lowpt[row.left_low]
    return min(lowpt[row.left_low], lowpt[row.right_low])


@inlined
def _trim(row, u, edges, oriented, ref, side):
    """Drop back edges that end at u from the left interval of a conflict pair."""
    while row.left_high != NONE and _head(edges, oriented[row.left_high]) == u:
        row.left_high = ref[row.left_high]
    if row.left_high == NONE and row.left_low != NONE:
        ref[row.left_low] = row.right_low
        side[row.left_low] = -1
        row.left_low = NONE


@inlined
def _remove_back_edges(up, u, pairs, size, height, lowpt, edges, oriented, ref, side):
    """All return edges of the subtree below `up` that end at its tail u are settled: take them off."""
    while size > 0 and _lowest(pairs[size - 1], lowpt) == height[u]:
        size -= 1
        if pairs[size].left_low != NONE:
            side[pairs[size].left_low] = -1
    if size > 0:
        row = pairs[size - 1]
        for _ in range(2):  # the left one, then the right one
            _trim(row, u, edges, oriented, ref, side)
            _swap_sides(row)
    if size > 0 and lowpt[up] < height[u]:
        left, right = pairs[size - 1].left_high, pairs[size - 1].right_high
        if left != NONE and (right == NONE or lowpt[left] > lowpt[right]):
            ref[up] = left
        else:
            ref[up] = right
    return size


@helper
def _test(n_nodes, edges, height, parent, oriented, lowpt, nesting, roots, ref, side):
    """Phase 2: can all back edges be split into left and right without conflict? Fills ref and side."""
    n_edges = edges.shape[0]
    start, outgoing = _outgoing_by_nesting(n_nodes, edges, oriented, nesting, side)
    done = filled(n_nodes, ZERO)  # how many of its darts the search has left behind
    lowpt_edge = filled(n_edges, NONE)
    bottom = filled(n_edges, ZERO)
    entered = filled(n_edges, ZERO)
    pairs = np.empty(n_edges + 1, PAIR)
    size = np.int64(0)
    stack = filled(n_nodes, ZERO)
    for root in roots:
        stack[0] = root
        top = 0
        while top >= 0:
            v = stack[top]
            up = parent[v]
            k = start[v] + done[v]
            if k == start[v + 1]:
                if up != NONE:
                    u = edges[up, oriented[up] & 1]
                    size = _remove_back_edges(up, u, pairs, size, height, lowpt, edges, oriented, ref, side)
                top -= 1
                continue
            e = outgoing[k]
            if not entered[e]:
                entered[e] = 1
                bottom[e] = size
                w = _head(edges, oriented[e])
                if parent[w] == e:
                    top += 1
                    stack[top] = w
                    continue
                lowpt_edge[e] = e
                pairs[size].left_low, pairs[size].left_high = NONE, NONE
                pairs[size].right_low, pairs[size].right_high = e, e
                size += 1
            if lowpt[e] < height[v]:
                if done[v] == 0:
                    lowpt_edge[up] = lowpt_edge[e]
                else:
                    size = _add_constraints(e, up, pairs, size, bottom[e], lowpt, lowpt_edge, ref)
                    if size == NONE:
                        return False
            done[v] += 1
    return True


@inlined
def _resolve_sides(ref, side):
    """Sides are given relative to reference edges; make them absolute (iteratively: chains can be long)."""
    chain = filled(ref.size, ZERO)
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
    start, outgoing = _outgoing_by_nesting(n_nodes, edges, oriented, nesting, side)
    clockwise = filled(2 * n_edges, ZERO)
    counter = filled(2 * n_edges, ZERO)
    first = filled(n_nodes, NONE)
    for v in range(n_nodes):
        for k in range(start[v], start[v + 1]):
            dart = oriented[outgoing[k]]
            if k == start[v]:
                first[v] = dart
                clockwise[dart] = dart
                counter[dart] = dart
            else:
                _insert(dart, oriented[outgoing[k - 1]], clockwise, counter)
    left_ref = filled(n_nodes, NONE)
    right_ref = filled(n_nodes, NONE)
    done = filled(n_nodes, ZERO)  # how many of its darts the search has left behind
    stack = filled(n_nodes, ZERO)
    for root in roots:
        stack[0] = root
        top = 0
        while top >= 0:
            v = stack[top]
            k = start[v] + done[v]
            if k == start[v + 1]:
                top -= 1
                continue
            e = outgoing[k]
            done[v] += 1
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
    ref = filled(edges.shape[0], NONE)
    side = filled(edges.shape[0], ONE)
    return _test(n_nodes, edges, height, parent, oriented, lowpt, nesting, roots, ref, side)


@kernel
def embed_kernel(n_nodes, edges):
    """(planar?, clockwise successor of each dart); the second is empty for a non-planar graph."""
    nothing = filled(ZERO, ZERO)
    if _too_many_edges(n_nodes, edges.shape[0]):
        return False, nothing
    start, order = incidence(n_nodes, edges)
    height, parent, oriented, lowpt, nesting, roots = _orient(n_nodes, edges, start, order)
    ref = filled(edges.shape[0], NONE)
    side = filled(edges.shape[0], ONE)
    if not _test(n_nodes, edges, height, parent, oriented, lowpt, nesting, roots, ref, side):
        return False, nothing
    _resolve_sides(ref, side)
    return True, _embed(n_nodes, edges, parent, oriented, nesting, roots, side)
