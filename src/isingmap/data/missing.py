"""What to do with missing cells; every rule says in the notes what it did."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from isingmap.data.options import EM, MISSING_RULES
from isingmap.data.table import SpinTable, counted, listed
from isingmap.data.tally import Tally, missing_counts
from isingmap.data.treated import Treated
from isingmap.errors import DataError, DataWarning
from isingmap.warned import warn

# From this share on a rule that invents cells shapes the result.
LARGE_SHARE = 0.05


def apply_missing(table: SpinTable, rule: str) -> SpinTable:
    """The table after applying a rule for missing cells; `table` itself if nothing is missing.

    Parameters
    ----------
    table : SpinTable
    rule : {"error", "em", "drop", "minus", "pairwise"}
        Refuse; keep them for the EM algorithm, but for rows that show nothing; drop the rows that have one (listwise);
        read them as -1 (the paper's rule for votes not cast); keep them, so that each pair of columns uses the rows
        where both are known.

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
    if rule == EM:
        left = _of_rows(table, (table.spins != 0).any(axis=1), gaps, Treated(empty_rows=gaps.n_empty))
        return left.with_notes(*gaps.expected)
    if rule == "minus":
        gaps.warn_of_invented()
        spins = np.where(table.spins == 0, np.int8(-1), table.spins)
        treated = table.treated + Treated(minus_cells=table.n_missing)
        return replace(table, spins=spins, treated=treated).with_notes(gaps.minus)
    complete = (table.spins != 0).all(axis=1)
    return _of_rows(table, complete, gaps, Treated(dropped_rows=gaps.n_incomplete)).with_notes(gaps.dropped)


def _of_rows(table: SpinTable, kept: np.ndarray, gaps: Gaps, treated: Treated) -> SpinTable:
    if kept.all():
        return table
    weights = None if table.weights is None else table.weights[kept]
    if not kept.any() or (weights is not None and not weights.any()):
        raise gaps.nothing_left
    clusters = None if table.clusters is None else table.clusters[kept]
    treated = table.treated + treated
    return replace(table, spins=table.spins[kept], weights=weights, clusters=clusters, treated=treated)


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
        As `apply_missing`; and for "em", which needs the rows.

    Warns
    -----
    DataWarning
        As `apply_missing`.
    """
    refuse_em_of_sums(rule)
    if not tally.n_missing:
        return tally, ()
    gaps = Gaps(names, tally.missing, tally.n_rows, tally.n_incomplete, tally.n_sparse, there_are_rows=False)
    if rule == "error":
        raise gaps.refusal
    if rule == "pairwise":
        return tally, (gaps.kept,)
    if rule == "minus":
        gaps.warn_of_invented()
        return tally.with_minus(), (gaps.minus,)
    if tally.total.are_zero():
        raise gaps.nothing_left
    return tally.without_gaps(), (gaps.dropped,)


def refuse_em_of_sums(rule: str) -> None:
    """The EM algorithm asks every row what its missing cells may have been, and sums over rows do not tell.

    Raises
    ------
    DataError
        For "em".
    """
    if rule == EM:
        raise DataError(
            "missing='em' looks at single rows, again and again, and of rows that pass in parts only sums are kept. "
            "Give `fit` the whole table at once, or take missing='drop', missing='minus' or missing='pairwise'"
        )


@dataclass(frozen=True, eq=False)
class Gaps:
    """The missing cells of a table, counted, and what is said of them.

    Attributes
    ----------
    names : sequence of str
    per_column : (n_spins,) int array
    n_rows, n_incomplete, n_sparse : int
        All rows, those with a missing cell, those that lack more than half of the cells.
    n_empty : int
        Rows that lack all cells.
    there_are_rows : bool
        Or only sums over them.
    """

    names: Sequence[str]
    per_column: np.ndarray
    n_rows: int
    n_incomplete: int
    n_sparse: int
    n_empty: int = 0
    there_are_rows: bool = True

    @classmethod
    def of(cls, names: Sequence[str], spins: np.ndarray) -> Gaps:
        """Count the zeros of a table of spins."""
        per_column, n_incomplete, n_sparse = missing_counts(spins)
        n_empty = len(spins) - int(spins.any(axis=1).sum())
        return cls(names, per_column, len(spins), n_incomplete, n_sparse, n_empty)

    @property
    def extent(self) -> str:
        """How many cells, in how many rows."""
        cells = counted(int(self.per_column.sum()), "missing cell")
        return f"{cells} in {self.n_incomplete:,} of {counted(self.n_rows, 'row')}"

    @property
    def refusal(self) -> DataError:
        """What is raised where no rule was chosen."""
        blank = [self.names[j] for j in np.flatnonzero(self.per_column == self.n_rows).tolist()]
        if blank:
            verb, them = ("has", "it") if len(blank) == 1 else ("have", "them")
            return DataError(
                f"{listed([repr(name) for name in blank])} {verb} no value in any row; leave {them} out "
                f"({listed([f'drop_column={name!r}' for name in blank])}), or by constant='drop' and missing='pairwise'"
            )
        order = np.argsort(-self.per_column, kind="stable")
        affected = [f"{self.names[j]} ({self.per_column[j]:,})" for j in order if self.per_column[j]]
        return DataError(
            f"{self.extent} (empty, NaN or NA); by column: {listed(affected)}. Choose a rule: {self._em}missing='drop' "
            "(leave out these rows), missing='minus' (read them as -1) or missing='pairwise' (each pair of columns "
            "uses the rows where both are known)."
        )

    @property
    def nothing_left(self) -> DataError:
        """What is raised where every row has a missing cell."""
        if self.n_empty == self.n_rows:
            return DataError(f"{self.extent}: no cell is known at all.")
        em = "missing='em', " if self.there_are_rows else ""
        return DataError(f"{self.extent}: no complete row is left. Use {em}missing='minus' or missing='pairwise'.")

    @property
    def _em(self) -> str:
        if not self.there_are_rows:
            return ""
        return "missing='em' (the model that makes what was observed most probable; nothing is lost or invented), "

    @property
    def expected(self) -> tuple[str, ...]:
        """What the EM algorithm makes of them."""
        empty = f"{counted(self.n_empty, 'row')} without any known cell left out."
        told = f"{self.extent}: the model is the one that makes the known cells most probable (EM)."
        return (told, empty) if self.n_empty else (told,)

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

    def warn_of_invented(self) -> None:
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
            )
