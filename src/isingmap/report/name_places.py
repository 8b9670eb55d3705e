"""Where to write the name of each node: beside it, off other names, nodes and edges.

Every label has places around its node; each takes in turn the place that costs least, given where the others
stand.
Units: points (1/72 inch).
"""

from __future__ import annotations

import numpy as np

# (x, y) of the anchor seen from the node; right and left are the easiest to read
DIRECTIONS = np.array([(1, 0), (-1, 0), (0, 1), (0, -1), (0.8, 0.8), (-0.8, 0.8), (0.8, -0.8), (-0.8, -0.8)])
DISTANCES = (1.0, 2.2, 4.0)
N_SWEEPS = 6
NEAR = 1.0  # what is further from all places of a label is not looked at
LABEL_COST = 3.0  # per square point covered of another label,
NODE_COST = 150.0  # for each node under the label,
EDGE_COST = 1.0  # per point of edge under it,
OUTSIDE_COST = 50.0  # per point it sticks out of the picture,
DISTANCE_COST = 6.0  # and per point from its node
READING_COST = np.array([0.0, 1.0, 2.0, 2.0, 1.5, 2.5, 1.5, 2.5])


def place_labels(centres, sizes, edges, *, radius: float, bounds) -> np.ndarray:
    """Centres of the labels, (n, 2).

    Parameters
    ----------
    centres : (n, 2) float array
        Nodes, in points.
    sizes : (n, 2) float array
        Width and height of each label, in points.
    edges : (n_edges, 2) int array
    radius : float
        Of the nodes, in points.
    bounds : (x0, y0, x1, y1)
        The sheet.
    """
    if len(centres) == 0:
        return np.empty((0, 2))
    offsets, effort = _places(sizes, radius)
    boxes = np.concatenate([centres[:, None] + offsets - sizes[:, None] / 2] * 2, axis=2)
    boxes[..., 2:] += sizes[:, None]
    cost = effort + OUTSIDE_COST * _outside(boxes, bounds)
    regions = _regions(boxes)
    start, end = centres[edges[:, 0]], centres[edges[:, 1]]
    edges_near = _touching(regions, np.concatenate([np.minimum(start, end), np.maximum(start, end)], axis=1))
    nodes_near = _touching(regions, np.concatenate([centres - radius, centres + radius], axis=1))
    np.fill_diagonal(nodes_near, False)
    for v in range(len(centres)):
        cost[v] += NODE_COST * _nodes_under(boxes[v], centres[nodes_near[v]], radius)
        near = np.flatnonzero(edges_near[v])
        cost[v] += EDGE_COST * _summed(_edge_lengths_under(boxes[v], start[near], end[near]), near, len(edges))
    chosen = _choose(boxes, cost, _touching(regions, regions))
    return centres + offsets[np.arange(len(centres)), chosen]


def _regions(boxes):
    """What all places of a label cover together, (n, 4)."""
    return np.concatenate([boxes[..., :2].min(axis=1), boxes[..., 2:].max(axis=1)], axis=1)


def _touching(regions, others):
    """Which of the others come near each region, (n, n_others) bool; all that is further away costs nothing."""
    low = np.maximum(regions[:, None, :2], others[None, :, :2])
    high = np.minimum(regions[:, None, 2:], others[None, :, 2:])
    return (low <= high + NEAR).all(axis=2)


def _summed(values, which, n: int):
    """Sums over the last axis; each value at its number among n, since sums in another order are rounded otherwise."""
    everything = np.zeros((len(values), n))
    everything[:, which] = values
    return everything.sum(axis=1)


def _places(sizes, radius: float):
    """Offsets of the label centres from their nodes, (n, n_places, 2), and their cost, (n, n_places)."""
    which = np.tile(np.arange(len(DIRECTIONS)), len(DISTANCES))
    direction, distance = DIRECTIONS[which], np.repeat(DISTANCES, len(DIRECTIONS))
    offsets = direction * (radius + distance)[:, None] + np.sign(direction) * sizes[:, None] / 2
    effort = READING_COST[which] + DISTANCE_COST * (distance - DISTANCES[0])
    return offsets, np.tile(effort, (len(sizes), 1))


def _outside(boxes, bounds):
    low = np.maximum(np.asarray(bounds[:2]) - boxes[..., :2], 0).sum(axis=-1)
    return low + np.maximum(boxes[..., 2:] - np.asarray(bounds[2:]), 0).sum(axis=-1)


def _nodes_under(boxes, centres, radius: float):
    """Number of nodes that touch each box."""
    nearest = np.clip(centres[None], boxes[:, None, :2], boxes[:, None, 2:])
    return (np.hypot(*(nearest - centres[None]).transpose(2, 0, 1)) < radius + 0.5).sum(axis=1)


def _edge_lengths_under(boxes, start, end):
    """Length of each edge inside each box, (n_boxes, n_edges), clipped in both directions (Liang and Barsky)."""
    along = end - start
    along = np.where(along == 0, 1e-9, along)
    first = (boxes[:, None, :2] - start) / along
    second = (boxes[:, None, 2:] - start) / along
    enter = np.minimum(first, second).max(axis=2).clip(0, 1)
    leave = np.maximum(first, second).min(axis=2).clip(0, 1)
    return np.maximum(leave - enter, 0) * np.hypot(*along.T)


def _choose(boxes, cost, near):
    """Index of the place of each label; the labels with the fewest free places choose first."""
    n = len(boxes)
    chosen = cost.argmin(axis=1)
    order = np.argsort(-np.sort(cost, axis=1)[:, :4].mean(axis=1), kind="stable")
    neighbours = [np.flatnonzero(near[v] & (np.arange(n) != v)) for v in range(n)]
    for _ in range(N_SWEEPS):
        before = chosen.copy()
        for v in order:
            others = neighbours[v]
            covered = _overlap(boxes[v], boxes[others, chosen[others]])
            total = _summed(covered, others - (others > v), n - 1)
            chosen[v] = int(np.argmin(cost[v] + LABEL_COST * total))
        if (before == chosen).all():
            break
    return chosen


def _overlap(boxes, others):
    """Area that each box shares with each of the others."""
    low = np.maximum(boxes[:, None, :2], others[None, :, :2])
    high = np.minimum(boxes[:, None, 2:], others[None, :, 2:])
    return np.maximum(high - low, 0).prod(axis=2)
