"""The sweep up the order of elimination, which sums one variable out after the other.

The table of a clique is the product of the variable's own factors (its field, its edges to the front) and the tables of
its children; the sum over the variable is the table of its front. What is kept of a clique is
P(variable = +1 | front): all answers follow from these conditional probabilities, in sums of positive terms.
"""

from __future__ import annotations

import math

import numpy as np

from isingmap.compiled import ZERO, dividing_kernel, filled, inlined
from isingmap.inference.elimination.blocks import BLOCK, high_offset, low_offsets

# What the tables hold: sums of probabilities, their logarithms, or conditional expectations.
LINEAR, LOGARITHMIC, TANGENT = np.int64(0), np.int64(1), np.int64(2)


@inlined
def _double(linear, factor, size, coupling):
    """Let one more member of the front into the factors; `size` configurations become twice as many."""
    equal, unequal = coupling, -coupling
    if linear:
        equal, unequal = math.exp(coupling - abs(coupling)), math.exp(-coupling - abs(coupling))
        for t in range(0, size, 2):
            factor[size + t] = factor[t] * unequal
            factor[size + t + 1] = factor[t + 1] * equal
            factor[t] *= equal
            factor[t + 1] *= unequal
    else:
        for t in range(0, size, 2):
            factor[size + t] = factor[t] + unequal
            factor[size + t + 1] = factor[t + 1] + equal
            factor[t] += equal
            factor[t + 1] += unequal


@inlined
def _start_block(linear, work, factor, half, pull, largest):
    """The variable's factors in one block; `pull` is the field from the high bits, at most `largest`."""
    if linear:
        against, along = math.exp(-pull - largest), math.exp(pull - largest)
        for t in range(half):
            work[2 * t] = factor[2 * t] * against
            work[2 * t + 1] = factor[2 * t + 1] * along
    else:
        for t in range(half):
            work[2 * t] = factor[2 * t] - pull
            work[2 * t + 1] = factor[2 * t + 1] + pull


@inlined
def _take_child(linear, work, size, arena, offset, lows, at, contiguous):
    if contiguous:
        table = arena[offset : offset + size]
        if linear:
            for t in range(size):
                work[t] *= table[t]
        else:
            for t in range(size):
                work[t] += table[t]
    elif linear:
        for t in range(size):
            work[t] *= arena[offset + lows[at + t]]
    else:
        for t in range(size):
            work[t] += arena[offset + lows[at + t]]


@inlined
def _sum_out(mode, kept, work, half, table, chance, gains):
    """The front's table, and what is kept beside it."""
    if mode == 0 and kept:
        for t in range(half):
            both = work[2 * t] + work[2 * t + 1]
            table[t] = both
            chance[t] = work[2 * t + 1] / both
    elif mode == 0:
        for t in range(half):
            table[t] = work[2 * t] + work[2 * t + 1]
    elif mode == 1:
        for t in range(half):
            down, up = work[2 * t], work[2 * t + 1]
            smaller = math.exp(-abs(up - down))
            table[t] = max(up, down) + math.log1p(smaller)
            if kept:
                chance[t] = (1.0 if up > down else smaller) / (1.0 + smaller)
    else:
        for t in range(half):
            gains[t] = work[2 * t + 1] - work[2 * t]
            table[t] = work[2 * t] + chance[t] * gains[t]


@inlined
def _level(mode, arena, first, size):
    """A logarithm that is taken off a table, so that its entries stay near 1 (their logarithms near 0)."""
    level = 0.0
    if mode == 0:
        # Any entry serves: in this mode none is larger or smaller than another by more than 10^260.
        level = math.log(arena[first])
    elif mode == 1:
        level = arena[first]
        for t in range(size):
            level = max(level, arena[first + t])
    return level


@dividing_kernel
def sweep_up(plan, couplings, fields, mode, conditionals, differences):  # noqa: C901 - one walk over all cliques
    """Sum out one variable after the other.

    Parameters
    ----------
    plan : CliqueTables
    couplings : (n_edges,) float64 array
    fields : (n_spins,) float64 array
    mode : int64
        LINEAR: tables of probabilities, where nothing can underflow. LOGARITHMIC: of their logarithms. TANGENT: of
        conditional expectations of sum couplings x_i x_j + sum fields x_i.
    conditionals : float64 array
        Receives P(variable = +1 | front) for all fronts, or nothing if it is empty; is read in TANGENT.
    differences : float64 array
        Receives, in TANGENT, what E[... | front] gains when the variable turns from -1 to +1.

    Returns
    -------
    log Z, or in TANGENT the expectation
    """
    linear = mode == 0
    kept = conditionals.size > 0
    arena = np.empty(plan.arena)
    level = np.empty(plan.node.size)
    work = np.empty(1 << BLOCK)
    factor = np.empty(1 << BLOCK)
    lows = filled(plan.most_children << BLOCK, ZERO)
    beyond = filled(plan.most_children, ZERO)
    total = 0.0
    for k in range(plan.node.size):
        members = plan.start[k + 1] - plan.start[k] + 1
        bits = min(members, BLOCK)
        half = 1 << (bits - 1)
        children = plan.child_start[k]
        n_children = plan.child_start[k + 1] - children
        field = fields[plan.node[k]]
        shift = abs(field)
        start = -shift if linear else 0.0
        for m in range(n_children):
            c = plan.child[children + m]
            beyond[m] = low_offsets(plan.place, plan.start[c], plan.start[c + 1], bits, lows, m << BLOCK)
            start -= level[c]
        factor[0] = math.exp(start - field) if linear else start - field
        factor[1] = math.exp(start + field) if linear else start + field
        edge, last = plan.edge_start[k], plan.edge_start[k + 1]
        for b in range(1, bits):
            coupling = 0.0
            if edge < last and plan.bit[edge] == b:
                coupling = couplings[plan.edge[edge]]
                edge += 1
            shift += abs(coupling)
            _double(linear, factor, 1 << b, coupling)
        largest = 0.0
        for e in range(edge, last):
            largest += abs(couplings[plan.edge[e]])
        for block in range(1 << (members - bits)):
            pull = 0.0
            for e in range(edge, last):
                coupling = couplings[plan.edge[e]]
                pull += coupling if (block >> (plan.bit[e] - bits)) & 1 else -coupling
            _start_block(linear, work, factor, half, pull, largest)
            for m in range(n_children):
                c = plan.child[children + m]
                first = plan.start[c]
                offset = plan.slot[c] + high_offset(plan.place, first, beyond[m], plan.start[c + 1], bits, block)
                _take_child(linear, work, 2 * half, arena, offset, lows, m << BLOCK, beyond[m] - first == bits)
            at = plan.slot[k] + block * half
            store = plan.store[k] + block * half
            chance, gains = conditionals[store : store + half], differences[store : store + half]
            _sum_out(mode, kept, work, half, arena[at : at + half], chance, gains)
        level[k] = _level(mode, arena, plan.slot[k], 1 << (members - 1))
        if linear:
            total += shift + largest
        total += level[k]
        if mode == 2 and members == 1:
            total += arena[plan.slot[k]]
    return total
