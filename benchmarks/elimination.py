"""Elimination of variables on L x L grids with a field on every spin, beside dwave-samplers where it is installed.

    python benchmarks/elimination.py [--largest 20] [--questions 1 2 ...]

    1  plan, log Z, all moments; dwave-samplers (`pip install dwave-samplers`), which gives log Z with marginals
    2  everything else that can be asked, L = 10        3  strong couplings, against ball arithmetic
    4  one gradient of narrow random planar graphs      5  first-use compilation

Wall seconds, the best of up to three runs after compilation, one thread; ratios compare times of one run.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
import time
from os import environ

import numpy as np
from scipy.spatial import Delaunay

from inference import REFERENCE, grid, row, seconds, table
from isingmap import IsingModel
from isingmap.inference.elimination.clique_tree import clique_tree
from isingmap.inference.elimination.solution import elimination_solution
from isingmap.inference.enumeration import enumerate_model
from isingmap.inference.extended import ExtendedGraph

SIDES = (6, 8, 10, 12, 14, 16, 18, 20)
# Beyond it dwave-samplers needs more memory than there is, or its order is wider than it accepts.
LARGEST_FOR_DWAVE = 18


def grid_case(side: int, scale: float = 1.0):
    rng = np.random.default_rng(side)
    edges = grid(side)
    graph = ExtendedGraph.of(side * side, edges, np.arange(side * side))
    return graph, scale * rng.uniform(-1, 1, len(graph.extended_edges))


def by_dwave(graph, strengths):
    """(seconds, log Z) of its tree decomposition, which samples and computes marginals; None where there is none."""
    try:
        import dimod
        from dwave.samplers import TreeDecompositionSampler
    except ImportError:
        return None, None

    couplings, fields = graph.split(strengths)
    # exp(-E) with E = sum h x + sum J x x: signs change.
    minus_couplings = dict(zip(map(tuple, graph.edges.tolist()), (-couplings).tolist(), strict=True))
    model = dimod.BinaryQuadraticModel.from_ising(dict(enumerate((-fields).tolist())), minus_couplings)
    try:
        took, answer = seconds(lambda: TreeDecompositionSampler().sample(model, beta=1.0, num_reads=1, marginals=True))
    except ValueError:
        return None, None
    return took, answer.info["log_partition_function"]


def question_1(largest: int) -> None:
    table("1. log Z and moments", "L", "width", "plan", "log Z", "moments", "moments/logZ", "dwave", "ratio", "differs")
    for side in SIDES:
        if side <= largest:
            beside_dwave(side)


def beside_dwave(side: int) -> None:
    graph, strengths = grid_case(side)
    planned, tree = seconds(lambda: clique_tree(graph.n_spins, graph.edges))
    of_log_z, log_z = seconds(lambda: elimination_solution(graph, tree, strengths).log_partition)
    of_moments, _ = seconds(lambda: elimination_solution(graph, tree, strengths).parameter_moments())
    theirs, their_log_z = by_dwave(graph, strengths) if side <= LARGEST_FOR_DWAVE else (None, None)
    compared = (theirs, theirs / of_moments, abs(their_log_z - log_z)) if theirs else ("", "", "")
    row(side, tree.width, planned, of_log_z, of_moments, of_moments / of_log_z, *compared)


def question_2() -> None:
    graph, strengths = grid_case(10)
    couplings, fields = graph.split(strengths)
    model = IsingModel(graph.edges, couplings, fields)

    def fresh():
        return model.with_couplings(couplings, fields)

    vector = np.ones(model.n_parameters)
    table("2. 10 x 10 with all fields", "question", "seconds")
    for what, ask in {
        "log Z": lambda m: m.log_partition(),
        "moments": lambda m: m.moments(),
        "certified log Z": lambda m: m.log_partition(certified=True),
        "ground state": lambda m: m.ground_state(),
        "1000 samples": lambda m: m.sample(1000, rng=0),
        "all pairs": lambda m: m.correlations(),
        "one pair": lambda m: m.correlations([(0, 99)]),
        "Hessian": lambda m: m.hessian(),
        "Hessian product": lambda m: m.hessian_product(vector),
    }.items():
        row(what, seconds(lambda ask=ask: ask(fresh()))[0])


def question_3() -> None:
    table("3. strong couplings", "L", "largest", "seconds", "log Z, relative", "moments")
    with open(REFERENCE / "strong_coupling.json") as stream:
        for instance in json.load(stream):
            against_balls(instance)


def against_balls(instance: dict) -> None:
    n_spins = instance["L"] ** 2
    model = IsingModel(instance["edges"], instance["J"], n_spins=n_spins)
    solution = elimination_solution(model.planned.graph, clique_tree(n_spins, model.edges), model.couplings)
    took, moments = seconds(solution.moments, 1)
    exact, (lower, upper) = model.log_partition(certified=True), model.certified_moments()
    off = max(exact.lower - solution.log_partition, solution.log_partition - exact.upper, 0.0) / abs(exact.lower)
    error = float(np.maximum(lower - moments, moments - upper).max(initial=0.0))
    row(instance["L"], instance["scale"], took, off, error)


def question_4() -> None:
    table("4. one gradient, random planar", "n", "edges", "width", "plan", "gradient")
    rng = np.random.default_rng(0)
    for n_spins, share in ((16, 0.8), (69, 0.8), (100, 0.55), (200, 0.5)):
        corners = Delaunay(rng.random((n_spins, 2))).simplices
        sides = np.vstack([corners[:, [0, 1]], corners[:, [1, 2]], corners[:, [0, 2]]])
        edges = np.unique(np.sort(sides, axis=1), axis=0)
        edges = edges[rng.random(len(edges)) < share]
        graph = ExtendedGraph.of(n_spins, edges, np.arange(n_spins))
        strengths = rng.normal(size=len(graph.extended_edges))
        planned, tree = seconds(lambda graph=graph: clique_tree(graph.n_spins, graph.edges))
        took, _ = seconds(
            lambda graph=graph, tree=tree, s=strengths: elimination_solution(graph, tree, s).parameter_moments()
        )
        row(n_spins, len(edges), tree.width, planned, took)


def question_5() -> None:
    code = (
        "import time, numpy as np; from isingmap import IsingModel\n"
        "m = IsingModel([(i, j) for i in range(6) for j in range(i)], np.ones(15), np.ones(6))\n"
        "for name in ('log_partition', 'moments', 'hessian', 'ground_state'):\n"
        "    start = time.perf_counter(); getattr(m, name)(); print(name, round(time.perf_counter() - start, 2))\n"
        "start = time.perf_counter(); m.sample(1); print('sample', round(time.perf_counter() - start, 2))"
    )
    table("5. first use, nothing compiled")
    with tempfile.TemporaryDirectory() as folder:
        start = time.perf_counter()
        subprocess.run([sys.executable, "-c", code], check=True, env={**environ, "NUMBA_CACHE_DIR": folder})
        print(f"together, with imports: {time.perf_counter() - start:.1f}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--largest", type=int, default=16, help="side of the largest grid")
    parser.add_argument("--questions", type=int, nargs="*", default=[1, 2, 3, 4, 5])
    arguments = parser.parse_args()
    warm = IsingModel([(i, j) for i in range(6) for j in range(i)], np.ones(15), np.ones(6))
    for ask in (warm.log_partition, warm.moments, warm.hessian, warm.correlations, warm.ground_state):
        ask()
    warm.sample(1)
    enumerated = enumerate_model(6, warm.edges, warm.couplings, warm.fields)
    print(f"6 spins: differs from enumeration by {abs(enumerated.log_partition - warm.log_partition()):.1e}")
    for number in arguments.questions:
        {1: lambda: question_1(arguments.largest), 2: question_2, 3: question_3, 4: question_4, 5: question_5}[number]()


if __name__ == "__main__":
    main()
