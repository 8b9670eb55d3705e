"""Minimum-weight T-joins in sparse graphs with integer weights, exactly: Edmonds' blossoms, grown as moats.

A T-join is an edge set in which exactly the terminals T have odd degree. Around every terminal, and around odd sets
of terminals (blossoms), a *region* of the graph is surrounded by a moat of non-negative width, so that no edge is
crossed by more moats than it is long. Every T-join has to cross every moat, so the total width is a lower bound on
its weight; at the end a T-join of exactly that weight exists. The moats are therefore a proof, which
`matching_certificate.py` checks without trusting this file.

One alternating tree is grown at a time, from one unmatched terminal until it meets another: its outer regions grow
and its inner ones shrink at unit rate, everything else stands still. Starting from the terminals' Voronoi cells the
trees stay local. With even weights all meeting times are integers.

Source: Edmonds 1965; the moats on the graph itself instead of a complete graph on T: Higgott & Gidney, "Sparse
Blossom" (Quantum 9, 2025); one tree at a time: Cook & Rohe, INFORMS J. Computing 11, 1999.
"""

from __future__ import annotations

from heapq import heappop, heappush
from typing import NamedTuple

import numba
import numpy as np

FREE, OUTER, INNER = 0, 1, 2
NEVER = np.iinfo(np.int64).max


class Graph(NamedTuple):
    """A graph without loops and parallel edges; `slots[start[v]:start[v + 1]]` are the edges at node v."""

    start: np.ndarray
    slots: np.ndarray
    ends: np.ndarray
    weights: np.ndarray


class Moats(NamedTuple):
    """Regions around terminals (0 .. n_terminals - 1) and around blossoms (above), and the nodes they cover.

    Links between regions are pairs of terminals (here, there), joined by a path that the moats fill exactly.
    """

    home: np.ndarray  # node of each terminal
    # nodes
    arrived: np.ndarray  # region that covered the node, -1: none
    top: np.ndarray  # outermost region around it
    source: np.ndarray  # terminal from which it was covered
    wrap: np.ndarray  # width of the moats beyond the node, without that of `top`
    below: np.ndarray  # node covered before it by the same region
    # regions
    radius: np.ndarray  # width of the moat now (at time t: radius + rate t)
    rate: np.ndarray
    label: np.ndarray
    parent: np.ndarray  # blossom it is a part of
    shell: np.ndarray  # node covered last
    mate: np.ndarray  # (here, there) to the region it is matched with
    up: np.ndarray  # (here, there) to its parent in the alternating tree
    first_child: np.ndarray
    next_child: np.ndarray  # around the odd cycle of a blossom
    previous_child: np.ndarray
    link: np.ndarray  # (here, there) to the next child
    mark: np.ndarray  # number of the last search that met the region; mark[-1] counts them
    spare: np.ndarray  # numbers for blossoms; spare[-1] counts them
    # events
    edge_due: np.ndarray
    region_due: np.ndarray


def minimum_t_join(graph: Graph, is_terminal: np.ndarray) -> tuple[np.ndarray, Moats]:
    """Edges of a minimum-weight T-join, (n_join,) int64 sorted, and the moats that prove it.

    About n^1.1 in practice for terminals spread over a planar graph; the worst case is cubic.

    Parameters
    ----------
    graph : Graph
        Connected. Weights: even positive integers; eight times the diameter must fit into int64.
    is_terminal : (n_nodes,) bool array
        Even in number.
    """
    moats = _empty_moats(graph, np.flatnonzero(is_terminal))
    _match_all(graph, moats)
    return np.flatnonzero(_join(graph, moats)), moats


def _empty_moats(graph: Graph, home: np.ndarray) -> Moats:
    n_nodes, n_regions = graph.start.size - 1, home.size + home.size // 2 + 1

    def numbers(size, value=-1):
        return np.full(size, value, np.int64)

    spare = np.append(np.arange(n_regions - 1, home.size - 1, -1), n_regions - home.size)
    return Moats(
        home, numbers(n_nodes), numbers(n_nodes), numbers(n_nodes), numbers(n_nodes, 0), numbers(n_nodes),
        numbers(n_regions, 0), numbers(n_regions, 0), numbers(n_regions, FREE), numbers(n_regions),
        numbers(n_regions), numbers((n_regions, 2)), numbers((n_regions, 2)), numbers(n_regions),
        numbers(n_regions), numbers(n_regions), numbers((n_regions, 2)), numbers(n_regions + 1, 0), spare,
        numbers(len(graph.ends), NEVER), numbers(n_regions, NEVER),
    )  # fmt: skip


@numba.njit(cache=True)
def _match_all(g, s):
    _fill_cells(g, s)
    for root in range(s.home.size):
        region = s.top[s.home[root]]
        if s.mate[region, 0] < 0:
            _grow_tree(g, s, region)


@numba.njit(cache=True)
def _fill_cells(g, s):
    """Give each terminal half the way to the nearest other one, and match those that meet."""
    distance, order = _cells(g, s)
    reach = np.full(s.home.size, NEVER, np.int64)
    for e in range(g.ends.shape[0]):
        a, b = g.ends[e]
        u, v = s.source[a], s.source[b]
        if u != v:
            half = (distance[a] + g.weights[e] + distance[b]) // 2
            reach[u] = min(reach[u], half)
            reach[v] = min(reach[v], half)
    s.radius[: reach.size] = reach
    for e in range(g.ends.shape[0]):
        a, b = g.ends[e]
        u, v = s.source[a], s.source[b]
        if u != v and s.mate[u, 0] < 0 and s.mate[v, 0] < 0 and reach[u] == reach[v]:
            if distance[a] + g.weights[e] + distance[b] == 2 * reach[u]:
                _pair(s, u, v, u, v)
    for a in order:
        u = s.source[a]
        if distance[a] <= reach[u]:
            s.arrived[a] = u
            s.top[a] = u
            s.wrap[a] = -distance[a]
            s.below[a] = s.shell[u]
            s.shell[u] = a


@numba.njit(cache=True)
def _cells(g, s):
    """Distance of each node from the nearest terminal, its `source`; and the nodes by distance."""
    n_nodes = g.start.size - 1
    distance = np.full(n_nodes, NEVER, np.int64)
    order = np.empty(n_nodes, np.int64)
    settled = np.zeros(n_nodes, np.bool_)
    queue = [(np.int64(0), np.int64(0)) for _ in range(0)]
    for u in range(s.home.size):
        distance[s.home[u]] = 0
        s.source[s.home[u]] = u
        heappush(queue, (np.int64(0), s.home[u]))
    count = 0
    while len(queue) > 0:
        _, a = heappop(queue)
        if settled[a]:
            continue
        settled[a] = True
        order[count] = a
        count += 1
        for k in range(g.start[a], g.start[a + 1]):
            e = g.slots[k]
            b = g.ends[e, 0] + g.ends[e, 1] - a
            if distance[a] + g.weights[e] < distance[b]:
                distance[b] = distance[a] + g.weights[e]
                s.source[b] = s.source[a]
                heappush(queue, (distance[b], b))
    return distance, order[:count]


@numba.njit(cache=True)
def _pair(s, region, other, here, there):
    s.mate[region, 0], s.mate[region, 1] = here, there
    s.mate[other, 0], s.mate[other, 1] = there, here


@numba.njit(cache=True)
def _around(s, terminal):
    """Outermost region around a terminal."""
    return s.top[s.home[terminal]]


@numba.njit(cache=True)
def _cover(s, node, t):
    """Width of the moats beyond a node at time t."""
    region = s.top[node]
    return s.wrap[node] + s.radius[region] + s.rate[region] * t if region >= 0 else np.int64(0)


@numba.njit(cache=True)
def _following(s, region, root):
    """The region after `region` in a walk through all parts of `root`; -1 at the end."""
    if s.first_child[region] >= 0:
        return s.first_child[region]
    while region != root:
        if s.next_child[region] != s.first_child[s.parent[region]]:
            return s.next_child[region]
        region = s.parent[region]
    return -1


@numba.njit(cache=True)
def _rehome(s, root, top, shift):
    """All nodes under `root` get another outermost region, and their `wrap` is shifted."""
    region = root
    while region >= 0:
        a = s.shell[region]
        while a >= 0:
            s.top[a] = top
            s.wrap[a] += shift
            a = s.below[a]
        region = _following(s, region, root)


@numba.njit(cache=True)
def _schedule(g, s, events, a, t):
    """When do the moats meet on the edges at node a, or reach the other end?"""
    top = s.top[a]
    rate = s.rate[top] if top >= 0 else 0
    cover = _cover(s, a, t)
    for k in range(g.start[a], g.start[a + 1]):
        e = g.slots[k]
        b = g.ends[e, 0] + g.ends[e, 1] - a
        other = s.top[b]
        if other == top:
            continue
        closing = rate + (s.rate[other] if other >= 0 else 0)
        if closing > 0:
            due = t + (g.weights[e] - cover - _cover(s, b, t)) // closing
            if due < s.edge_due[e]:
                s.edge_due[e] = due
                heappush(events, (due, e))


@numba.njit(cache=True)
def _schedule_region(g, s, events, root, t):
    region = root
    while region >= 0:
        a = s.shell[region]
        while a >= 0:
            _schedule(g, s, events, a, t)
            a = s.below[a]
        region = _following(s, region, root)


@numba.njit(cache=True)
def _schedule_shrinking(g, s, events, region):
    """When does a shrinking region lose its last covered node, or its whole width?"""
    last = s.shell[region]
    due = s.radius[region] + (s.wrap[last] if last >= 0 else 0)
    if due < s.region_due[region]:
        s.region_due[region] = due
        heappush(events, (due, g.ends.shape[0] + region))


@numba.njit(cache=True)
def _enter(s, tree, region, label, here, there, t):
    """Make a region part of the tree, below the region around the terminal `there`."""
    s.label[region] = label
    s.rate[region] = 1 if label == OUTER else -1
    s.radius[region] -= s.rate[region] * t
    s.up[region, 0], s.up[region, 1] = here, there
    tree.append(region)


@numba.njit(cache=True)
def _freeze(s, region, t):
    s.radius[region] += s.rate[region] * t
    s.rate[region] = 0
    s.label[region] = FREE


@numba.njit(cache=True)
def _grow_tree(g, s, root):
    """Grow an alternating tree until it meets an unmatched region, and match one more pair."""
    t = np.int64(0)
    n_edges = g.ends.shape[0]
    events = [(t, t) for _ in range(0)]
    tree = [root for _ in range(0)]
    _enter(s, tree, root, OUTER, -1, -1, t)
    _schedule_region(g, s, events, root, t)
    while True:
        t, what = heappop(events)
        if what >= n_edges:
            region = what - n_edges
            if s.region_due[region] == t:
                s.region_due[region] = NEVER
                if s.label[region] == INNER:
                    _shrink(g, s, events, tree, region, t)
        elif s.edge_due[what] == t:
            s.edge_due[what] = NEVER
            if _meet(g, s, events, tree, what, t):
                break
    for region in tree:
        if s.label[region] != FREE:
            _freeze(s, region, t)
    for _, what in events:
        if what >= n_edges:
            s.region_due[what - n_edges] = NEVER
        else:
            s.edge_due[what] = NEVER


@numba.njit(cache=True)
def _meet(g, s, events, tree, e, t):
    """What happens on an edge that is due: cover a node, grow the tree, form a blossom; True: a match is made."""
    a, b = g.ends[e]
    if s.top[a] < 0 or s.rate[s.top[a]] <= 0:
        a, b = b, a
    region, other = s.top[a], s.top[b]
    if region == other or region < 0 or s.rate[region] <= 0 or (other >= 0 and s.label[other] == INNER):
        return False
    if _cover(s, a, t) + _cover(s, b, t) < g.weights[e]:  # it was due earlier than now
        _schedule(g, s, events, a, t)
        return False
    if other < 0:
        _cover_node(g, s, events, a, b, t)
    elif s.label[other] == OUTER:
        _form_blossom(g, s, events, tree, s.source[a], s.source[b], t)
    elif s.mate[other, 0] < 0:
        _augment(s, s.source[a], s.source[b])
        return True
    else:
        outer = _around(s, s.mate[other, 1])
        _enter(s, tree, other, INNER, s.source[b], s.source[a], t)
        _enter(s, tree, outer, OUTER, s.mate[outer, 0], s.mate[outer, 1], t)
        _schedule_shrinking(g, s, events, other)
        _schedule_region(g, s, events, outer, t)
    return False


@numba.njit(cache=True)
def _cover_node(g, s, events, a, b, t):
    """The region around node a reaches the uncovered node b."""
    region = s.top[a]
    s.arrived[b] = region
    s.top[b] = region
    s.source[b] = s.source[a]
    s.wrap[b] = -(s.radius[region] + t)
    s.below[b] = s.shell[region]
    s.shell[region] = b
    _schedule(g, s, events, b, t)


@numba.njit(cache=True)
def _shrink(g, s, events, tree, region, t):
    """A shrinking region uncovers a node, falls apart, or stands in the way of its neighbours in the tree."""
    last = s.shell[region]
    if s.radius[region] - t + (s.wrap[last] if last >= 0 else 0) > 0:  # it was due earlier than now
        _schedule_shrinking(g, s, events, region)
    elif region >= s.home.size and last < 0:
        _shatter(g, s, events, tree, region, t)
    elif region < s.home.size and last == s.home[region]:
        _form_blossom(g, s, events, tree, s.up[region, 1], s.mate[region, 1], t)
    else:
        s.shell[region] = s.below[last]
        s.arrived[last] = -1
        s.top[last] = -1
        _schedule(g, s, events, last, t)
        _schedule_shrinking(g, s, events, region)


@numba.njit(cache=True)
def _augment(s, here, there):
    """Match the unmatched region around `there`, and exchange matched and free links up to the root."""
    region = _around(s, here)
    old = s.up[region, 1]
    _pair(s, region, _around(s, there), here, there)
    while old >= 0:
        inner = _around(s, old)
        here, there = s.up[inner, 1], s.up[inner, 0]
        region = _around(s, here)
        old = s.up[region, 1]
        _pair(s, region, inner, here, there)


@numba.njit(cache=True)
def _common_ancestor(s, x, y):
    """Where the paths of two outer regions to the root meet; takes turns, so that the search stays local."""
    s.mark[-1] += 1
    search = s.mark[-1]
    while True:
        if x >= 0:
            if s.mark[x] == search:
                return x
            s.mark[x] = search
            x = _around(s, s.up[x, 1]) if s.up[x, 1] >= 0 else -1
        x, y = y, x


@numba.njit(cache=True)
def _tie(s, child, following, here, there):
    """Two neighbours on the cycle of a blossom."""
    s.next_child[child] = following
    s.previous_child[following] = child
    s.link[child, 0], s.link[child, 1] = here, there


@numba.njit(cache=True)
def _form_blossom(g, s, events, tree, here, there, t):
    """Two outer regions of the tree meet: the cycle they close becomes one outer region."""
    first, last = _around(s, here), _around(s, there)
    apex = _common_ancestor(s, first, last)
    x = first
    while x != apex:
        above = _around(s, s.up[x, 1])
        _tie(s, x, above, s.up[x, 0], s.up[x, 1])
        x = above
    x = last
    while x != apex:
        above = _around(s, s.up[x, 1])
        _tie(s, above, x, s.up[x, 1], s.up[x, 0])
        x = above
    _tie(s, last, first, there, here)
    s.spare[-1] -= 1
    blossom = s.spare[s.spare[-1]]
    s.first_child[blossom] = apex
    s.shell[blossom] = -1
    s.mate[blossom] = s.mate[apex]
    s.up[blossom] = s.up[apex]
    s.radius[blossom], s.rate[blossom], s.label[blossom] = -t, 1, OUTER
    tree.append(blossom)
    _enclose(g, s, events, blossom, t)


@numba.njit(cache=True)
def _enclose(g, s, events, blossom, t):
    """Freeze the children of a new blossom; those that were shrinking grow from now on."""
    child = s.first_child[blossom]
    while s.parent[child] != blossom:
        s.radius[child] += s.rate[child] * t
        s.rate[child] = 0
        _rehome(s, child, blossom, s.radius[child])
        s.parent[child] = blossom
        child = s.next_child[child]
    while s.label[child] != FREE:
        if s.label[child] == INNER:
            _schedule_region(g, s, events, child, t)
        s.label[child] = FREE
        child = s.next_child[child]


@numba.njit(cache=True)
def child_around(s, blossom, terminal):
    """The child of a blossom that contains a terminal."""
    region = terminal
    while s.parent[region] != blossom:
        region = s.parent[region]
    return region


@numba.njit(cache=True)
def _step(s, child, forward):
    """Neighbour on the cycle of a blossom, and the link to it."""
    if forward:
        return s.next_child[child], s.link[child, 0], s.link[child, 1]
    following = s.previous_child[child]
    return following, s.link[following, 1], s.link[following, 0]


@numba.njit(cache=True)
def _shatter(g, s, events, tree, blossom, t):
    """An inner blossom without width falls apart: an even path of its children stays in the tree."""
    entry = child_around(s, blossom, s.up[blossom, 0])
    leaving = child_around(s, blossom, s.mate[blossom, 0])
    forward = True
    child = entry
    while child != leaving:
        forward = not forward
        child = s.next_child[child]
    child = s.first_child[blossom]
    while s.parent[child] == blossom:
        s.parent[child] = -1
        _rehome(s, child, child, -s.radius[child])
        child = s.next_child[child]
    here, there = s.up[blossom]
    label = INNER
    child = entry
    while True:
        _enter(s, tree, child, label, here, there, t)
        if child == leaving:
            break
        following, here, there = _step(s, child, forward)
        if label == INNER:
            _pair(s, child, following, here, there)
        here, there = there, here
        child = following
        label = INNER + OUTER - label
    s.mate[leaving] = s.mate[blossom]
    _pair_rest(s, leaving, entry, forward)
    _discard(s, blossom)
    child = entry
    while True:
        if s.label[child] == INNER:
            _schedule_shrinking(g, s, events, child)
        else:
            _schedule_region(g, s, events, child, t)
        child = s.next_child[child]
        if child == entry:
            break


@numba.njit(cache=True)
def _pair_rest(s, child, end, forward):
    """Match the children strictly between two on the cycle of a blossom, in twos."""
    child, _, _ = _step(s, child, forward)
    while child != end:
        following, here, there = _step(s, child, forward)
        _pair(s, child, following, here, there)
        child, _, _ = _step(s, following, forward)


@numba.njit(cache=True)
def _discard(s, blossom):
    s.label[blossom], s.rate[blossom], s.radius[blossom] = FREE, 0, 0
    s.first_child[blossom] = -1
    s.spare[s.spare[-1]] = blossom
    s.spare[-1] += 1


@numba.njit(cache=True)
def _pairs(s):
    """Terminals matched with each other, (n_terminals / 2, 2); opens the blossoms from outside inwards."""
    pairs = np.empty((s.home.size // 2, 2), np.int64)
    count = 0
    for terminal in range(s.home.size):
        region = _around(s, terminal)
        here, there = s.mate[region]
        if terminal != here:
            continue
        if here < there:
            pairs[count] = here, there
            count += 1
        todo = [(region, here)]
        while len(todo) > 0:
            region, here = todo.pop()
            if s.first_child[region] < 0:
                continue
            base = child_around(s, region, here)
            _pair_rest(s, base, base, True)
            todo.append((base, here))
            child = s.next_child[base]
            while child != base:
                todo.append((child, s.mate[child, 0]))
                if s.mate[child, 0] == s.link[child, 0] and s.mate[child, 1] == s.link[child, 1]:
                    pairs[count] = s.mate[child, 0], s.mate[child, 1]
                    count += 1
                child = s.next_child[child]
    return pairs


@numba.njit(cache=True)
def _join(g, s):
    """Symmetric difference of shortest paths between matched terminals, (n_edges,) bool."""
    n_nodes = g.start.size - 1
    in_join = np.zeros(g.ends.shape[0], np.bool_)
    distance = np.full(n_nodes, NEVER, np.int64)
    entered = np.empty(n_nodes, np.int64)
    for u, v in _pairs(s):
        a, goal = s.home[u], s.home[v]
        distance[a] = 0
        touched = [a]
        queue = [(np.int64(0), a)]
        while True:
            length, a = heappop(queue)
            if a == goal:
                break
            if length > distance[a]:
                continue
            for k in range(g.start[a], g.start[a + 1]):
                e = g.slots[k]
                b = g.ends[e, 0] + g.ends[e, 1] - a
                if length + g.weights[e] < distance[b]:
                    distance[b] = length + g.weights[e]
                    entered[b] = e
                    touched.append(b)
                    heappush(queue, (distance[b], b))
        while a != s.home[u]:
            e = entered[a]
            in_join[e] = not in_join[e]
            a = g.ends[e, 0] + g.ends[e, 1] - a
        for a in touched:
            distance[a] = NEVER
    return in_join
