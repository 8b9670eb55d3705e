"""CSV files for people: UTF-8, all digits, and no name that would steer a terminal or run in a spreadsheet."""

from __future__ import annotations

import csv
import io
import math
import re
from collections.abc import Iterable, Sequence
from itertools import chain
from os import PathLike, fspath

from isingmap.errors import FileFormatError
from isingmap.files.number_text import number
from isingmap.files.reading import read_text
from isingmap.files.whole_file import written_text

Cell = str | int | float | None
Row = Sequence[Cell]

# An apostrophe that already stands before such a character is guarded too, so that guarding can be undone.
_FORMULA = re.compile(r"'*[=+\-@\t\r\n]")
# Control characters but tab and ends of line; and what they are written as, backslashes in front doubled.
_CONTROL = r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]"
_WRITTEN = r"x(?:0[0-8bcef]|1[0-9a-f]|7f|[89][0-9a-f])"
_TO_WRITE = re.compile(rf"(\\*)({_CONTROL})|(\\+)(?={_WRITTEN})")
_TO_READ = re.compile(rf"(\\+)({_WRITTEN})")


def write_csv(path: str | PathLike[str], columns: Sequence[str], rows: Iterable[Row]) -> None:
    """Write rows under a header, whole or not at all; missing numbers (None, NaN) become empty cells.

    Raises
    ------
    ModelError
        If a character has no UTF-8 form (half of a surrogate pair, from a damaged name).
    OSError
        If the folder does not exist or cannot be written to.
    """
    with written_text(path) as stream:
        plain = csv.writer(stream, lineterminator="\n")
        quoted = csv.writer(stream, lineterminator="\n", quoting=csv.QUOTE_ALL)
        for row in chain([columns], rows):
            cells = [_cell(value) for value in row]
            # The csv module may leave a lone carriage return unquoted, and readers would end the row there.
            torn = any(isinstance(cell, str) and "\r" in cell for cell in cells)
            (quoted if torn else plain).writerow(cells)


def read_csv(path: str | PathLike[str]) -> tuple[tuple[str, ...], list[list[str]]]:
    """The columns and the rows of a file that `write_csv` wrote, as text, with what it guarded as it was.

    Raises
    ------
    FileFormatError
        If it cannot be read, is empty, not CSV, or a row is shorter or longer than the header.
    """
    name = fspath(path)
    try:
        rows = list(csv.reader(io.StringIO(read_text(path), newline=""), strict=True))
    except csv.Error as error:
        raise FileFormatError(f"{name}: not a valid CSV file: {error}") from None
    if not rows:
        raise FileFormatError(f"{name}: empty; expected a header")
    for k, row in enumerate(rows):
        if len(row) != len(rows[0]):
            raise FileFormatError(
                f"{name}: row {k} has {len(row)} cells, the header has {len(rows[0])}; "
                "was it changed by another program?"
            )
    columns, *cells = [[unguarded(cell) for cell in row] for row in rows]
    return tuple(columns), cells


def guarded(text: str) -> str:
    """`text` with an apostrophe in front where a spreadsheet would run it, and control characters written out (\\x1b).

    Numbers are left alone; so is every text that does not start with = + - @ or white space that hides them. Tabs and
    ends of line stay as they are.
    """
    text = _TO_WRITE.sub(_written, text)
    return "'" + text if _FORMULA.match(text) and number(text) is None else text


def unguarded(text: str) -> str:
    """The text of which `guarded` made `text`."""
    if text.startswith("'") and _FORMULA.match(text[1:]) and number(text[1:]) is None:
        text = text[1:]
    return _TO_READ.sub(_read, text)


def _written(found: re.Match) -> str:
    if found[3]:
        return found[3] * 2
    return f"{found[1] * 2}\\x{ord(found[2]):02x}"


def _read(found: re.Match) -> str:
    backslashes = found[1][: len(found[1]) // 2]
    return backslashes + (chr(int(found[2][1:], 16)) if len(found[1]) % 2 else found[2])


def _cell(value: Cell) -> Cell:
    if isinstance(value, str):
        return guarded(value)
    return "" if value is None or (isinstance(value, float) and math.isnan(value)) else value
