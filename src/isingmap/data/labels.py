"""Cell texts: which mean the same, which mean "missing", and which pairs of them are understood."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from isingmap.cached import cached_property
from isingmap.files.number_text import number

# Normalised texts that stand for "no answer". The word "None" is not among them: it is as often an answer
# ("none / some"), and as a third value it is refused by name, not guessed at. The object None is missing.
MISSING_MARKERS = frozenset({"", "na", "n/a", "n.a.", "#n/a", "#null!", "<na>", "nan", "nat", "null", "\\n", "?", "."})

MissingLabels = str | int | float | Sequence[object] | None  # labels that stand for "no answer" in a table

# (negative, positive), normalised. The order settles a table in which only "1" occurs.
NUMBER_PAIRS = (("0", "1"), ("-1", "1"), ("1", "2"))
WORD_PAIRS = (("false", "true"), ("no", "yes"), ("nay", "yea"))
PAIRS = NUMBER_PAIRS + WORD_PAIRS

_LARGEST_FRACTION = 10**300
_AT_ONCE = 4096  # cells that become texts together
_ABBREVIATIONS = {"t": "true", "f": "false", "y": "yes", "n": "no"}


def normalise(text: str) -> str:
    """The key under which texts of equal meaning agree ("TRUE" = "T", "1.0" = "1"); "" if missing."""
    key = text.strip().casefold()
    if key in MISSING_MARKERS:
        return ""
    value = number(key)
    if value is not None and value.is_integer():
        return str(int(value))
    return _ABBREVIATIONS.get(key, key)


def cell_text(value: object) -> str:
    """A cell of an object array as text; None becomes empty, a fraction the nearest number."""
    if value is None:
        return ""
    if isinstance(value, Fraction) and abs(value) < _LARGEST_FRACTION:
        return repr(float(value))
    return value.decode("latin-1") if isinstance(value, bytes) else str(value)


@dataclass(frozen=True, eq=False)
class LabelColumn(Sequence[str]):
    """One column, factorised: its distinct texts and, for each row, the position of its text among them.

    As a sequence it is that of the texts in its cells.
    """

    texts: tuple[str, ...]
    codes: np.ndarray
    missing: frozenset[str] = frozenset()  # normalised labels that are missing in this table

    @classmethod
    def from_texts(cls, cells: Sequence[str]) -> LabelColumn:
        """Factorise texts, in order of first appearance."""
        if isinstance(cells, cls):
            return cells
        texts = tuple(dict.fromkeys(cells))
        position = {text: i for i, text in enumerate(texts)}
        return cls(texts, np.fromiter(map(position.__getitem__, cells), np.intp, len(cells)))

    @classmethod
    def from_objects(cls, cells: Iterable) -> LabelColumn:
        """Factorise cells of any type by their texts."""
        return cls.from_texts([cell_text(cell) for cell in cells])

    @classmethod
    def from_numbers(cls, values: np.ndarray) -> LabelColumn:
        """Factorise a boolean, integer or floating-point array, in ascending order."""
        distinct, codes = np.unique(values, return_inverse=True)
        return cls(tuple(repr(value) for value in distinct.tolist()), codes.reshape(-1))

    def __len__(self) -> int:
        return len(self.codes)

    def __getitem__(self, row):
        if isinstance(row, slice):
            return [self.texts[code] for code in self.codes[row].tolist()]
        return self.texts[self.codes[row]]

    def __iter__(self) -> Iterator[str]:
        for start in range(0, len(self.codes), _AT_ONCE):
            yield from map(self.texts.__getitem__, self.codes[start : start + _AT_ONCE].tolist())

    @cached_property
    def keys(self) -> tuple[str, ...]:
        """The normalised form of each distinct text."""
        keys = (normalise(text) for text in self.texts)
        return tuple("" if key in self.missing else key for key in keys)

    @cached_property
    def values(self) -> tuple[str, ...]:
        """The distinct normalised labels, missing ones left out."""
        return tuple(dict.fromkeys(key for key in self.keys if key))

    @cached_property
    def counts(self) -> dict[str, int]:
        """How many cells hold each normalised label."""
        counts = dict.fromkeys(self.values, 0)
        for key, count in zip(self.keys, np.bincount(self.codes, minlength=len(self.keys)), strict=True):
            if key:
                counts[key] += int(count)
        return counts

    def first_outside(self, expected: Collection[str]) -> tuple[int, str]:
        """The first row (0-based) with a label that is not among `expected`, and that label."""
        outside = np.array([key != "" and key not in expected for key in self.keys])
        row = int(np.argmax(outside[self.codes]))
        return row, self.keys[self.codes[row]]

    def display(self, key: str) -> str:
        """The label as the user wrote it; numbers in their shortest form."""
        if number(key) is not None:
            return key
        return next((text.strip() for text, k in zip(self.texts, self.keys, strict=True) if k == key), key)

    def mapped(self, values: dict[str, int]) -> np.ndarray:
        """An int8 value per row: `values` of its label, 0 for every other label."""
        return np.array([values.get(key, 0) for key in self.keys], dtype=np.int8)[self.codes]


@dataclass(frozen=True, eq=False)
class CountedLabels(LabelColumn):
    """A column whose cells are gone: of each distinct text, how many cells had it and which row was the first."""

    text_counts: tuple[int, ...] = ()
    first_rows: tuple[int, ...] = ()
    n_rows: int = 0

    def __len__(self) -> int:
        return self.n_rows

    @cached_property
    def counts(self) -> dict[str, int]:
        """How many cells hold each normalised label."""
        counts = dict.fromkeys(self.values, 0)
        for key, count in zip(self.keys, self.text_counts, strict=True):
            if key:
                counts[key] += count
        return counts

    def first_outside(self, expected: Collection[str]) -> tuple[int, str]:
        """The first row (0-based) with a label that is not among `expected`, and that label."""
        cells = zip(self.first_rows, self.keys, strict=True)
        return min((row, key) for row, key in cells if key != "" and key not in expected)


def joined(first: Sequence[str], second: Sequence[str]) -> Sequence[str]:
    """The cells of both, as labels where the second are."""
    if not isinstance(second, LabelColumn):
        return [*first, *second]
    parts = LabelColumn.from_texts(first), second
    texts = tuple(dict.fromkeys(parts[0].texts + second.texts))
    position = {text: code for code, text in enumerate(texts)}
    kind = np.int8 if len(texts) < 128 else np.intp
    codes = [np.array([position[text] for text in part.texts], kind)[part.codes] for part in parts]
    return LabelColumn(texts, np.concatenate(codes))


def distinct_texts(cells: Sequence[str]) -> Collection[str]:
    """The texts that occur in the cells."""
    return cells.texts if isinstance(cells, LabelColumn) else set(cells)
