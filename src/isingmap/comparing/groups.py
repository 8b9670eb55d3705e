"""Tables of groups brought together: the same columns, the same meaning of -1 and +1, no column without an answer."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace

import numpy as np

from isingmap.data.labels import normalise
from isingmap.data.missing import apply_missing
from isingmap.data.options import EM, SURVEY, DataOptions
from isingmap.data.screening import constant_columns
from isingmap.data.table import SpinTable, counted, listed, numbered_clusters
from isingmap.data.treated import Treated
from isingmap.errors import DataError, DataWarning, IsingMapError
from isingmap.warned import warn, warnings_about

# A smaller group has no map worth the name.
SMALLEST_GROUP = 10


@dataclass(frozen=True, eq=False)
class Group:
    """The rows of a group.

    Attributes
    ----------
    label : str
    table : SpinTable
        Without clusters, which would be numbered in each group on its own.
    clusters : (n_samples,) int64 array or None
        Numbers that mean the same in all groups.
    """

    label: str
    table: SpinTable
    clusters: np.ndarray | None = None

    @property
    def n_rows(self) -> float:
        """Rows by their weight."""
        return float(self.table.row_weights.sum())


@contextmanager
def about(label: str) -> Iterator[None]:
    """Let errors and warnings inside the block say which group they are about."""
    with warnings_about(f"group {label!r}"):
        try:
            yield
        except IsingMapError as error:
            error.args = (f"group {label!r}: {error}", *error.args[1:])
            raise


def split(table: SpinTable, labels: Sequence[str], column: str) -> list[Group]:
    """The groups of rows with one label, in the order of the labels; rows without one belong to none.

    Parameters
    ----------
    table : SpinTable
    labels : (n_samples,) sequence of str
    column : str
        Where they come from, for messages.

    Raises
    ------
    DataError
        Fewer than two groups are large enough.

    Warns
    -----
    DataWarning
        Of rows without a label, and of groups that are left out because they are too small.
    """
    found = np.array([label if normalise(label) else "" for label in labels], dtype=object)
    counts = {label: int((found == label).sum()) for label in sorted(set(found.tolist()))}
    if counts.pop("", 0):
        n_without = int((found == "").sum())
        verb = "is" if n_without == 1 else "are"
        warn(f"column {column!r}: {counted(n_without, 'row')} without a label {verb} left out", DataWarning)
    large = [label for label, count in counts.items() if count >= SMALLEST_GROUP]
    told = {label: f"{label!r} ({counted(count, 'row')})" for label, count in counts.items()}
    small = [told[label] for label in counts if label not in large]
    about_small = f"{counted(len(small), 'group')} with fewer than {SMALLEST_GROUP} rows: {listed(small)}"
    if len(large) < 2:
        there = listed([told[label] for label in large]) or "none"
        raise DataError(
            f"column {column!r} must split the rows into two groups of {SMALLEST_GROUP} rows or more; it has {there}"
            + (f", and {about_small}" if small else "")
        )
    if small:
        warn(f"column {column!r}: left out {about_small}", DataWarning)
    return [_rows_of(table, label, np.flatnonzero(found == label)) for label in large]


def _rows_of(table: SpinTable, label: str, rows: np.ndarray) -> Group:
    weights = None if table.weights is None else table.weights[rows]
    with about(label):
        part = replace(table, spins=table.spins[rows], weights=weights, clusters=None)
    return Group(label, part, None if table.clusters is None else table.clusters[rows])


def brought_together(groups: Sequence[Group], reading: DataOptions) -> list[Group]:
    """The groups with common columns, rules for missing cells and constant columns applied.

    Raises
    ------
    DataError
        Fewer than two columns are common, labels do not agree, weights are those of a survey, or a group has columns
        with a single value.

    Warns
    -----
    DataWarning
        Of columns that not all groups have, and as `apply_missing`.
    """
    if reading.weight_kind == SURVEY:
        raise DataError(
            f"weight_kind='{SURVEY}' has no permutation test: rows dealt out anew would change the effective number of "
            "rows of both groups. Give frequency weights, or none"
        )
    groups = _of_common_columns(groups)
    check_codings([(group.label, group.table) for group in groups])
    complete = [_without_gaps(group, reading.missing) for group in groups]
    return _without_constant(complete, reading.constant)


def numbered_together(clusters: Sequence) -> list[np.ndarray]:
    """Labels of clusters, group by group, as numbers that mean the same in all groups.

    Raises
    ------
    DataError
        As `numbered_clusters`.
    """
    labels = [np.asarray(each) for each in clusters]
    if any(each.dtype.kind not in "iub" for each in labels):
        labels = [np.array(each.tolist(), dtype=object) for each in labels]
    numbers = numbered_clusters(np.concatenate(labels), sum(len(each) for each in labels))
    return np.split(numbers, np.cumsum([len(each) for each in labels])[:-1])


def _of_common_columns(groups: Sequence[Group]) -> list[Group]:
    names = groups[0].table.names
    common = [name for name in names if all(name in group.table.names for group in groups)]
    if len(common) < 2:
        columns = "; ".join(f"{group.label!r} has {listed(group.table.names)}" for group in groups)
        raise DataError(f"the groups must have at least two columns in common, and have {len(common)}: {columns}")
    for group in groups:
        lacking = [name for name in group.table.names if name not in common]
        if lacking:
            verb, them = ("is", "it") if len(lacking) == 1 else ("are", "they")
            warn(
                f"{counted(len(lacking), 'column')} of {group.label!r} ({listed(lacking)}) {verb} not in every group, "
                f"and {them} {verb} left out",
                DataWarning,
            )
    return [_of_columns(group, common) for group in groups]


def _of_columns(group: Group, common: list[str]) -> Group:
    left_out = [name for name in group.table.names if name not in common]
    notes = [f"Left out, because not every group has them: {', '.join(left_out)}."] if left_out else []
    return replace(group, table=group.table.select(common).with_notes(*notes))


def check_codings(tables: Sequence[tuple[str, SpinTable]]) -> None:
    """Refuse columns in which -1 or +1 stand for different labels; labels that do not occur do not count.

    Raises
    ------
    DataError
        Naming the column, and what each group means by it.
    """
    for j, name in enumerate(tables[0][1].names):
        seen = [(group, _labels(table, j)) for group, table in tables]
        meant = {(normalise(label), value) for _, labels in seen for value, label in labels}
        keys, values = ({pair[k] for pair in meant} for k in (0, 1))
        if len(keys) == len(meant) == len(values):
            continue
        shown = "; ".join(f"in {group!r} {_told(labels)}" for group, labels in seen if labels)
        advice = "Write the same labels for the same answers in all groups"
        if len(keys) == 2:
            label = next(label for _, labels in seen for value, label in labels if value == 1)
            advice = f"Say which label is +1: positive={{{name!r}: {label!r}}}"
        raise DataError(f"column {name!r} does not mean the same in all groups: {shown}. {advice}")


def _labels(table: SpinTable, j: int) -> list[tuple[int, str]]:
    """The values that a column has, and their labels."""
    coding = table.codings[j]
    return [(value, label) for value, label in ((-1, coding.negative), (1, coding.positive))
            if (table.spins[:, j] == value).any()]  # fmt: skip


def _told(labels: Sequence[tuple[int, str]]) -> str:
    return " and ".join(f"{label!r} is {value:+d}" for value, label in labels)


def _without_gaps(group: Group, rule: str) -> Group:
    known = group.table.spins != 0
    kept = known.any(axis=1) if rule == EM else known.all(axis=1)
    with about(group.label):
        table = apply_missing(group.table, rule)
    if table.n_missing:  # they are counted again, and told, by the fit, which may have fewer columns
        given = group.table.notes
        table = replace(table, notes=(*given, *table.notes[len(given) + 1 :]))
    if group.clusters is None or table.n_samples == group.table.n_samples:
        return replace(group, table=table)
    return replace(group, table=table, clusters=group.clusters[kept])


def _without_constant(groups: Sequence[Group], rule: str) -> list[Group]:
    """Columns that have a single value in a group are refused, left out of all groups, or kept."""
    constant = [[group.table.names[j] for j in constant_columns(group.table).tolist()] for group in groups]
    everywhere = {name for names in constant for name in names}
    if not everywhere or rule == "keep":
        return list(groups)
    found = "; ".join(
        f"in {group.label!r} ({group.n_rows:,.10g} rows) {listed(names)}"
        for group, names in zip(groups, constant, strict=True)
        if names
    )
    what = f"{counted(len(everywhere), 'column')} with a single value in a group: {found}"
    if rule == "error":
        them = "it" if len(everywhere) == 1 else "them"
        raise DataError(
            f"{what}. Leave {them} out of all groups by constant='drop' (or drop_column= of a file), or keep {them} by "
            "prior=1 and constant='keep'"
        )
    kept = [name for name in groups[0].table.names if name not in everywhere]
    if len(kept) < 2:
        raise DataError(f"{what}. Fewer than two columns are left to compare")
    note = f"Left out of every group: {what}."
    treated = Treated(constant=tuple(name for name in groups[0].table.names if name in everywhere))
    tables = [replace(group.table.select(kept), treated=group.table.treated + treated) for group in groups]
    return [replace(group, table=table.with_notes(note)) for group, table in zip(groups, tables, strict=True)]


def pooled(groups: Sequence[Group]) -> SpinTable:
    """All rows in one table, with the clusters of all."""
    tables = [group.table for group in groups]
    weights = None
    if any(table.weights is not None for table in tables):
        weights = np.concatenate([table.row_weights for table in tables])
    clusters = [group.clusters for group in groups if group.clusters is not None]
    return SpinTable(
        np.concatenate([table.spins for table in tables]),
        tables[0].names,
        tables[0].codings,
        weights,
        tables[0].groups,
        clusters=np.concatenate(clusters) if clusters else None,
    )
