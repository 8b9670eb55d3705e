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
from isingmap.inference.multifrontal import (
    copy_block,
    extend_add,
    extract,
    front_of_inverse,
    front_sizes,
    on_stack,
    read_pattern,
    stored,
)


@kernel
def change_factors(plan, change, factors):
    """Derivatives of all A^-1 and X, laid out like the factors, from those of the twin entries, (n_darts,)."""
    changes = np.empty(factors.size)
    stack = np.empty(plan.stack_size)
    work = np.empty(plan.largest_front * plan.largest_front)
    for t in range(plan.child.size):
        own, rest = front_sizes(t, plan)
        front = work[: (own + rest) ** 2].reshape(own + rest, own + rest)
        front[:] = 0.0
        for r in range(0, own, 2):
            twin = change[2 * plan.order[plan.first[t] + (r >> 1)]]
            front[r, r + 1] = twin
            front[r + 1, r] = -twin
        c = plan.child[t]
        while c >= 0:
            extend_add(front, on_stack(c, plan, stack), c, plan)
            c = plan.sibling[c]
        _eliminate_change(front, t, plan, factors, changes, stack)
    return changes


@inlined
def _eliminate_change(front, t, plan, factors, changes, stack):
    """One front of `change_factors`."""
    own, rest = front_sizes(t, plan)
    inverse, x = stored(t, plan, factors)
    inverse_change, x_change = stored(t, plan, changes)
    change, work, product = np.empty((own, own)), np.empty((own, own)), np.empty((own, own))
    copy_block(front, change)
    np.dot(change, inverse, work)
    np.dot(inverse, work, product)
    for r in range(own):
        for s in range(own):
            inverse_change[r, s] = 0.5 * (product[s, r] - product[r, s])
    if rest == 0:
        return
    remainder, half = np.empty((own, rest)), np.empty((own, rest))
    np.dot(change, x, half)
    for r in range(own):
        for s in range(rest):
            remainder[r, s] = front[r, own + s] - half[r, s]
            half[r, s] = front[r, own + s] - 0.5 * half[r, s]
    np.dot(inverse, remainder, x_change)
    passed = np.empty((rest, rest))
    np.dot(x.T, half, passed)
    complement = on_stack(t, plan, stack)
    for r in range(rest):
        for s in range(rest):
            complement[r, s] = front[own + r, own + s] + passed[s, r] - passed[r, s]


@inlined
def _change_of_front(front, inverse_front, t, plan, factors, changes, stack):
    """Fill a front with the derivative of the inverse, given that on its border and the inverse itself."""
    own, rest = front_sizes(t, plan)
    inverse_change, x_change = stored(t, plan, changes)
    if rest == 0:
        copy_block(inverse_change, front)
        return
    _, x = stored(t, plan, factors)
    border = np.empty((rest, rest))
    copy_block(inverse_front[own:, own:], border)
    border_change = on_stack(t, plan, stack)
    side, half, product = np.empty((own, rest)), np.empty((own, rest)), np.empty((own, own))
    np.dot(x_change, border, half)
    np.dot(x, border_change, side)
    for r in range(own):
        for s in range(rest):
            front[r, own + s] = -half[r, s] - side[r, s]
            front[own + s, r] = half[r, s] + side[r, s]
            half[r, s] += 0.5 * side[r, s]
    np.dot(half, x.T, product)
    for r in range(own):
        for s in range(own):
            front[r, s] = inverse_change[r, s] + product[r, s] - product[s, r]
    copy_block(border_change, front[own:, own:])


@kernel
def change_inverse(plan, weights, factors, changes):
    """Derivatives of G[h, twin h], and the part (K' G.)[h, h] of that of the residual. O(n^{3/2})."""
    across_edge = np.empty(weights.twin.size)
    residual = np.empty(weights.twin.size)
    residual[:] = 0.0
    stack, changed_stack = np.empty(plan.stack_size), np.empty(plan.stack_size)
    work, changed_work = np.empty(plan.largest_front**2), np.empty(plan.largest_front**2)
    for t in range(plan.child.size - 1, -1, -1):
        own, rest = front_sizes(t, plan)
        front = work[: (own + rest) ** 2].reshape(own + rest, own + rest)
        changed = changed_work[: (own + rest) ** 2].reshape(own + rest, own + rest)
        front_of_inverse(front, t, plan, factors, stack)
        _change_of_front(changed, front, t, plan, factors, changes, changed_stack)
        read_pattern(changed, t, plan, weights, across_edge, residual)
        c = plan.child[t]
        while c >= 0:
            extract(front, on_stack(c, plan, stack), c, plan)
            extract(changed, on_stack(c, plan, changed_stack), c, plan)
            c = plan.sibling[c]
    return across_edge, residual
