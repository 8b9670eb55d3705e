"""The E-step, the observed information and the climb: enumeration, finite differences and a second optimiser."""

import signal
from contextlib import nullcontext

import numpy as np
import pytest
from observed import Enumerated, parameters, random_model, with_gaps, with_parameters
from scipy.optimize import minimize

from isingmap import interruption
from isingmap.missing_cells import climb, edge_refits, parts
from isingmap.missing_cells.climb import evaluated, refined
from isingmap.missing_cells.edge_refits import edge_losses_by_refits
from isingmap.missing_cells.expectation import Completion, observed_log_probability
from isingmap.missing_cells.information import observed_information
from isingmap.missing_cells.parts import ObservedRows
from isingmap.uncertainty.errors import covariance_by_information, errors_by_covariance
from oracles import grid_edges, random_planar_edges


def cases():
    rng = np.random.default_rng(5)
    for n_spins, share, every in ((1, 0.4, True), (4, 0.3, True), (6, 0.5, True), (6, 0.3, False), (7, 0.9, True)):
        edges = np.sort(random_planar_edges(rng, n_spins, 0.8), axis=1)
        free = np.ones(n_spins, bool) if every else rng.random(n_spins) < 0.5
        model = random_model(rng, n_spins, edges, free)
        yield model, with_gaps(rng, model, 60, share), rng.integers(1, 4, 60).astype(float)


CASES = list(cases())


@pytest.mark.parametrize("most", [parts.MOST_ENUMERATED, 1], ids=["enumerated", "engines"])
@pytest.mark.parametrize(("model", "spins", "weights"), CASES, ids=str)
def test_likelihood_and_moments_are_those_of_enumeration(model, spins, weights, most, monkeypatch):
    for module in ("parts", "expectation", "information"):
        monkeypatch.setattr(f"isingmap.missing_cells.{module}.MOST_ENUMERATED", most)
    observed = ObservedRows.of(spins, weights)
    found = Completion(model.edges, observed).expectation(model)
    oracle = Enumerated(model.edges, model.free_fields, spins, weights)
    moments, means = oracle.moments(parameters(model))
    assert found.log_likelihood == pytest.approx(oracle.log_likelihood(parameters(model)), abs=1e-9)
    assert found.moments == pytest.approx(moments, abs=1e-12)
    assert found.magnetizations == pytest.approx(means, abs=1e-12)
    each = observed_log_probability(model, spins)
    assert each == pytest.approx(oracle.log_probabilities(parameters(model)), abs=1e-11)


def test_parts_too_large_to_enumerate_are_solved_by_the_engines():
    rng = np.random.default_rng(0)
    model = random_model(rng, 15, grid_edges(3, 5))
    spins = np.vstack([np.zeros((1, 15), np.int8), with_gaps(rng, model, 3, 0.1)])
    spins[1, :13] = 0
    oracle = Enumerated(model.edges, model.free_fields, spins)
    completion = Completion(model.edges, ObservedRows.of(spins, None))
    assert max(part.members.size for part in completion.parts) == 15
    found = completion.expectation(model)
    moments, means = oracle.moments(parameters(model))
    assert found.log_likelihood == pytest.approx(oracle.log_likelihood(parameters(model)), abs=1e-9)
    assert found.moments == pytest.approx(moments, abs=1e-11)
    assert found.magnetizations == pytest.approx(means, abs=1e-11)


@pytest.mark.parametrize("most", [parts.MOST_ENUMERATED, 1], ids=["enumerated", "engines"])
@pytest.mark.parametrize(("model", "spins", "weights"), CASES[1:], ids=str)
def test_observed_information_is_minus_the_second_derivative(model, spins, weights, most, monkeypatch):
    for module in ("parts", "expectation", "information"):
        monkeypatch.setattr(f"isingmap.missing_cells.{module}.MOST_ENUMERATED", most)
    oracle, theta, h = Enumerated(model.edges, model.free_fields, spins, weights), parameters(model), 1e-4
    found = observed_information(Completion(model.edges, ObservedRows.of(spins, weights)), model)
    unit = np.eye(theta.size) * h
    second = np.array(
        [
            [
                oracle.log_likelihood(theta + a + b)
                - oracle.log_likelihood(theta + a - b)
                - oracle.log_likelihood(theta - a + b)
                + oracle.log_likelihood(theta - a - b)
                for b in unit
            ]
            for a in unit
        ]
    ) / (4 * h * h)
    assert found == pytest.approx(-second, abs=1e-4 * weights.sum())
    assert np.abs(found).max() > 1.0


@pytest.fixture(scope="module")
def climbed():
    rng = np.random.default_rng(11)
    model = random_model(rng, 6, np.sort(random_planar_edges(rng, 6, 0.7), axis=1))
    spins = with_gaps(rng, model, 400, 0.3)
    completion = Completion(model.edges, ObservedRows.of(spins, None))
    start = with_parameters(model, np.zeros(model.n_parameters))
    return completion, refined(start, completion, fields_in_plane=False), spins


def test_the_likelihood_rises_at_every_step_to_the_maximum(climbed):
    completion, found, spins = climbed
    values = np.array(found.values)
    assert found.converged and found.gradient_norm <= climb.AT_REST and found.n_steps > 10
    assert (np.diff(values)[:5] > 0).all()
    assert (np.diff(values) >= -1e-12 * np.abs(values[1:])).all()
    assert values[-1] == found.expectation.log_likelihood
    oracle = Enumerated(found.model.edges, found.model.free_fields, spins)
    best = minimize(lambda theta: -oracle.log_likelihood(theta), parameters(found.model) * 0.5, tol=1e-9)
    assert found.expectation.log_likelihood == pytest.approx(-best.fun, abs=1e-6)
    assert parameters(found.model) == pytest.approx(best.x, abs=2e-3)


def test_a_prior_is_so_many_complete_rows_of_coins(climbed):
    completion, found, spins = climbed
    with_prior = refined(found.model, completion, prior=20.0, fields_in_plane=False)
    assert with_prior.converged and (np.diff(with_prior.values)[:3] > 0).all()
    states = np.array(np.meshgrid(*[[-1, 1]] * 6)).reshape(6, -1).T.astype(np.int8)
    rows = np.vstack([spins, states])
    weights = np.append(np.ones(len(spins)), np.full(len(states), 20.0 / len(states)))
    joined = refined(found.model, Completion(found.model.edges, ObservedRows.of(rows, weights)), fields_in_plane=False)
    assert parameters(with_prior.model) == pytest.approx(parameters(joined.model), abs=1e-6)
    known = observed_information(completion, with_prior.model, 20.0)
    together = Completion(found.model.edges, ObservedRows.of(rows, weights))
    assert known == pytest.approx(observed_information(together, with_prior.model), abs=1e-9)
    losses = edge_losses_by_refits(completion, with_prior.model, known, 20.0)
    assert losses == pytest.approx(edge_losses_by_refits(together, joined.model, known), abs=1e-5)


def test_a_fall_is_told_and_the_model_before_returned(climbed, monkeypatch):
    completion, found, _ = climbed
    worse = with_parameters(found.model, 2.0 * parameters(found.model))
    monkeypatch.setattr(climb, "_maximised", lambda *_: worse)
    start = with_parameters(found.model, 0.9 * parameters(found.model))
    stopped = refined(start, completion, fields_in_plane=False)
    assert not stopped.converged and stopped.model is start and stopped.n_steps == 0


def test_losses_are_those_of_em_without_the_edge(climbed):
    completion, found, _ = climbed
    information = observed_information(completion, found.model)
    losses = edge_losses_by_refits(completion, found.model, information)
    for k in range(0, found.model.n_edges, 2):
        edges = np.delete(found.model.edges, k, axis=0)
        start = random_model(np.random.default_rng(0), 6, edges, size=0.0)
        without = refined(start, Completion(edges, completion.observed), fields_in_plane=False)
        lost = found.expectation.log_likelihood - without.expectation.log_likelihood
        assert losses[k] == pytest.approx(lost, abs=1e-6)
    assert losses.min() > 0


def test_an_information_that_is_none_gives_no_errors():
    assert errors_by_covariance(covariance_by_information(np.diag([4.0, 0.25]))).standard == pytest.approx([0.5, 2.0])
    assert np.isnan(errors_by_covariance(covariance_by_information(np.array([[1.0, 2.0], [2.0, 1.0]]))).standard).all()


def test_rows_without_a_gap_are_at_rest_after_one_step():
    rng = np.random.default_rng(3)
    model = random_model(rng, 5, np.sort(random_planar_edges(rng, 5, 0.8), axis=1))
    spins = model.sample(300, rng=rng).astype(np.int8)
    found = refined(model, Completion(model.edges, ObservedRows.of(spins, None)), fields_in_plane=False)
    assert found.converged and found.n_steps == 1
    assert found.expectation.log_likelihood == pytest.approx(float(found.model.log_probability(spins).sum()), abs=1e-9)


@pytest.mark.parametrize("bringing_home", [False, True])
def test_ctrl_c_ends_the_tests_of_edges(bringing_home, monkeypatch):
    """At once, as everywhere; where results are being written, with no test for the edges that are left."""
    rng = np.random.default_rng(3)
    model = random_model(rng, 4, [(0, 1), (1, 2), (2, 3)])
    observed = ObservedRows.of(with_gaps(rng, model, 40, 0.2), None)
    completion = Completion(model.edges, observed)
    model = refined(model, completion).model
    n_asked = []

    def pressed(*given):
        n_asked.append(1)
        if len(n_asked) == 1:
            signal.raise_signal(signal.SIGINT)
        return evaluated(*given)

    monkeypatch.setattr(edge_refits, "evaluated", pressed)
    monkeypatch.setattr(interruption, "PATIENCE", -1.0)
    information = observed_information(completion, model)
    with pytest.raises(KeyboardInterrupt), interruption.listening():
        with interruption.undisturbed() if bringing_home else nullcontext():
            losses = edge_losses_by_refits(completion, model, information)
        assert bringing_home and np.isnan(losses).all()
    assert len(n_asked) == 1
