"""Configurations from tables: samples, drawn down the order of elimination, and the best, by a sweep with max."""

from __future__ import annotations

import numpy as np

from isingmap.compiled import ZERO, filled, helper, kernel
from isingmap.inference.elimination.blocks import BLOCK, high_offset, low_offsets
from isingmap.inference.elimination.clique_tree import CliqueTree
from isingmap.interruption import look

# Random numbers drawn at a time; the samples do not depend on it.
MOST_UNIFORMS = 1 << 22


def drawn(plan: CliqueTree, conditionals: np.ndarray, n_samples: int, rng: np.random.Generator) -> np.ndarray:
    """Independent exact samples, (n_samples, n_spins) int8; O(n width) each.

    Parameters
    ----------
    plan : CliqueTree
    conditionals : (n_entries,) float64 array
        See `sweep_up`.
    """
    spins = np.empty((n_samples, plan.n_spins), np.int8)
    step = max(MOST_UNIFORMS // plan.n_spins, 1)
    for first in range(0, n_samples, step):
        look()
        part = spins[first : first + step]
        _draw(plan.tables, conditionals, rng.random(part.shape), part)
    return spins


def most_probable(
    plan: CliqueTree, couplings: np.ndarray, fields: np.ndarray, *, counted: bool = False
) -> tuple[np.ndarray, int]:
    """A configuration of the largest sum couplings x x + sum fields x, (n_spins,) int8, and how many there are.

    Parameters
    ----------
    plan : CliqueTree
    couplings, fields : int64 arrays
        Their absolute values must not add up to more than 2^62.
    counted : bool
        Whether to count them; else 0 is returned.

    Raises
    ------
    OverflowError
        When a connected part has more than 2^53 of them.
    """
    choices = np.empty(plan.n_entries)
    ways = np.empty(plan.n_spins if counted else 0)
    _sweep_max(plan.tables, couplings, fields, choices, ways)
    spins = np.empty((1, plan.n_spins), np.int8)
    _draw(plan.tables, choices, np.full((1, plan.n_spins), 0.5), spins)
    if ways.max(initial=1.0) > 2.0**53:
        raise OverflowError("more than 2^53 configurations")
    count = 1
    for number in ways.tolist():
        count *= int(number)
    return spins[0], count if counted else 0


@helper
def _front_entry(plan, k, spins, row):
    entry = 0
    for j in range(plan.start[k], plan.start[k + 1]):
        if spins[row, plan.node[plan.front[j]]] > 0:
            entry += 1 << (j - plan.start[k])
    return entry


@kernel
def _draw(plan, conditionals, uniforms, spins):
    for row in range(uniforms.shape[0]):
        for k in range(plan.node.size - 1, -1, -1):
            entry = plan.store[k] + _front_entry(plan, k, spins, row)
            spins[row, plan.node[k]] = 1 if uniforms[row, k] < conditionals[entry] else -1


@kernel
def _sweep_max(plan, couplings, fields, choices, ways):  # noqa: C901 - one walk over all cliques
    """Writes into `choices` 1.0 where +1 is best given the front, else 0.0, and into `ways` the number in each tree."""
    n = plan.node.size
    place = plan.place
    counted = ways.size > 0
    arena = filled(plan.arena, ZERO)
    count = np.empty(plan.arena if counted else 0)
    lows = filled(plan.most_children << BLOCK, ZERO)
    beyond = filled(plan.most_children, ZERO)
    offsets = filled(plan.most_children, ZERO)
    for k in range(n):
        first_edge, last_edge = plan.edge_start[k], plan.edge_start[k + 1]
        members = plan.start[k + 1] - plan.start[k] + 1
        bits = min(members, BLOCK)
        half = 1 << (bits - 1)
        children = plan.child_start[k]
        n_children = plan.child_start[k + 1] - children
        for m in range(n_children):
            c = plan.child[children + m]
            beyond[m] = low_offsets(place, plan.start[c], plan.start[c + 1], bits, lows, m << BLOCK)
        for block in range(1 << (members - bits)):
            for m in range(n_children):
                c = plan.child[children + m]
                first = plan.start[c]
                offsets[m] = plan.slot[c] + high_offset(place, first, beyond[m], plan.start[c + 1], bits, block)
            for t in range(half):
                entry = block * half + t
                pull = fields[plan.node[k]]
                for e in range(first_edge, last_edge):
                    coupling = couplings[plan.edge[e]]
                    pull += coupling if (entry >> (plan.bit[e] - 1)) & 1 else -coupling
                down, up = -pull, pull
                ways_down, ways_up = 1.0, 1.0
                for m in range(n_children):
                    at = offsets[m] + lows[(m << BLOCK) + 2 * t]
                    next_at = offsets[m] + lows[(m << BLOCK) + 2 * t + 1]
                    down += arena[at]
                    up += arena[next_at]
                    if counted:
                        ways_down *= count[at]
                        ways_up *= count[next_at]
                arena[plan.slot[k] + entry] = max(down, up)
                choices[plan.store[k] + entry] = 1.0 if up >= down else 0.0
                if counted:
                    of_down = ways_down if down >= up else 0.0
                    count[plan.slot[k] + entry] = of_down + (ways_up if up >= down else 0.0)
        if counted:
            ways[k] = count[plan.slot[k]] if members == 1 else 1.0
