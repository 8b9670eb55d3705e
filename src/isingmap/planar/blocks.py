"""Connected components, blocks and what hangs on them."""

from __future__ import annotations

from isingmap.compiled import NONE, ZERO, filled, kernel
from isingmap.planar.incidence import incidence


@kernel
def component_labels(n_nodes, edges):
    """Component number of each node, (n_nodes,) int64, numbered by their smallest node."""
    start, order = incidence(n_nodes, edges)
    label = filled(n_nodes, NONE)
    stack = filled(n_nodes, ZERO)
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
    label = filled(n_edges, NONE)
    depth = filled(n_nodes, NONE)
    low = filled(n_nodes, ZERO)
    done = filled(n_nodes, ZERO)  # how many of its darts the search has left behind
    parent = filled(n_nodes, NONE)
    waiting = filled(n_edges, ZERO)
    n_waiting = 0
    stack = filled(n_nodes, ZERO)
    count = 0
    for root in range(n_nodes):
        if depth[root] >= 0:
            continue
        depth[root] = 0
        stack[0] = root
        top = 0
        while top >= 0:
            v = stack[top]
            k = start[v] + done[v]
            if k < start[v + 1]:
                dart = order[k]
                done[v] += 1
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
    hangs_on = filled(n_nodes, NONE)
    stack = filled(n_nodes, ZERO)
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
