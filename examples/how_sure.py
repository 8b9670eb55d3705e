"""How far intervals, tests and frequencies can be relied on, by tables drawn from models that are known.

Random planar models of 8 variables and some 11 edges, fields included. Rows of a mixture of two models show what
robust errors are for: no planar model is true of them, and what is to be covered is the best one there is.
"""

from __future__ import annotations

import warnings

import numpy as np
from command_line import arguments

from isingmap import IsingModel, PlanarIsing, as_spin_table, fit_couplings
from isingmap.datasets.random_models import random_planar_model
from isingmap.errors import NoEstimateError
from isingmap.learning.learned_map import LearnedMap

N_SPINS, N_ROWS = 8, 500
INTERVALS = {"Wald": {"intervals": "wald"}, "profile": {"intervals": "profile"}}
SANDWICH = {"intervals": "wald", "errors": "robust"}


def truth(seed: int) -> IsingModel:
    rng = np.random.default_rng(seed)
    drawn = random_planar_model(N_SPINS, rng=rng, low=0.2, high=0.7, field=0.0)
    return IsingModel(drawn.edges, drawn.couplings, rng.normal(0, 0.4, N_SPINS))


def on_graph(rows: np.ndarray, model: IsingModel, settings: dict) -> LearnedMap:
    return PlanarIsing(graph=model.edges, **settings).fit(rows).learned_


def covered(fit: LearnedMap, model: IsingModel) -> np.ndarray:
    """Which couplings of the model lie in their interval."""
    intervals = fit.coupling_intervals
    return (intervals.lower < model.couplings) & (model.couplings < intervals.upper)


def mixture(model: IsingModel, seed: int) -> tuple[np.ndarray, IsingModel]:
    """Rows of two models, and the model on the same graph that is nearest to both together."""
    parts = [model.with_couplings((1 + s) * model.couplings, model.fields + s) for s in (-0.6, 0.6)]
    rng = np.random.default_rng(seed)
    n_first = int(rng.binomial(N_ROWS, 0.5))
    rows = np.concatenate([parts[0].sample(n_first, rng=rng), parts[1].sample(N_ROWS - n_first, rng=rng)])
    moments, means = (np.mean([f(part) for part in parts], axis=0) for f in (IsingModel.correlations, magnetizations))
    nearest = fit_couplings(model.edges, moments, magnetizations=means, fields_in_plane=False).model
    return rows, nearest


def magnetizations(model: IsingModel) -> np.ndarray:
    return model.magnetizations()


def print_coverage(n_tables: int) -> None:
    shares: dict[str, list[np.ndarray]] = {}
    n_without = 0
    for seed in range(n_tables):
        model = truth(seed)
        rows, (mixed, nearest) = model.sample(N_ROWS, rng=seed), mixture(model, seed)
        cases = {f"true graph, {name}": (rows, model, settings) for name, settings in INTERVALS.items()}
        cases |= {"wrong model, Wald": (mixed, nearest, INTERVALS["Wald"])}
        cases |= {"wrong model, sandwich": (mixed, nearest, SANDWICH)}
        try:
            found = {name: covered(on_graph(*case), case[1]) for name, case in cases.items()}
        except NoEstimateError:  # a combination of values never occurred: a coupling would be infinite
            n_without += 1
            continue
        for name, which in found.items():
            shares.setdefault(name, []).append(which)
    print(f"{n_tables - n_without} tables of {N_ROWS} rows ({n_without} more have no finite estimate): 95 % intervals")
    for name, found_of_all in shares.items():
        together = np.concatenate(found_of_all)
        print(f"  {name:<24} cover {together.mean():6.1%} of {together.size:,} couplings")


def print_frequencies(n_models: int, n_resamples: int) -> None:
    """Chance that an edge of the truth comes back more often, or is stronger, than a pair that is none (AUC)."""
    areas = []
    for seed in range(n_models):
        model = truth(seed)
        found = PlanarIsing(search="greedy").stability(model.sample(200, rng=seed), n_resamples=n_resamples)
        is_true = np.zeros(len(found.pairs), bool)
        is_true[found.numbers_of(model.edges)] = True
        areas.append([area(score, is_true) for score in (found.frequency, np.abs(found.coupling))])
    by_frequency, by_coupling = np.mean(areas, axis=0)
    print(f"{n_models} tables of 200 rows, {n_resamples} resamples: true edges against the other pairs, AUC")
    print(f"  selection frequency {by_frequency:.3f}, |coupling| of one fit {by_coupling:.3f}")


def area(scores: np.ndarray, is_true: np.ndarray) -> float:
    differences = scores[is_true][:, None] - scores[~is_true]
    return float((differences > 0).mean() + (differences == 0).mean() / 2)


def print_codings() -> None:
    """The same answers as -1 and +1, and as 0 and 1."""
    rows = truth(0).sample(N_ROWS, rng=0)
    one, other = (PlanarIsing().fit(as_spin_table(cells)).learned_ for cells in (rows, (rows + 1) // 2))
    same = all(
        np.array_equal(getattr(one.intervals, end), getattr(other.intervals, end), equal_nan=True)
        for end in ("lower", "upper")
    )
    print(f"intervals of -1/+1 and of 0/1: {'the same, bit by bit' if same else 'DIFFERENT'}")


def main() -> None:
    options = arguments(__doc__.splitlines()[0])
    warnings.simplefilter("ignore")  # of lopsided columns, which are wanted here
    print_coverage(10 if options.quick else 200)
    print_frequencies(*((2, 10) if options.quick else (20, 100)))
    print_codings()


if __name__ == "__main__":
    main()
