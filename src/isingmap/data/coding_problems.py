"""What is said of columns that cannot be read as two values: one error for all of them, with hints."""

from __future__ import annotations

import unicodedata
from collections.abc import Collection, Mapping, Sequence

from isingmap.data.labels import PAIRS, LabelColumn, cell_text
from isingmap.data.missing_codes import MISSING_CODES, lone_missing_label
from isingmap.data.table import counted, listed
from isingmap.errors import DataError
from isingmap.files.number_text import number

Pair = tuple[str, str]

HINT_IDS = "If it is an id or a group, set it aside (id_column= of a file; leave it out of an array)."
HINT_THRESHOLD = "For counts, choose from which value on a cell is +1, such as threshold=1."
_HINT_SCALE = (
    "If it is a scale, choose from which value on a cell is +1: threshold={}, for all columns alike, or write 0 and 1 "
    "into the table."
)
_HINT_POSITIVE = "Say which label is +1: positive=LABEL for all columns, or column by column, "


class Problems:
    """Collects one line per column that cannot be read, and the hints that apply, for one error."""

    def __init__(self) -> None:
        self.lines: list[str] = []
        self.hints: dict[str, None] = {}
        self.examples: list[
            tuple[str, str | None]
        ] = []  # columns that need a positive label, with one that makes sense

    def add(self, line: str, *hints: str) -> None:
        self.lines.append(line)
        self.hints.update(dict.fromkeys(hints))

    def ask_positive(self, line: str, name: str, column: LabelColumn, *hints: str) -> None:
        """Add a column that does not say what is +1."""
        self.add(line, *_lone_missing_hint(column), _HINT_POSITIVE, *hints)
        self.examples.append((name, _sensible_label(column)))

    def raise_if_any(self) -> None:
        """Refuse the table if a column was added.

        Raises
        ------
        DataError
            With all of them.
        """
        if not self.lines:
            return
        shown = self.lines[:10]
        if len(self.lines) > 10:
            shown.append(f"... and {counted(len(self.lines) - 10, 'more column')}")
        head = f"{counted(len(self.lines), 'column')} cannot be read as two values"
        hints = [hint + self._example if hint == _HINT_POSITIVE else hint for hint in self.hints]
        raise DataError("\n".join([f"{head}:", *(f"  {line}" for line in shown), *hints]))

    @property
    def _example(self) -> str:
        """The first column with a label that makes sense, or else the first column and the word LABEL."""
        name, label = next((pair for pair in self.examples if pair[1] is not None), self.examples[0])
        return f"such as positive={ {name: label or 'LABEL'}!r}."


def describe(problems, column, name, label, table_pair, place, positive) -> None:
    """Say why no pair fits the column."""
    values = column.values
    found = " and ".join(repr(column.display(value)) for value in values)
    if len(values) > 2:
        line = f"column {name!r} has {_third_value(column, label, table_pair, place)}"
        problems.add(line, *_third_value_hints(column, _expected(column, label, table_pair)))
    elif label is not None:
        typed = positive[name] if isinstance(positive, Mapping) else positive
        line = f"column {name!r} holds {found}, not the positive label {cell_text(typed)!r}"
        problems.ask_positive(line, name, column)
    elif number(values[0]) is not None:
        odd = first_odd(column, table_pair, place)
        line = f"column {name!r} holds {found} ({odd}), where {' and '.join(table_pair)} were expected"
        problems.ask_positive(line, name, column, *_count_hint(values))
    else:
        line = f"column {name!r} holds {found}, which do not say what is +1"
        problems.ask_positive(line, name, column, HINT_IDS)


def _sensible_label(column: LabelColumn) -> str | None:
    """A label that may well be +1: the largest number above 0, or the last text; no mark of a missing answer."""
    odd = lone_missing_label(column)
    sizes = {value: _size(value) for value in column.values if value != odd}
    if None in sizes.values():
        texts = [value for value in sizes if value not in {negative for negative, _ in PAIRS}]
        return column.display(texts[-1]) if texts else None
    largest = max(sizes, key=lambda value: sizes[value] or 0.0, default=None)
    return column.display(largest) if largest is not None and (sizes[largest] or 0.0) > 0 else None


def _size(text: str) -> float | None:
    """The number that a text may be elsewhere: with a decimal comma, or in digits of another script."""
    digits = "".join(str(unicodedata.decimal(letter, letter)) for letter in text)
    return number(digits.replace(",", "."))


def _lone_missing_hint(column: LabelColumn) -> tuple[str, ...]:
    odd = lone_missing_label(column)
    return () if odd is None else _missing_hint(column, [odd])


def _third_value(column: LabelColumn, label: str | None, table_pair: Pair, place) -> str:
    expected = _expected(column, label, table_pair)
    odd = first_odd(column, expected, place)
    if len(column.values) > 5:
        sample = listed([column.display(value) for value in column.values], 3)
        told = f"{counted(len(column.values), 'different value')} ({sample})"
        return told if len(column.values) == len(column) else f"{told}: {odd}"  # of names of the rows none is odd
    return f"{odd} besides {' and '.join(column.display(value) for value in expected)}"


def first_odd(column: LabelColumn, expected: Collection[str], place) -> str:
    row, value = column.first_outside(expected)
    return f"{column.display(value)!r} first in {place(row)} ({counted(column.counts[value], 'cell')})"


def _expected(column: LabelColumn, label: str | None, table_pair: Pair) -> list[str]:
    """The two labels of the column to take for its pair: known ones first, then the most frequent."""
    known = max((table_pair, *PAIRS), key=lambda pair: len(set(pair) & set(column.values)))
    preferred = known if label is None else (label,)
    by_rank = sorted(column.values, key=lambda value: (value not in preferred, -column.counts[value]))
    return by_rank[:2]


def _third_value_hints(column: LabelColumn, expected: Sequence[str]) -> tuple[str, ...]:
    values = column.values
    if set(values) == {"-1", "0", "1"}:
        rare, common = sorted(("0", "-1"), key=lambda value: column.counts[value])
        return (f"If {rare} stands for a missing answer among {common} and 1, say so: missing_label={rare}.",)
    if len(values) == len(column) and all(number(value) is None for value in values):
        return (HINT_IDS,)  # names of the rows
    counts = _count_hint(values)
    missing = () if counts else _missing_hint(column, [value for value in values if value not in expected])
    return counts + missing + ((HINT_IDS,) if len(values) > 5 or not counts + missing else ())


def _missing_hint(column: LabelColumn, odd: Sequence[str]) -> tuple[str, ...]:
    """The hint at labels that may stand for missing answers: a few words, or numbers in use for it."""
    if len(odd) > 3 or not all(number(value) is None or MISSING_CODES.fullmatch(value) for value in odd):
        return ()
    shown = [repr(column.display(value)) for value in odd]
    if len(odd) == 1:
        return (f"If {shown[0]} stands for a missing answer, say so: missing_label={shown[0]}.",)
    return (f"If {listed(shown)} stand for missing answers, say so for each, as in missing_label={shown[0]}.",)


def _count_hint(values: Sequence[str]) -> tuple[str, ...]:
    """The hint at a threshold, if values look like counts: whole numbers from 0 on, not all above 1 of them codes."""
    numbers = [number(value) for value in values]
    counts = sorted(value for value in numbers if value is not None and value >= 0 and value.is_integer())
    if len(counts) == len(values) > 2 and counts == list(range(1, len(values) + 1)):
        return (_HINT_SCALE.format(len(values) // 2 + 1),)
    if len(counts) < len(values) or counts[0] != 0 or counts[-1] <= 1:
        return ()
    odd = [value for value in counts if value > 1]
    codes = len(odd) <= 3 and all(MISSING_CODES.fullmatch(f"{value:.0f}") for value in odd)
    return () if codes else (HINT_THRESHOLD,)
