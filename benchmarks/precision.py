"""How often is an answer wrong at strong coupling? Random models against enumeration and against balls.

    python benchmarks/precision.py [--seconds 60] [--first 0]

Random planar models with couplings up to 50: all of one strength, nearly so, uniform, or spread over eight decades;
3 to 10 spins against the sum over all configurations in long double, 30 to 120 spins against ball arithmetic. Every
model is asked for everything; an answer that is off by more than is allowed is printed with the number of its model.
Prints how often which rung of the ladder answered (doubles, ground-state gauge, elimination, balls) and the largest
errors; small models are also asked of elimination, on their graph and on the complete one with a field on every spin.
"""

from __future__ import annotations

import argparse
import time
from collections import Counter

import numpy as np
from scipy.spatial import Delaunay

from isingmap.inference.elimination.clique_tree import clique_tree
from isingmap.inference.elimination.solution import elimination_solution
from isingmap.inference.extended import ExtendedGraph
from isingmap.inference.proofs.certified_solution import certified_solution
from isingmap.inference.rungs import zero_field_ladder
from isingmap.inference.zero_field.plan import plan

ALLOWED = {"log Z": 1e-11, "moments": 1e-9}  # relative, absolute
ALLOWED_OTHERWISE = 1e-7


def random_model(number: int, fewest: int, most: int):
    """(n_spins, edges, couplings) of model `number`."""
    rng = np.random.default_rng(number)
    n = int(rng.integers(fewest, most + 1))
    corners = Delaunay(rng.random((n, 2))).simplices if n > 3 else np.array([[0, 1, 2]])
    sides = np.vstack([corners[:, [0, 1]], corners[:, [1, 2]], corners[:, [0, 2]]])
    edges = np.unique(np.sort(sides, axis=1), axis=0)
    edges = edges[rng.random(len(edges)) < rng.choice([0.6, 0.9, 1.1])]
    m, strength = len(edges), rng.choice([1.0, 2.0, 5.0, 10.0, 20.0, 50.0])
    signs = rng.choice([-1.0, 1.0], m)
    couplings = (
        strength * signs,
        strength * signs + 1e-3 * rng.normal(size=m),
        rng.uniform(-strength, strength, m),
        signs * 10 ** rng.uniform(-6, np.log10(strength) + 1e-9, m),
        rng.normal(0.0, strength / 2, m),
    )[rng.integers(5)]
    return n, edges, np.clip(couplings, -50, 50)


def enumerated(n: int, edges, couplings, vector, first, second) -> dict:
    """All answers from the 2^(n-1) configurations with the last spin up, in long double."""
    x = 1.0 - 2.0 * ((np.arange(2 ** (n - 1))[:, None] >> np.arange(n)) & 1)
    products = x[:, edges[:, 0]] * x[:, edges[:, 1]]
    log_weight = products.astype(np.longdouble) @ couplings.astype(np.longdouble)
    weight = np.exp(log_weight - log_weight.max())
    p = weight / weight.sum()
    moments = p @ products
    hessian = ((products - moments) * p[:, None]).T @ (products - moments)
    return {
        "log Z": log_weight.max() + np.log(2 * weight.sum()),
        "moments": moments,
        "Hessian": hessian,
        "product": hessian @ vector,
        "entries": hessian[first, second],
        "correlations": (x * p[:, None]).T @ x,
    }


def asked(ask, vector, first, second) -> dict:
    return {
        "log Z": ask(lambda s: s.log_partition),
        "moments": ask(lambda s: s.moments()),
        "Hessian": ask(lambda s: s.hessian()),
        "product": ask(lambda s: s.hessian_product(vector)),
        "entries": ask(lambda s: s.hessian_entries(first, second)),
        "correlations": ask(lambda s: s.correlations()),
    }


def compare(number: int, fewest: int, most: int, rungs: Counter, worst: Counter) -> None:
    n, edges, couplings = random_model(number, fewest, most)
    if not len(edges):
        return
    rng = np.random.default_rng(number)
    vector, (first, second) = rng.normal(size=len(edges)), rng.integers(len(edges), size=(2, 5))
    ladder = zero_field_ladder(plan(n, edges), couplings)
    rungs[ladder.kind.name] += 1
    found = asked(lambda question: ladder.ask(question), vector, first, second)
    if n <= 10:
        exact = enumerated(n, edges, couplings, vector, first, second)
    else:
        balls = certified_solution(ladder.model.plan, couplings)
        exact = asked(lambda question: question(balls), vector, first, second)
    judge(found, exact, worst, f"model {number} of {fewest} to {most} spins")
    if n <= 10:
        compare_elimination(number, n, worst)


def compare_elimination(number: int, n: int, worst: Counter) -> None:
    """Any edges and a field on every spin: the model that elimination would be asked."""
    rng = np.random.default_rng(number)
    pairs = np.array([(i, j) for i in range(n + 1) for j in range(i + 1, n + 1)])
    edges = pairs[(rng.random(len(pairs)) < rng.random()) | (pairs[:, 1] == n)]
    strengths = (
        rng.choice([1.0, 10.0, 50.0])
        * (
            rng.choice([-1.0, 1.0], len(edges)) * 10 ** rng.uniform(-6, 0, len(edges)),
            rng.choice([-1.0, 1.0], len(edges)),
            rng.uniform(-1, 1, len(edges)),
        )[rng.integers(3)]
    )
    graph = ExtendedGraph(n, edges)
    solution = elimination_solution(graph, clique_tree(n, graph.edges), strengths)
    vector, (first, second) = rng.normal(size=len(edges)), rng.integers(len(edges), size=(2, 5))
    order = np.argsort(graph.is_field, kind="stable")  # couplings, then fields, as in the answers
    exact = enumerated(n + 1, edges[order], strengths[order], vector, first, second)
    exact["log Z"] -= np.log(np.longdouble(2))
    exact["correlations"] = exact["correlations"][:n, :n]
    exact["moments"] = exact["moments"][: graph.n_edges]
    judge(asked(lambda question: question(solution), vector, first, second), exact, worst, f"elimination {number}")


def judge(found: dict, exact: dict, worst: Counter, which: str) -> None:
    for what, value in found.items():
        error = float(np.abs(np.asarray(value, float) - np.asarray(exact[what], float)).max(initial=0.0))
        error /= max(1.0, abs(float(exact["log Z"]))) if what == "log Z" else 1.0
        worst[what] = max(worst[what], error)
        if not error <= ALLOWED.get(what, ALLOWED_OTHERWISE):
            print(f"  WRONG: {which}: {what} off by {error:.1e}", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seconds", type=float, default=60.0, help="for each of the two sizes")
    parser.add_argument("--first", type=int, default=0, help="number of the first model")
    arguments = parser.parse_args()
    for fewest, most in ((3, 10), (30, 120)):
        rungs, worst = Counter(), Counter()
        number, end = arguments.first, time.monotonic() + arguments.seconds
        while time.monotonic() < end:
            compare(number, fewest, most, rungs, worst)
            number += 1
        print(f"{fewest} to {most} spins: {rungs.total():,} models, moments answered by {dict(rungs)}")
        print("  largest errors: " + ", ".join(f"{what} {error:.1e}" for what, error in worst.items()), flush=True)


if __name__ == "__main__":
    main()
