"""All pairs of variables, as the records of many fits count them; the fits have columns in the order of their names."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from isingmap.cached import cached_property
from isingmap.resampling.refit import Outcome


class OfPairs:
    """A record with `names`, whose pairs are all pairs of variables i < j, row by row, in the order of the columns."""

    if TYPE_CHECKING:

        @property
        def names(self) -> tuple[str, ...]:
            """The variables."""

    @cached_property
    def pairs(self) -> np.ndarray:
        """(n_pairs, 2) int64."""
        return np.stack(np.triu_indices(len(self.names), 1), axis=1)

    @property
    def pair_names(self) -> list[tuple[str, str]]:
        """The same by name."""
        return [(self.names[i], self.names[j]) for i, j in self.pairs.tolist()]

    def numbers_of(self, edges: np.ndarray) -> np.ndarray:
        """Where edges i < j stand among the pairs."""
        i, j = np.asarray(edges, np.int64).reshape(-1, 2).T
        return i * len(self.names) - i * (i + 1) // 2 + j - i - 1

    def numbers_of_fit(self, outcome: Outcome) -> np.ndarray:
        """The same of the edges of a fit."""
        return self.numbers_of(np.sort(self._place[outcome.edges], axis=1))

    @cached_property
    def _place(self) -> np.ndarray:
        """Of a column in the order of the names, in that of the table."""
        return np.array(sorted(range(len(self.names)), key=self.names.__getitem__), np.int64)
