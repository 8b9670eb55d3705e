"""Whether a straight-line drawing has crossings: floating point first, fractions where it is unsure."""

from __future__ import annotations

from fractions import Fraction

import numpy as np

from isingmap.compiled import helper, inlined, kernel

ROUNDING = 4.0 * np.finfo(np.float64).eps  # Shewchuk's bound for an orientation is below this


@helper
def _orientation(p, q, r):
    """Sign of the turn p, q, r: 1 left, -1 right, 0 straight or unsure."""
    left = (q[0] - p[0]) * (r[1] - p[1])
    right = (q[1] - p[1]) * (r[0] - p[0])
    turn = left - right
    if abs(turn) <= ROUNDING * (abs(left) + abs(right)):
        return 0
    return 1 if turn > 0 else -1


@inlined
def _boxes_meet(p, q, r, s):
    for axis in range(2):
        if max(p[axis], q[axis]) < min(r[axis], s[axis]) or max(r[axis], s[axis]) < min(p[axis], q[axis]):
            return False
    return True


@kernel
def _suspects(position, segments):
    """(crossing found for certain, pairs of segments to look at exactly)."""
    unsure = np.empty((64, 2), np.int64)
    count = 0
    for e in range(segments.shape[0]):
        a, b = segments[e, 0], segments[e, 1]
        p, q = position[a], position[b]
        for f in range(e):
            c, d = segments[f, 0], segments[f, 1]
            r, s = position[c], position[d]
            if not _boxes_meet(p, q, r, s):
                continue
            if a in (c, d) or b in (c, d):
                shared = a if a in (c, d) else b
                first, second = a + b - shared, c + d - shared
                if _orientation(position[shared], position[first], position[second]) != 0:
                    continue
            else:
                r_side, s_side = _orientation(p, q, r), _orientation(p, q, s)
                p_side, q_side = _orientation(r, s, p), _orientation(r, s, q)
                if r_side * s_side > 0 or p_side * q_side > 0:
                    continue
                if r_side * s_side < 0 and p_side * q_side < 0:
                    return True, unsure[:0]
            if count == len(unsure):
                unsure = np.concatenate((unsure, np.empty_like(unsure)))
            unsure[count, 0], unsure[count, 1] = e, f
            count += 1
    return False, unsure[:count]


def _exact_orientation(p, q, r) -> int:
    turn = (q[0] - p[0]) * (r[1] - p[1]) - (q[1] - p[1]) * (r[0] - p[0])
    return (turn > 0) - (turn < 0)


def _touch(position, first, second) -> bool:
    """Whether two segments, whose boxes meet, have a point in common beside a shared node. Exact."""
    point = {v: tuple(Fraction(x) for x in position[v].tolist()) for v in (*first, *second)}
    shared = set(first) & set(second)
    if shared:
        (v,) = shared
        (a,) = set(first) - shared
        (b,) = set(second) - shared
        ahead = sum((point[a][k] - point[v][k]) * (point[b][k] - point[v][k]) for k in range(2))
        return ahead > 0 and _exact_orientation(point[v], point[a], point[b]) == 0
    p, q, r, s = (point[v] for v in (*first, *second))
    across = _exact_orientation(p, q, r) * _exact_orientation(p, q, s)
    return across <= 0 and _exact_orientation(r, s, p) * _exact_orientation(r, s, q) <= 0


def has_crossings(positions, edges) -> bool:
    """Whether two edges of a straight-line drawing touch beside a shared node, exactly.

    Also true when a node lies on an edge that is not its own, when two nodes coincide, or when a position is
    not finite. O(n_edges^2) with a small constant.

    Parameters
    ----------
    positions : (n_nodes, 2) float array
    edges : (n_edges, 2) int array
        Of a simple graph.
    """
    position = np.ascontiguousarray(positions, dtype=np.float64)
    edges = np.asarray(edges, dtype=np.int64).reshape(-1, 2)
    if not np.isfinite(position).all() or len(np.unique(position, axis=0)) < len(position):
        return True
    alone = np.setdiff1d(np.arange(len(position)), edges)
    segments = np.concatenate([edges, np.column_stack([alone, alone])])
    certain, unsure = _suspects(position, segments)
    if certain:
        return True
    return any(_touch(position, segments[e].tolist(), segments[f].tolist()) for e, f in unsure.tolist())
