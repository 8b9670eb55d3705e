"""Growing one alternating tree of a blossom algorithm until one more pair of terminals can be matched.

Outer regions grow and inner ones shrink at unit rate; everything outside the tree stands still. Events are due when
two moats meet on an edge, a moat reaches a node, or an inner region has lost a node or its whole width.
"""

from __future__ import annotations

from heapq import heappop, heappush

import numpy as np

from isingmap.compiled import helper, inlined
from isingmap.inference.ground_states.moats import (
    FREE,
    INNER,
    NEVER,
    NOBODY,
    OUTER,
    around,
    child_around,
    cover_of,
    discard,
    following,
    pair,
    pair_rest,
    regroup,
    release,
    step,
    tie,
    top_of,
)


@inlined
def grow_tree(s, terminal, limit):
    """Grow an alternating tree until it meets an unmatched region (True) or for `limit` (False)."""
    root = around(s, terminal)
    matched = False
    t = np.int64(0)
    n_edges = s.edges.size
    events = [(t, t) for _ in range(0)]
    tree = [root for _ in range(0)]
    _enter(s, tree, root, OUTER, NOBODY, NOBODY, t)
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


@helper
def _enter(s, tree, region, label, here, there, t):
    """Make a region part of the tree, below the region around the terminal `there`."""
    x = s.regions[region]
    x.label = label
    x.rate = 1 if label == OUTER else -1
    x.radius -= x.rate * t
    x.up_here, x.up_there = here, there
    tree.append(region)


@inlined
def _freeze(s, region, t):
    x = s.regions[region]
    x.radius += x.rate * t
    x.rate = 0
    x.label = FREE


@helper
def _schedule(s, events, a, t):
    """When do the moats meet on the edges at node a, or reach the other end?"""
    top = top_of(s, a)
    rate = s.regions[top].rate if top >= 0 else 0
    cover = cover_of(s, a, t)
    for k in range(s.nodes[a].start, s.nodes[a + 1].start):
        edge = s.edges[s.slots[k]]
        b = edge.a + edge.b - a
        other = top_of(s, b)
        if other == top:
            continue
        closing = rate + (s.regions[other].rate if other >= 0 else 0)
        if closing > 0:
            due = t + (edge.weight - cover - cover_of(s, b, t)) // closing
            if due < edge.due:
                edge.due = due
                heappush(events, (due, s.slots[k]))


@helper
def _schedule_region(s, events, root, t):
    region = root
    while region >= 0:
        a = s.regions[region].shell
        while a >= 0:
            _schedule(s, events, a, t)
            a = s.nodes[a].below
        region = following(s, region, root)


@helper
def _schedule_shrinking(s, events, region):
    """When does a shrinking region lose its last covered node, or its whole width?"""
    x = s.regions[region]
    due = x.radius
    if x.shell >= 0:
        last = s.nodes[x.shell]
        due += last.wrap + s.groups[last.group].offset
    if due < x.due:
        x.due = due
        heappush(events, (due, s.edges.size + region))


@inlined
def _meet(s, events, tree, e, t):
    """What happens on an edge that is due: cover a node, grow the tree, form a blossom; True: a match is made."""
    a, b = s.edges[e].a, s.edges[e].b
    region, other = top_of(s, a), top_of(s, b)
    if region < 0 or s.regions[region].rate <= 0:
        a, b = b, a
        region, other = other, region
    if region == other or region < 0 or s.regions[region].rate <= 0 or (other >= 0 and s.regions[other].label == INNER):
        return False
    if cover_of(s, a, t) + cover_of(s, b, t) < s.edges[e].weight:  # it was due earlier than now
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
        outer = around(s, s.regions[other].mate_there)
        _enter(s, tree, other, INNER, s.nodes[b].source, s.nodes[a].source, t)
        _enter(s, tree, outer, OUTER, s.regions[outer].mate_here, s.regions[outer].mate_there, t)
        _schedule_shrinking(s, events, other)
        _schedule_region(s, events, outer, t)
    return False


@inlined
def _cover_node(s, events, a, b, t):
    """The region around node a reaches the uncovered node b."""
    node, other = s.nodes[b], s.nodes[a]
    group = s.groups[other.group]
    region = s.regions[group.top]
    node.arrived = group.top
    node.group = other.group
    node.source = other.source
    node.wrap = -(group.offset + region.radius + t)
    node.below = region.shell
    region.shell = b
    region.size += 1
    _schedule(s, events, b, t)


@inlined
def _shrink(s, events, tree, region, t):
    """A shrinking region uncovers a node, falls apart, or stands in the way of its neighbours in the tree."""
    last = s.regions[region].shell
    if (cover_of(s, last, t) if last >= 0 else s.regions[region].radius - t) > 0:  # it was due earlier than now
        _schedule_shrinking(s, events, region)
    elif region >= s.groups.size and last < 0:
        _shatter(s, events, tree, region, t)
    elif region < s.groups.size and last == s.regions[region].home:
        _form_blossom(s, events, tree, s.regions[region].up_there, s.regions[region].mate_there, t)
    else:
        x, node = s.regions[region], s.nodes[last]
        x.shell = node.below
        x.size -= 1
        node.arrived = -1
        node.group = -1
        _schedule(s, events, last, t)
        _schedule_shrinking(s, events, region)


@inlined
def _augment(s, here, there):
    """Match the unmatched region around `there`, and exchange matched and free links up to the root."""
    region = around(s, here)
    old = s.regions[region].up_there
    pair(s, region, around(s, there), here, there)
    while old >= 0:
        inner = around(s, old)
        here, there = s.regions[inner].up_there, s.regions[inner].up_here
        region = around(s, here)
        old = s.regions[region].up_there
        pair(s, region, inner, here, there)


@inlined
def _common_ancestor(s, x, y):
    """Where the paths of two outer regions to the root meet; takes turns, so that the search stays local."""
    s.counts[1] += 1
    search = s.counts[1]
    while True:
        if x >= 0:
            if s.regions[x].mark == search:
                return x
            s.regions[x].mark = search
            x = around(s, s.regions[x].up_there) if s.regions[x].up_there >= 0 else -1
        x, y = y, x


@helper
def _form_blossom(s, events, tree, here, there, t):
    """Two outer regions of the tree meet: the cycle they close becomes one outer region."""
    first, last = around(s, here), around(s, there)
    apex = _common_ancestor(s, first, last)
    x = first
    while x != apex:
        here_x, there_x = s.regions[x].up_here, s.regions[x].up_there
        above = around(s, there_x)
        tie(s, x, above, here_x, there_x)
        x = above
    x = last
    while x != apex:
        here_x, there_x = s.regions[x].up_here, s.regions[x].up_there
        above = around(s, there_x)
        tie(s, above, x, there_x, here_x)
        x = above
    tie(s, last, first, there, here)
    blossom = s.counts[0]
    new, old = s.regions[blossom], s.regions[apex]
    s.counts[0] = new.next_child
    new.first_child = apex
    new.shell = -1
    new.mate_here, new.mate_there = old.mate_here, old.mate_there
    new.up_here, new.up_there = old.up_here, old.up_there
    new.radius, new.rate, new.label = -t, 1, OUTER
    tree.append(blossom)
    _enclose(s, events, blossom, t)


@inlined
def _enclose(s, events, blossom, t):
    """Freeze the children of a new blossom; those that were shrinking grow from now on."""
    new = s.regions[blossom]
    largest = new.first_child
    x = s.regions[largest]
    while x.parent != blossom:
        x.radius += x.rate * t
        x.rate = 0
        x.parent = blossom
        new.size += x.size
        if s.regions[x.next_child].size > s.regions[largest].size:
            largest = x.next_child
        x = s.regions[x.next_child]
    new.crowd = s.regions[largest].crowd
    group = s.groups[new.crowd]
    group.top = blossom
    group.offset += s.regions[largest].radius
    child = s.regions[largest].next_child
    while child != largest:
        x = s.regions[child]
        regroup(s, child, new.crowd, s.groups[x.crowd].offset + x.radius - group.offset)
        child = x.next_child
    x = s.regions[child]
    while x.label != FREE:
        if x.label == INNER:
            _schedule_region(s, events, child, t)
        x.label = FREE
        child = x.next_child
        x = s.regions[child]


@inlined
def _shatter(s, events, tree, blossom, t):
    """An inner blossom without width falls apart: an even path of its children stays in the tree."""
    entry = child_around(s, blossom, s.regions[blossom].up_here)
    leaving = child_around(s, blossom, s.regions[blossom].mate_here)
    forward = True
    child = entry
    while child != leaving:
        forward = not forward
        child = s.regions[child].next_child
    release(s, blossom)
    here, there = s.regions[blossom].up_here, s.regions[blossom].up_there
    label = INNER
    child = entry
    while True:
        _enter(s, tree, child, label, here, there, t)
        if child == leaving:
            break
        following, here, there = step(s, child, forward)
        if label == INNER:
            pair(s, child, following, here, there)
        here, there = there, here
        child = following
        label = INNER + OUTER - label
    s.regions[leaving].mate_here = s.regions[blossom].mate_here
    s.regions[leaving].mate_there = s.regions[blossom].mate_there
    pair_rest(s, leaving, entry, forward)
    discard(s, blossom)
    child = entry
    while True:
        if s.regions[child].label == INNER:
            _schedule_shrinking(s, events, child)
        else:
            _schedule_region(s, events, child, t)
        child = s.regions[child].next_child
        if child == entry:
            break
