"""Tables in long format: one line for each cell, with its row, its column and its value."""

from __future__ import annotations

import csv
from collections.abc import Sequence
from os import PathLike

from isingmap.data.blanks import as_spelled
from isingmap.data.coding import Positive, code_columns
from isingmap.data.labels import LabelColumn, MissingLabels
from isingmap.data.table import SpinTable, counted, labels_without_blanks, listed
from isingmap.errors import DataError
from isingmap.io.delimited import Records, read_records
from isingmap.io.sheet import Sheet, sheet_of


def read_long_table(
    path: str | PathLike,
    columns: str | Sequence[str],
    *,
    positive: Positive = None,
    threshold: float | None = None,
    missing_label: MissingLabels = None,
    separator: str | None = None,
) -> SpinTable:
    """Read a file with one line for each cell; cells without a line are missing.

    Parameters
    ----------
    path : path-like
    columns : str or sequence of str
        The names of three columns: of the rows (observations), of the columns (variables) and of the values. As one
        text they are separated by commas, and a name with a comma in it is quoted, as in a CSV file.
    positive, threshold, missing_label
        See `isingmap.data.convert.as_spin_table`.
    separator : str, optional
        As in `read_table`.

    Returns
    -------
    SpinTable

    Raises
    ------
    FileFormatError
        If the columns are absent, or a cell has two lines.
    DataError
        If there are not three names, or a variable is not two-valued.
    """
    columns = next(csv.reader([columns]), []) if isinstance(columns, str) else columns
    if len(columns) != 3 or len(set(columns)) != 3:
        raise DataError(f"long format needs three different columns, ROW,COLUMN,VALUE; got {','.join(columns)!r}")
    records = read_records(path, separator)
    sheet = sheet_of(records, 1)
    given = _named(sheet, columns, records)
    cells = [cell.strip() for cell in given[2]]
    rows, names = (labels_without_blanks(column, f"{records.path}: names") for column in given[:2])
    line_of: dict[tuple[str, str], int] = {}
    for row, name, line in zip(rows, names, sheet.lines, strict=True):
        if not row or not name:
            raise records.fail(f"line {line}: no name in column {columns[0 if not row else 1]!r}")
        if (row, name) in line_of:
            first = line_of[row, name]
            raise records.fail(f"lines {first} and {line} are both about row {row!r} and column {name!r}; keep one")
        line_of[row, name] = line
    value_of = dict(zip(zip(rows, names, strict=True), cells, strict=True))
    row_names, variables = tuple(dict.fromkeys(rows)), tuple(dict.fromkeys(names))
    labels = [LabelColumn.from_texts([value_of.get((row, name), "") for row in row_names]) for name in variables]
    try:
        spins, codings, notes = code_columns(
            labels,
            variables,
            place=lambda column, row: f"row {row_names[row]!r}",
            positive=positive,
            threshold=threshold,
            missing_label=missing_label,
        )
    except DataError as error:
        raise DataError(f"{records.path}: {error}") from error
    absent = len(row_names) * len(variables) - len(value_of)
    note = f"Long format: {counted(len(row_names), 'row')}, {counted(len(variables), 'variable')}, " + (
        f"{counted(absent, 'cell')} without a line taken as missing."
    )
    return SpinTable(spins, variables, codings, None, None, (*sheet.notes, note, *notes))


def _named(sheet: Sheet, columns: Sequence[str], records: Records) -> list[Sequence[str]]:
    columns = [as_spelled(name, sheet.header) for name in columns]
    absent = [name for name in columns if name not in sheet.header]
    if absent:
        raise records.fail(f"no column {', '.join(absent)} in line {records.lines[0]}; found {listed(sheet.header)}")
    return [sheet.columns[sheet.header.index(name)] for name in columns]
