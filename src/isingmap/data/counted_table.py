"""A table whose rows are gone."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

import numpy as np

from isingmap.data.missing import missing_applied
from isingmap.data.missing_patterns import MissingPatterns
from isingmap.data.moments import EmpiricalMoments, moments_of
from isingmap.data.screening import left_out, screened
from isingmap.data.table import Coding
from isingmap.data.tally import Tally
from isingmap.data.treated import Treated
from isingmap.errors import DataError


@dataclass(frozen=True, eq=False)
class CountedTable:
    """What `SpinTable` knows of the columns, and the sums over the rows.

    Attributes
    ----------
    names, codings, notes, groups, details, treated
        As in SpinTable.
    tally : Tally
    patterns : MissingPatterns or None
        None where no standard error needs them, or there are too many.
    missing : str
        The rule for missing cells under which rows were added up.
    columns : list of int
        Which of the columns that passed these are.
    """

    names: tuple[str, ...]
    codings: tuple[Coding, ...]
    tally: Tally
    notes: tuple[str, ...]
    patterns: MissingPatterns | None
    missing: str
    columns: list[int]
    groups: tuple[str, ...] | None = None
    details: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    treated: Treated = field(default_factory=Treated)

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

    def with_notes(self, *notes: str) -> CountedTable:
        """The same table with more sentences in `notes`."""
        return replace(self, notes=self.notes + notes)

    def screened(self, missing: str, constant: str) -> CountedTable:
        """The table after the rules for missing cells and for columns with a single value.

        Raises
        ------
        DataError
            As `apply_missing` and `screen`; and where the rule for missing cells came too late.

        Warns
        -----
        DataWarning
            As `apply_missing` and `screen`.
        """
        if "drop" in (missing, self.missing) and missing != self.missing and self.tally.n_missing:
            raise DataError(
                f"missing={missing!r} comes too late: the rows were added up under missing={self.missing!r}. "
                "Whether rows with a missing cell are left out must be said before they are gone"
            )
        tally, notes = missing_applied(self.tally, self.names, missing)
        if missing == "pairwise" and tally.n_missing and self.patterns is None:
            raise DataError(
                "missing='pairwise' takes standard errors from which cells are missing together, and the rows that "
                "passed hold too many patterns of that, or were not added up under missing='pairwise'. "
                "Use missing='drop' or missing='minus', or fit the whole table at once"
            )
        if tally.total.are_zero():
            raise DataError("all weights are zero, so no observation is left; at least one must be positive")
        kept, more = screened(tally, self.names, self.codings, constant)
        treated = Treated(
            dropped_rows=self.tally.n_incomplete if missing == "drop" else 0,
            minus_cells=self.tally.n_missing if missing == "minus" else 0,
            constant=left_out(self.names, kept),
        )
        whole = replace(self, tally=tally, notes=(*self.notes, *notes, *more), treated=self.treated + treated)
        return whole.select(kept)

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
