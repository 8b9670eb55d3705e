"""Which family predicts rows best, and how many edges it invents; IsingFit's method beside ours.

    python benchmarks/families.py [QUESTION ...] [--tables 20]

questions: 1  rows held out, default settings: exact likelihood, and log loss of each variable given all others (which
              needs no sum over configurations): PTSD, House 1984, Supreme Court (5 folds), nltcs, plants (test set); up
              to 16 variables also family="auto", with how often it takes which, both with all fields in the family
              "planar" and with those that pay
           2  false edges on independent columns, rare and balanced, by gamma
           3  random planar models of 20 variables and 40 edges recovered from their samples

Data of 1: ../shared/data, skipped where it is missing. Default: all questions.
"""

from __future__ import annotations

import argparse
import csv
import gzip
import time
import warnings
from collections import Counter
from pathlib import Path

import numpy as np
from sklearn.linear_model import LogisticRegression

from isingmap import IsingModel, PlanarIsing
from isingmap.datasets.random_models import random_planar_model
from isingmap.structure.families import AUTO, SIMPLEST_FIRST

SHARED = Path(__file__).resolve().parents[2] / "shared" / "data"
FAMILIES = ("planar", "partial")
COMPARED = [(family, "all") for family in (*SIMPLEST_FIRST, AUTO)] + [("planar", "paying"), (AUTO, "paying")]
GAMMAS = (0.0, 0.25, 0.5, 1.0)


def complete(name: str, columns: slice = slice(None)) -> np.ndarray:
    """Rows without an empty cell, header left out, labels -1 and +1."""
    path = SHARED / name
    with (gzip.open if path.suffix == ".gz" else open)(path, "rt") as stream:
        rows = [row[columns] for row in list(csv.reader(stream))[1:]]
    values = np.array([[float(cell) for cell in row] for row in rows if all(row)])
    return np.where(values > 0, 1.0, -1.0)


def folds(rows: np.ndarray):
    fold = np.random.default_rng(0).permutation(len(rows)) % 5
    return [(rows[fold != k], rows[fold == k]) for k in range(5)]


DATA = {
    "PTSD": lambda: folds(complete("psychometrics/ptsd_mcnally2015_6.csv")),
    "House 1984": lambda: folds(complete("house_votes_84/house_votes_84.csv", slice(1, None))),
    "Supreme Court": lambda: folds(complete("scotus/rehnquist_1994_2005_direction.csv", slice(3, 12))),
    "nltcs": lambda: [(complete("debd/nltcs.train.csv.gz"), complete("debd/nltcs.test.csv.gz"))],
    "plants": lambda: [(complete("debd/plants.train.csv.gz"), complete("debd/plants.test.csv.gz"))],
}


def question_1(_tables: int) -> None:
    print("1. rows held out, nats a row: log-likelihood, and log loss given all others (edges; seconds a fit)")
    for name, splits in DATA.items():
        if not SHARED.exists():
            print("  ../shared/data is missing")
            return
        parts = splits()
        small = len(parts[0][0][0]) <= 16
        for family, fields in COMPARED if small else [(family, "all") for family in FAMILIES]:
            compare(name, family, fields, parts)
        if small:
            show(name, "as IsingFit", parts, nodewise)


def compare(name: str, family: str, fields: str, parts) -> None:
    """Held-out likelihood of a family, and which one "auto" takes."""
    results = []

    def learn(rows: np.ndarray) -> IsingModel:
        results.append(PlanarIsing(family=family, fields=fields).fit(rows).result_)
        return results[-1].model

    show(name, family if fields == "all" else f"{family}, {fields}", parts, learn)
    if family == AUTO:
        taken = Counter(result.family for result in results)
        print("    taken: " + ", ".join(f"{family} {k} of {len(parts)}" for family, k in taken.items()))


def show(name: str, method: str, parts, learn) -> None:
    scores, losses, sizes, start = [], [], [], time.perf_counter()
    for train, test in parts:
        varying = np.ptp(train, axis=0) > 0
        model = learn(train[:, varying])
        scores.append(model.log_probability(test[:, varying].astype(np.int8)))
        losses.append(conditional_losses(model, test[:, varying]))
        sizes.append(model.n_edges)
    seconds = (time.perf_counter() - start) / len(parts)
    means = f"{np.concatenate(scores).mean():9.4f} {np.concatenate(losses).mean():9.4f}"
    print(f"  {name:14} {method:14} {means}  ({np.mean(sizes):.1f}; {seconds:.1f})", flush=True)


def conditional_losses(model: IsingModel, rows: np.ndarray) -> np.ndarray:
    """-log P(x_i | all others), summed over the variables, for each row."""
    strength = np.zeros((model.n_spins, model.n_spins))
    strength[tuple(model.edges.T)] = model.couplings
    pull = rows @ (strength + strength.T) + model.fields
    return np.logaddexp(0.0, -2.0 * rows * pull).sum(axis=1)


def nodewise(rows: np.ndarray, gamma: float = 0.25) -> IsingModel:
    """L1 logistic regression of each variable on all others, the penalty by EBIC, an edge where both ends say so.

    The method of van Borkulo et al. (2014); coefficients of the two ends are averaged, thresholds are the intercepts.
    """
    binary, n = (rows + 1) / 2, rows.shape[1]
    weights, thresholds = np.zeros((n, n)), np.zeros(n)
    for i in range(n):
        others = np.delete(np.arange(n), i)
        thresholds[i], weights[i, others] = best_on_path(binary[:, others], binary[:, i], gamma)
    both = (weights != 0) & (weights.T != 0)
    strength = np.where(both, (weights + weights.T) / 2, 0.0)
    edges = np.argwhere(np.triu(strength, 1))
    couplings = strength[edges[:, 0], edges[:, 1]] / 4
    return IsingModel(edges, couplings, thresholds / 2 + strength.sum(axis=1) / 4)


def best_on_path(x: np.ndarray, y: np.ndarray, gamma: float) -> tuple[float, np.ndarray]:
    """Intercept and coefficients of smallest EBIC over 40 penalties."""
    n_rows, n_others = x.shape
    largest = np.abs((x - x.mean(axis=0)).T @ (y - y.mean())).max()
    fit = LogisticRegression(penalty="l1", solver="saga", warm_start=True, max_iter=2000, tol=1e-4)
    best = (np.inf, 0.0, np.zeros(n_others))
    for penalty in largest * np.geomspace(1.0, 0.01, 40):
        fit.C = 1.0 / penalty
        fit.fit(x, y)
        scores = fit.decision_function(x)
        log_likelihood = float((y * scores - np.logaddexp(0.0, scores)).sum())
        size = np.count_nonzero(fit.coef_)
        ebic = -2 * log_likelihood + size * (np.log(n_rows) + 2 * gamma * np.log(n_others))
        if ebic < best[0]:
            best = (ebic, float(fit.intercept_[0]), fit.coef_[0].copy())
    return best[1:]


def question_2(n_tables: int) -> None:
    print(f"2. false edges a table on 50 independent columns, mean of {n_tables}, greedy")
    for n_rows in (200, 1000):
        for kind in ("rare, 0.02 to 0.2", "balanced"):
            for family in FAMILIES:
                means = [false_edges(n_rows, kind, family, gamma, n_tables) for gamma in GAMMAS]
                counts = "  ".join(f"gamma {g:g}: {mean:.2f}" for g, mean in zip(GAMMAS, means, strict=True))
                print(f"  {n_rows:5} rows  {kind:18} {family:8} {counts}", flush=True)


def false_edges(n_rows: int, kind: str, family: str, gamma: float, n_tables: int) -> float:
    found = []
    for seed in range(n_tables):
        rng = np.random.default_rng(1000 + seed)
        shares = np.full(50, 0.5) if kind == "balanced" else rng.uniform(0.02, 0.2, 50)
        rows = np.where(rng.random((n_rows, 50)) < shares, 1, -1)
        rows = rows[:, np.ptp(rows, axis=0) > 0]
        found.append(PlanarIsing(family=family, gamma=gamma, search="greedy").fit(rows).model_.n_edges)
    return float(np.mean(found))


def question_3(n_models: int) -> None:
    print(f"3. {n_models} random planar models, 20 variables, 40 edges, fields in [-1, 1], family planar")
    for n_rows in (500, 5000, 100_000):
        wrong = np.array([errors_of(seed, n_rows) for seed in range(n_models)])
        exact = (wrong.sum(axis=1) <= 1).sum()
        print(f"  {n_rows:7} rows: false {wrong[:, 0].mean():.2f}, missing {wrong[:, 1].mean():.2f}; "
              f"at most one wrong in {exact} of {n_models}", flush=True)  # fmt: skip


def errors_of(seed: int, n_rows: int) -> tuple[int, int]:
    """(false, missing) edges."""
    rng = np.random.default_rng(seed)
    edges = random_planar_model(20, rng=rng, density=1.0).edges
    edges = edges[np.sort(rng.permutation(len(edges))[:40])]
    couplings = rng.uniform(0.2, 0.8, len(edges)) * rng.choice([-1, 1], len(edges))
    model = IsingModel(edges, couplings, rng.uniform(-1, 1, 20))
    found = PlanarIsing(family="planar").fit(model.sample(n_rows, rng=seed)).model_
    true, learned = ({frozenset(pair) for pair in m.edges.tolist()} for m in (model, found))
    return len(learned - true), len(true - learned)


QUESTIONS = {"1": question_1, "2": question_2, "3": question_3}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("questions", nargs="*", choices=[*QUESTIONS, []], default=[])
    parser.add_argument("--tables", type=int, default=20)
    arguments = parser.parse_args()
    warnings.simplefilter("ignore")
    for name in arguments.questions or QUESTIONS:
        QUESTIONS[name](arguments.tables)


if __name__ == "__main__":
    main()
