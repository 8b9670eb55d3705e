"""Numeric phase of the multifrontal method for the skew-symmetric matrix K': factors, log Pfaffian, inverse.

A front is the dense matrix [[A, B], [-B^T, D]] of its own darts and those of its border. It stores A^-1 and
X = A^-1 B, and passes D + B^T X on. Going back down, with G the inverse of K' on the border,
G_own,border = -X G and G_own,own = A^-1 - G_own,border X^T (Takahashi; Erisman & Tinney 1975). Every matrix is
skew-symmetric, and A is inverted by 2x2 sweeps with complete pivoting inside the front.
"""

from __future__ import annotations

from typing import NamedTuple

import numba
import numpy as np

from isingmap.compiled import HELPER, helper, inlined, kernel

# Larger blocks are left to LAPACK, in darts.
LARGEST_SWEPT = 64


class Weights(NamedTuple):
    """Entries of K' in the row of each dart: of its twin, (n_darts,); of its twin, next and previous, (n_darts, 3)."""

    twin: np.ndarray
    entries: np.ndarray


@kernel
def weights_of(couplings, signs, next_in_face):
    """Weights of gauged couplings: rows and columns scaled by exp(-max(theta, 0)), all entries at most 1."""
    twin = np.empty(signs.size)
    scale = np.empty(signs.size)
    for h in range(signs.size):
        theta = couplings[h >> 1]
        positive = 1.0 if theta > 0 else 0.0
        scale[h] = np.exp(-positive * theta)
        twin[h] = signs[h] * np.exp(2.0 * (1.0 - positive) * theta)
    entries = np.empty((signs.size, 3))
    for h in range(signs.size):
        following = next_in_face[h]
        entries[h, 0] = twin[h]
        entries[h, 1] = scale[h] * scale[following]
        entries[h, 2] = -scale[h] * scale[next_in_face[following]]
    return Weights(twin, entries)


@inlined
def _largest_open(a, done):
    """The largest entry above the diagonal between rows not yet swept: (row, column)."""
    i, j, largest = np.int64(0), np.int64(0), -1.0
    for r in range(a.shape[0]):
        if done[r]:
            continue
        for s in range(r + 1, a.shape[0]):
            if not done[s] and abs(a[r, s]) > largest:
                i, j, largest = r, s, abs(a[r, s])
    return i, j


@inlined
def _sweep(a, i, j):
    """Principal pivot transform of a skew-symmetric matrix on the rows i and j.

    A pivot that underflowed to 0 leaves infinities behind, which the measured loss reports.
    """
    value = a[i, j]
    row_i = a[i].copy()
    row_j = a[j].copy()
    for r in range(a.shape[0]):
        alpha = -row_i[r] / value
        beta = -row_j[r] / value
        for s in range(a.shape[0]):
            a[r, s] += alpha * row_j[s] - beta * row_i[s]
    for s in range(a.shape[0]):
        a[i, s] = -row_j[s] / value
        a[j, s] = row_i[s] / value
        a[s, i] = -a[i, s]
        a[s, j] = -a[j, s]
    a[i, i] = 0.0
    a[j, j] = 0.0
    a[i, j] = -1.0 / value
    a[j, i] = 1.0 / value


@inlined
def invert_block(a):
    """Replace a skew-symmetric matrix of any size by its inverse; returns log |Pf a|."""
    if a.shape[0] <= LARGEST_SWEPT:
        return invert_skew(a)
    _, log_determinant = np.linalg.slogdet(a)
    if not np.isfinite(log_determinant):  # underflow; the measured loss reports it
        a[:] = np.nan
        return -np.inf
    inverse = np.linalg.inv(a)
    for r in range(a.shape[0]):
        a[r, r] = 0.0
        for s in range(r):
            a[r, s] = 0.5 * (inverse[r, s] - inverse[s, r])
            a[s, r] = -a[r, s]
    return 0.5 * log_determinant


@numba.njit(error_model="numpy", **HELPER)
def invert_skew(a):
    """`invert_block` by sweeps on the largest open entry: accurate, and fast for small blocks."""
    done = np.zeros(a.shape[0], np.bool_)
    log_pfaffian = 0.0
    for _ in range(a.shape[0] // 2):
        i, j = _largest_open(a, done)
        done[i] = True
        done[j] = True
        log_pfaffian += np.log(abs(a[i, j]))
        _sweep(a, i, j)
    return log_pfaffian


@helper
def front_sizes(t, plan):
    """Own and border darts of front t."""
    own = 2 * (plan.first[t + 1] - plan.first[t])
    return own, 2 * (plan.border_start[t + 1] - plan.border_start[t])


@helper
def stored(t, plan, factors):
    """The two stored blocks of front t: A^-1 and X."""
    own, rest = front_sizes(t, plan)
    begin = plan.factor_start[t]
    middle = begin + own * own
    inverse = factors[begin:middle].reshape(own, own)
    return inverse, factors[middle : middle + own * rest].reshape(own, rest)


@helper
def on_stack(t, plan, stack):
    """The square block of front t's border on the stack."""
    _, rest = front_sizes(t, plan)
    begin = plan.stack_start[t]
    return stack[begin : begin + rest * rest].reshape(rest, rest)


@helper
def copy_block(source, target):
    """Entry by entry: assigning to a slice would compile numba's checks of the shapes into every kernel."""
    for r in range(target.shape[0]):
        for s in range(target.shape[1]):
            target[r, s] = source[r, s]


@inlined
def _assemble(front, t, plan, weights):
    """Fill in the entries of K' that belong to front t."""
    flat = front.reshape(-1)
    width = front.shape[0]
    own, _ = front_sizes(t, plan)
    front[:] = 0.0
    for k in range(plan.first[t], plan.first[t + 1]):
        for h in range(2 * plan.order[k], 2 * plan.order[k] + 2):
            for kind in range(3):
                spot = plan.slot[h, kind]
                if spot >= 0:
                    value = weights.entries[h, kind]
                    flat[spot] = value
                    if spot % width >= own:
                        front[spot % width, spot // width] = -value


@helper
def extend_add(front, block, c, plan):
    """Add the Schur complement of child c at the places of its border."""
    begin = plan.border_start[c]
    for a in range(block.shape[0]):
        row = 2 * plan.place[begin + (a >> 1)] + (a & 1)
        for b in range(0, block.shape[0], 2):
            column = 2 * plan.place[begin + (b >> 1)]
            front[row, column] += block[a, b]
            front[row, column + 1] += block[a, b + 1]


@helper
def extract(front, block, c, plan):
    """Copy the entries on the border of child c out of its parent's front."""
    begin = plan.border_start[c]
    for a in range(block.shape[0]):
        row = 2 * plan.place[begin + (a >> 1)] + (a & 1)
        for b in range(0, block.shape[0], 2):
            column = 2 * plan.place[begin + (b >> 1)]
            block[a, b] = front[row, column]
            block[a, b + 1] = front[row, column + 1]


@kernel
def factorise(plan, weights, fronts):
    """(factors, log |Pf K'|). O(n^{3/2}) time, O(n log n) memory.

    Every front, as it stands before its elimination, is kept in `fronts` unless that array is empty.
    """
    n_fronts = plan.child.size
    kept = 0
    factors = np.empty(plan.factor_start[n_fronts])
    stack = np.empty(plan.stack_size)
    work = np.empty(plan.largest_front * plan.largest_front)
    log_pfaffian = 0.0
    for t in range(n_fronts):
        own, rest = front_sizes(t, plan)
        front = work[: (own + rest) ** 2].reshape(own + rest, own + rest)
        _assemble(front, t, plan, weights)
        c = plan.child[t]
        while c >= 0:
            extend_add(front, on_stack(c, plan, stack), c, plan)
            c = plan.sibling[c]
        if fronts.size > 0:
            for k in range(front.size):
                fronts[kept + k] = work[k]
            kept += front.size
        inverse, x = stored(t, plan, factors)
        copy_block(front, inverse)
        log_pfaffian += invert_block(inverse)
        if rest > 0:
            across = np.empty((own, rest))
            copy_block(front[:, own:], across)
            np.dot(inverse, across, x)
            complement = on_stack(t, plan, stack)
            np.dot(across.T, x, complement)
            for r in range(rest):
                for s in range(rest):
                    complement[r, s] += front[own + r, own + s]
    return factors, log_pfaffian


@helper
def front_of_inverse(front, t, plan, factors, stack):
    """Fill a front with the entries of the inverse, given those on its border."""
    own, rest = front_sizes(t, plan)
    inverse, x = stored(t, plan, factors)
    if rest == 0:
        copy_block(inverse, front)
        return
    border = on_stack(t, plan, stack)
    side = np.empty((own, rest))
    np.dot(x, border, side)
    product = np.empty((own, own))
    np.dot(side, x.T, product)
    for r in range(own):
        for s in range(own):
            front[r, s] = inverse[r, s] + product[r, s]
        for s in range(rest):
            front[r, own + s] = -side[r, s]
            front[own + s, r] = side[r, s]
    copy_block(border, front[own:, own:])


@helper
def read_pattern(front, t, plan, weights, across_edge, residual):
    """Read G[h, twin h] of the front's own darts and add its part of (K' G - 1)[h, h]."""
    flat = front.reshape(-1)
    width = front.shape[0]
    own, _ = front_sizes(t, plan)
    for k in range(plan.first[t], plan.first[t + 1]):
        for h in range(2 * plan.order[k], 2 * plan.order[k] + 2):
            dart = h ^ 1  # then next, previous
            for kind in range(3):
                spot = plan.slot[h, kind]
                if spot >= 0:
                    # K[h, g] G[g, h] = -K[h, g] G[h, g], and the same product belongs to row g.
                    product = -weights.entries[h, kind] * flat[spot]
                    residual[h] += product
                    if spot % width >= own:
                        residual[dart] += product
                dart = plan.next_in_face[h if kind == 0 else dart]
            across_edge[h] = flat[plan.slot[h, 0]]


@kernel
def selected_inverse(plan, weights, factors):
    """Entries G = K'^-1 needed for the edge moments, and how exactly they satisfy K' G = 1.

    Returns (G[h, twin h], (K' G - 1)[h, h]) of each dart. All terms of a diagonal entry of K' G are probabilities,
    so the second is an absolute error. O(n^{3/2}).
    """
    across_edge = np.empty(weights.twin.size)
    residual = np.empty(weights.twin.size)
    residual[:] = -1.0
    stack = np.empty(plan.stack_size)
    work = np.empty(plan.largest_front * plan.largest_front)
    for t in range(plan.child.size - 1, -1, -1):
        own, rest = front_sizes(t, plan)
        front = work[: (own + rest) ** 2].reshape(own + rest, own + rest)
        front_of_inverse(front, t, plan, factors, stack)
        read_pattern(front, t, plan, weights, across_edge, residual)
        c = plan.child[t]
        while c >= 0:
            extract(front, on_stack(c, plan, stack), c, plan)
            c = plan.sibling[c]
    return across_edge, residual
