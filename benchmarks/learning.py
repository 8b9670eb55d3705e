"""How well and how fast graphs are learned: searches beside each other and beside the graphs in use today.

    python benchmarks/learning.py [QUESTION ...] [--seeds 20] [--largest 1000]

questions: 1  time on the 111th Senate and on factor data of growing size, maximal
           2  7 x 7 grids and outer-planar models recovered from samples, number of edges not given
           3  +-J glasses on 4 x 4 grids recovered from samples
           4  the paper's counterexample
           5  seven spins: how often each search ends at the optimum over all 5712 maximal planar graphs
           6  KL divergence to the true 7 x 7 grid
           7  likelihood of rows held out: nltcs, and the Senate by cross-validation

Data of 1 and 7: ../shared/data, skipped where it is missing. Default: all questions.
"""

from __future__ import annotations

import argparse
import csv
import sys
import time
import warnings
from functools import partial
from pathlib import Path
from statistics import median

import numpy as np

from isingmap import IsingModel, PlanarIsing
from isingmap.datasets.random_models import paper_counterexample
from isingmap.sampling.gibbs import gibbs_sample

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests"))
from bare_moments import learn_structure  # noqa: E402
from exhaustive import best_planar_likelihood  # noqa: E402
from oracles import brute_force, grid_edges  # noqa: E402

SHARED = Path(__file__).resolve().parents[2] / "shared" / "data"
GREEDY = {"search": "greedy"}
MAXIMAL = {"family": "zero-field", "criterion": "maximal"}
CHORDS = [(1, 3), (1, 4), (1, 11), (4, 11), (5, 11), (6, 11), (6, 8), (6, 9), (9, 11)]


def clock(task):
    """(median seconds of three runs after a warm-up, or of one that takes more than 5 s; result)."""
    times = []
    while len(times) < 4:
        start = time.perf_counter()
        result = task()
        times.append(time.perf_counter() - start)
        if times[-1] > 5:
            return times[-1], result
    return median(times[1:]), result


def senate():
    """(names, votes (rows, members)) or None."""
    path = SHARED / "senate111" / "senate111_pm1.csv"
    if not path.exists():
        print("  ../shared/data/senate111 is missing")
        return None
    with open(path) as stream:
        rows = list(csv.reader(stream))
    return rows[0][1:], np.array(rows[1:], float)[:, 1:]


def factor_moments(n_spins: int, n_rows: int = 2000) -> np.ndarray:
    """Rows of logistic answers to three latent factors."""
    rng = np.random.default_rng(n_spins)
    loadings = rng.normal(size=(n_spins, 3)) * [1.2, 0.6, 0.6]
    chance = 1 / (1 + np.exp(-2 * rng.normal(size=(n_rows, 3)) @ loadings.T))
    data = np.where(rng.random(chance.shape) < chance, 1.0, -1.0)
    return data.T @ data / n_rows


def times(arguments) -> None:
    read = senate()
    if read is not None:
        names, votes = read
        moments = votes.T @ votes / len(votes)
        learn = partial(learn_structure, moments, len(votes), names=names, family="zero-field")
        pmfg, _ = clock(lambda: learn(search="pmfg"))
        for search in ("greedy", "forward-backward"):
            for criterion in ("maximal", "bic", "ebic"):
                took, result = clock(lambda s=search, c=criterion: learn(search=s, criterion=c))
                print(
                    f"  Senate, 96 members: {search:<17}{criterion:<8}{took:7.2f} s = {took / pmfg:5.2f} x PMFG"
                    f", {result.model.n_edges} edges, BIC {result.bic:.1f}",
                    flush=True,
                )
    before = None
    for n_spins in (n for n in (100, 300, 1000) if n <= arguments.largest):
        moments = factor_moments(n_spins)
        took, result = clock(lambda m=moments: learn_structure(m, 2000, prior=1, **MAXIMAL, **GREEDY))
        growth = f", n^{np.log(took / before[1]) / np.log(n_spins / before[0]):.1f}" if before else ""
        before = n_spins, took
        print(f"  n = {n_spins}: greedy maximal {took:.1f} s{growth}, {result.model.n_edges} edges", flush=True)


def moments_of(model: IsingModel, n_samples: int, rng):
    """Moments and magnetizations of a Gibbs sample, 20 sweeps from row to row."""
    data = gibbs_sample(model, n_samples, rng=rng, n_thin=20).astype(float)
    return data.T @ data / n_samples, data.mean(axis=0)


def uniform_couplings(rng, n_edges: int) -> np.ndarray:
    return rng.uniform(0.05, 1, n_edges) * rng.choice([-1, 1], n_edges)


def grid(rng) -> IsingModel:
    edges = grid_edges(7, 7)
    return IsingModel(edges, uniform_couplings(rng, len(edges)))


def outer_planar(rng) -> IsingModel:
    edges = [(k, (k + 1) % 12) for k in range(12)] + [(i - 1, j - 1) for i, j in CHORDS]
    return IsingModel(edges, uniform_couplings(rng, len(edges)), rng.uniform(-0.5, 0.5, 12))


def glass(rng, strength: float) -> IsingModel:
    edges = grid_edges(4, 4)
    return IsingModel(edges, strength * rng.choice([-1, 1], len(edges)))


def edge_set(model: IsingModel) -> set:
    return set(map(tuple, np.sort(model.edges, axis=1).tolist()))


def recovery(what: str, draw, family: str, n_samples: int, n_seeds: int, **options) -> None:
    """One line: how many graphs come out perfect, and the mean numbers of missing and wrong edges."""
    missing, wrong, took = [], [], 0.0
    for seed in range(n_seeds):
        rng = np.random.default_rng(seed)
        truth = draw(rng)
        moments, mean = moments_of(truth, n_samples, rng)
        start = time.perf_counter()
        found = learn_structure(moments, n_samples, magnetizations=mean, family=family, **options).model
        took += time.perf_counter() - start
        missing.append(len(edge_set(truth) - edge_set(found)))
        wrong.append(len(edge_set(found) - edge_set(truth)))
    perfect = sum(m + w == 0 for m, w in zip(missing, wrong, strict=True))
    how = ", ".join(f"{value}" if isinstance(value, str) else f"{key} {value}" for key, value in options.items())
    print(
        f"  {what}, {n_samples} rows, {how or 'default'}: {perfect}/{n_seeds} perfect, missing {np.mean(missing):.2f}, "
        f"wrong {np.mean(wrong):.2f}, {took / n_seeds:.2f} s",
        flush=True,
    )


def grids(arguments) -> None:
    for n_samples in (10_000, 100_000):
        thorough = [{"n_restarts": 40}] if n_samples == 100_000 else []
        for options in ({}, *thorough, {"criterion": "bic"}, {**GREEDY}, {**GREEDY, "n_edges": 84}):
            recovery("7x7 grid", grid, "zero-field", n_samples, arguments.seeds, **options)
        for options in ({}, {"criterion": "bic"}, {**GREEDY}):
            recovery("outer-planar", outer_planar, "outer-planar", n_samples, arguments.seeds, **options)


def glasses(arguments) -> None:
    for strength, sizes in ((1.0, (2000, 8000, 32_000)), (0.7, (250, 1000))):
        for n_samples in sizes:
            for options in ({}, {"gamma": 1.0}, {**GREEDY, "n_edges": 24}):
                draw = partial(glass, strength=strength)
                recovery(f"4x4 +-{strength}", draw, "zero-field", n_samples, arguments.seeds, **options)


def counterexample(arguments) -> None:
    truth = paper_counterexample()
    for search in ("greedy", "forward-backward"):
        found = learn_structure(truth.correlations(), 1000, names=truth.names, search=search, **MAXIMAL).model
        print(f"  {search}: {'exactly the graph' if edge_set(found) == edge_set(truth) else 'another graph'}")


def seven_spins(rng) -> np.ndarray:
    """Exact moments of a random model: on all pairs, weak or strong, or on a grid-like planar graph."""
    pairs = np.stack(np.triu_indices(7, 1), axis=1)
    couplings = rng.normal(size=21) * rng.choice([0.3, 0.6])
    if rng.random() < 1 / 3:
        pairs, couplings = pairs[:12], couplings[:12]
    x, p, _ = brute_force(7, pairs, couplings)
    return x.T @ (p[:, None] * x)


def optimum(arguments) -> None:
    n_models = 10 * arguments.seeds
    searches = {"greedy": GREEDY, "default": {}, "40 restarts": {"n_restarts": 40}}
    gaps = {name: [] for name in searches}
    took = dict.fromkeys(searches, 0.0)
    for seed in range(n_models):
        moments = seven_spins(np.random.default_rng(seed))
        best, _ = best_planar_likelihood(moments)
        for name, options in searches.items():
            start = time.perf_counter()
            gaps[name].append(best - learn_structure(moments, 1.0, **MAXIMAL, **options).log_likelihood)
            took[name] += time.perf_counter() - start
    for name, gap in gaps.items():
        reached = np.mean(np.array(gap) < 1e-6)
        print(f"  {name:<12} {reached:6.1%} of {n_models}, mean gap {np.mean(gap):.1e}, {took[name] / n_models:.2f} s")


def divergence(arguments) -> None:
    searches = ("chow-liu", "tmfg", "pmfg", "greedy", "forward-backward")
    found = {search: [] for search in searches}
    for seed in range(arguments.seeds):
        rng = np.random.default_rng(seed)
        truth = grid(rng)
        moments, _ = moments_of(truth, 100_000, rng)
        for search in searches:
            model = learn_structure(moments, 100_000, family="zero-field", search=search).model
            found[search].append(truth.kl_divergence(model))
    for search, values in found.items():
        print(f"  {search:<17} median {median(values):.4f} nats, from {min(values):.4f} to {max(values):.4f}")


def held_out(arguments) -> None:
    warnings.simplefilter("ignore")
    folder = SHARED / "debd"
    if folder.exists():
        import pandas as pd

        train, test = (pd.read_csv(folder / f"nltcs.{part}.csv.gz") for part in ("train", "test"))
        for search in ("chow-liu", "tmfg", "pmfg", "greedy", "forward-backward"):
            for criterion in ("bic", "ebic") if search in ("greedy", "forward-backward") else ("ebic",):
                fit = PlanarIsing(family="partial", criterion=criterion, search=search, prior=1).fit(train)
                test_score = fit.score(test)
                print(
                    f"  nltcs {search:<17}{criterion:<5} {fit.model_.n_edges} edges, test {test_score:.4f}", flush=True
                )
    read = senate()
    if read is not None:
        cross_validate(read[1])


def cross_validate(votes: np.ndarray) -> None:
    """Mean log-likelihood of the rows of each fifth under the model of the others."""
    fold = np.random.default_rng(0).permutation(len(votes)) % 5
    for search in ("chow-liu", "tmfg", "pmfg", "greedy", "forward-backward"):
        for criterion in ("bic", "ebic") if search in ("greedy", "forward-backward") else ("ebic",):
            scores = []
            for k in range(5):
                fit = PlanarIsing(family="zero-field", criterion=criterion, search=search, prior=1).fit(
                    votes[fold != k]
                )
                scores.append(fit.score(votes[fold == k]))
            print(f"  Senate {search:<17}{criterion:<5} held out {np.mean(scores):.4f} nats a row", flush=True)


QUESTIONS = {
    1: ("time", times),
    2: ("grids and outer-planar models", grids),
    3: ("+-J glasses", glasses),
    4: ("the paper's counterexample", counterexample),
    5: ("optimum of seven spins", optimum),
    6: ("KL divergence to a 7 x 7 grid, 100 000 rows", divergence),
    7: ("held-out likelihood", held_out),
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("questions", nargs="*", type=int, choices=QUESTIONS, metavar="QUESTION")
    parser.add_argument("--seeds", type=int, default=20, help="random models for each line (default: 20)")
    parser.add_argument("--largest", type=int, default=300, help="largest number of variables (default: 300)")
    arguments = parser.parse_args()
    for number in arguments.questions or QUESTIONS:
        title, answer = QUESTIONS[number]
        print(f"\n{number}. {title}", flush=True)
        answer(arguments)


if __name__ == "__main__":
    main()
