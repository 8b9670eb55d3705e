"""A problem is checked once, before any work: what a search would stumble over is refused here, in plain words."""

import re

import numpy as np
import pytest

from isingmap import Problem, SearchOptions, greedy_search, learn_structure
from isingmap.data.moments import EmpiricalMoments
from isingmap.errors import DataError, ModelError


@pytest.mark.parametrize(
    ("arguments", "options", "error", "message"),
    [
        ((np.eye(2), 100), {"names": ["a", "a"]}, DataError, "a"),
        ((np.eye(2), 0), {}, DataError, "n_samples must be a positive number of observations, got 0"),
        ((np.eye(2), -10), {}, DataError, "n_samples must be a positive number"),
        ((np.eye(2), np.nan), {}, DataError, "n_samples must be a positive number"),
        ((np.eye(2), None), {}, DataError, "n_samples must be a positive number of observations, got None"),
        ((np.empty((0, 0)), 10), {}, DataError, "no variable"),
        ((np.ones((2, 3)), 10), {}, ModelError, "shape (2, 2)"),
        ((2 * np.eye(2), 10), {}, DataError, "moments[x1, x1] is 2.0"),
        ((np.eye(2), 10), {"prior": 0}, ModelError, "prior must be a positive number"),
    ],
)
def test_what_is_no_problem(arguments, options, error, message):
    with pytest.raises(error, match=re.escape(message)):
        Problem.from_moments(*arguments, family="zero-field", **options)


@pytest.mark.parametrize("search", [learn_structure, greedy_search])
def test_arguments_of_other_types(search):
    problem = Problem.from_moments(np.eye(2), 10, family="zero-field")
    with pytest.raises(
        ModelError, match="learning starts from a Problem, got ndarray; Problem.from_moments takes bare arrays"
    ):
        search(np.eye(2))
    with pytest.raises(ModelError, match="options must be SearchOptions, got dict"):
        search(problem, {"criterion": "bic"})
    with pytest.raises(ModelError, match="moments must be EmpiricalMoments, got ndarray"):
        Problem(np.eye(2))
    assert search(problem, SearchOptions(criterion="bic")).model.n_edges == 0


def test_nodes_are_in_the_order_of_names_and_models_in_the_callers():
    moments = np.array([[1, 0.1, 0.2], [0.1, 1, 0.3], [0.2, 0.3, 1]])
    problem = Problem(EmpiricalMoments(moments, [0.5, 0.6, 0.7], 10, ("c", "a", "b")))
    assert problem.labels[:3] == ("a", "b", "c")
    np.testing.assert_array_equal(problem.raw[:3, 3], [0.6, 0.7, 0.5])
    assert problem.raw[0, 1] == 0.3 and problem.raw[0, 2] == 0.1
    model = problem.model(np.array([[0, 2], [1, 3]]), np.array([0.7, -0.4]))
    assert model.edge_names == [("c", "a")] and model.fields.tolist() == [0, 0, -0.4]
