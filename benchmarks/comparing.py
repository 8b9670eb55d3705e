"""How often tests of two groups are wrong where the groups are alike, and how often they see what differs.

    python benchmarks/comparing.py [n_tables] [n_jobs] [words that a row must have]

Tables of six variables on a ring with two chords, 150 rows in each group unless said otherwise; search="greedy", 19
permutations, level 5 % (none of 19 differs as much). Shares have a standard error of 1.5 % at 200 tables where 5 % is
true.
"""

import sys
import time
import warnings

import numpy as np
from joblib import Parallel, delayed

from isingmap import IsingModel, PlanarIsing, compare
from isingmap.errors import IsingMapWarning

EDGES = [(0, 1), (1, 2), (2, 3), (3, 4), (4, 5), (0, 5), (0, 2), (3, 5)]
COUPLINGS = np.array([0.5, 0.4, -0.5, 0.4, 0.5, -0.4, 0.3, 0.3])
FIELDS = np.array([0.2, -0.2, 0.0, 0.1, -0.1, 0.2])
N_ROWS, N_PERMUTATIONS = 150, 19
GREEDY, GIVEN = {"search": "greedy"}, {"graph": EDGES}
EM = {"graph": EDGES, "missing": "em", "missing_label": 0, "prior": 1.0}


def rows(n, seed, couplings=COUPLINGS, fields=FIELDS):
    return IsingModel(EDGES, couplings, fields).sample(n, rng=seed)


def changed(edge, by):
    couplings = COUPLINGS.copy()
    couplings[edge] += by
    return couplings


def alike(k):
    return rows(N_ROWS, (k, 0)), rows(N_ROWS, (k, 1))


def of_unequal_size(k):
    return rows(60, (k, 0)), rows(240, (k, 1))


def with_other_means(k):
    return rows(N_ROWS, (k, 0)), rows(N_ROWS, (k, 1), fields=-FIELDS)


def with_one_edge_less(k):
    return rows(N_ROWS, (k, 0)), rows(N_ROWS, (k, 1), changed(0, -0.5))


def with_an_edge_of_other_sign(k):
    return rows(N_ROWS, (k, 0)), rows(N_ROWS, (k, 1), changed(0, -1.0))


def stronger(k):
    return rows(N_ROWS, (k, 0)), rows(N_ROWS, (k, 1), 1.6 * COUPLINGS)


def in_clusters(k):
    """15 clusters in each group: of ten rows, five are copies of one of the others."""
    groups = []
    for which in (0, 1):
        single, generator = rows(N_ROWS // 2, (k, which)), np.random.default_rng((k, which, 1))
        copies = [start + generator.integers(5) for start in range(0, len(single), 5) for _ in range(5)]
        groups.append(np.concatenate([single, single[copies]]))
    return tuple(groups)


def with_gaps(groups, k):
    """A tenth of all cells is missing."""
    generators = [np.random.default_rng((k, which, 2)) for which in (0, 1)]
    return tuple(np.where(g.random(each.shape) < 0.1, 0, each) for g, each in zip(generators, groups, strict=True))


def in_clusters_with_gaps(k):
    return with_gaps(in_clusters(k), k)


def before_and_after_with_gaps(k):
    """75 people twice: the second row has three in four of the first one's answers, and the rest of a stranger's."""
    first, strangers = rows(75, (k, 0)), rows(75, (k, 1))
    kept = np.random.default_rng((k, 3)).random(75) < 0.75
    return with_gaps((first, np.where(kept[:, None], first, strangers)), k)


CLUSTERS = np.concatenate([np.repeat(np.arange(15), 5)] * 2)
STUDIES = {
    "alike": (alike, {}),
    "alike, graph given": (alike, {"settings": GIVEN}),
    "alike, 60 and 240 rows": (of_unequal_size, {}),
    "alike, in clusters, rows permuted": (in_clusters, {}),
    "alike, in clusters, clusters permuted": (in_clusters, {"clusters": (CLUSTERS, CLUSTERS + 15)}),
    "alike, in clusters, gaps by EM, rows permuted": (in_clusters_with_gaps, {"settings": EM}),
    "alike, in clusters, gaps by EM, clusters permuted": (
        in_clusters_with_gaps,
        {"settings": EM, "clusters": (CLUSTERS, CLUSTERS + 15)},
    ),
    "alike, before and after, gaps by EM, pairs swapped": (
        before_and_after_with_gaps,
        {"settings": EM, "clusters": (np.arange(75), np.arange(75))},
    ),
    "same couplings, fields of other sign": (with_other_means, {}),
    "an edge of 0.5 is gone": (with_one_edge_less, {}),
    "an edge of 0.5 is -0.5": (with_an_edge_of_other_sign, {}),
    "all couplings 1.6 times": (stronger, {}),
}


def p_values(study, k):
    """Structure, strength, likelihood ratio, chi-square; the first edge; the share of the others below the level."""
    make, how = STUDIES[study]
    # A seed for each table: with the same 19 permutations for all, the shares would be those of their luck.
    estimator = PlanarIsing(random_state=k, **how.get("settings", GREEDY))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", IsingMapWarning)
        found = compare(*make(k), estimator, clusters=how.get("clusters"), n_permutations=N_PERMUTATIONS)
    others = np.arange(len(found.pairs)) != 0
    tests = [test.p_value for test in (found.structure, found.strength, found.likelihood_ratio)]
    edges = found.edge_p_values
    return *tests, found.asymptotic_p_value, edges[0], np.mean(edges[others] <= 0.05)


def main(n_tables=200, n_jobs=1, words=""):
    print("| groups | structure | strength | likelihood ratio | chi-square | edge 1 - 2 | other pairs | s |")
    print("|---|---|---|---|---|---|---|---|")
    for study in (name for name in STUDIES if words in name):
        start = time.perf_counter()
        found = Parallel(n_jobs)(delayed(p_values)(study, k) for k in range(n_tables))
        *tests, others = np.array(found).T
        shares = [f"{np.mean(p <= 0.05):.1%}" if np.isfinite(p).all() else "" for p in tests]
        shares += [f"{others.mean():.1%}"]
        print(f"| {study} | {' | '.join(shares)} | {time.perf_counter() - start:.0f} |", flush=True)


if __name__ == "__main__":
    main(*map(int, sys.argv[1:3]), *sys.argv[3:4])
