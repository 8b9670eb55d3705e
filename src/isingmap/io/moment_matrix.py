"""A square matrix of moments E[x_i x_j] with names, and a table of means."""

from __future__ import annotations

from collections.abc import Sequence
from os import PathLike

import numpy as np

from isingmap.data.table import counted, listed
from isingmap.errors import DataError
from isingmap.files.csv_file import unguarded
from isingmap.files.number_text import number
from isingmap.io.delimited import Records, check_widths, named_columns, read_records


def read_moments(path: str | PathLike, separator: str | None = None) -> tuple[np.ndarray, tuple[str, ...]]:
    """Read a square matrix with names above it, and beside it or not.

    Returns
    -------
    matrix : (n, n) float64 array
    names : tuple of str

    Raises
    ------
    FileFormatError
        If the file is no square matrix of numbers, or the names beside it are not those above it.
    """
    records = read_records(path, separator)
    header = [unguarded(cell.strip()) for cell in records.rows[0]]
    rows = records.rows[1:]
    beside = [unguarded(row[0].strip()) for row in rows]
    names = header[-len(rows) :] if rows else []
    has_row_names = bool(rows) and len(rows[0]) == len(rows) + 1
    if not rows or len(header) - len(rows) not in ((0, 1) if has_row_names else (0,)):
        raise records.fail(
            f"expected a square matrix below a line of names; got {counted(len(header), 'name')} above "
            f"{counted(len(rows), 'row')}"
        )
    check_widths(records, len(rows) + has_row_names, 1)
    if has_row_names and beside != names:
        k = next(k for k in range(len(rows)) if beside[k] != names[k])
        raise records.fail(
            f"line {records.lines[k + 1]}: row {k + 1} of the matrix is called {beside[k]!r}, but column {k + 1} "
            f"{names[k]!r}; expected the same names in the same order"
        )
    cells = [row[has_row_names:] for row in rows]
    numbers = [[_number(records, k, names[j], cell) for j, cell in enumerate(row)] for k, row in enumerate(cells, 1)]
    return np.array(numbers, dtype=np.float64), tuple(names)


def read_means(path: str | PathLike, names: Sequence[str]) -> np.ndarray:
    """Read E[x_i] of the variables `names` from a file with columns `name` and `mean`; other names are ignored.

    Raises
    ------
    FileFormatError
        If the columns are absent, a mean is no number, or a name occurs twice.
    DataError
        If a variable has no mean.
    """
    records = read_records(path)
    keys, cells = named_columns(records, ("name", "mean"))
    mean_of: dict[str, float] = {}
    for k, (key, cell) in enumerate(zip(keys, cells, strict=True), 1):
        name = unguarded(key.strip())
        if name in mean_of:
            raise records.fail(f"line {records.lines[k]}: a second mean for {name!r}")
        mean_of[name] = _number(records, k, "mean", cell)
    without = [repr(name) for name in names if name not in mean_of]
    if without:
        raise DataError(f"{records.path}: no mean for {counted(len(without), 'variable')}: {listed(without)}")
    return np.array([mean_of[name] for name in names])


def _number(records: Records, row: int, column: str, cell: str) -> float:
    value = number(cell)
    if value is None:
        raise records.fail(f"line {records.lines[row]}: expected a number in column {column!r}, got {cell[:60]!r}")
    return value
