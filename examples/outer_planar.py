"""The paper's second experiment (section 5): a 12-node outer-planar graph with fields, learned from samples.

Johnson, Netrapalli & Chertkov, "Learning Planar Ising Models", AISTATS 2011. |coupling| in [0.05, 1],
fields in [-0.5, 0.5]; data by Gibbs sampling. The search stops at the true number of edges, or where BIC
says. With exact moments in place of samples, the errors that are left are those of the greedy search itself.
"""

from __future__ import annotations

import numpy as np
from command_line import arguments, save
from matplotlib.figure import Figure
from recovery import EXACT, Recovery, add_legend, draw_recovery, draw_truth, print_table, recover

from isingmap import Problem, SearchOptions, greedy_search
from isingmap.datasets.random_models import paper_outer_planar_model
from isingmap.model import IsingModel

SIZES = (1_000, 10_000, 100_000)
DRAWN = 1  # the seed of the model in the figure
# How the search stops: its options, and the sizes tried (BIC means nothing without a number of samples).
STOPPING = {
    "at the true number of edges": ({"criterion": "maximal", "n_edges": 21}, (*SIZES, EXACT)),
    "by BIC": ({"criterion": "bic"}, SIZES),
}


def run(seed: int, stopping: dict, sizes: tuple) -> list[Recovery]:
    """One random model, learned from fresh samples of each size."""
    truth = paper_outer_planar_model(rng=np.random.default_rng(seed))

    def learn(moments, magnetizations, n_samples) -> IsingModel:
        problem = Problem.from_moments(
            moments, n_samples, magnetizations=magnetizations, names=truth.names, family="outer-planar"
        )
        return greedy_search(problem, SearchOptions(**{"criterion": "bic", **stopping})).model

    rng = np.random.default_rng([seed, 1])
    return [recover(truth, n_samples, rng, learn) for n_samples in sizes]


def draw(rows: dict[str, list[Recovery]]) -> Figure:
    """The true graph, and a row of learned graphs for each way to stop."""
    angle = np.pi / 2 - 2 * np.pi * np.arange(12) / 12
    position = np.column_stack([np.cos(angle), np.sin(angle)])
    figure = Figure(figsize=(9.6, 5.2), layout="constrained")
    left, right = figure.subfigures(1, 2, width_ratios=[1, len(SIZES)])
    truth = next(iter(rows.values()))[0].truth
    draw_truth(left.subplots(), truth, position, numbered=True)
    for strip, (how, recoveries) in zip(right.subfigures(len(rows), 1), rows.items(), strict=True):
        strip.suptitle(f"search stopped {how}", fontsize=10)
        for ax, recovery in zip(strip.subplots(1, len(SIZES)), recoveries[: len(SIZES)], strict=True):
            draw_recovery(ax, recovery, position, numbered=True)
    add_legend(figure)
    return figure


def main() -> None:
    options = arguments(__doc__.splitlines()[0])
    seeds = range(2 if options.quick else 10)
    drawn = {}
    for how, (stopping, sizes) in STOPPING.items():
        runs = [run(seed, stopping, sizes) for seed in seeds]
        drawn[how] = runs[DRAWN]
        print(f"search stopped {how}")
        print_table(recovery for recoveries in runs for recovery in recoveries)
    save(draw(drawn), options.out, "outer_planar")


if __name__ == "__main__":
    main()
