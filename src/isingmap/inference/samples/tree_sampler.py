"""Independent exact samples of a zero-field planar model, along the tree of the nested dissection.

The products x_e = 2 n_e - 1 of the triangulation's edges form a Markov field: given those on the border of a front,
the edges below it are independent of all others. Going down from the root, each front samples its own edges given
its border. With A, B, D the blocks of the front before its elimination, their conditional law is that of a dimer
model with the matrix [[A, B'], [-B'^T, D']], the primes meaning the border darts that must still be matched on this
side (the edges with n = 0, in triangles that have an edge below) and D' having the triangle entries between two of
them added. Inside a front
the edges follow one by one, each with two rank-2 updates of a small inverse. O(n^{3/2}) a sample or better.

In the spirit of Wilson (1997) and Thomas & Middleton (2009), who sample spins on separators; here all
probabilities come from Pfaffians of positive dimer models, so nothing cancels.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from isingmap.compiled import NONE, ZERO, filled, helper, inlined, kernel
from isingmap.errors import PrecisionError
from isingmap.inference.pfaffian.blas import one_blas_thread
from isingmap.inference.pfaffian.elimination import EliminationPlan
from isingmap.inference.pfaffian.multifrontal import copy_out, factorise, invert_skew, reshaped
from isingmap.inference.precision import AT_ANY_STRENGTH, PROBABILITY_EXCESS
from isingmap.inference.zero_field.solution import DualSolution
from isingmap.inference.zero_field.spin_products import spins_from_products
from isingmap.interruption import look

# Samples drawn together; bounds the memory for their random numbers.
BATCH = 64
# Up to this size our own elimination is faster than LAPACK.
DIRECT = 64


class Borders(NamedTuple):
    """What has to be added on the borders of the fronts.

    Attributes
    ----------
    active_start, active : int64 arrays
        Border darts of front t whose triangle has an edge below: their indices among its border darts.
    pair_start, pair : int64 arrays
        Triangle entries between two border darts: (row, column) among the border darts, each pair once.
    pair_dart : (n_pairs,) int64 array
        The dart of the row; the column is its successor in the triangle.
    """

    active_start: np.ndarray
    active: np.ndarray
    pair_start: np.ndarray
    pair: np.ndarray
    pair_dart: np.ndarray


def exact_samples(solution: DualSolution, n_samples: int, rng: np.random.Generator) -> np.ndarray:
    """Independent samples, (n_samples, n_spins) int8.

    Raises
    ------
    PrecisionError
        When a probability computed in doubles leaves [0, 1].
    """
    plan, weights = solution.plan, solution.weights
    elimination = plan.elimination
    with one_blas_thread():
        sizes = elimination.fronts["own"] + elimination.fronts["rest"]
        fronts = np.empty((sizes**2).sum())
        factorise(elimination, weights, fronts)
        borders = _borders_of(elimination)
        samples = np.empty((n_samples, plan.n_spins), np.int8)
        for begin in range(0, n_samples, BATCH):
            look()
            size = min(BATCH, n_samples - begin)
            uniforms = rng.random((size, len(elimination.order)))
            flips = rng.integers(0, 2, size) * 2 - 1
            agree = np.zeros(uniforms.shape, bool)
            try:
                worst = _sample_edges(elimination, weights, fronts, borders, uniforms, agree)
            except np.linalg.LinAlgError:  # a conditional matrix that rounding made singular
                worst = np.inf
            if not worst <= PROBABILITY_EXCESS:
                raise PrecisionError(
                    f"a conditional probability left [0, 1] by {worst:.1e}: the couplings are too strong for exact "
                    f"sampling in double precision. {AT_ANY_STRENGTH}",
                    loss=float(worst),
                )
            by_unit = np.take(agree, elimination.position, axis=1)  # in C order
            spins = spins_from_products(plan.triangulation.n_nodes, plan.triangulation.edges, by_unit)
            gauged = spins[:, : plan.n_spins] * flips[:, None]
            samples[begin : begin + size] = gauged * solution.gauge[: plan.n_spins]
    return samples


def _borders_of(plan: EliminationPlan) -> Borders:
    """Active border darts and pending triangle entries of every front."""
    n_fronts = plan.fronts.size
    n_active, n_pairs = np.zeros(n_fronts, np.int64), np.zeros(n_fronts, np.int64)
    nothing = np.empty(0, np.int64)
    _visit_open_triangles(plan, n_active, n_pairs, nothing, nothing.reshape(0, 2), nothing)
    active_start, pair_start = (np.append(0, np.cumsum(counts)) for counts in (n_active, n_pairs))
    active, pair_dart = np.empty(active_start[-1], np.int64), np.empty(pair_start[-1], np.int64)
    pair = np.empty((pair_start[-1], 2), np.int64)
    _visit_open_triangles(plan, active_start[:-1].copy(), pair_start[:-1].copy(), active, pair, pair_dart)
    return Borders(active_start, active, pair_start, pair, pair_dart)


@kernel
def _visit_open_triangles(plan, next_active, next_pair, active, pair, pair_dart):
    """Enter what each triangle leaves on the borders at the places given for each front, and move these on.

    A triangle whose edges are eliminated in the order a, b, c is open from the front of a on: the dart of b waits in
    the borders below the front of b, that of c in those below the front of c. With empty arrays it is only counted.
    """
    front_of, position = plan.front_of, plan.position
    for h in range(plan.next_in_face.size):
        g = plan.next_in_face[h]
        f = plan.next_in_face[g]
        # Each triangle once, seen from the dart h of its first edge; g follows h and f follows g.
        if position[h >> 1] > position[g >> 1] or position[h >> 1] > position[f >> 1]:
            continue
        for d in (g, f):
            t = front_of[position[h >> 1]]
            while t < front_of[position[d >> 1]]:
                if active.size > 0:
                    active[next_active[t]] = _place_on_border(d, plan.fronts[t], plan.border, position)
                next_active[t] += 1
                t = plan.fronts[t].parent
        t = front_of[position[h >> 1]]
        last = min(front_of[position[g >> 1]], front_of[position[f >> 1]])
        while t < last:
            if pair_dart.size > 0:
                pair[next_pair[t], 0] = _place_on_border(g, plan.fronts[t], plan.border, position)
                pair[next_pair[t], 1] = _place_on_border(f, plan.fronts[t], plan.border, position)
                pair_dart[next_pair[t]] = g
            next_pair[t] += 1
            t = plan.fronts[t].parent


@helper
def _place_on_border(dart, front, border, position):
    """Index of a dart among the border darts of a front, by bisection."""
    low, high = front.border, front.border + (front.rest >> 1)
    while low < high:
        middle = (low + high) >> 1
        if border[middle] < position[dart >> 1]:
            low = middle + 1
        else:
            high = middle
    return 2 * (low - front.border) + (dart & 1)


@inlined
def _conditional_inverse(t, dense, plan, weights, borders, agree):
    """Own block of the inverse of front t given the border edges of one sample, `agree` by position."""
    front = plan.fronts[t]
    own, rest = front.own, front.rest
    rows = filled(own + rest, ZERO)
    for r in range(own):
        rows[r] = r
    index = filled(rest, NONE)
    size = own
    for k in range(borders.active_start[t], borders.active_start[t + 1]):
        dart = borders.active[k]
        if not agree[plan.border[front.border + (dart >> 1)]]:
            index[dart] = size
            rows[size] = own + dart
            size += 1
    matrix = np.empty((size, size))
    for r in range(size):
        for s in range(size):
            matrix[r, s] = dense[rows[r], rows[s]]
    for k in range(borders.pair_start[t], borders.pair_start[t + 1]):
        r, s = index[borders.pair[k, 0]], index[borders.pair[k, 1]]
        if r >= 0 and s >= 0:
            value = weights.entries[borders.pair_dart[k], 1]
            matrix[r, s] += value
            matrix[s, r] -= value
    if size <= DIRECT:
        invert_skew(matrix)
    else:
        inverted = np.linalg.inv(matrix)  # its layout is another, so it gets a name of its own
        for r in range(own):
            for s in range(own):
                matrix[r, s] = inverted[r, s]
    inverse = np.empty((own, own))
    copy_out(matrix, ZERO, ZERO, inverse)
    return inverse


@inlined
def _sample_front(first, inverse, plan, weights, uniforms, agree):
    """Draw the edges of a front, units from `first` on, one by one; returns how far a probability left [0, 1]."""
    worst = 0.0
    size = inverse.shape[0]
    for r in range(0, size, 2):
        k = first + (r >> 1)
        twin = weights.twin[2 * plan.order[k]]
        g = inverse[r, r + 1]
        probability = -twin * g
        worst = max(worst, -probability, probability - 1.0)
        agree[k] = uniforms[k] < probability
        # Agreeing: both darts are matched to each other and leave; else their twin entry becomes zero.
        factor = 1.0 / g if agree[k] else twin / (1.0 + twin * g)
        for a in range(r + 2, size):
            alpha = inverse[a, r] * factor
            beta = inverse[a, r + 1] * factor
            for b in range(r + 2, size):
                inverse[a, b] += alpha * inverse[r + 1, b] - beta * inverse[r, b]
    return worst


@kernel
def _sample_edges(plan, weights, fronts, borders, uniforms, agree):
    """Fill in which edges agree, (n_samples, n_units) by position; returns the largest excess of a probability."""
    worst = 0.0
    end = fronts.size
    for t in range(plan.fronts.size - 1, -1, -1):
        front = plan.fronts[t]
        size = front.own + front.rest
        end -= size * size
        dense = reshaped(fronts, end, size, size)
        for k in range(agree.shape[0]):
            inverse = _conditional_inverse(t, dense, plan, weights, borders, agree[k])
            worst = max(worst, _sample_front(front.first, inverse, plan, weights, uniforms[k], agree[k]))
    return worst
