"""Correlations of arbitrary pairs from the inverse of the dual matrix.

The product of the edges along any path from i to j telescopes to x_i x_j. Flipping the sign of the twin entries of
a set F of edges turns Pf K into Z times E[prod_F (1 - 2 n_e)] with x_e = 2 n_e - 1, and by the Pfaffian form of
the matrix determinant lemma the ratio is a Pfaffian of size 2|F| made of entries of K^-1:

    E[prod_F x_e] = (-1)^|F| Pf(M),   M[p, q] = c_p c_q K^-1[p, q] + J[p, q],

p, q over the darts of F, c = 2 K[h, twin h] on the first dart of an edge and 1 on the second, J[h, twin h] = 1. The
path may use the triangulation's added edges, and any path serves: nothing depends on faces or on the embedding.
"""

from __future__ import annotations

import numpy as np

from isingmap.compiled import ZERO, filled, helper, kernel
from isingmap.inference.pfaffian.partial_inverse import entry
from isingmap.inference.zero_field.paths import breadth_first
from isingmap.planar.incidence import incidence

# What an entry computed in doubles may be off by, relatively: a few roundings of a factorisation.
ROUNDING = 64 * np.finfo(np.float64).eps


@helper
def pfaffian(matrix, size, noise):
    """(Pfaffian of matrix[:size, :size], estimate of its absolute error); overwrites the skew-symmetric matrix.

    Gauss elimination by 2x2 blocks, pivoted. Every pivot is uncertain by the `noise` of the entries, and at least by
    the rounding of the largest one that went into it, which matters where large entries cancel.
    """
    result = 1.0
    uncertainty = 0.0  # of the result
    for i in range(size):
        for j in range(i + 1, size):
            noise = max(noise, ROUNDING * abs(matrix[i, j]))
    for k in range(0, size, 2):
        pivot = k + 1
        for j in range(k + 2, size):
            if abs(matrix[k, j]) > abs(matrix[k, pivot]):
                pivot = j
        if pivot != k + 1:
            result = -result
            for j in range(k, size):
                matrix[k + 1, j], matrix[pivot, j] = matrix[pivot, j], matrix[k + 1, j]
            for j in range(k, size):
                matrix[j, k + 1], matrix[j, pivot] = matrix[j, pivot], matrix[j, k + 1]
        value = matrix[k, k + 1]
        noise = max(noise, ROUNDING * abs(value))
        uncertainty = uncertainty * abs(value) + abs(result) * noise
        result *= value
        if value == 0.0:
            return 0.0, uncertainty
        for i in range(k + 2, size):
            for j in range(i + 1, size):
                update = (matrix[k, i] * matrix[k + 1, j] - matrix[k + 1, i] * matrix[k, j]) / value
                matrix[i, j] -= update
                matrix[j, i] += update
    return result, uncertainty


@kernel
def path_correlation(path, length, inverse, twin, work):
    """(E of the product of the edges path[:length], its error); `work` holds at least (2 length)^2 entries.

    How far the inverse is from being skew-symmetric shows how exact its entries are.
    """
    size = 2 * length
    noise = 0.0
    for p in range(size):
        a = 2 * path[p >> 1] + (p & 1)
        scale_a = 1.0 if p & 1 else 2.0 * twin[a]
        for q in range(p + 1, size):
            b = 2 * path[q >> 1] + (q & 1)
            scale_b = 1.0 if q & 1 else 2.0 * twin[b]
            scale = 0.5 * scale_a * scale_b
            value = scale * (inverse[a, b] - inverse[b, a])
            noise = max(noise, abs(scale * (inverse[a, b] + inverse[b, a])))
            if a ^ 1 == b:
                value += 1.0
            work[p, q] = value
            work[q, p] = -value
    result, uncertainty = pfaffian(work, size, noise)
    return (-result if length & 1 else result), uncertainty


def path_product(inverse: np.ndarray, twin: np.ndarray) -> tuple[float, float]:
    """(E of the product, error) of L edges from the inverse between their darts and their twin entries, (2L,)."""
    length = len(twin) // 2
    work = np.empty((2 * length, 2 * length))
    return path_correlation(np.arange(length), length, inverse, twin, work)


@kernel
def path_correlations(begin, path, inverse, twin):
    """(E of the product of the edges of each path, largest error), from the inverse where it is needed.

    Darts are numbered as in `PartialInverse`.
    """
    result = np.empty(begin.size - 1)
    worst = 0.0
    work = np.empty((0, 0))
    for k in range(begin.size - 1):
        size = 2 * (begin[k + 1] - begin[k])
        noise = 0.0
        if work.shape[0] < size:
            work = np.empty((size, size))
        for p in range(size):
            a = 2 * path[begin[k] + (p >> 1)] + (p & 1)
            scale = 1.0 if p & 1 else 2.0 * twin[a]
            for q in range(p + 1, size):
                b = 2 * path[begin[k] + (q >> 1)] + (q & 1)
                factor = 0.5 * scale * (1.0 if q & 1 else 2.0 * twin[b])
                there, back = entry(inverse, a, b), entry(inverse, b, a)
                value = factor * (there - back)
                noise = max(noise, abs(factor * (there + back)))
                if a ^ 1 == b:
                    value += 1.0
                work[p, q] = value
                work[q, p] = -value
        value, uncertainty = pfaffian(work, size, noise)
        result[k] = -value if (size >> 1) & 1 else value
        if not uncertainty <= worst:  # also true for NaN
            worst = uncertainty
    return result, worst


@kernel
def all_correlations(n_nodes, edges, inverse, twin):
    """(E[x_i x_j] of every pair, (n_nodes, n_nodes), largest error). O(n^2 L^3), L the longest shortest path."""
    start, order = incidence(n_nodes, edges)
    parent = filled(n_nodes, ZERO)
    depth = filled(n_nodes, ZERO)
    queue = filled(n_nodes, ZERO)
    path = filled(n_nodes, ZERO)
    work = np.empty((0, 0))
    result = np.empty((n_nodes, n_nodes))
    worst = 0.0
    for i in range(n_nodes):
        longest = breadth_first(i, edges, start, order, parent, depth, queue)
        if work.shape[0] < 2 * longest:
            work = np.empty((2 * longest, 2 * longest))
        result[i, i] = 1.0
        for j in range(i + 1, n_nodes):
            v = j
            length = 0
            while v != i:
                path[length] = parent[v] >> 1
                length += 1
                v = edges[parent[v] >> 1, parent[v] & 1]
            result[i, j], uncertainty = path_correlation(path, length, inverse, twin, work)
            result[j, i] = result[i, j]
            if not uncertainty <= worst:  # also true for NaN
                worst = uncertainty
    return result, worst
