"""How often "cells are not missing completely at random" is a false alarm where rows come in clusters.

    python benchmarks/clustered_gaps.py [n_tables]

Gaps in three of six columns have nothing to do with answers; both lean from cluster to cluster, with the correlations
within clusters that are given (1: all rows of a cluster agree). Every rate but the first is of tables with at least one
relation that is warned of (adjusted p below 0.01); the first is of single comparisons with p below 0.05. The last lines
ask how often a reason is seen that is there: cells are missing three times as often where another column is +1.
"""

import sys

import numpy as np

from isingmap.data.design_effects import design_effects
from isingmap.data.missingness import missingness_of
from isingmap.data.table import Coding, SpinTable
from isingmap.data.tally import tally_of

N_COLUMNS, N_WITH_GAPS = 6, 3


def equal(size):
    return lambda rng, n: np.full(n, size)


def uneven(rng, n):
    return rng.geometric(0.1, n)


# What it is: clusters, their sizes, correlation within clusters of answers and of gaps, share of +1 and of gaps.
CASES = {
    "400 rows, each alone": (400, equal(1), 0.0, 0.0, 0.7, 0.08),
    "40 clusters of 10, all independent": (40, equal(10), 0.0, 0.0, 0.7, 0.1),
    "40 clusters of 10, 0.5 and 0.5": (40, equal(10), 0.5, 0.5, 0.7, 0.1),
    "40 clusters of 10, 0.3 and 1": (40, equal(10), 0.3, 1.0, 0.7, 0.2),
    "40 clusters of 10, 1 and 1, rare": (40, equal(10), 1.0, 1.0, 0.95, 0.08),
    "40 clusters of 10, 0.5 and 0.5, rare": (40, equal(10), 0.5, 0.5, 0.95, 0.05),
    "100 clusters of 5, 0.5 and 0.5": (100, equal(5), 0.5, 0.5, 0.5, 0.1),
    "8 clusters of 50, 0.2 and 0.3": (8, equal(50), 0.2, 0.3, 0.6, 0.2),
    "5 clusters of 100, 0.3 and 1": (5, equal(100), 0.3, 1.0, 0.6, 0.3),
    "30 clusters, sizes 1 to 50, 0.5 and 0.5": (30, uneven, 0.5, 0.5, 0.6, 0.15),
    "15 clusters, sizes 1 to 50, 0.5 and 1": (15, uneven, 0.5, 1.0, 0.6, 0.2),
    "20 clusters of 20, 0.1 and 0.1": (20, equal(20), 0.1, 0.1, 0.5, 0.1),
}


def binary(rng, clusters, alike, share):
    """Whether something is so in each row and column; rows of a cluster share a chance of their own."""
    shape = (clusters.max() + 1, N_COLUMNS)
    if alike == 0:
        chances = np.full(shape, share)
    elif alike == 1:
        chances = (rng.random(shape) < share).astype(float)
    else:
        chances = rng.beta(share * (1 / alike - 1), (1 - share) * (1 / alike - 1), shape)
    return rng.random((clusters.size, N_COLUMNS)) < chances[clusters]


def table_with_gaps(seed, n_clusters, sizes, alike, alike_gaps, share, share_of_gaps, reason=False):
    rng = np.random.default_rng(seed)
    clusters = np.repeat(np.arange(n_clusters), sizes(rng, n_clusters))
    spins = np.where(binary(rng, clusters, alike, share), 1, -1)
    gaps = binary(rng, clusters, alike_gaps, share_of_gaps)
    if reason:
        gaps[:, 0] |= (spins[:, -1] == 1) & (rng.random(clusters.size) < 2 * share_of_gaps)
    gaps[:, N_WITH_GAPS:] = False
    spins[gaps] = 0
    names = tuple(f"c{k}" for k in range(N_COLUMNS))
    return SpinTable(spins, names, (Coding("-1", "1"),) * N_COLUMNS, clusters=clusters)


def answers(table):
    """Missingness as if rows were independent, and with their clusters."""
    tally = tally_of(table)
    return [missingness_of(tally, table.names, effects) for effects in (None, design_effects(table))]


def rates(n_tables, case, reason=False):
    """Share of small p-values and of tables with a strong relation, for both."""
    both = [answers(table_with_gaps(seed, *case, reason=reason)) for seed in range(n_tables)]
    small = [np.mean([r.p_value < 0.05 for one in each for r in one.relations]) for each in zip(*both, strict=True)]
    strong = [np.mean([bool(one.strong) for one in each]) for each in zip(*both, strict=True)]
    return small, strong


def main(n_tables=1000):
    print(f"| {n_tables} tables | p < 0.05, rows alone | clusters | warned, rows alone | clusters |")
    print("|---|---|---|---|---|")
    for name, case in CASES.items():
        small, strong = rates(n_tables, case)
        print(f"| {name} | " + " | ".join(f"{rate:.1%}" for rate in (*small, *strong)) + " |", flush=True)
    print("\nA reason that is there:\n")
    for name in ("400 rows, each alone", "40 clusters of 10, all independent", "100 clusters of 5, 0.5 and 0.5"):
        strong = rates(n_tables, CASES[name], reason=True)[1]
        print(f"| {name} | " + " | ".join(f"{rate:.1%}" for rate in strong) + " |", flush=True)


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
