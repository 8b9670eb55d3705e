"""Rows per second and memory of a table that passes in parts, beside a bare product of the same parts in NumPy.

    python benchmarks/streaming.py [--rows 10000000] [--columns 30] [--chunk 100000]

Every line is a process of its own; with gaps or weights a tenth of the rows. Four parts are drawn before, and added
again and again; only that is timed. The bare product is X^T X of the part as float32, with the conversion from
int8, which BLAS cannot multiply, and without. Memory is the peak of the process above that when the first part had been
added.
"""

from __future__ import annotations

import argparse
import subprocess
import sys

BODY = """
import resource, sys, time
import numpy as np
from isingmap import MomentAccumulator
kind, n_rows, n_columns, n_chunk = sys.argv[1], *map(int, sys.argv[2:])
peak = lambda: resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
rng = np.random.default_rng(0)
chunks = [2 * rng.integers(0, 2, (n_chunk, n_columns), dtype=np.int8) - 1 for _ in range(4)]
weights = None
if "gaps" in kind:
    for chunk in chunks:
        chunk[:] = np.where(rng.random(chunk.shape) < 0.01, 0, chunk)
if "0/1" in kind:
    chunks = [(chunk + 1) // 2 for chunk in chunks]
if "floats" in kind:
    chunks = [chunk.astype(np.float64) for chunk in chunks]
if "gaps" in kind:
    chunks = [np.where(chunk == 0, np.nan, chunk) for chunk in chunks]
if "weights" in kind:
    weights = rng.random(n_chunk) if "fractional" in kind else rng.integers(1, 9, n_chunk)
singles = [chunk.astype(np.float32) for chunk in chunks]
accumulator = MomentAccumulator(missing="pairwise" if "patterns" in kind else "minus")
total = np.zeros((n_columns,) * 2)
def add(k):
    if kind == "X^T X":
        total[:] += singles[k].T @ singles[k]
    elif kind == "X^T X with conversion":
        X = chunks[k].astype(np.float32)
        total[:] += X.T @ X
    else:
        accumulator.add(chunks[k], weights)
add(0)
before = peak()
start, n_added = time.perf_counter(), 0
while n_added < n_rows:
    add(int(rng.integers(4)))
    n_added += n_chunk
took = time.perf_counter() - start
print(n_added / took, peak() - before)
"""
KINDS = (
    "X^T X",
    "X^T X with conversion",
    "int8, -1/1",
    "int8, 0/1",
    "floats, -1/1",
    "floats with gaps",
    "floats with gaps and their patterns",
    "int8, whole weights",
    "int8, fractional weights",
)


def measured(kind: str, arguments: argparse.Namespace) -> tuple[float, float]:
    """Rows per second and bytes."""
    n_rows = arguments.rows if "weights" not in kind and "gaps" not in kind else arguments.rows // 10
    command = [sys.executable, "-c", BODY, kind, *map(str, (n_rows, arguments.columns, arguments.chunk))]
    run = subprocess.run(command, capture_output=True, text=True, check=True)
    speed, memory = run.stdout.split()
    return float(speed), float(memory)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=int, default=10_000_000)
    parser.add_argument("--columns", type=int, default=30)
    parser.add_argument("--chunk", type=int, default=100_000)
    arguments = parser.parse_args()
    print("| parts | million rows a second | of X^T X | more memory, MB |")
    print("|---|---|---|---|")
    bare = 0.0
    for kind in KINDS:
        speed, memory = measured(kind, arguments)
        bare = bare or speed
        print(f"| {kind} | {speed / 1e6:.1f} | {speed / bare:.2f} | {memory / 1e6:.1f} |", flush=True)


if __name__ == "__main__":
    main()
