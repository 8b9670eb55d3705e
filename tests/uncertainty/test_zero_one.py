"""Parameters of 0/1 coding and their errors: by logistic regression, by finite differences, by another likelihood."""

from dataclasses import replace

import numpy as np
import pytest

from isingmap import IsingModel, PlanarIsing, as_spin_table
from isingmap.learning import learned_map
from isingmap.likelihood.fit import fit_couplings
from isingmap.uncertainty import zero_one


def rows(n=400, seed=0):
    rng = np.random.default_rng(seed)
    first = rng.random(n) < 0.4
    second = np.where(rng.random(n) < 0.75, first, rng.random(n) < 0.5)
    third = np.where(rng.random(n) < 0.6, second, rng.random(n) < 0.3)
    return np.column_stack([first, second, third]).astype(int)


@pytest.fixture(scope="module")
def learned():
    return PlanarIsing(family="planar", graph=[(0, 1), (1, 2)]).fit(as_spin_table(rows())).learned_


def test_they_are_those_of_the_logistic_scale(learned):
    """The likelihood in 0/1 parameters, maximised and inverted on its own: all 8 configurations, Newton's steps."""
    y = np.array([[k >> 2 & 1, k >> 1 & 1, k & 1] for k in range(8)])
    statistics = np.column_stack([y, y[:, 0] * y[:, 1], y[:, 1] * y[:, 2]]).astype(float)
    counts = np.bincount(rows() @ [4, 2, 1], minlength=8)
    mean, theta = counts @ statistics / counts.sum(), np.zeros(5)
    for _ in range(50):
        p = np.exp(statistics @ theta)
        p /= p.sum()
        centred = statistics - p @ statistics
        information = (centred * p[:, None]).T @ centred
        theta += np.linalg.solve(information, mean - p @ statistics)
    errors = np.sqrt(np.diagonal(np.linalg.inv(information)) / counts.sum())
    np.testing.assert_allclose(zero_one.thresholds(learned.model), theta[:3], rtol=0, atol=1e-7)
    np.testing.assert_allclose(zero_one.weights(learned.model), theta[3:], rtol=0, atol=1e-7)
    np.testing.assert_allclose(learned.threshold_errors, errors[:3], rtol=1e-6)
    np.testing.assert_allclose(4 * learned.coupling_errors, errors[3:], rtol=1e-6)


def test_the_roots_of_the_diagonal_are_the_standard_errors():
    table = as_spin_table(rows())
    some = np.where(np.random.default_rng(1).random((400, 3)) < 0.1, np.nan, rows())
    graph = [(0, 1), (1, 2)]
    fits = [
        PlanarIsing(graph=graph).fit(table),
        PlanarIsing(graph=graph, prior=5.0).fit(table),
        PlanarIsing(graph=graph, errors="robust").fit(table),
        PlanarIsing(graph=graph, missing="pairwise").fit(some),
        PlanarIsing(graph=graph, missing="pairwise", prior=5.0).fit(some),
        PlanarIsing(graph=graph, missing="em").fit(some),
    ]
    for fit in fits:
        found = fit.learned_
        np.testing.assert_allclose(np.sqrt(np.diagonal(found.covariance)), found.errors.standard, rtol=1e-9)
        assert np.isfinite(found.threshold_errors).all()


def test_errors_are_the_delta_method_by_finite_differences():
    """A field on one variable only: how thresholds of the refit answer to each moment, times the noise of moments."""
    model = IsingModel([(0, 1), (1, 2)], [0.4, -0.3], [0.2, 0.0, 0.0], free_fields=[True, False, False])
    step, rates = 1e-4, []
    edges, free = model.edges, model.free_fields
    moments, means = model.correlations(), model.magnetizations()
    for k in range(3):
        found = []
        for sign in (1, -1):
            moved, shifted = moments.copy(), means.copy()
            if k < 2:
                moved[tuple(edges[k])] += sign * step
                moved[tuple(edges[k][::-1])] += sign * step
            else:
                shifted[0] += sign * step
            fit = fit_couplings(edges, moved, magnetizations=shifted, free_fields=free)
            found.append(zero_one.thresholds(fit.model))
        rates.append((found[0] - found[1]) / (2 * step))
    rates = np.array(rates).T
    expected = np.sqrt(np.diagonal(rates @ model.hessian() @ rates.T) / 100)
    np.testing.assert_allclose(
        zero_one.threshold_errors(model, np.linalg.inv(model.hessian()) / 100), expected, rtol=1e-5
    )


def test_where_nothing_was_estimated_there_is_no_error():
    model = IsingModel([(0, 1)], [0.4], n_spins=3)
    found = zero_one.threshold_errors(model, np.array([[0.01]]))
    np.testing.assert_allclose(found, [0.2, 0.2, np.nan])
    assert zero_one.thresholds(model).tolist() == [-0.8, -0.8, 0.0]


def test_what_cancels_is_not_known():
    """Estimates of field and coupling that move as one leave nothing but rounding."""
    model = IsingModel([(0, 1)], [0.4], [0.4, 0.0], free_fields=[True, False])
    covariance = np.full((2, 2), 0.01)
    covariance[0, 1] -= 1e-17
    assert np.isnan(zero_one.threshold_errors(model, covariance)[0])


def test_errors_that_are_not_known_spread_to_the_thresholds_they_are_in(learned, monkeypatch):
    unknown = replace(learned.errors, standard=np.r_[np.nan, learned.errors.standard[1:]])
    covariance = learned.covariance
    monkeypatch.setattr(learned_map, "errors_and_covariance", lambda *_, **__: (unknown, covariance))
    hidden = replace(learned)
    assert np.isnan(hidden.threshold_errors).tolist() == [True, True, False]
