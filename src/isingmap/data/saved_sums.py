"""Sums, labels and patterns as arrays and JSON: what a file of an accumulator holds, without pickles."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields

import numpy as np

from isingmap.data.column_labels import ColumnLabels
from isingmap.data.exact_sums import ExactSums
from isingmap.data.missing_patterns import MissingPatterns
from isingmap.data.table import Coding, SpinTable
from isingmap.data.tally import Tally

Arrays = Mapping[str, np.ndarray]


def arrays_of(tally: Tally) -> dict[str, np.ndarray]:
    """The arrays of a tally by name; a sum's parts are `name.k`."""
    found: dict[str, np.ndarray] = {}
    for own in fields(Tally):
        value = getattr(tally, own.name)
        found |= arrays_of_sums(own.name, value) if isinstance(value, ExactSums) else {own.name: np.asarray(value)}
    return found


def arrays_of_sums(name: str, sums: ExactSums) -> dict[str, np.ndarray]:
    """The parts of sums by name."""
    return {f"{name}.{k}": np.array(part, order="C") for k, part in sums.parts.items()}


def sums_of(arrays: Arrays, name: str, shape: tuple[int, ...]) -> ExactSums:
    """Sums from the arrays that `arrays_of_sums` made.

    Raises
    ------
    ValueError
        If an array has another shape or kind.
    """
    parts = {int(key[len(name) + 1 :]): arrays[key] for key in arrays if key.startswith(f"{name}.")}
    for part in parts.values():
        _check(part, shape)
    return ExactSums(parts, shape)


def tally_from(arrays: Arrays, n_spins: int) -> Tally:
    """The tally of the arrays that `arrays_of` made.

    Raises
    ------
    KeyError, ValueError
        If arrays are absent, or of another shape or kind.
    """
    square = (n_spins, n_spins)
    products, seen, beside = (sums_of(arrays, name, square) for name in ("products", "seen", "beside"))
    _check(arrays["missing"], (n_spins,))
    n_rows, n_incomplete, n_sparse = (int(arrays[name]) for name in ("n_rows", "n_incomplete", "n_sparse"))
    total = sums_of(arrays, "total", ())
    return Tally(products, seen, beside, total, n_rows, arrays["missing"], n_incomplete, n_sparse)


def patterns_from(arrays: Arrays, n_spins: int) -> MissingPatterns | None:
    """The patterns among the arrays, if there are any.

    Raises
    ------
    ValueError
        If arrays are of another shape or kind.
    """
    if "patterns" not in arrays:
        return None
    bits = arrays["patterns"]
    if bits.dtype != np.uint8 or bits.ndim != 2 or 8 * bits.shape[1] < n_spins or bits.shape[1] % 8:
        raise ValueError("patterns")
    return MissingPatterns(bits, sums_of(arrays, "weight", (len(bits),)), n_spins)


def labels_document(labels: ColumnLabels) -> dict:
    """The labels of a column for JSON."""
    return {"counts": labels.counts, "first": labels.first, "spins": labels.spin_of, "numbers": labels.are_numbers}


def labels_from(document: dict, labels: ColumnLabels) -> ColumnLabels:
    """Fill `labels`, which are new, from a document.

    Raises
    ------
    KeyError, TypeError, ValueError
        If the document is damaged.
    """
    for own, name, least in ((labels.counts, "counts", 0), (labels.first, "first", 0), (labels.spin_of, "spins", -1)):
        own.update({str(text): int(value) for text, value in document[name].items()})
        if any(value < least for value in own.values()):
            raise ValueError(name)
    if labels.counts.keys() != labels.first.keys():
        raise ValueError("first")
    labels.are_numbers = bool(document["numbers"])
    return labels


def table_document(table: SpinTable) -> dict:
    """What a SpinTable knows of its columns, for JSON."""
    codings = [[coding.negative, coding.positive] for coding in table.codings]
    return {"codings": codings, "notes": table.notes, "groups": table.groups, "details": dict(table.details)}


def table_from(document: dict, names: tuple[str, ...]) -> SpinTable:
    """A table of one row that knows the same of its columns.

    Raises
    ------
    KeyError, TypeError, ValueError
        If the document is damaged.
    """
    codings = tuple(Coding(*pair) for pair in document["codings"])
    details = {title: tuple(texts) for title, texts in document["details"].items()}
    row = np.ones((1, len(names)), np.int8)
    return SpinTable(row, names, codings, None, document["groups"], tuple(document["notes"]), details)


def _check(array: np.ndarray, shape: tuple[int, ...]) -> None:
    if array.shape != shape or array.dtype != np.int64:
        raise ValueError(f"an array of shape {array.shape} and kind {array.dtype}")
