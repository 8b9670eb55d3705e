"""The groups of rows in one table: what `fit --split-by` compares."""

from __future__ import annotations

from os import PathLike
from typing import Any

from isingmap.comparing.groups import split
from isingmap.data.table import SpinTable
from isingmap.io.csv_table import read_row_labels, read_table


def read_groups(column: str, path: str | PathLike, **reading: Any) -> list[SpinTable]:
    """A table for each label in a column that is no variable, in the order of the labels.

    Parameters
    ----------
    column : str
    path, **reading
        As in `read_table`.

    Raises
    ------
    DataError, FileFormatError
        As `read_table`; and where there is no such column, or fewer than two groups of some size.
    """
    where = {name: reading.get(name) for name in ("separator", "header_lines")}
    labels = read_row_labels(path, column, setting="column", **where)
    given = reading.pop("id_column", ())
    ids = [given] if isinstance(given, str) else given
    table = read_table(path, id_column=list(dict.fromkeys([*ids, column])), **reading)
    return [group.table for group in split(table, labels, column)]
