"""Fits of resamples: how long they take on one process and on two, and what their frequencies are worth.

    python benchmarks/resampling.py [QUESTION ...] [--refits 16] [--models 3]

questions: 1  1000 refits of a table of 20 variables and 500 rows, default search and greedy; also processor time,
              which counts on a machine that others use too
           2  100 refits of the 106th Senate (96 members, 672 roll calls, votes not cast read as nay), default search
           3  do frequencies tell true edges from false ones? AUC over simulated models of 20 variables, beside
              |coupling| of a single fit; edges chosen by stability selection
           4  one process, two, threads and a Dask cluster of two processes: times, and whether any bit differs

Times of 1 and 2 are measured with so many `--refits` and scaled up. Default: all questions.
"""

from __future__ import annotations

import argparse
import hashlib
import time
import warnings
from contextlib import nullcontext
from itertools import combinations

import numpy as np
from scipy.spatial import Delaunay

from isingmap import IsingModel, PlanarIsing
from isingmap.datasets import load_senate106

SENATE = {"family": "planar", "missing": "minus", "constant": "drop"}


def truth(seed: int, n_spins: int = 20, n_edges: int = 40) -> IsingModel:
    """A part of a random triangulation, couplings 0.2 to 0.8 of either sign, fields -0.5 to 0.5."""
    rng = np.random.default_rng(seed)
    triangles = Delaunay(rng.random((n_spins, 2))).simplices.tolist()
    edges = sorted({tuple(sorted(pair)) for corners in triangles for pair in combinations(corners, 2)})
    kept = np.sort(rng.permutation(len(edges))[:n_edges])
    couplings = rng.uniform(0.2, 0.8, len(kept)) * rng.choice([-1, 1], len(kept))
    return IsingModel([edges[k] for k in kept.tolist()], couplings, rng.uniform(-0.5, 0.5, n_spins))


def clock(table, settings: dict, n_refits: int, n_jobs: int) -> tuple[float, float, object]:
    """Seconds, and those of this process on a processor, of the fit and its refits, on processes that have started."""
    fit = PlanarIsing(**settings)
    fit.stability(table, n_resamples=n_jobs, n_jobs=n_jobs)
    start = time.perf_counter(), time.process_time()
    found = fit.stability(table, n_resamples=n_refits, n_jobs=n_jobs)
    return time.perf_counter() - start[0], time.process_time() - start[1], found


def times(arguments) -> None:
    table = truth(0).sample(500, rng=1)
    for search, n_refits in (("forward-backward", arguments.refits), ("greedy", 10 * arguments.refits)):
        for n_jobs in (1, 2):
            took, processor, _ = clock(table, {"search": search}, n_refits, n_jobs)
            own = f", {processor / (n_refits + 1):.2f} s of a processor each" if n_jobs == 1 else ""
            print(
                f"  {search:<17}{n_jobs} process(es): {n_refits} refits and the fit {took:6.1f} s, 1000 would take "
                f"{took / (n_refits + 1) * 1000:6.0f} s{own}",
                flush=True,
            )


def senate(arguments) -> None:
    table = load_senate106()
    kept = (table.spins != 0).mean(axis=0) >= 0.75
    table = table.select(np.flatnonzero(kept).tolist())
    n_refits = max(arguments.refits // 4, 2)
    took, processor, found = clock(table, SENATE, n_refits, 1)
    print(
        f"  {table.n_spins} members, 1 process: {n_refits} refits and the fit {took:.0f} s, 100 would take "
        f"{took / (n_refits + 1) * 100:.0f} s, {processor / (n_refits + 1):.1f} s of a processor each; "
        f"{len(found.edges)} edges, {found.in_common_with_fit:.0f} of them in a refit"
    )


def area(scores: np.ndarray, is_true: np.ndarray) -> float:
    """Chance that a true edge scores higher than a pair that is none; half for equal scores (AUC)."""
    differences = scores[is_true][:, None] - scores[~is_true]
    return float((differences > 0).mean() + (differences == 0).mean() / 2)


def worth(arguments) -> None:
    print("  rows  kind             AUC of frequency  of |coupling|   selected   false among them (bound: 1)")
    for n_rows in (200, 1000):
        for kind in ("nonparametric", "m-out-of-n"):
            results = []
            for seed in range(arguments.models):
                model = truth(seed)
                found = PlanarIsing(search="greedy").stability(
                    model.sample(n_rows, rng=100 + seed), n_resamples=60, kind=kind, n_jobs=2
                )
                is_true = np.zeros(len(found.pairs), bool)
                is_true[found.numbers_of(model.edges)] = True
                stable = found.stable()
                results.append(
                    [
                        area(found.frequency, is_true),
                        area(np.abs(found.coupling), is_true),
                        stable.sum(),
                        (stable & ~is_true).sum(),
                    ]
                )
            frequency, single, chosen, false = np.mean(results, axis=0)
            print(
                f"  {n_rows:<6}{kind:<17}{frequency:.3f}{single:18.3f}{chosen:16.1f}{false:8.2f}",
                flush=True,
            )


def same_bits(arguments) -> None:
    from joblib import parallel_config

    table = truth(1, 12, 20).sample(300, rng=1)

    def told(name: str, where=None, n_jobs=None) -> None:
        with where or nullcontext():
            start = time.perf_counter()
            found = PlanarIsing(search="greedy").stability(table, n_resamples=400, n_jobs=n_jobs)
        arrays = (found.frequency, found.interval, found.mean_if_chosen, found.sign_stability)
        digest = hashlib.sha256(b"".join(array.tobytes() for array in arrays)).hexdigest()[:16]
        print(f"  {name:<24}{time.perf_counter() - start:6.1f} s   {digest}", flush=True)

    told("1 process")
    told("2 processes, cold", n_jobs=2)
    told("2 processes, warm", n_jobs=2)
    told("2 threads", parallel_config("threading", n_jobs=2))
    try:
        from distributed import Client, LocalCluster
    except ImportError:
        print("  dask and distributed are not installed")
        return
    with LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None) as cluster, Client(cluster):
        told("Dask, 2 processes, cold", parallel_config("dask"))
        told("Dask, 2 processes, warm", parallel_config("dask"))


QUESTIONS = {"1": times, "2": senate, "3": worth, "4": same_bits}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("questions", nargs="*", metavar="QUESTION")
    parser.add_argument("--refits", type=int, default=16)
    parser.add_argument("--models", type=int, default=3)
    arguments = parser.parse_args()
    warnings.simplefilter("ignore")
    for name in arguments.questions or QUESTIONS:
        print(f"{name}.", flush=True)
        QUESTIONS[name](arguments)


if __name__ == "__main__":
    main()
