"""Numbers of ground states: +-J grids, integer couplings, and antiferromagnets on Delaunay triangulations.

    python benchmarks/degeneracy.py [--largest 100]     200 takes a minute

Seconds of processor time, median of three models, the plan not included; beside it the time that a ground state takes,
and how the time grows with the number of spins. The entropy per spin is log(number) / n.
"""

from __future__ import annotations

import argparse
import math
import statistics
import time
from pathlib import Path

import numpy as np
from scipy.spatial import Delaunay

from isingmap.errors import PrecisionError
from isingmap.inference.ground_states.ground_state import ground_spins
from isingmap.inference.proofs.degeneracy import degeneracy
from isingmap.inference.zero_field.plan import plan

DATA = Path(__file__).resolve().parents[2] / "shared" / "data"


def square_grid(length: int) -> np.ndarray:
    node = np.arange(length**2).reshape(length, length)
    across = np.stack([node[:, :-1].ravel(), node[:, 1:].ravel()], axis=1)
    return np.vstack([across, np.stack([node[:-1].ravel(), node[1:].ravel()], axis=1)])


def delaunay(rng: np.random.Generator, n_spins: int) -> np.ndarray:
    corners = Delaunay(rng.random((n_spins, 2))).simplices
    sides = np.vstack([corners[:, [0, 1]], corners[:, [1, 2]], corners[:, [0, 2]]])
    return np.unique(np.sort(sides, axis=1), axis=0)


def timed(function, *arguments):
    start = time.process_time()
    result = function(*arguments)
    return result, time.process_time() - start


def glasses() -> None:
    print("published +-J glasses     seconds   ground states")
    for path in sorted((DATA / "spin_glass/planar_free").glob("*pmj.csv")):
        table = np.loadtxt(path, delimiter=",", skiprows=1)
        edges = table[:, :2].astype(int)
        count, seconds = timed(degeneracy, plan(int(edges.max()) + 1, edges), table[:, 2])
        print(f"  {path.stem.split('_free')[0]:20} {seconds:10.3f} {count:15d}")


def sizes(title: str, models, numbers) -> None:
    """Three models of each size, made by `models(rng, size)`: edges and couplings."""
    print(f"{title:32} n   seconds   / ground state    growth   entropy per spin")
    before = None
    for size in numbers:
        rng, seconds, ratios, entropies = np.random.default_rng(size), [], [], []
        for _ in range(3):
            edges, couplings = models(rng, size)
            n_spins = int(edges.max()) + 1
            graph = plan(n_spins, edges)
            _, of_state = timed(ground_spins, graph, couplings)
            try:
                count, taken = timed(degeneracy, graph, couplings)
            except PrecisionError as error:
                print(f"  {n_spins}: {error}")
                return
            seconds.append(taken)
            ratios.append(taken / of_state)
            entropies.append(math.log(count) / n_spins)
        median = statistics.median(seconds)
        growth = f"n^{math.log(median / before[1]) / math.log(n_spins / before[0]):.2f}" if before else ""
        print(
            f"  {n_spins:30d} {median:11.3f} {statistics.median(ratios):16.1f} {growth:>9} "
            f"{statistics.mean(entropies):18.4f}"
        )
        before = (n_spins, median)


def plus_minus(rng, length):
    edges = square_grid(length)
    return edges, rng.choice([-1.0, 1.0], len(edges))


def integers(rng, length):
    edges = square_grid(length)
    return edges, rng.integers(-10, 11, len(edges)).astype(float)


def antiferromagnet(rng, n_spins):
    edges = delaunay(rng, n_spins)
    return edges, -np.ones(len(edges))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--largest", type=int, default=100, help="side of the largest grid (default: 100)")
    largest = parser.parse_args().largest
    for models in (plus_minus, integers, antiferromagnet):  # imports and compiles
        edges, couplings = models(np.random.default_rng(0), 6)
        graph = plan(int(edges.max()) + 1, edges)
        degeneracy(graph, couplings)
        ground_spins(graph, couplings)
    glasses()
    lengths = [length for length in (10, 20, 30, 50, 70, 100, 140, 200, 260) if length <= largest]
    sizes("grids, +-J", plus_minus, lengths)
    sizes("grids, integers from -10 to 10", integers, lengths)
    sizes("Delaunay, antiferromagnetic", antiferromagnet, [n for n in (250, 500, 1000, 2000, 16000) if n <= largest**2])


if __name__ == "__main__":
    main()
