"""What pages are made of: tables, facts and pictures in the files of a folder, read strictly."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from isingmap.errors import FileFormatError
from isingmap.files.csv_file import read_csv
from isingmap.files.number_text import number
from isingmap.files.reading import read_bytes
from isingmap.files.safe_name import is_folder_name
from isingmap.files.strict_json import shown
from isingmap.report.columns import MEAN, ROWS, SHARE, Column, column_of
from isingmap.report.facts import Fact

CHANGED = "was it changed by another program?"
# What numbers of a unit lie between, and how much rounding they may have.
_RANGES = {SHARE: (0.0, 1.0), MEAN: (-1.0, 1.0), ROWS: (0.0, math.inf)}
_ROUNDING = 1e-9
_INFINITE = frozenset(("inf", "-inf"))


@dataclass(frozen=True)
class Table:
    """A CSV file as text.

    Attributes
    ----------
    place : Path
        The file, for messages.
    columns : tuple of str
    rows : list of list of str
    file : bytes
        The file as it is, to be saved from the page.
    """

    place: Path
    columns: tuple[str, ...]
    rows: list[list[str]]
    file: bytes

    def column(self, name: str) -> list[str]:
        """The cells under a heading.

        Raises
        ------
        FileFormatError
            If there is no such column.
        """
        if name not in self.columns:
            raise FileFormatError(f"{self.place} has no column {name}; {CHANGED}")
        k = self.columns.index(name)
        return [row[k] for row in self.rows]

    def optional(self, name: str) -> list[str]:
        """The cells under a heading, empty where there is no such column, as in older versions."""
        if name not in self.columns:
            return [""] * len(self.rows)
        k = self.columns.index(name)
        return [row[k] for row in self.rows]

    def numbers(self, name: str) -> list[float]:
        """The same as numbers.

        Raises
        ------
        FileFormatError
            If there is no such column, or a cell of it is no finite number.
        """
        found = []
        for k, text in enumerate(self.column(name), start=1):
            value = number(text)
            if value is None:
                raise self.wrong(k, name, "a number", text)
            found.append(value)
        return found

    def wrong(self, row: int, column: str, expected: str, got: str) -> FileFormatError:
        """What to raise for a cell; rows are counted from 1, without the header."""
        return FileFormatError(
            f"{self.place}: row {row}, column {column}: expected {expected}, got {shown(got)}; {CHANGED}"
        )


def read_table(path: Path) -> Table:
    """A table whose numbers are numbers, within what their unit allows.

    Raises
    ------
    FileFormatError
        If it is no CSV file; or names row and column of what cannot be.
    """
    columns, rows = read_csv(path)
    found = Table(path, columns, rows, read_bytes(path))
    for k, name in enumerate(columns):
        known = column_of(path.name, name)
        if known is not None and not known.is_text:
            _check_column(found, k, known)
    return found


def _check_column(table: Table, k: int, column: Column) -> None:
    low, high = _RANGES.get(column.unit, (0.0 if _is_error(column.name) else -math.inf, math.inf))
    for row, cells in enumerate(table.rows, start=1):
        text = cells[k]
        value = number(text) if text and text not in _INFINITE else 0.0
        if value is None or not low - _ROUNDING <= value <= high + _ROUNDING:
            raise table.wrong(row, column.name, _expected(low, high), text)


def _is_error(name: str) -> bool:
    """Whether it is a standard error, which is not below 0."""
    return name == "se" or name.endswith("_se")


def _expected(low: float, high: float) -> str:
    if math.isinf(low):
        return "a number"
    return f"a number from {low:g}" + ("" if math.isinf(high) else f" to {high:g}")


def read_picture(path: Path) -> bytes:
    """An SVG file.

    Raises
    ------
    FileFormatError
        If it is something else.
    """
    content = read_bytes(path)
    if not content.lstrip().startswith((b"<?xml", b"<svg")) or b"<svg" not in content:
        raise FileFormatError(f"{path} is not an SVG picture; draw it again, or remove it")
    return content


def is_plain(name: object) -> bool:
    """Whether it is the name of a folder of ours, so that there may be a link to it."""
    return isinstance(name, str) and is_folder_name(name)


def facts_of(records: object, where: str) -> tuple[Fact, ...]:
    """The facts in a JSON file.

    Raises
    ------
    FileFormatError
        If they are no list of objects.
    """
    if not isinstance(records, list) or not all(isinstance(record, dict) for record in records):
        raise FileFormatError(f'{where}: expected a list of objects under "facts", got {shown(records)}')
    return tuple(Fact.of_record(record) for record in records)


def refuse_links(folder: Path, names: Iterable[str]) -> None:
    """A report is sent to others: a folder from a stranger must not bring files of this machine into it.

    Raises
    ------
    FileFormatError
        If one of the files is a link that leads out of the folder.
    """
    inside = folder.resolve()
    for name in names:
        if not (folder / name).resolve().is_relative_to(inside):
            raise FileFormatError(
                f"{folder / name} is a link to a file outside the folder; put the file itself there if it belongs to "
                "the results"
            )
