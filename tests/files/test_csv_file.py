"""CSV files: whole, with all digits, and without formulas."""

import csv
import itertools

import pytest

from isingmap.errors import ModelError
from isingmap.files.csv_file import guarded, unguarded, write_csv


def read(path):
    with open(path, encoding="utf-8", newline="") as stream:
        return list(csv.reader(stream))


def test_numbers_survive_to_the_last_digit(tmp_path):
    values = [1 / 3, -5e-324, 1.7976931348623157e308, 2**60]
    write_csv(tmp_path / "t.csv", ("value",), ((value,) for value in values))
    assert [float(row[0]) for row in read(tmp_path / "t.csv")[1:]] == values
    write_csv(tmp_path / "t.csv", ("value",), [])
    assert read(tmp_path / "t.csv") == [["value"]]


def test_empty_cells_for_what_is_unknown(tmp_path):
    write_csv(tmp_path / "t.csv", ("a", "b", "c"), [(None, float("nan"), -0.5)])
    assert read(tmp_path / "t.csv") == [["a", "b", "c"], ["", "", "-0.5"]]


ORDINARY = [
    "NA",
    "a,b",
    'say "no"',
    "O'Brien",
    "'quoted'",
    "-1",
    "+2.5",
    "Ünal",
    " x",
    "line\nbreak",
    "cr\rhere",
    "../x",
]


@pytest.mark.parametrize("name", ORDINARY)
def test_ordinary_texts_make_the_round_trip(name, tmp_path):
    write_csv(tmp_path / "t.csv", ("name",), [(name,)])
    assert read(tmp_path / "t.csv") == [["name"], [name]]


@pytest.mark.parametrize("name", ["=1+1", "+cmd|x", "-2+3", "@SUM(A1)", "\t=1", "\r=1", "'=1"])
def test_formulas_are_guarded(name, tmp_path):
    write_csv(tmp_path / "t.csv", (name,), [(name,)])
    assert read(tmp_path / "t.csv") == [["'" + name], ["'" + name]]
    assert unguarded(guarded(name)) == name


@pytest.mark.parametrize("name", ORDINARY)
def test_guarding_can_be_undone(name):
    assert unguarded(guarded(name)) == name == guarded(name)


@pytest.mark.parametrize("name", ["a\x1b[31m", "\x07", "\x9b1m", "\x1b=1", "=\x1b", "\\\x1b", "\\\\\x7f", "\0"])
def test_control_characters_are_written_out(name, tmp_path):
    write_csv(tmp_path / "t.csv", (name,), [(name,)])
    cell = read(tmp_path / "t.csv")[1][0]
    assert cell.isprintable() and unguarded(cell) == name


@pytest.mark.parametrize("text", ["\\x1b", "\\\\x1b", "C:\\x1", "\\\\x1b\x1b", "a\\x41", "\\\x1b\\x1b", "'\\x1b"])
def test_what_looks_written_out_comes_back(text):
    assert unguarded(guarded(text)) == text


def test_every_short_text_comes_back():
    for letters in itertools.product("\\x1b\x1b'=", repeat=5):
        text = "".join(letters)
        assert unguarded(guarded(text)) == text


def test_a_failure_leaves_the_old_table(tmp_path):
    (tmp_path / "t.csv").write_text("old")
    with pytest.raises(ModelError, match=r"t\.csv.*rename"):
        write_csv(tmp_path / "t.csv", ("name",), [("good",), ("\ud800",)])
    assert (tmp_path / "t.csv").read_text() == "old" and len(list(tmp_path.iterdir())) == 1
