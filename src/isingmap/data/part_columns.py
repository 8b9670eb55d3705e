"""The columns that all parts of a table must have: their names, and their labels or the coding they came with."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from isingmap.data.blanks import without_blanks
from isingmap.data.column_labels import ColumnLabels
from isingmap.data.table import SpinTable, checked_names, listed
from isingmap.errors import DataError


class PartColumns:
    """What the first part says of the columns, or the caller before it, and every further part is held against.

    Parameters
    ----------
    names : sequence of str, optional
    missing : frozenset of str
        Normalised labels that are missing.
    threshold : float, optional
        From which number on a cell is +1.

    Attributes
    ----------
    names : tuple of str or None
        Not known before the first part.
    are_named : bool
        Or called x1, x2, ...
    labels : list of ColumnLabels or None
        Where parts are no SpinTables.
    first : SpinTable or None
        One row of the first part, where they are.
    """

    def __init__(self, names: Sequence[str] | None, missing: frozenset[str], threshold: float | None):
        self.names = None if names is None else tuple(without_blanks(checked_names(names, len(names))))
        self.are_named = names is not None
        self.labels: list[ColumnLabels] | None = None
        self.first: SpinTable | None = None
        self._missing, self._threshold = missing, threshold

    def check(self, n_spins: int, names: Sequence[str] | None) -> tuple[str, ...]:
        """The names, which are those of this part; None: it has none.

        Raises
        ------
        DataError
            If it has other columns than the parts before.
        """
        if self.names is None:
            self.are_named = names is not None
            self.names = checked_names(names or [f"x{j + 1}" for j in range(n_spins)], n_spins)
        if len(self.names) != n_spins:
            raise DataError(
                f"X has {n_spins} features, but MomentAccumulator is expecting {len(self.names)} features as "
                "input, those of the rows before"
            )
        if names is not None and tuple(names) != self.names:
            pairs = zip(self.names, names, strict=True)
            other = [f"{new!r} in place of {old!r}" for old, new in pairs if new != old]
            raise DataError(f"parts must have the same columns in the same order: {listed(other)}")
        return self.names

    def opened(self, n_spins: int, names: Sequence[str] | None) -> list[ColumnLabels]:
        """The labels of the columns, which a part has.

        Raises
        ------
        DataError
            As `check`, and where SpinTables passed before.
        """
        if self.first is not None:
            raise DataError("SpinTables passed before; parts must be all SpinTables or none")
        names = self.check(n_spins, names)
        if self.labels is None:
            self.labels = [ColumnLabels(name, self._missing, self._threshold) for name in names]
        return self.labels

    def open_coded(self, table: SpinTable) -> None:
        """Take the coding of a part that has one.

        Raises
        ------
        DataError
            As `check`, where parts passed that are no SpinTables, and for other labels or groups.
        """
        if self.labels is not None:
            raise DataError("parts that are no SpinTables passed before; parts must be all SpinTables or none")
        self.check(table.n_spins, table.names)
        if self.first is None:
            self.first = replace(table, spins=table.spins[:1], weights=None)
        first = self.first
        if first.codings != table.codings:
            pairs = zip(table.names, first.codings, table.codings, strict=True)
            other = [f"{name} ({new}, before {old})" for name, old, new in pairs if new != old]
            raise DataError(f"parts with other labels cannot be added up: {listed(other)}")
        if first.groups != table.groups:
            raise DataError("parts must have the same groups of variables")
        self.first = replace(first, notes=tuple(dict.fromkeys(first.notes + table.notes)))
