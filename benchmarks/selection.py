"""What criterion="cv" takes, how well that predicts rows it never saw, and what ten folds of the Senate take.

    python benchmarks/selection.py [QUESTION ...] [--tables 10]

questions: 1  rows held out from everything (5 outer folds, no restarts): criterion="cv", with family="planar" and
              "auto", beside EBIC with gamma 0.25, BIC and AIC: PTSD, House 1984. Mean exact log-likelihood of a row,
              and how far each is ahead of EBIC 0.25, with the standard error of that difference over the rows
           2  which family is taken for samples of random planar models of 8 variables, without fields and with a field
              on every variable
           3  criterion="cv", search="greedy", ten folds of the 106th Senate and the fit to all rows: processor seconds

Data of 1: ../shared/data. Default: all questions.
"""

from __future__ import annotations

import argparse
import time
import warnings
from collections import Counter

import numpy as np
from families import DATA

from isingmap import IsingModel, PlanarIsing
from isingmap.datasets.random_models import random_planar_model
from isingmap.datasets.senate106 import load_senate106

SETTINGS = {
    "ebic 0.25": {},
    "bic": {"criterion": "bic"},
    "aic": {"criterion": "aic"},
    "cv": {"criterion": "cv"},
    "cv, greedy": {"criterion": "cv", "search": "greedy"},
    "cv, auto": {"criterion": "cv", "family": "auto"},
}


def held_out(n_tables: int) -> None:
    for name in ("PTSD", "House 1984"):
        splits = DATA[name]()
        scores, taken = {}, Counter()
        for called, settings in SETTINGS.items():
            fits = [
                PlanarIsing(**({"n_restarts": 0} if "search" not in settings else {}), **settings).fit(training)
                for training, _ in splits
            ]
            rows = [fit.score_samples(test) for fit, (_, test) in zip(fits, splits, strict=True)]
            scores[called] = np.concatenate(rows)
            if called == "cv":
                taken.update(f"{fit.result_.criterion} {fit.result_.gamma:g}" for fit in fits)
            ahead = scores[called] - scores["ebic 0.25"]
            error = ahead.std() / np.sqrt(len(ahead))
            print(f"{name:12}{called:12}{scores[called].mean():9.4f}{ahead.mean():+9.4f} +- {error:.4f}", flush=True)
        print(f"{name:12}cv took {dict(taken)}", flush=True)


def families_taken(n_tables: int) -> None:
    for kind, strength in (("no fields", 0.0), ("fields", 0.6)):
        for n_rows in (300, 1000):
            taken = Counter()
            for seed in range(n_tables):
                rng = np.random.default_rng(seed)
                edges = random_planar_model(8, rng=rng, density=0.7).edges
                fields = strength * rng.choice([-1.0, 1.0], 8) if strength else None
                couplings = rng.uniform(0.2, 0.6, len(edges)) * rng.choice([-1.0, 1.0], len(edges))
                model = IsingModel(edges, couplings, fields, n_spins=8)
                fit = PlanarIsing(criterion="cv", family="auto", n_restarts=0, n_folds=5)
                taken[fit.fit(model.sample(n_rows, rng=rng)).result_.family] += 1
            print(f"{kind:10}{n_rows:6} rows: {dict(taken)}", flush=True)


def senate(n_tables: int) -> None:
    table = load_senate106()
    for family in ("zero-field", "planar"):
        spent = time.process_time()
        fit = PlanarIsing(criterion="cv", search="greedy", family=family, missing="minus").fit(table)
        seconds = time.process_time() - spent
        found = fit.learned_.selection
        print(
            f"{family:12}{fit.model_.n_spins} columns{seconds:8.1f} processor seconds; took {found.taken.criterion}, "
            f"held out {found.taken.mean:.3f} a row, {fit.model_.n_edges} edges; best of all sizes "
            f"{found.path.n_edges[found.path.best]:g} edges, {found.path.mean.max():.3f}",
            flush=True,
        )


QUESTIONS = {"1": held_out, "2": families_taken, "3": senate}

if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("questions", nargs="*", help="1, 2 or 3; default: all")
    parser.add_argument("--tables", type=int, default=10)
    arguments = parser.parse_args()
    warnings.simplefilter("ignore")
    for question in arguments.questions or QUESTIONS:
        QUESTIONS[question](arguments.tables)
