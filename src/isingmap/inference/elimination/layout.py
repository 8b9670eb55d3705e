"""Where everything lies in an elimination, from its order: positions, fronts, children, edges and the arena.

A search plans thousands of small graphs, so this is compiled.
"""

from __future__ import annotations

from isingmap.compiled import NONE, ONE, ZERO, filled, helper, kernel


@helper
def _postorder(order, joined):
    """(node at each position, its parent's position or -1, first position of its subtree).

    The parent of a variable is the first of its front to be eliminated.
    """
    n = order.size
    rank = filled(n, ZERO)
    for k in range(n):
        rank[order[k]] = k
    above, size = filled(n, NONE), filled(n, ONE)
    for k in range(n):
        for v in range(n):
            if joined[order[k], v] and (above[k] < 0 or rank[v] < above[k]):
                above[k] = rank[v]
        if above[k] >= 0:
            size[above[k]] += size[k]
    free = filled(n + 1, ZERO)  # where the next subtree below each may start; at the end, the next tree
    last, node, parent, subtree = filled(n, ZERO), filled(n, ZERO), filled(n, NONE), filled(n, ZERO)
    for k in range(n - 1, -1, -1):
        p = above[k] if above[k] >= 0 else n
        free[k] = free[p]
        last[k] = free[k] + size[k] - 1
        free[p] += size[k]
        node[last[k]] = order[k]
        subtree[last[k]] = free[k]
        if above[k] >= 0:
            parent[last[k]] = last[above[k]]
    return node, parent, subtree


@helper
def _fronts(node, joined):
    """(front, start): see `CliqueTables`."""
    n = node.size
    start = filled(n + 1, ZERO)
    for k in range(n):
        size = 0
        for v in range(n):
            size += joined[node[k], v]
        start[k + 1] = start[k] + size
    front = filled(start[n], ZERO)
    for k in range(n):
        j = start[k]
        for later in range(k + 1, n):
            if joined[node[k], node[later]]:
                front[j] = later
                j += 1
    return front, start


@helper
def _bit(front, start, k, member):
    """The bit of a member of the front of k in its clique."""
    j = start[k]
    while front[j] != member:
        j += 1
    return j - start[k] + 1


@helper
def _places(front, start, parent):
    """The bit of each member of a front in the clique of the parent."""
    place = filled(front.size, ZERO)
    for k in range(parent.size):
        p = parent[k]
        at = start[p] if p >= 0 else ZERO
        for j in range(start[k], start[k + 1]):
            if front[j] != p:  # both fronts are ascending
                while front[at] != front[j]:
                    at += 1
                place[j] = at - start[p] + 1
    return place


@helper
def _children(parent):
    """(child, child_start): see `CliqueTables`."""
    n = parent.size
    child_start = filled(n + 1, ZERO)
    for k in range(n):
        if parent[k] >= 0:
            child_start[parent[k] + 1] += 1
    for k in range(n):
        child_start[k + 1] += child_start[k]
    child, filled_up = filled(child_start[n], ZERO), filled(n, ZERO)
    for k in range(n):
        p = parent[k]
        if p >= 0:
            child[child_start[p] + filled_up[p]] = k
            filled_up[p] += 1
    return child, child_start


@helper
def _edges_of_cliques(edges, node, front, start):
    """(edge, bit, edge_start): see `CliqueTables`."""
    n, m = node.size, edges.shape[0]
    position, edge_start = filled(n, ZERO), filled(n + 1, ZERO)
    for k in range(n):
        position[node[k]] = k
    for e in range(m):
        edge_start[min(position[edges[e, 0]], position[edges[e, 1]]) + 1] += 1
    for k in range(n):
        edge_start[k + 1] += edge_start[k]
    edge, bit, found = filled(m, ZERO), filled(m, ZERO), filled(n, ZERO)
    for e in range(m):
        a, b = position[edges[e, 0]], position[edges[e, 1]]
        k = min(a, b)
        own = _bit(front, start, k, max(a, b))
        j = edge_start[k] + found[k]
        while j > edge_start[k] and bit[j - 1] > own:
            edge[j], bit[j] = edge[j - 1], bit[j - 1]
            j -= 1
        edge[j], bit[j] = e, own
        found[k] += 1
    return edge, bit, edge_start


@helper
def _slots(parent, store):
    """Places of the tables in an arena of two stacks, by the parity of their depth; and the size of the arena.

    In postorder the children of a clique lie on top of one stack when its own table is put on top of the other.
    """
    n = parent.size
    slot, depth, before, height = filled(n, ZERO), filled(n, ZERO), filled(n + 1, ZERO), filled(2, ZERO)
    for k in range(n):  # siblings that came before; roots are siblings
        p = parent[k] if parent[k] >= 0 else n
        slot[k] = before[p]
        before[p] += store[k + 1] - store[k]
    for k in range(n - 1, -1, -1):
        p = parent[k]
        if p >= 0:
            depth[k] = 1 - depth[p]
            slot[k] += slot[parent[p]] if parent[p] >= 0 else 0
        height[depth[k]] = max(height[depth[k]], slot[k] + store[k + 1] - store[k])
    for k in range(n):
        slot[k] += depth[k] * height[0]
    return slot, height[0] + height[1]


@helper
def _most(start):
    most = ZERO
    for k in range(start.size - 1):
        most = max(most, start[k + 1] - start[k])
    return most


@kernel
def laid_out(order, joined, edges):
    """(arrays of `CliqueTables` in their order, arena, most children, most edges, subtrees). O(n^2)."""
    n = order.size
    node, parent, subtree = _postorder(order, joined)
    front, start = _fronts(node, joined)
    place = _places(front, start, parent)
    child, child_start = _children(parent)
    edge, bit, edge_start = _edges_of_cliques(edges, node, front, start)
    store = filled(n + 1, ZERO)
    for k in range(n):
        store[k + 1] = store[k] + (ONE << (start[k + 1] - start[k]))
    slot, arena = _slots(parent, store)
    tables = node, front, start, place, child, child_start, edge, bit, edge_start, store, slot
    return tables, arena, _most(child_start), _most(edge_start), subtree
