"""Arrays of numbers that hold -1 and 1, or 0 and 1, and nothing else: read without looking at cells one by one."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass

import numpy as np

from isingmap.compiled import kernel
from isingmap.data.tally import Tally

_ABSENT = 2
_LOW_ZERO = np.array([-1, 1, 0], np.int8)  # the spins of 0, 1 and _ABSENT


@dataclass(frozen=True, eq=False)
class PlainChunk:
    """Rows of spins, and the number that stands for -1.

    Attributes
    ----------
    spins : (n_rows, n_spins) int8
        0 where the array has NaN.
    low : {-1, 0}
    is_float : bool
    """

    spins: np.ndarray
    low: int
    is_float: bool

    @property
    def meaning(self) -> dict[str, int]:
        """The spin of each normalised label."""
        return {"1": 1, str(self.low): -1}

    def texts(
        self, sums: np.ndarray, n_known: np.ndarray, n_before: int, known: Sequence[Collection[str]]
    ) -> list[dict[str, tuple[int, int]]]:
        """Of each column the texts, each with its number of cells and first row.

        `sums` are those of the spins; texts that are `known` have a first row already.
        """
        n_rows = len(self.spins)
        end = ".0" if self.is_float else ""
        found = []
        for j, (n, total) in enumerate(zip(n_known.tolist(), sums.tolist(), strict=True)):
            counts = {
                (f"{self.low}{end}", -1): (n - total) // 2,
                (f"1{end}", 1): (n + total) // 2,
                ("nan", 0): n_rows - n,
            }
            found.append(
                {
                    text: (count, n_before + (0 if text in known[j] else int(np.argmax(self.spins[:, j] == spin))))
                    for (text, spin), count in counts.items()
                    if count
                }
            )
        return found


def plain_chunk(X) -> PlainChunk | None:
    """The rows of a plain array; None of everything else."""
    if type(X) is not np.ndarray or X.ndim != 2 or not X.size or X.dtype.kind not in "iuf":
        return None
    if X.dtype.kind == "f":
        return _plain_floats(X)
    low, high = X.min(), X.max()
    if low < -1 or high > 1:
        return None
    small = X if X.dtype == np.int8 else X.astype(np.int8)
    if low < 0:
        return PlainChunk(small, -1, False) if small.all() else None
    return PlainChunk(2 * small - np.int8(1), 0, False)


def _plain_floats(X: np.ndarray) -> PlainChunk | None:
    spins = np.empty(X.shape, np.int8)
    has_low, has_zero, is_other = _read_floats(np.ascontiguousarray(X, np.float64), spins)
    if is_other or (has_low and has_zero):
        return None
    if has_zero:
        spins = _LOW_ZERO[spins]
    else:
        spins[spins == _ABSENT] = 0
    return PlainChunk(spins, -1 if has_low else 0, True)


@kernel
def _read_floats(X, spins):
    """Numbers as spins, 2 for NaN; whether there are -1, 0, and others."""
    n_rows, n_columns = X.shape
    has_low, has_zero, is_other = False, False, False
    for row in range(n_rows):
        for j in range(n_columns):
            x = X[row, j]
            absent = x != x
            spins[row, j] = 2 * absent + (x == 1.0) - (x == -1.0)
            has_low |= x == -1.0
            has_zero |= x == 0.0
            is_other |= not (absent or x == 1.0 or x == -1.0 or x == 0.0)
    return has_low, has_zero, is_other


def column_counts(spins: np.ndarray, tally: Tally, weights: np.ndarray | None) -> tuple[np.ndarray, np.ndarray]:
    """Sum of the spins and number of known cells of each column, from the tally where it has them."""
    sums, known = tally.sums.parts, tally.seen_alone.parts
    if weights is None and set(known) == {0} and (known[0] + tally.missing == len(spins)).all():
        return sums[0], known[0]
    return spins.sum(axis=0, dtype=np.int64), np.count_nonzero(spins, axis=0)
