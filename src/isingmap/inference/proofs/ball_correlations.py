"""Covariances of edges and correlations of all pairs in ball arithmetic, from the whole inverse G of K'.

The formulas are those of `solution` and `correlations`; there is one more idea here. The correlation along a path
is a Pfaffian over the darts of its edges, and the path to a node extends that to its parent in a breadth-first tree.
So the elimination is extended too, by two darts a step, which costs O(L^2) for a path of L edges. Correlations may
be zero on the way: of the at most four darts left, the pair with the largest entry is swept, and two stay open.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

from flint import arb

from isingmap.planar.incidence import incidence


def edge_covariances(plan, twin, inverse) -> list:
    """Upper triangle, row by row, of the covariance matrix of the gauged edge products. O(m^2)."""
    m = plan.n_edges
    scale = [2 * twin[2 * e] for e in range(m)]
    covariances = []
    for e in range(m):
        head, tail = inverse[2 * e], inverse[2 * e + 1]
        mean = scale[e] * head[2 * e + 1] + 1
        covariances.append(1 - mean * mean)
        for f in range(e + 1, m):
            h, t = 2 * f, 2 * f + 1
            covariances.append((tail[h] * head[t] - tail[t] * head[h]) * (scale[e] * scale[f]))
    return covariances


def pair_correlations(plan, twin, inverse) -> list:
    """Upper triangle, row by row, of the correlations of all nodes of the triangulation, gauged. O(n^2 L^2)."""
    edges = plan.triangulation.edges
    n_nodes = plan.triangulation.n_nodes
    start, order = (array.tolist() for array in incidence(n_nodes, edges))
    neighbours = [
        [(dart >> 1, int(edges[dart >> 1, 1 - (dart & 1)])) for dart in order[start[v] : start[v + 1]]]
        for v in range(n_nodes)
    ]
    entry = _path_matrix(twin, inverse)
    correlations = []
    for i in range(n_nodes):
        from_i = _from_source(i, neighbours, entry)
        correlations += from_i[i:]
    return correlations


def _path_matrix(twin, inverse):
    """M[p, q] = c_p c_q G[p, q] + J[p, q] of `correlations`, by darts; an edge's second dart never comes first."""

    def entry(p, q):
        value = inverse[p][q]
        if not p & 1:
            value = 2 * twin[p] * value
        if not q & 1:
            value = 2 * twin[q] * value
        if p ^ 1 == q:
            value = value + 1
        return value

    return entry


def _from_source(source, neighbours, entry):
    """Correlations of one node with every node, along a breadth-first tree."""
    correlation: list[arb | None] = [None] * len(neighbours)
    correlation[source] = arb(1)
    elimination = {source: _Elimination((), (), arb(1))}
    queue = [source]
    for v in queue:
        for e, w in neighbours[v]:
            if correlation[w] is None:
                elimination[w], pfaffian = _extend(elimination[v], e, entry)
                correlation[w] = pfaffian
                queue.append(w)
    return correlation


class _Reduced(NamedTuple):
    """A dart with its entries in the two columns of each pivot so far, as they were when the pivot was swept."""

    dart: int
    first: Sequence[arb]
    second: Sequence[arb]


class _Pivot(NamedTuple):
    p: _Reduced
    q: _Reduced
    inverse: arb


class _Elimination(NamedTuple):
    """Pivots swept, darts left open, and the product of minus the pivots with the sign of their order."""

    pivots: tuple
    open: tuple
    product: arb


def _remainder(x, y, pivots, entry):
    """Entry (x, y) of M after the pivots: S[x, y] + sum (second_x first_y - first_x second_y) / pivot."""
    value = entry(x.dart, y.dart)
    for pivot, a, b, c, d in zip(pivots, x.second, y.first, x.first, y.second, strict=False):
        value = value + (a * b - c * d) * pivot.inverse
    return value


def _reduce(dart: int, pivots, entry) -> _Reduced:
    first: list[arb] = []
    second: list[arb] = []
    for k, pivot in enumerate(pivots):
        x = _Reduced(dart, first, second)
        along_p = _remainder(x, pivot.p, pivots[:k], entry)
        along_q = _remainder(x, pivot.q, pivots[:k], entry)
        first.append(along_p)
        second.append(along_q)
    return _Reduced(dart, tuple(first), tuple(second))


def _extend(elimination, e, entry):
    """Add edge e to the path: (elimination, E of the product of its edges)."""
    pivots, left, product = elimination
    left = [*left, _reduce(2 * e, pivots, entry), _reduce(2 * e + 1, pivots, entry)]
    product = -product
    while True:
        size = len(left)
        entries = {(i, j): _remainder(left[i], left[j], pivots, entry) for i in range(size) for j in range(i + 1, size)}
        usable = [key for key, value in entries.items() if not value.contains(0)]
        if size == 2 or not usable:
            return _Elimination(pivots, tuple(left), product), product * _open_pfaffian(entries, size)
        i, j = max(usable, key=lambda key: abs(float(entries[key].mid())))
        value = entries[i, j]
        pivots = (*pivots, _Pivot(left[i], left[j], 1 / value))
        product = product * value * (1 if (j - i) & 1 else -1)
        left = [
            _Reduced(x.dart, (*x.first, _signed(entries, k, i)), (*x.second, _signed(entries, k, j)))
            for k, x in enumerate(left)
            if k not in (i, j)
        ]


def _signed(entries, i, j):
    return entries[i, j] if i < j else -entries[j, i]


def _open_pfaffian(entries, size):
    """Pfaffian of what is left: one entry, or so many entries indistinguishable from zero that a bound does."""
    if size == 2:
        return entries[0, 1]
    largest = max(float(value.abs_upper()) for value in entries.values()) * (1 + 1e-15)
    terms = math.prod(range(1, size, 2))
    return arb(0, terms) * arb(largest) ** (size // 2)
