"""Fits near the border: strong couplings, tiny priors, matrices that rounding made indefinite, many equal columns."""

import numpy as np
import pytest

from isingmap import fit_couplings
from isingmap.errors import FitWarning, ModelError, NoEstimateError
from isingmap.likelihood.newton import distance, positive_factor, resolution
from isingmap.likelihood.quasi_newton import _inverse
from isingmap.structure.fixed_graphs.tmfg import tmfg_edges

TRIANGLE = [[0, 1], [1, 2], [0, 2]]


@pytest.mark.parametrize("strength", [3.0, 4.0, 4.5, 5.0, 5.5])
def test_couplings_of_a_strong_triangle_come_back(strength):
    rare = 1.0 / (np.exp(4.0 * strength) + 3.0)  # of each configuration in which one spin differs
    fit = fit_couplings(TRIANGLE, np.full(3, 1.0 - 4.0 * rare), n_samples=1e9)
    assert fit.converged
    np.testing.assert_allclose(fit.model.couplings, strength, rtol=0, atol=1e-5)


def test_what_is_left_of_a_moment_near_one_counts():
    moments = np.array([0.5, 1.0 - 1e-6, -0.5])
    assert distance(np.array([1e-9, 0.0, 0.0]), resolution(moments)) == 1e-9
    assert distance(np.array([0.0, 1e-9, 0.0]), resolution(moments)) == pytest.approx(1e-5)
    assert np.isnan(distance(np.array([0.0, np.nan, 0.0]), resolution(moments)))


@pytest.mark.parametrize("entry", [np.nan, np.inf, -1.0, -1e30])
def test_no_loop_waits_for_a_matrix_to_become_positive(entry):
    matrix = np.eye(3)
    matrix[1, 1] = entry
    assert positive_factor(matrix) is None or np.isfinite(positive_factor(matrix)).all()
    assert _inverse(matrix).shape == (3, 3)


@pytest.mark.parametrize(("prior", "n_samples"), [(1.0, 1e9), (1.0, 3e9), (1e-6, 1e4)])
def test_with_a_prior_the_estimate_exists(prior, n_samples):
    fit = fit_couplings([[0, 1]], np.ones((2, 2)), n_samples=n_samples, prior=prior)
    expected = 0.5 * np.log((2.0 * n_samples + prior) / prior)
    assert fit.model.couplings[0] == pytest.approx(expected, abs=1e-4)


def test_a_prior_that_doubles_lose_is_refused_and_the_advice_works():
    with pytest.raises(ModelError, match=r"prior=1e-06 is lost among 1,000,000,000 observations.*more than 0\.002"):
        fit_couplings([[0, 1]], [1.0], n_samples=1e9, prior=1e-6)
    assert np.isfinite(fit_couplings([[0, 1]], [1.0], n_samples=1e9, prior=0.0021).model.couplings).all()


def test_no_prior_is_advised_where_one_was_given():
    with pytest.raises(NoEstimateError) as raised:
        fit_couplings(TRIANGLE, [0.9, 0.9, -0.9], n_samples=100, prior=1.0)
    assert "prior=1" not in str(raised.value) and "complete rows" in str(raised.value)


def test_one_row_of_billions_that_differs_is_enough():
    fit = fit_couplings([[0, 1]], [1.0 - 2.0 / 3e9], n_samples=3e9)
    assert fit.model.couplings[0] == pytest.approx(np.arctanh(1.0 - 2.0 / 3e9))


def test_a_fit_that_has_not_converged_warns():
    n = 26  # copies of one column: on this graph some couplings are far beyond what doubles can follow
    edges = tmfg_edges(np.ones((n, n))).edges
    with pytest.warns(FitWarning, match="NOT converged after .*prior=1, or a larger one"):
        fit = fit_couplings(edges, np.ones((n, n)), n_spins=n, n_samples=1000, prior=1.0)
    assert not fit.converged
