"""What becomes of a map when cells are missing, by the rule for missing cells.

    python benchmarks/missing.py [QUESTION ...] [--tables 20] [--house FILE]

questions: 1  random planar models of 12 and 40 variables, 1000 rows, 10 % and 30 % of the cells missing completely at
              random; how far the fit is from that of the same rows without a gap
           2  12 variables, a third of the columns each missing in 40 % of the rows in which another column is +1
              (missing at random: what is known explains it), and every cell missing in 40 % of the cases if it is +1,
              in 5 % if it is -1 (not at random: nothing that is known explains it)
           3  House votes 1984: log loss of a tenth of the known cells, which are hidden from the fit (prior=1)
           4  coverage of 95 % intervals on the true graph of 8 variables, and how often the likelihood-ratio test
              rejects an edge that is not there, at 5 %; 10 % and 30 % missing

RMSE is that of the couplings of all pairs (0 without an edge), KL the divergence of the fit from that without a gap, in
nats; the first RMSE is that of the couplings on the graph that the fit without a gap has. Drop has a dash where too few
complete rows are left to fit. All fits: default search without restarts.
"""

from __future__ import annotations

import argparse
import time
import warnings
from collections.abc import Callable
from pathlib import Path

import numpy as np

from isingmap import IsingModel, PlanarIsing
from isingmap.data.convert import as_spin_table
from isingmap.datasets.random_models import random_planar_model
from isingmap.errors import IsingMapError
from isingmap.io.csv_table import read_table

RULES = ("em", "pairwise", "minus", "drop")
HOUSE = Path(__file__).resolve().parents[2] / "shared" / "data" / "house_votes_84" / "house_votes_84.csv"


def model_of(n_spins: int, seed: int) -> IsingModel:
    rng = np.random.default_rng(seed)
    model = random_planar_model(n_spins, rng=rng, low=0.1, high=0.7)
    return IsingModel(model.edges, model.couplings, rng.normal(0, 0.3, n_spins), names=model.names)


def fitted(table: np.ndarray, **settings) -> PlanarIsing:
    return PlanarIsing(n_restarts=0, **settings).fit(as_spin_table(table))


def coupling_matrix(model: IsingModel) -> np.ndarray:
    matrix = np.zeros((model.n_spins,) * 2)
    matrix[tuple(model.edges.T)] = matrix[tuple(model.edges.T[::-1])] = model.couplings
    return matrix[np.triu_indices(model.n_spins, 1)]


def compared(n_spins: int, n_tables: int, hidden: Callable, case: str) -> None:
    """A row for each rule: distance from the fit without a gap, mean over tables."""
    found: dict[str, list] = {rule: [] for rule in RULES}
    for seed in range(n_tables):
        rng = np.random.default_rng([n_spins, seed])
        whole = model_of(n_spins, seed).sample(1000, rng=rng).astype(float)
        best = fitted(whole).model_
        table = np.where(hidden(whole, rng), np.nan, whole)
        for rule in RULES:
            begun = time.process_time()
            try:
                model = fitted(table, missing=rule).model_
            except IsingMapError:
                continue
            seconds = time.process_time() - begun
            given = on_graph(table, best, rule)
            apart = coupling_matrix(model) - coupling_matrix(best)
            off = np.mean(model.magnetizations() - best.magnetizations())
            row = np.sqrt(np.mean(apart**2)), best.kl_divergence(model), off, model.n_edges, seconds
            found[rule].append((*row, best.n_edges, given))
    for rule, rows in found.items():
        if len(rows) < n_tables:
            print(f"| {case} | {rule} | - | - | - | - | - | - |")
            continue
        rmse, kl, off, edges, seconds, of_whole, given = np.mean(rows, axis=0)
        distances = f"{given:.4f} | {rmse:.4f} | {kl:.4f} | {off:+.3f}"
        print(f"| {case} | {rule} | {distances} | {edges:.1f} ({of_whole:.1f}) | {seconds:.2f} s |", flush=True)


def on_graph(table: np.ndarray, best: IsingModel, rule: str) -> float:
    """RMSE of the couplings on the graph that the fit without a gap has; NaN without an estimate."""
    try:
        found = PlanarIsing(missing=rule, graph=best.edges.tolist()).fit(as_spin_table(table))
    except IsingMapError:
        return np.nan
    return float(np.sqrt(np.mean((found.couplings_ - best.couplings) ** 2)))


def heading() -> None:
    columns = "case", "rule", "RMSE, graph given", "RMSE", "KL", "mean off by", "edges (without a gap)", "processor"
    print("| " + " | ".join(columns) + " |\n" + "|---" * len(columns) + "|")


def first(n_tables: int) -> None:
    heading()
    for n_spins, n in ((12, n_tables), (40, max(n_tables // 5, 1))):
        for share in (0.1, 0.3):
            case = f"{n_spins} variables, {100 * share:.0f} % missing"
            compared(n_spins, n, lambda whole, rng, share=share: rng.random(whole.shape) < share, case)


def at_random(whole: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    hidden = np.zeros(whole.shape, bool)
    for k in range(0, whole.shape[1], 3):
        hidden[:, k] = (whole[:, k + 1] > 0) & (rng.random(len(whole)) < 0.4)
    return hidden


def not_at_random(whole: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    return rng.random(whole.shape) < np.where(whole > 0, 0.4, 0.05)


def second(n_tables: int) -> None:
    heading()
    compared(12, n_tables, at_random, "at random")
    compared(12, n_tables, not_at_random, "not at random")


def third(n_tables: int, house: Path) -> None:
    spins = read_table(house, positive={"party": "republican"}).spins.astype(float)
    spins[spins == 0] = np.nan
    ways = {"em": {"missing": "em"}, "em, Chow-Liu tree": {"missing": "em", "search": "chow-liu", "n_restarts": None}}
    ways |= {rule: {"missing": rule} for rule in ("pairwise", "minus")}
    losses: dict[str, list[float]] = {}
    for seed in range(max(n_tables // 4, 1)):
        rng = np.random.default_rng(seed)
        hidden = ~np.isnan(spins) & (rng.random(spins.shape) < 0.1)
        shown = np.where(hidden, np.nan, spins)
        share = np.broadcast_to(np.nanmean(shown > 0, axis=0, where=~np.isnan(shown)), spins.shape)
        chances = {"marginal frequencies": share}
        for name, settings in ways.items():
            model = PlanarIsing(**{"n_restarts": 0, "prior": 1, **settings}).fit(as_spin_table(shown)).model_
            chances[name] = model.predict(shown)
        for name, chance in chances.items():
            right = np.where(spins > 0, chance, 1 - chance)[hidden]
            losses.setdefault(name, []).append(float(-np.log(right).mean()))
    print("| forecast | log loss of hidden cells, nats | over the splits |\n|---|---|---|")
    for name, each in losses.items():
        print(f"| {name} | {np.mean(each):.4f} | {min(each):.4f} to {max(each):.4f} |")


def fourth(n_tables: int) -> None:
    print("| missing | rows | intervals cover | tests of an absent edge reject |\n|---|---|---|---|")
    for share in (0.1, 0.3):
        covered, rejected = [], []
        for seed in range(n_tables * 10):
            truth = model_of(8, seed % 10)
            rng = np.random.default_rng([seed, 4])
            x = truth.sample(500, rng=rng).astype(float)
            x[rng.random(x.shape) < share] = np.nan
            absent = next(
                [i, j] for i in range(8) for j in range(i + 1, 8) if [i, j] not in np.sort(truth.edges, axis=1).tolist()
            )
            graph = [*truth.edges.tolist(), absent]
            try:
                learned = PlanarIsing(missing="em", graph=graph).fit(as_spin_table(x)).learned_
            except IsingMapError:
                continue
            value = np.append(np.append(truth.couplings, 0.0), truth.fields)
            covered.append((learned.intervals.lower < value) & (value < learned.intervals.upper))
            rejected.append(learned.edge_tests.p_value[-1] < 0.05)
        cover, reject = 100 * np.concatenate(covered).mean(), 100 * np.mean(rejected)
        print(f"| {100 * share:.0f} % | 500 | {cover:.1f} % | {reject:.1f} % |", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("questions", nargs="*", type=int, default=[1, 2, 3, 4])
    parser.add_argument("--tables", type=int, default=20)
    parser.add_argument("--house", type=Path, default=HOUSE)
    arguments = parser.parse_args()
    warnings.simplefilter("ignore")
    for question in arguments.questions or [1, 2, 3, 4]:
        print(f"\n### {question}\n")
        if question == 3 and not arguments.house.exists():
            print(f"needs {arguments.house}; give another place by --house")
        elif question == 3:
            third(arguments.tables, arguments.house)
        else:
            {1: first, 2: second, 4: fourth}[question](arguments.tables)


if __name__ == "__main__":
    main()
