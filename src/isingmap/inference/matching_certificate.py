"""Checking moats: a lower bound on the weight of every T-join that does not trust the program that found them.

A family of node sets, each with an odd number of terminals, and of widths, such that the sets an edge leaves have no
more width together than the edge has weight: every T-join leaves every one of the sets, so it weighs at least the
total width (Edmonds & Johnson, Mathematical Programming 5, 1973).

The sets are nested. While the moat of a region grows from 0 to its radius, the set consists of all nodes of the
region's parts and of those of its own nodes that have arrived by then.
"""

from __future__ import annotations

from typing import NamedTuple

import numba
import numpy as np


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
    return sum(moats.radius.tolist()) if _are_valid(terminals, ends, weights, moats) else None


@numba.njit(cache=True)
def _are_valid(terminals, ends, weights, moats):
    depth = _depths(moats.parent)
    if depth.min() < 0 or moats.radius.min() < 0 or not _have_odd_terminals(terminals, moats, depth):
        return False
    for a in range(moats.region.size):
        region = moats.region[a]
        if region >= 0 and not 0 <= moats.arrival[a] <= moats.radius[region]:
            return False
    for e in range(ends.shape[0]):
        if _width_crossed(ends[e, 0], ends[e, 1], moats, depth) > weights[e]:
            return False
    return True


@numba.njit(cache=True)
def _depths(parent):
    """How many regions surround each region; -1 where the parents run in a circle."""
    depth = np.full(parent.size, -1, np.int64)
    path = np.empty(parent.size, np.int64)
    for first in range(parent.size):
        region = first
        length = 0
        while region >= 0 and depth[region] < 0 and length < parent.size:
            path[length] = region
            length += 1
            region = parent[region]
        if region >= 0 and depth[region] < 0:
            return depth
        above = depth[region] if region >= 0 else -1
        for k in range(length - 1, -1, -1):
            above += 1
            depth[path[k]] = above
    return depth


@numba.njit(cache=True)
def _have_odd_terminals(terminals, moats, depth):
    """Whether every terminal is inside its moats from the start, and every region with a moat has an odd number."""
    odd = np.zeros(moats.parent.size, np.bool_)
    for a in terminals:
        if moats.region[a] < 0 or moats.arrival[a] != 0:
            return False
        odd[moats.region[a]] ^= True
    for region in np.argsort(-depth):
        if moats.parent[region] >= 0:
            odd[moats.parent[region]] ^= odd[region]
    return not (~odd & (moats.radius > 0)).any()


@numba.njit(cache=True)
def _width_crossed(a, b, moats, depth):
    """Total width of the sets that contain exactly one of two nodes."""
    x, y = moats.region[a], moats.region[b]
    at_x, at_y = moats.arrival[a], moats.arrival[b]
    width = np.int64(0)
    while x != y:
        if y < 0 or (x >= 0 and depth[x] >= depth[y]):
            width += moats.radius[x] - at_x
            x, at_x = moats.parent[x], np.int64(0)
        else:
            width += moats.radius[y] - at_y
            y, at_y = moats.parent[y], np.int64(0)
    return width + abs(at_x - at_y) if x >= 0 else width
