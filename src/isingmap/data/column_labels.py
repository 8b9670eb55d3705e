"""The labels of a column that passes in parts: how often each occurs, where first, and its spin for the time being."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from isingmap.data.labels import PAIRS, CountedLabels, LabelColumn, normalise
from isingmap.errors import DataError
from isingmap.files.number_text import number

MOST_TEXTS = 1 << 16  # that are counted in one column
_POSITIVE = {positive for _, positive in PAIRS}


class ColumnLabels:
    """Which label is +1 is known when all have been seen; until then the first two have the spins +1 and -1.

    Parameters
    ----------
    name : str
    missing : frozenset of str
        Normalised labels that are missing.
    threshold : float, optional
        From which number on a cell is +1, where that is known from the start.
    """

    def __init__(self, name: str, missing: frozenset[str], threshold: float | None):
        self.name, self.missing, self.threshold = name, missing, threshold
        self.are_numbers = True  # cells of arrays of numbers
        self.counts: dict[str, int] = {}
        self.first: dict[str, int] = {}
        self.spin_of: dict[str, int] = {}
        self._key_of: dict[str, str] = {}

    def key(self, text: str) -> str:
        """The normalised label of a text; "" if it is missing."""
        if text not in self._key_of:
            key = normalise(text)
            self._key_of[text] = "" if key in self.missing else key
        return self._key_of[text]

    def add(self, texts: Mapping[str, tuple[int, int]]) -> None:
        """Count texts, each with its number of cells and first row.

        Raises
        ------
        DataError
            Where there are so many that the column is no answer.
        """
        for text, (count, row) in texts.items():
            self.counts[text] = self.counts.get(text, 0) + count
            self.first[text] = min(self.first.get(text, row), row)
            key = self.key(text)
            if key and key not in self.spin_of:
                self.spin_of[key] = self._new_spin(key)
        if len(self.counts) > MOST_TEXTS:
            raise DataError(
                f"column {self.name!r} has more than {MOST_TEXTS:,} different values; a column of answers has two. If "
                "it is an id, set it aside (id_column= of a file); if it holds measurements, write -1 and 1 in place "
                "of the numbers, or fit the whole table at once"
            )

    def _new_spin(self, key: str) -> int:
        if self.threshold is not None:
            value = number(key)
            return 0 if value is None else 1 if value >= self.threshold else -1
        free = [spin for spin in (1, -1) if spin not in self.spin_of.values()]
        wanted = 1 if key in _POSITIVE else -1
        return wanted if wanted in free else free[0] if free else 0

    def spins(self, column: LabelColumn, n_before: int) -> np.ndarray:
        """Count the cells of a part and return their spins for the time being, int8.

        Raises
        ------
        DataError
            As `add`.
        """
        counts = np.bincount(column.codes, minlength=len(column.texts)).tolist()
        found = {}
        for code, (text, count) in enumerate(zip(column.texts, counts, strict=True)):
            if count:
                row = 0 if text in self.first else int(np.argmax(column.codes == code))
                found[text] = (count, self.first.get(text, n_before + row))
        self.add(found)
        values = [self.spin_of.get(self.key(text), 0) for text in column.texts]
        return np.array(values, dtype=np.int8)[column.codes]

    def merge(self, other: ColumnLabels, n_before: int) -> int:
        """Count the cells of another part, whose rows come behind; the sign that its spins take.

        Raises
        ------
        DataError
            As `add`.
        """
        self.add({text: (count, other.first[text] + n_before) for text, count in other.counts.items()})
        self.are_numbers &= other.are_numbers
        common = [key for key in other.spin_of if self.spin_of[key] and other.spin_of[key]]
        return self.spin_of[common[0]] * other.spin_of[common[0]] if common else 1

    def sign(self, values: Mapping[str, int]) -> int:
        """The sign that the spins take when the labels mean `values`."""
        known = [key for key, spin in values.items() if self.spin_of.get(key)]
        return values[known[0]] * self.spin_of[known[0]] if known else 1

    def column(self, n_rows: int) -> CountedLabels:
        """The column for `coding.decided_codings`, its texts as they first occurred or, if all are numbers, by size."""
        texts = sorted(self.counts, key=self.first.__getitem__)
        if self.are_numbers:
            texts.sort(key=_size)
        return CountedLabels(
            *(tuple(texts), np.empty(0, np.intp)),
            text_counts=tuple(self.counts[text] for text in texts),
            first_rows=tuple(self.first[text] for text in texts),
            n_rows=n_rows,
        )


def _size(text: str) -> float:
    value = float({"True": "1", "False": "0"}.get(text, text))
    return np.inf if value != value else value
