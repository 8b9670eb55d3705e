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

import numpy as np

from isingmap.compiled import NONE, ZERO, filled, helper, inlined, kernel
from isingmap.inference.ground_states.alternating_tree import grow_tree
from isingmap.inference.ground_states.moats import FORWARD, NEVER, around, child_around, no_moats, pair, pair_rest

# Trees that do not meet another soon wait for the next round: large trees are rare when all have grown a little.
FIRST_PATIENCE, MORE_PATIENCE = 1.0, 1.1


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
    moats = no_moats(n_nodes, ends, weights, np.flatnonzero(is_terminal))
    _match_all(moats)
    return np.flatnonzero(_join(moats)), moats


@kernel
def _match_all(s):
    _fill_cells(s)
    total = 0.0
    for u in range(s.groups.size):
        total += s.regions[u].radius
    patience = max(FIRST_PATIENCE * total / s.groups.size, 1.0)
    waiting = [u for u in range(s.groups.size) if s.regions[u].mate_here < 0]
    while len(waiting) > 0:
        limit = np.int64(min(patience, 2.0**62))
        waiting = [u for u in waiting if s.regions[around(s, u)].mate_here < 0 and not grow_tree(s, u, limit)]
        patience *= MORE_PATIENCE


@inlined
def _fill_cells(s):
    """Give each terminal half the way to the nearest other one, and match those that meet."""
    distance, order = _cells(s)
    reach = filled(s.groups.size, NEVER)
    for edge in s.edges:
        u, v = s.nodes[edge.a].source, s.nodes[edge.b].source
        if u != v:
            half = (distance[edge.a] + edge.weight + distance[edge.b]) // 2
            reach[u] = min(reach[u], half)
            reach[v] = min(reach[v], half)
    for u in range(reach.size):
        s.regions[u].radius = reach[u]
    for edge in s.edges:
        u, v = s.nodes[edge.a].source, s.nodes[edge.b].source
        if u == v or s.regions[u].mate_here >= 0 or s.regions[v].mate_here >= 0:
            continue
        if distance[edge.a] + edge.weight + distance[edge.b] == 2 * min(reach[u], reach[v]):
            pair(s, u, v, u, v)
    for a in order:
        node = s.nodes[a]
        u = node.source
        if distance[a] <= reach[u]:
            region = s.regions[u]
            node.arrived = u
            node.group = u
            node.wrap = -distance[a]
            node.below = region.shell
            region.shell = a
            region.size += 1


@inlined
def _cells(s):
    """Distance of each node from the nearest terminal, its `source`; and the nodes by distance."""
    n_nodes = s.nodes.size - 1
    distance = filled(n_nodes, NEVER)
    order = filled(n_nodes, ZERO)
    settled = filled(n_nodes, ZERO)
    queue = [(np.int64(0), np.int64(0)) for _ in range(0)]
    for u in range(s.groups.size):
        distance[s.regions[u].home] = 0
        s.nodes[s.regions[u].home].source = u
        heappush(queue, (np.int64(0), s.regions[u].home))
    count = 0
    while len(queue) > 0:
        _, a = heappop(queue)
        if settled[a]:
            continue
        settled[a] = 1
        order[count] = a
        count += 1
        for k in range(s.nodes[a].start, s.nodes[a + 1].start):
            edge = s.edges[s.slots[k]]
            b = edge.a + edge.b - a
            if distance[a] + edge.weight < distance[b]:
                distance[b] = distance[a] + edge.weight
                s.nodes[b].source = s.nodes[a].source
                heappush(queue, (distance[b], b))
    return distance, order[:count]


@helper
def _pairs(s):
    """Terminals matched with each other, (n_terminals / 2, 2); opens the blossoms from outside inwards."""
    pairs = np.empty((s.groups.size // 2, 2), np.int64)
    count = 0
    for terminal in range(s.groups.size):
        region = around(s, terminal)
        here, there = s.regions[region].mate_here, s.regions[region].mate_there
        if terminal != here:
            continue
        if here < there:
            pairs[count, 0], pairs[count, 1] = here, there
            count += 1
        todo = [(region, here)]
        while len(todo) > 0:
            region, here = todo.pop()
            if s.regions[region].first_child < 0:
                continue
            base = child_around(s, region, here)
            pair_rest(s, base, base, FORWARD)
            todo.append((base, here))
            child = s.regions[base].next_child
            while child != base:
                todo.append((child, s.regions[child].mate_here))
                if s.regions[child].mate_there == s.regions[child].link_there:  # to the next child, not back
                    pairs[count, 0], pairs[count, 1] = s.regions[child].mate_here, s.regions[child].mate_there
                    count += 1
                child = s.regions[child].next_child
    return pairs


@kernel
def _join(s):
    """Symmetric difference of shortest paths between matched terminals: 1 for each edge in it."""
    n_nodes = s.nodes.size - 1
    in_join = filled(s.edges.size, ZERO)
    distance = filled(n_nodes, NEVER)
    entered = filled(n_nodes, NONE)
    pairs = _pairs(s)
    for k in range(pairs.shape[0]):
        a, goal = s.regions[pairs[k, 0]].home, s.regions[pairs[k, 1]].home
        distance[a] = 0
        touched = [a]
        queue = [(np.int64(0), a)]
        while True:
            length, a = heappop(queue)
            if a == goal:
                break
            if length > distance[a]:
                continue
            for j in range(s.nodes[a].start, s.nodes[a + 1].start):
                e = s.slots[j]
                b = s.edges[e].a + s.edges[e].b - a
                if length + s.edges[e].weight < distance[b]:
                    distance[b] = length + s.edges[e].weight
                    entered[b] = e
                    touched.append(b)
                    heappush(queue, (distance[b], b))
        while a != s.regions[pairs[k, 0]].home:
            e = entered[a]
            in_join[e] ^= 1
            a = s.edges[e].a + s.edges[e].b - a
        for a in touched:
            distance[a] = NEVER
    return in_join
