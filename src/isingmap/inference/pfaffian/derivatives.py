"""The derivative of the inverse of K' in one direction of the couplings, and so that of all moments at once.

The scaling of K' is held fixed, so that only its twin entries change. From A^-1 and X = A^-1 B of each front, with
dots for derivatives, a pass up gives

    (A^-1). = -A^-1 A. A^-1,   X. = A^-1 (B. - A. X),   (D + B^T X). = D. + M^T - M,   M = X^T (B. - A. X / 2),

and a pass down the derivative of the inverse: that of G_own,border is -N, N = X. G + X G., and that of G_own,own is
(A^-1). + L - L^T, L = (X. G + X G. / 2) X^T, where G is the inverse on the border. Written like this every matrix is
skew-symmetric to the last bit; with the plain products rounding errors grow a thousandfold at strong couplings.
"""

from __future__ import annotations

import numpy as np

from isingmap.compiled import inlined, kernel
from isingmap.inference.pfaffian.multifrontal import (
    copy_in,
    copy_out,
    extend_add,
    extract,
    front_of_inverse,
    multiply,
    multiply_transposed,
    on_stack,
    read_pattern,
    reshaped,
    stored,
)


@kernel
def change_factors(plan, change, factors):
    """Derivatives of all A^-1 and X, laid out like the factors, from those of the twin entries, (n_darts,)."""
    changes = np.empty(factors.size)
    stack = np.empty(plan.stack_size)
    work = np.empty(plan.largest_front * plan.largest_front)
    for front in plan.fronts:
        dense = reshaped(work, np.int64(0), front.own + front.rest, front.own + front.rest)
        for k in range(dense.size):
            work[k] = 0.0
        for r in range(0, front.own, 2):
            twin = change[2 * plan.order[front.first + (r >> 1)]]
            dense[r, r + 1] = twin
            dense[r + 1, r] = -twin
        c = front.child
        while c >= 0:
            child = plan.fronts[c]
            extend_add(dense, on_stack(child, stack), child, plan.place)
            c = child.sibling
        _eliminate_change(dense, front, factors, changes, stack)
    return changes


@inlined
def _eliminate_change(dense, front, factors, changes, stack):
    """One front of `change_factors`."""
    own, rest = front.own, front.rest
    inverse, x = stored(front, factors)
    inverse_change, x_change = stored(front, changes)
    change, work, product = np.empty((own, own)), np.empty((own, own)), np.empty((own, own))
    copy_out(dense, np.int64(0), np.int64(0), change)
    multiply(change, inverse, work)
    multiply(inverse, work, product)
    for r in range(own):
        for s in range(own):
            inverse_change[r, s] = 0.5 * (product[s, r] - product[r, s])
    if rest == 0:
        return
    remainder, half = np.empty((own, rest)), np.empty((rest, own))
    multiply(change, x, remainder)
    for r in range(own):
        for s in range(rest):
            half[s, r] = dense[r, own + s] - 0.5 * remainder[r, s]
            remainder[r, s] = dense[r, own + s] - remainder[r, s]
    multiply(inverse, remainder, x_change)
    passed = np.empty((rest, rest))
    multiply(half, x, passed)
    complement = on_stack(front, stack)
    for r in range(rest):
        for s in range(rest):
            complement[r, s] = dense[own + r, own + s] + passed[r, s] - passed[s, r]


@inlined
def _change_of_front(dense, border, front, factors, changes, stack):
    """Fill a front with the derivative of the inverse, given that on its border and the inverse there."""
    own, rest = front.own, front.rest
    inverse_change, x_change = stored(front, changes)
    copy_in(inverse_change, dense, np.int64(0), np.int64(0))
    if rest == 0:
        return
    _, x = stored(front, factors)
    border_change = on_stack(front, stack)
    side, half, product = np.empty((own, rest)), np.empty((own, rest)), np.empty((own, own))
    multiply(x_change, border, half)
    multiply(x, border_change, side)
    for r in range(own):
        for s in range(rest):
            dense[r, own + s] = -half[r, s] - side[r, s]
            dense[own + s, r] = half[r, s] + side[r, s]
            half[r, s] += 0.5 * side[r, s]
    multiply_transposed(half, x, product)
    for r in range(own):
        for s in range(own):
            dense[r, s] += product[r, s] - product[s, r]
    copy_in(border_change, dense, own, own)


@kernel
def change_inverse(plan, weights, factors, changes):
    """Derivatives of G[h, twin h], and the part (K' G.)[h, h] of that of the residual. O(n^{3/2})."""
    across_edge = np.empty(weights.twin.size)
    residual = np.empty(weights.twin.size)
    for h in range(residual.size):
        residual[h] = 0.0
    stack, changed_stack = np.empty(plan.stack_size), np.empty(plan.stack_size)
    work, changed_work = np.empty(plan.largest_front**2), np.empty(plan.largest_front**2)
    for t in range(plan.fronts.size - 1, -1, -1):
        front = plan.fronts[t]
        size = front.own + front.rest
        dense = reshaped(work, np.int64(0), size, size)
        changed = reshaped(changed_work, np.int64(0), size, size)
        front_of_inverse(dense, front, factors, stack)
        _change_of_front(changed, on_stack(front, stack), front, factors, changes, changed_stack)
        read_pattern(changed, front, plan, weights, across_edge, residual)
        c = front.child
        while c >= 0:
            child = plan.fronts[c]
            extract(dense, on_stack(child, stack), child, plan.place)
            extract(changed, on_stack(child, changed_stack), child, plan.place)
            c = child.sibling
    return across_edge, residual
