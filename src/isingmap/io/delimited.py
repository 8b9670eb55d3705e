"""Delimited text files of every provenance: CSV, TSV, semicolons, gzip, byte-order marks, odd encodings."""

from __future__ import annotations

import csv
import gzip
import io
import zlib
from collections.abc import Sequence
from dataclasses import dataclass
from os import PathLike, fspath

from isingmap.data.table import counted, listed
from isingmap.errors import FileFormatError
from isingmap.files.reading import read_bytes

_SEPARATORS = (",", ";", "\t", "|")
_OTHER_FORMATS = {
    b"PK\x03\x04": "a zip archive or an Excel workbook",
    b"$FL2": "an SPSS file",
    b"RDX": "an R workspace",
    b"\x28\xb5\x2f\xfd": "compressed with zstd",
    b"BZh": "compressed with bzip2",
    b"\xfd7zXZ": "compressed with xz",
}


@dataclass(frozen=True, eq=False)
class Records:
    """The rows of a file, blank lines left out, with the file line each ends on."""

    path: str
    rows: list[list[str]]
    lines: list[int]
    notes: tuple[str, ...]

    def fail(self, message: str) -> FileFormatError:
        """An error about this file, to be raised."""
        return FileFormatError(f"{self.path}: {message}")


def read_records(path: str | PathLike, separator: str | None = None) -> Records:
    """Read a delimited text file, gzipped or not, as rows of texts of any length.

    Parameters
    ----------
    path : path-like
    separator : str, optional
        One character; by default the most frequent of comma, semicolon, tab and bar in the first row.

    Raises
    ------
    FileFormatError
        If the file cannot be opened, is not text, is empty, or has an unbalanced quote.
    """
    name = fspath(path)
    text, notes = _decode(_unzipped(path), name)
    if separator is None:
        separator = _guess_separator(text)
    elif len(separator) != 1 or separator in '"\r\n':
        raise FileFormatError(f"{name}: separator must be one character, got {separator!r}")
    rows, lines = _parse(text, separator, name)
    if not rows:
        raise FileFormatError(f"{name}: the file holds no rows")
    if len(rows[0]) == 1 and len(rows[0][0].split()) > 1 and len(rows) > 1 and len(rows[1][0].split()) > 1:
        raise FileFormatError(
            f"{name}: line {lines[0]} has one field, {rows[0][0][:60]!r}. If fields are separated by spaces, "
            "use separator=' '."
        )
    return Records(name, rows, lines, notes)


def check_widths(records: Records, width: int, first: int) -> None:
    """Refuse rows, from position `first` on, that do not have `width` fields.

    Raises
    ------
    FileFormatError
        With the line of the first such row, its number of fields, and how many there are.
    """
    bad = [i for i in range(first, len(records.rows)) if len(records.rows[i]) != width]
    if bad:
        raise records.fail(
            f"line {records.lines[bad[0]]} has {counted(len(records.rows[bad[0]]), 'field')}, expected "
            f"{width} as in the first row ({counted(len(bad), 'such line')}). Is a separator missing?"
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


def _unzipped(path: str | PathLike) -> bytes:
    """The bytes of a file, gzipped or not."""
    data = read_bytes(path)
    if not data.startswith(b"\x1f\x8b"):
        return data
    try:
        return gzip.decompress(data)
    except (EOFError, gzip.BadGzipFile, zlib.error) as error:
        raise FileFormatError(f"{fspath(path)}: damaged gzip file ({error})") from None


def _decode(data: bytes, name: str) -> tuple[str, tuple[str, ...]]:
    for magic, what in _OTHER_FORMATS.items():
        if data.startswith(magic):
            raise FileFormatError(f"{name}: this is {what}, not a text file. Export it as CSV.")
    try:
        if data.startswith((b"\xff\xfe", b"\xfe\xff")):
            return data.decode("utf-16"), ("Read as UTF-16 text.",)
        if b"\0" in data:
            raise FileFormatError(f"{name}: not a text file (NUL byte at position {data.index(0)})")
        return data.decode("utf-8-sig"), ()
    except UnicodeDecodeError as error:
        note = f"Not UTF-8 (byte {error.start}), so read as Latin-1; check names with accents."
        if error.encoding.startswith("utf-16"):
            raise FileFormatError(f"{name}: damaged UTF-16 text ({error.reason})") from None
        return data.decode("latin-1"), (note,)


def _guess_separator(text: str) -> str:
    first = next((line for line in io.StringIO(text) if line.strip()), "")
    unquoted = "".join(first.split('"')[::2])
    return max(_SEPARATORS, key=unquoted.count)


def _parse(text: str, separator: str, name: str) -> tuple[list[list[str]], list[int]]:
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=separator, strict=True)
    rows, lines = [], []
    try:
        for row in reader:
            if row and (len(row) > 1 or row[0].strip()):
                rows.append(row)
                lines.append(reader.line_num)
    except (csv.Error, ValueError) as error:
        line = max(reader.line_num, 1)
        raise FileFormatError(f"{name}: line {line}: {error}. Is a quote unbalanced?") from None
    return rows, lines
