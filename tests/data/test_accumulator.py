"""Tables that pass in parts lead to what the whole table leads to, to the last bit."""

import re
import warnings

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from isingmap import MomentAccumulator, PlanarIsing
from isingmap.data.convert import as_spin_table
from isingmap.data.missing import apply_missing
from isingmap.data.moments import empirical_moments, overlap
from isingmap.data.screening import screen
from isingmap.data.table import Coding, SpinTable
from isingmap.errors import DataError, DataWarning, FileFormatError

LABELS = [("-1", "1"), ("0", "1"), ("no", "yes"), ("Nay", "Yea"), ("F", "T")]


def table_of_texts(rng, n_rows, n_columns, share_missing, pairs=LABELS):
    """Cells of several codings, some of them missing in one of several ways."""
    numbers = pairs[rng.integers(2)]
    cells = np.empty((n_rows, n_columns), object)
    for j in range(n_columns):
        pair = pairs[rng.integers(2, len(pairs))] if rng.random() < 0.5 else numbers
        cells[:, j] = np.array(pair, object)[rng.integers(0, 2, n_rows)]
    absent = rng.random(cells.shape) < share_missing
    cells[absent] = rng.choice(np.array(["", "NA", None, "?"], object), absent.sum())
    return cells


def parts_of(rng, n_rows):
    cuts = np.unique(rng.integers(1, n_rows, rng.integers(0, 6)))
    return np.split(np.arange(n_rows), cuts)


def merged(accumulators, rng):
    """Neighbours are merged in random order."""
    accumulators = list(accumulators)
    while len(accumulators) > 1:
        k = int(rng.integers(len(accumulators) - 1))
        accumulators[k : k + 2] = [accumulators[k].merge(accumulators[k + 1])]
    return accumulators[0]


def outcome(make):
    """What a call leads to: numbers and warnings, or the error."""
    with warnings.catch_warnings(record=True) as heard:
        warnings.simplefilter("always")
        try:
            found = make()
        except DataError as error:
            return ("error", str(error))
    return *found, [str(warning.message) for warning in heard]


def same(first, second):
    assert len(first) == len(second), (first, second)
    for one, other in zip(first, second, strict=True):
        if isinstance(one, np.ndarray):
            assert np.array_equal(one, other)
        else:
            assert one == other


EDGES, FIELDS = np.array([[0, 1], [1, 2]]), np.array([0, 2])


def seen_of(moments, notes, shared):
    shared = np.zeros(0) if shared is None else shared
    counts = np.zeros(0) if moments.pair_counts is None else moments.pair_counts
    numbers = (moments.moments, moments.magnetizations, counts, shared)
    return *numbers, moments.n_samples, moments.names, moments.codings, notes


@settings(max_examples=100, deadline=None)
@given(
    st.integers(0, 2**32 - 1),
    st.sampled_from(["error", "drop", "minus", "pairwise"]),
    st.sampled_from([None, "whole", "fractions", "huge"]),
    st.sampled_from([0.0, 0.02, 0.3]),
    st.sampled_from(["error", "drop"]),
    st.integers(2, 300),
)
@example(
    1027, "pairwise", "whole", 0.02, "drop", 5
)  # weights that sum to the number of rows, 0 where cells are missing
def test_any_parts_in_any_order_of_merging(seed, missing, kind, share_missing, constant, n_rows):
    rng = np.random.default_rng(seed)
    cells = table_of_texts(rng, n_rows, 4, share_missing)
    weights = {
        None: None,
        "whole": rng.integers(0, 4, n_rows).astype(float),
        "fractions": rng.random(n_rows) * (rng.random(n_rows) < 0.9),
        "huge": 10.0 ** rng.uniform(-20, 20, n_rows),
    }[kind]
    if weights is not None and not weights.any():
        weights[0] = 1.0

    def whole():
        table = screen(apply_missing(as_spin_table(cells, weights=weights), missing), constant=constant)
        moments = empirical_moments(table)
        few = min(table.n_spins, 3)
        shared = overlap(table, EDGES[: few - 1], FIELDS[: few - 1]) if table.n_missing else None
        return seen_of(moments, table.notes, shared)

    def in_parts():
        accumulators = [
            MomentAccumulator(missing=missing).add(cells[rows], None if weights is None else weights[rows])
            for rows in parts_of(rng, n_rows)
        ]
        table = merged(accumulators, rng).screened(missing, constant)
        moments = table.moments()
        few = min(len(table.names), 3)
        return seen_of(moments, table.notes, table.overlap(EDGES[: few - 1], FIELDS[: few - 1]))

    same(_without_em(outcome(whole)), outcome(in_parts))


def _without_em(found):
    """Where there are only sums the advice leaves EM out, which looks at rows."""
    if not isinstance(found[0], str):
        return found
    return "error", re.sub(r"missing='em'( \([^)]*\))?, ", "", found[1])


@pytest.mark.parametrize("kind", ["int8", "int64", "float", "missing", "frame", "polars", "spins", "words"])
def test_kinds_of_parts(kind):
    rng = np.random.default_rng(1)
    spins = rng.choice([-1, 1], (400, 5))
    with_gaps = np.where(rng.random(spins.shape) < 0.05, np.nan, (spins + 1) / 2)
    X = {
        "int8": spins.astype(np.int8),
        "int64": (spins + 1) // 2,
        "float": spins.astype(float),
        "missing": with_gaps,
        "frame": pd.DataFrame(with_gaps, columns=list("abcde")),
        "polars": pl.DataFrame(((spins + 1) // 2).astype(bool), schema=list("abcde")),
        "spins": as_spin_table(spins, groups=list("uuvvv")),
        "words": np.where(spins > 0, "agree", "disagree"),
    }[kind]
    positive = "agree" if kind == "words" else None
    accumulator = MomentAccumulator(positive=positive, missing="pairwise")
    for start in range(0, 400, 150):
        part = X[start : start + 150] if kind != "spins" else as_spin_table(spins[start : start + 150], groups="uuvvv")
        accumulator.add(part)
    whole = as_spin_table(X, positive=positive)
    table = accumulator.screened("pairwise", "error")
    moments, expected = table.moments(), empirical_moments(whole)
    assert np.array_equal(moments.moments, expected.moments) and moments.n_samples == 400
    assert np.array_equal(moments.magnetizations, expected.magnetizations)
    assert (table.names, table.codings, table.groups) == (whole.names, whole.codings, whole.groups)


def test_labels_that_appear_late_decide_as_they_do_in_a_whole_table():
    first, second = np.array([[1, 1], [1, 1]]), np.array([[2, 1], [1, 2]])
    table = MomentAccumulator().add(first).add(second).counted()
    assert table.codings == as_spin_table(np.vstack([first, second])).codings
    assert table.tally.sums.rounded().tolist() == [-2.0, -2.0]


def test_a_threshold():
    counts = np.random.default_rng(0).poisson(1.0, (60, 3))
    accumulator = MomentAccumulator(threshold=2).add(counts[:10]).add(counts[10:])
    expected = empirical_moments(as_spin_table(counts, threshold=2))
    assert np.array_equal(accumulator.moments().moments, expected.moments)
    assert accumulator.moments().codings == expected.codings


def test_errors_name_all_columns_with_rows_of_the_whole():
    cells = np.array([["0", "a"], ["1", "b"], ["0", "a"], ["7", "b"]], object)
    with pytest.raises(DataError) as whole:
        as_spin_table(cells)
    with pytest.raises(DataError) as parts:
        MomentAccumulator().add(cells[:3]).merge(MomentAccumulator().add(cells[3:])).counted()
    assert str(parts.value) == str(whole.value)
    assert "'7' first in row 4" in str(parts.value)


@pytest.mark.parametrize(
    "make, message",
    [
        (lambda: MomentAccumulator(missing="impute"), "unknown rule for missing cells 'impute'"),
        (lambda: MomentAccumulator(missing="em"), "missing='em' looks at single rows"),
        (lambda: MomentAccumulator().moments(), "no rows have passed yet"),
        (
            lambda: MomentAccumulator().add(np.eye(3)).add(np.eye(2)),
            "X has 2 features, but MomentAccumulator is expecting 3",
        ),
        (
            lambda: MomentAccumulator().add(pd.DataFrame({"a": [0, 1]})).add(pd.DataFrame({"b": [0, 1]})),
            "same columns in the same order: 'b' in place of 'a'",
        ),
        (lambda: MomentAccumulator().merge(MomentAccumulator(missing="drop")), "different settings"),
        (
            lambda: MomentAccumulator().add([["", "1"], ["0", "0"]]).screened("drop", "keep"),
            "missing='drop' comes too late: the rows were added up under missing='error'",
        ),
        (
            lambda: MomentAccumulator().add([["", "1"], ["0", "0"]]).screened("pairwise", "keep"),
            "missing='pairwise' takes standard errors from which cells are missing together",
        ),
        (lambda: MomentAccumulator().add(np.eye(2), [0, 0]).screened("error", "keep"), "all weights are zero"),
        (lambda: MomentAccumulator().add(np.eye(2), [1, -1]), "not negative; row 2"),
    ],
)
def test_refusals(make, message):
    with pytest.raises(DataError, match=message):
        make()


def test_too_many_labels_are_refused_at_once(monkeypatch):
    monkeypatch.setattr("isingmap.data.column_labels.MOST_TEXTS", 5)
    with pytest.raises(DataError, match="column 'x1' has more than 5 different values"):
        MomentAccumulator().add(np.arange(20.0).reshape(10, 2))


def test_too_many_patterns_are_named(monkeypatch):
    monkeypatch.setattr("isingmap.data.missing_patterns.MOST_PATTERNS", 3)
    cells = np.where(np.random.default_rng(0).random((50, 4)) < 0.3, np.nan, np.eye(50, 4))
    accumulator = MomentAccumulator(missing="pairwise").add(cells).add(cells)
    with pytest.raises(DataError, match="too many patterns"):
        accumulator.screened("pairwise", "drop")


@pytest.fixture(scope="module")
def answers():
    rng = np.random.default_rng(3)
    x = rng.choice([0, 1], (300, 4))
    x[:, 1] = np.where(rng.random(300) < 0.9, x[:, 0], 1 - x[:, 0])
    x = x.astype(float)
    x[rng.random(x.shape) < 0.05] = np.nan
    return x


@pytest.mark.parametrize("missing", ["drop", "minus", "pairwise"])
def test_partial_fits_are_one_fit(answers, missing):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DataWarning)
        whole = PlanarIsing(missing=missing).fit(answers)
        parts = PlanarIsing(missing=missing)
        for part in np.array_split(answers, 7):
            parts.partial_fit(part)
        assert parts.n_features_in_ == 4
        assert np.array_equal(parts.couplings_, whole.couplings_) and np.array_equal(parts.edges_, whole.edges_)
        assert np.array_equal(parts.learned_.coupling_errors, whole.learned_.coupling_errors)
        assert parts.notes_ == whole.notes_ and parts.learned_.warnings == whole.learned_.warnings
        assert parts.score(answers[~np.isnan(answers).any(axis=1)]) == whole.score(
            answers[~np.isnan(answers).any(axis=1)]
        )


def test_a_partial_fit_goes_on_after_a_look_and_begins_anew_after_a_fit(answers):
    complete = np.nan_to_num(answers)
    estimator = PlanarIsing().partial_fit(complete[:100])
    assert estimator.moments_.n_samples == 100
    assert estimator.partial_fit(complete[100:]).moments_.n_samples == 300
    assert estimator.fit(complete[:50]).moments_.n_samples == 50
    assert estimator.partial_fit(complete[:70]).moments_.n_samples == 70
    estimator.missing = "drop"
    with pytest.raises(DataError, match="missing='drop' now, but the rows were added up under missing='error'"):
        estimator.partial_fit(complete)


def test_fit_takes_an_accumulator(answers):
    complete = np.nan_to_num(answers)
    accumulator = MomentAccumulator(names=list("abcd")).add(complete)
    fitted = PlanarIsing().fit(accumulator)
    assert fitted.model_.names == tuple("abcd") and list(fitted.feature_names_in_) == list("abcd")
    with pytest.raises(DataError, match="sample_weight goes with the rows"):
        PlanarIsing().fit(accumulator, sample_weight=np.ones(300))
    with pytest.raises(DataError, match="missing='drop' now"):
        PlanarIsing(missing="drop").fit(accumulator)


@pytest.mark.parametrize("missing", ["minus", "pairwise"])
@pytest.mark.parametrize("coded", [False, True])
def test_a_saved_accumulator_goes_on(tmp_path, answers, missing, coded):
    weights = np.random.default_rng(0).random(300)
    X = answers
    if coded:
        X = as_spin_table(answers, groups=list("uuvv")).with_notes("as it is")
    parts = [slice(0, 100), slice(100, 300)]
    take = (
        (lambda rows: as_spin_table(answers[rows], groups=list("uuvv")).with_notes("as it is"))
        if coded
        else (lambda rows: answers[rows])
    )
    for k, rows in enumerate(parts):
        MomentAccumulator(missing=missing).add(take(rows), weights[rows]).save(tmp_path / f"{k}.npz")
    loaded = [MomentAccumulator.load(tmp_path / f"{k}.npz") for k in range(2)]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DataWarning)
        found = loaded[0].merge(loaded[1]).screened(missing, "error")
        expected = MomentAccumulator(missing=missing).add(X, weights).screened(missing, "error")
        same(
            seen_of(found.moments(), found.notes, found.overlap(EDGES, FIELDS)),
            seen_of(expected.moments(), expected.notes, expected.overlap(EDGES, FIELDS)),
        )
    assert found.groups == expected.groups and repr(loaded[1]) == "MomentAccumulator(200 rows of 4 columns)"


def test_an_empty_accumulator_is_saved(tmp_path):
    MomentAccumulator(positive={"a": 1}).save(tmp_path / "a.npz")
    assert MomentAccumulator.load(tmp_path / "a.npz").settings["positive"] == {"a": 1}


@pytest.mark.parametrize("damage", ["text", "cut", "shape", "version"])
def test_damaged_files(tmp_path, damage):
    path = tmp_path / "a.npz"
    MomentAccumulator().add(np.eye(3)).save(path)
    if damage == "text":
        path.write_text("hello")
    elif damage == "cut":
        path.write_bytes(path.read_bytes()[:300])
    else:
        arrays = dict(np.load(path))
        if damage == "shape":
            arrays["seen.0"] = np.zeros((2, 2), np.int64)
        else:
            arrays["document"] = np.array(str(arrays["document"]).replace('"version": 1', '"version": 7'))
        np.savez(path, **arrays)
    with pytest.raises(FileFormatError, match="no readable file of a MomentAccumulator"):
        MomentAccumulator.load(path)


@pytest.mark.parametrize("second", [["disagree", "disagree"], ["disagree", "agree"], ["agree", "agree"]])
def test_parts_that_met_the_labels_in_another_order(second):
    first = [["agree"], ["disagree"], ["agree"]]
    other = [[label] for label in second]
    parts = MomentAccumulator(positive="agree").add(first).merge(MomentAccumulator(positive="agree").add(other))
    expected = empirical_moments(as_spin_table(first + other, positive="agree"))
    assert parts.moments().magnetizations[0] == expected.magnetizations[0]


def test_a_part_without_rows_changes_nothing():
    """As a filter of a data frame may leave it; at the beginning, in between and with weights."""
    frame = pd.DataFrame(np.random.default_rng(0).integers(0, 2, (60, 3)), columns=list("abc"))
    whole = PlanarIsing(search="greedy").partial_fit(frame)
    for empty in (frame[:0], frame[:0].astype(object), pl.DataFrame({"a": [], "b": [], "c": []})):
        fit = PlanarIsing(search="greedy").partial_fit(empty)
        assert fit.n_features_in_ == 3
        with pytest.raises(DataError, match="no rows have passed yet"):
            fit.learned_  # noqa: B018 - learned when it is asked for
        fit.partial_fit(frame[:20]).partial_fit(empty, sample_weight=[]).partial_fit(frame[20:])
        np.testing.assert_array_equal(fit.moments_.moments, whole.moments_.moments)
        with pytest.raises(DataError, match=r"expected \(0,\), got \(2,\)"):
            fit.partial_fit(empty, sample_weight=[1, 2])
    with pytest.raises(DataError, match="2 features"):
        whole.partial_fit(frame[:0][["a", "b"]])
    with pytest.raises(DataError, match="same columns"):
        whole.partial_fit(frame[:0][["b", "a", "c"]])
    bare = PlanarIsing(search="greedy").partial_fit(frame.to_numpy()[:0]).partial_fit(frame.to_numpy())
    np.testing.assert_array_equal(bare.moments_.moments, whole.moments_.moments)
    coded = MomentAccumulator().add(SpinTable(np.zeros((0, 3), int), tuple("abc"), (Coding("0", "1"),) * 3))
    coded.add(SpinTable(2 * frame.to_numpy() - 1, tuple("abc"), (Coding("0", "1"),) * 3))
    np.testing.assert_array_equal(coded.moments().moments, whole.moments_.moments)
