"""Small models are eliminated, planar or not, and say what determinants and enumeration say."""

import numpy as np
import pytest

from isingmap import IsingModel
from isingmap.inference.engine import solve
from isingmap.inference.planar_solution import planar_solution
from oracles import brute_force, grid_edges, random_planar_edges

QUESTIONS = ("log_partition", "parameter_moments", "magnetizations", "hessian", "correlations", "log_weight_variance")


def answers(solution):
    found = [getattr(solution, question) for question in QUESTIONS]
    return [answer() if callable(answer) else answer for answer in found]


@pytest.mark.parametrize("fields", ["none", "one", "all"])
@pytest.mark.parametrize("seed", range(4))
def test_both_engines_say_the_same(seed, fields):
    rng = np.random.default_rng(seed)
    n_spins = int(rng.integers(2, 9))
    edges = np.array([(i, i + 1) for i in range(n_spins - 1)]) if fields == "all" else random_planar_edges(rng, n_spins)
    free = {"none": [], "one": [0], "all": range(n_spins)}[fields]
    own = np.zeros(n_spins)
    own[list(free)] = rng.normal(size=len(free))
    model = IsingModel(edges, rng.normal(size=len(edges)), own)
    assert model.planned.is_planar and model.method == "elimination"
    strengths = model.planned.graph.join(model.couplings, model.fields)
    small = answers(solve(model.planned, strengths))
    for one, other in zip(small, answers(planar_solution(model.planned, strengths)), strict=True):
        np.testing.assert_allclose(one, other, rtol=0, atol=1e-11)
    x, p, log_z = brute_force(n_spins, model.edges, model.couplings, model.fields)
    assert small[0] == pytest.approx(log_z, abs=1e-12)
    np.testing.assert_allclose(small[2], p @ x, rtol=0, atol=1e-12)
    np.testing.assert_allclose(small[4], x.T @ (p[:, None] * x), rtol=0, atol=1e-12)


@pytest.mark.parametrize("shape", [(1, 65), (9, 9)])
def test_long_or_wide_models_are_not_small(shape):
    """A path of 65 spins, and a grid whose tables take 23,000 additions."""
    edges = grid_edges(*shape)
    assert IsingModel(edges, np.full(len(edges), 0.3)).method == "planar"


def test_couplings_too_strong_for_tables_go_to_the_ladder():
    """The sums of positive terms lose small couplings beside 1e8; see `EliminationSolution.loss`."""
    model = IsingModel([(0, 1), (1, 2)], [1e8, 0.3])
    assert model.method == "planar"
    assert model.moments().tolist() == pytest.approx([1.0, np.tanh(0.3)], abs=1e-12)
