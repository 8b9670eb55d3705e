"""Rows that pass in parts, on one machine or on many, and leave behind what a fit needs of them."""

from __future__ import annotations

import json
import zlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from os import PathLike, fspath
from zipfile import BadZipFile

import numpy as np

from isingmap.data.blanks import without_blanks
from isingmap.data.coding import Place, Positive, decided_codings, missing_keys
from isingmap.data.convert import columns_of, label_column
from isingmap.data.counted_table import CountedTable
from isingmap.data.labels import LabelColumn, MissingLabels
from isingmap.data.missing import missing_applied, refuse_em_of_sums
from isingmap.data.missing_patterns import MissingPatterns
from isingmap.data.moments import EmpiricalMoments
from isingmap.data.options import MISSING_RULES
from isingmap.data.part_columns import PartColumns
from isingmap.data.plain_chunks import PlainChunk, column_counts, plain_chunk
from isingmap.data.saved_sums import (
    arrays_of,
    arrays_of_sums,
    labels_document,
    labels_from,
    patterns_from,
    table_document,
    table_from,
    tally_from,
)
from isingmap.data.table import LARGEST_WEIGHT, SpinTable, counted, weights_of_part
from isingmap.data.tally import Tally, tally_of_part
from isingmap.errors import DataError, FileFormatError
from isingmap.files.whole_file import written_whole

_VERSION = 1  # of files


class MomentAccumulator:
    """Takes a table in parts and keeps sums only, so that memory does not grow with the number of rows.

    Labels are understood when all of them have been seen, as `fit` does with a whole table. All sums are exact: in
    whatever parts the rows come, and in whatever order accumulators are merged, moments are those of the whole table
    to the last bit; with weights, too.

    Parameters
    ----------
    names : sequence of str, optional
        By default those of the first data frame, or x1, x2, ...
    positive, threshold, missing_label
        See `isingmap.data.convert.as_spin_table`.
    missing : {"error", "drop", "minus", "pairwise"}
        As in PlanarIsing, but for "em", which looks at rows again and again; that complete rows only count
        ("drop") must be known before they are gone.

    Raises
    ------
    DataError
        For an unknown rule, or "em".

    Examples
    --------
    >>> import numpy as np
    >>> accumulator = MomentAccumulator()
    >>> for part in np.array_split(np.array([[0, 1], [1, 1], [0, 0], [1, 1]]), 2):
    ...     _ = accumulator.add(part)
    >>> accumulator.moments().magnetizations
    array([0. , 0.5])
    """

    def __init__(
        self,
        names: Sequence[str] | None = None,
        *,
        positive: Positive = None,
        threshold: float | None = None,
        missing_label: MissingLabels = None,
        missing: str = "error",
    ):
        if missing not in MISSING_RULES:
            raise DataError(f"unknown rule for missing cells {missing!r}; choose one of {', '.join(MISSING_RULES)}")
        refuse_em_of_sums(missing)
        self.positive, self.threshold, self.missing_label, self.missing = positive, threshold, missing_label, missing
        self.n_rows = 0
        self._columns = PartColumns(names, frozenset(missing_keys(missing_label)), threshold)
        self._tally: Tally | None = None
        self._patterns: MissingPatterns | None = None

    def __repr__(self) -> str:
        columns = "no columns" if self.names is None else counted(len(self.names), "column")
        return f"MomentAccumulator({counted(self.n_rows, 'row')} of {columns})"

    @property
    def names(self) -> tuple[str, ...] | None:
        """The variables; None before the first part."""
        return self._columns.names

    @property
    def are_named(self) -> bool:
        """Whether the variables have names of their own, or are called x1, x2, ..."""
        return self._columns.are_named

    @property
    def settings(self) -> dict[str, object]:
        """What was given, without the names."""
        return {name: getattr(self, name) for name in ("positive", "threshold", "missing_label", "missing")}

    def check_settings(self, settings: Mapping[str, object]) -> None:
        """Refuse other settings than those under which rows were added up.

        Raises
        ------
        DataError
            Naming the first that differs.
        """
        for name, value in settings.items():
            if self.settings[name] != value:
                raise DataError(
                    f"{name}={value!r} now, but the rows were added up under {name}={self.settings[name]!r}; what rows "
                    "mean cannot change when they are gone. Set it back, or begin anew"
                )

    def add(self, X, weights=None) -> MomentAccumulator:
        """Take the rows of a part, which may be none.

        Parameters
        ----------
        X : (n_rows, n_spins) array, data frame or SpinTable
            With the columns of the parts before, in their order. Fastest are arrays of int8.
        weights : (n_rows,) array of float, optional
            Frequency weights.

        Raises
        ------
        DataError
            If it is no table, or has other columns. Whether columns are two-valued is known in the end.
        """
        if np.ndim(X) == 2 and not len(X) and np.shape(X)[1]:
            return self._add_nothing(X, weights)
        if isinstance(X, SpinTable):
            return self._add_coded(X, weights)
        plain = plain_chunk(X) if self.threshold is None and not missing_keys(self.missing_label) else None
        if plain is not None:
            return self._add_plain(plain, weights)
        columns, names = columns_of(X)
        names = without_blanks(names)
        labels = [label_column(column) for column in columns]
        are_numbers = [column.dtype.kind in "biuf" for column in columns]
        return self.add_labels(labels, names if hasattr(X, "columns") else None, weights, are_numbers=are_numbers)

    def add_labels(
        self,
        columns: Sequence[LabelColumn],
        names: Sequence[str] | None,
        weights=None,
        *,
        are_numbers: Iterable[bool] | None = None,
    ) -> MomentAccumulator:
        """Take the rows of a part whose columns are factorised.

        Raises
        ------
        DataError
            As `add`.
        """
        of_columns = self._columns.opened(len(columns), names)
        weights = weights_of_part(weights, len(columns[0]))
        for labels, is_number in zip(of_columns, are_numbers or [False] * len(columns), strict=True):
            labels.are_numbers &= is_number
        spins = np.empty((len(columns[0]), len(columns)), np.int8)
        for j, (labels, column) in enumerate(zip(of_columns, columns, strict=True)):
            spins[:, j] = labels.spins(column, self.n_rows)
        return self._take(tally_of_part(spins, weights, self.missing), spins, weights)

    def merge(self, other: MomentAccumulator) -> MomentAccumulator:
        """Take the rows of another accumulator, which stays as it is. Its rows come behind in messages.

        Raises
        ------
        DataError
            If it has other columns or was made with other settings.
        """
        if self.settings != other.settings:
            raise DataError(
                "accumulators of different settings cannot be merged, because their rows mean different things: "
                f"{self.settings}, {other.settings}. Add up all rows with the same settings"
            )
        if other._tally is None:
            return self
        tally = other._tally
        others = other._columns
        if others.first is not None:
            self._columns.open_coded(others.first)
        elif others.labels is not None:
            pairs = zip(self._columns.opened(len(others.labels), others.names), others.labels, strict=True)
            tally = tally.turned(np.array([mine.merge(theirs, self.n_rows) for mine, theirs in pairs]))
        self._tally = tally if self._tally is None else self._tally + tally
        self._take_patterns(other._patterns, self.n_rows)
        self.n_rows += other.n_rows
        return self

    def counted(self, place: Place | None = None) -> CountedTable:
        """What passed, in the coding that all labels together have.

        Raises
        ------
        DataError
            If nothing passed, or columns are not two-valued; names them all.
        """
        if self._tally is None or self.names is None:
            raise DataError("no rows have passed yet; add(X), or partial_fit(X) of an estimator, takes them")
        if not self._tally.total.rounded() <= LARGEST_WEIGHT:
            raise DataError(f"the weights add up to more than {LARGEST_WEIGHT:g}; divide them all by one number")
        every = list(range(len(self.names)))
        of_columns = self._columns.labels
        if of_columns is None:
            first = self._columns.first
            assert first is not None
            more = (first.notes, self._patterns, self.missing, every, first.groups, first.details)
            return CountedTable(self.names, first.codings, self._tally, *more)
        columns = [labels.column(self.n_rows) for labels in of_columns]
        _, values, codings, notes = decided_codings(
            *(columns, self.names),
            positive=self.positive,
            threshold=self.threshold,
            missing_label=self.missing_label,
            place=place,
        )
        signs = [labels.sign(meant) for labels, meant in zip(of_columns, values, strict=True)]
        tally = self._tally.turned(np.array(signs))
        return CountedTable(self.names, codings, tally, notes, self._patterns, self.missing, every)

    def screened(self, missing: str, constant: str, place: Place | None = None) -> CountedTable:
        """What passed, after the rules for missing cells and for columns with a single value.

        Raises
        ------
        DataError
            As `counted`, `apply_missing` and `screen`; and where the rule for missing cells came too late.

        Warns
        -----
        DataWarning
            As `apply_missing` and `screen`.
        """
        return self.counted(place).screened(missing, constant)

    def moments(self) -> EmpiricalMoments:
        """The moments of what passed, under the rule for missing cells.

        Raises
        ------
        DataError
            As `counted`, `apply_missing` and `empirical_moments`.

        Warns
        -----
        DataWarning
            As `apply_missing` and `empirical_moments`.
        """
        table = self.counted()
        tally, _ = missing_applied(table.tally, table.names, self.missing)
        return replace(table, tally=tally).moments()

    # --- files -----------------------------------------------------------------------------------------------

    def save(self, path: str | PathLike[str]) -> None:
        """Write what was added up into a file of NumPy arrays and JSON, to be merged elsewhere.

        Raises
        ------
        DataError
            If settings have no form in JSON.
        OSError
            If the file cannot be written.
        """
        columns = self._columns
        labels = None if columns.labels is None else [labels_document(each) for each in columns.labels]
        coded = None if columns.first is None else table_document(columns.first)
        document = {"version": _VERSION, **self.settings, "names": self.names, "are_named": self.are_named}
        try:
            text = json.dumps(document | {"n_rows": self.n_rows, "labels": labels, "coded": coded})
        except TypeError as error:
            raise DataError(f"settings that are no texts and numbers cannot be saved: {error}") from None
        arrays = {"document": np.array(text)} | ({} if self._tally is None else arrays_of(self._tally))
        if self._patterns is not None:
            arrays |= {"patterns": self._patterns.bits} | arrays_of_sums("weight", self._patterns.weight)
        with written_whole(path) as stream:
            np.savez_compressed(stream, **arrays)  # type: ignore[arg-type]

    @classmethod
    def load(cls, path: str | PathLike[str]) -> MomentAccumulator:
        """Read what `save` wrote; no code in a file is run.

        Raises
        ------
        FileFormatError
            If the file is no such file.
        DataError
            If what is in it are no settings.
        """
        try:
            with open(path, "rb") as stream, np.load(stream, allow_pickle=False) as file:
                return cls._from_arrays(dict(file))
        except (OSError, EOFError, KeyError, TypeError, ValueError, AttributeError, BadZipFile, zlib.error) as error:
            raise FileFormatError(f"{fspath(path)}: no readable file of a MomentAccumulator ({error})") from None

    @classmethod
    def _from_arrays(cls, arrays: dict[str, np.ndarray]) -> MomentAccumulator:
        document = json.loads(str(arrays["document"]))
        if document["version"] != _VERSION:
            raise ValueError(f"version {document['version']}, expected {_VERSION}")
        found = cls(document["names"], **{name: document[name] for name in cls().settings})
        columns = found._columns
        columns.are_named, found.n_rows = bool(document["are_named"]), int(document["n_rows"])
        if found.names is None:
            return found
        found._tally = tally_from(arrays, len(found.names)) if "missing" in arrays else None
        found._patterns = patterns_from(arrays, len(found.names))
        if document["labels"] is not None:
            pairs = zip(columns.opened(len(found.names), None), document["labels"], strict=True)
            columns.labels = [labels_from(own, new) for new, own in pairs]
        if document["coded"] is not None:
            columns.first = table_from(document["coded"], found.names)
        return found

    # --- one part --------------------------------------------------------------------------------------------

    def _add_nothing(self, X, weights) -> MomentAccumulator:
        """A part without rows, such as one that a filter has emptied, must have the columns all the same."""
        weights_of_part(weights, 0)
        names = without_blanks(list(map(str, X.columns))) if hasattr(X, "columns") else None
        self._columns.check(np.shape(X)[1], names)
        return self

    def _add_coded(self, table: SpinTable, weights) -> MomentAccumulator:
        if weights is not None and table.weights is not None:
            raise DataError("the SpinTable already has weights; pass weights only once")
        self._columns.open_coded(table)
        weights = table.weights if weights is None else weights_of_part(weights, table.n_samples)
        return self._take(tally_of_part(table.spins, weights, self.missing), table.spins, weights)

    def _add_plain(self, plain: PlainChunk, weights) -> MomentAccumulator:
        of_columns = self._columns.opened(plain.spins.shape[1], None)
        tally = tally_of_part(plain.spins, weights := weights_of_part(weights, len(plain.spins)), self.missing)
        texts = plain.texts(
            *column_counts(plain.spins, tally, weights), self.n_rows, [labels.first for labels in of_columns]
        )
        signs = np.ones(len(of_columns), np.int8)
        for j, (labels, found) in enumerate(zip(of_columns, texts, strict=True)):
            labels.add(found)
            signs[j] = labels.sign(plain.meaning)
        if (signs < 0).any():
            tally = tally.turned(signs)
        return self._take(tally, plain.spins, weights)

    def _take(self, tally: Tally, spins: np.ndarray, weights: np.ndarray | None) -> MomentAccumulator:
        self._tally = tally if self._tally is None else self._tally + tally
        if self.missing == "pairwise":
            self._take_patterns(MissingPatterns.of(spins, weights), self.n_rows)
        self.n_rows += len(spins)
        return self

    def _take_patterns(self, patterns: MissingPatterns | None, n_before: int) -> None:
        if self._patterns is None or patterns is None:
            self._patterns = patterns if n_before == 0 else None
        else:
            self._patterns = self._patterns + patterns
        if self._patterns is not None and self._patterns.are_too_many:
            self._patterns = None
