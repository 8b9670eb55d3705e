"""Nine justices of the US Supreme Court: the planar model against enumeration, and errors where a term is a cluster.

Votes with the majority or in dissent, 2010 to 2016; Supreme Court Database, scdb.wustl.edu, expected in
../shared/data/scotus. Nine justices have 512 ways to vote, so everything can be counted out.
"""

from __future__ import annotations

from itertools import product
from pathlib import Path

import numpy as np
from command_line import arguments

from isingmap import IsingModel, PlanarIsing
from isingmap.io.csv_table import read_table
from isingmap.learning.learned_map import LearnedMap
from isingmap.report.plots import draw_map

FILE = Path(__file__).resolve().parents[2] / "shared" / "data" / "scotus" / "roberts_2010_2016_majority.csv"


def counted_out(model: IsingModel) -> tuple[float, np.ndarray, np.ndarray]:
    """log Z, magnetizations and correlations of the edges, by all configurations."""
    x = np.array(list(product((-1, 1), repeat=model.n_spins)), float)
    i, j = model.edges.T
    log_weights = x[:, i] * x[:, j] @ model.couplings + x @ model.fields
    log_z = np.logaddexp.reduce(log_weights)
    chance = np.exp(log_weights - log_z)
    return log_z, chance @ x, chance @ (x[:, i] * x[:, j])


def print_exactness(model: IsingModel) -> None:
    log_z, means, pairs = counted_out(model)
    i, j = model.edges.T
    print(f"log Z {model.log_partition():.12f}, counted out {log_z:.12f}")
    print(f"largest difference of a mean     {np.abs(model.magnetizations() - means).max():.1e}")
    print(f"largest difference of a pair     {np.abs(model.correlations()[i, j] - pairs).max():.1e}")


def print_errors(alone: LearnedMap, by_term: LearnedMap) -> None:
    """Standard errors that take every case for itself, beside those of cases that come in terms."""
    print(f"{'edge':<26} {'coupling':>8} {'s.e., cases':>12} {'s.e., terms':>12}")
    for k, (one, other) in enumerate(alone.model.edge_names):
        print(
            f"{one + ' - ' + other:<26} {alone.model.couplings[k]:8.3f} {alone.coupling_errors[k]:12.3f} "
            f"{by_term.coupling_errors[k]:12.3f}"
        )


def main() -> None:
    options = arguments(__doc__.splitlines()[0])
    if not FILE.exists():
        print(f"no data in {FILE}; they can be made from the Supreme Court Database, http://scdb.wustl.edu")
        return
    settings = {"missing": "drop", "intervals": "wald"}
    cases = read_table(FILE, id_column="caseId", drop_column=["issueArea", "term"])
    terms = read_table(FILE, id_column="caseId", drop_column="issueArea", cluster_column="term")
    alone, by_term = (PlanarIsing(**settings).fit(table).learned_ for table in (cases, terms))
    model = alone.model
    print(f"{alone.moments.n_samples:g} cases with nine votes, {model.n_edges} edges of 36 pairs")
    print_exactness(model)
    print_errors(alone, by_term)
    options.out.mkdir(parents=True, exist_ok=True)
    file = options.out / "supreme-court.png"
    draw_map(file, names=model.names, edges=model.edges, couplings=model.couplings, title="Roberts court, 2010-2016")
    print(f"figure: {file}")


if __name__ == "__main__":
    main()
