"""Sums that do not depend on the order in which they are added, and the counts of pairs behind the moments."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from isingmap.data.exact_sums import ExactSums, weight_parts
from isingmap.data.pair_counts import count_pairs
from isingmap.data.tally import tally_rows

WEIGHTS = st.floats(0.0, 1e140, allow_subnormal=True) | st.integers(0, 9).map(float) | st.floats(0.1, 3.0)


@pytest.mark.parametrize("n_rows", [1, 63, 64, 65, 8192, 8200])
@pytest.mark.parametrize("values", [(-1, 1), (-1, 0, 1)])
def test_pair_counts_are_matrix_products(n_rows, values):
    spins = np.random.default_rng(n_rows).choice(np.array(values, np.int8), (n_rows, 7))
    x, known = spins.astype(np.int64), (spins != 0).astype(np.int64)
    products, seen, beside = count_pairs(spins)
    assert np.array_equal(products, x.T @ x)
    assert np.array_equal(seen, known.T @ known)
    assert np.array_equal(beside, x.T @ known)


@settings(max_examples=60)
@given(st.lists(WEIGHTS, min_size=1, max_size=6))
def test_parts_of_weights_add_up_to_them(weights):
    parts = weight_parts(np.array(weights))
    for row, weight in enumerate(weights):
        assert sum((Fraction(part[row]) * Fraction(2) ** (32 * k) for k, part in parts.items()), Fraction(0)) == weight
    assert all((part >= 0).all() and (part < 2**32).all() for part in parts.values())


@settings(max_examples=60)
@given(st.lists(st.tuples(WEIGHTS, st.sampled_from([-1, 1])), min_size=1, max_size=9), st.randoms())
def test_weighted_sums_are_the_nearest_double_in_every_order(terms, random):
    exact = sum((Fraction(weight) * sign for weight, sign in terms), Fraction(0))
    for _ in range(2):
        spins, weights = np.array([[sign] for _, sign in terms], np.int8), np.array([weight for weight, _ in terms])
        sums = tally_rows(spins, weights).sums
        assert sums.rounded()[0] == float(exact)
        assert bool(sums.are_zero()[0]) == (exact == 0)
        random.shuffle(terms)


def test_parts_are_carried_before_they_overflow():
    large = ExactSums.of_integers(np.array([2**60, -(2**60)]))
    total = large
    for _ in range(5):
        total = total + total
    assert total.rounded().tolist() == [2.0**65, -(2.0**65)]
    assert all(np.abs(part).max() < 2**62 for part in total.parts.values())
    assert (total - total).are_zero().all() and not total.are_zero().any()
