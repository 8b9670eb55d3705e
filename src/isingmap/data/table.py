"""The table everything starts from: spins, the names of the variables and what their two values mean."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from isingmap.data.treated import Treated
from isingmap.errors import DataError, DataWarning
from isingmap.printable import printable
from isingmap.warned import warn

# What stands in place of a second variable in tables of edges, of what was left out and of what a model misses.
FIELD, MEAN = "(field)", "(mean)"
LARGEST_WEIGHT = 1e150  # of all rows together; its square is still a number


@dataclass(frozen=True)
class Coding:
    """The two labels of a column: `negative` stands for -1, `positive` for +1."""

    negative: str
    positive: str


@dataclass(frozen=True, eq=False)
class SpinTable:
    """A table of binary observations in spin coding. Arrays are read-only.

    Parameters
    ----------
    spins : (n_samples, n_spins) int8
        -1 or +1; 0 marks a missing cell, and so does the mask of a masked array.
    names : tuple of str
        One per column, unique.
    codings : tuple of Coding
        One per column: the labels that -1 and +1 stand for.
    weights : (n_samples,) float64 or None
        Frequency weights: a row of weight w counts as w equal rows.
    groups : tuple of str or None
        A group for each *variable* (a senator's party), used for colouring.
    notes : tuple of str
        What was done to the data so far, as plain sentences.
    details : mapping of title to tuple of str
        What else is known of each variable, such as a legislator's number; columns of nodes.csv.
    clusters : (n_samples,) int64 or None
        Rows of one number were not drawn independently: a patient's days, the cases of a term. Given as any labels, one
        for each row; kept as numbers 0, 1, ... in the order of the labels.
    treated : Treated
        How much was left out of it, or filled in, by rules for missing cells and constant columns.

    Raises
    ------
    DataError
        If shapes disagree, a value is not -1, 0 or +1, or names are empty or repeated.
    """

    spins: np.ndarray
    names: tuple[str, ...]
    codings: tuple[Coding, ...]
    weights: np.ndarray | None = None
    groups: tuple[str, ...] | None = None
    notes: tuple[str, ...] = ()
    details: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    clusters: np.ndarray | None = None
    treated: Treated = field(default_factory=Treated)

    def __post_init__(self) -> None:
        object.__setattr__(self, "spins", _checked_spins(self.spins))
        object.__setattr__(self, "names", checked_names(self.names, self.n_spins))
        object.__setattr__(self, "codings", _one_per_column(self.codings, self.n_spins, "codings"))
        if self.weights is not None:
            object.__setattr__(self, "weights", checked_weights(self.weights, self.n_samples))
        if self.clusters is not None:
            object.__setattr__(self, "clusters", numbered_clusters(self.clusters, self.n_samples))
        if self.groups is not None:
            groups = tuple(str(group) for group in self.groups)
            object.__setattr__(self, "groups", _one_per_column(groups, self.n_spins, "groups"))
        object.__setattr__(self, "notes", tuple(self.notes))
        for title, texts in self.details.items():
            _one_per_column(texts, self.n_spins, title)

    @property
    def n_samples(self) -> int:
        """Number of rows (not their total weight)."""
        return self.spins.shape[0]

    @property
    def row_weights(self) -> np.ndarray:
        """The weights, 1 each where there are none."""
        return np.ones(self.n_samples) if self.weights is None else self.weights

    @property
    def n_spins(self) -> int:
        """Number of variables."""
        return self.spins.shape[1]

    @property
    def n_missing(self) -> int:
        """Number of missing cells."""
        return int(np.count_nonzero(self.spins == 0))

    def select(self, columns: Sequence[str | int]) -> SpinTable:
        """The table of the given columns (names or positions), in the given order.

        Raises
        ------
        DataError
            If a column does not exist.
        """
        index = [self._position(column) for column in columns]
        return replace(
            self,
            spins=self.spins[:, index],
            names=tuple(self.names[i] for i in index),
            codings=tuple(self.codings[i] for i in index),
            groups=None if self.groups is None else tuple(self.groups[i] for i in index),
            details={title: tuple(texts[i] for i in index) for title, texts in self.details.items()},
        )

    def with_notes(self, *notes: str) -> SpinTable:
        """The same table with more sentences in `notes`, each of them once."""
        return replace(self, notes=tuple(dict.fromkeys(self.notes + notes)))

    def __setstate__(self, state: dict) -> None:
        self.__dict__.update(state)
        keep_read_only(self.spins, self.weights, self.clusters)

    def _position(self, column: str | int) -> int:
        if isinstance(column, str):
            if column not in self.names:
                raise DataError(f"there is no column {column!r}; the columns are {listed(self.names)}")
            return self.names.index(column)
        if not 0 <= column < self.n_spins:
            raise DataError(f"there is no column {column}; the table has columns 0 to {self.n_spins - 1}")
        return int(column)


def keep_read_only(*arrays: np.ndarray | None) -> None:
    """Arrays that a copy or a pickle has made anew, and writable, are not to be written to either."""
    for array in arrays:
        if array is not None:
            array.setflags(write=False)


def listed(items: Sequence, limit: int = 10) -> str:
    """The first `limit` items, printable, as a comma-separated list, then how many more there are."""
    shown = ", ".join(printable(item) for item in items[:limit])
    return shown if len(items) <= limit else f"{shown} and {len(items) - limit} more"


def counted(count: int, noun: str, plural: str = "") -> str:
    """'1 row', '3 rows': the count with its noun in the right number."""
    return f"{count:,} {noun if count == 1 else plural or f'{noun}s'}"


def checked_names(names: Sequence[object], n_spins: int) -> tuple[str, ...]:
    """`names` as a tuple of `n_spins` non-empty, distinct texts.

    Raises
    ------
    DataError
        Naming the names that are repeated, empty, not text, or have another meaning in tables of results.
    """
    names = _one_per_column(names, n_spins, "names")
    bad = [i for i, name in enumerate(names) if not isinstance(name, str) or not name.strip()]
    if bad:
        shown = listed([f"{names[i]!r} (column {i + 1})" for i in bad])
        raise DataError(f"every variable needs a name that is a non-empty text; got {shown}")
    taken = [repr(name) for name in names if name.strip() in (FIELD, MEAN)]
    if taken:
        raise DataError(
            f"{listed(taken)} cannot be the name of a variable: in tables of results it stands for a field or a mean. "
            "Rename the column"
        )
    repeated = [name for name, count in Counter(names).items() if count > 1]
    if repeated:
        shown = listed([repr(name) for name in repeated])
        raise DataError(f"names of variables must be distinct; used more than once: {shown}. Rename them.")
    return tuple(str(name) for name in names)


def checked_weights(weights, n_samples: int) -> np.ndarray:
    """`weights` as a read-only (n_samples,) float64 array of finite numbers >= 0, not all zero.

    Raises
    ------
    DataError
        With the first offending row (1-based).
    """
    try:
        array = np.array(weights, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise DataError(f"weights must be numbers, one per row: {error}") from None
    if array.shape != (n_samples,):
        raise DataError(f"weights must be one number per row: expected {(n_samples,)}, got {array.shape}")
    bad = np.flatnonzero(~(np.isfinite(array) & (array >= 0)))
    if bad.size:
        where = f"row {bad[0] + 1} has {array[bad[0]]:g} ({counted(bad.size, 'such row')})"
        raise DataError(f"weights must be finite and not negative; {where}")
    if not array.any():
        raise DataError("all weights are zero, so no observation is left; at least one must be positive")
    with np.errstate(over="ignore"):
        total = array.sum()
    if not total <= LARGEST_WEIGHT:
        raise DataError(
            f"the weights add up to {total:g}, above {LARGEST_WEIGHT:g}, and sums of so large numbers overflow. "
            "Divide them all by one number: weights count rows"
        )
    array.flags.writeable = False
    return array


def numbered_clusters(labels, n_samples: int) -> np.ndarray:
    """The number of each row's cluster, (n_samples,) int64, 0, 1, ... in the order of the labels.

    Raises
    ------
    DataError
        For another number of labels, or rows without one.
    """
    array = np.asarray(labels.tolist() if isinstance(labels, np.ma.MaskedArray) else labels)  # None where masked
    if array.shape != (n_samples,):
        raise DataError(f"clusters must be one label per row: expected {(n_samples,)}, got {array.shape}")
    if array.dtype.kind not in "iub":
        labels = array.tolist()
        absent = [k for k, label in enumerate(labels) if _is_no_label(label)]
        if absent:
            raise DataError(
                f"every row needs the label of its cluster; row {absent[0] + 1} has none "
                f"({counted(len(absent), 'such row')}). Give rows that belong to no cluster a label of their own"
            )
        array = np.array(labels_without_blanks([str(label) for label in labels], "clusters"))
    number = np.unique(array, return_inverse=True)[1].reshape(-1).astype(np.int64)
    number.flags.writeable = False
    return number


def differ_in_blanks(texts: Sequence[str]) -> list[str]:
    """Those texts, in words, that are equal but for the white space at their ends."""
    spellings: dict[str, list[str]] = {}
    for text in dict.fromkeys(texts):
        spellings.setdefault(text.strip(), []).append(text)
    return [" and ".join(map(repr, several)) for several in spellings.values() if len(several) > 1]


def labels_without_blanks(labels: Sequence[str], what: str) -> list[str]:
    """Labels of rows without the white space at their ends.

    Warns
    -----
    DataWarning
        If two labels become one.
    """
    alike = differ_in_blanks(labels)
    if alike:
        warn(f"{what} that differ only in the blanks around them were taken for one: {listed(alike)}", DataWarning)
    return [label.strip() for label in labels]


def _is_no_label(label: object) -> bool:
    """None, NaN, the missing values of pandas (which refuse to be compared), and empty text."""
    return label is None or type(label).__name__ in ("NAType", "NaTType") or label != label or not str(label).strip()


def _checked_spins(spins) -> np.ndarray:
    array = np.asarray(np.ma.filled(spins, 0) if np.ma.isMaskedArray(spins) else spins)
    if array.ndim != 2:
        raise DataError(f"spins must be a table (n_samples, n_spins); got {array.ndim} dimensions")
    if array.dtype.kind not in "iufb" or not _are_spins(array):
        raise DataError("spins must be -1, +1, or 0 for a missing cell; for other labels use as_spin_table")
    array = array.astype(np.int8)  # always a copy: freezing it must not freeze the caller's array
    array.flags.writeable = False
    return array


def _are_spins(array: np.ndarray) -> bool:
    """Whether every entry is -1, 0 or 1; whole numbers are looked at without a copy."""
    if array.dtype.kind == "f":
        return bool(np.isin(array, (-1, 0, 1)).all())
    return not array.size or bool(array.min() >= -1 and array.max() <= 1)


def _one_per_column(values: Sequence, n_spins: int, what: str) -> tuple:
    if isinstance(values, str) or len(values) != n_spins:
        got = repr(values) if isinstance(values, str) else len(values)
        raise DataError(f"{what} must be one per column: expected {n_spins}, got {got}")
    return tuple(values)


def weights_of_part(weights, n_rows: int) -> np.ndarray | None:
    """Weights of a part, which may all be zero.

    Raises
    ------
    DataError
        As `checked_weights`.
    """
    if weights is None:
        return None
    array = np.asarray(weights)
    if array.shape == (n_rows,) and array.dtype.kind in "iuf" and not array.any():
        return np.zeros(n_rows)
    return checked_weights(weights, n_rows)
