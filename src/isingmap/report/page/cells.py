"""Tables of the page: cells as people read them, with all digits kept for sorting."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from isingmap.files.number_text import number
from isingmap.printable import printable
from isingmap.report.columns import column_of, meaning_of
from isingmap.report.page.sources import Table
from isingmap.report.text import distinct

LONGEST = 50  # letters of a name; the whole of it is there on hover and on the card
SENTENCES = "reason"  # a column whose texts are read to the end
MOST_ROWS = 200  # of tables that are not the map itself
P_VALUES = frozenset(("p_value", "p_adjusted"))  # those that may be too small for a float
# Ends of intervals: what is shown, and the number as scripts read it.
_INFINITE = {"inf": ("\N{INFINITY}", "Infinity"), "-inf": ("\N{MINUS SIGN}\N{INFINITY}", "-Infinity")}


@dataclass(frozen=True)
class Cell:
    """Text to show, and the number behind it; `value` is empty where the cell is no number.

    `whole` is the text where it is too long to be shown, and empty otherwise.
    """

    text: str
    value: str
    whole: str = ""


@dataclass(frozen=True)
class ShownTable:
    """A table of the page.

    Attributes
    ----------
    columns : tuple of str
    meanings : list of str
        What the columns mean; empty for those that are not ours.
    numeric : list of bool
        Which columns are numbers.
    rows : list of list of Cell
    n_rows : int
        Of which these may be the first.
    """

    columns: tuple[str, ...]
    meanings: list[str]
    numeric: list[bool]
    rows: list[list[Cell]]
    n_rows: int


def shown_table(table: Table, order: Sequence[int] | None = None) -> ShownTable:
    """The first `MOST_ROWS` rows of a table, or all in the order given, without columns in which nothing stands."""
    rows = table.rows[:MOST_ROWS] if order is None else [table.rows[k] for k in order]
    kept = [k for k in range(len(table.columns)) if not rows or any(row[k] for row in rows)]
    columns = tuple(table.columns[k] for k in kept)
    file = table.place.name
    numeric = [_is_numeric(file, name, [row[k] for row in rows]) for k, name in zip(kept, columns, strict=True)]
    look = list(zip(kept, columns, numeric, strict=True))
    names = [k for k, name, is_number in look if not is_number and name != SENTENCES]
    words = _shortened([row[k] for row in rows for k in names])
    shown = [
        [
            _number_cell(row[k], name) if is_number else _text_cell(row[k], words if k in names else {})
            for k, name, is_number in look
        ]
        for row in rows
    ]
    meanings = [meaning_of(file, name) for name in columns]
    return ShownTable(columns, meanings, numeric, shown, len(table.rows if order is None else shown))


def _is_numeric(file: str, name: str, cells: list[str]) -> bool:
    known = column_of(file, name)
    return not (known and known.is_text) and all(
        not text or text in _INFINITE or number(text) is not None for text in cells
    )


def _shortened(texts: list[str]) -> dict[str, str]:
    """Long texts cut so that no two become alike."""
    unique = list(dict.fromkeys(texts))
    return dict(zip(unique, distinct(map(printable, unique), LONGEST, "\N{HORIZONTAL ELLIPSIS}"), strict=True))


def _text_cell(text: str, words: dict[str, str]) -> Cell:
    whole = printable(text)
    shown = words.get(text, whole)
    return Cell(shown, "", whole if shown != whole else "")


def _number_cell(text: str, column: str) -> Cell:
    if text in _INFINITE:
        return Cell(*_INFINITE[text])
    value = number(text) if text else None
    if value is None:
        return Cell("", "")
    if column in P_VALUES and value == 0:  # no p-value is
        return Cell("< 1e-300", text)
    return Cell(text if text.lstrip("-").isdigit() else _short(value), text)


def _short(value: float) -> str:
    """Four digits; large numbers, such as log-likelihoods and counts of rows, to a tenth: they must still differ."""
    if not 1000 <= abs(value) < 1e15:
        return f"{value:.4g}"
    return f"{value:.1f}".removesuffix(".0")
