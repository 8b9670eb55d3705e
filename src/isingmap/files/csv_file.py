"""CSV files for people: UTF-8, all digits, and no name that a spreadsheet would run as a formula."""

from __future__ import annotations

import csv
import math
import re
from collections.abc import Iterable, Sequence
from itertools import chain
from os import PathLike

from isingmap.files.number_text import number
from isingmap.files.whole_file import written_text

Cell = str | int | float | None
Row = Sequence[Cell]

# An apostrophe that already stands before such a character is guarded too, so that guarding can be undone.
_FORMULA = re.compile(r"'*[=+\-@\t\r\n]")


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


def guarded(text: str) -> str:
    """`text` with an apostrophe in front where a spreadsheet would run it as a formula.

    Numbers are left alone; so is every text that does not start with = + - @ or white space that hides them.
    """
    return "'" + text if _FORMULA.match(text) and number(text) is None else text


def unguarded(text: str) -> str:
    """The text of which `guarded` made `text`."""
    return text[1:] if text.startswith("'") and guarded(text[1:]) == text else text


def _cell(value: Cell) -> Cell:
    if isinstance(value, str):
        return guarded(value)
    return "" if value is None or (isinstance(value, float) and math.isnan(value)) else value
