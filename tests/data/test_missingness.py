"""Whether cells are missing for reasons that other columns show: against SciPy's test, under chance and without it."""

import numpy as np
import pytest
from scipy.stats import chi2_contingency, fisher_exact

from isingmap import PlanarIsing
from isingmap.data.design_effects import design_effects
from isingmap.data.missingness import STRONG, missingness_of
from isingmap.data.table import Coding, SpinTable
from isingmap.data.tally import tally_of, tally_rows


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


def clustered(rng, n_clusters, sizes, share_of_gaps, n_columns=5):
    """Answers and gaps lean from cluster to cluster, each on its own; the last column has no gaps."""
    clusters = np.repeat(np.arange(n_clusters), sizes)
    chances = rng.beta(0.5, 0.5, (2, n_clusters, n_columns))[:, clusters]
    spins = np.where(rng.random(chances[0].shape) < chances[0], 1, -1)
    spins[:, :-1][(rng.random(chances[1].shape) < chances[1] * 2 * share_of_gaps)[:, :-1]] = 0
    names = tuple(f"c{k}" for k in range(n_columns))
    return SpinTable(spins, names, (Coding("-1", "1"),) * n_columns, clusters=clusters)


def with_clusters(table):
    return missingness_of(tally_of(table), table.names, design_effects(table))


def test_effects_of_clusters_are_those_of_all_pairs_of_rows():
    table = clustered(np.random.default_rng(3), 6, [1, 2, 3, 4, 5, 6], 0.4)
    effects = design_effects(table)
    assert effects.max() > 1.1
    for other in range(5):
        rows = np.flatnonzero(table.spins[:, other])
        for column in range(5):
            lacks, has = table.spins[rows, column] == 0, table.spins[rows, other]
            if lacks.all() or not lacks.any() or abs(has.sum()) == has.size:
                assert effects[other, column] == 1.0
                continue
            shared = table.clusters[rows][:, None] == table.clusters[rows]
            np.fill_diagonal(shared, False)
            alike = [np.outer(v - v.mean(), v - v.mean())[shared].mean() / v.var() for v in (lacks, has)]
            expected = max(1.0, 1.0 + alike[0] * alike[1] * shared.sum() / rows.size)
            assert effects[other, column] == pytest.approx(expected, rel=1e-10)


def test_chance_alone_is_seldom_strong_in_clusters():
    """Answers and gaps have nothing to do with each other, but clusters lean: rows taken one by one cry wolf."""
    tables = [clustered(np.random.default_rng((9, seed)), 30, 8, 0.45) for seed in range(80)]
    assert np.mean([bool(missingness_of(tally_of(table), table.names).strong) for table in tables]) > 0.15
    assert np.mean([bool(with_clusters(table).strong) for table in tables]) <= STRONG + 0.01


def test_a_reason_is_found_within_clusters():
    table = clustered(np.random.default_rng(4), 60, 6, 0.1)
    spins = table.spins.copy()
    spins[(spins[:, 4] == 1) & (np.random.default_rng(0).random(len(spins)) < 0.5), 0] = 0
    found = with_clusters(SpinTable(spins, table.names, table.codings, clusters=table.clusters))
    assert (0, 4) in [(each.column, each.other) for each in found.strong] and found.by_cluster


def test_clusters_of_single_rows_change_nothing():
    spins = with_gaps(np.random.default_rng(2), 60, 0.2)
    table = SpinTable(spins, tuple(f"c{k}" for k in range(6)), (Coding("-1", "1"),) * 6, clusters=np.arange(60))
    assert with_clusters(table).relations == gaps_of(spins).relations


def test_weights_are_so_many_rows_of_a_cluster_in_any_order():
    rng = np.random.default_rng(5)
    table = clustered(rng, 12, 6, 0.3)
    times, order = rng.integers(0, 4, 72), rng.permutation(72)
    repeated = SpinTable(
        np.repeat(table.spins, times, axis=0), table.names, table.codings, clusters=np.repeat(table.clusters, times)
    )
    shuffled = SpinTable(
        table.spins[order],
        table.names,
        table.codings,
        weights=times[order].astype(float),
        clusters=table.clusters[order],
    )
    assert with_clusters(repeated).relations == with_clusters(shuffled).relations


def test_a_column_with_a_single_value_is_no_comparison():
    spins = with_gaps(np.random.default_rng(0), 200, 0.08)
    alone = gaps_of(spins)
    beside = gaps_of(np.column_stack([spins, np.ones(len(spins), np.int8)]))
    assert beside.n_compared == alone.n_compared
    assert [one.adjusted for one in beside.relations] == [one.adjusted for one in alone.relations]


@pytest.mark.parametrize("fit", [PlanarIsing.fit, PlanarIsing.partial_fit])
@pytest.mark.filterwarnings("ignore::isingmap.errors.IsingMapWarning")
def test_columns_that_are_not_in_the_model_are_not_compared(fit):
    spins = with_gaps(np.random.default_rng(0), 200, 0.08)
    constant = np.where(np.arange(len(spins)) % 5 == 0, 0, 1).astype(np.int8)
    settings = {"missing": "pairwise", "constant": "drop", "graph": [(0, 1)]}
    whole = fit(PlanarIsing(**settings), np.ma.masked_equal(np.column_stack([spins, constant]), 0)).learned_.gaps
    assert whole.n_compared == gaps_of(spins).n_compared
    assert len(whole.names) == spins.shape[1]
