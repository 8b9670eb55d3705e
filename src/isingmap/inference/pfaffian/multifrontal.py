"""Numeric phase of the multifrontal method for the skew-symmetric matrix K': factors, log Pfaffian, inverse.

A front is the dense matrix [[A, B], [-B^T, D]] of its own darts and those of its border. It stores A^-1 and
X = A^-1 B, and passes D + B^T X on. Going back down, with G the inverse of K' on the border,
G_own,border = -X G and G_own,own = A^-1 - G_own,border X^T (Takahashi; Erisman & Tinney 1975). Every matrix is
skew-symmetric, and A is inverted by 2x2 sweeps with complete pivoting inside the front.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from isingmap.compiled import HELPER, ZERO, compiled, filled, helper, inlined, kernel

# Larger blocks are left to LAPACK, in darts.
LARGEST_SWEPT = 64


class Weights(NamedTuple):
    """Entries of K' in the row of each dart: of its twin, (n_darts,); of its twin, next and previous, (n_darts, 3)."""

    twin: np.ndarray
    entries: np.ndarray


def weights_of(couplings, signs, next_in_face) -> Weights:
    """Weights of gauged couplings: rows and columns scaled by exp(-max(theta, 0)), all entries at most 1."""
    return Weights(*_weights(couplings, signs, next_in_face))


@kernel
def _weights(couplings, signs, next_in_face):
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
    return twin, entries


@inlined
def _largest_open(a, done):
    """The largest entry above the diagonal between rows not yet swept: (row, column)."""
    i, j, largest = ZERO, ZERO, -1.0
    for r in range(a.shape[0]):
        if done[r]:
            continue
        for s in range(r + 1, a.shape[0]):
            if not done[s] and abs(a[r, s]) > largest:
                i, j, largest = r, s, abs(a[r, s])  # type: ignore[assignment] # all int64 when compiled
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
def _is_finite(a):
    for r in range(a.shape[0]):
        for s in range(a.shape[1]):
            if not np.isfinite(a[r, s]):
                return False
    return True


@inlined
def invert_block(a):
    """Replace a skew-symmetric matrix of any size by its inverse; returns log |Pf a|."""
    if a.shape[0] <= LARGEST_SWEPT:
        return invert_skew(a)
    # LAPACK refuses what is not finite; underflow and overflow are reported by the measured loss.
    log_determinant = np.linalg.slogdet(a)[1] if _is_finite(a) else -np.inf
    if not np.isfinite(log_determinant):
        a[:] = np.nan
        return -np.inf
    inverse = np.linalg.inv(a)
    for r in range(a.shape[0]):
        a[r, r] = 0.0
        for s in range(r):
            a[r, s] = 0.5 * (inverse[r, s] - inverse[s, r])
            a[s, r] = -a[r, s]
    return 0.5 * log_determinant


@compiled(error_model="numpy", **HELPER)
def invert_skew(a):
    """`invert_block` by sweeps on the largest open entry: accurate, and fast for small blocks."""
    done = filled(a.shape[0], ZERO)
    log_pfaffian = 0.0
    for _ in range(a.shape[0] // 2):
        i, j = _largest_open(a, done)
        done[i] = 1
        done[j] = 1
        log_pfaffian += np.log(abs(a[i, j]))
        _sweep(a, i, j)
    return log_pfaffian


@helper
def reshaped(flat, begin, n_rows, n_columns):
    """A part of a flat array as a matrix; the one place where arrays are reshaped, which takes long to compile."""
    return flat[begin : begin + n_rows * n_columns].reshape(n_rows, n_columns)


@helper
def stored(front, factors):
    """The two stored blocks of a front: A^-1 and X."""
    own, begin = front.own, front.factor
    return reshaped(factors, begin, own, own), reshaped(factors, begin + own * own, own, front.rest)


@helper
def on_stack(front, stack):
    """The square block of a front's border on the stack."""
    return reshaped(stack, front.stack, front.rest, front.rest)


@helper
def copy_out(source, row, column, target):
    """Fill `target` with the block of `source` that begins there, entry by entry.

    Slices of matrices and assignments to them would compile numba's checks of shapes into every kernel.
    """
    for r in range(target.shape[0]):
        for s in range(target.shape[1]):
            target[r, s] = source[row + r, column + s]


@helper
def copy_in(source, target, row, column):
    """The reverse of `copy_out`."""
    for r in range(source.shape[0]):
        for s in range(source.shape[1]):
            target[row + r, column + s] = source[r, s]


# Products by BLAS, all in C order: numba compiles each combination of layouts.


@helper
def multiply(a, b, result):
    """Fill in a b."""
    np.dot(a, b, result)


@helper
def multiply_transposed(a, b, result):
    """Fill in a b^T."""
    np.dot(a, b.T, result)


@inlined
def _assemble(work, dense, front, plan, weights):
    """Fill in the entries of K' that belong to a front, which is `dense` or the beginning of `work`."""
    own = front.own
    for k in range(dense.size):
        work[k] = 0.0
    for r in range(own):
        h = 2 * plan.order[front.first + (r >> 1)] + (r & 1)
        for kind in range(3):
            s = plan.column[h, kind]
            if s >= 0:
                dense[r, s] = weights.entries[h, kind]
                if s >= own:
                    dense[s, r] = -weights.entries[h, kind]


@helper
def extend_add(dense, block, child, place):
    """Add the Schur complement of a child at the places of its border."""
    begin = child.border
    for a in range(block.shape[0]):
        row = 2 * place[begin + (a >> 1)] + (a & 1)
        for b in range(0, block.shape[0], 2):
            column = 2 * place[begin + (b >> 1)]
            dense[row, column] += block[a, b]
            dense[row, column + 1] += block[a, b + 1]


@helper
def extract(dense, block, child, place):
    """Copy the entries on the border of a child out of its parent's front."""
    begin = child.border
    for a in range(block.shape[0]):
        row = 2 * place[begin + (a >> 1)] + (a & 1)
        for b in range(0, block.shape[0], 2):
            column = 2 * place[begin + (b >> 1)]
            block[a, b] = dense[row, column]
            block[a, b + 1] = dense[row, column + 1]


@kernel
def factorise(plan, weights, kept):
    """(factors, log |Pf K'|). O(n^{3/2}) time, O(n log n) memory.

    Every front, as it stands before its elimination, is kept in `kept` unless that array is empty.
    """
    n_kept = 0
    factors = np.empty(plan.factor_size)
    stack = np.empty(plan.stack_size)
    work = np.empty(plan.largest_front * plan.largest_front)
    log_pfaffian = 0.0
    for front in plan.fronts:
        own, rest = front.own, front.rest
        dense = reshaped(work, ZERO, own + rest, own + rest)
        _assemble(work, dense, front, plan, weights)
        c = front.child
        while c >= 0:
            child = plan.fronts[c]
            extend_add(dense, on_stack(child, stack), child, plan.place)
            c = child.sibling
        if kept.size > 0:
            for k in range(dense.size):
                kept[n_kept + k] = work[k]
            n_kept += dense.size
        inverse, x = stored(front, factors)
        copy_out(dense, ZERO, ZERO, inverse)
        log_pfaffian += invert_block(inverse)
        if rest > 0:
            across, below = np.empty((own, rest)), np.empty((rest, own))
            for r in range(own):
                for s in range(rest):
                    across[r, s] = below[s, r] = dense[r, own + s]
            multiply(inverse, across, x)
            complement = on_stack(front, stack)
            multiply(below, x, complement)
            for r in range(rest):
                for s in range(rest):
                    complement[r, s] += dense[own + r, own + s]
    return factors, log_pfaffian


@helper
def front_of_inverse(dense, front, factors, stack):
    """Fill a front with the entries of the inverse, given those on its border."""
    own, rest = front.own, front.rest
    inverse, x = stored(front, factors)
    copy_in(inverse, dense, ZERO, ZERO)
    if rest == 0:
        return
    border = on_stack(front, stack)
    side, product = np.empty((own, rest)), np.empty((own, own))
    multiply(x, border, side)
    multiply_transposed(side, x, product)
    for r in range(own):
        for s in range(own):
            dense[r, s] += product[r, s]
        for s in range(rest):
            dense[r, own + s] = -side[r, s]
            dense[own + s, r] = side[r, s]
    copy_in(border, dense, own, own)


@helper
def read_pattern(dense, front, plan, weights, across_edge, residual):
    """Read G[h, twin h] of the front's own darts and add its part of (K' G - 1)[h, h]."""
    own = front.own
    for r in range(own):
        h = 2 * plan.order[front.first + (r >> 1)] + (r & 1)
        dart = h ^ 1  # then next, previous
        across_edge[h] = dense[r, plan.column[h, 0]]
        for kind in range(3):
            s = plan.column[h, kind]
            if s >= 0:
                # K[h, g] G[g, h] = -K[h, g] G[h, g], and the same product belongs to row g.
                product = -weights.entries[h, kind] * dense[r, s]
                residual[h] += product
                if s >= own:
                    residual[dart] += product
            dart = plan.next_in_face[h if kind == 0 else dart]


@kernel
def selected_inverse(plan, weights, factors):
    """Entries G = K'^-1 needed for the edge moments, and how exactly they satisfy K' G = 1.

    Returns (G[h, twin h], (K' G - 1)[h, h]) of each dart. All terms of a diagonal entry of K' G are probabilities,
    so the second is an absolute error. O(n^{3/2}).
    """
    across_edge = np.empty(weights.twin.size)
    residual = np.empty(weights.twin.size)
    for h in range(residual.size):
        residual[h] = -1.0
    stack = np.empty(plan.stack_size)
    work = np.empty(plan.largest_front * plan.largest_front)
    for t in range(plan.fronts.size - 1, -1, -1):
        front = plan.fronts[t]
        dense = reshaped(work, ZERO, front.own + front.rest, front.own + front.rest)
        front_of_inverse(dense, front, factors, stack)
        read_pattern(dense, front, plan, weights, across_edge, residual)
        c = front.child
        while c >= 0:
            child = plan.fronts[c]
            extract(dense, on_stack(child, stack), child, plan.place)
            c = child.sibling
    return across_edge, residual
