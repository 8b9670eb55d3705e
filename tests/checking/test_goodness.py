"""Goodness of fit: statistics against plain sums, what is there is seen, what chance makes is not."""

from dataclasses import replace

import numpy as np
import pytest

from isingmap import IsingModel, PlanarIsing, SpinTable
from isingmap.checking.captured import captured
from isingmap.checking.goodness import COUNTS, PAIRS, TRIPLES, WORST_TRIPLE, goodness_of_fit
from isingmap.checking.simulated import Simulation, refitted
from isingmap.checking.statistics import central_triples, count_shares, statistics_of, triples_of
from isingmap.data.moments import empirical_moments
from isingmap.data.table import Coding
from isingmap.errors import DataError, ModelError
from isingmap.learning.misses import misses

NAMES = tuple("abcdef")
CHAIN = IsingModel([(k, k + 1) for k in range(5)], [0.4, -0.5, 0.3, 0.6, -0.2], np.linspace(-0.3, 0.4, 6), names=NAMES)


def fitted_to(rows, edges=CHAIN.edges, names=NAMES):
    """(table, maximum of the likelihood on a graph with all fields)."""
    table = SpinTable(np.asarray(rows, np.int8), names, (Coding("no", "yes"),) * len(names))
    start = IsingModel(edges, np.zeros(len(edges)), np.zeros(len(names)), names=names, free_fields=np.ones(len(names)))
    return table, refitted(start, empirical_moments(table))


@pytest.fixture(scope="module")
def from_the_model():
    table, model = fitted_to(CHAIN.sample(300, rng=3))
    return table, model, goodness_of_fit(model, table, n_tables=39)


def p_of(check):
    return {test.name: test.p for test in check.tests}


def test_triples_are_plain_sums_over_known_cells():
    rng = np.random.default_rng(0)
    spins = rng.choice([-1, 0, 1], (40, 5), p=[0.4, 0.1, 0.5]).astype(np.int8)
    found = central_triples(spins)
    mean = [spins[spins[:, k] != 0, k].mean() for k in range(5)]
    assert len(triples_of(5)) == 10
    for (i, j, k), value in zip(triples_of(5).tolist(), found, strict=True):
        rows = spins[(spins[:, [i, j, k]] != 0).all(axis=1)]
        plain = ((rows[:, i] - mean[i]) * (rows[:, j] - mean[j]) * (rows[:, k] - mean[k])).mean()
        assert value == pytest.approx(plain, rel=1e-5, abs=1e-6)
    assert central_triples(np.ones((2, 101), np.int8)).size == len(triples_of(101)) == 0


def test_counts_of_positives():
    spins = np.array([[1, 1, -1], [0, 1, 1], [-1, -1, -1], [1, 0, -1]], np.int8)
    np.testing.assert_array_equal(count_shares(spins), [0.25, 0.25, 0.5, 0.0])


def test_a_table_from_the_model_looks_like_it(from_the_model):
    _, _, check = from_the_model
    assert check.is_refitted and check.n_failed == 0
    assert min(p_of(check).values()) > 0.05
    assert check.counts.data.sum() == pytest.approx(1.0) and (check.counts.lower <= check.counts.upper).all()


def test_nothing_depends_on_the_order_of_columns(from_the_model):
    table, model, check = from_the_model
    assert p_of(goodness_of_fit(model, table.select(list("fbdace")), n_tables=39)) == p_of(check)
    assert p_of(goodness_of_fit(model, table, n_tables=39, seed=1)) != p_of(check)


def test_a_parity_is_seen_in_the_triples_alone():
    rows = CHAIN.sample(600, rng=2)
    parity = np.random.default_rng(3).random(600) < 0.5
    rows[parity, 4] = rows[parity, 0] * rows[parity, 2]
    table, model = fitted_to(rows)
    check = goodness_of_fit(model, table, n_tables=39)
    assert p_of(check)[TRIPLES] == p_of(check)[WORST_TRIPLE] == pytest.approx(1 / 40)
    worst = int(np.nanargmax(np.abs(check.triples.z)))
    assert check.triples.spins[worst].tolist() == [0, 2, 4]
    assert check.triples.data[worst] > check.triples.expected[worst]


def test_a_lacking_edge_is_seen_in_the_pairs():
    table, model = fitted_to(CHAIN.sample(400, rng=4), edges=CHAIN.edges[:-2])
    check = goodness_of_fit(model, table, n_tables=39)
    assert p_of(check)[PAIRS] == pytest.approx(1 / 40)
    assert (check.misses[0].source, check.misses[0].target) == (3, 4)


def test_rows_that_agree_more_than_pairs_say_are_seen_in_the_counts():
    rng = np.random.default_rng(5)
    rows = np.where(rng.random((500, 6)) < 0.5, 1, -1)
    rows[:150] = np.where(rng.random((150, 1)) < 0.5, 1, -1)
    table, model = fitted_to(rows)
    assert p_of(goodness_of_fit(model, table, n_tables=39))[COUNTS] <= 0.05


def test_another_model_is_not_refitted(from_the_model):
    table, _, _ = from_the_model
    check = goodness_of_fit(CHAIN, table, n_tables=19)
    assert not check.is_refitted
    assert any(miss.is_fitted and abs(miss.z) > 0 for miss in check.misses)


def test_missing_cells_are_missing_from_the_simulated_tables_too():
    rows = CHAIN.sample(400, rng=8)
    rows[np.random.default_rng(7).random(rows.shape) < 0.1] = 0
    table, model = fitted_to(rows)
    check = goodness_of_fit(model, table, n_tables=19)
    assert check.n_missing == table.n_missing > 0 and check.is_refitted
    assert check.captured.n_rows == int((rows != 0).all(axis=1).sum())
    assert min(p_of(check).values()) > 0.05


@pytest.mark.filterwarnings("ignore::isingmap.errors.DataWarning")
@pytest.mark.parametrize(
    "settings",
    [
        {"missing": "drop"},
        {"missing": "minus"},
        {"missing": "pairwise"},
        {"missing": "drop", "prior": 20.0},
        {"missing": "minus", "weight_kind": "survey"},
    ],
)
def test_a_fit_with_settings_is_refitted_with_the_same(settings):
    rng = np.random.default_rng(7)
    rows = CHAIN.sample(300, rng=6)
    rows[rng.random(rows.shape) < 0.05] = 0
    weights = rng.exponential(size=300) if "weight_kind" in settings else None
    table = SpinTable(rows, NAMES, (Coding("no", "yes"),) * 6, weights=weights)
    fit = PlanarIsing(graph=CHAIN.edges.tolist(), **settings).fit(table)
    check = goodness_of_fit(fit.model_, table, n_tables=19, **settings)
    assert check.is_refitted and min(p_of(check).values()) > 0.05
    assert check.n_rows == {"drop": (rows != 0).all(axis=1).sum()}.get(settings["missing"], 300)
    for others in ({}, settings | {"missing": "drop" if settings["missing"] != "drop" else "minus"}):
        if others != settings and settings != {"missing": "pairwise"}:
            assert not goodness_of_fit(fit.model_, table, n_tables=19, **others).is_refitted
    if "weight_kind" in settings:  # rows carry their weights: means are those of the fit
        mean = check.misses[[m.is_mean for m in check.misses].index(True)]
        assert mean.data == pytest.approx(fit.moments_.magnetizations[mean.source]) and mean.rows < 300


def test_whole_frequencies_are_so_many_rows():
    rng = np.random.default_rng(2)
    rows, weights = CHAIN.sample(150, rng=9), rng.integers(0, 4, 150)
    long, model = fitted_to(np.repeat(rows, weights, axis=0))
    short = SpinTable(rows, NAMES, long.codings, weights=weights)
    one, two = (goodness_of_fit(model, table, n_tables=19) for table in (long, short))
    assert p_of(one) == p_of(two) and two.is_refitted and one.n_rows == two.n_rows == weights.sum()
    assert one.captured == two.captured
    carried = np.where(weights, weights, 0.0)
    np.testing.assert_allclose(count_shares(rows, carried), count_shares(long.spins), atol=1e-15)
    np.testing.assert_allclose(central_triples(rows, carried), central_triples(long.spins), rtol=1e-5, atol=1e-7)
    half, whole = captured(model, rows, carried / 2), captured(model, long.spins)
    assert half.log_likelihood == pytest.approx(whole.log_likelihood) and half.n_counted == weights.sum() / 2


def test_information_is_that_of_enumeration(from_the_model):
    table, model, check = from_the_model
    x = np.array(np.meshgrid(*[[-1, 1]] * 6)).reshape(6, -1).T
    log_p = model.log_probability(x)
    found = check.captured
    assert found.entropy == pytest.approx(-np.exp(log_p) @ log_p)
    # At its maximum the likelihood of a model is minus its entropy.
    assert found.log_likelihood == pytest.approx(-found.entropy, abs=1e-6)
    assert found.multi_information == pytest.approx(found.log_likelihood - found.independent_log_likelihood, abs=1e-6)
    patterns = {tuple(row) for row in table.spins.tolist()}
    assert found.n_patterns == len(patterns)
    assert found.independent_log_likelihood < found.log_likelihood < found.saturated_log_likelihood
    assert 0.0 < found.least_share < 1.0
    plain = 0.0
    for i in range(6):
        flipped = table.spins.copy()
        flipped[:, i] *= -1
        plain -= np.log1p(np.exp(model.log_probability(flipped) - model.log_probability(table.spins))).mean()
    assert found.pseudo_log_likelihood == pytest.approx(plain)
    assert found.full_pseudo_log_likelihood > found.pseudo_log_likelihood


def test_a_saturated_pair_has_nothing_to_gain():
    rows = np.repeat([[1, 1], [1, -1], [-1, 1], [-1, -1]], [5, 2, 1, 4], axis=0)
    _, model = fitted_to(rows, edges=[(0, 1)], names=("a", "b"))
    found = captured(model, rows)
    assert found.log_likelihood == pytest.approx(found.saturated_log_likelihood, abs=1e-9)
    assert found.full_pseudo_log_likelihood == pytest.approx(found.pseudo_log_likelihood, abs=1e-6)
    assert captured(model, np.array([[1, 0]], np.int8)) is None


def test_what_cannot_be_checked_is_refused(from_the_model):
    table, model, _ = from_the_model
    with pytest.raises(DataError, match="no column 'c', 'd', and .* the columns are a, b, e, f"):
        goodness_of_fit(model, table.select(["a", "b", "e", "f"]))
    with pytest.raises(ModelError, match="n_tables=5 are too few"):
        goodness_of_fit(model, table, n_tables=5)
    heavy = replace(table, weights=np.full(300, 1e6))
    with pytest.raises(DataError, match="weights add up to 300,000,000 rows"):
        goodness_of_fit(model, heavy)
    with pytest.raises(DataError, match="weight_kind='survey' says what weights"):
        goodness_of_fit(model, table, weight_kind="survey")
    holes = replace(table, spins=np.where(np.eye(300, 6), 0, table.spins))
    with pytest.raises(DataError, match="6 missing cells in 6 of 300 rows"):
        goodness_of_fit(model, holes, missing="error")


def test_too_few_rows_for_a_fit_are_told():
    table, model = fitted_to([[1, 1], [1, -1], [-1, 1], [-1, -1], [1, 1]], edges=[(0, 1)], names=("a", "b"))
    with pytest.raises(DataError, match="of 30 tables simulated .* 5 rows are too few"):
        goodness_of_fit(model, table, n_tables=30)


def test_a_check_of_a_model_by_em_says_why_the_model_is_held_as_it_is():
    rows = CHAIN.sample(60, rng=1).astype(np.int8)
    rows[:9, 0] = 0
    table = SpinTable(rows, NAMES, (Coding("no", "yes"),) * 6)
    check = goodness_of_fit(CHAIN, table, missing="em", n_tables=19)
    assert not check.is_refitted
    assert any("no table is fitted again" in note for note in check.notes)


def test_z_of_pairs_is_that_of_chance_for_rows_that_the_model_was_not_fitted_to():
    """Rare columns: given fitted means a pair varies less than half as much."""
    model = IsingModel([("a", "b"), ("b", "c")], [0.3, 0.3], [-0.8] * 3, names=["a", "b", "c"])
    fresh, own = [], []
    for seed in range(60):
        table = SpinTable(model.sample(600, rng=seed), ("a", "b", "c"), (Coding("no", "yes"),) * 3)
        moments = empirical_moments(table)
        fresh += [miss.z for miss in misses(model, moments, is_own=False) if not miss.is_fitted]
        own += [miss.z for miss in misses(refitted(model, moments), moments) if not miss.is_fitted]
    assert len(fresh) == len(own) == 60
    assert 0.7 < np.std(fresh) < 1.3 and 0.7 < np.std(own) < 1.3
    check = goodness_of_fit(model, table, n_tables=19)
    assert not check.is_own and [miss.z for miss in check.misses if not miss.is_fitted] == fresh[-1:]


def test_a_model_by_em_is_known_for_that_of_its_table_and_of_no_other():
    rows = CHAIN.sample(150, rng=4)
    rows[np.random.default_rng(5).random(rows.shape) < 0.1] = 0
    first, other = (SpinTable(part, NAMES, (Coding("no", "yes"),) * 6) for part in (rows[:100], rows[100:]))
    model = PlanarIsing(missing="em", search="greedy").fit(first).model_
    assert goodness_of_fit(model, first, missing="em", n_tables=19).is_own
    assert not goodness_of_fit(model, other, missing="em", n_tables=19).is_own


def test_a_mean_that_is_another_in_other_rows_is_seen():
    """Of balanced columns no pair moves when the mean of one does."""
    rng = np.random.default_rng(6)
    balanced = rng.choice([-1, 1], (400, 4))
    table, model = fitted_to(balanced[:200], edges=[(0, 1)], names=NAMES[:4])
    other = balanced[200:].copy()
    other[:, 0] = np.where(rng.random(200) < 0.7, 1, -1)
    check = goodness_of_fit(model, replace(table, spins=other.astype(np.int8)), n_tables=39)
    assert p_of(check)[PAIRS] <= 0.05 and check.misses[0].is_mean and check.misses[0].is_fitted
    same = goodness_of_fit(model, replace(table, spins=model.sample(200, rng=7)), n_tables=39)
    assert not same.is_own and p_of(same)[PAIRS] > 0.05


def test_a_sample_of_the_model_is_not_among_the_tables_of_the_same_seed():
    """`isingmap sample --seed 0` and `isingmap check`, whose seed is 0."""
    model = IsingModel([(0, 1)], [0.2], names=["a", "b"])
    table = SpinTable(model.sample(50, rng=3), ("a", "b"), (Coding("no", "yes"),) * 2)
    simulation = Simulation.of(model, table, empirical_moments(table), None, 3)
    mine = statistics_of(table.spins, misses(model, empirical_moments(table), is_own=False), is_own=False)
    assert not simulation.is_own
    assert all(simulation.statistics(k).pairs != mine.pairs for k in range(5))
