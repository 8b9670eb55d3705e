"""How long the graphs in use today take, with the exact planar Ising fit, and how the time grows.

    python benchmarks/baselines.py [--largest 10000]

Data: 2000 rows of signs of noisy factors. Medians of three runs after one warm-up; the growth is the exponent of n
between a size and the one before. The fit is that of the zero-field family with prior=1.
"""

from __future__ import annotations

import argparse
import time
from statistics import median

import numpy as np

from isingmap import Problem
from isingmap.structure.fixed_graphs.fit_graph import fit_graph
from isingmap.structure.fixed_graphs.pmfg import pmfg_edges
from isingmap.structure.fixed_graphs.tmfg import fit_tmfg, tmfg_edges
from isingmap.structure.fixed_graphs.tree import chow_liu_edges

N_ROWS = 2000
FITTED_BY_NEWTON = 300  # a maximal graph that is no TMFG: beyond this the Newton fit is another benchmark's subject


def factor_moments(n_spins: int) -> np.ndarray:
    rng = np.random.default_rng(n_spins)
    factors = rng.normal(size=(N_ROWS, 10)) @ rng.normal(size=(10, n_spins))
    data = np.sign(rng.normal(size=(N_ROWS, n_spins)) + 0.5 * factors).astype(np.float32)
    return (data.T @ data) / np.float32(N_ROWS)


def seconds(task) -> tuple[float, object]:
    """Median time of up to three runs (one if it takes more than 5 s), and the result."""
    times = []
    while len(times) < 3:
        start = time.perf_counter()
        result = task()
        times.append(time.perf_counter() - start)
        if times[-1] > 5:
            break
    return median(times), result


def measured(n_spins: int, moments: np.ndarray):
    """(what, seconds) of everything that is sensible at this size."""
    similarity = np.abs(moments)
    problem = Problem.from_moments(moments, N_ROWS, family="zero-field", prior=1.0)
    took, tree = seconds(lambda: chow_liu_edges(moments))
    yield "Chow-Liu graph", took
    if n_spins <= 1000:
        yield "Chow-Liu fit", seconds(lambda: fit_graph(tree, problem))[0]
    took, graph = seconds(lambda: tmfg_edges(similarity))
    yield "TMFG graph", took
    yield "TMFG fit", seconds(lambda: fit_tmfg(graph, problem))[0]
    if n_spins <= 1000:
        took, edges = seconds(lambda: pmfg_edges(similarity))
        yield "PMFG graph", took
        if n_spins <= FITTED_BY_NEWTON:
            yield "PMFG fit", seconds(lambda: fit_graph(edges, problem))[0]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--largest", type=int, default=10_000, help="largest number of variables")
    largest = parser.parse_args().largest
    list(measured(30, factor_moments(30)))  # compile
    before: dict[str, tuple[int, float]] = {}
    print(f"{'n':>6}  {'what':<15} {'seconds':>9}  growth")
    for n_spins in (n for n in (100, 300, 1000, 3000, 10_000) if n <= largest):
        for what, took in measured(n_spins, factor_moments(n_spins)):
            growth = ""
            if what in before:
                size, earlier = before[what]
                growth = f"n^{np.log(took / earlier) / np.log(n_spins / size):.1f}"
            before[what] = n_spins, took
            print(f"{n_spins:>6}  {what:<15} {took:>9.4f}  {growth}", flush=True)


if __name__ == "__main__":
    main()
