"""The page of three groups or more: their counts, tests of pairs of them, and links to the pages of all of these."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from isingmap.errors import FileFormatError
from isingmap.files.reading import each_read_once
from isingmap.printable import printable
from isingmap.report.columns import names_in
from isingmap.report.groups_facts import groups_facts
from isingmap.report.kinds import COMPARISONS
from isingmap.report.page.cells import shown_table
from isingmap.report.page.rendering import IsThere, data_address, linked, page_from
from isingmap.report.page.sources import CHANGED, Table, is_plain, read_table, refuse_links

GROUPS = "groups.csv"
_COUNTS = frozenset(("edges", "fields", "permutations"))
_NAMES = frozenset(("group", "first", "second", "folder"))


def groups_page_of(folder: Path, is_there: IsThere | None) -> str:
    """The page, HTML, of groups.csv and comparisons.csv in a folder; it leads to pages that are there.

    Raises
    ------
    FileFormatError
        If a file is missing, damaged or a link to somewhere else.
    """
    names = (GROUPS, COMPARISONS)
    refuse_links(folder, names)
    for name in names:
        if not (folder / name).is_file():
            raise FileFormatError(f"{folder} has no {name}; the report is made of {GROUPS} and {COMPARISONS}")
    with each_read_once():
        tables = {name: read_table(folder / name) for name in names}
    groups, comparisons = (_rows(tables[name]) for name in names)
    facts = list(groups_facts(groups, comparisons))
    labels = [*(row[0] for row in groups), *(f"{row[0]} and {row[1]}" for row in comparisons)]
    items = [
        linked(printable(label), _words(fact.text, printable(label)), str(fact.value), is_there)
        for label, fact in zip(labels, facts, strict=True)
    ]
    return page_from(
        "groups.html",
        ("tables.js", "groups.js"),
        title=f"Maps of {len(groups):,} groups",
        groups=items[: len(groups)],
        comparisons=items[len(groups) :],
        tables={name: shown_table(table, range(len(table.rows))) for name, table in tables.items()},
        downloads={name: data_address("text/csv", table.file) for name, table in tables.items()},
        data={},
    )


def _words(text: str, label: str) -> str:
    """What a fact says, without the label that stands before it already."""
    return text.removeprefix(f"{label}: ")


def _rows(table: Table) -> list[list[Any]]:
    """The rows with their numbers as numbers, columns as they are written."""
    names = names_in(table.place.name)
    columns = [_column(table, name) for name in names]
    return [list(row) for row in zip(*columns, strict=True)]


def _column(table: Table, name: str) -> list[Any]:
    if name not in _NAMES:
        numbers = table.numbers(name)
        return [int(number) for number in numbers] if name in _COUNTS else numbers
    texts = table.column(name)
    for k, text in enumerate(texts, start=1):
        if name == "folder" and not is_plain(text):
            raise FileFormatError(f"{table.place}: row {k} names no folder beside it, but {text!r}; {CHANGED}")
    return list(texts)
