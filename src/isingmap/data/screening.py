"""Columns that will make trouble, named before any fit starts."""

from __future__ import annotations

import numpy as np

from isingmap.data.moments import EmpiricalMoments, pair_sums
from isingmap.data.options import CONSTANT_RULES
from isingmap.data.table import SpinTable, counted, listed
from isingmap.errors import DataError, DataWarning
from isingmap.warned import warn

FEW_OF_A_KIND = 2
FEW_ROWS = 40
UNBALANCED = 0.3


def screen(table: SpinTable, *, constant: str = "error") -> SpinTable:
    """Look for constant, rare, duplicate and complementary columns and for too few rows.

    Parameters
    ----------
    table : SpinTable
    constant : {"error", "drop", "keep"}
        What to do with columns that hold one value only: refuse them, leave them out with a note, or keep them with
        a note (their fields are finite only under a prior).

    Returns
    -------
    SpinTable
        `table`, without its constant columns if they were dropped.

    Raises
    ------
    DataError
        Naming all constant columns with their value and count; or if no other column is left.

    Warns
    -----
    DataWarning
        One warning per kind, naming the columns (the first ten, then a count). Cost O(n_samples n_spins^2).
    """
    if constant not in CONSTANT_RULES:
        raise DataError(f"unknown rule for constant columns {constant!r}; choose {', '.join(CONSTANT_RULES)}")
    table = _without_constant(table, constant)
    for message in (*_few_rows(table), *_rare(table), *_twins(table)):
        warn(message, DataWarning, stacklevel=2)
    return table


def unbalanced_columns(moments: EmpiricalMoments) -> tuple[str, ...]:
    """Names of the columns with |mean| > 0.3, which a model without fields describes badly."""
    if moments.magnetizations is None:
        return ()
    return tuple(moments.names[i] for i in np.flatnonzero(np.abs(moments.magnetizations) > UNBALANCED))


def _value_counts(table: SpinTable) -> tuple[np.ndarray, np.ndarray]:
    """Weight of -1 and of +1 in each column."""
    weights = np.ones(table.n_samples) if table.weights is None else table.weights
    return weights @ (table.spins == -1), weights @ (table.spins == 1)


def _without_constant(table: SpinTable, rule: str) -> SpinTable:
    minus, plus = _value_counts(table)
    constant = np.flatnonzero((minus == 0) | (plus == 0))
    if not constant.size:
        return table
    values = [_constant_value(table, j, minus[j], plus[j]) for j in constant.tolist()]
    what = f"{counted(constant.size, 'column')} with a single value: {listed(values)}"
    note = f"{counted(constant.size, 'column')} with a single value: {', '.join(values)}."  # all of them
    if rule == "keep":
        return table.with_notes(f"Kept {note}")
    if rule == "error":
        them = "it" if constant.size == 1 else "them"
        raise DataError(f"{what}. Leave {them} out, or use constant='drop'.")
    kept = [j for j in range(table.n_spins) if j not in set(constant.tolist())]
    if not kept:
        raise DataError(f"{what}. No other column is left.")
    return table.select(kept).with_notes(f"Dropped {note}")


def _constant_value(table: SpinTable, j: int, minus: float, plus: float) -> str:
    if minus == plus:
        return f"{table.names[j]} (no value at all)"
    label = table.codings[j].negative if minus else table.codings[j].positive
    return f"{table.names[j]} ({label} in all {minus + plus:,.10g})"


def _few_rows(table: SpinTable) -> list[str]:
    n_samples = table.n_samples if table.weights is None else table.weights.sum()
    needed = max(FEW_ROWS, table.n_spins)
    if n_samples >= needed:
        return []
    return [
        f"only {n_samples:,.10g} observation{'' if n_samples == 1 else 's'} for "
        f"{counted(table.n_spins, 'variable')} (at least {needed} are advisable): edges and couplings will vary "
        "much from sample to sample"
    ]


def _rare(table: SpinTable) -> list[str]:
    minus, plus = _value_counts(table)
    fewer = np.minimum(minus, plus)
    rare = np.flatnonzero((fewer > 0) & (fewer < FEW_OF_A_KIND))
    if not rare.size:
        return []
    shown = listed([_rare_value(table, j, minus[j], plus[j]) for j in rare.tolist()])
    return [
        f"{counted(rare.size, 'column')} with fewer than {FEW_OF_A_KIND} answers of a kind: {shown}; all that "
        "the map says of such a column rests on so few rows"
    ]


def _rare_value(table: SpinTable, j: int, minus: float, plus: float) -> str:
    label = table.codings[j].negative if minus < plus else table.codings[j].positive
    return f"{table.names[j]} ({label!r} in {min(minus, plus):.10g} of {minus + plus:,.10g} rows)"


def _twins(table: SpinTable) -> list[str]:
    """Pairs that agree, or disagree, in every row where both are observed: no finite coupling fits."""
    used = table.spins if table.weights is None else table.spins[table.weights > 0]
    sums, counts = pair_sums(used, None)
    seen = np.triu(counts > 0, 1)
    messages = []
    for sign, what in ((1, "identical"), (-1, "complementary")):
        pairs = np.argwhere(seen & (sums == sign * counts))
        if len(pairs):
            shown = listed([f"{table.names[i]} - {table.names[j]}" for i, j in pairs])
            messages.append(
                f"{counted(len(pairs), 'pair')} of columns {what} in all rows: {shown}; the coupling of such "
                "a pair has no finite estimate without a prior"
            )
    return messages
