"""Numbers and words that may stand for a missing answer, although nobody said so."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from isingmap.data.labels import PAIRS, LabelColumn
from isingmap.files.number_text import number

MISSING_CODES = re.compile(r"-?(7+|8+|9+|[1-9]?9[789])|-[1-9]")  # as questionnaires have them: 9, 99, 98, -9, -1
SEXES = {"f", "m"}


def lone_missing_label(column: LabelColumn) -> str | None:
    """Of two labels the one that may stand for a missing answer, beside one that is known to be an answer."""
    if {column.display(value).lower() for value in column.values} == SEXES:  # F is no "false" there
        return None
    known = [value for value in column.values if any(value in pair for pair in PAIRS)]
    odd = [value for value in column.values if value not in known]
    if len(known) != 1 or len(odd) != 1 or not (number(odd[0]) is None or MISSING_CODES.fullmatch(odd[0])):
        return None
    return odd[0]


def codes_beside_labels(columns: Iterable[LabelColumn], names: Sequence[str]) -> dict[str, list[str]]:
    """The columns, by name, in which a code stands beside a pair of labels and nothing else, for each code."""
    found: dict[str, list[str]] = {}
    for name, column in zip(names, columns, strict=True):
        codes = {value for value in column.values if MISSING_CODES.fullmatch(value)}
        if any(set(column.values) - codes == set(pair) for pair in PAIRS):
            for code in sorted(codes):
                found.setdefault(code, []).append(name)
    return found
