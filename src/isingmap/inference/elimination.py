"""Symbolic elimination: what every front of the multifrontal method holds, computed once for a graph.

A unit is an edge of the triangulation with its two darts, which are eliminated together. By the Kasteleyn signs the
Pfaffian of K on any set of units is positive, so every elimination order is well defined.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from isingmap.compiled import helper, kernel
from isingmap.planar.dissection import dissect


class EliminationPlan(NamedTuple):
    """Fronts in postorder; a tuple of arrays, so that compiled kernels take it as it is.

    Front t eliminates the units first[t]..first[t+1], counted in order of elimination; its border are later units.

    Attributes
    ----------
    next_in_face : (2 n_units,) int64 array
    order : (n_units,) int64 array
        Units in order of elimination.
    position : (n_units,) int64 array
        Its inverse: the place of each unit in the order.
    first : (n_fronts + 1,) int64 array
    parent : (n_fronts,) int64 array
        -1 for a root.
    child, sibling : (n_fronts,) int64 arrays
        Children of each front as a linked list, ended by -1.
    border_start : (n_fronts + 1,) int64 array
    border : int64 array
        Positions in the order of the border units of front t: border[border_start[t]:border_start[t + 1]], ascending.
    place : int64 array
        For each border entry, its unit index in the parent's front.
    factor_start : (n_fronts + 1,) int64 array
        Where the inverse block and the coupling block of each front are stored.
    stack_start : (n_fronts,) int64 array
        Where each front's Schur complement lies on the stack.
    stack_size, largest_front : int
        Stack entries; darts.
    slot : (2 n_units, 3) int64 array
        Flat place of the twin, next and previous entry of each dart in the front of its unit; -1 when the other unit
        is eliminated earlier.
    """

    next_in_face: np.ndarray
    order: np.ndarray
    position: np.ndarray
    first: np.ndarray
    parent: np.ndarray
    child: np.ndarray
    sibling: np.ndarray
    border_start: np.ndarray
    border: np.ndarray
    place: np.ndarray
    factor_start: np.ndarray
    stack_start: np.ndarray
    stack_size: int
    largest_front: int
    slot: np.ndarray


def eliminate_symbolically(next_in_face: np.ndarray) -> EliminationPlan:
    """Order the units of a triangulation by nested dissection and lay out all fronts. O(n log n)."""
    previous = next_in_face[next_in_face]
    around = np.stack([next_in_face, previous], axis=1) >> 1
    tree = dissect(around.reshape(-1, 4))
    position = np.empty_like(tree.order)
    position[tree.order] = np.arange(tree.order.size)
    neighbours = position[around.reshape(-1, 4)]
    child, sibling, border_start, border = _borders(tree.order, tree.first, tree.parent, neighbours)
    _sort_parts(border, border_start)
    place, slot = _places(next_in_face, tree.order, position, tree.first, child, sibling, border_start, border)
    factor_start, stack_start, stack_size, largest = _layout(tree.first, tree.parent, border_start)
    return EliminationPlan(
        next_in_face, tree.order, position, tree.first, tree.parent, child, sibling, border_start, border, place,
        factor_start, stack_start, stack_size, largest, slot,
    )  # fmt: skip


@kernel
def _borders(order, first, parent, neighbours):
    """Children of each front, and its border in any order: later units next to its own or to those of its children.

    Returns (first child, next sibling, where the borders start, borders).
    """
    n_fronts = parent.size
    child = np.full(n_fronts, -1, np.int64)
    sibling = np.full(n_fronts, -1, np.int64)
    start = np.zeros(n_fronts + 1, np.int64)
    border = np.empty(max(16, 8 * order.size), np.int64)
    seen = np.full(order.size, -1, np.int64)
    size = 0
    for t in range(n_fronts):
        last = first[t + 1]
        bound = 4 * (last - first[t])
        c = child[t]
        while c >= 0:
            bound += start[c + 1] - start[c]
            c = sibling[c]
        while size + bound > border.size:
            border = np.concatenate((border, np.empty(border.size, np.int64)))
        for k in range(first[t], last):
            for j in range(neighbours.shape[1]):
                w = neighbours[order[k], j]
                if w >= last and seen[w] != t:
                    seen[w] = t
                    border[size] = w
                    size += 1
        c = child[t]
        while c >= 0:
            for j in range(start[c], start[c + 1]):
                w = border[j]
                if w >= last and seen[w] != t:
                    seen[w] = t
                    border[size] = w
                    size += 1
            c = sibling[c]
        start[t + 1] = size
        if parent[t] >= 0:
            sibling[t] = child[parent[t]]
            child[parent[t]] = t
    return child, sibling, start, border[:size].copy()


def _sort_parts(values: np.ndarray, start: np.ndarray) -> None:
    """Sort the numbers of each part values[start[t]:start[t + 1]]; all at once, by NumPy, needs no compiled sort."""
    offset = np.repeat(np.arange(start.size - 1), np.diff(start)) * (values.max(initial=0) + 1)
    values += offset
    values.sort()
    values -= offset


@kernel
def _places(next_in_face, order, position, first, child, sibling, border_start, border):
    """(place, slot) of the plan."""
    place = np.empty(border.size, np.int64)
    slot = np.empty((next_in_face.size, 3), np.int64)
    index = np.empty(order.size, np.int64)  # of the units in the front at hand, by position
    for t in range(child.size):
        own = first[t + 1] - first[t]
        for k in range(own):
            index[first[t] + k] = k
        for j in range(border_start[t], border_start[t + 1]):
            index[border[j]] = own + j - border_start[t]
        c = child[t]
        while c >= 0:
            for j in range(border_start[c], border_start[c + 1]):
                place[j] = index[border[j]]
            c = sibling[c]
        width = 2 * (own + border_start[t + 1] - border_start[t])
        for k in range(2 * own):
            h = 2 * order[first[t] + (k >> 1)] + (k & 1)
            g = h ^ 1
            for kind in range(3):
                w = position[g >> 1]
                slot[h, kind] = k * width + 2 * index[w] + (g & 1) if w >= first[t] else -1
                g = next_in_face[h if kind == 0 else g]
    return place, slot


@kernel
def _layout(first, parent, border_start):
    """Offsets of the factors and of the Schur complements on a stack that the fronts use in postorder."""
    n_fronts = parent.size
    factor_start = np.zeros(n_fronts + 1, np.int64)
    stack_start = np.zeros(n_fronts, np.int64)
    base = np.full(n_fronts, -1, np.int64)  # where the first child's complement begins
    top = 0
    deepest = 0
    largest = 0
    for t in range(n_fronts):
        own = 2 * (first[t + 1] - first[t])
        rest = 2 * (border_start[t + 1] - border_start[t])
        factor_start[t + 1] = factor_start[t] + own * (own + rest)
        largest = max(largest, own + rest)
        if base[t] >= 0:
            top = base[t]
        stack_start[t] = top
        up = parent[t]
        if up >= 0 and base[up] < 0:
            base[up] = top
        top += rest * rest
        deepest = max(deepest, top)
    return factor_start, stack_start, deepest, largest


@helper
def front_of_units(first):
    """The front that eliminates the unit at each position, (n_units,)."""
    front_of = np.empty(first[-1], np.int64)
    for t in range(first.size - 1):
        front_of[first[t] : first[t + 1]] = t
    return front_of
