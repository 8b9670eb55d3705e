"""What there is to say of several groups and of the comparisons of pairs of them, from the rows of their tables."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from isingmap.data.table import counted
from isingmap.printable import printable
from isingmap.report.facts import Fact
from isingmap.report.text import shortened

GROUPS, PAIRS = "Groups", "Pairs of groups"
_TESTS = ("structure", "strength", "likelihood ratio")


def groups_facts(groups: Sequence[Sequence[Any]], comparisons: Sequence[Sequence[Any]]) -> Iterator[Fact]:
    """A fact for each row of groups.csv and of comparisons.csv."""
    yield from map(_group_fact, groups)
    yield from map(_comparison_fact, comparisons)


def _group_fact(row: Sequence[Any]) -> Fact:
    label, folder, n_rows, n_edges, n_fields, strength, _ = row
    counts = f"{n_rows:,.10g} rows, {counted(n_edges, 'edge')}, {counted(n_fields, 'field')}"
    text = f"{counts}, global strength {strength:.3f}; in {folder}"
    return Fact(GROUPS, shortened(printable(label), 18), folder, text)


def _comparison_fact(row: Sequence[Any]) -> Fact:
    first, second, folder, n_permutations, *numbers = row
    shown = [
        f"{test} p = {p:.3g} (Holm {q:.3g})" for test, p, q in zip(_TESTS, numbers[1::3], numbers[2::3], strict=True)
    ]
    pair = printable(f"{first} and {second}")
    return Fact(PAIRS, "", folder, f"{pair}: {', '.join(shown)}; {n_permutations:,} permutations; in {folder}")
