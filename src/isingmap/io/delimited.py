"""Delimited text files of every provenance: the separator, comments, quotes, lines of any width."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from itertools import islice
from os import PathLike, fspath

import numpy as np

from isingmap.data.table import counted, listed
from isingmap.errors import FileFormatError
from isingmap.io.by_column import Rows, UnevenError, parts_by_column, rows_by_column
from isingmap.io.bytes_on_disk import BytesOnDisk
from isingmap.io.csv_rows import csv_rows
from isingmap.io.decoded import read_decoded, read_utf8

_SEPARATORS = (",", ";", "\t", "|")
_SAMPLE_ROWS = 50  # rows by which the separator is guessed
_LARGE = 2**22  # bytes of a file of which only the top is kept row by row
_TOP_ROWS = 300
_SEPARATOR_LINE = re.compile(r'"?sep=(.)"?[ ;,]*', re.IGNORECASE)


@dataclass(frozen=True, eq=False)
class Records:
    """The rows of a file, blank lines and comments in front left out, with the file line each ends on.

    `header_quoted`: the first row has quotes and the second has none. `rest`: what is below `rows` in a large file.
    """

    path: str
    rows: list[list[str]]
    lines: list[int]
    notes: tuple[str, ...]
    separator: str
    header_quoted: bool = False
    rest: Rows | None = None

    def fail(self, message: str) -> FileFormatError:
        """An error about this file, to be raised."""
        return FileFormatError(f"{self.path}: {message}")


def read_records(path: str | PathLike, separator: str | None = None) -> Records:
    """Read a delimited text file, gzipped or not, as rows of texts of any length.

    A line `sep=;` in front is obeyed. Lines in front that start with # are left out with a note; the last of them
    stays if it has as many fields as the line below, for then it is a header.

    Parameters
    ----------
    path : path-like
    separator : str, optional
        One character; by default that of comma, semicolon, tab and bar which gives lines of equal width, and is
        the most frequent in the first line. With " " any run of blanks separates, and those at the ends of a line
        are ignored.

    Raises
    ------
    FileFormatError
        If the file cannot be opened, is not text, is empty, or has an unbalanced quote.
    """
    text, notes = read_decoded(path)
    return _records(fspath(path), text, notes, separator)


def read_large(path: str | PathLike, separator: str | None = None) -> Records:
    """The same, but of a large file with rows of one width the rows below the top are kept by column, in `rest`.

    Raises
    ------
    FileFormatError
        As `read_records`.
    """
    name = fspath(path)
    data, notes = read_utf8(path)
    top = top_of(name, data, notes, separator)
    if top is not None:
        records, end = top
        with suppress(UnevenError):
            width = len(records.rows[-1])
            rest = rows_by_column(data, end, records.separator, width, records.lines[-1])
            return replace(records, rest=rest)
    text = data.decode()
    del data
    return _records(name, text, notes, separator)


@dataclass(frozen=True, eq=False)
class Part:
    """Some rows of a file: the columns asked for, and the line on which each row ends."""

    path: str
    columns: list[Sequence[str]]
    lines: Sequence[int] | np.ndarray

    def fail(self, message: str) -> FileFormatError:
        """An error about this file, to be raised."""
        return FileFormatError(f"{self.path}: {message}")


def named_part(records: Records, wanted: Sequence[str]) -> Part:
    """The named columns of a file with a header.

    Raises
    ------
    FileFormatError
        As `named_columns`.
    """
    return Part(records.path, list(named_columns(records, wanted)), records.lines[1:])


def named_parts(path: str | PathLike, wanted: Sequence[str]) -> Iterator[Part]:
    """The named columns of a file with a header, part by part, so that not all of its cells are held at once.

    Raises
    ------
    FileFormatError
        As `read_records` and `named_columns`.
    """
    name = fspath(path)
    data, notes = read_utf8(path)
    top = top_of(name, data, notes, None)
    records = _records(name, data.decode(), notes, None) if top is None else top[0]
    yield named_part(records, wanted)
    if top is None:
        return
    header = [cell.strip() for cell in records.rows[0]]
    positions = [header.index(title) for title in wanted]
    try:
        for rows in parts_by_column(data, top[1], records.separator, len(header), records.lines[-1]):
            yield Part(name, [rows.columns[j] for j in positions], rows.lines)
    except UnevenError:
        named_columns(_records(name, data.decode(), notes, None), wanted)  # says where
        raise


def _records(name: str, text: str, notes: tuple[str, ...], separator: str | None, most: int | None = None) -> Records:
    """At most so many rows of a text."""
    separator, start, more = _beginning(name, text, separator)
    rows, lines = _parse(text[start:], separator, name, text.count("\n", 0, start), most)
    if not rows:
        raise FileFormatError(f"{name}: the file holds no rows")
    if len(rows[0]) == 1 and len(rows[0][0].split()) > 1 and len(rows) > 1 and len(rows[1][0].split()) > 1:
        raise FileFormatError(
            f"{name}: line {lines[0]} has one field, {rows[0][0][:60]!r}. If fields are separated by spaces, "
            "write commas in their place or, if this is the table of answers, use separator=' '."
        )
    first, second = (*islice(_lines_of(text[start:]), 2), "", "")[:2]
    return Records(name, rows, lines, (*notes, *more), separator, '"' in first and '"' not in second)


def top_of(
    name: str, data: bytes | BytesOnDisk, notes: tuple[str, ...], separator: str | None
) -> tuple[Records, int] | None:
    """The first rows of a large file, and where the next begins; None of a small one, or if there is no telling."""
    if len(data) <= _LARGE:
        return None
    top = data[:_LARGE].decode("utf-8", "ignore")
    try:
        records = _records(name, top, notes, separator, _TOP_ROWS)
    except FileFormatError:
        return None
    end = 0
    for _ in range(records.lines[-1]):
        end = top.find("\n", end) + 1 or len(top)
    if len(records.rows) < _TOP_ROWS or top.count("\r", 0, end) != top.count("\r\n", 0, end):
        return None
    return records, len(top[:end].encode())


def check_widths(records: Records, width: int, first: int) -> None:
    """Refuse rows, from position `first` on, that do not have `width` fields.

    Raises
    ------
    FileFormatError
        With the line of the first such row, its number of fields, and how many there are.
    """
    bad = [i for i in range(first, len(records.rows)) if len(records.rows[i]) != width]
    if bad:
        rest = records.rest
        n_bad = len(bad) + (0 if rest is None or len(rest.columns) == width else len(rest.lines))
        raise records.fail(
            f"line {records.lines[bad[0]]} has {counted(len(records.rows[bad[0]]), 'field')}, expected "
            f"{width} as in the first row ({counted(n_bad, 'such line')}). Is a separator missing, or is there a "
            "line of remarks above the names or below the table? Then delete it."
        )


def named_columns(records: Records, wanted: Sequence[str]) -> list[tuple[str, ...]]:
    """The named columns of a file with a header.

    Raises
    ------
    FileFormatError
        Naming the columns that are absent, or lines of another length than the header.
    """
    header = [name.strip() for name in records.rows[0]]
    absent = [name for name in wanted if name not in header]
    if absent:
        raise records.fail(f"no column {', '.join(absent)} in line {records.lines[0]}; found {listed(header)}")
    check_widths(records, len(header), 1)
    columns = list(zip(*records.rows[1:], strict=True)) or [()] * len(header)
    return [columns[header.index(name)] for name in wanted]


# --- what stands in front of the table --------------------------------------------------------------------


def _beginning(name: str, text: str, separator: str | None) -> tuple[str, int, tuple[str, ...]]:
    """The separator, where the table begins, and what to say of what is in front of it."""
    if separator is not None and (len(separator) != 1 or separator in '"\r\n'):
        raise FileFormatError(f"{name}: separator must be one character, got {separator!r}")
    front = _front(text)
    separator = separator or front.separator or _guess_separator(text[front.end :])
    header = front.comments[-1:] if _is_header(front.comments[-1:], text[front.end :], separator) else []
    comments = len(front.comments) - len(header)
    note = f"{counted(comments, 'line')} starting with # in front of the table left out."
    return separator, header[0][0] if header else front.end, (note,) if comments else ()


@dataclass(frozen=True)
class _Front:
    """A separator that the file states, comments with their positions, and where the table begins."""

    separator: str | None
    comments: list[tuple[int, str]]
    end: int


def _front(text: str) -> _Front:
    separator, position = None, 0
    comments: list[tuple[int, str]] = []
    for line in io.StringIO(text[: 2**20], newline=""):
        content = line.strip(" \r\n")
        stated = _SEPARATOR_LINE.fullmatch(content) if not comments and separator is None else None
        if stated:
            separator = stated[1]
        elif content.startswith("#"):
            comments.append((position, content))
        elif content:
            return _Front(separator, comments, position)
        position += len(line)
    # Nothing but comments: leave them in place, so that the message can show them.
    return _Front(separator, [], 0 if separator is None else len(text))


def _is_header(comment: Sequence[tuple[int, str]], below: str, separator: str) -> bool:
    """Whether the last comment has as many fields, two or more, as the line below it."""
    if not comment:
        return False
    try:
        widths = [len(next(_rows(line, separator), ([], 0))[0]) for line in (comment[0][1], _first_line(below))]
    except csv.Error:
        return False
    return widths[0] == widths[1] > 1


def _first_line(text: str) -> str:
    return next(_lines_of(text), "")


def _lines_of(text: str) -> Iterator[str]:
    return (line for line in io.StringIO(text[: 2**20]) if line.strip())


# --- separators and rows ----------------------------------------------------------------------------------


def _guess_separator(text: str) -> str:
    first = _first_line(text)
    unquoted = "".join(first.split('"')[::2])
    sample = text[: 2**16]
    fitting = [separator for separator in _SEPARATORS if _even(sample, separator, whole=sample == text)]
    return max(fitting or _SEPARATORS, key=unquoted.count)


def _even(sample: str, separator: str, *, whole: bool) -> bool:
    """Whether the separator cuts the lines below the first into equally many fields, and the first nearly so."""
    widths = []
    try:
        for row, _ in islice(_rows(sample, separator), _SAMPLE_ROWS + 1):
            if any(cell.strip() for cell in row):
                widths.append(len(row))
    except csv.Error:
        return False
    if not whole and len(widths) <= _SAMPLE_ROWS:
        widths = widths[:-1]
    below = set(widths[1:]) or set(widths)
    return len(below) == 1 and min(below) > 1 and abs(widths[0] - min(below)) <= 1


def _rows(text: str, separator: str) -> Iterator[tuple[list[str], int]]:
    return csv_rows(io.StringIO(text, newline=""), separator)


def _parse(text: str, separator: str, name: str, n_above: int, most: int | None) -> tuple[list[list[str]], list[int]]:
    rows, lines = [], []
    try:
        for row, line in islice(_rows(text, separator), most):
            rows.append(row)
            lines.append(line + n_above)
    except csv.Error as error:
        line, reason = error.args
        raise FileFormatError(f"{name}: line {line + n_above}: {reason}") from None
    return rows, lines
