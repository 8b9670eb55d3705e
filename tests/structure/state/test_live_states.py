"""A search keeps no chain of its past: only as many states and solutions are alive as it may come back to."""

import gc
import pickle

import numpy as np
import pytest

from bare_moments import learn_structure, problem_of
from isingmap.inference.zero_field.solution import DualSolution
from isingmap.structure.state.correlations import Change
from isingmap.structure.state.refitted_model import RefittedModel, starting_model


def moments_of(n_spins, n_rows=400):
    rng = np.random.default_rng(n_spins)
    data = np.sign(rng.normal(size=(n_rows, 3)) @ rng.normal(size=(3, n_spins)) + rng.normal(size=(n_rows, n_spins)))
    return 0.99 * data.T @ data / n_rows + 0.01 * np.eye(n_spins)


def alive(kind):
    return sum(issubclass(type(thing), kind) for thing in gc.get_objects())  # `isinstance` would ask dead proxies


@pytest.mark.parametrize("options", [{"search": "greedy"}, {"n_restarts": 2, "temperature": 1.0}])
def test_states_and_solutions_alive(options):
    """The state now, the one of a failed attempt, and what a restart may come back to; not the thousand before."""
    gc.collect()
    before, most, most_solutions = alive(RefittedModel), 0, 0

    def count(done, total):
        nonlocal most, most_solutions
        if done % 30 == 0:
            gc.collect()
            most, most_solutions = max(most, alive(RefittedModel) - before), max(most_solutions, alive(DualSolution))

    result = learn_structure(moments_of(40), 400, family="zero-field", criterion="maximal", progress=count, **options)
    assert len(result.path) > 100
    assert most <= 4
    assert most_solutions <= 30


def test_what_was_needed_for_correlations_is_let_go():
    moments = moments_of(12)
    first = starting_model(moments, moments, np.array([[0, 1], [1, 2]]))
    second = first.with_edge(0, 2)
    third = second.without_edge(0)
    assert isinstance(third.known._source, Change)
    third.correlations  # noqa: B018 - computed now, and those of the second, which they follow from
    assert isinstance(third.known._source, np.ndarray)
    gc.collect()
    assert alive(Change) == 0


def test_results_are_small_to_send():
    """Workers send results; they hold the model and the path, no solution and no matrix of the search."""
    result = learn_structure(moments_of(40), 400, family="zero-field", criterion="maximal", search="greedy")
    result.model.hessian()
    assert len(pickle.dumps(result)) < 200 * len(result.path)


def test_problems_travel_without_what_can_be_computed_again():
    problem, _ = problem_of(moments_of(40), 400, family="zero-field")
    before = len(pickle.dumps(problem))
    problem.target.sum()
    assert len(pickle.dumps(problem)) == before
