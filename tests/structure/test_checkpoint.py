"""A search that is killed goes on from its checkpoint to the same result, bit by bit."""

import json
import os
import signal
import subprocess
import sys
import time
import zipfile

import numpy as np
import pytest

from bare_moments import learn_structure
from isingmap import fit_couplings
from isingmap.errors import FileFormatError
from isingmap.files.sealed import _digest
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
    for n_calls in (1, 3, 17, 40, 2, 31) if n_spins < 20 else (3, 40, 17):
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
    moments, _ = moments_of(0, 30)
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
    options = {"family": "zero-field", "criterion": "maximal", "n_restarts": 1}
    part = learn_structure(moments, 300, **options, checkpoint=file, progress=interrupt)
    assert part.stopped == "interrupted after 10 steps"
    assert file.exists()
    same(learn_structure(moments, 300, **options, checkpoint=file), learn_structure(moments, 300, **options))


@pytest.mark.skipif(not hasattr(signal, "raise_signal"), reason="no signals")
def test_an_interruption_before_the_first_save_keeps_a_checkpoint(tmp_path):
    """Ctrl-C is looked at between two steps, and what was found until then is saved."""
    moments, _ = moments_of(3, 12)
    file = tmp_path / "search.npz"
    options = {"family": "zero-field", "criterion": "maximal", "n_restarts": 1}

    def press(done, total):
        if done == 10:
            signal.raise_signal(signal.SIGINT)

    part = learn_structure(moments, 300, **options, checkpoint=file, progress=press)
    assert part.stopped.startswith("interrupted") and file.exists()
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


# --- damage ---------------------------------------------------------------------------------------------------


SEARCH = {"family": "partial", "criterion": "aic", "n_restarts": 2, "prior": 1}


@pytest.fixture
def kept(tmp_path, monkeypatch):
    """A search, and the checkpoint of one that was killed after restarts had begun."""
    monkeypatch.setattr(checkpoints, "SECONDS_BETWEEN_SAVES", 0.0)
    moments, mean = moments_of(5, 8)
    file = tmp_path / "search.npz"

    def search(progress=None):
        return learn_structure(moments, 300, **SEARCH, magnetizations=mean, checkpoint=file, progress=progress)

    with pytest.raises(Killed):
        search(killer(60))
    return search, file


def refused(search):
    with pytest.raises(FileFormatError, match="delete the file to start again"):
        search()


def test_bytes_that_are_damaged_anywhere_are_refused(kept):
    search, file = kept
    whole = file.read_bytes()
    rng = np.random.default_rng(0)
    damaged = [b"", b"PK", whole[: len(whole) // 2], whole[:-30], whole[100:], whole + whole[:50]]
    for _ in range(300):
        content = bytearray(whole)
        for _ in range(int(rng.integers(1, 4))):
            content[rng.integers(len(content))] ^= 1 << int(rng.integers(8))
        damaged.append(bytes(content))
    outcomes = {"refused": 0, "right": 0}
    result = None
    for content in damaged:
        file.write_bytes(content)
        try:
            found = search()
        except FileFormatError as error:
            assert "delete the file to start again" in str(error)
            outcomes["refused"] += 1
            continue
        outcomes["right"] += 1  # bytes that say nothing: dates and attributes of the zip directory
        result = result or found
        same(found, result)
    assert outcomes["refused"] > 200
    file.unlink(missing_ok=True)
    if result is not None:
        same(result, search())


def members_of(file):
    with np.load(file) as content:
        return {name: content[name] for name in content.files}


def test_members_that_lack_or_are_odd_are_refused(kept, tmp_path):
    search, file = kept
    members = members_of(file)
    assert {"header", "digest", "open_pairs", "model0.edges"} <= {*members}
    for name in members:
        np.savez(file, **{other: array for other, array in members.items() if other != name})
        refused(search)
        np.savez(file, **(members | {name: np.zeros(3)}))
        refused(search)
    np.savez(file, **members, odd=np.zeros(3))
    refused(search)
    np.savez_compressed(file, **members)  # could be a bomb
    refused(search)
    with zipfile.ZipFile(file, "w"):
        pass
    refused(search)
    with open(file, "wb") as stream:
        np.save(stream, np.zeros(3))
    refused(search)


def forged(file, members, header=None, **arrays):
    """The checkpoint with other arrays, with a digest that fits."""
    members = {name: array for name, array in members.items() if name != "digest"} | arrays
    if header is not None:
        members["header"] = np.frombuffer(json.dumps(header).encode(), np.uint8)
    np.savez(file, **members, digest=_digest(members))


def test_what_cannot_be_a_search_is_refused_even_if_its_digest_fits(kept):
    search, file = kept
    members = members_of(file)
    header = json.loads(members["header"].tobytes())
    edges = members["model0.edges"]

    def changed(name, place, value):
        array = members[name].copy()
        array[place] = value
        return {name: array}

    five = np.array([(i, j) for j in range(5) for i in range(j)])
    assert len(edges) >= 10
    for arrays in [
        changed("model0.edges", (0, 1), 1000),
        changed("model0.edges", (0, 0), -1),
        changed("model0.edges", 0, edges[1]),
        changed("model0.edges", 0, edges[0][::-1]),
        changed("model0.edges", slice(0, 10), five),
        changed("model0.couplings", 0, np.nan),
        changed("model0.block", 0, 10**6),
        {"model0.edges": edges[:-1]},
        {"model0.edges": edges.astype(np.int32)},
        {"model0.correlations": np.zeros((3, 3))},
        {"model0.inverse_hessian": np.zeros(1)},
        {"open_pairs": np.ones((2, 2), bool)},
    ]:
        forged(file, members, **arrays)
        refused(search)
    state, moves = header["search"]["state"], header["search"]["moves"]
    for odd in [
        {"search": {**header["search"], "state": {**state, "excluded": [[0, 99]]}}},
        {"search": {**header["search"], "state": {**state, "unfit": [["a", "b"]]}}},
        {"search": {**header["search"], "moves": {**moves, "insert": {"tried": [[3, 1]], "region": None}}}},
        {"search": {**header["search"], "moves": {**moves, "insert": {"tried": [], "region": [-1]}}}},
        {"search": {**header["search"], "moves": {}}},
        {"search": {**header["search"], "cursor": 3}},
        {"search": 3},
        {"models": []},
        {"models": "a"},
    ]:
        forged(file, members, {**header, **odd})
        refused(search)
    forged(file, members, header)
    search()


def test_what_is_no_plain_file_is_refused_before_the_work(tmp_path):
    """A pipe would be waited for without an end."""
    file = tmp_path / "pipe"
    os.mkfifo(file)
    with pytest.raises(FileFormatError, match="plain file"):
        learn_structure(np.eye(3), 100, family="zero-field", checkpoint=file)
