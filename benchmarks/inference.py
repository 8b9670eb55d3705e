"""Exact inference: how long every kind of answer takes, beside the bare SuperLU factorisation of the same matrix.

    python benchmarks/inference.py [--largest 100000] [--slow] [--questions 1 2 ...]

    1  log Z and all moments of L x L grids, beside SuperLU      5  far correlations, Hessian-vector products
    2  one gradient of a kept plan at n = 100                     6  strong couplings against their references
    3  exact samples                                              7  import and first-use compilation
    4  certified log Z (100 x 100 with --slow)

Wall seconds, the best of up to three runs (one if it takes more than 5 s), after compilation, on one BLAS thread;
ratios compare times of one run. Questions 4 and 6 read the reference instances of ../shared/data.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from collections import Counter, defaultdict
from pathlib import Path

import numpy as np
from scipy.sparse import csc_array
from scipy.sparse.linalg import splu
from scipy.spatial import Delaunay

from isingmap.inference.ground_states.ground_state import ground_spins
from isingmap.inference.pfaffian.blas import one_blas_thread
from isingmap.inference.pfaffian.inverse import inverse_entries
from isingmap.inference.precision import LOSS_TOLERANCE
from isingmap.inference.proofs.certified import certified_log_partition
from isingmap.inference.proofs.certified_solution import certified_solution
from isingmap.inference.rungs import zero_field_ladder
from isingmap.inference.samples.tree_sampler import exact_samples
from isingmap.inference.zero_field.plan import DualPlan, plan
from isingmap.inference.zero_field.solution import DualSolution, solve_dual

REFERENCE = Path(__file__).resolve().parents[2] / "shared" / "data" / "reference"
GRID_LOG_PARTITION = {32: 1019.979981777209611, 50: 2470.775083885515275, 100: 9932.809853651441894}
SIDES = (10, 32, 100, 316, 1000)
N_SAMPLES = 64
# Spins up to which SuperLU's own orderings are tried; nested dissection stays.
LARGEST_FOR_COLAMD = 100_000
LARGEST_FOR_MMD = 20_000


def seconds(task, runs: int = 3) -> tuple[float, object]:
    """Least wall time of up to `runs` runs (one if it takes more than 5 s), and the result."""
    least = np.inf
    for _ in range(runs):
        start = time.perf_counter()
        result = task()
        took = time.perf_counter() - start
        least = min(least, took)
        if took > 5:
            break
    return least, result


def table(title: str, *columns: str) -> None:
    print(f"\n{title}\n" + "".join(f"{column:>16}" for column in columns), flush=True)


def row(*values) -> None:
    """Print times and other floats with three digits."""
    texts = [f"{value:.3g}" if isinstance(value, float) else str(value) for value in values]
    print("".join(f"{text:>16}" for text in texts), flush=True)


def grid(side: int) -> np.ndarray:
    """(n_edges, 2) edges of a free square grid."""
    node = np.arange(side * side).reshape(side, side)
    across = np.stack([node[:, :-1].ravel(), node[:, 1:].ravel()], axis=1)
    return np.vstack([across, np.stack([node[:-1].ravel(), node[1:].ravel()], axis=1)])


def random_grid(side: int, low: float = -1.0) -> tuple[np.ndarray, np.ndarray]:
    """Edges of a grid and couplings uniform in [low, 1]."""
    edges = grid(side)
    return edges, np.random.default_rng(side).uniform(low, 1, len(edges))


# 1: log Z and moments beside SuperLU


def dual_entries(solution: DualSolution) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """(rows, columns, values) of K': twin, next and previous of each dart."""
    following = solution.plan.elimination.next_in_face
    dart = np.arange(following.size)
    columns = np.stack([dart ^ 1, following, following[following]], axis=1)
    return np.repeat(dart, 3), columns.ravel(), solution.weights.entries.ravel()


def elimination_position(graph: DualPlan) -> np.ndarray:
    """Place of each dart in our nested-dissection order."""
    order = np.repeat(2 * graph.elimination.order, 2)
    order[1::2] += 1
    position = np.empty_like(order)
    position[order] = np.arange(order.size)
    return position


def superlu(solution: DualSolution) -> dict[str, tuple[float, float]]:
    """(seconds, log |Pf K'|) of the bare factorisation in each ordering; rows paired by twin fill the diagonal."""
    rows, columns, values = dual_entries(solution)
    position = elimination_position(solution.plan)
    paired = csc_array((values, (rows ^ 1, columns)))
    ours = csc_array((values, (position[rows] ^ 1, position[columns])))
    symmetric = {"options": {"SymmetricMode": True}, "diag_pivot_thresh": 0.1}
    tasks = {"NATURAL": lambda: splu(ours, permc_spec="NATURAL", **symmetric)}
    if solution.plan.n_spins <= LARGEST_FOR_COLAMD:
        tasks["COLAMD"] = lambda: splu(paired, permc_spec="COLAMD")
    if solution.plan.n_spins <= LARGEST_FOR_MMD:
        tasks["MMD_AT_PLUS_A"] = lambda: splu(paired, permc_spec="MMD_AT_PLUS_A", **symmetric)
    results = {}
    with one_blas_thread():
        for name, task in tasks.items():
            took, factors = seconds(task)
            results[name] = took, 0.5 * np.log(np.abs(factors.U.diagonal())).sum()
            del factors
    return results


def measure_grid(side: int) -> tuple[list[float], DualSolution]:
    """[plan, log Z, moments] in seconds; the moments of a solution are kept, so each run has its own solution."""
    edges, couplings = random_grid(side)
    planning, graph = seconds(lambda: plan(side * side, edges))
    solving, solution = seconds(lambda: solve_dual(graph, couplings))
    moments = np.inf
    for _ in range(3 if solving < 5 else 1):
        moments = min(moments, seconds(solution.moments, runs=1)[0])
        if side < 1000:
            for kept in ("_selected", "_matched", "loss"):
                vars(solution).pop(kept, None)
    return [planning, solving, moments], solution


def ground_gauge_loss(solution: DualSolution) -> float:
    """Loss of the engine's second attempt: the same model gauged by a ground state."""
    graph = solution.plan
    couplings = random_grid(int(np.sqrt(graph.n_spins)))[1]
    return solve_dual(graph, couplings, ground_spins(graph, couplings).spins.astype(np.float64)).loss


def error_by_solving(solution: DualSolution) -> float:
    """Largest difference of a few moments from those by solving with the same factors, without selected inversion."""
    edges = np.random.default_rng(0).choice(solution.plan.n_edges, 10, replace=False)
    darts = np.stack([2 * edges, 2 * edges + 1], axis=1).ravel()
    with one_blas_thread():
        inverse = inverse_entries(solution.plan.elimination, solution._factors, darts)
    across = inverse[np.arange(0, 20, 2), np.arange(1, 20, 2)]
    moments = solution._edge_gauge[edges] * (-2.0 * solution.weights.twin[2 * edges] * across - 1.0)
    return float(np.abs(moments - solution.moments()[edges]).max())


def growth(before: tuple[int, float] | None, n_spins: int, took: float) -> str:
    return f"n^{np.log(took / before[1]) / np.log(n_spins / before[0]):.2f}" if before else ""


def question_1(arguments) -> None:
    """log Z and all moments of grids, beside SuperLU."""
    lines, before = [], None
    columns = ("n", "plan", "log Z", "growth", "moments", "ratio", "loss", "loss, ground", "by solving", "peak GiB")
    table("1. L x L grids, couplings in [-1, 1]; ratio: moments / log Z", *columns)
    for side in (side for side in SIDES if side * side <= arguments.largest):
        (planning, solving, moments), solution = measure_grid(side)
        loss, peak = solution.loss, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
        n_spins = side * side
        gauged = ground_gauge_loss(solution) if loss > LOSS_TOLERANCE and n_spins <= LARGEST_FOR_COLAMD else "-"
        rate = growth(before, n_spins, solving)
        row(
            n_spins, planning, solving, rate, moments, moments / solving, loss, gauged, error_by_solving(solution), peak
        )
        before = n_spins, solving
        log_pfaffian = solution.log_partition - np.log(2.0) - np.abs(solution._gauged).sum()
        lines.append((n_spins, solving, log_pfaffian, superlu(solution)))
        del solution
    names = ("NATURAL", "COLAMD", "MMD_AT_PLUS_A")
    table("   the same matrix in SuperLU (NATURAL: in our order)", "n", *names, "ours", "ours/best", "log Pf differs")
    for n_spins, solving, log_pfaffian, theirs in lines:
        best = min(took for took, _ in theirs.values())
        differs = max(abs(value / log_pfaffian - 1) for _, value in theirs.values())
        times = [theirs[name][0] if name in theirs else "-" for name in names]
        row(n_spins, *times, solving, solving / best, float(differs))


# 2 to 5: gradients, samples, proofs, correlations


def question_2(arguments) -> None:
    """Gradient of a kept plan on random (Delaunay) triangulations."""
    table("2. one gradient (log Z, all moments) of a kept plan, random triangulation", "n", "edges", "plan ms", "ms")
    for n_spins in (100, 1000):
        triangles = Delaunay(np.random.default_rng(n_spins).uniform(size=(n_spins, 2))).simplices
        sides = np.sort(np.vstack([triangles[:, [0, 1]], triangles[:, [0, 2]], triangles[:, [1, 2]]]), axis=1)
        edges = np.unique(sides, axis=0)
        couplings = np.random.default_rng(0).uniform(-1, 1, len(edges))
        planning, graph = seconds(lambda edges=edges, n_spins=n_spins: plan(n_spins, edges))
        took, _ = seconds(lambda graph=graph, couplings=couplings: solve_dual(graph, couplings).moments(), runs=30)
        row(n_spins, len(edges), 1e3 * planning, 1e3 * took)


def question_3(arguments) -> None:
    """Exact samples; the amortised time includes plan, factorisation and preparation."""
    table(f"3. exact samples, seconds each over {N_SAMPLES}", "n", "plan + log Z", "draw all", "amortised", "energy z")
    for side in (side for side in (32, 100) if side * side <= arguments.largest):
        edges, couplings = random_grid(side)
        preparing, solution = seconds(lambda e=edges, c=couplings, n=side * side: solve_dual(plan(n, e), c), runs=1)
        rng = np.random.default_rng(1)
        drawing, samples = seconds(lambda s=solution, r=rng: exact_samples(s, N_SAMPLES, r))
        log_weights = (samples[:, edges[:, 0]] * samples[:, edges[:, 1]]) @ couplings
        error = log_weights.std(ddof=1) / np.sqrt(N_SAMPLES)
        z = float((log_weights.mean() - couplings @ solution.moments()) / error)
        row(side * side, preparing, drawing, (preparing + drawing) / N_SAMPLES, z)


def question_4(arguments) -> None:
    """Certified log Z of the reference grids."""
    table("4. certified log Z of the reference grids", "n", "seconds", "in doubles", "width", "encloses")
    for side, known in GRID_LOG_PARTITION.items():
        if side == 100 and not arguments.slow:
            continue
        case = json.loads((REFERENCE / f"grid_L{side}.json").read_text())
        graph, couplings = plan(case["n"], np.array(case["edges"])), np.array(case["J"])
        doubles, _ = seconds(lambda g=graph, c=couplings: solve_dual(g, c))
        took, interval = seconds(lambda g=graph, c=couplings: certified_log_partition(g, c))
        # The literals are themselves rounded to doubles.
        encloses = np.nextafter(known, 0) <= interval.upper and interval.lower <= np.nextafter(known, np.inf)
        row(side * side, took, doubles, interval.width, str(bool(encloses)))


def question_5(arguments) -> None:
    """Correlation of opposite corners and Hessian-vector products.

    Checks: the correlation is the moment of an edge of coupling 0 between the corners; the product is the central
    difference of the moments.
    """
    table("5. opposite corners; Hessian times a vector", "n", "couplings", "corners", "error", "product", "error")
    for side, low in ((side, low) for side in (60, 100) for low in (-1.0, 0.0)):
        edges, couplings = random_grid(side, low)
        n_spins = side * side
        graph = plan(n_spins, edges)
        solution, vector = solve_dual(graph, couplings), np.random.default_rng(2).normal(size=len(edges))
        far, found = seconds(lambda s=solution, n=n_spins: s.pair_correlations(np.array([[0, n - 1]])))
        joined = solve_dual(plan(n_spins, np.vstack([edges, [0, n_spins - 1]])), np.append(couplings, 0.0))
        multiplying, product = seconds(lambda s=solution, v=vector: s.hessian_product(v))
        step = 1e-5
        above, below = (solve_dual(graph, couplings + sign * step * vector).moments() for sign in (1, -1))
        error = float(np.abs(product - (above - below) / (2 * step)).max())
        row(n_spins, f"[{low:g}, 1]", far, float(abs(found[0] - joined.moments()[-1])), multiplying, error)


# 6: strong couplings


def moment_error(solved, case: dict) -> float:
    """Largest error of a moment, 0 where the case gives none."""
    known = next((np.array(value) for key, value in case.items() if key.startswith("moments")), None)
    return 0.0 if known is None else float(np.abs(solved.moments() - known).max())


def question_6(arguments) -> None:
    """The 20 instances of strong_coupling.json, by coupling strength."""
    groups = defaultdict(list)
    for case in json.loads((REFERENCE / "strong_coupling.json").read_text()):
        graph, couplings = plan(case["L"] ** 2, np.array(case["edges"])), np.array(case["J"])
        ladder = zero_field_ladder(graph, couplings)
        took, solved = seconds(lambda ladder=ladder: ladder.solved, runs=1)
        error = abs(solved.log_partition / case["logZ_transfer"] - 1)
        groups[case["scale"]].append((error, moment_error(solved, case), took, ladder.kind.name))
    table("6. strong couplings, worst of each", "largest |theta|", "instances", "log Z, relative", "moments", "seconds")
    for scale, found in sorted(groups.items()):
        errors, moments, times, engines = zip(*found, strict=True)
        row(float(scale), len(found), max(errors), max(moments), max(times))
        print(" " * 20 + "answered by " + ", ".join(f"{name}: {k}" for name, k in Counter(engines).items()))


# 7: import and compilation


def use_everything() -> dict[str, float]:
    """Seconds of the first call of everything that this file times, on small models: compilation, mostly."""
    took = {}

    def first(name, task):
        took[name], result = seconds(task, runs=1)
        return result

    edges, couplings = random_grid(6)
    graph = first("plan", lambda: plan(36, edges))
    solution = first("log Z", lambda: solve_dual(graph, couplings))
    first("moments", solution.moments)
    first("Hessian", solution.hessian)
    first("correlations", solution.correlations)
    first("far pair", lambda: solution.edge_product(np.array([0, 50])))
    first("Hessian product", lambda: solution.hessian_product(couplings))
    first("samples", lambda: exact_samples(solution, 2, np.random.default_rng(0)))
    first("ground state", lambda: ground_spins(graph, couplings))
    first("certified", lambda: certified_log_partition(graph, couplings))
    first("certified moments", lambda: certified_solution(graph, couplings).moments())
    return took


def in_new_process(code: str, **environment: str):
    """What the code prints, as JSON."""
    options = {"capture_output": True, "text": True, "check": True, "cwd": str(Path(__file__).parent)}
    run = subprocess.run([sys.executable, "-c", code], env=os.environ | environment, **options)
    return json.loads(run.stdout)


def question_7(arguments) -> None:
    """Import and first use, each in a new process."""
    table("7. imports in a new process", "module", "seconds")
    for name in ("isingmap", "isingmap.model"):
        code = f"import time; t = time.perf_counter(); import {name}; print(time.perf_counter() - t)"
        row(name, min(in_new_process(code) for _ in range(3)))
    first_use = "import inference, json; print(json.dumps(inference.use_everything()))"
    with tempfile.TemporaryDirectory() as cache:
        compiling, cached = (in_new_process(first_use, NUMBA_CACHE_DIR=cache) for _ in range(2))
    table("   first use, in this order, in a new process", "what", "empty cache", "cached")
    for name, took in compiling.items():
        row(name, took, cached[name])
    row("all", sum(compiling.values()), sum(cached.values()))


QUESTIONS = (question_1, question_2, question_3, question_4, question_5, question_6, question_7)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--largest", type=int, default=100_000, help="most spins (1000000: minutes and many GiB)")
    parser.add_argument("--slow", action="store_true", help="certified log Z of the 100 x 100 grid, too")
    parser.add_argument("--questions", type=int, nargs="+", choices=range(1, 8), default=range(1, 8))
    arguments = parser.parse_args()
    use_everything()
    for k in arguments.questions:
        QUESTIONS[k - 1](arguments)


if __name__ == "__main__":
    main()
