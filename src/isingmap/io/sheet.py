"""From rows of texts to a rectangle with names: which lines are the header, and which columns are none."""

from __future__ import annotations

import difflib
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from isingmap.data.blanks import without_blanks
from isingmap.data.labels import PAIRS, distinct_texts, joined, normalise
from isingmap.data.table import counted, listed
from isingmap.errors import DataError
from isingmap.files.csv_file import unguarded
from isingmap.io.delimited import Records, check_widths

_LOOKED_AT = 100  # rows that tell whether the first row is like the others

Rows = Sequence[Sequence[str]]


@dataclass(frozen=True, eq=False)
class Sheet:
    """A rectangular file: a header and as many cells in every row.

    Attributes
    ----------
    path : str
    header : tuple of str
        Only the first may be empty: it is the column of row names.
    columns : list of sequence of str
        A LabelColumn where a large file has few labels.
    lines : sequence or array of int
        Line of the file on which each row ends.
    notes : tuple of str
    has_lines : bool
        Whether the file is made of lines, which then are named beside the rows.
    """

    path: str
    header: tuple[str, ...]
    columns: list[Sequence[str]]
    lines: Sequence[int] | np.ndarray
    notes: tuple[str, ...]
    has_lines: bool = True

    @property
    def n_rows(self) -> int:
        """Rows below the header."""
        return len(self.lines)

    def position(self, name: str, option: str) -> int:
        """Where a column is that `option` names.

        Raises
        ------
        DataError
            If there is none of this name, with one that is written alike or all names.
        """
        for spelled in (name, unguarded(name), name.strip()):
            if spelled in self.header:
                return self.header.index(spelled)
        close = difflib.get_close_matches(name, self.header, 1, 0.6)
        advice = f"did you mean {close[0]!r}?" if close else f"the columns are {listed(self.header)}"
        raise DataError(f"there is no column {name!r} ({option}=); {advice}")

    def place(self, row: int) -> str:
        """A row in words."""
        return f"row {row + 1} (line {self.lines[row]})" if self.has_lines else f"row {row + 1}"


def sheet_of(records: Records, header_lines: int | None) -> Sheet:
    """The sheet of a file; `header_lines` says how many rows are header, by default it is guessed from the first row.

    Raises
    ------
    FileFormatError
        If the rows are not equally long, a column has no name, or there is no row of data.
    DataError
        If names of two columns differ only in the blanks around them.

    Warns
    -----
    DataWarning
        Of names with blanks around them.
    """
    header, n_header_rows, notes = _header(records, header_lines)
    columns = _columns_below(records, n_header_rows)
    if columns and len(columns) == len(header) + 1 and _is_blank(columns[-1]):
        columns = columns[:-1]
        notes = (*notes, "Every row ends with a separator; the empty last field was left out.")
    # R's write.table leaves out the name of the column of row names.
    elif n_header_rows and len(columns) == len(header) + 1:
        header = ("", *header)
    elif len(header) > 1 and not header[-1] and len(columns) == len(header) - 1:
        header = header[:-1]
    if len(columns) != len(header):
        check_widths(records, len(header), n_header_rows)
        raise records.fail("there is a header but no row of data")
    lines = _lines_below(records, n_header_rows)
    sheet = Sheet(records.path, header, columns, lines, (*records.notes, *notes))
    return _without_empty_columns(sheet, records)


def _columns_below(records: Records, n_header_rows: int) -> list[Sequence[str]]:
    """The columns below the header; none if there is no row, or rows are not equally wide."""
    rows, rest = records.rows[n_header_rows:], records.rest
    widths = {len(row) for row in rows} | (set() if rest is None else {len(rest.columns)})
    if len(widths) != 1:
        return []
    above: list[Sequence[str]] = list(zip(*rows, strict=True))
    if rest is None:
        return above
    if not rows:
        return rest.columns
    return [joined(*parts) for parts in zip(above, rest.columns, strict=True)]


def _lines_below(records: Records, n_header_rows: int) -> Sequence[int] | np.ndarray:
    lines = records.lines[n_header_rows:]
    return lines if records.rest is None else np.concatenate([lines, records.rest.lines]).astype(np.int64)


def _is_blank(column: Sequence[str]) -> bool:
    return not any(cell.strip() for cell in distinct_texts(column))


def _header(records: Records, header_lines: int | None) -> tuple[tuple[str, ...], int, tuple[str, ...]]:
    """Names of the columns, how many rows they take up, and what to say about them."""
    first = tuple(unguarded(cell.strip()) for cell in records.rows[0])
    keys = {normalise(cell) for cell in first} - {""}
    answers = bool(keys) and any(keys <= set(pair) for pair in PAIRS)
    if header_lines is None and not answers:
        return _names(records), 1, ()
    if header_lines:
        skipped = f"{counted(header_lines - 1, 'further line')} of the header left out." if header_lines > 1 else ""
        return _names(records), header_lines, (skipped,) if skipped else ()
    if header_lines is None and _is_header(records, first, keys):
        shown = listed(first)
        return (
            _names(records),
            1,
            (f"The first row ({shown}) was taken for names. If it holds answers, read with header_lines=0.",),
        )
    names = tuple(f"x{j + 1}" for j in range(len(first)))
    return names, 0, (f"The first row holds answers, not names; the variables are called x1 to {names[-1]}.",)


def _names(records: Records) -> tuple[str, ...]:
    """The first row, as names."""
    return tuple(map(unguarded, without_blanks(records.rows[0], f"{records.path}: ")))


def _is_header(records: Records, first: Sequence[str], keys: set[str]) -> bool:
    """Whether a first row of what could be answers is a header all the same.

    It is if the columns are numbered through, if it alone is quoted, or if no cell below is of its kind.
    """
    below = records.rows[1:_LOOKED_AT]
    if len(set(first)) < len(first) or not below:
        return False
    numbered = any(list(first) == [str(j + start) for j in range(len(first))] for start in (0, 1))
    if (numbered and len(first) > 1) or records.header_quoted:
        return True
    kin = {label for pair in PAIRS if keys <= set(pair) for label in pair}
    labels = {normalise(cell) for row in below for cell in row} - {""}
    return bool(labels) and not labels & kin


def _without_empty_columns(sheet: Sheet, records: Records) -> Sheet:
    """Drop nameless columns without a cell: what a separator at the end of each line makes."""
    nameless = [j for j, name in enumerate(sheet.header) if not name]
    empty = [j for j in nameless if _is_blank(sheet.columns[j])]
    bad = [j + 1 for j in nameless if j not in empty and j > 0]
    if bad:
        raise records.fail(
            f"line {records.lines[0]} gives no name to column {listed(bad)}. If the line above the table is a title, "
            "delete it"
        )
    kept = [j for j in range(len(sheet.header)) if j not in empty]
    if not kept:
        raise records.fail("there is no column with a name")
    if not empty:
        return sheet
    note = f"{counted(len(empty), 'empty column')} without a name left out."
    header = tuple(sheet.header[j] for j in kept)
    columns = [sheet.columns[j] for j in kept]
    return replace(sheet, header=header, columns=columns, notes=(*sheet.notes, note))
