"""Fits of resamples: the same wherever they run, kept on disk, merged, and what cannot be fitted is told by name."""

import json
import signal
from concurrent.futures.process import BrokenProcessPool

import numpy as np
import pytest
from joblib import parallel_config

from ctrl_c import press_after
from isingmap import IsingModel, PlanarIsing
from isingmap.errors import DataError, FileFormatError, IsingMapError, ModelError
from isingmap.resampling import finished, run
from isingmap.resampling.finished import read_outcomes, write_outcomes
from isingmap.resampling.refit import Outcome
from isingmap.structure.searches.forward_backward import ForwardBackwardSearch

pytestmark = pytest.mark.filterwarnings("ignore::isingmap.errors.IsingMapWarning")

MODEL = IsingModel([(0, 1), (1, 2), (2, 3), (3, 4)], [0.6, 0.5, -0.7, 0.4], np.full(5, 0.2), names=list("ebdac"))
KINDS = ("nonparametric", "parametric", "m-out-of-n", "case-dropping")


@pytest.fixture(scope="module")
def spins():
    return MODEL.sample(120, rng=1)


def stable(spins, n_resamples=12, settings=(), **resampling):
    return PlanarIsing(**({"search": "greedy"} | dict(settings))).stability(
        spins, n_resamples=n_resamples, **resampling
    )


def same(one, other):
    """Bit by bit."""
    pairs = zip(one.outcomes, other.outcomes, strict=True)
    arrays = [(getattr(one, what), getattr(other, what)) for what in ("frequency", "interval", "mean_if_chosen")]
    arrays += [(a.couplings, b.couplings) for a, b in pairs] + [(one.sign_stability, other.sign_stability)]
    return all(a.tobytes() == b.tobytes() for a, b in arrays)


@pytest.mark.parametrize("kind", KINDS)
def test_one_process_two_and_threads_give_the_same_bits(spins, kind):
    alone = stable(spins, kind=kind)
    assert alone.n_fitted == 12 and alone.frequency.max() > 0.5
    assert same(alone, stable(spins, kind=kind, n_jobs=2))
    with parallel_config("threading", n_jobs=3):
        assert same(alone, stable(spins, kind=kind))


def test_the_order_of_rows_and_columns_does_not_matter(spins):
    import pandas

    table = pandas.DataFrame(spins, columns=list("ebdac"))
    one, other = stable(table), stable(table.sample(frac=1, random_state=0)[list("abcde")])
    assert other.names == tuple("abcde")
    by_name = [
        {frozenset(names): (f, *ends) for names, f, ends in zip(s.pair_names, s.frequency, s.interval, strict=True)}
        for s in (one, other)
    ]
    assert by_name[0] == by_name[1]


def test_the_whole_procedure_is_repeated_with_its_settings(spins):
    required = stable(spins, settings={"required_edges": [(0, 4)]})
    assert required.frequency[required.pairs.tolist().index([0, 4])] == 1
    assert not required.is_free[required.pairs.tolist().index([0, 4])]
    strict, lax = (stable(spins, settings={"gamma": gamma}).edges_per_refit for gamma in (1.0, 0.0))
    assert strict < lax
    given = stable(spins, settings={"graph": [(0, 1), (2, 3)], "search": "forward-backward"})
    assert given.frequency[given.is_edge].tolist() == [1, 1] and given.frequency.sum() == 2
    assert (given.interval[given.is_edge, 0] < given.interval[given.is_edge, 1]).all()
    zero = stable(spins, settings={"family": "zero-field", "search": "chow-liu"})
    assert {len(outcome.edges) for outcome in zero.outcomes} == {4}
    auto = stable(spins, n_resamples=2, settings={"family": "auto"})
    assert auto.n_fitted == 2


def test_a_constant_column_keeps_its_place_without_edges(spins):
    rare = spins.copy()
    rare[:, 1] = -1
    rare[np.flatnonzero(rare[:, 2] == 1)[:2], 1] = 1
    rare[np.flatnonzero(rare[:, 2] == -1)[:2], 1] = 1
    asked = {"required_edges": [(1, 2), (0, 3)], "required_fields": [1], "fields": "paying"}
    found = stable(rare, n_resamples=100, settings=asked)
    numbers = found.constant["x2"]
    assert 0 < len(numbers) < 10 and set(found.constant) == {"x2"}
    frequency = dict(zip(found.pair_names, found.frequency.tolist(), strict=True))
    assert frequency["x1", "x4"] == 1 and frequency["x2", "x3"] == 1 - len(numbers) / found.n_fitted
    assert not any(outcome.edges.tolist().count([1, 2]) for outcome in found.outcomes if outcome.constant)
    kept = stable(rare, n_resamples=40, settings={"prior": 1.0})
    assert not kept.constant and kept.n_fitted == 40


def test_two_columns_of_which_one_is_constant_have_no_edge():
    found = stable(np.array([[1, 1], [-1, -1], [-1, 1], [1, -1]]), n_resamples=30)
    assert found.constant and found.n_fitted == 30


def test_a_resample_that_cannot_be_fitted_is_counted_and_explained(spins):
    alike = spins.copy()
    alike[:, 1] = alike[:, 0]
    for value in (1, -1):
        alike[np.flatnonzero(alike[:, 0] == value)[0], 1] *= -1
    found = stable(alike, n_resamples=20, settings={"required_edges": [(0, 1)]})
    assert 0 < len(found.failures) < 20 and found.n_fitted == 20 - len(found.failures)
    assert all("x1" in why and "x2" in why for why in found.failures.values())
    assert found.frequency[0] == 1


def test_pairs_that_no_row_of_a_resample_has(spins):
    gaps = spins.astype(float)
    gaps[3:, 0] = np.nan
    gaps[:2, 0] = [1, -1]
    found = stable(gaps, n_resamples=20, settings={"missing": "pairwise"})
    assert found.n_fitted + len(found.failures) == 20 and found.constant["x1"]


def test_batches_are_merged_to_the_same_bits(spins, tmp_path):
    whole = stable(spins, n_resamples=10)
    for name, first, n in (("a", 0, 4), ("b", 4, 6)):
        part = stable(spins, n_resamples=n, first=first)
        write_outcomes(tmp_path / name, part.identity, part.outcomes)
    merged = stable(spins, n_resamples=10, resamples=[tmp_path / "a", str(tmp_path / "b")])
    assert same(whole, merged)
    more = stable(spins, n_resamples=2, resamples=tmp_path / "a")
    assert [outcome.number for outcome in more.outcomes] == [0, 1, 2, 3]


def test_what_was_merged_is_not_computed_again(spins, tmp_path, monkeypatch):
    part = stable(spins, n_resamples=5)
    write_outcomes(tmp_path / "a", part.identity, part.outcomes)
    asked = []
    monkeypatch.setattr(run, "_side_by_side", lambda refit, numbers: (asked.extend(numbers), (k for k in ()))[1])
    stable(spins, n_resamples=7, resamples=tmp_path / "a")
    assert asked == [5, 6]


@pytest.mark.parametrize(
    "other", [{"settings": {"gamma": 0.5}}, {"settings": {"random_state": 1}}, {"kind": "parametric"}, {"rows": 1}]
)
def test_resamples_of_something_else_are_refused(spins, tmp_path, other):
    part = stable(spins, n_resamples=2)
    write_outcomes(tmp_path / "a", part.identity, part.outcomes)
    rows = other.pop("rows", 0)
    with pytest.raises(FileFormatError, match="a: these resamples are of other data, or were made with other options"):
        stable(spins[rows:], n_resamples=3, resamples=tmp_path / "a", **other)


def test_files_that_are_no_resamples(tmp_path):
    edges = np.array([[0, 1], [1, 2]])
    outcomes = [Outcome(3, edges, np.array([0.5, -1.0]), (4,)), Outcome(1, edges[:0], np.empty(0), failure="why")]
    write_outcomes(tmp_path / "a", "id", outcomes)
    found = read_outcomes(tmp_path / "a", "id", 5)
    assert list(found) == [1, 3] and found[1].failure == "why" and found[3].constant == (4,)
    assert np.array_equal(found[3].edges, edges) and found[3].couplings.tolist() == [0.5, -1.0]
    with pytest.raises(FileFormatError, match="not a whole file of resamples; give another file, or leave"):
        read_outcomes(tmp_path / "a", "id", 2)
    data = bytearray((tmp_path / "a").read_bytes())
    data[data.index(np.float64(0.5).tobytes())] ^= 1
    (tmp_path / "b").write_bytes(bytes(data))
    for name, message in (("b", "not a whole file of resamples"), ("c", "there is no such file")):
        with pytest.raises(FileFormatError, match=message):
            read_outcomes(tmp_path / name, "id", 5)


def test_ctrl_c_keeps_what_is_finished_and_a_checkpoint_goes_on(spins, tmp_path, monkeypatch):
    file, whole = tmp_path / "kept", stable(spins)
    press_after(5, monkeypatch)
    some = stable(spins, settings={"checkpoint": file})
    assert some.interrupted and len(some.outcomes) == 6 and file.exists()
    monkeypatch.undo()
    again = stable(spins, settings={"checkpoint": file})
    assert same(again, whole) and not again.interrupted and not file.exists()


def test_ctrl_c_before_the_first(spins, monkeypatch):
    def interrupted(refit, numbers):
        raise KeyboardInterrupt
        yield

    monkeypatch.setattr(run, "_side_by_side", interrupted)
    with pytest.raises(KeyboardInterrupt):
        stable(spins)


def test_ctrl_c_before_the_fit_is_finished_tells_of_no_model(spins, monkeypatch, recwarn):
    original = ForwardBackwardSearch.advance

    def pressed(search):
        signal.raise_signal(signal.SIGINT)
        return original(search)

    monkeypatch.setattr(ForwardBackwardSearch, "advance", pressed)
    with pytest.raises(KeyboardInterrupt, match="before the fit of all rows was finished"):
        stable(spins, settings={"search": "forward-backward"})
    assert not [one for one in recwarn if "interrupted" in str(one.message)]


def test_an_error_keeps_what_is_finished(spins, tmp_path, monkeypatch):
    file, original = tmp_path / "kept", run._side_by_side

    def broken(refit, numbers):
        yield from original(refit, list(numbers)[:3])
        raise BrokenProcessPool

    monkeypatch.setattr(run, "_side_by_side", broken)
    with pytest.raises(IsingMapError, match=r"killed from outside.* The 3 finished ones are in .*kept, and the same"):
        stable(spins, settings={"checkpoint": file})
    assert file.exists()


@pytest.mark.parametrize("n_done", [0, 3])
def test_ctrl_c_that_kills_workers_is_an_interruption_and_no_failure(spins, monkeypatch, n_done):
    """On a terminal it reaches workers, too, and those that have only begun die of it."""
    original = run._side_by_side

    def killed(refit, numbers):
        yield from original(refit, list(numbers)[:n_done])
        signal.raise_signal(signal.SIGINT)
        raise BrokenProcessPool

    monkeypatch.setattr(run, "_side_by_side", killed)
    if n_done:
        found = stable(spins)
        assert found.interrupted and len(found.outcomes) == n_done
    else:
        with pytest.raises(KeyboardInterrupt, match="before the first fit was finished"):
            stable(spins)


def test_a_worker_that_is_killed_at_once_leaves_no_file_to_tell_of(spins, tmp_path, monkeypatch):
    def killed(refit, numbers):
        raise BrokenProcessPool
        yield

    monkeypatch.setattr(run, "_side_by_side", killed)
    with pytest.raises(IsingMapError, match=r"take less\. Nothing was finished$"):
        stable(spins, settings={"checkpoint": tmp_path / "kept"})


def test_the_checkpoint_is_written_now_and_then(spins, tmp_path, monkeypatch):
    monkeypatch.setattr(finished, "SECONDS_BETWEEN_SAVES", 0.0)
    monkeypatch.setattr(finished, "_MOST_WRITING", np.inf)
    sizes = []
    original = finished.Checkpoint.save
    monkeypatch.setattr(
        finished.Checkpoint, "save", lambda self, known: (sizes.append(len(known)), original(self, known))
    )
    stable(spins, n_resamples=3, settings={"checkpoint": tmp_path / "kept"})
    assert sizes == [1, 2, 3] and not (tmp_path / "kept").exists()


@pytest.mark.parametrize(
    ("resampling", "message"),
    [
        ({"kind": "jackknife"}, "kind must be one of nonparametric, parametric, m-out-of-n, case-dropping"),
        ({"n_resamples": 0}, "n_resamples must be a whole number from 1"),
        ({"n_jobs": 0}, "n_jobs must be 1 or more, or -1"),
        ({"share": 0.3}, 'share=0.3 goes with kind="m-out-of-n"'),
    ],
)
def test_settings_that_do_not_exist(spins, resampling, message):
    with pytest.raises(ModelError, match=message):
        stable(spins, **resampling)


def test_a_generator_is_no_seed_of_resamples(spins):
    with pytest.raises(ModelError, match="that takes random_state=0"):
        stable(spins, settings={"random_state": np.random.default_rng(0)})


def test_global_random_state_is_left_alone(spins):
    np.random.seed(5)  # noqa: NPY002
    before = json.dumps(np.random.get_state()[1].tolist())  # noqa: NPY002
    stable(spins, n_resamples=2, kind="parametric")
    assert json.dumps(np.random.get_state()[1].tolist()) == before  # noqa: NPY002


def test_too_many_rows_by_weight(spins):
    with pytest.raises(DataError, match="the weights add up to"):
        PlanarIsing(search="greedy").stability(spins, np.full(120, 1e9), n_resamples=1)


def test_resamples_do_without_restarts_unless_they_are_asked_for(spins):
    search = {"search": "forward-backward"}
    default = stable(spins, n_resamples=4, settings=search)
    assert same(default, stable(spins, n_resamples=4, settings=search | {"n_restarts": 0}))
    assert default.identity != stable(spins, n_resamples=1, settings=search | {"n_restarts": 1}).identity
