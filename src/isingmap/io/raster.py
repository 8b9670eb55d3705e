"""Rasters: lines such as 0110101, one character for each cell and nothing between them."""

from __future__ import annotations

import shlex
from collections import Counter
from collections.abc import Sequence

import numpy as np

from isingmap.data.labels import LabelColumn, distinct_texts, joined
from isingmap.data.table import counted
from isingmap.io.delimited import Records
from isingmap.io.sheet import Sheet

_OFTEN_ZERO = "._-"


def raster_of(records: Records) -> Sheet | None:
    """The cells of a file whose lines are equally long and hold 0 and 1 only; None of other files.

    Raises
    ------
    FileFormatError
        If lines of 0 and 1 are not equally long, or equally long lines are made of two other characters.
    """
    column = _only_column(records)
    if column is None:
        return None
    texts = {text.strip() for text in distinct_texts(column)}
    lengths, characters = {len(text) for text in texts}, set().union(*texts)
    if min(lengths) < 2 or len(column) < 2:
        return None
    if characters <= {"0", "1"}:
        _check_lengths(records, column)
        return _sheet(records, column)
    if len(lengths) == 1 and (len(characters) == 2 or (len(characters) == 3 and {"0", "1"} < characters)):
        raise records.fail(_about(Counter("".join(column)), characters))
    return None


def _only_column(records: Records) -> Sequence[str] | None:
    """The fields of a file that has one in each line."""
    if any(len(row) != 1 for row in records.rows):
        return None
    top = [row[0] for row in records.rows]
    if records.rest is None:
        return top
    return joined(top, records.rest.columns[0]) if len(records.rest.columns) == 1 else None


def _check_lengths(records: Records, column: Sequence[str]) -> None:
    lengths = [len(text.strip()) for text in column]
    bad = [k for k, length in enumerate(lengths) if length != lengths[0]]
    if bad:
        raise records.fail(
            f"line {_lines(records)[bad[0]]} has {lengths[bad[0]]} characters, expected {lengths[0]} as in the first "
            f"row ({counted(len(bad), 'such line')}); each line must hold a 0 or 1 for every variable"
        )


def _sheet(records: Records, column: Sequence[str]) -> Sheet:
    letters = np.frombuffer("".join(text.strip() for text in column).encode(), np.uint8).reshape(len(column), -1)
    codes = (letters.T - ord("0")).astype(np.int8)
    names = tuple(f"x{j + 1}" for j in range(len(codes)))
    columns: list[Sequence[str]] = [LabelColumn(("0", "1"), row) for row in codes]
    note = f"Every line is a row of zeros and ones without separators; the variables are called x1 to {names[-1]}."
    return Sheet(records.path, names, columns, _lines(records), (*records.notes, note))


def _lines(records: Records) -> Sequence[int] | np.ndarray:
    return records.lines if records.rest is None else np.concatenate([records.lines, records.rest.lines])


def _about(counts: Counter, characters: set[str]) -> str:
    """What to do about other characters than 0 and 1; a dot, or the more frequent one, is taken for 0."""
    what = "every line is equally long and made of"
    if {"0", "1"} < characters:
        other = next(iter(characters - {"0", "1"}))
        return (
            f"{what} 0, 1 and {other!r}. Put commas between the cells, then {other!r} can be a missing answer: "
            "sed 's/./&,/g; s/,$//' FILE > NEW"
        )
    zero, one = sorted(characters, key=lambda character: (character not in _OFTEN_ZERO, -counts[character]))
    return (
        f"{what} {zero!r} and {one!r}. If each character is a cell, write 0 and 1 in their place; "
        f"{one!r} becomes 1 with: tr -- {shlex.quote(zero + one)} 01 < FILE > NEW"
    )
