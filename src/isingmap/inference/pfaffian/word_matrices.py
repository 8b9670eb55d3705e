"""Dense matrices of numbers of two or four words: products, and the inverse of a skew-symmetric one.

Inner loops are plain passes along rows, which the compiler turns into vector instructions; of skew-symmetric results
only the upper triangle is computed.
"""

from __future__ import annotations

import numpy as np

from isingmap.compiled import ZERO, filled, helper, inlined
from isingmap.inference.pfaffian.multifrontal import reshaped
from isingmap.inference.pfaffian.words import (
    add_product,
    divide,
    negative,
    normalised,
    widened,
)

# Rows of the second factor that are used together, so that they stay in the cache.
PANEL = 64


@helper
def vectors(size, like):
    """New flat arrays, as many as there are words in `like`."""
    if len(like) == 2:
        return np.empty(size), np.empty(size)
    return np.empty(size), np.empty(size), np.empty(size), np.empty(size)


@helper
def matrices(flat, begin, n_rows, n_columns):
    """A part of flat arrays as a matrix."""
    if len(flat) == 2:
        return reshaped(flat[0], begin, n_rows, n_columns), reshaped(flat[1], begin, n_rows, n_columns)
    return (
        reshaped(flat[0], begin, n_rows, n_columns),
        reshaped(flat[1], begin, n_rows, n_columns),
        reshaped(flat[2], begin, n_rows, n_columns),
        reshaped(flat[3], begin, n_rows, n_columns),
    )


@helper
def new_matrix(n_rows, n_columns, like):
    """A new matrix."""
    return matrices(vectors(n_rows * n_columns, like), ZERO, n_rows, n_columns)


@helper
def get(a, r, s):
    """An entry."""
    if len(a) == 2:
        return a[0][r, s], a[1][r, s]
    return a[0][r, s], a[1][r, s], a[2][r, s], a[3][r, s]


@helper
def put(a, r, s, x):
    """Change an entry."""
    a[0][r, s] = x[0]
    a[1][r, s] = x[1]
    if len(a) == 4:
        a[2][r, s] = x[2]
        a[3][r, s] = x[3]


@helper
def get_one(a, k):
    """An entry of flat arrays."""
    if len(a) == 2:
        return a[0][k], a[1][k]
    return a[0][k], a[1][k], a[2][k], a[3][k]


@helper
def put_one(a, k, x):
    """Change an entry of flat arrays."""
    a[0][k] = x[0]
    a[1][k] = x[1]
    if len(a) == 4:
        a[2][k] = x[2]
        a[3][k] = x[3]


@helper
def clear(a):
    """Fill in zeros."""
    for word in a:
        for r in range(word.shape[0]):
            for s in range(word.shape[1]):
                word[r, s] = 0.0


@helper
def transposed(a):
    """A new matrix, the transpose."""
    result = new_matrix(a[0].shape[1], a[0].shape[0], a)
    for r in range(a[0].shape[0]):
        for s in range(a[0].shape[1]):
            put(result, s, r, get(a, r, s))
    return result


@helper
def add_multiplied(a, b, result, upper):
    """Add a b to a matrix; with `upper`, which must be square then, only to the entries above its diagonal."""
    n_rows, n_inner, n_columns = a[0].shape[0], a[0].shape[1], b[0].shape[1]
    for begin in range(0, n_inner, PANEL):
        end = min(n_inner, begin + PANEL)
        for r in range(n_rows):
            first = r + 1 if upper else 0
            for k in range(begin, end):
                x = get(a, r, k)
                for s in range(first, n_columns):
                    put(result, r, s, add_product(get(result, r, s), x, get(b, k, s)))
    for r in range(n_rows):
        for s in range(n_columns):
            put(result, r, s, normalised(get(result, r, s)))


@helper
def mirror(a):
    """Make a matrix skew-symmetric from what stands above its diagonal."""
    n = a[0].shape[0]
    for r in range(n):
        put(a, r, r, widened(0.0, get(a, r, r)))
        for s in range(r + 1, n):
            put(a, s, r, negative(get(a, r, s)))


@inlined
def _largest_open(a, done):
    """The largest entry above the diagonal between rows not yet swept: (row, column)."""
    i, j, largest = ZERO, ZERO, -1.0
    for r in range(a.shape[0]):
        if done[r]:
            continue
        for s in range(r + 1, a.shape[0]):
            if abs(a[r, s]) > largest and not done[s]:
                i, j, largest = r, s, abs(a[r, s])  # type: ignore[assignment] # all int64 when compiled
    return i, j


@inlined
def _copy_row(a, i, row):
    """A row of the skew-symmetric matrix whose upper triangle is stored."""
    for s in range(a[0].shape[0]):
        if s < i:
            put_one(row, s, negative(get(a, s, i)))
        elif s == i:
            put_one(row, s, widened(0.0, get(a, i, i)))
        else:
            put_one(row, s, get(a, i, s))


@inlined
def _sweep(a, i, j, row_i, row_j):
    """Principal pivot transform on the rows i < j of the upper triangle. A pivot of 0 leaves infinities behind."""
    value = get(a, i, j)
    _copy_row(a, i, row_i)
    _copy_row(a, j, row_j)
    n = a[0].shape[0]
    for r in range(n):
        alpha, beta = negative(divide(get_one(row_i, r), value)), divide(get_one(row_j, r), value)
        for s in range(r + 1, n):
            changed = add_product(get(a, r, s), alpha, get_one(row_j, s))
            put(a, r, s, normalised(add_product(changed, beta, get_one(row_i, s))))
    for s in range(n):
        from_j, from_i = divide(get_one(row_j, s), value), divide(get_one(row_i, s), value)
        if s < i:
            put(a, s, i, from_j)
        elif s > i:
            put(a, i, s, negative(from_j))
        if s < j:
            put(a, s, j, negative(from_i))
        elif s > j:
            put(a, j, s, from_i)
    put(a, i, j, negative(divide(widened(1.0, value), value)))


@helper
def invert_words(a):
    """Replace a skew-symmetric matrix by its inverse, swept on the largest open entry; returns log |Pf a|."""
    n = a[0].shape[0]
    done = filled(n, ZERO)
    row_i, row_j = vectors(n, a), vectors(n, a)
    log_pfaffian = 0.0
    for _ in range(n // 2):
        i, j = _largest_open(a[0], done)
        done[i] = 1
        done[j] = 1
        log_pfaffian += np.log(abs(a[0][i, j]))
        _sweep(a, i, j, row_i, row_j)
    mirror(a)
    return log_pfaffian
