"""The entries of the inverse that short paths need, without the whole inverse.

A search asks for the correlations of pairs that an edge can join. Their paths are short, and so are the distances
between the darts that meet in one Pfaffian: a few entries in a hundred of the inverse, in blocks of a row of own darts
by the needed darts that are eliminated later. An entry follows from those on the border of its front (Takahashi),
so what is asked for is first closed under that recursion.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from isingmap.compiled import helper, kernel
from isingmap.inference.correlations import pfaffian
from isingmap.inference.elimination import front_of_units
from isingmap.inference.multifrontal import copy_block, front_sizes, stored


class PartialInverse(NamedTuple):
    """Blocks of K'^-1; darts are 2 * (position of their unit in the order of elimination) + parity.

    Attributes
    ----------
    front_of : (n_units,) int64 array
    first : (n_fronts + 1,) int64 array
        See `EliminationPlan`.
    column : (n_fronts, n_units) int32 array
        Column of each unit in the block of a front, counted in units; -1 for none.
    start, width : (n_fronts,) int64 arrays
        Where the block of each front begins in `values`, and its number of darts across.
    values : float64 array
    """

    front_of: np.ndarray
    first: np.ndarray
    column: np.ndarray
    start: np.ndarray
    width: np.ndarray
    values: np.ndarray


@helper
def entry(inverse, a, b):
    """K'^-1[a, b]; both darts must lie in a block that was asked for."""
    front_of = inverse.front_of
    t = front_of[a >> 1]
    if front_of[b >> 1] < t:
        return -entry_in_front(inverse, front_of[b >> 1], b, a)
    return entry_in_front(inverse, t, a, b)


@helper
def entry_in_front(inverse, t, a, b):
    """K'^-1[a, b] from the block of the front that eliminates a."""
    row = a - 2 * inverse.first[t]
    return inverse.values[inverse.start[t] + row * inverse.width[t] + 2 * inverse.column[t, b >> 1] + (b & 1)]


@helper
def _close(plan, front_of, needed):
    """Ask also for what the recursion needs: each border with everything asked for, and with itself."""
    n_units = front_of.size
    for t in range(plan.child.size):
        begin, end = plan.border_start[t], plan.border_start[t + 1]
        for k in range(begin, end):
            needed[t, plan.border[k]] = True
        last_front = -1
        for c in range(plan.first[t + 1], n_units):
            if not needed[t, c]:
                continue
            u = front_of[c]
            new_front = u != last_front
            last_front = u
            s = -1
            for k in range(begin, end):
                b = plan.border[k]
                if front_of[b] > u:
                    if not new_front:
                        break
                    needed[u, b] = True
                elif front_of[b] != s:
                    s = front_of[b]
                    if s < u:
                        needed[s, c] = True


@kernel
def partial_inverse(plan, factors, needed):
    """Entries between the darts of each front and the later units `needed` (n_fronts, n_units) there; overwrites it.

    O(own x border x needed) for each front.
    """
    front_of = front_of_units(plan.first)
    _close(plan, front_of, needed)
    n_fronts, n_units = needed.shape
    column = np.full((n_fronts, n_units), -1, np.int32)
    width = np.empty(n_fronts, np.int64)
    start = np.empty(n_fronts, np.int64)
    size = 0
    for t in range(n_fronts):
        count = 0
        for c in range(plan.first[t], n_units):
            if c < plan.first[t + 1] or needed[t, c]:
                column[t, c] = count
                count += 1
        width[t] = 2 * count
        start[t] = size
        size += 2 * (plan.first[t + 1] - plan.first[t]) * width[t]
    inverse = PartialInverse(front_of, plan.first, column, start, width, np.empty(size))
    for t in range(n_fronts - 1, -1, -1):
        _fill(t, plan, factors, inverse)
    return inverse


@helper
def _fill(t, plan, factors, inverse):
    """The block of front t, given those of all later fronts."""
    own, rest = front_sizes(t, plan)
    own_inverse, x = stored(t, plan, factors)
    width, start = inverse.width[t], inverse.start[t]
    block = inverse.values[start : start + own * width].reshape(own, width)
    copy_block(own_inverse, block[:, :own])
    if rest == 0:
        return
    border = plan.border[plan.border_start[t] : plan.border_start[t + 1]]
    across = np.empty((rest, width - own))
    _gather(t, border, inverse, across)
    side = np.dot(x, across)
    at_border = np.empty((own, rest))
    for r in range(own):
        for s in range(width - own):
            block[r, own + s] = -side[r, s]
        for k in range(border.size):
            s = 2 * inverse.column[t, border[k]] - own
            at_border[r, 2 * k] = side[r, s]
            at_border[r, 2 * k + 1] = side[r, s + 1]
    added = np.dot(at_border, x.T)
    for r in range(own):
        for s in range(own):
            block[r, s] += added[r, s]


@helper
def _gather(t, border, inverse, across):
    """Entries between the border of front t and its needed columns."""
    own_units = inverse.first[t + 1] - inverse.first[t]
    for c in range(inverse.first[t + 1], inverse.front_of.size):
        place = inverse.column[t, c]
        if place < 0:
            continue
        s = 2 * (place - own_units)
        for k in range(border.size):
            for p in range(2):
                across[2 * k + p, s] = entry(inverse, 2 * border[k] + p, 2 * c)
                across[2 * k + p, s + 1] = entry(inverse, 2 * border[k] + p, 2 * c + 1)


@kernel
def needed_by_paths(first, begin, path):
    """The later units that meet each front's own ones on a path, (n_fronts, n_units); paths hold positions of units."""
    front_of = front_of_units(first)
    needed = np.zeros((first.size - 1, front_of.size), np.bool_)
    for k in range(begin.size - 1):
        for p in range(begin[k], begin[k + 1]):
            for q in range(begin[k], p):
                low, high = min(path[p], path[q]), max(path[p], path[q])
                needed[front_of[low], high] = True
    return needed


@kernel
def path_correlations(begin, path, inverse, twin):
    """(E of the product of the edges of each path, largest error). See `correlations.py`."""
    result = np.empty(begin.size - 1)
    worst = 0.0
    work = np.empty((0, 0))
    for k in range(begin.size - 1):
        size = 2 * (begin[k + 1] - begin[k])
        if work.shape[0] < size:
            work = np.empty((size, size))
        for p in range(size):
            a = 2 * path[begin[k] + (p >> 1)] + (p & 1)
            scale = 1.0 if p & 1 else 2.0 * twin[a]
            for q in range(p + 1, size):
                b = 2 * path[begin[k] + (q >> 1)] + (q & 1)
                value = scale * (1.0 if q & 1 else 2.0 * twin[b]) * entry(inverse, a, b)
                if a ^ 1 == b:
                    value += 1.0
                work[p, q] = value
                work[q, p] = -value
        value, uncertainty = pfaffian(work, size)
        result[k] = -value if (size >> 1) & 1 else value
        if not uncertainty <= worst:  # also true for NaN
            worst = uncertainty
    return result, worst
