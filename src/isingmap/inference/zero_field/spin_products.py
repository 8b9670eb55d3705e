"""Spins from the products x_i x_j along edges."""

from __future__ import annotations

import numpy as np

from isingmap.compiled import ZERO, filled, kernel
from isingmap.planar.incidence import incidence


@kernel
def spins_from_products(n_nodes, edges, agree):
    """Spins that agree on the given edges of each sample, (n_samples, n_edges), and differ on the others.

    (n_samples, n_nodes) int8, +1 on the first node of each component; the products must fit together.
    """
    start, order = incidence(n_nodes, edges)
    seen = filled(n_nodes, ZERO)
    stack = filled(n_nodes, ZERO)
    spins = np.empty((agree.shape[0], n_nodes), np.int8)
    for first in range(n_nodes):
        if seen[first]:
            continue
        seen[first] = 1
        for s in range(agree.shape[0]):
            spins[s, first] = 1
        stack[0] = first
        top = 1
        while top > 0:
            top -= 1
            v = stack[top]
            for j in range(start[v], start[v + 1]):
                e = order[j] >> 1
                w = edges[e, 1 - (order[j] & 1)]
                if not seen[w]:
                    seen[w] = 1
                    stack[top] = w
                    top += 1
                    for s in range(agree.shape[0]):
                        spins[s, w] = spins[s, v] if agree[s, e] else -spins[s, v]
    return spins
