"""The sweep down the order of elimination: marginals of all cliques, from the last variable to the first.

Beside the marginals P it can bring, for sums S of edge products and spins, the measures G = E[S - E[S]; clique], from
which covariances with S follow. Given the front, a clique splits its P by the conditional probability u of +1, and its
G as the derivative of that says: with D = E[S | +1, front] - E[S | -1, front],

    G(+1) = u (G + (1 - u) P D),   G(-1) = (1 - u) (G - u P D).
"""

from __future__ import annotations

import numpy as np

from isingmap.compiled import NONE, ZERO, filled, helper, inlined, kernel
from isingmap.inference.elimination.blocks import BLOCK, high_offset, low_offsets


@inlined
def _split(work, half, arena, measure, marginal, conditionals, at, differences, derived, sums):
    """The clique's table from that of its front, in one block; +1 less -1 is added to `sums`."""
    table, chance = arena[marginal : marginal + half], conditionals[at : at + half]
    if derived < 0:
        for t in range(half):
            p, up = table[t], chance[t]
            plus = p * up
            minus = p * (1.0 - up)
            work[2 * t] = minus
            work[2 * t + 1] = plus
            sums[t] += plus - minus
    else:
        signed, gains = arena[measure : measure + half], differences[derived, at : at + half]
        for t in range(half):
            up, g = chance[t], signed[t]
            gain = table[t] * gains[t]
            minus = (1.0 - up) * (g - up * gain)
            plus = up * (g + (1.0 - up) * gain)
            work[2 * t] = minus
            work[2 * t + 1] = plus
            sums[t] += plus - minus


@inlined
def _add_sums(plan, work, half, sums, edge, last, bits, block):
    """Add +1 less -1 with the signs of the high ends of edges, each edge in a row of its own."""
    for e in range(edge, last):
        if plan.bit[e] >= bits:
            sign = 1.0 if (block >> (plan.bit[e] - bits)) & 1 else -1.0
            first = (1 + e - edge) * half
            for t in range(half):
                sums[first + t] += sign * (work[2 * t + 1] - work[2 * t])


@inlined
def _give_child(work, size, arena, offset, lows, at, contiguous):
    if contiguous:
        table = arena[offset : offset + size]
        for t in range(size):
            table[t] += work[t]
    else:
        for t in range(size):
            arena[offset + lows[at + t]] += work[t]


@helper
def _total(sums, first, half, bit):
    """The sum of a row, with the sign of a bit of the front (-1: without)."""
    total = 0.0
    for t in range(half):
        total += sums[first + t] if bit < 0 or (t >> bit) & 1 else -sums[first + t]
    return total


@kernel
def sweep_down(plan, conditionals, differences):  # noqa: C901 - one walk over all cliques
    """Moments of a swept model, and their covariances with given sums.

    Parameters
    ----------
    plan : CliqueTables
    conditionals : (n_entries,) float64 array
    differences : (n_directions, n_entries) float64 array
        From `sweep_up` in TANGENT, one row for each sum S of edge products and spins.

    Returns
    -------
    of_edges : (1 + n_directions, n_edges) array
        Row 0: E[x_i x_j]; the others: its covariance with S.
    of_spins : (1 + n_directions, n_spins) array
        The same of E[x_i].
    """
    n = plan.node.size
    n_rows = 1 + differences.shape[0]
    arena = np.empty(n_rows * plan.arena)
    of_edges = np.empty((n_rows, plan.edge.size))
    of_spins = np.empty((n_rows, n))
    work = np.empty(1 << BLOCK)
    sums = np.empty((1 + plan.most_edges) << (BLOCK - 1))
    lows = filled(plan.most_children << BLOCK, ZERO)
    beyond = filled(plan.most_children, ZERO)
    for k in range(n - 1, -1, -1):
        members = plan.start[k + 1] - plan.start[k] + 1
        bits = min(members, BLOCK)
        half = 1 << (bits - 1)
        children = plan.child_start[k]
        n_children = plan.child_start[k + 1] - children
        for m in range(n_children):
            c = plan.child[children + m]
            beyond[m] = low_offsets(plan.place, plan.start[c], plan.start[c + 1], bits, lows, m << BLOCK)
        edge, last = plan.edge_start[k], plan.edge_start[k + 1]
        for row in range(n_rows):
            own = row * plan.arena
            if members == 1:
                arena[own + plan.slot[k]] = 1.0 if row == 0 else 0.0
            for m in range(n_children):
                c = plan.child[children + m]
                size = plan.store[c + 1] - plan.store[c]
                table = arena[own + plan.slot[c] : own + plan.slot[c] + size]
                for t in range(size):
                    table[t] = 0.0
            for t in range((1 + last - edge) * half):
                sums[t] = 0.0
            for block in range(1 << (members - bits)):
                at = plan.slot[k] + block * half
                stored = plan.store[k] + block * half
                _split(work, half, arena, own + at, at, conditionals, stored, differences, row - 1, sums)
                _add_sums(plan, work, half, sums, edge, last, bits, block)
                for m in range(n_children):
                    c = plan.child[children + m]
                    first = plan.start[c]
                    offset = plan.slot[c] + high_offset(plan.place, first, beyond[m], plan.start[c + 1], bits, block)
                    _give_child(work, 2 * half, arena, own + offset, lows, m << BLOCK, beyond[m] - first == bits)
            of_spins[row, plan.node[k]] = _total(sums, ZERO, half, NONE)
            for e in range(edge, last):
                first, bit = ZERO, plan.bit[e] - 1
                if plan.bit[e] >= bits:
                    first, bit = (1 + e - edge) * half, NONE
                of_edges[row, plan.edge[e]] = _total(sums, first, half, bit)
    return of_edges, of_spins
