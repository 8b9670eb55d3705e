"""Checking moats: a lower bound on the weight of every T-join that does not trust the program that found them.

A family of node sets, each with an odd number of terminals, and of widths, such that the sets an edge leaves have no
more width together than the edge has weight: every T-join leaves every one of the sets, so it weighs at least the
total width (Edmonds & Johnson, Mathematical Programming 5, 1973).

The sets are nested. While the moat of a region grows from 0 to its radius, the set consists of all nodes of the
region's parts and of those of its own nodes that have arrived by then.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from isingmap.compiled import NONE, ONE, ZERO, filled, inlined, kernel


class MoatFamily(NamedTuple):
    """Nested moats around regions.

    Attributes
    ----------
    parent : (n_regions,) int64 array
        The region a region is a part of, -1 for none.
    radius : (n_regions,) int64 array
        Width of its moat.
    region : (n_nodes,) int64 array
        Innermost region of each node, -1 for none.
    arrival : (n_nodes,) int64 array
        Where in that region's moat the node arrives, between 0 and the radius.
    """

    parent: np.ndarray
    radius: np.ndarray
    region: np.ndarray
    arrival: np.ndarray


def lower_bound(terminals, ends, weights, moats: MoatFamily) -> int | None:
    """Lower bound on the weight of every T-join; None when the moats prove nothing. O(n_edges x depth of nesting).

    Parameters
    ----------
    terminals : (n_terminals,) int64 array
        Nodes.
    ends : (n_edges, 2) int64 array
    weights : (n_edges,) int64 array
    """
    order = from_outside_inwards(moats.parent)
    if order.size < moats.parent.size or (moats.radius < 0).any() or not _are_sets(terminals, moats, order):
        return None
    return sum(moats.radius.tolist()) if (widths_crossed(ends, moats) <= weights).all() else None


def widths_crossed(ends: np.ndarray, moats: MoatFamily) -> np.ndarray:
    """Total width of the moats between the ends of each edge, (n_edges,) int64."""
    order = from_outside_inwards(moats.parent)
    return _widths_crossed(ends, moats, order, widths_outwards(moats.parent, moats.radius, order))


@kernel
def _are_sets(terminals, moats, order):
    """Whether nodes arrive inside their moats, and the sets have an odd number of terminals."""
    if not _have_odd_terminals(terminals, moats, order):
        return False
    for a in range(moats.region.size):
        region = moats.region[a]
        if region >= 0 and not 0 <= moats.arrival[a] <= moats.radius[region]:
            return False
    return True


@kernel
def _widths_crossed(ends, moats, order, reach):
    depth, chain = _chains(moats.parent, order)
    widths = filled(ends.shape[0], ZERO)
    for e in range(ends.shape[0]):
        a, b = ends[e, 0], ends[e, 1]
        common = _innermost_common(moats.region[a], moats.region[b], moats.parent, depth, chain)
        widths[e] = _width_crossed(a, b, common, moats, reach)
    return widths


@kernel
def from_outside_inwards(parent):
    """Regions, each after the one it is a part of; those whose parents run in a circle are left out."""
    start = filled(parent.size + 2, ZERO)
    for region in range(parent.size):
        start[parent[region] + 2] += 1
    for region in range(parent.size + 1):
        start[region + 1] += start[region]
    parts = filled(parent.size, ZERO)
    for region in range(parent.size):
        parts[start[parent[region] + 1]] = region
        start[parent[region] + 1] += 1
    order = filled(parent.size, ZERO)  # `start` has become the end of each list of parts
    count = start[0]
    for j in range(count):
        order[j] = parts[j]
    k = 0
    while k < count:
        for j in range(start[order[k]], start[order[k] + 1]):
            order[count] = parts[j]
            count += 1
        k += 1
    return order[:count]


@kernel
def widths_outwards(parent, radius, order):
    """Total width of the moats around the inside of each region, its own included."""
    reach = radius.copy()
    for region in order:
        if parent[region] >= 0:
            reach[region] += reach[parent[region]]
    return reach


@inlined
def _have_odd_terminals(terminals, moats, order):
    """Whether every terminal is inside its moats from the start, and every region with a moat has an odd number."""
    odd = filled(moats.parent.size, ZERO)
    for a in terminals:
        if moats.region[a] < 0 or moats.arrival[a] != 0:
            return False
        odd[moats.region[a]] ^= 1
    for k in range(order.size - 1, -1, -1):
        region = order[k]
        if moats.radius[region] > 0 and not odd[region]:
            return False
        if moats.parent[region] >= 0:
            odd[moats.parent[region]] ^= odd[region]
    return True


@inlined
def _chains(parent, order):
    """Depth of each region, and the outermost region of its chain; each region continues the chain of its parent
    if it is the parent's largest part, so that every way outwards changes chains a logarithmic number of times."""
    size = filled(parent.size, ONE)
    largest = filled(parent.size, NONE)
    depth = filled(parent.size, ZERO)
    chain = filled(parent.size, ZERO)
    for k in range(order.size - 1, -1, -1):
        region = order[k]
        above = parent[region]
        if above >= 0:
            size[above] += size[region]
            if largest[above] < 0 or size[region] > size[largest[above]]:
                largest[above] = region
    for region in order:
        chain[region] = region
        above = parent[region]
        if above >= 0:
            depth[region] = depth[above] + 1
            if largest[above] == region:
                chain[region] = chain[above]
    return depth, chain


@inlined
def _innermost_common(x, y, parent, depth, chain):
    """The innermost region around both of two regions, -1 for none."""
    while x >= 0 and y >= 0:
        if chain[x] == chain[y]:
            return x if depth[x] <= depth[y] else y
        if depth[chain[x]] >= depth[chain[y]]:
            x = parent[chain[x]]
        else:
            y = parent[chain[y]]
    return -1


@inlined
def _width_crossed(a, b, common, moats, reach):
    """Total width of the sets that contain exactly one of two nodes."""
    beyond = reach[common] if common >= 0 else 0
    width = np.int64(0)
    inner = np.int64(0)  # where the nodes arrive in the common region; a node in one of its parts is there before
    for v in (a, b):
        region = moats.region[v]
        inner = -inner
        if region != common:
            width += reach[region] - moats.arrival[v] - beyond
        elif region >= 0:
            inner += moats.arrival[v]
    return width + abs(inner)
