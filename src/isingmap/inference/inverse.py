"""Entries of the inverse of K' beyond the pattern: all of them, or those between a few darts."""

from __future__ import annotations

import numpy as np

from isingmap.compiled import helper, inlined, kernel
from isingmap.inference.elimination import front_of_units
from isingmap.inference.multifrontal import copy_block, front_sizes, stored


@helper
def _border_rows(t, plan, row):
    """Rows of the border darts of front t, given those of the first dart of each unit, by position."""
    begin = plan.border_start[t]
    rows = np.empty(2 * (plan.border_start[t + 1] - begin), np.int64)
    for k in range(rows.size):
        rows[k] = row[plan.border[begin + (k >> 1)]] + (k & 1)
    return rows


@helper
def _gathered(matrix, rows, first_column, n_columns):
    """A block of the given rows and columns in sequence."""
    block = np.empty((rows.size, n_columns))
    for k in range(rows.size):
        for s in range(block.shape[1]):
            block[k, s] = matrix[rows[k], first_column + s]
    return block


@kernel
def full_inverse(plan, factors):
    """The whole inverse of K', by darts, (n_darts, n_darts). O(n^{5/2}) time."""
    n_darts = 2 * plan.order.size
    row = np.empty(plan.order.size, np.int64)
    for k in range(row.size):
        row[k] = 2 * k
    ordered = np.zeros((n_darts, n_darts))
    for t in range(plan.child.size - 1, -1, -1):
        low, high = 2 * plan.first[t], 2 * plan.first[t + 1]
        own, rest = front_sizes(t, plan)
        inverse, x = stored(t, plan, factors)
        copy_block(inverse, ordered[low:high, low:high])
        if rest == 0:
            continue
        border = _border_rows(t, plan, row)
        side = np.empty((own, n_darts - high))
        np.dot(x, _gathered(ordered, border, high, n_darts - high), side)
        for r in range(own):
            for s in range(n_darts - high):
                ordered[low + r, high + s] = -side[r, s]
                ordered[high + s, low + r] = side[r, s]
        product = np.empty((own, own))
        np.dot(x, _gathered(ordered, border, low, own), product)
        for r in range(own):
            for s in range(own):
                ordered[low + r, low + s] += product[s, r]
    return _by_darts(ordered, plan.order)


@inlined
def _by_darts(ordered, order):
    """Rows and columns from the order of elimination to that of the darts."""
    dart = np.empty(ordered.shape[0], np.int64)
    for a in range(dart.size):
        dart[a] = 2 * order[a >> 1] + (a & 1)
    result = np.empty(ordered.shape)
    for a in range(dart.size):
        for b in range(dart.size):
            result[dart[a], dart[b]] = ordered[a, b]
    return result


@inlined
def _reached_fronts(plan, darts):
    """Fronts of the darts and all above them, and where the rows of each begin in a compressed right-hand side."""
    n_fronts = plan.child.size
    reached = np.zeros(n_fronts, np.bool_)
    front_of = front_of_units(plan.first)
    for dart in darts:
        t = front_of[plan.position[dart >> 1]]
        while t >= 0 and not reached[t]:
            reached[t] = True
            t = plan.parent[t]
    # Rows by position of the unit; -1 for units that nothing reaches.
    row = np.full(plan.order.size, -1, np.int64)
    size = 0
    for t in range(n_fronts):
        if reached[t]:
            for k in range(plan.first[t], plan.first[t + 1]):
                row[k] = size
                size += 2
    return reached, row, size


@kernel
def inverse_entries(plan, factors, darts):
    """K'^-1 between the given darts, (k, k). Only the fronts above them are touched: O(k n) at most."""
    reached, row, size = _reached_fronts(plan, darts)
    places = np.empty(darts.size, np.int64)
    columns = np.zeros((size, darts.size))
    for k in range(darts.size):
        places[k] = row[plan.position[darts[k] >> 1]] + (darts[k] & 1)
        columns[places[k], k] = 1.0
    for t in range(plan.child.size):
        own, rest = front_sizes(t, plan)
        if reached[t] and rest > 0:
            _, x = stored(t, plan, factors)
            begin = row[plan.first[t]]
            passed = np.empty((rest, darts.size))
            np.dot(x.T, columns[begin : begin + own], passed)
            rows = _border_rows(t, plan, row)
            for r in range(rest):
                for s in range(darts.size):
                    columns[rows[r], s] -= passed[r, s]
    for t in range(plan.child.size - 1, -1, -1):
        if reached[t]:
            _solve_front(columns, t, plan, factors, row)
    return _gathered(columns, places, np.int64(0), darts.size)


@inlined
def _solve_front(columns, t, plan, factors, row):
    """The rows of front t of the solution, given those of its border."""
    own, rest = front_sizes(t, plan)
    inverse, x = stored(t, plan, factors)
    block = columns[row[plan.first[t]] : row[plan.first[t]] + own]
    solved, known = np.empty(block.shape), np.empty(block.shape)
    np.dot(inverse, block, solved)
    if rest > 0:
        np.dot(x, _gathered(columns, _border_rows(t, plan, row), np.int64(0), block.shape[1]), known)
    for r in range(own):
        for s in range(block.shape[1]):
            block[r, s] = solved[r, s] - known[r, s] if rest > 0 else solved[r, s]
