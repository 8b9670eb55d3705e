"""What a model misses, against enumeration and repeated samples."""

import itertools

import numpy as np
import pytest

from bare_moments import problem_of
from isingmap import IsingModel, PlanarIsing
from isingmap.data.moments import EmpiricalMoments
from isingmap.learning import misses as module
from isingmap.learning.misses import misses, residual_variance
from isingmap.structure.fixed_graphs.fit_graph import fit_graph

pytestmark = pytest.mark.filterwarnings("ignore")


def test_data_and_model_stand_beside_each_other():
    rng = np.random.default_rng(0)
    rows = rng.choice([-1, 1], (500, 5), p=[0.3, 0.7])
    rows[:, 1] = np.where(rng.random(500) < 0.8, rows[:, 0], rows[:, 1])
    fit = PlanarIsing(family="zero-field").fit(rows)
    found = misses(fit.model_, fit.moments_)
    assert len(found) == 5 + 10
    for miss in found:
        values = rows[:, miss.source] if miss.is_mean else rows[:, miss.source] * rows[:, miss.target]
        expected = 0.0 if miss.is_mean else fit.model_.correlations([(miss.source, miss.target)])[0]
        assert miss.data == pytest.approx(values.mean(), abs=1e-12) and miss.rows == 500
        assert miss.model == pytest.approx(expected, abs=1e-12)
        assert miss.is_fitted == ((miss.source, miss.target) in map(tuple, fit.edges_.tolist()))
        if miss.is_fitted:
            assert abs(miss.z) < 1e-6
    sizes = [abs(miss.z) for miss in found]
    assert sizes == sorted(sizes, reverse=True) and sizes[0] > 5  # the means, which no field explains


@pytest.mark.parametrize("free", list(itertools.product([False, True], repeat=2)))
def test_the_variance_left_by_the_means_is_that_of_a_regression(free):
    cells = np.random.default_rng(3).dirichlet(np.ones(4))
    x = np.array(list(itertools.product([-1.0, 1.0], repeat=2)))
    fitted = x[:, np.array(free)]
    centred = np.hstack([fitted, x.prod(axis=1, keepdims=True)]) - cells @ np.hstack([fitted, x.prod(axis=1)[:, None]])
    covariance = centred.T @ (cells[:, None] * centred)
    expected = covariance[-1, -1]
    if any(free):
        expected -= covariance[-1, :-1] @ np.linalg.solve(covariance[:-1, :-1], covariance[:-1, -1])
    found = residual_variance(cells @ x.prod(axis=1), *(cells @ x), *map(np.array, free))
    assert found == pytest.approx(expected, rel=1e-12)


def test_z_of_a_true_model_is_standard_normal():
    """Rare and independent: without regard to the fitted means z would be three times too small."""
    rng = np.random.default_rng(4)
    z = []
    for _ in range(300):
        rows = np.where(rng.random((1000, 3)) < 0.1, 1.0, -1.0)
        given = {"moments": rows.T @ rows / 1000, "magnetizations": rows.mean(axis=0)}
        problem, _ = problem_of(n_samples=1000, family="planar", **given)
        model = fit_graph(np.empty((0, 2), np.int64), problem).model
        z += [miss.z for miss in misses(model, problem.moments) if not miss.is_mean]
    assert np.std(z) == pytest.approx(1.0, abs=0.1)


def test_pairs_of_their_own_rows_have_errors_of_their_own():
    moments = EmpiricalMoments(np.eye(2), np.zeros(2), 100.0, ("a", "b"), np.array([[100.0, 25.0], [25.0, 64.0]]))
    found = {(miss.source, miss.target): miss for miss in misses(IsingModel([], [], n_spins=2), moments)}
    assert [found[0, 1].rows, found[0, -1].rows, found[1, -1].rows] == [25, 100, 64]
    assert found[0, 1].error == pytest.approx(0.2)


def test_of_many_variables_only_the_worst_pairs_are_told(monkeypatch):
    monkeypatch.setattr(module, "ALL_PAIRS_UP_TO", 9)
    monkeypatch.setattr(module, "MOST_PAIRS", 7)
    rows = np.random.default_rng(5).choice([-1, 1], (100, 10))
    moments = EmpiricalMoments(rows.T @ rows / 100, rows.mean(axis=0), 100.0, tuple("abcdefghij"))
    model = IsingModel([], [], n_spins=10)
    found = [miss for miss in misses(model, moments) if not miss.is_mean]
    worst = np.sort(np.abs((rows.T @ rows / 100)[np.triu_indices(10, 1)]))[::-1][:7]
    assert [abs(miss.data) for miss in found] == pytest.approx(worst.tolist())
