"""Which darts leave each node: the form in which compiled functions walk a graph.

An edge e has the half-edges (darts) 2e, from edges[e, 0] to edges[e, 1], and 2e+1, back.
"""

from __future__ import annotations

from isingmap.compiled import ZERO, filled, kernel


@kernel
def incidence(n_nodes, edges):
    """Darts grouped by tail: darts leaving v are order[start[v]:start[v+1]], in edge order."""
    n_darts = 2 * edges.shape[0]
    start = filled(n_nodes + 1, ZERO)
    for dart in range(n_darts):
        start[edges[dart >> 1, dart & 1]] += 1
    for v in range(n_nodes):
        start[v + 1] += start[v]
    order = filled(n_darts, ZERO)
    for dart in range(n_darts - 1, -1, -1):  # `start` moves from the end of each group to its beginning
        v = edges[dart >> 1, dart & 1]
        start[v] -= 1
        order[start[v]] = dart
    return start, order
