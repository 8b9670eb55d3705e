"""Histograms of configurations, the file format of the inverse-Ising tools (GraphicalModelLearning.jl)."""

from __future__ import annotations

from os import PathLike

import numpy as np

from isingmap.data.table import Coding, SpinTable, counted
from isingmap.files.number_text import number
from isingmap.io.delimited import Records, check_widths, read_records


def read_histogram(path: str | PathLike) -> SpinTable:
    """Read rows `count,s1,s2,...` without a header, s in {-1, +1}; the counts become weights.

    Variables are called x1, x2, ...

    Raises
    ------
    FileFormatError
        With the line, if a count is not a whole number >= 0, a spin not -1 or 1, or rows differ in length.
    """
    records = read_records(path)
    width = len(records.rows[0])
    if width < 2:
        raise records.fail(f"expected a count and at least one spin in every row, got {records.rows[0]}")
    check_widths(records, width, 0)
    values = _integers(records)
    n_spins = width - 1
    total = counted(int(values[:, 0].sum()), "observation")
    note = f"Histogram of {counted(len(values), 'row')} with counts: {total}."
    return SpinTable(
        spins=values[:, 1:],
        names=tuple(f"x{j + 1}" for j in range(n_spins)),
        codings=(Coding("-1", "1"),) * n_spins,
        weights=_checked_counts(records, values[:, 0]),
        notes=(*records.notes, note),
    )


def _integers(records: Records) -> np.ndarray:
    cells = [number(cell) for row in records.rows for cell in row]
    table = np.array([np.nan if cell is None else cell for cell in cells]).reshape(len(records.rows), -1)
    good = np.isin(table, (-1.0, 1.0))
    good[:, 0] = (table[:, 0] >= 0) & (table[:, 0] == np.floor(table[:, 0])) & (table[:, 0] < 2.0**53)
    if not good.all():
        row, column = np.argwhere(~good)[0]
        expected = "a spin, -1 or 1" if column else "a count, a whole number >= 0"
        raise records.fail(
            f"line {records.lines[row]}, field {column + 1}: expected {expected}, got "
            f"{records.rows[row][column]!r} ({counted(int((~good).sum()), 'such cell')}). A histogram has "
            "rows count,s1,s2,... and no header."
        )
    return table.astype(np.int64)


def _checked_counts(records: Records, counts: np.ndarray) -> np.ndarray:
    if not counts.any():
        raise records.fail("all counts are zero, so there is no observation")
    return counts.astype(np.float64)
