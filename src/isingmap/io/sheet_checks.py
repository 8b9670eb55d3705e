"""Questions about a sheet that is no table of answers: a matrix, further lines of headers, totals, rows for columns."""

from __future__ import annotations

import csv
import io
import math
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from isingmap.data.labels import LabelColumn, normalise
from isingmap.data.table import counted, listed
from isingmap.errors import DataError
from isingmap.files.number_text import number
from isingmap.io.sheet import Sheet

_FURTHER_HEADERS = (2, 1)  # rows below the names that may be headers, too
_SMALLEST_MATRIX = 5  # a smaller table of answers may well be symmetric, unless it holds fractions
_SMALLEST_GRID = 9  # in fewer rows every pair of few answers may well occur once


def refuse_matrix(sheet: Sheet, kept: Sequence[int], *, ids_given: bool) -> None:
    """Refuse a square table that looks like a matrix: rows called like columns, or symmetric with one diagonal.

    Raises
    ------
    DataError
    """
    n = len(kept)
    if n < 2 or sheet.n_rows != n or ids_given:
        return
    names, columns = [sheet.header[j] for j in kept], [sheet.columns[j] for j in kept]
    if sheet.header[0] == "" and [cell.strip() for cell in sheet.columns[0]] == names:
        what = f"its {n} rows have the names of its {n} columns"
        way_out = "give the first column a name and set it aside with id_column=NAME"
    elif _is_symmetric(columns) and (n >= _SMALLEST_MATRIX or _hold_fractions(columns)):
        what = f"it is {n} x {n}, symmetric, with the same value all along the diagonal"
        way_out = "add a column of row ids and set it aside with id_column=NAME"
    else:
        return
    raise DataError(
        f"this looks like a matrix, not like a table of answers: {what}. {_use_of_matrix(sheet, kept)}If the rows are "
        f"observations after all, {way_out}"
    )


def _use_of_matrix(sheet: Sheet, kept: Sequence[int]) -> str:
    """What a matrix may be, by its diagonal: moments have 1 there, couplings 0."""
    diagonal = {number(sheet.columns[j][k]) for k, j in enumerate(kept)}
    if diagonal == {1.0}:
        return (
            "If it holds moments E[x_i x_j] of -1/+1 data: isingmap fit --moments --n-samples N, with --means FILE or "
            "--family zero-field (in Python: PlanarIsing().fit_moments). "
        )
    if diagonal == {0.0} and sheet.header[0] == "":
        return "If it holds couplings, it is a model: isingmap infer. "
    if diagonal == {0.0}:
        return "If it holds couplings, it is a model, for isingmap infer, once the rows have the names of the columns. "
    return ""


def _is_symmetric(columns: Sequence[Sequence[str]]) -> bool:
    rows = list(zip(*columns, strict=True))
    return len({rows[i][i] for i in range(len(rows))}) == 1 and all(
        tuple(column) == row for column, row in zip(columns, rows, strict=True)
    )


def _hold_fractions(columns: Sequence[Sequence[str]]) -> bool:
    found = [number(cell) for column in columns for cell in column]
    return any(value is not None and value % 1 for value in found)


def refuse_long(sheet: Sheet, kept: Sequence[int], *, ids_given: bool) -> None:
    """Refuse three columns of which two name the row and the column of a cell, and the third is what it holds.

    The names of rows are others than those of columns, or there is a cell for each pair of them: three answers on a
    short scale have the same labels, and hardly ever every pair of them once.

    Raises
    ------
    DataError
        With the way to read them.
    """
    found = _long_columns([sheet.columns[j] for j in kept]) if len(kept) == 3 and not ids_given else None
    if found is None:
        return
    row, column, value = (sheet.header[kept[k]] for k in found)
    stream = io.StringIO()
    csv.writer(stream, lineterminator="").writerow([row, column, value])
    other = io.StringIO()
    csv.writer(other, lineterminator="").writerow([column, row, value])
    raise DataError(
        f"this looks like a long table, one line for each cell: every line is about another pair of {row!r} and "
        f"{column!r}. If each {row} is an observation and each {column} a variable, read it with "
        f"read_long_table(columns={stream.getvalue()!r}); if it is the other way round, with "
        f"read_long_table(columns={other.getvalue()!r}). If the lines are observations after all, add a column of row "
        "ids and set it aside with id_column=NAME"
    )


def _long_columns(columns: Sequence[Sequence[str]]) -> tuple[int, int, int] | None:
    """Which of three columns names rows (that with most names), which columns, which holds values; None if none."""
    texts = [[cell.strip() for cell in column] for column in columns]
    n_rows, counts = len(texts[0]), [len(set(column)) for column in texts]
    if max(counts) <= 2 or n_rows < 4:
        return None
    value = min(range(3), key=lambda k: (counts[k], -k))
    row, column = sorted({0, 1, 2} - {value}, key=lambda k: -counts[k])
    repeated = max(counts[row], counts[column]) < n_rows
    n_cells = counts[row] * counts[column]
    are_apart = set(texts[row]).isdisjoint(texts[column])
    filled = 2 * n_rows >= n_cells if are_apart else n_rows == n_cells >= _SMALLEST_GRID
    if repeated and filled and len(set(zip(texts[row], texts[column], strict=True))) == n_rows:
        return row, column, value
    return None


def refuse_further_headers(sheet: Sheet, kept: Sequence[int]) -> None:
    """Refuse a table whose first rows hold texts that occur nowhere below.

    Raises
    ------
    DataError
        With the lines and what they hold.
    """
    for n_more in _FURTHER_HEADERS:
        if sheet.n_rows > n_more + 1 and _are_headers([sheet.columns[j] for j in kept], n_more):
            lines = " and ".join(str(line) for line in sheet.lines[:n_more])
            cells = listed([repr(sheet.columns[j][0][:40]) for j in kept], 3)
            verb = "look like further headers" if n_more > 1 else "looks like a further header"
            raise DataError(
                f"line{'s' if n_more > 1 else ''} {lines} {verb} ({cells}): no such cell occurs below. To leave "
                f"{'them' if n_more > 1 else 'it'} out, read with header_lines={n_more + 1}"
            )


def _are_headers(columns: Sequence[Sequence[str]], n_more: int) -> bool:
    """Whether the first cells of all columns occur nowhere below, and are a third value in half of them."""
    excess = 0
    for column in columns:
        head = [normalise(cell) for cell in column[:n_more]]
        below = {normalise(text) for text in _texts_from(column, n_more)} - {""}
        if not all(head) or below & set(head) or len(below) > 2 or any(number(cell) is not None for cell in head):
            return False
        excess += len(below | set(head)) > 2
    return 2 * excess > len(columns)


def _texts_from(column: Sequence[str], row: int) -> Collection[str]:
    """The texts that occur in this row or below it."""
    if not isinstance(column, LabelColumn):
        return set(column[row:])
    return [column.texts[code] for code in np.flatnonzero(np.bincount(column.codes[row:])).tolist()]


def refuse_totals(sheet: Sheet, kept: Sequence[int]) -> None:
    """Refuse a column that is the sum or the mean of the others, or a last row that is the sum of the rows above.

    Raises
    ------
    DataError
        Naming it and how to leave it out.
    """
    if len(kept) > 2 and sheet.n_rows > 1:
        rows = _Rows(sheet, kept)
        for j in kept:
            if _is_total(rows, j):
                name = sheet.header[j]
                raise DataError(
                    f"column {name!r} is the sum of the other columns; leave it out with drop_column={name!r}"
                )
            if _is_mean(rows, j):
                name = sheet.header[j]
                raise DataError(
                    f"column {name!r} is the mean of the other columns; leave it out with drop_column={name!r}"
                )
    if sheet.n_rows > 2 and len(kept) > 1 and _last_row_is_total([sheet.columns[j] for j in kept]):
        raise DataError(f"line {sheet.lines[-1]} is the sum of the lines above; delete it")


@dataclass(frozen=True)
class _Row:
    """The numbers of a row by column, their sum and that of their sizes."""

    values: Mapping[int, float]
    total: float
    size: float


class _Rows:
    """Numbers are read when a row is first asked for, and not again for every column."""

    def __init__(self, sheet: Sheet, kept: Sequence[int]):
        self.sheet, self.kept = sheet, kept
        self._rows: list[_Row | None] = []

    def beside(self, candidate: int) -> Iterator[tuple[str, float, _Row] | None]:
        """Row by row the cell of a column, its number, and the row; None where a cell is no number."""
        for k, cell in enumerate(self.sheet.columns[candidate]):
            if k == len(self._rows):
                self._rows.append(self._read(k))
            row = self._rows[k]
            yield None if row is None else (cell, row.values[candidate], row)

    def _read(self, k: int) -> _Row | None:
        values = {j: value for j in self.kept if (value := number(self.sheet.columns[j][k])) is not None}
        if len(values) < len(self.kept):
            return None
        return _Row(values, math.fsum(values.values()), sum(map(abs, values.values())))


def _is_total(rows: _Rows, candidate: int) -> bool:
    found_two = False
    for each in rows.beside(candidate):
        if each is None:
            return False
        _, total, row = each
        # Most columns are none at the first glance; the others are added up.
        if abs(row.total - 2.0 * total) > 1e-9 * row.size:
            return False
        if sum(value for j, value in row.values.items() if j != candidate) != total:
            return False
        found_two = found_two or total > 1
    return found_two


def _is_mean(rows: _Rows, candidate: int) -> bool:
    """Whether every cell is the mean of the others in its row, as far as it has digits; one at least is a fraction."""
    # Whole numbers would be looked at for long: half of all cells are 0 or 1 where the mean is nearer.
    if not any(_is_fraction(text) for text in _texts_from(rows.sheet.columns[candidate], 0)):
        return False
    for each in rows.beside(candidate):
        if each is None:
            return False
        cell, mean, row = each
        n_digits = len(cell.strip().partition(".")[2])
        if abs((row.total - mean) / (len(row.values) - 1) - mean) > 0.5000001 * 10.0**-n_digits:
            return False
    return True


def _is_fraction(text: str) -> bool:
    value = number(text)
    return value is not None and not value.is_integer()


def _last_row_is_total(columns: Sequence[Sequence[str]]) -> bool:
    found_two = False
    for column in columns:
        total = number(column[-1])
        if total is None or (total <= 1 and not found_two):
            return False
        parts = [number(cell) for cell in column[:-1]]
        if None in parts or sum(parts) != total:  # type: ignore[arg-type]
            return False
        found_two = True
    return True


def transpose_hint(sheet: Sheet, kept: Sequence[int]) -> str:
    """What to do if rows are variables, where a sheet has more columns than rows; else nothing."""
    if len(kept) <= sheet.n_rows:
        return ""
    texts = (j for j in range(len(sheet.header)) if any(number(cell) is None for cell in sheet.columns[j]))
    first = next(texts, None)
    names = f" and id_column={sheet.header[first]!r}" if first is not None and sheet.header[first] else ""
    return (
        f"There are more columns ({len(kept)}) than rows ({counted(sheet.n_rows, 'row').split()[0]}). If each row is a "
        f"variable (a species, a senator) and each column an observation, read with transpose=True{names}."
    )


def edge_list_hint(sheet: Sheet, kept: Sequence[int]) -> str:
    """Where to go with a list of edges: two columns of names, some of them in both, and a number; else nothing."""
    if len(kept) != 3:
        return ""
    first, second, third = ([cell.strip() for cell in sheet.columns[j]] for j in kept)
    named = len(set(first) | set(second)) > 2 and bool(set(first) & set(second))
    pairs = {frozenset(pair) for pair in zip(first, second, strict=True)}
    if not named or len(pairs) < len(first) or any(number(cell) is None for cell in third):
        return ""
    return (
        "This looks like a list of edges, not like a table of answers. It is a model, for isingmap infer, once its "
        "columns are called source, target and coupling; and isingmap fit TABLE --graph FILE fits its graph to a table."
    )
