"""Entries of the inverse of K' beyond the pattern: all of them, or those between a few darts."""

from __future__ import annotations

import numpy as np

from isingmap.compiled import NONE, ZERO, filled, helper, inlined, kernel
from isingmap.inference.pfaffian.multifrontal import copy_in, copy_out, multiply, stored


@helper
def _gather_border(values, front, border, row, first_column, block):
    """Fill a block with the rows of the border darts of a front, given those of the first dart of each unit."""
    begin = front.border
    for k in range(block.shape[0]):
        r = row[border[begin + (k >> 1)]] + (k & 1)
        for s in range(block.shape[1]):
            block[k, s] = values[r, first_column + s]


@kernel
def full_inverse(plan, factors):
    """The whole inverse of K', by darts, (n_darts, n_darts). O(n^{5/2}) time."""
    n_darts = 2 * plan.order.size
    row = filled(plan.order.size, ZERO)
    for k in range(row.size):
        row[k] = 2 * k
    ordered = np.empty((n_darts, n_darts))
    for t in range(plan.fronts.size - 1, -1, -1):
        front = plan.fronts[t]
        low, high, own = 2 * front.first, 2 * front.end, front.own
        inverse, x = stored(front, factors)
        copy_in(inverse, ordered, low, low)
        across, side = np.empty((front.rest, n_darts - high)), np.empty((own, n_darts - high))
        _gather_border(ordered, front, plan.border, row, high, across)
        multiply(x, across, side)
        for r in range(own):
            for s in range(n_darts - high):
                ordered[low + r, high + s] = -side[r, s]
                ordered[high + s, low + r] = side[r, s]
        if front.rest == 0:
            continue
        below, product = np.empty((front.rest, own)), np.empty((own, own))
        _gather_border(ordered, front, plan.border, row, low, below)
        multiply(x, below, product)
        for r in range(own):
            for s in range(own):
                ordered[low + r, low + s] += product[s, r]
    return _by_darts(ordered, plan.order)


@inlined
def _by_darts(ordered, order):
    """Rows and columns from the order of elimination to that of the darts."""
    dart = filled(ordered.shape[0], ZERO)
    for a in range(dart.size):
        dart[a] = 2 * order[a >> 1] + (a & 1)
    result = np.empty((dart.size, dart.size))
    for a in range(dart.size):
        for b in range(dart.size):
            result[dart[a], dart[b]] = ordered[a, b]
    return result


@helper
def reached_rows(plan, darts):
    """Where the rows of each unit begin when only fronts of the darts and those above are kept, and their number.

    By position of the unit; -1 for units that nothing reaches.
    """
    row = filled(plan.order.size, NONE)
    for dart in darts:
        t = plan.front_of[plan.position[dart >> 1]]
        while t >= 0 and row[plan.fronts[t].first] < 0:
            row[plan.fronts[t].first] = 0
            t = plan.fronts[t].parent
    size = 0
    for front in plan.fronts:
        if row[front.first] >= 0:
            for k in range(front.first, front.end):
                row[k] = size
                size += 2
    return row, size


@kernel
def inverse_entries(plan, factors, darts):
    """K'^-1 between the given darts, (k, k). Only the fronts above them are touched: O(k n) at most."""
    row, size = reached_rows(plan, darts)
    columns = np.empty((size, darts.size))
    for r in range(size):
        for s in range(darts.size):
            columns[r, s] = 0.0
    for k in range(darts.size):
        columns[row[plan.position[darts[k] >> 1]] + (darts[k] & 1), k] = 1.0
    for front in plan.fronts:
        if row[front.first] >= 0 and front.rest > 0:
            _eliminate_front(columns, front, plan.border, factors, row)
    for t in range(plan.fronts.size - 1, -1, -1):
        front = plan.fronts[t]
        if row[front.first] >= 0:
            _solve_front(columns, front, plan.border, factors, row)
    result = np.empty((darts.size, darts.size))
    for k in range(darts.size):
        r = row[plan.position[darts[k] >> 1]] + (darts[k] & 1)
        for s in range(darts.size):
            result[k, s] = columns[r, s]
    return result


@inlined
def _eliminate_front(columns, front, border, factors, row):
    """Subtract what the rows of a front contribute to those of its border."""
    begin, n_columns = row[front.first], columns.shape[1]
    _, x = stored(front, factors)
    block, passed = np.empty((n_columns, front.own)), np.empty((n_columns, front.rest))
    for s in range(n_columns):
        for r in range(front.own):
            block[s, r] = columns[begin + r, s]
    multiply(block, x, passed)
    for k in range(front.rest):
        r = row[border[front.border + (k >> 1)]] + (k & 1)
        for s in range(n_columns):
            columns[r, s] -= passed[s, k]


@inlined
def _solve_front(columns, front, border, factors, row):
    """The rows of a front of the solution, given those of its border."""
    own, begin, n_columns = front.own, row[front.first], columns.shape[1]
    inverse, x = stored(front, factors)
    block, solved, known = np.empty((own, n_columns)), np.empty((own, n_columns)), np.empty((own, n_columns))
    copy_out(columns, begin, ZERO, block)
    multiply(inverse, block, solved)
    across = np.empty((front.rest, n_columns))
    _gather_border(columns, front, border, row, ZERO, across)
    multiply(x, across, known)
    for r in range(own):
        for s in range(n_columns):
            columns[begin + r, s] = solved[r, s] - known[r, s]
