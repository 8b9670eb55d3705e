"""Dense matrices of numbers of two or four words: products, and the inverse of a skew-symmetric one.

What takes time works on tiles of a few columns, in which the words of a row lie one after the other in one row of an
array: a loop over a tile becomes vector instructions, where one along the rows of twelve arrays would not, for fear
that they overlap. Of skew-symmetric results only the upper triangle is computed.
"""

from __future__ import annotations

import numpy as np

from isingmap.compiled import ZERO, filled, helper, inlined
from isingmap.inference.pfaffian.multifrontal import reshaped
from isingmap.inference.pfaffian.words import (
    add_product,
    arithmetic,
    divide,
    negative,
    normalised,
    widened,
)

# Columns of a tile; a constant, so that loops over a tile are unrolled.
TILE = 16


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


@arithmetic
def _from_tile(tiles, k, s, like):
    """Column s of a tile."""
    if len(like) == 2:
        return tiles[k, s], tiles[k, s + TILE]
    return tiles[k, s], tiles[k, s + TILE], tiles[k, s + 2 * TILE], tiles[k, s + 3 * TILE]


@arithmetic
def _to_tile(tiles, k, s, x):
    """Change column s of a tile."""
    tiles[k, s] = x[0]
    tiles[k, s + TILE] = x[1]
    if len(x) == 4:
        tiles[k, s + 2 * TILE] = x[2]
        tiles[k, s + 3 * TILE] = x[3]


@helper
def _add_multiple(total, x, tiles, k):
    """Add x times a tile to the one tile of `total`."""
    for s in range(TILE):
        _to_tile(total, ZERO, s, add_product(_from_tile(total, ZERO, s, x), x, _from_tile(tiles, k, s, x)))


@helper
def _read_tile(a, r, first, tiles, k):
    """Copy columns of a row into a tile, zeros where there are no more."""
    for s in range(TILE):
        _to_tile(tiles, k, s, widened(0.0, get(a, ZERO, ZERO)))
    for s in range(min(np.int64(TILE), a[0].shape[1] - first)):
        _to_tile(tiles, k, s, get(a, r, first + s))


@helper
def add_multiplied(a, b, result, upper):
    """Add a b to a matrix; with `upper`, which must be square then, only to the entries above its diagonal."""
    n_rows, n_inner, n_columns = a[0].shape[0], a[0].shape[1], b[0].shape[1]
    if n_inner == 0:
        return
    tiles, total = np.empty((n_inner, len(a) * TILE)), np.empty((1, len(a) * TILE))
    for first in range(0, n_columns, TILE):
        end = min(n_columns, first + TILE)
        for k in range(n_inner):
            _read_tile(b, k, first, tiles, k)
        for r in range(end - 1 if upper else n_rows):
            _read_tile(result, r, first, total, ZERO)
            for k in range(n_inner):
                _add_multiple(total, get(a, r, k), tiles, k)
            for s in range(max(first, r + 1) if upper else first, end):
                put(result, r, s, normalised(_from_tile(total, ZERO, s - first, get(a, r, ZERO))))


@helper
def mirror(a):
    """Make a matrix skew-symmetric from what stands above its diagonal."""
    n = a[0].shape[0]
    for r in range(n):
        put(a, r, r, widened(0.0, get(a, r, r)))
        for s in range(r + 1, n):
            put(a, s, r, negative(get(a, r, s)))


@helper
def _entry(tiles, n, r, s, like):
    """Entry (r, s) of a matrix of n columns in tiles, row by row."""
    return _from_tile(tiles, r * _n_tiles(n) + s // TILE, s % TILE, like)


@helper
def _set_entry(tiles, n, r, s, x):
    _to_tile(tiles, r * _n_tiles(n) + s // TILE, s % TILE, x)


@helper
def _n_tiles(n):
    return (n + TILE - 1) // TILE


@inlined
def _largest_open(tiles, n, done):
    """The largest entry above the diagonal between rows not yet swept: (row, column)."""
    i, j, largest = ZERO, ZERO, -1.0
    for r in range(n):
        if done[r]:
            continue
        for s in range(r + 1, n):
            size = abs(tiles[r * _n_tiles(n) + s // TILE, s % TILE])
            if size > largest and not done[s]:
                i, j, largest = r, s, size  # type: ignore[assignment] # all int64 when compiled
    return i, j


@helper
def _read_row(tiles, n, i, row, like):
    """A row of the skew-symmetric matrix whose upper triangle is stored, as tiles."""
    for s in range(n):
        if s < i:
            _set_entry(row, n, ZERO, s, negative(_entry(tiles, n, s, i, like)))
        elif s == i:
            _set_entry(row, n, ZERO, s, widened(0.0, _entry(tiles, n, i, i, like)))
        else:
            _set_entry(row, n, ZERO, s, _entry(tiles, n, i, s, like))


@helper
def _set_upper(tiles, n, i, s, x):
    """Change entry (i, s) of a skew-symmetric matrix, which is stored above the diagonal."""
    if s < i:
        _set_entry(tiles, n, s, i, negative(x))
    elif s > i:
        _set_entry(tiles, n, i, s, x)


@helper
def _add_multiples(tiles, k, alpha, row_j, beta, row_i, t):
    """Add multiples of tile t of two rows to a tile."""
    for s in range(TILE):
        total = add_product(_from_tile(tiles, k, s, alpha), alpha, _from_tile(row_j, t, s, alpha))
        _to_tile(tiles, k, s, normalised(add_product(total, beta, _from_tile(row_i, t, s, alpha))))


@helper
def _sweep(tiles, n, value, i, j, row_i, row_j):
    """Principal pivot transform on the rows i < j, `value` their entry. A pivot of 0 leaves infinities behind."""
    _read_row(tiles, n, i, row_i, value)
    _read_row(tiles, n, j, row_j, value)
    n_tiles = _n_tiles(n)
    for r in range(n):
        from_i = divide(_entry(row_i, n, ZERO, r, value), value)
        from_j = divide(_entry(row_j, n, ZERO, r, value), value)
        for t in range((r + 1) // TILE, n_tiles):
            _add_multiples(tiles, r * n_tiles + t, negative(from_i), row_j, from_j, row_i, t)
    for s in range(n):
        _set_upper(tiles, n, i, s, negative(divide(_entry(row_j, n, ZERO, s, value), value)))
        _set_upper(tiles, n, j, s, divide(_entry(row_i, n, ZERO, s, value), value))
    _set_entry(tiles, n, i, j, negative(divide(widened(1.0, value), value)))


@helper
def invert_words(a):
    """Replace a skew-symmetric matrix by its inverse, swept on the largest open entry; returns log |Pf a|."""
    n = a[0].shape[0]
    n_tiles = _n_tiles(n)
    tiles = np.empty((n * n_tiles, len(a) * TILE))
    row_i, row_j = np.empty((n_tiles, len(a) * TILE)), np.empty((n_tiles, len(a) * TILE))
    for k in range(n_tiles):
        for s in range(len(a) * TILE):
            row_i[k, s] = row_j[k, s] = 0.0
    for r in range(n):
        for t in range(n_tiles):
            _read_tile(a, r, t * TILE, tiles, r * n_tiles + t)
    done = filled(n, ZERO)
    log_pfaffian = 0.0
    for _ in range(n // 2):
        i, j = _largest_open(tiles, n, done)
        done[i] = 1
        done[j] = 1
        value = _entry(tiles, n, i, j, get(a, ZERO, ZERO))
        log_pfaffian += np.log(abs(value[0]))
        _sweep(tiles, n, value, i, j, row_i, row_j)
    for r in range(n):
        for s in range(r + 1, n):
            put(a, r, s, _entry(tiles, n, r, s, get(a, r, s)))
    mirror(a)
    return log_pfaffian
