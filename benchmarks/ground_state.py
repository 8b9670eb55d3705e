"""Ground states of L x L grids: isingmap beside PyMatching on the same dual graph.

    python benchmarks/ground_state.py [L ...]     default: 10 32 100 200; 500 and 1000 work, without PyMatching

Seconds of wall time after compilation, planarity and triangulation not included (the same for both); the energy of
PyMatching's join, recomputed in doubles, minus the certified one shows what its 24-bit weights cost.
"""

from __future__ import annotations

import sys
import time

import numpy as np

from isingmap.inference.ground_states.frustration import face_graph, spins_of
from isingmap.inference.ground_states.ground_state import ground_spins_on
from isingmap.planar.embedding import embed
from isingmap.planar.triangulation import triangulate

LARGEST_FOR_PYMATCHING = {"gauss": 200, "+-J": 200, "spread": 32}  # spread at 100 takes it 47 s, at 200 over 10 minutes


def grid(size: int) -> np.ndarray:
    node = np.arange(size * size).reshape(size, size)
    across = np.stack([node[:, :-1].ravel(), node[:, 1:].ravel()], axis=1)
    return np.vstack([across, np.stack([node[:-1].ravel(), node[1:].ravel()], axis=1)])


def timed(function, *arguments):
    start = time.perf_counter()
    result = function(*arguments)
    return result, time.perf_counter() - start


def by_pymatching(triangulation, couplings) -> float:
    """Log-weight of the configuration that PyMatching finds."""
    import pymatching
    from scipy.sparse import csc_array

    faces = face_graph(triangulation, couplings)
    n_dual = len(faces.edges)
    checks = csc_array(
        (np.ones(2 * n_dual, np.uint8), (faces.ends.T.ravel(), np.tile(np.arange(n_dual), 2))),
        (faces.n_faces, n_dual),
    )
    matching = pymatching.Matching(checks, weights=np.abs(couplings[faces.edges]))
    join = np.flatnonzero(matching.decode(faces.frustrated.astype(np.uint8)))
    edges = triangulation.edges[: triangulation.n_given]
    spins = spins_of(triangulation.n_nodes, edges, couplings, faces.edges[join])
    return float(couplings @ (spins[edges[:, 0]] * spins[edges[:, 1]]))


def main(sizes: list[int]) -> None:
    _, compilation = timed(ground_spins_on, 9, triangulate(embed(9, grid(3))), -np.ones(12) + 2 * np.eye(12)[0])
    print(f"first use (compiled or read from the cache): {compilation:.1f} s")
    print("couplings         n  isingmap s certified  gap bound  PyMatching s  its loss")
    for size in sizes:
        edges = grid(size)
        triangulation = triangulate(embed(size * size, edges))
        rng = np.random.default_rng(size)
        for kind in ("gauss", "+-J", "spread"):
            couplings = rng.choice([-1.0, 1.0], len(edges))
            if kind == "gauss":
                couplings = rng.normal(size=len(edges))
            elif kind == "spread":
                couplings *= 10.0 ** rng.uniform(-9, 0, len(edges))
            found, ours = timed(ground_spins_on, size * size, triangulation, couplings)
            line = f"{kind:10} {size * size:8} {ours:11.4f} {found.certified!s:>9} {found.gap_bound:10.1e}"
            if size <= LARGEST_FOR_PYMATCHING[kind]:
                theirs, seconds = timed(by_pymatching, triangulation, couplings)
                line += f" {seconds:13.4f} {found.log_weight - theirs:9.1e}"
            print(line, flush=True)


if __name__ == "__main__":
    main([int(size) for size in sys.argv[1:]] or [10, 32, 100, 200])
