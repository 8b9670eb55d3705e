"""Whether cells are missing for reasons that other columns show: against SciPy's test, under chance and without it."""

import numpy as np
import pytest
from scipy.stats import chi2_contingency, fisher_exact

from isingmap.data.missingness import STRONG, missingness_of
from isingmap.data.tally import tally_rows


def gaps_of(spins, weights=None):
    return missingness_of(tally_rows(spins.astype(np.int8), weights), [f"c{k}" for k in range(spins.shape[1])])


def with_gaps(rng, n_rows, share, n_columns=6):
    spins = rng.choice([-1, 1], p=[0.3, 0.7], size=(n_rows, n_columns))
    spins[rng.random(spins.shape) < share] = 0
    return spins


@pytest.mark.parametrize("n_rows", [30, 400])
def test_every_comparison_is_that_of_the_two_groups_of_rows(n_rows):
    spins = with_gaps(np.random.default_rng(n_rows), n_rows, 0.2)
    found = gaps_of(spins)
    assert found.missing.tolist() == (spins == 0).sum(axis=0).tolist() and found.n_compared == len(found.relations) > 28
    for each in found.relations:
        lacks, other = spins[:, each.column] == 0, spins[:, each.other]
        table = [[(other[rows] == s).sum() for s in (1, -1)] for rows in (lacks, ~lacks)]
        assert (each.n_lacking, each.n_having) == (sum(table[0]), sum(table[1]))
        assert each.mean_lacking == pytest.approx((table[0][0] - table[0][1]) / sum(table[0]))
        assert each.mean_having == pytest.approx((table[1][0] - table[1][1]) / sum(table[1]))
        by_chi, expected = chi2_contingency(table, correction=False)[1::2]
        exact = by_chi < 0.05 and np.min(expected) < 10
        assert each.p_value == pytest.approx(fisher_exact(table)[1] if exact else by_chi, rel=1e-8)
    p = np.array([each.p_value for each in found.relations])
    holm = np.maximum.accumulate(np.minimum(p * np.arange(p.size, 0, -1), 1.0))
    assert np.array([each.adjusted for each in found.relations]) == pytest.approx(holm)


def test_chance_alone_is_seldom_strong():
    """Missing completely at random: of 150 tables of 200 rows fewer than one in a hundred has a relation."""
    strong = [bool(gaps_of(with_gaps(np.random.default_rng(seed), 200, 0.08)).strong) for seed in range(150)]
    assert np.mean(strong) <= STRONG + 0.01


def test_a_reason_that_another_column_shows_is_found():
    rng = np.random.default_rng(0)
    spins = rng.choice([-1, 1], size=(300, 4))
    spins[(spins[:, 2] == 1) & (rng.random(300) < 0.4), 0] = 0
    found = gaps_of(spins)
    assert [(each.column, each.other) for each in found.strong] == [(0, 2)]
    assert found.strong[0].mean_lacking == 1.0 and "where c0 is missing the mean of c2 is +1.00" in found.told(
        found.strong[0]
    )


def test_weights_are_so_many_rows():
    rng = np.random.default_rng(1)
    spins, times = with_gaps(rng, 100, 0.2), rng.integers(0, 4, 100)
    weighted, repeated = gaps_of(spins, times.astype(float)), gaps_of(np.repeat(spins, times, axis=0))
    assert weighted.relations == repeated.relations and (weighted.missing == repeated.missing).all()
