"""What to do with missing cells; every rule says in the notes what it did."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from isingmap.data.options import MISSING_RULES
from isingmap.data.table import SpinTable, counted, listed
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
    return {"error": _refuse, "drop": _drop_rows, "minus": _as_minus, "pairwise": _keep}[rule](table)


def _extent(table: SpinTable) -> str:
    n_rows = int(np.count_nonzero((table.spins == 0).any(axis=1)))
    cells = counted(table.n_missing, "missing cell")
    return f"{cells} in {n_rows:,} of {counted(table.n_samples, 'row')}"


def _refuse(table: SpinTable) -> SpinTable:
    per_column = np.count_nonzero(table.spins == 0, axis=0)
    order = np.argsort(-per_column, kind="stable")
    affected = [f"{table.names[j]} ({per_column[j]:,})" for j in order if per_column[j]]
    raise DataError(
        f"{_extent(table)} (empty, NaN or NA); by column: {listed(affected)}. Choose a rule: missing='drop' "
        "(leave out these rows), missing='minus' (read them as -1) or missing='pairwise' (each pair of columns uses "
        "the rows where both are known)."
    )


def _drop_rows(table: SpinTable) -> SpinTable:
    complete = (table.spins != 0).all(axis=1)
    weights = None if table.weights is None else table.weights[complete]
    if not complete.any() or (weights is not None and not weights.any()):
        raise DataError(f"{_extent(table)}: no complete row is left. Use missing='minus' or missing='pairwise'.")
    dropped = table.n_samples - int(complete.sum())
    note = f"{counted(dropped, 'row')} with a missing cell dropped, {int(complete.sum()):,} left."
    clusters = None if table.clusters is None else table.clusters[complete]
    return replace(table, spins=table.spins[complete], weights=weights, clusters=clusters).with_notes(note)


def _as_minus(table: SpinTable) -> SpinTable:
    absent = table.spins == 0
    share, n_absent = float(absent.mean()), int((absent.mean(axis=1) > 0.5).sum())
    if share >= LARGE_SHARE or n_absent:
        rows = f"; {counted(n_absent, 'row')} {'lacks' if n_absent == 1 else 'lack'} more than half of the cells"
        warn(
            f"missing='minus' invents {share:.1%} of all cells{rows if n_absent else ''}. Columns with missing cells "
            "in the same rows will look tied. missing='drop' and missing='pairwise' invent nothing",
            DataWarning,
            stacklevel=3,
        )
    note = f"{_extent(table)} read as -1."
    return replace(table, spins=np.where(table.spins == 0, np.int8(-1), table.spins)).with_notes(note)


def _keep(table: SpinTable) -> SpinTable:
    return table.with_notes(f"{_extent(table)}: each pair of columns uses the rows where both are known.")
