"""From labels to spins: which of a column's two labels is +1, and what to say when there are not two.

The pair of labels is decided over the whole table: a column with 1 and 2 next to columns with 0 and 1 is more
likely a three-valued answer that lost a value than a second coding, so it is refused, not guessed at.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

import numpy as np

from isingmap.data.blanks import as_spelled
from isingmap.data.coding_problems import HINT_IDS, Pair, Problems, describe, first_odd
from isingmap.data.labels import NUMBER_PAIRS, PAIRS, WORD_PAIRS, LabelColumn, MissingLabels, cell_text, normalise
from isingmap.data.missing_codes import codes_beside_labels
from isingmap.data.table import Coding, counted, listed
from isingmap.errors import DataError
from isingmap.files.number_text import number

Place = Callable[[int, int], str]  # (column, row), both 0-based -> how to name that cell's place to the user
Positive = str | int | bool | Mapping[str, object] | None


def code_columns(
    columns: Sequence[LabelColumn],
    names: Sequence[str],
    *,
    positive: Positive = None,
    threshold: float | None = None,
    missing_label: MissingLabels = None,
    place: Place | None = None,
    known: Mapping[str, Coding] | None = None,
) -> tuple[np.ndarray, tuple[Coding, ...], tuple[str, ...]]:
    """Spins, codings and notes of labelled columns.

    Parameters
    ----------
    columns, names : sequences of the same length
    positive : label or mapping of column name to label, optional
        The label that is +1. Without it only -1/1, 0/1, 1/2, false/true, no/yes and nay/yea are understood.
    threshold : float, optional
        Read numbers instead: a value >= threshold is +1, a smaller one -1.
    missing_label : label or sequence of labels, optional
        What stands for a missing answer, besides the markers that always do.
    place : callable, optional
        Names the place of a cell in messages; by default its 1-based row.
    known : mapping of column name to Coding, optional
        Labels that these columns must have, as in the data that a model was learned from; they say what is +1 where
        `positive` and `threshold` do not.

    Returns
    -------
    spins : (n_samples, n_spins) int8, 0 where missing
    codings : tuple of Coding
    notes : tuple of str

    Raises
    ------
    DataError
        All columns that cannot be read as two values, each with its value, place and count.
    """
    if known and positive is None and threshold is None:
        positive = _known_labels(_without_missing(columns, missing_label)[0], names, known)
    columns, values, codings, notes = decided_codings(
        columns, names, positive=positive, threshold=threshold, missing_label=missing_label, place=place
    )
    spins = _side_by_side(columns, values)
    _refuse_other_labels(spins, codings, names, known or {})
    return spins, codings, notes


def decided_codings(
    columns: Sequence[LabelColumn],
    names: Sequence[str],
    *,
    positive: Positive = None,
    threshold: float | None = None,
    missing_label: MissingLabels = None,
    place: Place | None = None,
) -> tuple[Sequence[LabelColumn], list[dict[str, int]], tuple[Coding, ...], tuple[str, ...]]:
    """What the labels of columns mean, from how often each occurs and where first; no cell is looked at.

    Parameters are those of `code_columns`.

    Returns
    -------
    columns : sequence of LabelColumn
        With the missing labels missing.
    values : list of dict
        The spin of each normalised label, column by column.
    codings : tuple of Coding
    notes : tuple of str

    Raises
    ------
    DataError
        As `code_columns`.
    """
    place = place or (lambda column, row: f"row {row + 1}")
    columns, notes = _without_missing(columns, missing_label)
    if threshold is None:
        values, codings, more = _code_by_labels(columns, names, positive, place)
    elif positive is not None:
        raise DataError("threshold= and positive= exclude each other: a threshold already says what is +1")
    else:
        values, codings, more = _code_by_threshold(columns, names, threshold, place)
    return columns, values, codings, (*notes, *more)


def _known_labels(columns: Sequence[LabelColumn], names: Sequence[str], known: Mapping[str, Coding]) -> dict[str, str]:
    """The label that is +1 in each column whose labels are known; of counts the samples of a model have labels, too."""
    coded = [(column, known[name]) for column, name in zip(columns, names, strict=True) if name in known]
    of_counts = [(column, coding) for column, coding in coded if coding.positive[:3] == ">= "]
    numbers = [
        coding.positive
        for column, coding in of_counts
        if not {*column.values} <= {normalise(coding.negative), normalise(coding.positive)}
    ]
    if numbers:
        least = numbers[0]
        raise DataError(f"the model was learned from counts, {least[3:]} or more being +1. Give threshold={least[3:]}")
    for name, column in zip(names, columns, strict=True):
        if name in known and column.values:
            before = known[name]
            if not set(column.values) & {normalise(before.negative), normalise(before.positive)}:
                raise _other_label(name, column.display(column.values[0]), "", before)
    return {name: known[name].positive for name in names if name in known}


def _refuse_other_labels(spins, codings, names, known: Mapping[str, Coding]) -> None:
    """What is -1 and what is +1 must be what it was in the data of the model."""
    for name, coding, values in zip(names, codings, spins.T, strict=True):
        if name not in known:
            continue
        before = known[name]
        for value, label, meant in ((-1, coding.negative, before.negative), (1, coding.positive, before.positive)):
            if (values == value).any() and normalise(label) != normalise(meant):
                raise _other_label(name, label, f" as {value:+d}", before)


def _other_label(name: str, label: str, meaning: str, before: Coding) -> DataError:
    """What is said of a label that is not what it was in the data of the model."""
    if normalise(label) in (normalise(before.negative), normalise(before.positive)):
        advice = "Leave positive= out"
    else:
        advice = (
            f"Write these labels in the table or, if {label!r} stands for a missing answer, use missing_label={label!r}"
        )
    return DataError(
        f"column {name!r} has the label {label!r}{meaning}; the model was learned from {before.negative!r} (-1) and "
        f"{before.positive!r} (+1). {advice}"
    )


def _without_missing(columns: Sequence[LabelColumn], missing_label: MissingLabels):
    """The columns with the given labels missing, and a note of how many cells that were."""
    labels = missing_keys(missing_label)
    if missing_label is None:
        return columns, ()
    counts = Counter({key: sum(column.counts.get(key, 0) for column in columns) for key in labels})
    found = listed([f"{text!r} in {counted(counts[key], 'cell')}" for key, text in labels.items()])
    without = [replace(column, missing=frozenset(labels)) for column in columns]
    return without, (f"Read as missing: {found}.",) if labels else ()


def missing_keys(missing_label: MissingLabels) -> dict[str, str]:
    """The normalised labels that stand for a missing answer, each with the label as it was given."""
    several = isinstance(missing_label, Iterable) and not isinstance(missing_label, str)
    given = [] if missing_label is None else missing_label if several else [missing_label]
    texts = [cell_text(label) for label in given]  # type: ignore[union-attr]
    labels = {normalise(text): text for text in texts}
    labels.pop("", None)
    return labels


def _code_by_labels(columns, names, positive, place):
    wanted = _wanted_labels(positive, columns, names)
    opposite = {label: _opposite(columns, label) for label in set(wanted) if label is not None}
    table_pair = _number_pair([c for c, label in zip(columns, wanted, strict=True) if label is None])
    problems = Problems()
    rules = []
    for j, (column, label) in enumerate(zip(columns, wanted, strict=True)):
        rule = _recognised_pair(column, table_pair) if label is None else _pair_with(label, column, opposite[label])
        if rule is None:
            describe(problems, column, names[j], label, table_pair, lambda row, j=j: place(j, row), positive)
        else:
            rules.append(rule)
    problems.raise_if_any()
    display = _display_texts(columns)
    codings = tuple(Coding(display.get(neg, neg), display.get(pos, pos)) for neg, pos in rules)
    return [{neg: -1, pos: 1} for neg, pos in rules], codings, _coding_notes(codings, names)


def _side_by_side(columns: Sequence[LabelColumn], values: Sequence[dict[str, int]]) -> np.ndarray:
    """The value of each label, (n_samples, n_spins) int8, 0 for labels without one; made without a copy."""
    spins = np.empty((len(columns[0].codes), len(columns)), dtype=np.int8)
    for j, (column, value_of) in enumerate(zip(columns, values, strict=True)):
        spins[:, j] = column.mapped(value_of)
    return spins


def _wanted_labels(positive: Positive, columns, names) -> list[str | None]:
    """The normalised positive label of each column, None where it is to be recognised."""
    if positive is None:
        return [None] * len(columns)
    if not isinstance(positive, Mapping):
        label = _label_key(positive)
        if not any(label in column.values for column in columns):
            seen = listed(list(_display_texts(columns).values()))
            raise DataError(f"the positive label {positive!r} occurs in no column; the labels are {seen}")
        return [label] * len(columns)
    positive = {as_spelled(name, names): label for name, label in positive.items()}
    unknown = [repr(name) for name in positive if name not in names]
    if unknown:
        raise DataError(f"positive= names columns that are not in the table: {listed(unknown)}")
    return [_label_key(positive[name]) if name in positive else None for name in names]


def _label_key(label: object) -> str:
    key = normalise(cell_text(label))
    if not key:
        raise DataError(f"the positive label {label!r} is one of the markers of a missing cell")
    return key


def _number_pair(columns: Sequence[LabelColumn]) -> Pair:
    """The pair of numbers that most two-valued columns use; else the first that fits all of them."""
    votes = Counter(pair for column in columns for pair in NUMBER_PAIRS if set(column.values) == set(pair))
    if votes:
        return max(NUMBER_PAIRS, key=lambda pair: votes[pair])
    constant = {column.values[0] for column in columns if len(column.values) == 1}
    return next((pair for pair in NUMBER_PAIRS if constant & {"0", "-1", "2"} <= set(pair)), NUMBER_PAIRS[0])


def _recognised_pair(column: LabelColumn, table_pair: Pair) -> Pair | None:
    """The pair that holds all labels of the column; that of the numbers is fixed by the table."""
    values = set(column.values)
    return next((pair for pair in (table_pair, *WORD_PAIRS) if values <= set(pair)), None)


def _pair_with(label: str, column: LabelColumn, opposite: str) -> Pair | None:
    """The pair of a column whose positive label is given, None if the column does not fit."""
    negatives = [value for value in column.values if value != label]
    if len(negatives) > 1:
        return None
    return (negatives[0] if negatives else opposite), label


def _opposite(columns: Sequence[LabelColumn], label: str) -> str:
    """What stands opposite to `label` elsewhere, for a column that holds no other label."""
    found = {value for column in columns if label in column.values for value in column.values} - {label}
    if len(found) == 1:
        return found.pop()
    known = ({negative, positive} - {label} for negative, positive in PAIRS if label in (negative, positive))
    return next((rest.pop() for rest in known), f"not {label}")


def _display_texts(columns: Sequence[LabelColumn]) -> dict[str, str]:
    """For each normalised label, how the table first writes it."""
    texts: dict[str, str] = {}
    for column in columns:
        for key in column.values:
            texts.setdefault(key, column.display(key))
    return texts


# --- thresholds and notes ---------------------------------------------------------------------------------


def _code_by_threshold(columns, names, threshold, place):
    if isinstance(threshold, bool) or not np.isfinite(threshold):
        raise DataError(f"threshold must be a finite number, got {threshold!r}")
    problems = Problems()
    for j, column in enumerate(columns):
        bad = [value for value in column.values if number(value) is None]
        if bad:
            numbers = set(column.values) - set(bad)
            first = first_odd(column, numbers, lambda row, j=j: place(j, row))
            comma = any(re.fullmatch(r"-?\d+,\d+", column.display(value)) for value in bad)
            hint = "Write decimal points instead of commas, such as 2.5 for 2,5." if comma else HINT_IDS
            problems.add(f"column {names[j]!r} has {first}, which is not a number", hint)
    problems.raise_if_any()
    values = [{value: 1 if number(value) >= threshold else -1 for value in column.values} for column in columns]
    note = f"A value >= {threshold:g} is +1, a smaller value is -1, in {_which(names, len(names))}."
    coding = Coding(f"< {threshold:g}", f">= {threshold:g}")
    return values, (coding,) * len(columns), (note, *_codes_as_numbers(columns, names))


def _codes_as_numbers(columns, names) -> Iterator[str]:
    """A sentence for each number that looks like the code of a missing answer beside yes and no."""
    for code, having in codes_beside_labels(columns, names).items():
        where = _which(having, len(names))
        yield (
            f"Care: {code} was taken for a number, beside two labels, in {where}. If it stands for a missing answer, "
            "the fit is wrong: declare it as a missing label."
        )


def _coding_notes(codings: Sequence[Coding], names: Sequence[str]) -> tuple[str, ...]:
    members: dict[Coding, list[str]] = {}
    for coding, name in zip(codings, names, strict=True):
        members.setdefault(coding, []).append(name)
    return tuple(
        f"{coding.negative} was read as -1 and {coding.positive} as +1 in {_which(having, len(names))}."
        if coding != Coding("-1", "1")
        else f"-1 and 1 were taken as they are in {_which(having, len(names))}."
        for coding, having in members.items()
    )


def _which(names: Sequence[str], n_spins: int) -> str:
    if len(names) == n_spins:
        return "every column"
    return f"{counted(len(names), 'column')} ({listed(names)})"
