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

import numpy as np

from isingmap.compiled import ZERO, filled, helper, inlined, kernel
from isingmap.inference.ground_states.alternating_tree import grow_tree
from isingmap.inference.ground_states.heap import clear, pop, push
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
    _fill_cells(moats)
    _match_all(moats)
    return np.flatnonzero(_join(moats)), moats


@kernel
def _match_all(s):
    total = 0.0
    for u in range(s.home.size):
        total += s.regions[u].radius
    patience = max(FIRST_PATIENCE * total / s.home.size, 1.0)
    waiting = filled(s.home.size, ZERO)
    for u in range(s.home.size):
        waiting[u] = u
    n_waiting = s.home.size
    while n_waiting > 0:
        limit = np.int64(min(patience, 2.0**62))
        n_before, n_waiting = n_waiting, 0
        for k in range(n_before):
            u = waiting[k]
            if s.regions[around(s, u)].mate_here < 0 and not grow_tree(s, u, limit):
                waiting[n_waiting] = u
                n_waiting += 1
        patience *= MORE_PATIENCE


@kernel
def _fill_cells(s):
    """Give each terminal half the way to the nearest other one, and match those that meet."""
    distance, order = _cells(s)
    reach = filled(s.home.size, NEVER)
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
            pair(s.regions, u, v, u, v)
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
    n_nodes = s.start.size - 1
    distance = filled(n_nodes, NEVER)
    order = filled(n_nodes, ZERO)
    for u in range(s.home.size):
        distance[s.home[u]] = 0
        s.nodes[s.home[u]].source = u
        push(s.heap, ZERO, s.home[u])
    count = 0
    while s.heap.entries[0].item > 0:
        _, a = pop(s.heap)
        order[count] = a
        count += 1
        for k in range(s.start[a], s.start[a + 1]):
            edge = s.edges[s.slots[k]]
            b = edge.a + edge.b - a
            if distance[a] + edge.weight < distance[b]:
                distance[b] = distance[a] + edge.weight
                s.nodes[b].source = s.nodes[a].source
                push(s.heap, distance[b], b)
    return distance, order[:count]


@helper
def _pairs(s):
    """Terminals matched with each other, (n_terminals / 2, 2); opens the blossoms from outside inwards."""
    pairs = np.empty((s.home.size // 2, 2), np.int64)
    count = 0
    # Blossoms to be opened, each with the terminal that is matched outside.
    regions, terminals = filled(s.regions.size, ZERO), filled(s.regions.size, ZERO)
    for terminal in range(s.home.size):
        region = around(s, terminal)
        here, there = s.regions[region].mate_here, s.regions[region].mate_there
        if terminal != here:
            continue
        if here < there:
            pairs[count, 0], pairs[count, 1] = here, there
            count += 1
        regions[0], terminals[0] = region, here
        n_todo = 1
        while n_todo > 0:
            n_todo -= 1
            region, here = regions[n_todo], terminals[n_todo]
            if s.regions[region].first_child < 0:
                continue
            base = child_around(s.regions, region, here)
            pair_rest(s.regions, base, base, FORWARD)
            regions[n_todo], terminals[n_todo] = base, here
            n_todo += 1
            child = s.regions[base].next_child
            while child != base:
                regions[n_todo], terminals[n_todo] = child, s.regions[child].mate_here
                n_todo += 1
                if s.regions[child].mate_there == s.regions[child].link_there:  # to the next child, not back
                    pairs[count, 0], pairs[count, 1] = s.regions[child].mate_here, s.regions[child].mate_there
                    count += 1
                child = s.regions[child].next_child
    return pairs


@kernel
def _join(s):
    """Symmetric difference of shortest paths between matched terminals: 1 for its edges, (n_edges,)."""
    n_nodes = s.start.size - 1
    in_join = filled(s.edges.size, ZERO)
    entered = filled(n_nodes, ZERO)
    distance = filled(n_nodes, NEVER)
    touched = filled(n_nodes, ZERO)
    pairs = _pairs(s)
    for k in range(pairs.shape[0]):
        first, goal = s.home[pairs[k, 0]], s.home[pairs[k, 1]]
        distance[first] = 0
        touched[0] = first
        n_touched = 1
        push(s.heap, ZERO, first)
        while True:
            length, a = pop(s.heap)
            if a == goal:
                break
            for j in range(s.start[a], s.start[a + 1]):
                e = s.slots[j]
                b = s.edges[e].a + s.edges[e].b - a
                if length + s.edges[e].weight < distance[b]:
                    if distance[b] == NEVER:
                        touched[n_touched] = b
                        n_touched += 1
                    distance[b] = length + s.edges[e].weight
                    entered[b] = e
                    push(s.heap, distance[b], b)
        clear(s.heap)
        while a != first:
            e = entered[a]
            in_join[e] ^= 1
            a = s.edges[e].a + s.edges[e].b - a
        for j in range(n_touched):
            distance[touched[j]] = NEVER
    return in_join
