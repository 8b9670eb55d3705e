"""Entries of the inverse of K' between a few darts, in numbers of two or four words; see `inverse.py`."""

from __future__ import annotations

from isingmap.compiled import ZERO, helper, inlined, kernel
from isingmap.inference.pfaffian.inverse import reached_rows
from isingmap.inference.pfaffian.word_matrices import (
    add_multiplied,
    clear,
    get,
    get_one,
    matrices,
    new_matrix,
    put,
    transposed,
)
from isingmap.inference.pfaffian.words import negative, widened


@kernel
def inverse_entries_in_words(plan, factors, darts):
    """K'^-1 between the given darts, (k, k); see `inverse.inverse_entries`."""
    row, size = reached_rows(plan, darts)
    columns = new_matrix(size, darts.size, factors)
    clear(columns)
    for k in range(darts.size):
        put(columns, row[plan.position[darts[k] >> 1]] + (darts[k] & 1), k, widened(1.0, get_one(factors, ZERO)))
    for front in plan.fronts:
        if row[front.first] >= 0 and front.rest > 0:
            _eliminate_front(columns, front, plan.border, factors, row)
    for t in range(plan.fronts.size - 1, -1, -1):
        front = plan.fronts[t]
        if row[front.first] >= 0:
            _solve_front(columns, front, plan.border, factors, row)
    result = new_matrix(darts.size, darts.size, factors)
    for k in range(darts.size):
        r = row[plan.position[darts[k] >> 1]] + (darts[k] & 1)
        for s in range(darts.size):
            put(result, k, s, get(columns, r, s))
    return result


@helper
def _gathered(columns, front, border, row):
    """The rows of a front's border."""
    block = new_matrix(front.rest, columns[0].shape[1], columns)
    for k in range(front.rest):
        r = row[border[front.border + (k >> 1)]] + (k & 1)
        for s in range(columns[0].shape[1]):
            put(block, k, s, get(columns, r, s))
    return block


@inlined
def _eliminate_front(columns, front, border, factors, row):
    """Subtract what the rows of a front contribute to those of its border."""
    own, n_columns = front.own, columns[0].shape[1]
    x = matrices(factors, front.factor + own * own, own, front.rest)
    block = new_matrix(own, n_columns, columns)
    for r in range(own):
        for s in range(n_columns):
            put(block, r, s, negative(get(columns, row[front.first] + r, s)))
    passed = _gathered(columns, front, border, row)
    add_multiplied(transposed(x), block, passed, False)
    for k in range(front.rest):
        r = row[border[front.border + (k >> 1)]] + (k & 1)
        for s in range(n_columns):
            put(columns, r, s, get(passed, k, s))


@inlined
def _solve_front(columns, front, border, factors, row):
    """The rows of a front of the solution, A^-1 times its own less X times those of its border."""
    own, begin, n_columns = front.own, row[front.first], columns[0].shape[1]
    block, solved = new_matrix(own, n_columns, columns), new_matrix(own, n_columns, columns)
    for r in range(own):
        for s in range(n_columns):
            put(block, r, s, get(columns, begin + r, s))
    clear(solved)
    known = _gathered(columns, front, border, row)
    add_multiplied(matrices(factors, front.factor + own * own, own, front.rest), known, solved, False)
    for r in range(own):
        for s in range(n_columns):
            put(solved, r, s, negative(get(solved, r, s)))
    add_multiplied(matrices(factors, front.factor, own, own), block, solved, False)
    for r in range(own):
        for s in range(n_columns):
            put(columns, begin + r, s, get(solved, r, s))
