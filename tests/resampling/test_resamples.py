"""How rows are drawn: what a resample depends on, and that its distribution is the one that is said."""

from dataclasses import replace

import numpy as np
import pytest

from isingmap.data.table import Coding, SpinTable
from isingmap.errors import DataError
from isingmap.model import IsingModel
from isingmap.resampling.resamples import DROPPED, dropped_share, own_order, resample

KINDS = ("nonparametric", "parametric", "m-out-of-n", "case-dropping")
MODEL = IsingModel([(0, 1), (1, 2)], [0.5, -0.4], [0.2, 0.0, -0.3], names=["a", "b", "c"])


def table_of(spins, weights=None, names="cab"):
    return SpinTable(spins, tuple(names), (Coding("-1", "1"),) * len(names), weights)


@pytest.fixture
def spins():
    return np.random.default_rng(1).choice([-1, 1], (40, 3))


def same(one, other):
    return np.array_equal(one.spins, other.spins) and np.array_equal(one.weights, other.weights)


@pytest.mark.parametrize("kind", KINDS)
def test_a_resample_depends_on_rows_seed_and_number_alone(spins, kind):
    def drawn(table, seed=3, number=5):
        return resample(own_order(table), kind, 0.5, seed, number, MODEL)

    one = drawn(table_of(spins))
    shuffled = np.random.default_rng(0).permutation(len(spins))
    assert same(one, drawn(table_of(spins[shuffled])))
    assert same(one, drawn(table_of(spins[:, [1, 2, 0]], names="abc")))
    assert not same(one, drawn(table_of(spins), seed=4))
    assert not same(one, drawn(table_of(spins), number=7))


@pytest.mark.parametrize("kind", KINDS)
def test_a_row_of_weight_w_is_drawn_like_w_rows(spins, kind):
    weights = np.arange(len(spins)) % 4
    long = np.repeat(spins, weights, axis=0)
    short = resample(own_order(table_of(spins, weights)), kind, 0.5, 0, 2, MODEL)
    assert same(short, resample(own_order(table_of(long)), kind, 0.5, 0, 2, MODEL))


def test_sizes_of_resamples(spins):
    rows = own_order(table_of(spins))
    sizes = {kind: resample(rows, kind, 0.25, 0, 3, MODEL) for kind in KINDS}
    total = {kind: len(t.spins) if t.weights is None else t.weights.sum() for kind, t in sizes.items()}
    assert total == {
        "nonparametric": 40,
        "parametric": 40,
        "m-out-of-n": 10,
        "case-dropping": int(40 * (1 - DROPPED[3])),
    }
    assert dropped_share(0) == dropped_share(10) == 0.05 and dropped_share(9) == 0.75


def test_halves_complement_each_other(spins):
    rows = own_order(table_of(spins[:-1]))
    for k in range(5):
        halves = [resample(rows, "m-out-of-n", 0.5, 0, 2 * k + odd, None).weights for odd in (0, 1)]
        assert [half.sum() for half in halves] == [19, 19]
        left = rows.weights - halves[0] - halves[1]
        assert (left >= 0).all() and left.sum() == 1


def test_rows_are_drawn_with_the_probabilities_that_are_said():
    spins = np.array([[1, 1], [1, -1], [-1, 1]])
    rows = own_order(table_of(spins, [6, 3, 1], "ab"))
    drawn = np.array([resample(rows, "nonparametric", 0.5, 0, k, None).weights for k in range(2000)])
    chances = rows.weights / 10
    spread = np.sqrt(10 * chances * (1 - chances))  # of a multinomial
    assert np.abs(drawn.mean(axis=0) - 10 * chances).max() < 4 * (spread / np.sqrt(2000)).max()
    np.testing.assert_allclose(drawn.std(axis=0), spread, rtol=0.08)
    kept = np.array([resample(rows, "m-out-of-n", 0.5, 0, k, None).weights for k in range(2000)])
    np.testing.assert_allclose(kept.std(axis=0), np.sqrt(5 * chances * (1 - chances) * 5 / 9), rtol=0.08)


def test_weights_that_are_no_counts_are_carried_along(spins):
    weights = np.random.default_rng(2).uniform(0.5, 2, len(spins))
    rows = own_order(table_of(spins, weights))
    assert not rows.are_counts
    whole = resample(rows, "nonparametric", 0.5, 0, 0, None).weights
    half = resample(rows, "m-out-of-n", 0.5, 0, 0, None).weights
    np.testing.assert_allclose([whole.sum(), half.sum()], [weights.sum(), weights.sum() / 2])
    ratio = whole / rows.weights / (whole / rows.weights)[whole > 0].min()
    np.testing.assert_allclose(ratio, np.round(ratio), atol=1e-9)


def test_samples_of_the_model_lack_the_cells_that_the_table_lacks(spins):
    gaps = spins.copy()
    gaps[:7, 0] = 0
    drawn = resample(own_order(table_of(gaps)), "parametric", 0.5, 0, 0, MODEL)
    assert (drawn.spins == 0).sum() == 7 and (drawn.spins[:, 2] == 0).sum() == 7  # the column c


def test_samples_have_the_moments_of_the_model(spins):
    rows = own_order(replace(table_of(spins), weights=np.full(40, 500.0)))
    drawn = resample(rows, "parametric", 0.5, 0, 0, MODEL).spins.astype(float)
    np.testing.assert_allclose(drawn.mean(axis=0), MODEL.magnetizations(), atol=0.03)
    np.testing.assert_allclose((drawn[:, 0] * drawn[:, 1]).mean(), MODEL.moments()[0], atol=0.03)


def test_more_rows_than_can_be_drawn_are_refused(spins):
    with pytest.raises(DataError, match="at most 1,000,000,000. Divide all weights by one number"):
        own_order(table_of(spins, np.full(40, 1e8)))
