"""Arrays of numbers that hold -1 and 1, or 0 and 1, and nothing else: read without looking at cells one by one."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass

import numpy as np


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

    def texts(self, n_before: int, known: Sequence[Collection[str]]) -> list[dict[str, tuple[int, int]]]:
        """Of each column the texts, each with its number of cells and first row; `known` have a first row already."""
        n_rows = len(self.spins)
        sums = self.spins.sum(axis=0, dtype=np.int64)
        n_known = np.full(len(sums), n_rows) if self.spins.all() else np.count_nonzero(self.spins, axis=0)
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
    absent = None
    if X.dtype.kind == "f":
        absent = np.isnan(X)
        absent = absent if absent.any() else None
        X = X if absent is None else np.where(absent, 1, X)
    low, high = X.min(), X.max()
    if low < -1 or high > 1:
        return None
    small = X if X.dtype == np.int8 else X.astype(np.int8)
    if X.dtype.kind == "f" and not (small == X).all():
        return None
    if low < 0 and not small.all():
        return None
    spins = small if low < 0 else 2 * small - np.int8(1)
    if absent is not None:
        spins = np.where(absent, np.int8(0), spins)
    return PlainChunk(spins, -1 if low < 0 else 0, absent is not None or X.dtype.kind == "f")
