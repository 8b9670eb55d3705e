"""The paper's first experiment (section 5): zero-field models on a 7x7 grid, learned back from samples.

Johnson, Netrapalli & Chertkov, "Learning Planar Ising Models", AISTATS 2011. Couplings uniform on [-1, 1]
with |coupling| >= 0.05; data by Gibbs sampling; the search stops at the true number of edges, 84. For the
last line of the table the search is given the exact moments: where it still errs, it is caught as in
`counterexample.py`, and more data do not help.
"""

from __future__ import annotations

import numpy as np
from command_line import arguments, save
from matplotlib.figure import Figure
from recovery import EXACT, Recovery, add_legend, draw_recovery, draw_truth, print_table, recover

from isingmap import Problem, SearchOptions, greedy_search
from isingmap.datasets.random_models import grid_model
from isingmap.model import IsingModel

SIDE = 7
SIZES = (1_000, 10_000, 100_000, EXACT)


def run(seed: int) -> list[Recovery]:
    """One random model, learned from fresh samples of each size and from its exact moments."""
    truth = grid_model(SIDE, SIDE, rng=np.random.default_rng(seed))

    def learn(moments, _magnetizations, n_samples) -> IsingModel:
        problem = Problem.from_moments(moments, n_samples, names=truth.names, family="zero-field")
        return greedy_search(problem, SearchOptions(criterion="maximal", n_edges=truth.n_edges)).model

    rng = np.random.default_rng([seed, 1])
    return [recover(truth, n_samples, rng, learn) for n_samples in SIZES]


def draw(recoveries: list[Recovery]) -> Figure:
    """The true graph and what was learned from each number of samples."""
    number = np.arange(SIDE * SIDE)
    position = np.column_stack([number % SIDE, -(number // SIDE)]).astype(float)
    sampled = [recovery for recovery in recoveries if recovery.n_samples != EXACT]
    figure = Figure(figsize=(9.6, 3.4), layout="constrained")
    axes = figure.subplots(1, 1 + len(sampled), sharex=True, sharey=True)
    draw_truth(axes[0], recoveries[0].truth, position)
    for ax, recovery in zip(axes[1:], sampled, strict=True):
        draw_recovery(ax, recovery, position, bend=0.14)
    add_legend(figure)
    return figure


def main() -> None:
    options = arguments(__doc__.splitlines()[0])
    runs = [run(seed) for seed in range(2 if options.quick else 10)]
    print_table(recovery for recoveries in runs for recovery in recoveries)
    save(draw(runs[0]), options.out, "grid")


if __name__ == "__main__":
    main()
