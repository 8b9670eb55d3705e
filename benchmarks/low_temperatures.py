"""Low temperatures: which rung of the ladder answers, what each of them loses and takes, and whether words are right.

    python benchmarks/low_temperatures.py [--largest 100] [--checked 24] [--proof]

Square grids without fields, couplings +-1 with random signs (or normal ones) over T. The first table solves them by the
ladder: the losses measured on the way and the time of this process's CPU for log Z with all edge moments; with
`--proof`, beside the time of a certified log Z (minutes above 50 x 50). The second part solves small grids, where words
are not needed, in numbers of two and of four words, and compares them with balls: an answer whose measured loss would
be allowed and that is off by more than is allowed is printed.
"""

from __future__ import annotations

import argparse
import time
from collections import Counter

import numpy as np

from isingmap.inference.precision import LOSS_TOLERANCE
from isingmap.inference.proofs.certified import certified_log_partition
from isingmap.inference.proofs.certified_solution import certified_solution
from isingmap.inference.rungs import DOUBLES, FOUR_WORDS, GROUND_GAUGE, TWO_WORDS, PlannedModel, zero_field_ladder
from isingmap.inference.zero_field.plan import plan

ALLOWED = {"log Z": 1e-11, "moments": 1e-9}  # relative, absolute


def glass(length: int, temperature: float, seed: int, normal: bool = False) -> PlannedModel:
    node = np.arange(length**2).reshape(length, length)
    across = np.stack([node[:, :-1].ravel(), node[:, 1:].ravel()], axis=1)
    edges = np.vstack([across, np.stack([node[:-1].ravel(), node[1:].ravel()], axis=1)])
    rng = np.random.default_rng(seed)
    couplings = rng.normal(size=len(edges)) if normal else rng.choice([-1.0, 1.0], len(edges))
    return PlannedModel(plan(length**2, edges), couplings / temperature)


def timed(function):
    """(result, CPU seconds)."""
    start = time.process_time()
    result = function()
    return result, time.process_time() - start


def by_ladder(length: int, temperature: float, with_proof: bool) -> None:
    model = glass(length, temperature, seed=1)

    def solve():
        ladder = zero_field_ladder(model.plan, model.couplings)
        ladder.solved.moments()
        return ladder

    ladder, seconds = timed(solve)
    losses = "  ".join(f"{rung.loss:8.1e}" for rung in ladder._made.values())
    print(f"  {length:4} {temperature:5} {seconds:8.2f} s  {ladder.kind.name:26} {losses}", end="", flush=True)
    if with_proof:
        interval, seconds = timed(
            lambda: certified_log_partition(model.plan, model.couplings, spins=model.ground_spins)
        )
        difference = abs(ladder.solved.log_partition / interval.midpoint - 1.0)
        print(f"   proof {seconds:.1f} s, log Z differs by {difference:.1e}, relative", end="")
    print(flush=True)


def check(n_grids: int) -> None:
    """Words against balls; also where their loss would be refused, to see whether it is measured rightly."""
    answers: Counter = Counter()
    worst = dict.fromkeys(ALLOWED, 0.0)
    for seed in range(n_grids):
        rng = np.random.default_rng(seed)
        length, temperature = int(rng.integers(6, 25)), float(rng.choice([0.6, 0.4, 0.2, 0.1, 0.05]))
        model = glass(length, temperature, seed, normal=bool(seed % 2))
        if not model.fits_words:
            continue
        balls = certified_solution(model.plan, model.couplings, spins=model.ground_spins)
        for kind in (TWO_WORDS, FOUR_WORDS):
            words = kind.solve(model)
            exact_enough = words.loss <= LOSS_TOLERANCE
            answers[f"{kind.name}, {'allowed' if exact_enough else 'refused'}"] += 1
            if not exact_enough:
                continue
            errors = {
                "log Z": abs(words.log_partition / balls.log_partition - 1.0),
                "moments": float(np.abs(words.moments() - balls.moments()).max()),
            }
            for what, error in errors.items():
                worst[what] = max(worst[what], error)
                if not error <= ALLOWED[what]:
                    print(
                        f"  WRONG: {kind.name}, {length} x {length}, T {temperature}, seed {seed}: {what} {error:.1e}"
                    )
    print(f"  {dict(answers)}\n  largest errors: {worst}", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--largest", type=int, default=100, help="side of the largest grid")
    parser.add_argument("--checked", type=int, default=24, help="grids on which words are compared with balls")
    parser.add_argument("--proof", action="store_true", help="time the certified log Z too")
    arguments = parser.parse_args()
    for kind in (DOUBLES, GROUND_GAUGE, TWO_WORDS, FOUR_WORDS):  # compiles
        _ = kind.solve(glass(4, 1.0, 0)).loss
    print("  side    T  log Z, moments  answered by                losses of the rungs tried")
    for length in (50, 100):
        for temperature in (1.0, 0.8, 0.6, 0.4, 0.2):
            if length <= arguments.largest:
                by_ladder(length, temperature, arguments.proof)
    check(arguments.checked)


if __name__ == "__main__":
    main()
