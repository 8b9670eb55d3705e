"""What to do with missing cells; every rule says in the notes what it did."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from isingmap.data.options import MISSING_RULES
from isingmap.data.table import SpinTable, counted, listed
from isingmap.data.tally import Tally, missing_counts
from isingmap.errors import DataError, DataWarning
from isingmap.warned import warn

# From this share on a rule that invents cells shapes the result.
LARGE_SHARE = 0.05


def apply_missing(table: SpinTable, rule: str) -> SpinTable:
    """The table after applying a rule for missing cells; `table` itself if nothing is missing.

    Parameters
    ----------
    table : SpinTable
    rule : {"error", "drop", "minus", "pairwise"}
        Refuse; drop the rows that have one (listwise); read them as -1 (the paper's rule for votes not cast);
        keep them, so that each pair of columns uses the rows where both are known.

    Raises
    ------
    DataError
        For an unknown rule; for "error" when cells are missing; for "drop" when no row is complete.

    Warns
    -----
    DataWarning
        For "minus", when a twentieth of all cells is missing, or more than half of a row.
    """
    if rule not in MISSING_RULES:
        raise DataError(f"unknown rule for missing cells {rule!r}; choose one of {', '.join(MISSING_RULES)}")
    if not table.n_missing:
        return table
    gaps = Gaps.of(table.names, table.spins)
    if rule == "error":
        raise gaps.refusal
    if rule == "pairwise":
        return table.with_notes(gaps.kept)
    if rule == "minus":
        gaps.warn_of_invented(stacklevel=2)
        return replace(table, spins=np.where(table.spins == 0, np.int8(-1), table.spins)).with_notes(gaps.minus)
    complete = (table.spins != 0).all(axis=1)
    weights = None if table.weights is None else table.weights[complete]
    if not complete.any() or (weights is not None and not weights.any()):
        raise gaps.nothing_left
    clusters = None if table.clusters is None else table.clusters[complete]
    return replace(table, spins=table.spins[complete], weights=weights, clusters=clusters).with_notes(gaps.dropped)


def missing_applied(tally: Tally, names: Sequence[str], rule: str) -> tuple[Tally, tuple[str, ...]]:
    """The same, where there are the sums over the rows: the new ones, and the notes.

    Parameters
    ----------
    tally : Tally
        For "drop" of the complete rows only, with the counts of missing cells of all rows.
    names : sequence of str
    rule : {"error", "drop", "minus", "pairwise"}

    Raises
    ------
    DataError
        As `apply_missing`.

    Warns
    -----
    DataWarning
        As `apply_missing`.
    """
    if not tally.n_missing:
        return tally, ()
    gaps = Gaps(names, tally.missing, tally.n_rows, tally.n_incomplete, tally.n_sparse)
    if rule == "error":
        raise gaps.refusal
    if rule == "pairwise":
        return tally, (gaps.kept,)
    if rule == "minus":
        gaps.warn_of_invented(stacklevel=2)
        return tally.with_minus(), (gaps.minus,)
    if tally.total.are_zero():
        raise gaps.nothing_left
    return tally.without_gaps(), (gaps.dropped,)


@dataclass(frozen=True, eq=False)
class Gaps:
    """The missing cells of a table, counted, and what is said of them.

    Attributes
    ----------
    names : sequence of str
    per_column : (n_spins,) int array
    n_rows, n_incomplete, n_sparse : int
        All rows, those with a missing cell, those that lack more than half of the cells.
    """

    names: Sequence[str]
    per_column: np.ndarray
    n_rows: int
    n_incomplete: int
    n_sparse: int

    @classmethod
    def of(cls, names: Sequence[str], spins: np.ndarray) -> Gaps:
        """Count the zeros of a table of spins."""
        per_column, n_incomplete, n_sparse = missing_counts(spins)
        return cls(names, per_column, len(spins), n_incomplete, n_sparse)

    @property
    def extent(self) -> str:
        """How many cells, in how many rows."""
        cells = counted(int(self.per_column.sum()), "missing cell")
        return f"{cells} in {self.n_incomplete:,} of {counted(self.n_rows, 'row')}"

    @property
    def refusal(self) -> DataError:
        """What is raised where no rule was chosen."""
        order = np.argsort(-self.per_column, kind="stable")
        affected = [f"{self.names[j]} ({self.per_column[j]:,})" for j in order if self.per_column[j]]
        return DataError(
            f"{self.extent} (empty, NaN or NA); by column: {listed(affected)}. Choose a rule: missing='drop' "
            "(leave out these rows), missing='minus' (read them as -1) or missing='pairwise' (each pair of columns "
            "uses the rows where both are known)."
        )

    @property
    def nothing_left(self) -> DataError:
        """What is raised where every row has a missing cell."""
        return DataError(f"{self.extent}: no complete row is left. Use missing='minus' or missing='pairwise'.")

    @property
    def dropped(self) -> str:
        left = f"{self.n_rows - self.n_incomplete:,} left"
        return f"{counted(self.n_incomplete, 'row')} with a missing cell dropped, {left}."

    @property
    def minus(self) -> str:
        return f"{self.extent} read as -1."

    @property
    def kept(self) -> str:
        return f"{self.extent}: each pair of columns uses the rows where both are known."

    def warn_of_invented(self, *, stacklevel: int) -> None:
        """Where so many cells are read as -1 that they shape the result.

        Warns
        -----
        DataWarning
        """
        share = float(self.per_column.sum()) / (self.n_rows * len(self.names))
        n_absent = self.n_sparse
        if share >= LARGE_SHARE or n_absent:
            rows = f"; {counted(n_absent, 'row')} {'lacks' if n_absent == 1 else 'lack'} more than half of the cells"
            warn(
                f"missing='minus' invents {share:.1%} of all cells{rows if n_absent else ''}. Columns with missing "
                "cells in the same rows will look tied. missing='drop' and missing='pairwise' invent nothing",
                DataWarning,
                stacklevel=stacklevel + 1,
            )
