"""Tables in files of any size: they pass in parts, and what is left are sums."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from os import PathLike, fspath
from pathlib import Path
from typing import Any

import numpy as np

from isingmap.data.accumulator import MomentAccumulator
from isingmap.data.counted_table import CountedTable
from isingmap.data.labels import LabelColumn
from isingmap.errors import DataError, FileFormatError
from isingmap.interruption import look
from isingmap.io.by_column import UnevenError, parts_by_column
from isingmap.io.bytes_on_disk import BytesOnDisk
from isingmap.io.csv_table import Roles, roles_in, row_weights
from isingmap.io.delimited import top_of
from isingmap.io.parquet import is_parquet, parquet_parts, parquet_rows
from isingmap.io.raster import raster_of
from isingmap.io.sheet import Sheet, sheet_of
from isingmap.io.sheet_checks import refuse_further_headers, refuse_long, refuse_totals

LARGE = 2**28  # bytes of a file from which on it is read in parts
_OTHERS = (b"\x1f\x8b", b"\xff\xfe", b"\xfe\xff", b"\xef\xbb\xbf")  # gzip, and text with a mark of its encoding

Progress = Callable[[int, int], None]


def is_large(path: str | PathLike[str]) -> bool:
    """Whether a file is so large that its rows had better pass in parts."""
    return Path(path).is_file() and Path(path).stat().st_size >= LARGE


def read_in_parts(
    path: str | PathLike[str],
    *,
    missing: str,
    id_column: str | Sequence[str] | None = None,
    group_column: str | None = None,
    weight_column: str | None = None,
    drop_column: str | Sequence[str] | None = None,
    separator: str | None = None,
    header_lines: int | None = None,
    progress: Progress | None = None,
    **coding: Any,
) -> CountedTable | None:
    """Read a table as `read_table` does, in memory that does not grow with its rows; a fit of it has the same bits.

    Parameters
    ----------
    path : path-like
        Of a file of text, not compressed, or of a Parquet file.
    missing : {"error", "drop", "minus", "pairwise"}
        The rule for missing cells of the fit.
    id_column, group_column, weight_column, drop_column, separator, header_lines
        See `read_table`.
    progress : callable, optional
        Told how many bytes of how many have been read.
    coding
        positive, threshold, missing_label.

    Returns
    -------
    CountedTable or None
        None where something takes the whole file, and `read_table` can tell more: encodings other than UTF-8, rows of
        several widths, rasters, what looks like no table of answers or has very many labels, standard errors
        of too many patterns.

    Raises
    ------
    FileFormatError, DataError
        As `read_table`. That the last line is a total, or that three columns are a list of edges, is not seen here.
    """
    roles = Roles.of(id_column, group_column, weight_column, None, drop_column)
    with open(path, "rb") as stream:
        data = BytesOnDisk(stream)
        try:
            parts = _parts(path, data, separator, header_lines)
            passed = _Passed(MomentAccumulator(missing=missing, **coding), roles)
            n_read: Callable[[int], int] | None = None
            for sheet in parts:
                look()
                passed.add(sheet)
                if progress is not None:
                    n_read = n_read or _bytes_by_rows(path, data)
                    progress(n_read(passed.accumulator.n_rows), len(data))
        except (_TakesAllError, UnevenError, UnicodeDecodeError):
            return None
    return passed.table()


def _bytes_by_rows(path: str | PathLike[str], data: BytesOnDisk) -> Callable[[int], int]:
    """Bytes read when so many rows have passed; of a Parquet file, which its library reads, as large a share."""
    if not is_parquet(path):
        return lambda n_rows: data.n_read
    n_all = parquet_rows(path)
    return lambda n_rows: len(data) * n_rows // n_all


class _TakesAllError(Exception):
    """Who reads the whole file can say what is wrong with it."""


class _Passed:
    """The parts of a file that have passed."""

    def __init__(self, accumulator: MomentAccumulator, roles: Roles):
        self.accumulator, self.roles = accumulator, roles
        self.first: Sheet | None = None
        self.kept: list[int] = []
        self.weight: int | None = None
        self.notes: list[str] = []
        self._lines: list[tuple[int, np.ndarray | int]] = []  # first row of each part, and its lines

    def add(self, sheet: Sheet) -> None:
        try:
            if self.first is None:
                self.kept, self.weight, self.notes = roles_in(sheet, self.roles)
                refuse_long(sheet, self.kept, ids_given=bool(self.roles.ids))
                refuse_further_headers(sheet, self.kept)
                refuse_totals(sheet, self.kept)
                self.first = sheet
            weights = None if self.weight is None else row_weights(sheet, self.weight)
            columns = [LabelColumn.from_texts(sheet.columns[j]) for j in self.kept]
            n_before = self.accumulator.n_rows
            self.accumulator.add_labels(columns, [sheet.header[j] for j in self.kept], weights)
        except DataError:
            raise _TakesAllError from None
        lines = np.asarray(sheet.lines)
        in_a_row = lines[-1] - lines[0] == len(lines) - 1
        self._lines.append((n_before, int(lines[0]) if in_a_row else lines))

    def table(self) -> CountedTable | None:
        if self.first is None or self.accumulator.n_rows <= len(self.kept):
            return None
        try:
            table = self.accumulator.counted(self._place)
        except DataError as error:
            raise DataError(f"{self.first.path}: {error}") from None
        if table.missing == "pairwise" and table.tally.n_missing and table.patterns is None:
            return None
        return replace(table, notes=(*self.notes, *table.notes))

    def _place(self, column: int, row: int) -> str:
        assert self.first is not None
        begin, lines = next((begin, lines) for begin, lines in reversed(self._lines) if begin <= row)
        line = lines + row - begin if isinstance(lines, int) else int(lines[row - begin])
        return f"row {row + 1} (line {line})" if self.first.has_lines else f"row {row + 1}"


def _parts(
    path: str | PathLike[str], data: BytesOnDisk, separator: str | None, header_lines: int | None
) -> Iterator[Sheet]:
    if is_parquet(path):
        if separator is not None or header_lines is not None:
            raise _TakesAllError
        yield from parquet_parts(path)
        return
    name, beginning = fspath(path), data[: 2**22]
    if beginning.startswith(_OTHERS) or b"\0" in beginning:
        raise _TakesAllError
    beginning[: beginning.rfind(b"\n")].decode()
    top = top_of(name, data, (), separator)
    if top is None or len(top[0].rows[0]) != len(top[0].rows[-1]):
        raise _TakesAllError
    records, end = top
    try:
        sheet = None if not header_lines and raster_of(records) else sheet_of(records, header_lines)
    except FileFormatError:
        raise _TakesAllError from None
    if sheet is None or len(sheet.header) != len(records.rows[-1]) or len(sheet.header) < 2:
        raise _TakesAllError
    yield sheet
    for rows in parts_by_column(data, end, records.separator, len(sheet.header), records.lines[-1]):
        yield Sheet(name, sheet.header, rows.columns, rows.lines, ())
