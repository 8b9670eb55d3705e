"""What the plane keeps out is listed, with what it would gain."""

import itertools

import numpy as np
import pytest
from scipy.optimize import minimize

from bare_moments import learn_structure
from isingmap import IsingModel
from oracles import brute_force


def rows_of_k5(n_rows=4000, fields=0.0):
    """Five variables that are all tied to each other: ten edges, and room for nine."""
    model = IsingModel(list(itertools.combinations(range(5), 2)), np.linspace(0.2, 0.4, 10), np.full(5, fields))
    return model.sample(n_rows, rng=0).astype(float)


def best_log_likelihood(edges, moments, means=None):
    """Mean per row, by a general optimiser."""
    target = np.array([moments[i, j] for i, j in edges])
    target = target if means is None else np.append(target, means)

    def loss(theta):
        fields = None if means is None else theta[len(edges) :]
        return brute_force(5, np.array(edges), theta[: len(edges)], fields)[2] - target @ theta

    return -minimize(loss, np.zeros(target.size), method="BFGS", options={"gtol": 1e-8}).fun


@pytest.mark.parametrize("family", ["zero-field", "planar"])
def test_the_pair_without_room_is_told_with_its_exact_gain(family):
    rows = rows_of_k5(fields=0.1 if family == "planar" else 0.0)
    moments = rows.T @ rows / len(rows)
    means = rows.mean(axis=0) if family == "planar" else None
    given = {} if means is None else {"magnetizations": means}
    result = learn_structure(moments, len(rows), family=family, criterion="bic", **given)
    edges = list(map(tuple, result.model.edges.tolist()))
    (missing,) = set(itertools.combinations(range(5), 2)) - set(edges)
    (blocked,) = result.blocked
    assert (blocked.source, blocked.target) == tuple(f"x{k + 1}" for k in missing)
    exact = best_log_likelihood([*edges, missing], moments, means) - best_log_likelihood(edges, moments, means)
    assert blocked.exact == pytest.approx(exact, abs=1e-7)
    assert blocked.price < blocked.gain <= blocked.exact + 1e-12
    assert f"the plane has no room for {blocked.source} - {blocked.target}" in result.stopped


def test_a_field_without_room_is_told_too():
    rows = rows_of_k5(fields=0.15)
    moments = rows.T @ rows / len(rows)
    result = learn_structure(moments, len(rows), magnetizations=rows.mean(axis=0), family="partial", criterion="bic")
    assert len(result.blocked) > 1 and not np.isnan([pair.exact for pair in result.blocked]).any()
    gains = [pair.gain for pair in result.blocked]
    assert gains == sorted(gains, reverse=True)


def test_a_search_that_was_stopped_does_not_say_what_the_plane_blocks():
    rows = rows_of_k5()
    assert learn_structure(rows.T @ rows / len(rows), len(rows), family="zero-field", n_edges=3).blocked == ()
