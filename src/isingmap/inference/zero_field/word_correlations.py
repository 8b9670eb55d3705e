"""Products of edges along a path from the inverse of the dual matrix, in numbers of two or four words.

The formula is that of `correlations.py`; so is the estimate of the error.
"""

from __future__ import annotations

import numpy as np

from isingmap.compiled import helper, kernel
from isingmap.inference.pfaffian.word_matrices import get, get_one, new_matrix, put
from isingmap.inference.pfaffian.words import add, divide, multiply_words, negative, widened

# What an entry may be off by, relatively: a few roundings of a factorisation in two words, or in four.
ROUNDING_OF_TWO = 64 * 2.0**-104
ROUNDING_OF_FOUR = 64 * 2.0**-204


@helper
def _swap(matrix, k, pivot):
    """Exchange two rows and columns of a skew-symmetric matrix."""
    for j in range(matrix[0].shape[0]):
        x = get(matrix, k, j)
        put(matrix, k, j, get(matrix, pivot, j))
        put(matrix, pivot, j, x)
    for j in range(matrix[0].shape[0]):
        x = get(matrix, j, k)
        put(matrix, j, k, get(matrix, j, pivot))
        put(matrix, j, pivot, x)


@helper
def _pfaffian(matrix, noise):
    """(Pfaffian, estimate of its absolute error); overwrites the matrix. See `correlations.pfaffian`."""
    size = matrix[0].shape[0]
    rounding = ROUNDING_OF_TWO if len(matrix) == 2 else ROUNDING_OF_FOUR
    result = widened(1.0, get(matrix, 0, 0))
    uncertainty = 0.0
    for i in range(size):
        for j in range(i + 1, size):
            noise = max(noise, rounding * abs(matrix[0][i, j]))
    for k in range(0, size, 2):
        pivot = k + 1
        for j in range(k + 2, size):
            if abs(matrix[0][k, j]) > abs(matrix[0][k, pivot]):
                pivot = j
        if pivot != k + 1:
            result = negative(result)
            _swap(matrix, k + 1, pivot)
        value = get(matrix, k, k + 1)
        noise = max(noise, rounding * abs(value[0]))
        uncertainty = uncertainty * abs(value[0]) + abs(result[0]) * noise
        result = multiply_words(result, value)
        if value[0] == 0.0:
            return 0.0, uncertainty
        for i in range(k + 2, size):
            x, y = divide(get(matrix, k, i), value), divide(negative(get(matrix, k + 1, i)), value)
            for j in range(i + 1, size):
                update = add(
                    multiply_words(x, get(matrix, k + 1, j)),
                    multiply_words(y, get(matrix, k, j)),
                )
                put(matrix, i, j, add(get(matrix, i, j), negative(update)))
                put(matrix, j, i, negative(get(matrix, i, j)))
    return result[0], uncertainty


@kernel
def path_product_in_words(inverse, twin):
    """(E of the product, error) of L edges from the inverse between their darts and their twin entries, (2L,)."""
    size = twin[0].size
    half, two = widened(0.5, get_one(twin, 0)), widened(2.0, get_one(twin, 0))
    one = widened(1.0, two)
    work = new_matrix(size, size, twin)
    noise = 0.0
    for p in range(size):
        put(work, p, p, widened(0.0, one))
        scale_p = one if p & 1 else multiply_words(two, get_one(twin, p))
        for q in range(p + 1, size):
            scale_q = one if q & 1 else multiply_words(two, get_one(twin, q))
            scale = multiply_words(half, multiply_words(scale_p, scale_q))
            there, back = get(inverse, p, q), get(inverse, q, p)
            value = multiply_words(scale, add(there, negative(back)))
            noise = max(noise, abs(multiply_words(scale, add(there, back))[0]))
            if p ^ 1 == q:
                value = add(value, one)
            put(work, p, q, value)
            put(work, q, p, negative(value))
    result, uncertainty = _pfaffian(work, noise)
    return (-result if (size >> 1) & 1 else result), uncertainty


@kernel
def edge_covariances_in_words(inverse, twin, n_edges):
    """Covariances of n_e and n_f, four times, of edges e != f, (n_edges, n_edges), rounded to doubles; 0 for e = f.

    From the whole inverse by darts; see `DualSolution.curvature`.
    """
    result = np.empty((n_edges, n_edges))
    for e in range(n_edges):
        result[e, e] = 0.0
        h, t = 2 * e, 2 * e + 1
        for f in range(e):
            g, u = 2 * f, 2 * f + 1
            entry = multiply_words(get(inverse, t, g), get(inverse, h, u))
            entry = add(entry, negative(multiply_words(get(inverse, t, u), get(inverse, h, g))))
            entry = multiply_words(entry, multiply_words(get_one(twin, h), get_one(twin, g)))
            result[e, f] = result[f, e] = 4.0 * entry[0]
    return result
