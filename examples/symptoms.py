"""Six symptoms of post-traumatic stress in 344 persons: every edge with its interval, test and frequency.

McNally et al., "Mental disorders as causal systems", Clinical Psychological Science 2015; the data are in the R package
mgm, and expected in ../shared/data/psychometrics.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
from command_line import arguments

from isingmap import PlanarIsing
from isingmap.io.csv_table import read_table
from isingmap.learning.learned_map import LearnedMap
from isingmap.report.plots import draw_map
from isingmap.resampling.stability import Stability

FILE = Path(__file__).resolve().parents[2] / "shared" / "data" / "psychometrics" / "ptsd_mcnally2015_6.csv"


def print_edges(fit: LearnedMap, stability: Stability) -> None:
    """The strongest first; then what was found in resamples and is no edge of the map."""
    names, intervals, tests = fit.model.names, fit.coupling_intervals, fit.edge_tests
    frequency = stability.frequency[stability.numbers_of(fit.model.edges)]
    print(f"{'edge':<22} {'coupling':>8}  {'95 % interval':<16} {'LR':>6} {'p':>8} {'found again':>11}")
    for k in np.argsort(-np.abs(fit.model.couplings)):
        i, j = fit.model.edges[k]
        interval = f"{intervals.lower[k]:.2f} to {intervals.upper[k]:.2f}"
        print(
            f"{names[i] + ' - ' + names[j]:<22} {fit.model.couplings[k]:8.3f}  {interval:<16} "
            f"{tests.statistic[k]:6.1f} {tests.p_value[k]:8.1e} {frequency[k]:11.0%}"
        )
    others = [k for k in np.argsort(-stability.frequency) if not stability.is_edge[k] and stability.frequency[k] > 0.1]
    for k in others:
        print(
            f"{' - '.join(stability.pair_names[k]):<22} {'no edge':>8}  {'':<16} {'':>6} {'':>8} "
            f"{stability.frequency[k]:11.0%}"
        )


def main() -> None:
    options = arguments(__doc__.splitlines()[0])
    if not FILE.exists():
        print(f"no data in {FILE}; they are PTSD_data of the R package mgm")
        return
    table = read_table(FILE)
    estimator = PlanarIsing()
    stability = estimator.stability(table, n_resamples=30 if options.quick else 1000)
    print(f"{table.n_samples} persons, {len(stability.outcomes)} resamples")
    print_edges(estimator.learned_, stability)
    model = estimator.model_
    options.out.mkdir(parents=True, exist_ok=True)
    file = options.out / "symptoms.png"
    draw_map(file, names=model.names, edges=model.edges, couplings=model.couplings, title="PTSD, 344 persons")
    print(f"figure: {file}")


if __name__ == "__main__":
    main()
