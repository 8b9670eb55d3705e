"""A table whose rows are gone."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

import numpy as np

from isingmap.data.missing_patterns import MissingPatterns
from isingmap.data.moments import EmpiricalMoments, moments_of
from isingmap.data.table import Coding
from isingmap.data.tally import Tally


@dataclass(frozen=True, eq=False)
class CountedTable:
    """What `SpinTable` knows of the columns, and the sums over the rows.

    Attributes
    ----------
    names, codings, notes, groups, details
        As in SpinTable.
    tally : Tally
    patterns : MissingPatterns or None
        None where no standard error needs them, or there are too many.
    columns : list of int
        Which of the columns that passed these are.
    """

    names: tuple[str, ...]
    codings: tuple[Coding, ...]
    tally: Tally
    notes: tuple[str, ...]
    patterns: MissingPatterns | None
    columns: list[int]
    groups: tuple[str, ...] | None = None
    details: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    def select(self, kept: list[int]) -> CountedTable:
        """The table of some of the columns."""
        return replace(
            self,
            names=tuple(self.names[j] for j in kept),
            codings=tuple(self.codings[j] for j in kept),
            tally=self.tally.select(kept),
            columns=[self.columns[j] for j in kept],
            groups=None if self.groups is None else tuple(self.groups[j] for j in kept),
            details={title: tuple(texts[j] for j in kept) for title, texts in self.details.items()},
        )

    def moments(self) -> EmpiricalMoments:
        """Their moments.

        Raises
        ------
        DataError
            As `empirical_moments`.

        Warns
        -----
        DataWarning
            As `empirical_moments`.
        """
        return moments_of(self.tally, self.names, self.codings)

    def overlap(self, edges: np.ndarray, fields: np.ndarray) -> np.ndarray | None:
        """What standard errors of pairwise moments need, see `data.moments.overlap`; None of complete rows."""
        if not self.tally.n_missing or self.patterns is None:
            return None
        return self.patterns.overlap(self.columns, edges, fields)
