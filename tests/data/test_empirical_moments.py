"""Moments from tables and from matrices."""

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose

from isingmap.data import pair_counts
from isingmap.data.convert import as_spin_table
from isingmap.data.moments import empirical_moments, moments_from_matrix
from isingmap.errors import DataError, DataWarning


def random_spins(n_samples, n_spins, seed=0):
    return np.random.default_rng(seed).choice([-1, 1], (n_samples, n_spins))


def test_against_the_definition():
    spins = random_spins(101, 5)
    result = empirical_moments(as_spin_table(spins))
    assert_allclose(result.moments, np.einsum("ti,tj->ij", spins, spins) / 101, rtol=0, atol=1e-15)
    assert_allclose(result.magnetizations, spins.mean(axis=0), rtol=0, atol=1e-15)
    assert result.n_samples == 101 and result.pair_counts is None
    assert (result.moments.diagonal() == 1).all()


@settings(max_examples=20)
@given(st.integers(0, 2**32 - 1), st.booleans())
def test_bits_do_not_depend_on_the_order_of_rows(seed, weighted):
    rng = np.random.default_rng(seed)
    spins = random_spins(300, 7, seed)
    weights = rng.integers(1, 9, 300) if weighted else None
    order = rng.permutation(300)
    a = empirical_moments(as_spin_table(spins, weights=weights))
    b = empirical_moments(as_spin_table(spins[order], weights=None if weights is None else weights[order]))
    assert np.array_equal(a.moments, b.moments) and np.array_equal(a.magnetizations, b.magnetizations)


def test_blocks_add_up(monkeypatch):
    table = as_spin_table(random_spins(1000, 4))
    whole = empirical_moments(table)
    monkeypatch.setattr(pair_counts, "_ROWS_AT_ONCE", 128)
    assert np.array_equal(empirical_moments(table).moments, whole.moments)


def test_weights_are_frequencies():
    spins = random_spins(20, 3)
    weights = np.arange(20) % 4
    weighted = empirical_moments(as_spin_table(spins, weights=weights))
    repeated = empirical_moments(as_spin_table(np.repeat(spins, weights, axis=0)))
    assert np.array_equal(weighted.moments, repeated.moments)
    assert weighted.n_samples == repeated.n_samples == weights.sum()


def test_pairwise_complete():
    cells = random_spins(200, 4).astype(float)
    cells[np.random.default_rng(5).random(cells.shape) < 0.2] = np.nan
    result = empirical_moments(as_spin_table(cells))
    for i, j in itertools.combinations(range(4), 2):
        product = cells[:, i] * cells[:, j]
        assert_allclose(result.moments[i, j], np.nanmean(product), rtol=0, atol=1e-15)
        assert result.pair_counts[i, j] == np.isfinite(product).sum()
    assert_allclose(result.magnetizations, np.nanmean(cells, axis=0), rtol=0, atol=1e-15)


def test_pairs_never_observed_are_named():
    with pytest.raises(DataError, match="1 pair of columns never observed in the same row.*x1 - x2"):
        empirical_moments(as_spin_table([[1, np.nan], [np.nan, -1]]))
    with pytest.raises(DataError, match="no cell is observed in 1 column: x2. Leave it out"):
        empirical_moments(as_spin_table([[1, np.nan], [-1, np.nan]]))


def test_infeasible_pairwise_moments_are_used_with_a_warning():
    nan = np.nan
    cells = [[1, 1, nan], [-1, -1, nan], [nan, 1, 1], [nan, -1, -1], [1, nan, -1], [-1, nan, 1]]
    with pytest.warns(DataWarning, match="no distribution has them all"):
        result = empirical_moments(as_spin_table(cells))
    assert result.moments[0, 2] == -1 and result.moments[0, 1] == 1
    agreeing = [row for s in (1, -1) for row in ([s, s, nan], [nan, s, s], [s, nan, s])] * 49
    with pytest.warns(DataWarning, match="smallest eigenvalue of their matrix -0.0.*mostly through x"):
        empirical_moments(as_spin_table([*agreeing, [1, nan, -1], [-1, nan, 1]]))


def test_from_matrix_round_trip():
    source = empirical_moments(as_spin_table(random_spins(500, 6)))
    result = moments_from_matrix(source.moments, 500, magnetizations=source.magnetizations, names=source.names)
    assert np.array_equal(result.moments, source.moments) and result.names == source.names
    assert moments_from_matrix(source.moments, 500).magnetizations is None


@pytest.mark.parametrize(
    "matrix, options, message",
    [
        (np.ones((2, 3)), {}, r"must be square.*\(2, 3\)"),
        (np.ones((0, 0)), {}, "must be square"),
        ([["a"]], {}, "must consist of numbers"),
        ([[1, 0.2], [0.3, 1]], {}, r"must be symmetric; x1 - x2 is 0.2 \(0.3 across"),
        ([[1, 0.2], [0.2, 0.9]], {}, "ones on the diagonal; x2 - x2 is 0.9"),
        ([[1, 1.2], [1.2, 1]], {"names": ["a", "b"]}, "between -1 and 1; a - b"),
        ([[1, np.nan], [np.nan, 1]], {}, "must be finite; x1 - x2"),
        (np.eye(2), {"n_samples": 0}, "n_samples must be a positive"),
        (np.eye(2), {"n_samples": np.nan}, "n_samples must be a positive"),
        (np.eye(2), {"names": ["a"]}, "expected 2, got 1"),
        (np.eye(2), {"magnetizations": [0.1]}, "one per variable"),
        (np.eye(2), {"magnetizations": [0.1, 1.5]}, r"x2 \(1.5\)"),
        (np.eye(2), {"magnetizations": [0.9, 0.9]}, r"no two spins.*x1 0.9, x2 0.9, together 0"),
        ([[1, 0.9], [0.9, 1]], {"magnetizations": [0.5, -0.5]}, "no two spins"),
        ([[1, 0.9, -0.9], [0.9, 1, 0.9], [-0.9, 0.9, 1]], {}, "no three spins.*by 1.7"),
        (np.where(np.eye(3), 1, -1 / 3 - 1e-5), {}, "no three spins.*by 3e-05"),
        (1.4 * np.eye(3) - 0.4, {}, "no three spins.*-0.4, -0.4, -0.4.*by 0.2"),
    ],
)
def test_impossible_matrices(matrix, options, message):
    options = {"n_samples": 10, **options}
    with pytest.raises(DataError, match=message):
        moments_from_matrix(matrix, **options)


def test_worst_triple_is_named():
    matrix = np.eye(5)
    matrix[1, 3] = matrix[3, 1] = matrix[3, 4] = matrix[4, 3] = 0.8
    with pytest.raises(DataError, match="p1.*p3.*p4|p4.*p3.*p1"):
        moments_from_matrix(matrix, 10, names=[f"p{i}" for i in range(5)])


def test_results_are_read_only_and_input_unchanged():
    matrix = np.eye(2)
    result = moments_from_matrix(matrix, 5)
    matrix[0, 1] = 7
    assert result.moments[0, 1] == 0
    with pytest.raises(ValueError, match="read-only"):
        result.moments[0, 1] = 1


def test_rounding_is_put_right():
    """What is off by less than the tolerances counts as rounding, and the result is exactly what moments are."""
    third = -1 / 3 - 1e-7
    matrix = np.where(np.eye(3), 1 + 1e-9, third)
    matrix[0, 1] += 5e-9
    result = moments_from_matrix(matrix, 10).moments
    assert (result == result.T).all() and (result.diagonal() == 1).all()
    assert result[0, 1] == pytest.approx(third + 2.5e-9, abs=1e-12)
    column = np.random.default_rng(0).choice([-1, 1], 1001)
    for seed in range(20):
        weights = np.random.default_rng(seed).random(1001)
        exact = empirical_moments(as_spin_table(np.column_stack([column, column, -column]), weights=weights)).moments
        assert np.abs(exact).max() <= 1
