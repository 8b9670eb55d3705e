"""From labels to spins."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from isingmap.data.convert import as_spin_table
from isingmap.data.labels import PAIRS, normalise
from isingmap.data.table import Coding
from isingmap.errors import DataError

TRUTH = np.array([[-1, 1], [1, -1], [1, 1]], dtype=np.int8)


@pytest.mark.parametrize(
    "negative, positive",
    [
        (-1, 1),
        (0, 1),
        (1, 2),
        (False, True),
        ("-1", "+1"),
        ("0", "1"),
        ("0.0", "1.0"),
        ("1", "2"),
        ("FALSE", "TRUE"),
        ("f", "T"),
        ("no", "Yes"),
        ("N", "y"),
        ("Nay", "Yea"),
        (" nay", "YEA "),
    ],
)
def test_recognised_pairs_map_by_meaning(negative, positive):
    table = as_spin_table(np.where(TRUTH == 1, positive, negative))
    assert np.array_equal(table.spins, TRUTH)
    assert len(table.notes) == 1 and "every column" in table.notes[0]


def test_coding_keeps_the_labels_of_the_user():
    table = as_spin_table([["Nay", "no"], ["Yea", "YES"]])
    assert table.codings == (Coding("Nay", "Yea"), Coding("no", "YES"))
    assert len(table.notes) == 2


def test_text_and_bool_truth_are_the_same():
    column = np.array(["TRUE", True, "false", False, "T"], dtype=object)[:, None]
    assert as_spin_table(column).spins.ravel().tolist() == [1, 1, -1, -1, 1]


def test_constant_columns_follow_the_pair_of_the_table():
    table = as_spin_table([[1, 2, 1], [2, 1, 1], [1, 1, 1]])
    assert table.spins[:, 2].tolist() == [-1, -1, -1]
    assert table.codings[2] == Coding("1", "2")
    assert as_spin_table([[0, 1, 1], [1, 0, 1]]).spins[:, 2].tolist() == [1, 1]
    assert as_spin_table([[-1, -1], [-1, -1]]).spins.tolist() == [[-1, -1]] * 2


@pytest.mark.parametrize("marker", ["NA", "N/A", "#N/A", "<NA>", "NaN", "null", "", "  ", "?", ".", None, np.nan])
def test_missing_markers(marker):
    table = as_spin_table(np.array([["1", "0"], [marker, "1"]], dtype=object))
    assert table.spins.tolist() == [[1, -1], [0, 1]]
    assert table.n_missing == 1


def test_the_word_none_is_an_answer():
    table = as_spin_table([["none"], ["some"]], positive="some")
    assert table.spins.ravel().tolist() == [-1, 1]


def test_positive_for_any_two_labels():
    cells = [["low", "x"], ["High", "y"], ["low", "y"]]
    table = as_spin_table(cells, positive={"x1": "high", "x2": "x"})
    assert table.spins.tolist() == [[-1, 1], [1, -1], [-1, -1]]
    assert table.codings == (Coding("low", "High"), Coding("y", "x"))
    one = as_spin_table([["low", "high", "low"], ["high", "high", "low"]], positive="high")
    assert one.spins.tolist() == [[-1, 1, -1], [1, 1, -1]]
    assert set(one.codings) == {Coding("low", "high")}


def test_positive_can_turn_a_recognised_pair_round():
    assert as_spin_table([[0], [1]], positive=0).spins.ravel().tolist() == [1, -1]


def test_positive_of_a_constant_column_is_kept():
    """New data with only the answer 1 of a 1/2 coding: the estimator passes its own labels."""
    table = as_spin_table([[1]], positive={"x1": "2"})
    assert table.spins.tolist() == [[-1]]
    assert table.codings == (Coding("1", "2"),)


@pytest.mark.parametrize(
    "cells, options, message",
    [
        ([[0, 1], [1, 0], [0, 2]], {}, r"'x2' has '2' first in row 3 \(1 cell\) besides [01] and [01]"),
        ([[0, 1], [1, 0], [0, 2]], {}, "threshold=1"),
        ([[-1], [0], [1]], {}, "0 stands for a missing answer"),
        ([["a"], ["b"], ["a"]], {}, "'x1' holds 'a' and 'b'.*\n.*positive={'x1': 'b'}"),
        ([["yes"], ["no"], ["maybe"]], {}, "'maybe' first in row 3"),
        ([[0, 1], [1, 2], [0, 1], [1, 1]], {}, "'x2' holds '1' and '2'.*where 0 and 1 were expected"),
        ([[0, 5], [1, 5]], {}, "'x2' holds '5'"),
        ([[text] for text in "cabab"], {}, r"'c' first in row 1 \(1 cell\) besides a and b"),
        ([["a"], ["b"]], {"positive": "c"}, "'c' occurs in no column; the labels are a, b"),
        ([["a"], ["b"]], {"positive": {"z": "a"}}, "not in the table: 'z'"),
        ([["a"], ["b"]], {"positive": "NA"}, "markers of a missing cell"),
        ([["a", "c"], ["b", "d"]], {"positive": "a"}, "'x2' holds 'c' and 'd', not the positive label 'a'"),
        ([[0.0, 1.0], [1.0, np.inf]], {}, "'inf' first in row 2"),
        ([[0], [1]], {"threshold": 1, "positive": "1"}, "exclude each other"),
        ([[0], [1]], {"threshold": np.nan}, "threshold must be a finite number"),
        ([["a"], ["1"]], {"threshold": 1}, "'a' first in row 1.*not a number"),
        ([["1" * 5000], ["2" * 5000], ["3" * 5000]], {}, "cannot be read as two values"),
    ],
)
def test_refusals_name_the_place(cells, options, message):
    with pytest.raises(DataError, match=message):
        as_spin_table(cells, **options)


def test_id_like_columns_are_refused_with_samples():
    with pytest.raises(DataError, match=r"'x1' has 30 different values \(p0, p1, p2 and 27 more\)") as caught:
        as_spin_table([[f"p{i}", str(i % 2)] for i in range(30)])
    assert "id_column=" in str(caught.value) and "first in row" not in str(caught.value)


def test_the_sexes_are_no_missing_answers():
    with pytest.raises(DataError, match="'F' and 'M', which do not say|'M' and 'F', which do not say") as caught:
        as_spin_table([["M"], ["F"], ["F"]])
    assert "missing" not in str(caught.value) and "positive" in str(caught.value)


def test_all_offending_columns_are_named_at_once():
    with pytest.raises(DataError, match="^14 columns cannot be read") as caught:
        as_spin_table(np.tile([[0], [1], [2]], (1, 14)))
    assert str(caught.value).count("first in row") == 10
    assert "and 4 more columns" in str(caught.value)


def test_threshold():
    table = as_spin_table([[0, 3, np.nan], [1, 0, 7]], threshold=1)
    assert table.spins.tolist() == [[-1, 1, 0], [1, -1, 1]]
    assert table.codings[0] == Coding("< 1", ">= 1")
    assert "A value >= 1 is +1" in table.notes[0]


@given(st.text())
def test_normalise_is_idempotent(text):
    assert normalise(normalise(text)) == normalise(text)


@given(st.data())
def test_recognised_tables_survive_a_change_of_labels(data):
    spins = np.array(data.draw(st.lists(st.lists(st.sampled_from([-1, 0, 1]), min_size=3, max_size=3), min_size=1)))
    spins = np.vstack([spins, [[1, 1, 1], [-1, -1, -1]]])
    negative, positive = data.draw(st.sampled_from(PAIRS))
    cells = np.where(spins == 1, positive, np.where(spins == -1, negative, "NA"))
    assert np.array_equal(as_spin_table(cells).spins, spins)


def test_advice_fits_the_values():
    with pytest.raises(DataError, match="x3") as caught:
        as_spin_table([[1, 2, 0], [2, 1, 1]])  # 0 and 1 beside 1 and 2 are no counts
    assert "threshold=" not in str(caught.value) and "positive=" in str(caught.value)
    with pytest.raises(DataError, match="x1") as caught:
        as_spin_table([[0], [1], [4]])
    assert "threshold=" in str(caught.value)


def test_only_whole_numbers_lose_their_point():
    assert normalise("1.0") == normalise("1") == normalise("1e0") == "1"
    assert normalise("1.5") != normalise("1.25") != normalise("1")


@pytest.mark.parametrize(("rare", "common"), [("0", "-1"), ("-1", "0")])
def test_the_rarer_of_zero_and_minus_one_may_be_the_missing_answer(rare, common):
    rows = [[common], ["1"], [common], ["1"], [rare]]
    with pytest.raises(DataError, match=f"If {rare} stands for a missing answer among {common} and 1"):
        as_spin_table(rows)
    assert as_spin_table(rows, missing_label=rare).spins.ravel().tolist() == [-1, 1, -1, 1, 0]
