"""A search that is killed goes on from its checkpoint to the same result, bit by bit."""

import json
import os
import signal
import subprocess
import sys
import time

import numpy as np
import pytest

from bare_moments import learn_structure
from isingmap import fit_couplings
from isingmap.errors import FileFormatError
from isingmap.structure import checkpoint as checkpoints
from isingmap.structure.state.refitted_model import RefittedModel


def moments_of(seed, n_spins, n_samples=300):
    rng = np.random.default_rng(seed)
    data = np.sign(rng.normal(size=(n_samples, n_spins)) @ rng.normal(size=(n_spins, n_spins)))
    return data.T @ data / n_samples, data.mean(axis=0)


class Killed(Exception):
    pass


def killer(n_calls):
    """A progress callback that ends the run at its k-th call."""

    def progress(done, total):
        nonlocal n_calls
        n_calls -= 1
        if n_calls == 0:
            raise Killed

    return progress


def same(first, second):
    np.testing.assert_array_equal(first.model.couplings, second.model.couplings)
    np.testing.assert_array_equal(first.model.edges, second.model.edges)
    np.testing.assert_array_equal(first.path.log_likelihood, second.path.log_likelihood)
    assert first.path.action == second.path.action
    assert (first.stopped, first.excluded, first.gradient_norm) == (
        second.stopped,
        second.excluded,
        second.gradient_norm,
    )


OPTIONS = [
    {"family": "zero-field", "criterion": "maximal", "search": "greedy"},
    {"family": "partial", "criterion": "bic", "search": "forward-backward", "n_restarts": 3, "prior": 1},
    {"family": "zero-field", "criterion": "maximal", "search": "forward-backward", "n_restarts": 3, "temperature": 5.0},
    {"family": "outer-planar", "criterion": "aic", "search": "forward-backward", "n_restarts": 1, "prior": 1},
]


@pytest.mark.parametrize("options", OPTIONS)
@pytest.mark.parametrize("n_spins", [9, 45])
def test_killed_again_and_again(options, n_spins, tmp_path, monkeypatch):
    monkeypatch.setattr(checkpoints, "SECONDS_BETWEEN_SAVES", 0.0)
    moments, mean = moments_of(n_spins, n_spins)
    if options["family"] != "zero-field":
        options = {**options, "magnetizations": mean}
    if n_spins > 20:
        options = {**options, **({"n_edges": 60} if options["search"] == "greedy" else {"n_restarts": 1})}
    whole = learn_structure(moments, 300, **options)
    file = tmp_path / "search.npz"
    for n_calls in (1, 3, 17, 40, 2, 31):
        try:
            learn_structure(moments, 300, **options, checkpoint=file, progress=killer(n_calls))
        except Killed:
            assert file.exists() or n_calls == 1
    result = learn_structure(moments, 300, **options, checkpoint=file)
    same(result, whole)
    assert not file.exists()
    assert not list(tmp_path.iterdir())


def test_killed_for_real(tmp_path):
    code = (
        "import sys, json, numpy as np; from isingmap.structure import checkpoint\n"
        "checkpoint.SECONDS_BETWEEN_SAVES = 0.0\n"
        "from isingmap import Problem, SearchOptions, learn_structure; moments = np.load(sys.argv[1])\n"
        "problem = Problem.from_moments(moments, 300, family='zero-field')\n"
        "r = learn_structure(problem, SearchOptions(criterion='maximal', checkpoint=sys.argv[2]))\n"
        "print(json.dumps([r.model.edges.tolist(), r.model.couplings.tolist()]))"
    )
    moments, _ = moments_of(0, 60)
    np.save(tmp_path / "moments.npy", moments)
    file = tmp_path / "search.npz"
    command = [sys.executable, "-c", code, str(tmp_path / "moments.npy"), str(file)]
    run = subprocess.Popen(command, stdout=subprocess.PIPE)
    while not file.exists() and run.poll() is None:
        time.sleep(0.01)
    os.kill(run.pid, signal.SIGKILL)
    assert run.wait() == -signal.SIGKILL
    assert file.exists()
    resumed = subprocess.run(command, stdout=subprocess.PIPE, check=True).stdout
    whole = learn_structure(moments, 300, family="zero-field", criterion="maximal")
    edges, couplings = json.loads(resumed)
    assert edges == whole.model.edges.tolist()
    assert couplings == whole.model.couplings.tolist()


def test_an_interrupted_search_keeps_its_checkpoint(tmp_path, monkeypatch):
    monkeypatch.setattr(checkpoints, "SECONDS_BETWEEN_SAVES", 0.0)
    moments, _ = moments_of(3, 12)

    def interrupt(done, total):
        if done == 10:
            raise KeyboardInterrupt

    file = tmp_path / "search.npz"
    options = {"family": "zero-field", "criterion": "maximal"}
    part = learn_structure(moments, 300, **options, checkpoint=file, progress=interrupt)
    assert part.stopped == "interrupted after 10 steps"
    assert file.exists()
    same(learn_structure(moments, 300, **options, checkpoint=file), learn_structure(moments, 300, **options))


def test_an_interruption_inside_a_compiled_function(tmp_path, monkeypatch):
    """Python reports it as a SystemError whose cause is the KeyboardInterrupt."""
    moments, _ = moments_of(3, 12)
    calls = 0
    real = RefittedModel.with_edge

    def with_edge(self, i, j):
        nonlocal calls
        calls += 1
        if calls == 30:
            raise SystemError("returned a result with an exception set") from KeyboardInterrupt()
        return real(self, i, j)

    monkeypatch.setattr(RefittedModel, "with_edge", with_edge)
    options = {"family": "zero-field", "criterion": "maximal", "n_restarts": 0}
    part = learn_structure(moments, 300, **options)
    assert part.stopped.startswith("interrupted after")
    fit = fit_couplings(part.model.edges, moments, n_spins=12, n_samples=300)
    assert part.log_likelihood == pytest.approx(fit.log_likelihood, rel=1e-9)

    def broken(self, i, j):
        raise SystemError("something else")

    monkeypatch.setattr(RefittedModel, "with_edge", broken)
    with pytest.raises(SystemError, match="something else"):
        learn_structure(moments, 300, **options)


def test_foreign_and_damaged_checkpoints(tmp_path, monkeypatch):
    monkeypatch.setattr(checkpoints, "SECONDS_BETWEEN_SAVES", 0.0)
    moments, _ = moments_of(4, 10)
    file = tmp_path / "search.npz"
    with pytest.raises(Killed):
        learn_structure(moments, 300, family="zero-field", checkpoint=file, progress=killer(4))
    with pytest.raises(FileFormatError, match="other data or with other options"):
        learn_structure(moments, 300, family="zero-field", criterion="aic", checkpoint=file)
    with pytest.raises(FileFormatError, match="other data or with other options"):
        learn_structure(0.9 * moments + 0.1 * np.eye(10), 300, family="zero-field", checkpoint=file)
    file.write_bytes(file.read_bytes()[:1000])
    with pytest.raises(FileFormatError, match="not a whole checkpoint"):
        learn_structure(moments, 300, family="zero-field", checkpoint=file)
    file.write_text("names,edges\n")
    with pytest.raises(FileFormatError, match="not a whole checkpoint"):
        learn_structure(moments, 300, family="zero-field", checkpoint=file)
    assert file.read_text() == "names,edges\n"
