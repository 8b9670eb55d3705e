"""The reason why a graph is not planar: a subdivision of K5 or K3,3 inside it."""

from __future__ import annotations

from collections import defaultdict

import numpy as np

from isingmap.errors import NonPlanarError
from isingmap.planar.planarity import is_planar_kernel
from isingmap.printable import printable

MOST_NAMED = 12


def kuratowski_subgraph(n_nodes: int, edges: np.ndarray) -> np.ndarray:
    """Indices of the edges of a minimal non-planar subgraph of a non-planar simple graph.

    Every edge found is the last of a shortest non-planar prefix, so it is needed; the prefix shrinks from one to
    the next. O(k n log m) for a subgraph of k edges.
    """
    needed = np.empty(0, np.int64)
    rest = np.arange(len(edges))
    while is_planar_kernel(n_nodes, edges[needed]):
        low, high = 0, rest.size  # rest[:low] with `needed` is planar, rest[:high] with it is not
        while high - low > 1:
            middle = (low + high) // 2
            if is_planar_kernel(n_nodes, edges[np.concatenate([needed, rest[:middle]])]):
                low = middle
            else:
                high = middle
        needed = np.append(needed, rest[high - 1])
        rest = rest[: high - 1]
    return np.sort(needed)


def branch_nodes(subgraph_edges: np.ndarray) -> tuple[str, list[int]]:
    """Kind ("K5" or "K3,3") and branch nodes of a subdivision given by its edges."""
    degree: dict[int, int] = defaultdict(int)
    for node in subgraph_edges.reshape(-1).tolist():
        degree[node] += 1
    branches = sorted(node for node, d in degree.items() if d > 2)
    return ("K5" if len(branches) == 5 else "K3,3"), branches


def non_planar_error(n_nodes: int, edges: np.ndarray, labels=None) -> NonPlanarError:
    """The error for a non-planar graph, with its Kuratowski subgraph in the caller's labels."""
    if labels is None:
        labels = range(n_nodes)
    chosen = edges[kuratowski_subgraph(n_nodes, edges)]
    kind, branches = branch_nodes(chosen)
    subgraph = [(labels[i], labels[j]) for i, j in chosen.tolist()]
    named = ", ".join(f"{a}-{b}" for a, b in subgraph[:MOST_NAMED])
    more = f" and {len(subgraph) - MOST_NAMED} more" if len(subgraph) > MOST_NAMED else ""
    message = (
        f"the graph is not planar: its {len(subgraph)} edges {named}{more} form a subdivision of {kind} "
        f"with branch nodes {', '.join(str(labels[k]) for k in branches)}. "
        "Remove at least one of these edges, and see whether others stand in the way"
    )
    return NonPlanarError(printable(message), kind=kind, subgraph=subgraph, branch_nodes=[labels[k] for k in branches])
