"""The entries of the inverse that short paths need, without the whole inverse.

A search asks for the correlations of pairs that an edge can join. Their paths are short, and so are the distances
between the darts that meet in one Pfaffian: a few entries in a hundred of the inverse, in blocks of a row of own darts
by the needed darts that are eliminated later. An entry follows from those on the border of its front (Takahashi),
so what is asked for is first closed under that recursion.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from isingmap.compiled import helper, inlined, kernel, record
from isingmap.inference.pfaffian.elimination import EliminationPlan
from isingmap.inference.pfaffian.multifrontal import copy_in, multiply, multiply_transposed, reshaped, stored

BLOCK = record([
    ("first", np.int64),  # darts from here on are its rows
    ("width", np.int64),  # number of darts across
    ("start", np.int64),  # where it begins in the values
])  # fmt: skip


class PartialInverse(NamedTuple):
    """Blocks of K'^-1; darts are 2 * (position of their unit in the order of elimination) + parity.

    Attributes
    ----------
    front_of : (n_units,) int64 array
        See `EliminationPlan`.
    blocks : (n_fronts,) BLOCK array
    column : (n_fronts, n_units) int32 array
        Column of each unit in the block of a front, counted in units; -1 for none.
    values : float64 array
    """

    front_of: np.ndarray
    blocks: np.ndarray
    column: np.ndarray
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
    block = inverse.blocks[t]
    return inverse.values[block.start + (a - block.first) * block.width + 2 * inverse.column[t, b >> 1] + (b & 1)]


def partial_inverse(plan: EliminationPlan, factors: np.ndarray, needed: np.ndarray) -> PartialInverse:
    """Entries between the darts of each front and the later units `needed` (n_fronts, n_units) there; overwrites it.

    O(own x border x needed) for each front.
    """
    _close(plan, needed)
    column = np.full(needed.shape, -1, np.int32)
    blocks = np.empty(plan.fronts.size, BLOCK)
    size = _lay_out(plan.fronts, needed, column, blocks)
    inverse = PartialInverse(plan.front_of, blocks, column, np.empty(size))
    _fill(plan, factors, inverse)
    return inverse


@kernel
def _close(plan, needed):
    """Ask also for what the recursion needs: each border with everything asked for, and with itself."""
    front_of, border = plan.front_of, plan.border
    for t in range(plan.fronts.size):
        begin = plan.fronts[t].border
        end = begin + (plan.fronts[t].rest >> 1)
        for k in range(begin, end):
            needed[t, border[k]] = True
        last_front = -1
        for c in range(plan.fronts[t].end, front_of.size):
            if not needed[t, c]:
                continue
            u = front_of[c]
            new_front = u != last_front
            last_front = u
            s = -1
            for k in range(begin, end):
                b = border[k]
                if front_of[b] > u:
                    if not new_front:
                        break
                    needed[u, b] = True
                elif front_of[b] != s:
                    s = front_of[b]
                    if s < u:
                        needed[s, c] = True


@kernel
def _lay_out(fronts, needed, column, blocks):
    """Number the columns of each block and enter where it lies; returns the size of all."""
    size = 0
    for t in range(fronts.size):
        front, block = fronts[t], blocks[t]
        count = 0
        for c in range(front.first, needed.shape[1]):
            if c < front.end or needed[t, c]:
                column[t, c] = count
                count += 1
        block.first = 2 * front.first
        block.width = 2 * count
        block.start = size
        size += front.own * block.width
    return size


@kernel
def _fill(plan, factors, inverse):
    """The blocks, from the last front to the first: an entry follows from those on the border of its front."""
    for t in range(plan.fronts.size - 1, -1, -1):
        front = plan.fronts[t]
        own, rest = front.own, front.rest
        own_inverse, x = stored(front, factors)
        width = inverse.blocks[t].width
        block = reshaped(inverse.values, inverse.blocks[t].start, own, width)
        copy_in(own_inverse, block, np.int64(0), np.int64(0))
        if rest == 0:
            continue
        across, side = np.empty((rest, width - own)), np.empty((own, width - own))
        _gather(t, front, plan.border, inverse, across)
        multiply(x, across, side)
        at_border, added = np.empty((own, rest)), np.empty((own, own))
        for r in range(own):
            for s in range(width - own):
                block[r, own + s] = -side[r, s]
            for k in range(rest):
                at_border[r, k] = side[r, 2 * inverse.column[t, plan.border[front.border + (k >> 1)]] + (k & 1) - own]
        multiply_transposed(at_border, x, added)
        for r in range(own):
            for s in range(own):
                block[r, s] += added[r, s]


@inlined
def _gather(t, front, border, inverse, across):
    """Entries between the border of front t and its needed columns."""
    for c in range(front.end, inverse.front_of.size):
        s = 2 * inverse.column[t, c] - front.own
        if s < 0:
            continue
        for k in range(front.rest):
            dart = 2 * border[front.border + (k >> 1)] + (k & 1)
            across[k, s] = entry(inverse, dart, 2 * c)
            across[k, s + 1] = entry(inverse, dart, 2 * c + 1)


def needed_by_paths(plan: EliminationPlan, begin: np.ndarray, path: np.ndarray) -> np.ndarray:
    """The later units that meet each front's own ones on a path, (n_fronts, n_units); paths hold positions of units."""
    needed = np.zeros((plan.fronts.size, plan.front_of.size), bool)
    _mark_pairs(plan.front_of, begin, path, needed)
    return needed


@kernel
def _mark_pairs(front_of, begin, path, needed):
    for k in range(begin.size - 1):
        for p in range(begin[k], begin[k + 1]):
            for q in range(begin[k], p):
                if path[p] < path[q]:
                    needed[front_of[path[p]], path[q]] = True
                else:
                    needed[front_of[path[q]], path[p]] = True
