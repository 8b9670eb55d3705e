"""Connected components, blocks and what hangs on them."""

from __future__ import annotations

import numpy as np

from isingmap.compiled import kernel
from isingmap.planar.planarity import incidence


@kernel
def component_labels(n_nodes, edges):
    """Component number of each node, (n_nodes,) int64, numbered by their smallest node."""
    start, order = incidence(n_nodes, edges)
    label = np.full(n_nodes, -1, np.int64)
    stack = np.empty(n_nodes, np.int64)
    count = 0
    for root in range(n_nodes):
        if label[root] >= 0:
            continue
        label[root] = count
        stack[0] = root
        top = 1
        while top > 0:
            top -= 1
            v = stack[top]
            for k in range(start[v], start[v + 1]):
                w = edges[order[k] >> 1, 1 - (order[k] & 1)]
                if label[w] < 0:
                    label[w] = count
                    stack[top] = w
                    top += 1
        count += 1
    return label


@kernel
def block_labels(n_nodes, edges):
    """Block (biconnected component) of each edge, (n_edges,) int64. Hopcroft and Tarjan, without recursion."""
    n_edges = edges.shape[0]
    start, order = incidence(n_nodes, edges)
    label = np.full(n_edges, -1, np.int64)
    depth = np.full(n_nodes, -1, np.int64)
    low = np.zeros(n_nodes, np.int64)
    pointer = start[:-1].copy()
    parent = np.full(n_nodes, -1, np.int64)
    waiting = np.empty(n_edges, np.int64)
    n_waiting = 0
    stack = np.empty(n_nodes, np.int64)
    count = 0
    for root in range(n_nodes):
        if depth[root] >= 0:
            continue
        depth[root] = 0
        stack[0] = root
        top = 0
        while top >= 0:
            v = stack[top]
            if pointer[v] < start[v + 1]:
                dart = order[pointer[v]]
                pointer[v] += 1
                e = dart >> 1
                w = edges[e, 1 - (dart & 1)]
                if e == parent[v]:
                    continue
                if depth[w] < 0:
                    parent[w] = e
                    depth[w] = depth[v] + 1
                    low[w] = depth[w]
                    waiting[n_waiting] = e
                    n_waiting += 1
                    top += 1
                    stack[top] = w
                elif depth[w] < depth[v]:
                    waiting[n_waiting] = e
                    n_waiting += 1
                    low[v] = min(low[v], depth[w])
                continue
            top -= 1
            if top < 0:
                continue
            u = stack[top]
            low[u] = min(low[u], low[v])
            if low[v] >= depth[u]:  # u cuts off everything collected since the edge u-v
                while True:
                    n_waiting -= 1
                    label[waiting[n_waiting]] = count
                    if waiting[n_waiting] == parent[v]:
                        break
                count += 1
    return label


@kernel
def attachment(n_nodes, edges, in_core, is_core_edge):
    """For every node connected to the core, the core node it hangs on; -1 for nodes out of reach.

    The core is a block (or any connected part whose outside hangs on single nodes); its own edges are not used.
    """
    start, order = incidence(n_nodes, edges)
    hangs_on = np.full(n_nodes, -1, np.int64)
    stack = np.empty(n_nodes, np.int64)
    top = 0
    for v in range(n_nodes):
        if in_core[v]:
            hangs_on[v] = v
            stack[top] = v
            top += 1
    while top > 0:
        top -= 1
        v = stack[top]
        for k in range(start[v], start[v + 1]):
            e = order[k] >> 1
            w = edges[e, 1 - (order[k] & 1)]
            if not is_core_edge[e] and hangs_on[w] < 0:
                hangs_on[w] = hangs_on[v]
                stack[top] = w
                top += 1
    return hangs_on
