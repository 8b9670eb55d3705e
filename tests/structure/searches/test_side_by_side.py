"""Restarts on several workers: the same search, bit by bit, as one after the other."""

import itertools
import os
import signal
from concurrent.futures.process import BrokenProcessPool

import joblib
import numpy as np
import pytest

from bare_moments import learn_structure
from isingmap.errors import ModelError
from isingmap.structure.searches import forward_backward
from oracles import brute_force

RESTARTS = 4


@pytest.fixture(scope="module")
def moments():
    """Exact moments of a random model on all pairs whose search meets better optima after the first."""
    n_spins, rng = 8, np.random.default_rng(0)
    pairs = np.stack(np.triu_indices(n_spins, 1), axis=1)
    x, p, _ = brute_force(n_spins, pairs, 0.3 * rng.normal(size=len(pairs)), 0.3 * rng.normal(size=n_spins))
    return x.T @ (p[:, None] * x), p @ x


def learned(moments, **settings):
    settings = {"n_restarts": RESTARTS, "criterion": "maximal", "family": "zero-field", **settings}
    pairs, means = moments
    return learn_structure(pairs, 1000, magnetizations=means, **settings)


@pytest.fixture(scope="module")
def alone(moments):
    """Found by one restart after the other."""
    return learned(moments)


def assert_same(one, other):
    assert one.n_equal == other.n_equal
    np.testing.assert_array_equal(one.model.edges, other.model.edges)
    np.testing.assert_array_equal(one.model.couplings, other.model.couplings)
    assert one.path.action == other.path.action
    np.testing.assert_array_equal(one.path.gain, other.path.gain)


@pytest.fixture(autouse=True)
def at_once(monkeypatch):
    """Workers are asked although these searches are over before processes would have started."""
    monkeypatch.setattr(forward_backward, "WORTH_WORKERS", 0.0)


@pytest.fixture
def batches(monkeypatch):
    """How many restarts were sent away together, each time."""
    sizes, real = [], forward_backward._side_by_side

    def counted(problem, options, waiting):
        sizes.append(len(waiting))
        return real(problem, options, waiting)

    monkeypatch.setattr(forward_backward, "_side_by_side", counted)
    return sizes


@pytest.mark.parametrize("settings", [{"temperature": 30.0, "seed": 4}, {"family": "planar"}], ids=str)
def test_threads_find_what_one_after_the_other_does(moments, batches, settings):
    alone = learned(moments, **settings)
    assert not batches
    with joblib.parallel_config(backend="threading"):
        assert_same(learned(moments, **settings, n_jobs=3), alone)
    assert max(batches) == 3


def test_a_restart_that_improves_ends_its_batch(moments, batches):
    """Otherwise the other tests would compare failures alone."""
    with joblib.parallel_config(backend="threading", n_jobs=4):  # nothing is said of workers but here
        learned(moments)
    assert sum(batches) > RESTARTS


@pytest.mark.parametrize("seconds", [1e-3, 1.0])
def test_workers_are_asked_where_restarts_take_longer_than_their_start(moments, alone, batches, monkeypatch, seconds):
    ticks = itertools.count()
    monkeypatch.setattr(forward_backward, "WORTH_WORKERS", 2.0)
    monkeypatch.setattr(forward_backward, "monotonic", lambda: seconds * next(ticks))
    with joblib.parallel_config(backend="threading"):
        assert_same(learned(moments, n_jobs=3), alone)
    assert bool(batches) == (seconds == 1.0)


def test_processes_find_it_too_and_a_killed_one_costs_nothing(moments, alone, monkeypatch):
    assert_same(learned(moments, n_jobs=2), alone)
    monkeypatch.setattr(forward_backward, "_carried_out", _killed_elsewhere)
    assert_same(learned(moments, n_jobs=2), alone)


def test_ctrl_c_that_kills_workers_ends_the_search(moments, monkeypatch):
    def killed(*arguments, **settings):
        signal.raise_signal(signal.SIGINT)
        raise BrokenProcessPool

    monkeypatch.setattr(joblib, "Parallel", killed)
    monkeypatch.setattr(forward_backward, "_carried_out", None)
    assert learned(moments, n_jobs=2).was_interrupted


def _killed_elsewhere(problem, options, asked, home):
    if os.getpid() != home:
        os.kill(os.getpid(), signal.SIGKILL)
    return forward_backward.ForwardBackwardSearch(problem, options).carried_out(asked)


def test_a_checkpoint_serves_any_number_of_workers(moments, alone, tmp_path, monkeypatch):
    file, real = tmp_path / "search", forward_backward._side_by_side

    def interrupted(problem, options, waiting):
        signal.raise_signal(signal.SIGINT)
        return real(problem, options, waiting)

    monkeypatch.setattr(forward_backward, "_side_by_side", interrupted)
    with joblib.parallel_config(backend="threading"):
        assert learned(moments, n_jobs=2, checkpoint=file).was_interrupted
    assert file.exists()
    assert_same(learned(moments, checkpoint=file), alone)


def test_a_generator_of_the_same_state_gives_the_same(moments):
    assert_same(*(learned(moments, seed=np.random.default_rng(3)) for _ in range(2)))


def test_no_worker_at_all_is_refused(moments):
    with pytest.raises(ModelError, match="n_jobs must be 1 or more, or -1 for as many as there are processors, got 0"):
        learned(moments, n_jobs=0)
    with pytest.raises(ModelError, match='search="greedy" does not use n_jobs=2'):
        learned(moments, search="greedy", n_restarts=None, n_jobs=2)
