"""The debug mode: it agrees with the search at every step, and it notices what it is there to notice."""

from dataclasses import replace

import numpy as np
import pytest

from bare_moments import learn_structure, problem_of
from isingmap import SearchOptions
from isingmap.errors import IsingMapError
from isingmap.structure.audit import audit
from isingmap.structure.state.correlations import Correlations
from isingmap.structure.state.search_state import SearchState


def moments_of(seed, n_spins, n_samples=300):
    rng = np.random.default_rng(seed)
    latent = rng.normal(size=(n_samples, 3)) @ rng.normal(size=(3, n_spins)) if seed % 2 else 0.0
    data = np.sign(latent + rng.normal(size=(n_samples, n_spins)) @ rng.normal(size=(n_spins, n_spins)) / n_spins**0.5)
    return 0.99 * data.T @ data / n_samples + 0.01 * np.eye(n_spins), 0.99 * data.mean(axis=0)


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("n_spins", [12, 60])
def test_greedy_is_right_at_every_step(seed, n_spins):
    moments, _ = moments_of(seed, n_spins)
    result = learn_structure(
        moments, 300, family="zero-field", criterion="maximal", search="greedy", audit_every=1 if n_spins < 20 else 9
    )
    assert result.model.n_edges >= 3 * n_spins - 7


@pytest.mark.parametrize("family", ["zero-field", "partial"])
@pytest.mark.parametrize("seed", range(2))
def test_forward_backward_is_right_wherever_it_grows(seed, family):
    moments, mean = moments_of(seed, 45)
    audit_every = 4 if seed else 1  # the graph of the second is four times as large
    learn_structure(
        moments, 300, magnetizations=mean, family=family, criterion="aic", n_restarts=2, audit_every=audit_every
    )


def grown(n_steps=50):
    moments, _ = moments_of(1, 45)
    problem, _ = problem_of(moments, 300, names=[f"v{k:02d}" for k in range(45)], family="zero-field")
    state = SearchState(problem, SearchOptions(criterion="maximal"))
    for _ in range(n_steps):
        state.add_best()
    audit(state, complete=True)
    return state


def test_what_an_audit_notices():
    state = grown()
    right = state.model
    state.model = replace(right, couplings=right.couplings + 1e-4)
    with pytest.raises(IsingMapError, match="after 50 steps: the couplings differ by 1.0e-04"):
        audit(state, complete=True)
    state.model = replace(right, known=Correlations(right.correlations * (1 - 1e-4)))
    with pytest.raises(IsingMapError, match="the correlations differ by"):
        audit(state, complete=True)
    state.model = right
    i, j, *_ = state.best_addable()
    state.candidates.close(i, j)
    with pytest.raises(
        IsingMapError, match=f"would pass over {state.problem.labels[i]} - {state.problem.labels[j]}, which gains"
    ):
        audit(state, complete=True)
    audit(state, complete=False)
