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

from isingmap.inference.matching_certificate import MoatFamily
from isingmap.planar.planarity import incidence

FREE, OUTER, INNER = 0, 1, 2
NEVER = np.iinfo(np.int64).max
# Trees that do not meet another soon wait for the next round: large trees are rare when all have grown a little.
FIRST_PATIENCE, MORE_PATIENCE = 1.0, 1.1


NODE = np.dtype([
    ("arrived", np.int64),  # region that covered it, -1: none
    ("group", np.int64),  # group it belongs to, -1: uncovered
    ("source", np.int64),  # terminal from which it was covered
    ("wrap", np.int64),  # width of the moats beyond it, without the outermost and the group's offset
    ("below", np.int64),  # node covered before it by the same region
])  # fmt: skip
EDGE = np.dtype([("a", np.int64), ("b", np.int64), ("weight", np.int64), ("due", np.int64)])
GROUP = np.dtype([("top", np.int64), ("offset", np.int64)])
REGION = np.dtype([
    ("radius", np.int64),  # width of its moat: at time t radius + rate t
    ("rate", np.int64),
    ("label", np.int64),
    ("due", np.int64),
    ("shell", np.int64),  # node covered last
    ("mate_here", np.int64),  # link to the region it is matched with
    ("mate_there", np.int64),
    ("up_here", np.int64),  # link to its parent in the alternating tree
    ("up_there", np.int64),
    ("parent", np.int64),  # blossom it is a part of
    ("crowd", np.int64),  # group of its nodes when it is outermost
    ("size", np.int64),  # number of its nodes
    ("first_child", np.int64),
    ("next_child", np.int64),  # around the odd cycle of a blossom
    ("previous_child", np.int64),
    ("link_here", np.int64),  # link to the next child
    ("link_there", np.int64),
    ("mark", np.int64),  # last search for a common ancestor that met it
])  # fmt: skip


class Moats(NamedTuple):
    """A graph, regions around terminals (0 .. n_terminals - 1) and blossoms (above), and the nodes they cover.

    Links between regions are pairs of terminals (here, there), joined by a path that the moats fill exactly.
    Nodes under the same outermost region form a group, so that a blossom can take over its largest child unvisited.
    Records keep what is used together in one cache line.
    """

    start: np.ndarray  # edges at node v: slots[start[v]:start[v + 1]]
    slots: np.ndarray
    home: np.ndarray  # node of each terminal
    edges: np.ndarray
    nodes: np.ndarray
    groups: np.ndarray  # numbered like terminals
    regions: np.ndarray
    spare: np.ndarray  # numbers for blossoms; the first counts[0] are free
    counts: np.ndarray  # spare numbers; searches


def minimum_t_join(n_nodes: int, ends: np.ndarray, weights: np.ndarray, is_terminal: np.ndarray):
    """Edges of a minimum-weight T-join, (n_join,) int64 sorted, and the `Moats` that prove it.

    Parameters
    ----------
    n_nodes : int
    ends : (n_edges, 2) int64 array
        Of a connected graph without loops and parallel edges.
    weights : (n_edges,) int64 array
        Even, not negative; eight times the weighted diameter must fit into int64.
    is_terminal : (n_nodes,) bool array
        Even in number.
    """
    moats = _no_moats(n_nodes, ends, weights, np.flatnonzero(is_terminal))
    _match_all(moats)
    return np.flatnonzero(_join(moats)), moats


def moat_family(moats: Moats) -> MoatFamily:
    """The final moats as plain data for `matching_certificate.lower_bound`."""
    parent, radius = moats.regions["parent"].copy(), moats.regions["radius"].copy()
    return MoatFamily(parent, radius, moats.nodes["arrived"].copy(), _arrivals(moats))


def _no_moats(n_nodes, ends, weights, home) -> Moats:
    start, order = incidence(n_nodes, ends)
    n_regions = home.size + home.size // 2 + 1
    edges, nodes = np.zeros(len(ends), EDGE), np.full(n_nodes, -1, NODE)
    edges["a"], edges["b"], edges["weight"], edges["due"] = ends[:, 0], ends[:, 1], weights, NEVER
    groups = np.zeros(home.size, GROUP)
    groups["top"] = np.arange(home.size)
    regions = np.full(n_regions, -1, REGION)
    for name, value in {"radius": 0, "rate": 0, "label": FREE, "size": 0, "mark": 0, "due": NEVER}.items():
        regions[name] = value
    regions["crowd"] = np.arange(n_regions)
    spare = np.arange(n_regions - 1, home.size - 1, -1)
    return Moats(start, order >> 1, home, edges, nodes, groups, regions, spare, np.array([spare.size, 0]))


@numba.njit(cache=True)
def _match_all(s):
    _fill_cells(s)
    total = 0.0
    for u in range(s.home.size):
        total += s.regions[u].radius
    patience = max(FIRST_PATIENCE * total / s.home.size, 1.0)
    waiting = [u for u in range(s.home.size) if s.regions[u].mate_here < 0]
    while len(waiting) > 0:
        limit = np.int64(min(patience, 2.0**62))
        waiting = [u for u in waiting if s.regions[_around(s, u)].mate_here < 0 and not _grow_tree(s, u, limit)]
        patience *= MORE_PATIENCE


@numba.njit(cache=True)
def _fill_cells(s):
    """Give each terminal half the way to the nearest other one, and match those that meet."""
    distance, order = _cells(s)
    reach = np.full(s.home.size, NEVER, np.int64)
    for e in range(s.edges.size):
        a, b = s.edges[e].a, s.edges[e].b
        u, v = s.nodes[a].source, s.nodes[b].source
        if u != v:
            half = (distance[a] + s.edges[e].weight + distance[b]) // 2
            reach[u] = min(reach[u], half)
            reach[v] = min(reach[v], half)
    for u in range(reach.size):
        s.regions[u].radius = reach[u]
    for e in range(s.edges.size):
        a, b = s.edges[e].a, s.edges[e].b
        u, v = s.nodes[a].source, s.nodes[b].source
        if u != v and s.regions[u].mate_here < 0 and s.regions[v].mate_here < 0 and reach[u] == reach[v]:
            if distance[a] + s.edges[e].weight + distance[b] == 2 * reach[u]:
                _pair(s, u, v, u, v)
    for a in order:
        u = s.nodes[a].source
        if distance[a] <= reach[u]:
            s.nodes[a].arrived = u
            s.nodes[a].group = u
            s.regions[u].size += 1
            s.nodes[a].wrap = -distance[a]
            s.nodes[a].below = s.regions[u].shell
            s.regions[u].shell = a


@numba.njit(cache=True)
def _cells(s):
    """Distance of each node from the nearest terminal, its `source`; and the nodes by distance."""
    n_nodes = s.start.size - 1
    distance = np.full(n_nodes, NEVER, np.int64)
    order = np.empty(n_nodes, np.int64)
    settled = np.zeros(n_nodes, np.bool_)
    queue = [(np.int64(0), np.int64(0)) for _ in range(0)]
    for u in range(s.home.size):
        distance[s.home[u]] = 0
        s.nodes[s.home[u]].source = u
        heappush(queue, (np.int64(0), s.home[u]))
    count = 0
    while len(queue) > 0:
        _, a = heappop(queue)
        if settled[a]:
            continue
        settled[a] = True
        order[count] = a
        count += 1
        for k in range(s.start[a], s.start[a + 1]):
            e = s.slots[k]
            b = s.edges[e].a + s.edges[e].b - a
            if distance[a] + s.edges[e].weight < distance[b]:
                distance[b] = distance[a] + s.edges[e].weight
                s.nodes[b].source = s.nodes[a].source
                heappush(queue, (distance[b], b))
    return distance, order[:count]


@numba.njit(cache=True)
def _pair(s, region, other, here, there):
    s.regions[region].mate_here, s.regions[region].mate_there = here, there
    s.regions[other].mate_here, s.regions[other].mate_there = there, here


@numba.njit(cache=True)
def _around(s, terminal):
    """Outermost region around a terminal."""
    return s.groups[s.nodes[s.home[terminal]].group].top


@numba.njit(cache=True)
def _top(s, node):
    """Outermost region around a node, -1 if it is uncovered."""
    group = s.nodes[node].group
    return s.groups[group].top if group >= 0 else np.int64(-1)


@numba.njit(cache=True)
def _cover(s, node, t):
    """Width of the moats beyond a node at time t."""
    group = s.nodes[node].group
    if group < 0:
        return np.int64(0)
    region = s.groups[group].top
    return s.nodes[node].wrap + s.groups[group].offset + s.regions[region].radius + s.regions[region].rate * t


@numba.njit(cache=True)
def _following(s, region, root):
    """The region after `region` in a walk through all parts of `root`; -1 at the end."""
    if s.regions[region].first_child >= 0:
        return s.regions[region].first_child
    while region != root:
        if s.regions[region].next_child != s.regions[s.regions[region].parent].first_child:
            return s.regions[region].next_child
        region = s.regions[region].parent
    return -1


@numba.njit(cache=True)
def _regroup(s, root, group, shift):
    """All nodes under `root` move to another group, and their `wrap` is shifted."""
    region = root
    while region >= 0:
        a = s.regions[region].shell
        while a >= 0:
            s.nodes[a].group = group
            s.nodes[a].wrap += shift
            a = s.nodes[a].below
        region = _following(s, region, root)


@numba.njit(cache=True)
def _schedule(s, events, a, t):
    """When do the moats meet on the edges at node a, or reach the other end?"""
    top = _top(s, a)
    rate = s.regions[top].rate if top >= 0 else 0
    cover = _cover(s, a, t)
    for k in range(s.start[a], s.start[a + 1]):
        e = s.slots[k]
        b = s.edges[e].a + s.edges[e].b - a
        other = _top(s, b)
        if other == top:
            continue
        closing = rate + (s.regions[other].rate if other >= 0 else 0)
        if closing > 0:
            due = t + (s.edges[e].weight - cover - _cover(s, b, t)) // closing
            if due < s.edges[e].due:
                s.edges[e].due = due
                heappush(events, (due, e))


@numba.njit(cache=True)
def _schedule_region(s, events, root, t):
    region = root
    while region >= 0:
        a = s.regions[region].shell
        while a >= 0:
            _schedule(s, events, a, t)
            a = s.nodes[a].below
        region = _following(s, region, root)


@numba.njit(cache=True)
def _schedule_shrinking(s, events, region):
    """When does a shrinking region lose its last covered node, or its whole width?"""
    last = s.regions[region].shell
    due = s.regions[region].radius + (s.nodes[last].wrap + s.groups[s.nodes[last].group].offset if last >= 0 else 0)
    if due < s.regions[region].due:
        s.regions[region].due = due
        heappush(events, (due, s.edges.size + region))


@numba.njit(cache=True)
def _enter(s, tree, region, label, here, there, t):
    """Make a region part of the tree, below the region around the terminal `there`."""
    s.regions[region].label = label
    s.regions[region].rate = 1 if label == OUTER else -1
    s.regions[region].radius -= s.regions[region].rate * t
    s.regions[region].up_here, s.regions[region].up_there = here, there
    tree.append(region)


@numba.njit(cache=True)
def _freeze(s, region, t):
    s.regions[region].radius += s.regions[region].rate * t
    s.regions[region].rate = 0
    s.regions[region].label = FREE


@numba.njit(cache=True)
def _grow_tree(s, terminal, limit):
    """Grow an alternating tree until it meets an unmatched region (True) or for `limit` (False)."""
    root = _around(s, terminal)
    matched = False
    t = np.int64(0)
    n_edges = s.edges.size
    events = [(t, t) for _ in range(0)]
    tree = [root for _ in range(0)]
    _enter(s, tree, root, OUTER, -1, -1, t)
    _schedule_region(s, events, root, t)
    while not matched:
        if events[0][0] > limit:
            t = limit
            break
        t, what = heappop(events)
        if what >= n_edges:
            region = what - n_edges
            if s.regions[region].due == t:
                s.regions[region].due = NEVER
                if s.regions[region].label == INNER:
                    _shrink(s, events, tree, region, t)
        elif s.edges[what].due == t:
            s.edges[what].due = NEVER
            matched = _meet(s, events, tree, what, t)
    for region in tree:
        if s.regions[region].label != FREE:
            _freeze(s, region, t)
    for _, what in events:
        if what >= n_edges:
            s.regions[what - n_edges].due = NEVER
        else:
            s.edges[what].due = NEVER
    return matched


@numba.njit(cache=True)
def _meet(s, events, tree, e, t):
    """What happens on an edge that is due: cover a node, grow the tree, form a blossom; True: a match is made."""
    a, b = s.edges[e].a, s.edges[e].b
    region, other = _top(s, a), _top(s, b)
    if region < 0 or s.regions[region].rate <= 0:
        a, b = b, a
        region, other = other, region
    if region == other or region < 0 or s.regions[region].rate <= 0 or (other >= 0 and s.regions[other].label == INNER):
        return False
    if _cover(s, a, t) + _cover(s, b, t) < s.edges[e].weight:  # it was due earlier than now
        _schedule(s, events, a, t)
        return False
    if other < 0:
        _cover_node(s, events, a, b, t)
    elif s.regions[other].label == OUTER:
        _form_blossom(s, events, tree, s.nodes[a].source, s.nodes[b].source, t)
    elif s.regions[other].mate_here < 0:
        _augment(s, s.nodes[a].source, s.nodes[b].source)
        return True
    else:
        outer = _around(s, s.regions[other].mate_there)
        _enter(s, tree, other, INNER, s.nodes[b].source, s.nodes[a].source, t)
        _enter(s, tree, outer, OUTER, s.regions[outer].mate_here, s.regions[outer].mate_there, t)
        _schedule_shrinking(s, events, other)
        _schedule_region(s, events, outer, t)
    return False


@numba.njit(cache=True)
def _cover_node(s, events, a, b, t):
    """The region around node a reaches the uncovered node b."""
    group = s.nodes[a].group
    region = s.groups[group].top
    s.nodes[b].arrived = region
    s.nodes[b].group = group
    s.regions[region].size += 1
    s.nodes[b].source = s.nodes[a].source
    s.nodes[b].wrap = -(s.groups[group].offset + s.regions[region].radius + t)
    s.nodes[b].below = s.regions[region].shell
    s.regions[region].shell = b
    _schedule(s, events, b, t)


@numba.njit(cache=True)
def _shrink(s, events, tree, region, t):
    """A shrinking region uncovers a node, falls apart, or stands in the way of its neighbours in the tree."""
    last = s.regions[region].shell
    if (_cover(s, last, t) if last >= 0 else s.regions[region].radius - t) > 0:  # it was due earlier than now
        _schedule_shrinking(s, events, region)
    elif region >= s.home.size and last < 0:
        _shatter(s, events, tree, region, t)
    elif region < s.home.size and last == s.home[region]:
        _form_blossom(s, events, tree, s.regions[region].up_there, s.regions[region].mate_there, t)
    else:
        s.regions[region].shell = s.nodes[last].below
        s.nodes[last].arrived = -1
        s.nodes[last].group = -1
        s.regions[region].size -= 1
        _schedule(s, events, last, t)
        _schedule_shrinking(s, events, region)


@numba.njit(cache=True)
def _augment(s, here, there):
    """Match the unmatched region around `there`, and exchange matched and free links up to the root."""
    region = _around(s, here)
    old = s.regions[region].up_there
    _pair(s, region, _around(s, there), here, there)
    while old >= 0:
        inner = _around(s, old)
        here, there = s.regions[inner].up_there, s.regions[inner].up_here
        region = _around(s, here)
        old = s.regions[region].up_there
        _pair(s, region, inner, here, there)


@numba.njit(cache=True)
def _common_ancestor(s, x, y):
    """Where the paths of two outer regions to the root meet; takes turns, so that the search stays local."""
    s.counts[1] += 1
    search = s.counts[1]
    while True:
        if x >= 0:
            if s.regions[x].mark == search:
                return x
            s.regions[x].mark = search
            x = _around(s, s.regions[x].up_there) if s.regions[x].up_there >= 0 else -1
        x, y = y, x


@numba.njit(cache=True)
def _tie(s, child, following, here, there):
    """Two neighbours on the cycle of a blossom."""
    s.regions[child].next_child = following
    s.regions[following].previous_child = child
    s.regions[child].link_here, s.regions[child].link_there = here, there


@numba.njit(cache=True)
def _form_blossom(s, events, tree, here, there, t):
    """Two outer regions of the tree meet: the cycle they close becomes one outer region."""
    first, last = _around(s, here), _around(s, there)
    apex = _common_ancestor(s, first, last)
    x = first
    while x != apex:
        above = _around(s, s.regions[x].up_there)
        _tie(s, x, above, s.regions[x].up_here, s.regions[x].up_there)
        x = above
    x = last
    while x != apex:
        above = _around(s, s.regions[x].up_there)
        _tie(s, above, x, s.regions[x].up_there, s.regions[x].up_here)
        x = above
    _tie(s, last, first, there, here)
    s.counts[0] -= 1
    blossom = s.spare[s.counts[0]]
    s.regions[blossom].first_child = apex
    s.regions[blossom].shell = -1
    s.regions[blossom].mate_here, s.regions[blossom].mate_there = s.regions[apex].mate_here, s.regions[apex].mate_there
    s.regions[blossom].up_here, s.regions[blossom].up_there = s.regions[apex].up_here, s.regions[apex].up_there
    s.regions[blossom].radius, s.regions[blossom].rate, s.regions[blossom].label = -t, 1, OUTER
    tree.append(blossom)
    _enclose(s, events, blossom, t)


@numba.njit(cache=True)
def _enclose(s, events, blossom, t):
    """Freeze the children of a new blossom; those that were shrinking grow from now on."""
    child = s.regions[blossom].first_child
    largest = child
    while s.regions[child].parent != blossom:
        s.regions[child].radius += s.regions[child].rate * t
        s.regions[child].rate = 0
        s.regions[child].parent = blossom
        s.regions[blossom].size += s.regions[child].size
        if s.regions[child].size > s.regions[largest].size:
            largest = child
        child = s.regions[child].next_child
    group = s.regions[largest].crowd
    s.regions[blossom].crowd = group
    s.groups[group].top = blossom
    s.groups[group].offset += s.regions[largest].radius
    child = s.regions[largest].next_child
    while child != largest:
        _regroup(s, child, group, s.groups[s.regions[child].crowd].offset + s.regions[child].radius - s.groups[group].offset)
        child = s.regions[child].next_child
    while s.regions[child].label != FREE:
        if s.regions[child].label == INNER:
            _schedule_region(s, events, child, t)
        s.regions[child].label = FREE
        child = s.regions[child].next_child


@numba.njit(cache=True)
def child_around(s, blossom, terminal):
    """The child of a blossom that contains a terminal."""
    region = terminal
    while s.regions[region].parent != blossom:
        region = s.regions[region].parent
    return region


@numba.njit(cache=True)
def _step(s, child, forward):
    """Neighbour on the cycle of a blossom, and the link to it."""
    if forward:
        return s.regions[child].next_child, s.regions[child].link_here, s.regions[child].link_there
    following = s.regions[child].previous_child
    return following, s.regions[following].link_there, s.regions[following].link_here


@numba.njit(cache=True)
def _shatter(s, events, tree, blossom, t):
    """An inner blossom without width falls apart: an even path of its children stays in the tree."""
    entry = child_around(s, blossom, s.regions[blossom].up_here)
    leaving = child_around(s, blossom, s.regions[blossom].mate_here)
    forward = True
    child = entry
    while child != leaving:
        forward = not forward
        child = s.regions[child].next_child
    _release(s, blossom)
    here, there = s.regions[blossom].up_here, s.regions[blossom].up_there
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
    s.regions[leaving].mate_here, s.regions[leaving].mate_there = s.regions[blossom].mate_here, s.regions[blossom].mate_there
    _pair_rest(s, leaving, entry, forward)
    _discard(s, blossom)
    child = entry
    while True:
        if s.regions[child].label == INNER:
            _schedule_shrinking(s, events, child)
        else:
            _schedule_region(s, events, child, t)
        child = s.regions[child].next_child
        if child == entry:
            break


@numba.njit(cache=True)
def _release(s, blossom):
    """Give the children of a blossom back their groups."""
    shared = s.regions[blossom].crowd
    offset = s.groups[shared].offset
    child = s.regions[blossom].first_child
    while s.regions[child].parent == blossom:
        s.regions[child].parent = -1
        group = s.regions[child].crowd
        s.groups[group].top = child
        if group == shared:
            s.groups[group].offset -= s.regions[child].radius
        else:
            _regroup(s, child, group, offset - s.regions[child].radius - s.groups[group].offset)
        child = s.regions[child].next_child


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
    s.regions[blossom].label, s.regions[blossom].rate, s.regions[blossom].radius = FREE, 0, 0
    s.regions[blossom].first_child = -1
    s.regions[blossom].size = 0
    s.spare[s.counts[0]] = blossom
    s.counts[0] += 1


@numba.njit(cache=True)
def _pairs(s):
    """Terminals matched with each other, (n_terminals / 2, 2); opens the blossoms from outside inwards."""
    pairs = np.empty((s.home.size // 2, 2), np.int64)
    count = 0
    for terminal in range(s.home.size):
        region = _around(s, terminal)
        here, there = s.regions[region].mate_here, s.regions[region].mate_there
        if terminal != here:
            continue
        if here < there:
            pairs[count] = here, there
            count += 1
        todo = [(region, here)]
        while len(todo) > 0:
            region, here = todo.pop()
            if s.regions[region].first_child < 0:
                continue
            base = child_around(s, region, here)
            _pair_rest(s, base, base, True)
            todo.append((base, here))
            child = s.regions[base].next_child
            while child != base:
                todo.append((child, s.regions[child].mate_here))
                if s.regions[child].mate_here == s.regions[child].link_here and s.regions[child].mate_there == s.regions[child].link_there:
                    pairs[count] = s.regions[child].mate_here, s.regions[child].mate_there
                    count += 1
                child = s.regions[child].next_child
    return pairs


@numba.njit(cache=True)
def _join(s):
    """Symmetric difference of shortest paths between matched terminals, (n_edges,) bool."""
    n_nodes = s.start.size - 1
    in_join = np.zeros(s.edges.size, np.bool_)
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
            for k in range(s.start[a], s.start[a + 1]):
                e = s.slots[k]
                b = s.edges[e].a + s.edges[e].b - a
                if length + s.edges[e].weight < distance[b]:
                    distance[b] = length + s.edges[e].weight
                    entered[b] = e
                    touched.append(b)
                    heappush(queue, (distance[b], b))
        while a != s.home[u]:
            e = entered[a]
            in_join[e] = not in_join[e]
            a = s.edges[e].a + s.edges[e].b - a
        for a in touched:
            distance[a] = NEVER
    return in_join


@numba.njit(cache=True)
def _arrivals(s):
    """Radius of each node's region when it was covered, (n_nodes,)."""
    arrival = np.zeros(s.nodes.size, np.int64)
    for a in range(s.nodes.size):
        region = s.nodes[a].arrived
        if region < 0:
            continue
        arrival[a] = -s.nodes[a].wrap - s.groups[s.nodes[a].group].offset
        while s.regions[region].parent >= 0:
            arrival[a] += s.regions[region].radius
            region = s.regions[region].parent
    return arrival
