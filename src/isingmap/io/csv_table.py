"""Tables of answers in delimited text files, with their id, group and weight columns."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from os import PathLike

import numpy as np

from isingmap.data.blanks import without_blanks
from isingmap.data.coding import Positive, code_columns
from isingmap.data.labels import PAIRS, LabelColumn, MissingLabels, distinct_texts, normalise
from isingmap.data.table import (
    Coding,
    SpinTable,
    checked_weights,
    counted,
    labels_without_blanks,
    listed,
    numbered_clusters,
)
from isingmap.errors import DataError, FileFormatError
from isingmap.files.csv_file import unguarded
from isingmap.files.number_text import number
from isingmap.files.whole_file import is_stream
from isingmap.io.delimited import Records, read_large
from isingmap.io.parquet import is_parquet, parquet_sheet
from isingmap.io.raster import raster_of
from isingmap.io.sheet import Sheet, sheet_of
from isingmap.io.sheet_checks import (
    edge_list_hint,
    refuse_further_headers,
    refuse_long,
    refuse_matrix,
    refuse_totals,
    transpose_hint,
)

_SPIN = re.compile(r"\s*[+-]?1(\.0*)?\s*")


def read_table(
    path: str | PathLike,
    *,
    positive: Positive = None,
    id_column: str | Sequence[str] | None = None,
    group_column: str | None = None,
    weight_column: str | None = None,
    cluster_column: str | None = None,
    drop_column: str | Sequence[str] | None = None,
    threshold: float | None = None,
    missing_label: MissingLabels = None,
    transpose: bool = False,
    separator: str | None = None,
    header_lines: int | None = None,
    known: Mapping[str, Coding] | None = None,
) -> SpinTable:
    """Read a table of two-valued answers from a CSV, TSV or semicolon file, gzipped or not, or from a Parquet file.

    Parameters
    ----------
    path : path-like
        Rows are observations and columns variables, unless `transpose`. The first row holds the names; if it
        holds nothing but answers, the variables are called x1, x2, ... (0, 1, 2, ... and 1, 2, ... are names).
    positive, threshold, missing_label
        See `isingmap.data.convert.as_spin_table`.
    id_column : str or sequence of str, optional
        Columns to set aside. With `transpose` the first of them names the variables.
    group_column : str, optional
        Set aside too. With `transpose` it gives the groups of the variables.
    weight_column : str, optional
        Weights of the rows.
    cluster_column : str, optional
        Rows with one label in it were not drawn independently: a patient, a school, a term.
    drop_column : str or sequence of str, optional
        Columns to leave out, such as totals.
    transpose : bool
        Each row is a variable (a senator, a species), each column an observation.
    separator : str, optional
        One character; by default the one that gives rows of equal width. With " " any run of blanks separates.
    header_lines : int, optional
        How many lines are header; names come from the first of them, and with 0 there are none. By default 1, or 0 if
        the first line holds answers.
    known : mapping of column name to Coding, optional
        Labels that columns must have, as in the data of a model; see `isingmap.data.coding.code_columns`. It also says
        that the variables are known, so that nobody asks whether a table of few rows is to be transposed.

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
    sheet = _sheet_in(path, separator, header_lines)
    roles = Roles.of(id_column, group_column, weight_column, cluster_column, drop_column)
    coding = {"positive": positive, "threshold": threshold, "missing_label": missing_label, "known": known}
    try:
        read = _read_variables_in_rows if transpose else _read_variables_in_columns
        return read(sheet, roles, coding)
    except FileFormatError:
        raise
    except DataError as error:
        raise DataError(f"{sheet.path}: {error}") from error


def read_row_labels(
    path: str | PathLike, column: str, *, setting: str, separator: str | None = None, header_lines: int | None = None
) -> list[str]:
    """The cells of one column of a table as they are, without blanks around them, such as the group of each row.

    Parameters
    ----------
    path, separator, header_lines
        As in `read_table`, whose rows these are.
    column : str
    setting : str
        What named the column, for the message.

    Raises
    ------
    FileFormatError
        If the file is not a readable table, or is a stream, which cannot be read a second time for the answers.
    DataError
        If there is no such column.
    """
    if is_stream(path):
        raise FileFormatError(f"{path} can be read only once, and {setting}= takes a second look; write it to a file")
    sheet = _sheet_in(path, separator, header_lines)
    try:
        cells = sheet.columns[sheet.position(column, setting)]
    except DataError as error:
        raise DataError(f"{sheet.path}: {error}") from None
    return [unguarded(label) for label in labels_without_blanks(cells, f"{sheet.path}: labels of {column!r}")]


def _sheet_in(path: str | PathLike, separator: str | None, header_lines: int | None) -> Sheet:
    """The cells of a file of text or Parquet."""
    if is_parquet(path):
        for setting, value in (("separator", separator), ("header_lines", header_lines)):
            if value is not None:
                raise DataError(f"{setting}= is for text; {path} is a Parquet file, which has no such. Leave it out")
        return parquet_sheet(path)
    records = read_large(path, separator)
    _refuse_histogram(records)
    return (None if header_lines else raster_of(records)) or sheet_of(records, header_lines)


def _several(names: str | Sequence[str] | None) -> list[str]:
    return [names] if isinstance(names, str) else list(names or ())


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


@dataclass(frozen=True)
class Roles:
    """What the columns of a sheet are for, by name."""

    ids: list[str]
    group: str | None
    weight: str | None
    cluster: str | None
    dropped: list[str]

    @classmethod
    def of(
        cls,
        id_column: str | Sequence[str] | None,
        group_column: str | None,
        weight_column: str | None,
        cluster_column: str | None,
        drop_column: str | Sequence[str] | None,
    ) -> Roles:
        """The roles as `read_table` is told them."""
        return cls(_several(id_column), group_column, weight_column, cluster_column, _several(drop_column))


def roles_in(sheet: Sheet, roles: Roles) -> tuple[list[int], int | None, list[str]]:
    """Which columns hold answers, which one holds weights, and what to say of the others.

    Raises
    ------
    DataError
        If a column does not exist, or none is left.
    """
    aside = [sheet.position(name, "id_column") for name in roles.ids]
    aside += [sheet.position(name, "drop_column") for name in roles.dropped]
    notes = list(sheet.notes)
    if sheet.header[0] == "" and 0 not in aside:
        aside.append(0)
        notes.append("The first column has no name; it was taken for row names and set aside.")
    if roles.group is not None:
        aside.append(sheet.position(roles.group, "group_column"))
        notes.append(
            f"Column {roles.group} holds groups of rows and was set aside; groups of variables come from "
            "a file with columns name and group, or from a table whose rows are variables."
        )
    weight = None
    if roles.weight is not None:
        weight = sheet.position(roles.weight, "weight_column")
        aside.append(weight)
        notes.append(f"Column {roles.weight} holds the weights of the rows.")
    if roles.cluster is not None:
        aside.append(sheet.position(roles.cluster, "cluster_column"))
    return _kept(sheet, aside), weight, notes + _set_aside(roles)


def _read_variables_in_columns(sheet: Sheet, roles: Roles, coding: dict) -> SpinTable:
    kept, weight, notes = roles_in(sheet, roles)
    weights = None if weight is None else row_weights(sheet, weight)
    clusters = None
    if roles.cluster is not None:
        column = sheet.position(roles.cluster, "cluster_column")
        clusters = numbered_clusters(_clusters(sheet, column), sheet.n_rows)
        notes.append(f"Column {roles.cluster} holds the clusters of the rows: {clusters.max() + 1:,} of them.")
    refuse_matrix(sheet, kept, ids_given=bool(roles.ids))
    refuse_long(sheet, kept, ids_given=bool(roles.ids))
    refuse_further_headers(sheet, kept)
    refuse_totals(sheet, kept)
    hint = transpose_hint(sheet, kept) if coding["known"] is None else ""
    names = tuple(sheet.header[j] for j in kept)
    labels = [LabelColumn.from_texts(sheet.columns[j]) for j in kept]
    try:
        spins, codings, coding_notes = code_columns(labels, names, place=lambda column, row: sheet.place(row), **coding)
    except DataError as error:
        hint = edge_list_hint(sheet, kept) or hint
        raise DataError(f"{hint}\nAs it is, {error}" if hint else str(error)) from None
    notes += [hint] if hint else []
    return SpinTable(spins, names, codings, weights, None, (*notes, *coding_notes), clusters=clusters)


def _read_variables_in_rows(sheet: Sheet, roles: Roles, coding: dict) -> SpinTable:
    if roles.weight is not None:
        raise DataError("weight_column= gives weights of rows, but with transpose=True the rows are variables")
    if roles.cluster is not None:
        raise DataError("cluster_column= gives clusters of rows, but with transpose=True the rows are variables")
    aside = [sheet.position(name, "id_column") for name in roles.ids]
    dropped = [sheet.position(name, "drop_column") for name in roles.dropped]
    if not aside and sheet.header[0] == "":
        aside = [0]
    groups = None
    if roles.group is not None:
        dropped.append(sheet.position(roles.group, "group_column"))
        groups = tuple(cell.strip() for cell in sheet.columns[dropped[-1]])
    names = _names_of_rows(sheet, aside, dropped)
    kept = _kept(sheet, [*aside, *dropped])
    refuse_totals(sheet, kept)
    labels = [LabelColumn.from_texts(row) for row in zip(*(sheet.columns[j] for j in kept), strict=True)]
    spins, codings, coding_notes = code_columns(
        labels,
        names,
        place=lambda variable, row: f"column {sheet.header[kept[row]]!r} (line {sheet.lines[variable]})",
        **coding,
    )
    note = f"Rows are variables: {counted(len(names), 'variable')}, {counted(len(kept), 'observation')}."
    notes = (*sheet.notes, note, *_set_aside(roles), *coding_notes)
    return SpinTable(spins, names, codings, None, groups, notes)


def _names_of_rows(sheet: Sheet, ids: Sequence[int], others: Sequence[int]) -> tuple[str, ...]:
    """The cells of the first id column, or x1, x2, ... where no column could hold names."""
    if ids:
        names = tuple(map(unguarded, without_blanks(sheet.columns[ids[0]], noun="row")))
        _refuse_repeated(names, sheet, ids[0])
        return names
    texts = [name for j, name in enumerate(sheet.header) if j not in others and _holds_text(sheet.columns[j])]
    if texts:
        raise DataError(
            f"transpose=True needs id_column=, the column that names the variables, here perhaps {texts[0]!r}; the "
            f"columns are {listed(sheet.header)}"
        )
    return tuple(f"x{i + 1}" for i in range(sheet.n_rows))


def _refuse_repeated(names: Sequence[str], sheet: Sheet, column: int) -> None:
    """Rows that are variables must be called differently."""
    repeated = [(name, count) for name, count in Counter(names).items() if count > 1 and name]
    if not repeated:
        return
    name, count = repeated[0]
    lines = [str(line) for line, other in zip(sheet.lines, names, strict=True) if other == name]
    others = f", and {counted(len(repeated) - 1, 'more name')} so" if len(repeated) > 1 else ""
    raise DataError(
        f"with transpose=True column {sheet.header[column]!r} names the variables, but {name!r} is the name of "
        f"{count} rows (lines {listed(lines)}){others}. Give the rows different names, leave all but one of them out, "
        "or name another column that tells them apart by id_column="
    )


def _holds_text(cells: Sequence[str]) -> bool:
    """Whether a column holds more than answers, missing cells and numbers."""
    known = {label for pair in PAIRS for label in pair} | {""}
    return any(normalise(cell) not in known and number(cell) is None for cell in distinct_texts(cells))


def _kept(sheet: Sheet, aside: Sequence[int]) -> list[int]:
    kept = [j for j in range(len(sheet.header)) if j not in aside]
    if not kept:
        raise DataError("no column is left after setting aside those of ids, groups, clusters and weights")
    return kept


def _set_aside(roles: Roles) -> list[str]:
    ids = [f"Set aside as ids: {listed(roles.ids)}."] if roles.ids else []
    return ids + ([f"Left out: {listed(roles.dropped)}."] if roles.dropped else [])


def _clusters(sheet: Sheet, column: int) -> list[str]:
    """The label of each row's cluster; all rows must have one."""
    labels = list(sheet.columns[column])
    absent = [row for row, label in enumerate(labels) if not normalise(label)]
    if absent:
        raise DataError(
            f"column {sheet.header[column]!r} must hold the label of each row's cluster; {sheet.place(absent[0])} has "
            f"{labels[absent[0]]!r} ({counted(len(absent), 'such row')}). Give rows that belong to no cluster a label "
            "of their own"
        )
    return labels


def row_weights(sheet: Sheet, column: int) -> np.ndarray:
    """The weights in a column.

    Raises
    ------
    DataError
        If they are no numbers, or cannot be weights.
    """
    weights = [number(cell) for cell in sheet.columns[column]]
    bad = [row for row, weight in enumerate(weights) if weight is None or weight < 0]
    if bad:
        cell = sheet.columns[column][bad[0]]
        raise DataError(
            f"column {sheet.header[column]!r} must hold weights, numbers >= 0; {sheet.place(bad[0])} has "
            f"{cell!r} ({counted(len(bad), 'such row')})"
        )
    try:
        return checked_weights(weights, len(weights))
    except DataError as error:
        raise DataError(f"column {sheet.header[column]!r}: {error}") from None
