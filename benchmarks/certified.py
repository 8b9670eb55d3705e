"""Certified answers: time, precision and width of the intervals, by size and coupling strength.

    python benchmarks/certified.py [--largest 100]

Reads the reference instances of ../shared/data (strong couplings, random grids, +-J glasses). The times are of this
process's CPU, so that other jobs on the machine do not count. The last column of the grids is the time of log Z in
doubles, in the same run.
"""

from __future__ import annotations

import argparse
import json
import time
from pathlib import Path

import numpy as np

from isingmap.inference.proofs.certified import certified_log_partition, certified_moments
from isingmap.inference.proofs.certified_solution import certified_solution
from isingmap.inference.zero_field.plan import plan
from isingmap.inference.zero_field.solution import solve_dual

DATA = Path(__file__).resolve().parents[2] / "shared" / "data"
GRID_LOG_PARTITION = {
    32: "1019.979981777209611116839",
    50: "2470.775083885515274866",
    100: "9932.809853651441893796",
}


def timed(function, *arguments):
    """(result, CPU seconds)."""
    start = time.process_time()
    result = function(*arguments)
    return result, time.process_time() - start


def strong_couplings():
    print("strong couplings     log Z [s]  moments [s]    |log Z - reference|   width")
    for case in json.loads((DATA / "reference/strong_coupling.json").read_text()):
        if case["L"] < 10:
            continue
        graph, couplings = plan(case["L"] ** 2, np.array(case["edges"])), np.array(case["J"])
        interval, seconds = timed(certified_log_partition, graph, couplings)
        _, seconds_moments = timed(certified_moments, graph, couplings)
        error = abs(interval.midpoint - case["logZ_transfer"])
        size = f"{case['L']} x {case['L']}, {case['scale']:g}"
        print(f"  {size:16} {seconds:10.3f} {seconds_moments:12.3f} {error:20.1e} {interval.width:10.1e}")


def grids(largest):
    print("grids, U[-1, 1]      log Z [s]  moments [s]    encloses the known digits   width   doubles [s]")
    for length, digits in GRID_LOG_PARTITION.items():
        if length > largest:
            continue
        grid = json.loads((DATA / f"reference/grid_L{length}.json").read_text())
        graph, couplings = plan(grid["n"], np.array(grid["edges"])), np.array(grid["J"])
        solve_dual(graph, couplings)
        _, seconds_doubles = timed(solve_dual, graph, couplings)
        interval, seconds = timed(certified_log_partition, graph, couplings)
        (lower, upper), seconds_moments = timed(certified_moments, graph, couplings)
        known = float(digits) in interval
        print(
            f"  {length} x {length:<11} {seconds:10.3f} {seconds_moments:12.3f} {known!s:>28} "
            f"{interval.width:8.1e} {seconds_doubles:9.3f}   moments' width {(upper - lower).max():.1e}"
        )


def solutions():
    print("whole solutions      solve [s]  Hessian [s]  all correlations [s]")
    rng = np.random.default_rng(0)
    for length in (6, 10, 14):
        edges = square_grid(length)
        graph = plan(length**2, edges)
        for scale in (1.0, 20.0):
            couplings = scale * rng.uniform(-1, 1, size=len(edges))
            solved, seconds = timed(certified_solution, graph, couplings)
            _, seconds_hessian = timed(solved.hessian)
            _, seconds_pairs = timed(solved.correlations)
            size = f"{length} x {length}, {scale:g}"
            print(f"  {size:16} {seconds:10.3f} {seconds_hessian:12.3f} {seconds_pairs:12.3f}")


def square_grid(length):
    """(n_edges, 2) edges of a free square grid."""
    node = np.arange(length**2).reshape(length, length)
    across = np.stack([node[:, :-1].ravel(), node[:, 1:].ravel()], axis=1)
    return np.vstack([across, np.stack([node[:-1].ravel(), node[1:].ravel()], axis=1)])


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--largest", type=int, default=100, help="side of the largest grid (100 takes half a minute)")
    largest = parser.parse_args().largest
    certified_log_partition(plan(1, np.zeros((0, 2), int)), [])  # imports and compiles
    strong_couplings()
    solutions()
    grids(largest)


if __name__ == "__main__":
    main()
