"""Symbolic elimination: what every front of the multifrontal method holds, computed once for a graph.

A unit is an edge of the triangulation with its two darts, which are eliminated together. By the Kasteleyn signs the
Pfaffian of K on any set of units is positive, so every elimination order is well defined.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from isingmap.compiled import NONE, ZERO, filled, inlined, kernel, record
from isingmap.planar.dissection import dissect

# A record for each front: passed on to a helper it costs nothing, where every array of a plan would be an argument.
FRONT = record([
    ("first", np.int64),  # its units are first .. end - 1 in the order of elimination
    ("end", np.int64),
    ("own", np.int64),  # darts of its units
    ("rest", np.int64),  # darts of its border
    ("parent", np.int64),  # -1 for a root
    ("child", np.int64),  # children as a linked list, ended by -1
    ("sibling", np.int64),
    ("border", np.int64),  # where its border begins
    ("factor", np.int64),  # where its inverse block and its coupling block are stored
    ("stack", np.int64),  # where its Schur complement lies on the stack
])  # fmt: skip


class EliminationPlan(NamedTuple):
    """Fronts in postorder; a tuple of arrays, so that compiled kernels take it as it is.

    A front eliminates units that are consecutive in the order of elimination; its border are later units.

    Attributes
    ----------
    next_in_face : (2 n_units,) int64 array
    order : (n_units,) int64 array
        Units in order of elimination.
    position : (n_units,) int64 array
        Its inverse: the place of each unit in the order.
    front_of : (n_units,) int64 array
        The front that eliminates the unit at each position.
    fronts : (n_fronts,) FRONT array
    border : int64 array
        Positions in the order of the border units of all fronts, ascending for each.
    place : int64 array
        For each border entry, its unit index in the parent's front.
    column : (2 n_units, 3) int64 array
        Column of the twin, next and previous entry of each dart in the front of its unit; -1 when the other unit is
        eliminated earlier.
    factor_size, stack_size, largest_front : int
        Entries of the factors and of the stack; darts.
    """

    next_in_face: np.ndarray
    order: np.ndarray
    position: np.ndarray
    front_of: np.ndarray
    fronts: np.ndarray
    border: np.ndarray
    place: np.ndarray
    column: np.ndarray
    factor_size: int
    stack_size: int
    largest_front: int


def eliminate_symbolically(next_in_face: np.ndarray) -> EliminationPlan:
    """Order the units of a triangulation by nested dissection and lay out all fronts. O(n log n)."""
    previous = next_in_face[next_in_face]
    around = np.stack([next_in_face, previous], axis=1) >> 1
    tree = dissect(around.reshape(-1, 4))
    position = np.empty_like(tree.order)
    position[tree.order] = np.arange(tree.order.size)
    neighbours = position[around.reshape(-1, 4)]
    fronts = np.empty(tree.parent.size, FRONT)
    fronts["first"], fronts["end"], fronts["parent"] = tree.first[:-1], tree.first[1:], tree.parent
    border, size = _borders(tree.order, fronts, neighbours)
    border = _sorted_parts(border[:size], fronts["rest"] >> 1)
    place, column = _places(next_in_face, tree.order, position, fronts, border)
    stack_size = _layout(fronts)
    front_of = np.repeat(np.arange(fronts.size), np.diff(tree.first))
    sizes = fronts["own"] + fronts["rest"]
    factor_size = int(fronts["own"] @ sizes)
    return EliminationPlan(
        next_in_face, tree.order, position, front_of, fronts, border, place, column, factor_size, stack_size,
        int(sizes.max()),
    )  # fmt: skip


@inlined
def _extended(border, more):
    """A copy with room for more entries at the end."""
    longer = filled(2 * border.size + more, ZERO)
    for k in range(border.size):
        longer[k] = border[k]
    return longer


@kernel
def _borders(  # noqa: C901 - two like loops; as a function they would be compiled once more
    order, fronts, neighbours
):
    """The border of each front in any order: later units next to its own or to those of its children.

    Enters children and sizes into `fronts`; returns (borders, their total length).
    """
    border = filled(max(16, 8 * order.size), ZERO)
    seen = filled(order.size, NONE)
    for front in fronts:
        front.child = -1
    size = 0
    for t in range(fronts.size):
        front = fronts[t]
        end = front.end
        bound = 4 * (end - front.first)
        c = front.child
        while c >= 0:
            bound += fronts[c].rest >> 1
            c = fronts[c].sibling
        if size + bound > border.size:
            border = _extended(border, bound)
        front.border = size
        for k in range(front.first, end):
            for j in range(neighbours.shape[1]):
                w = neighbours[order[k], j]
                if w >= end and seen[w] != t:
                    seen[w] = t
                    border[size] = w
                    size += 1
        c = front.child
        while c >= 0:
            for j in range(fronts[c].border, fronts[c].border + (fronts[c].rest >> 1)):
                w = border[j]
                if w >= end and seen[w] != t:
                    seen[w] = t
                    border[size] = w
                    size += 1
            c = fronts[c].sibling
        front.own = 2 * (end - front.first)
        front.rest = 2 * (size - front.border)
        front.sibling = -1
        if front.parent >= 0:
            above = fronts[front.parent]
            front.sibling = above.child
            above.child = t
    return border, size


def _sorted_parts(values: np.ndarray, sizes: np.ndarray) -> np.ndarray:
    """Consecutive parts of the given sizes, each sorted; all at once, by NumPy, needs no compiled sort."""
    offset = np.repeat(np.arange(sizes.size), sizes) * (values.max(initial=0) + 1)
    result = values + offset
    result.sort()
    return result - offset


@kernel
def _places(next_in_face, order, position, fronts, border):
    """(place, column) of the plan."""
    place = filled(border.size, ZERO)
    column = np.empty((next_in_face.size, 3), np.int64)
    index = filled(order.size, ZERO)  # of the units in the front at hand, by position
    for front in fronts:
        own = front.own >> 1
        for k in range(own):
            index[front.first + k] = k
        for k in range(front.rest >> 1):
            index[border[front.border + k]] = own + k
        c = front.child
        while c >= 0:
            for j in range(fronts[c].border, fronts[c].border + (fronts[c].rest >> 1)):
                place[j] = index[border[j]]
            c = fronts[c].sibling
        for k in range(front.own):
            h = 2 * order[front.first + (k >> 1)] + (k & 1)
            g = h ^ 1
            for kind in range(3):
                w = position[g >> 1]
                column[h, kind] = 2 * index[w] + (g & 1) if w >= front.first else -1
                g = next_in_face[h if kind == 0 else g]
    return place, column


@kernel
def _layout(fronts):
    """Enter where the factors are stored, and the Schur complements on a stack used in postorder; returns its size."""
    for front in fronts:
        front.stack = -1  # until it is known: where the first child's complement begins
    factor = 0
    top = 0
    deepest = 0
    for front in fronts:
        front.factor = factor
        factor += front.own * (front.own + front.rest)
        if front.stack >= 0:
            top = front.stack
        front.stack = top
        if front.parent >= 0 and fronts[front.parent].stack < 0:
            fronts[front.parent].stack = top
        top += front.rest * front.rest
        if top > deepest:
            deepest = top
    return deepest
