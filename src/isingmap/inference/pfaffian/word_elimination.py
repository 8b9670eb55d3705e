"""The multifrontal method of `multifrontal.py` for numbers of two or four words: factors, log Pfaffian, inverse.

The same fronts in the same order; weights, factors and stack are tuples of arrays, one for each word.
"""

from __future__ import annotations

import numpy as np

from isingmap.compiled import ZERO, helper, inlined, kernel
from isingmap.inference.pfaffian.multifrontal import extract
from isingmap.inference.pfaffian.word_matrices import (
    add_multiplied,
    clear,
    get,
    get_one,
    invert_words,
    matrices,
    mirror,
    new_matrix,
    put,
    put_one,
    transposed,
    vectors,
)
from isingmap.inference.pfaffian.words import add, multiply_words, negative, widened


@kernel
def word_entries(twin, scale, stretch, next_in_face):
    """Entries of K' in the row of each dart, of its twin, next and previous, (n_darts, 3).

    From those of the twins and the scales of the rows, words of (n_darts,); rows and columns are multiplied by the
    doubles `stretch`, (n_darts,), whose products must be exact.
    """
    entries = new_matrix(next_in_face.size, 3, twin)
    for h in range(next_in_face.size):
        following = next_in_face[h]
        previous = next_in_face[following]
        own = get_one(scale, h)
        put(entries, h, 0, _stretched(get_one(twin, h), stretch[h] * stretch[h ^ 1]))
        put(entries, h, 1, _stretched(multiply_words(own, get_one(scale, following)), stretch[h] * stretch[following]))
        entry = negative(multiply_words(own, get_one(scale, previous)))
        put(entries, h, 2, _stretched(entry, stretch[h] * stretch[previous]))
    return entries


@helper
def _stretched(x, factor):
    return multiply_words(x, widened(factor, x))


@helper
def _stored(front, factors):
    """The two stored blocks of a front: A^-1 and X."""
    own, begin = front.own, front.factor
    return matrices(factors, begin, own, own), matrices(factors, begin + own * own, own, front.rest)


@helper
def _on_stack(front, stack):
    return matrices(stack, front.stack, front.rest, front.rest)


@inlined
def _assemble(dense, front, plan, entries):
    """Fill in the entries of K' that belong to a front."""
    own = front.own
    clear(dense)
    for r in range(own):
        h = 2 * plan.order[front.first + (r >> 1)] + (r & 1)
        for kind in range(3):
            s = plan.column[h, kind]
            if s >= 0:
                value = get(entries, h, kind)
                put(dense, r, s, value)
                if s >= own:
                    put(dense, s, r, negative(value))


@inlined
def _extend_add(dense, block, child, place):
    """Add the Schur complement of a child at the places of its border."""
    begin = child.border
    for a in range(block[0].shape[0]):
        row = 2 * place[begin + (a >> 1)] + (a & 1)
        for b in range(block[0].shape[0]):
            column = 2 * place[begin + (b >> 1)] + (b & 1)
            put(dense, row, column, add(get(dense, row, column), get(block, a, b)))


@helper
def _eliminate(dense, front, factors, stack):
    """Store the factors of a front and pass its Schur complement on; returns log |Pf A|."""
    own, rest = front.own, front.rest
    inverse, x = _stored(front, factors)
    across = new_matrix(own, rest, dense)
    complement = _on_stack(front, stack)
    for r in range(own):
        for s in range(own):
            put(inverse, r, s, get(dense, r, s))
        for s in range(rest):
            put(across, r, s, get(dense, r, own + s))
    log_pfaffian = invert_words(inverse)
    clear(x)
    add_multiplied(inverse, across, x, False)
    for r in range(rest):
        for s in range(rest):
            put(complement, r, s, get(dense, own + r, own + s))
    add_multiplied(transposed(across), x, complement, True)
    mirror(complement)
    return log_pfaffian


@kernel
def factorise_words(plan, entries):
    """(factors, log |Pf K'|); see `multifrontal.factorise`."""
    factors = vectors(plan.factor_size, entries)
    stack = vectors(plan.stack_size, entries)
    work = vectors(plan.largest_front * plan.largest_front, entries)
    log_pfaffian = 0.0
    for front in plan.fronts:
        size = front.own + front.rest
        dense = matrices(work, ZERO, size, size)
        _assemble(dense, front, plan, entries)
        c = front.child
        while c >= 0:
            child = plan.fronts[c]
            _extend_add(dense, _on_stack(child, stack), child, plan.place)
            c = child.sibling
        log_pfaffian += _eliminate(dense, front, factors, stack)
    return factors, log_pfaffian


@helper
def _front_of_inverse(dense, front, factors, stack):
    """Fill a front with the entries of the inverse, given those on its border."""
    own, rest = front.own, front.rest
    inverse, x = _stored(front, factors)
    border = _on_stack(front, stack)
    side, corner = new_matrix(own, rest, dense), new_matrix(own, own, dense)
    clear(side)
    add_multiplied(x, border, side, False)
    for r in range(own):
        for s in range(own):
            put(corner, r, s, get(inverse, r, s))
    add_multiplied(side, transposed(x), corner, False)
    for r in range(own):
        for s in range(own):
            put(dense, r, s, get(corner, r, s))
        for s in range(rest):
            value = get(side, r, s)
            put(dense, r, own + s, negative(value))
            put(dense, own + s, r, value)
    for r in range(rest):
        for s in range(rest):
            put(dense, own + r, own + s, get(border, r, s))


@inlined
def _read_pattern(dense, front, plan, entries, across_edge, residual):
    """Read G[h, twin h] of the front's own darts and add its part of (K' G - 1)[h, h]."""
    own = front.own
    for r in range(own):
        h = 2 * plan.order[front.first + (r >> 1)] + (r & 1)
        dart = h ^ 1  # then next, previous
        put_one(across_edge, h, get(dense, r, plan.column[h, 0]))
        for kind in range(3):
            s = plan.column[h, kind]
            if s >= 0:
                product = negative(multiply_words(get(entries, h, kind), get(dense, r, s)))
                put_one(residual, h, add(get_one(residual, h), product))
                if s >= own:
                    put_one(residual, dart, add(get_one(residual, dart), product))
            dart = plan.next_in_face[h if kind == 0 else dart]


@kernel
def selected_words(plan, entries, factors):
    """(P(n_e = 1) of each edge from each of its darts in two doubles, (K' G - 1)[h, h] of each dart, rounded).

    See `multifrontal.selected_inverse`; the first is -K'[h, twin h] G[h, twin h].
    """
    n_darts = 2 * plan.order.size
    across_edge, residual = vectors(n_darts, entries), vectors(n_darts, entries)
    for h in range(n_darts):
        put_one(residual, h, widened(-1.0, get_one(residual, h)))
    stack = vectors(plan.stack_size, entries)
    work = vectors(plan.largest_front * plan.largest_front, entries)
    for t in range(plan.fronts.size - 1, -1, -1):
        front = plan.fronts[t]
        size = front.own + front.rest
        dense = matrices(work, ZERO, size, size)
        _front_of_inverse(dense, front, factors, stack)
        _read_pattern(dense, front, plan, entries, across_edge, residual)
        c = front.child
        while c >= 0:
            child = plan.fronts[c]
            _extract_words(dense, _on_stack(child, stack), child, plan.place)
            c = child.sibling
    matched, rest = np.empty(n_darts), np.empty(n_darts)
    for h in range(n_darts):
        product = multiply_words(get(entries, h, 0), get_one(across_edge, h))
        matched[h], rest[h] = -product[0], -product[1]
    return matched, rest, residual[0]


@inlined
def _extract_words(dense, block, child, place):
    for word in range(len(dense)):
        extract(dense[word], block[word], child, place)
