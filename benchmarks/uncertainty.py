"""Whether 95 % intervals cover in 95 % of cases, and tests at 5 % reject in 5 %.

    python benchmarks/uncertainty.py [QUESTION ...] [--tables 200]

questions: 1  the true graph given: Wald, profile and robust intervals of the couplings of random planar models of 8
              variables and some 11 edges, by the rows expected in the emptiest cell of the pair's table;
              likelihood-ratio tests of an edge that is not there, beside Wald's
           2  a wrong model: rows of a mixture of two models, alone and in clusters of 20 or 40; what is to be covered
              are the best couplings and fields on the graph, those of the mixture's exact moments
           3  survey weights, because pairs that agree were asked more often
           4  the graph chosen with the same rows (default search), and with the other half of them

Every table is a sample of exact draws; the default takes some minutes. Default: all questions.
"""

from __future__ import annotations

import argparse
import warnings
from collections.abc import Iterator

import numpy as np

from isingmap import IsingModel, PlanarIsing
from isingmap.data.convert import as_spin_table
from isingmap.datasets.random_models import random_planar_model
from isingmap.learning.learned_map import LearnedMap
from isingmap.likelihood.fit import fit_couplings

KINDS = {
    "wald": {"intervals": "wald"},
    "profile": {"intervals": "profile"},
    "auto": {"intervals": "auto"},
    "robust": {"intervals": "wald", "errors": "robust"},
    "robust, auto": {"intervals": "auto", "errors": "robust"},
}
BINS = (0, 5, 10, 20, np.inf)


class Tally:
    """How often something happened, by case."""

    def __init__(self) -> None:
        self.counts: dict[tuple, list[int]] = {}

    def add(self, case: tuple, happened: np.ndarray) -> None:
        entry = self.counts.setdefault(case, [0, 0])
        entry[0] += int(np.sum(happened))
        entry[1] += int(np.size(happened))

    def show(self, *headings: str) -> None:
        print("| " + " | ".join((*headings, "of", "share")) + " |\n|" + "---|" * (len(headings) + 2))
        for case, (yes, all_of_them) in self.counts.items():
            share = f"{100 * yes / all_of_them:.1f} % +- {100 * np.sqrt(0.0475 / all_of_them):.1f}"
            print("| " + " | ".join((*map(str, case), f"{all_of_them:,}", share)) + " |")
        print(flush=True)


def models(n_tables: int, n_spins: int = 8) -> Iterator[tuple[IsingModel, int]]:
    """Ten random models, each for a tenth of the tables, and a seed for each table."""
    for seed in range(n_tables):
        rng = np.random.default_rng(seed % 10)
        model = random_planar_model(n_spins, rng=rng, low=0.2, high=0.7, field=0.0)
        yield IsingModel(model.edges, model.couplings, rng.normal(0, 0.4, n_spins)), seed


def learned(spins: np.ndarray, graph, settings: dict, **about_rows) -> LearnedMap:
    return PlanarIsing(graph=np.asarray(graph), **settings).fit(as_spin_table(spins), **about_rows).learned_


def covers(fit: LearnedMap, truth: np.ndarray) -> np.ndarray:
    found = fit.coupling_intervals
    return (found.lower < truth) & (truth < found.upper)


def couplings_on(edges: np.ndarray, model: IsingModel) -> np.ndarray:
    """The model's coupling of each pair, 0 where it has none."""
    known = {tuple(pair): value for pair, value in zip(model.edges.tolist(), model.couplings.tolist(), strict=True)}
    return np.array([known.get(tuple(pair), 0.0) for pair in edges.tolist()])


def rows_in_words(count: float) -> str:
    k = int(np.searchsorted(BINS, count, side="right"))
    return f"{BINS[k - 1]} to {BINS[k]}" if k < len(BINS) - 1 else f"{BINS[-2]} or more"


def question_1(n_tables: int) -> None:
    for n_rows in (120, 200, 500):
        cover, by_rows, reject, misses = Tally(), Tally(), Tally(), Tally()
        for truth, seed in models(n_tables):
            spins = truth.sample(n_rows, rng=seed)
            for name, settings in KINDS.items():
                fit = _tried(spins, truth.edges, settings)
                if fit is None:
                    continue
                covered = covers(fit, couplings_on(fit.model.edges, truth))
                cover.add((name,), covered)
                if name in ("wald", "profile"):
                    counts = n_rows * truth.pair_marginals(fit.model.edges).min(axis=(1, 2))
                    sides = _misses(fit, truth)
                    for k in range(covered.size):
                        by_rows.add((rows_in_words(counts[k]), name), covered[k])
                        for side, missed in sides.items():
                            if counts[k] < 10:
                                misses.add((name, side), missed[k])
            _false_edge(spins, truth, reject)
        print(f"**1. The true graph, {n_rows} rows**\n")
        cover.show("intervals of couplings")
        by_rows.counts = dict(sorted(by_rows.counts.items(), key=lambda item: float(item[0][0].split()[0])))
        by_rows.show("rows expected in the emptiest cell", "intervals")
        misses.show("intervals, fewer than 10 rows expected in a cell", "misses: the true coupling is")
        reject.show("test at 5 % of an edge that is not there")


def _misses(fit: LearnedMap, truth: IsingModel) -> dict[str, np.ndarray]:
    """On which side of the interval the truth is, seen from 0."""
    true, found = couplings_on(fit.model.edges, truth), fit.coupling_intervals
    sign = np.sign(true)
    ends = np.sort(np.stack([sign * found.lower, sign * found.upper]), axis=0)
    return {"stronger": sign * true > ends[1], "weaker": sign * true < ends[0]}


def _tried(spins, graph, settings, **about_rows) -> LearnedMap | None:
    try:
        return learned(spins, graph, settings, **about_rows)
    except (ValueError, ArithmeticError):  # no finite estimate
        return None


def _false_edge(spins: np.ndarray, truth: IsingModel, reject: Tally) -> None:
    """One pair more that leaves the graph planar."""
    there = set(map(tuple, truth.edges.tolist()))
    for pair in ((0, 1), (2, 5), (1, 6), (3, 4), (4, 7), (0, 3)):
        if pair in there:
            continue
        fit = _tried(spins, [*there, pair], {"intervals": "wald"})
        if fit is None:
            continue
        k = fit.model.edges.tolist().index(list(pair))
        reject.add(("likelihood ratio",), fit.edge_tests.p_value[k] < 0.05)
        reject.add(("Wald",), not covers(fit, np.zeros(fit.model.n_edges))[k])
        return


def question_2(n_tables: int) -> None:
    cover = Tally()
    for truth, seed in models(n_tables):
        parts = [truth.with_couplings((1 + s) * truth.couplings, truth.fields + s) for s in (-0.6, 0.6)]
        best = _best_of_mixture(parts, truth)
        for size, n_clusters in ((1, 500), (40, 5), (20, 10), (20, 25), (20, 100)):
            rng = np.random.default_rng(seed)
            kinds = np.repeat(rng.integers(0, 2, n_clusters), size)
            spins = np.empty((kinds.size, truth.n_spins), np.int8)
            for k, part in enumerate(parts):
                spins[kinds == k] = part.sample(int((kinds == k).sum()), rng=rng)
            clusters = np.repeat(np.arange(n_clusters), size)
            what = "500 rows" if size == 1 else f"{n_clusters} clusters of {size} rows"
            for name, settings, about in (
                ("Wald", KINDS["wald"], {}),
                ("profile", KINDS["profile"], {}),
                ("robust, rows", KINDS["robust"], {}),
                ("robust, clusters", KINDS["robust"], {"clusters": clusters}),
                ("robust profile, clusters", {"intervals": "profile"}, {"clusters": clusters}),
            ):
                if size == 1 and about:
                    continue
                fit = _tried(spins, truth.edges, settings, **about)
                if fit is not None:
                    fields = fit.field_intervals
                    cover.add((what, name, "couplings"), covers(fit, best.couplings))
                    cover.add((what, name, "fields"), (fields.lower < best.fields) & (best.fields < fields.upper))
    print("**2. A wrong model: a mixture of two, couplings times 0.4 or 1.6, fields -0.6 or +0.6**\n")
    cover.show("rows", "intervals", "of")


def _best_of_mixture(parts: list[IsingModel], truth: IsingModel) -> IsingModel:
    moments = np.mean([part.correlations() for part in parts], axis=0)
    means = np.mean([part.magnetizations() for part in parts], axis=0)
    return fit_couplings(truth.edges, moments, magnetizations=means, fields_in_plane=False).model


def question_3(n_tables: int) -> None:
    cover, effective = Tally(), []
    for truth, seed in models(n_tables):
        rng = np.random.default_rng(seed)
        spins = truth.sample(3000, rng=rng)
        agree = spins[:, truth.edges[0, 0]] == spins[:, truth.edges[0, 1]]
        chance = np.where(agree, 0.3, 0.1) * rng.choice([0.5, 1.5], len(spins))  # of being asked
        asked = rng.random(len(spins)) < chance
        weights = 1.0 / chance[asked]
        effective.append(weights.sum() ** 2 / (weights**2).sum() / asked.sum())
        for name, settings, about in (
            ("without the weights", KINDS["wald"], {}),
            ("as frequencies", KINDS["wald"], {"sample_weight": weights}),
            ("as survey weights", KINDS["wald"] | {"weight_kind": "survey"}, {"sample_weight": weights}),
            ("survey, profile", KINDS["profile"] | {"weight_kind": "survey"}, {"sample_weight": weights}),
        ):
            fit = _tried(spins[asked], truth.edges, settings, **about)
            if fit is not None:
                covered = covers(fit, couplings_on(fit.model.edges, truth))
                cover.add((name, "the one that decides who is asked"), covered[0])
                cover.add((name, "others"), covered[1:])
    print(f"**3. Survey weights, effective number {np.mean(effective):.2f} of the rows (some 500)**\n")
    cover.show("weights", "couplings")


def question_4(n_tables: int) -> None:
    for n_rows in (250, 1000):
        cover = Tally()
        for truth, seed in models(n_tables // 2):
            spins = truth.sample(n_rows, rng=seed)
            first = as_spin_table(spins[::2])
            for name, table, other in (("same rows", as_spin_table(spins), None), ("other half", first, spins[1::2])):
                found = PlanarIsing(n_restarts=2).fit(table).learned_
                if not found.model.n_edges:
                    continue
                fit = found if other is None else _tried(other, found.model.edges, {})
                if fit is None:
                    continue
                true = couplings_on(fit.model.edges, truth)
                covered = covers(fit, true)
                cover.add((name, "all edges found"), covered)
                strong = 2.0 * fit.edge_losses < np.quantile(2.0 * fit.edge_losses, 0.25)
                cover.add((name, "the quarter that lose least"), covered[strong])
                cover.add((name, "the best on the graph found"), covers(fit, _best_on(fit.model.edges, truth)))
        print(
            f"**4. Edges found by the default search in {n_rows} rows; true couplings, and the best on that graph**\n"
        )
        cover.show("graph from", "edges")


def _best_on(edges: np.ndarray, truth: IsingModel) -> np.ndarray:
    fit = fit_couplings(edges, truth.correlations(), magnetizations=truth.magnetizations(), fields_in_plane=False)
    return fit.model.couplings


QUESTIONS = {"1": question_1, "2": question_2, "3": question_3, "4": question_4}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("questions", nargs="*", choices=[*QUESTIONS, []], metavar="QUESTION")
    parser.add_argument("--tables", type=int, default=200, metavar="N")
    arguments = parser.parse_args()
    warnings.simplefilter("ignore")
    for name in arguments.questions or QUESTIONS:
        QUESTIONS[name](arguments.tables)


if __name__ == "__main__":
    main()
