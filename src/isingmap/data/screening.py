"""Columns that will make trouble, named before any fit starts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from isingmap.data.moments import EmpiricalMoments
from isingmap.data.options import CONSTANT_RULES
from isingmap.data.table import Coding, SpinTable, counted, listed
from isingmap.data.tally import Tally, tally_of
from isingmap.data.treated import Treated
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
    kept, notes = screened(tally_of(table), table.names, table.codings, constant)
    if len(kept) < table.n_spins:
        treated = table.treated + Treated(constant=left_out(table.names, kept))
        table = replace(table.select(kept), treated=treated)
    return table.with_notes(*notes) if notes else table


def left_out(names: Sequence[str], kept: Sequence[int]) -> tuple[str, ...]:
    """Names of the columns that are not kept."""
    return tuple(name for j, name in enumerate(names) if j not in set(kept))


def screened(
    tally: Tally, names: Sequence[str], codings: Sequence[Coding], constant: str
) -> tuple[list[int], tuple[str, ...]]:
    """The columns that are kept, and the notes, of a table of which there are the sums: what `screen` does.

    Raises
    ------
    DataError
        As `screen`.

    Warns
    -----
    DataWarning
        As `screen`.
    """
    columns = _Columns.of(tally, names, codings)
    kept, notes = _without_constant(columns, constant)
    columns = columns if len(kept) == len(names) else columns.select(kept)
    for message in (*_few_rows(columns), *_rare(columns), *_twins(columns)):
        warn(message, DataWarning)
    return kept, notes


@dataclass(frozen=True, eq=False)
class _Columns:
    """Columns with the weight of -1 and of +1 in each."""

    tally: Tally
    names: Sequence[str]
    codings: Sequence[Coding]
    minus: np.ndarray
    plus: np.ndarray

    @classmethod
    def of(cls, tally: Tally, names: Sequence[str], codings: Sequence[Coding]) -> _Columns:
        known, sums = tally.seen_alone, tally.sums
        return cls(tally, names, codings, (known - sums).rounded() / 2, (known + sums).rounded() / 2)

    def select(self, kept: list[int]) -> _Columns:
        return _Columns.of(self.tally.select(kept), [self.names[j] for j in kept], [self.codings[j] for j in kept])


def constant_columns(table: SpinTable) -> np.ndarray:
    """Numbers of the columns without a -1 or without a +1 among the rows that count, int64."""
    weights = table.row_weights
    minus, plus = weights @ (table.spins == -1), weights @ (table.spins == 1)
    return np.flatnonzero((minus == 0) | (plus == 0))


def unbalanced_columns(moments: EmpiricalMoments) -> tuple[str, ...]:
    """Names of the columns with |mean| > 0.3, which a model without fields describes badly."""
    if moments.magnetizations is None:
        return ()
    return tuple(moments.names[i] for i in np.flatnonzero(np.abs(moments.magnetizations) > UNBALANCED))


def _without_constant(columns: _Columns, rule: str) -> tuple[list[int], tuple[str, ...]]:
    constant = np.flatnonzero((columns.minus == 0) | (columns.plus == 0))
    everything = list(range(len(columns.names)))
    if not constant.size:
        return everything, ()
    values = [_constant_value(columns, j) for j in constant.tolist()]
    what = f"{counted(constant.size, 'column')} with a single value: {listed(values)}"
    note = f"{counted(constant.size, 'column')} with a single value: {', '.join(values)}."  # all of them
    if rule == "keep":
        return everything, (f"Kept {note}",)
    if rule == "error":
        them = "it" if constant.size == 1 else "them"
        raise DataError(f"{what}. Leave {them} out, or use constant='drop'.")
    kept = [j for j in everything if j not in set(constant.tolist())]
    if not kept:
        raise DataError(f"{what}. No other column is left.")
    return kept, (f"Dropped {note}",)


def _constant_value(columns: _Columns, j: int) -> str:
    minus, plus = columns.minus[j], columns.plus[j]
    if minus == plus:
        return f"{columns.names[j]} (no value at all)"
    label = columns.codings[j].negative if minus else columns.codings[j].positive
    return f"{columns.names[j]} ({label} in all {minus + plus:,.10g})"


def _few_rows(columns: _Columns) -> list[str]:
    n_samples = float(columns.tally.total.rounded())
    needed = max(FEW_ROWS, len(columns.names))
    if n_samples >= needed:
        return []
    return [
        f"only {n_samples:,.10g} observation{'' if n_samples == 1 else 's'} for "
        f"{counted(len(columns.names), 'variable')} (at least {needed} are advisable): edges and couplings will vary "
        "much from sample to sample"
    ]


def _rare(columns: _Columns) -> list[str]:
    fewer = np.minimum(columns.minus, columns.plus)
    rare = np.flatnonzero((fewer > 0) & (fewer < FEW_OF_A_KIND))
    if not rare.size:
        return []
    shown = listed([_rare_value(columns, j) for j in rare.tolist()])
    return [
        f"{counted(rare.size, 'column')} with fewer than {FEW_OF_A_KIND} answers of a kind: {shown}; all that "
        "the map says of such a column rests on so few rows"
    ]


def _rare_value(columns: _Columns, j: int) -> str:
    minus, plus = columns.minus[j], columns.plus[j]
    label = columns.codings[j].negative if minus < plus else columns.codings[j].positive
    return f"{columns.names[j]} ({label!r} in {min(minus, plus):.10g} of {minus + plus:,.10g} rows)"


def _twins(columns: _Columns) -> list[str]:
    """Pairs that agree, or disagree, in every row that counts and has both: no finite coupling fits."""
    tally, names = columns.tally, columns.names
    seen = np.triu(~tally.seen.are_zero(), 1)
    messages = []
    for sign, what in ((1, "identical"), (-1, "complementary")):
        pairs = np.argwhere(seen & (tally.products - tally.seen * sign).are_zero())
        if len(pairs):
            shown = listed([f"{names[i]} - {names[j]}" for i, j in pairs])
            messages.append(
                f"{counted(len(pairs), 'pair')} of columns {what} in all rows: {shown}; the coupling of such "
                "a pair has no finite estimate without a prior"
            )
    return messages
