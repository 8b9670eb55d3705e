"""Two groups of rows whose models differ in one coupling."""

from collections import Counter

import numpy as np

from isingmap import IsingModel

EDGES = [(0, 1), (1, 2), (2, 3), (3, 4)]


def sampled(couplings, n_rows, seed):
    return IsingModel(EDGES, couplings, np.full(5, 0.2), names=list("ebdac")).sample(n_rows, rng=seed)


def table_rows(spins):
    return Counter(map(tuple, spins.tolist()))
