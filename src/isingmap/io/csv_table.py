"""Tables of answers in delimited text files, with their id, group and weight columns."""

from __future__ import annotations

import difflib
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from os import PathLike

import numpy as np

from isingmap.data.coding import Positive, code_columns
from isingmap.data.labels import PAIRS, LabelColumn, normalise
from isingmap.data.table import SpinTable, counted, listed
from isingmap.errors import DataError, FileFormatError
from isingmap.files.number_text import number
from isingmap.io.delimited import Records, check_widths, named_columns, read_records

_SPIN = re.compile(r"\s*[+-]?1(\.0*)?\s*")


def read_table(
    path: str | PathLike,
    *,
    positive: Positive = None,
    id_column: str | Sequence[str] | None = None,
    group_column: str | None = None,
    weight_column: str | None = None,
    threshold: float | None = None,
    transpose: bool = False,
    separator: str | None = None,
) -> SpinTable:
    """Read a table of two-valued answers from a CSV, TSV or semicolon file, gzipped or not.

    Parameters
    ----------
    path : path-like
        Rows are observations and columns variables, unless `transpose`. The first row holds the names; if it
        holds nothing but answers, the variables are called x1, x2, ...
    positive, threshold
        See `isingmap.data.convert.as_spin_table`.
    id_column : str or sequence of str, optional
        Columns to set aside. With `transpose` the first of them names the variables.
    group_column : str, optional
        Set aside too. With `transpose` it gives the groups of the variables.
    weight_column : str, optional
        Frequency weights of the rows.
    transpose : bool
        Each row is a variable (a senator, a species), each column an observation.
    separator : str, optional
        One character; guessed from the first row by default.

    Returns
    -------
    SpinTable

    Raises
    ------
    FileFormatError
        If the file is not a readable table, with the line.
    DataError
        If columns are not two-valued or do not exist, with their names.
    """
    sheet = _sheet(read_records(path, separator))
    ids = [id_column] if isinstance(id_column, str) else list(id_column or ())
    try:
        if transpose:
            return _read_variables_in_rows(sheet, ids, group_column, weight_column, positive, threshold)
        return _read_variables_in_columns(sheet, ids, group_column, weight_column, positive, threshold)
    except FileFormatError:
        raise
    except DataError as error:
        raise DataError(f"{sheet.path}: {error}") from error


def read_node_groups(path: str | PathLike, names: Sequence[str]) -> tuple[str, ...]:
    """Groups of variables from a file with columns `name` and `group`; other names in it are ignored.

    Raises
    ------
    FileFormatError
        If the columns are absent.
    DataError
        If a variable of `names` has no group, or two.
    """
    records = read_records(path)
    group_of: dict[str, str] = {}
    keys, groups = named_columns(records, ("name", "group"))
    for key, group, line in zip(keys, groups, records.lines[1:], strict=True):
        group = group.strip()
        if group_of.setdefault(key.strip(), group) != group:
            raise records.fail(f"line {line}: {key.strip()!r} is in {group!r} and in {group_of[key.strip()]!r}")
    without = [repr(name) for name in names if name not in group_of]
    if without:
        raise DataError(f"{records.path}: no group for {counted(len(without), 'variable')}: {listed(without)}")
    return tuple(group_of[name] for name in names)


# --- from rows of texts to a sheet with a header ----------------------------------------------------------


@dataclass(frozen=True, eq=False)
class _Sheet:
    """A rectangular file: a header and as many cells in every row."""

    path: str
    header: tuple[str, ...]
    columns: list[tuple[str, ...]]
    lines: list[int]
    notes: tuple[str, ...]

    def position(self, name: str, option: str) -> int:
        if name in self.header:
            return self.header.index(name)
        close = difflib.get_close_matches(name, self.header, 1, 0.6)
        advice = f"did you mean {close[0]!r}?" if close else f"the columns are {listed(self.header)}"
        raise DataError(f"there is no column {name!r} ({option}=); {advice}")

    def place(self, row: int) -> str:
        return f"row {row + 1} (line {self.lines[row]})"


def _sheet(records: Records) -> _Sheet:
    _refuse_histogram(records)
    header, n_header_rows, notes = _header(records)
    check_widths(records, len(header), n_header_rows)
    rows = records.rows[n_header_rows:]
    if not rows:
        raise records.fail("there is a header but no row of data")
    columns = list(zip(*rows, strict=True))
    lines = records.lines[n_header_rows:]
    sheet = _Sheet(records.path, header, columns, lines, records.notes + notes)
    return _without_empty_columns(sheet, records)


def _header(records: Records) -> tuple[tuple[str, ...], int, tuple[str, ...]]:
    """Names of the columns, how many rows they take up, and what to say about them."""
    first = [cell.strip() for cell in records.rows[0]]
    keys = {normalise(cell) for cell in first} - {""}
    if keys and any(keys <= set(pair) for pair in PAIRS):
        names = tuple(f"x{j + 1}" for j in range(len(first)))
        last = names[-1]
        return names, 0, (f"The first row holds answers, not names; the variables are called x1 to {last}.",)
    # R's write.table leaves out the name of the column of row names.
    if len(records.rows) > 1 and all(len(row) == len(first) + 1 for row in records.rows[1:]):
        first = ["", *first]
    return tuple(first), 1, ()


def _without_empty_columns(sheet: _Sheet, records: Records) -> _Sheet:
    """Drop nameless columns without a cell: what a separator at the end of each line makes."""
    nameless = [j for j, name in enumerate(sheet.header) if not name]
    empty = [j for j in nameless if not any(cell.strip() for cell in sheet.columns[j])]
    bad = [j + 1 for j in nameless if j not in empty and j > 0]
    if bad:
        raise records.fail(f"line {records.lines[0]} gives no name to column {listed(bad)}")
    kept = [j for j in range(len(sheet.header)) if j not in empty]
    if not kept:
        raise records.fail("there is no column with a name")
    if not empty:
        return sheet
    note = f"{counted(len(empty), 'empty column')} without a name left out."
    header = tuple(sheet.header[j] for j in kept)
    columns = [sheet.columns[j] for j in kept]
    return replace(sheet, header=header, columns=columns, notes=(*sheet.notes, note))


def _refuse_histogram(records: Records) -> None:
    """A headerless `count,s1,s2,...` file would make a table with one strange column."""
    first = records.rows[0]
    if len(first) < 3 or not all(_is_histogram_row(row) for row in records.rows[:100]):
        return
    if any((number(row[0]) or 0) > 1 for row in records.rows[:100]):
        raise records.fail(
            "this looks like a histogram of configurations (count, then spins of -1 and 1, no header). "
            "Read it with read_histogram."
        )


def _is_histogram_row(row: Sequence[str]) -> bool:
    count = number(row[0])
    return count is not None and count >= 0 and all(_SPIN.fullmatch(cell) for cell in row[1:])


# --- from sheets to tables --------------------------------------------------------------------------------


def _read_variables_in_columns(sheet, ids, group_column, weight_column, positive, threshold) -> SpinTable:
    aside = [sheet.position(name, "id_column") for name in ids]
    notes = list(sheet.notes)
    if sheet.header[0] == "" and 0 not in aside:
        aside.append(0)
        notes.append("The first column has no name; it was taken for row names and set aside.")
    if group_column is not None:
        aside.append(sheet.position(group_column, "group_column"))
        notes.append(
            f"Column {group_column} holds groups of rows and was set aside; groups of variables come from "
            "a file with columns name and group, or from a table whose rows are variables."
        )
    weights = None
    if weight_column is not None:
        aside.append(sheet.position(weight_column, "weight_column"))
        weights = _weights(sheet, aside[-1])
        notes.append(f"Column {weight_column} holds the weights of the rows.")
    if ids:
        notes.append(f"Set aside as ids: {listed(ids)}.")
    kept = [j for j in range(len(sheet.header)) if j not in aside]
    if not kept:
        raise DataError("no column is left after setting aside those of ids, groups and weights")
    names = tuple(sheet.header[j] for j in kept)
    labels = [LabelColumn.from_texts(sheet.columns[j]) for j in kept]
    spins, codings, coding_notes = code_columns(
        labels, names, positive=positive, threshold=threshold, place=lambda column, row: sheet.place(row)
    )
    return SpinTable(spins, names, codings, weights, None, (*notes, *coding_notes))


def _read_variables_in_rows(sheet, ids, group_column, weight_column, positive, threshold) -> SpinTable:
    if weight_column is not None:
        raise DataError("weight_column= gives weights of rows, but with transpose=True the rows are variables")
    aside = [sheet.position(name, "id_column") for name in ids]
    if not aside:
        if sheet.header[0] != "":
            raise DataError(
                f"transpose=True needs id_column=, the column that names the variables: {listed(sheet.header)}"
            )
        aside = [0]
    names = tuple(cell.strip() for cell in sheet.columns[aside[0]])
    groups = None
    if group_column is not None:
        aside.append(sheet.position(group_column, "group_column"))
        groups = tuple(cell.strip() for cell in sheet.columns[aside[-1]])
    kept = [j for j in range(len(sheet.header)) if j not in aside]
    if not kept:
        raise DataError("no column is left after setting aside those of ids and groups")
    labels = [LabelColumn.from_texts(row) for row in zip(*(sheet.columns[j] for j in kept), strict=True)]
    spins, codings, coding_notes = code_columns(
        labels,
        names,
        positive=positive,
        threshold=threshold,
        place=lambda variable, row: f"column {sheet.header[kept[row]]!r} (line {sheet.lines[variable]})",
    )
    note = f"Rows are variables: {counted(len(names), 'variable')}, {counted(len(kept), 'observation')}."
    return SpinTable(spins, names, codings, None, groups, (*sheet.notes, note, *coding_notes))


def _weights(sheet: _Sheet, column: int) -> np.ndarray:
    weights = [number(cell) for cell in sheet.columns[column]]
    bad = [row for row, weight in enumerate(weights) if weight is None or weight < 0]
    if bad:
        cell = sheet.columns[column][bad[0]]
        raise DataError(
            f"column {sheet.header[column]!r} must hold weights, numbers >= 0; {sheet.place(bad[0])} has "
            f"{cell!r} ({counted(len(bad), 'such row')})"
        )
    return np.array(weights, dtype=np.float64)
