"""What a folder of results holds, read strictly: the page is made of the files, so it shows what they say."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from isingmap.errors import FileFormatError
from isingmap.files.csv_file import read_csv
from isingmap.files.number_text import number
from isingmap.files.reading import each_read_once, read_bytes
from isingmap.files.strict_json import read_json_object, shown
from isingmap.learning.learned_map import Positions, check_places
from isingmap.model import IsingModel
from isingmap.printable import printable
from isingmap.report.facts import Fact
from isingmap.report.saved_map import groups_of, positions_in

MODEL, EDGES, NODES, PATH = "model.json", "edges.csv", "nodes.csv", "path.csv"
TABLES = (
    *(EDGES, NODES, PATH, "misses.csv", "blocked.csv", "excluded.csv", "missing.csv"),
    *("selection.csv", "stability.csv", "case_dropping.csv"),
)
TOGETHER = "they must come from the same fit"
PICTURES = ("path.svg", "stability.svg", "fit.svg")


@dataclass(frozen=True)
class Table:
    """A CSV file as text.

    Attributes
    ----------
    place : Path
        The file, for messages.
    columns : tuple of str
    rows : list of list of str
    file : bytes
        The file as it is, to be saved from the page.
    """

    place: Path
    columns: tuple[str, ...]
    rows: list[list[str]]
    file: bytes

    def column(self, name: str) -> list[str]:
        """The cells under a heading.

        Raises
        ------
        FileFormatError
            If there is no such column.
        """
        if name not in self.columns:
            raise FileFormatError(f"{self.place} has no column {name}; was it changed by another program?")
        k = self.columns.index(name)
        return [row[k] for row in self.rows]


@dataclass(frozen=True)
class Results:
    """A folder of results in memory; tables and pictures by the name of their file, those that there are."""

    model: IsingModel
    fit: Mapping[str, object]
    facts: tuple[Fact, ...]
    positions: Positions | None
    groups: list[str] | None
    tables: Mapping[str, Table]
    pictures: Mapping[str, bytes]

    @property
    def title(self) -> str:
        return str(self.fit.get("title") or "")

    @property
    def warnings(self) -> list[str]:
        """What was warned of while it was learned."""
        found = self.fit.get("warnings")
        return [printable(text) for text in found] if isinstance(found, list) else []

    @property
    def labels(self) -> list[list[str]]:
        """What -1 and +1 stood for, for each variable; empty where the file does not tell."""
        found = self.fit.get("labels")
        if not isinstance(found, list) or len(found) != self.model.n_spins:
            return []
        return [[printable(label) for label in pair] if isinstance(pair, list) else [] for pair in found]


def read_results(folder: Path) -> Results:
    """All files of a folder that the page shows.

    Raises
    ------
    FileFormatError
        If there is no model.json, a file is damaged or a link to somewhere else, or a table is not that of the model.
    ModelError
        If the positions lack a variable.
    """
    if not (folder / MODEL).is_file():
        raise FileFormatError(
            f"{folder} has no {MODEL}; give a folder of results, as isingmap fit, voteview, demo and stability write it"
        )
    _refuse_links(folder)
    with each_read_once():
        return _read(folder)


def _read(folder: Path) -> Results:
    path = folder / MODEL
    model, document, where = IsingModel.load(path), read_json_object(path), str(path)
    fit = document.get("fit", {})
    if not isinstance(fit, dict):
        raise FileFormatError(f'{where}: expected an object under "fit", got {shown(fit)}')
    tables = {name: _table(folder / name) for name in TABLES if (folder / name).is_file()}
    for name in (EDGES, NODES):
        if name not in tables:
            raise FileFormatError(f"{folder} has no {name}; the report is made of it and of {MODEL}")
    found = Results(
        model=model,
        fit=fit,
        facts=_facts(document.get("facts", []), where),
        positions=check_places(positions_in(document, where), model.names) if "positions" in document else None,
        groups=_groups(fit, model.n_spins, where),
        tables=tables,
        pictures={name: _picture(folder / name) for name in PICTURES if (folder / name).is_file()},
    )
    _check_same(found)
    return found


def _refuse_links(folder: Path) -> None:
    """A report is sent to others: a folder from a stranger must not bring files of this machine into it."""
    inside = folder.resolve()
    for name in (MODEL, *TABLES, *PICTURES):
        if not (folder / name).resolve().is_relative_to(inside):
            raise FileFormatError(
                f"{folder / name} is a link to a file outside the folder; put the file itself there if it belongs to "
                "the results"
            )


def _picture(path: Path) -> bytes:
    content = read_bytes(path)
    if not content.lstrip().startswith((b"<?xml", b"<svg")) or b"<svg" not in content:
        raise FileFormatError(f"{path} is not an SVG picture; draw it again, or remove it")
    return content


def _groups(fit: dict, n_spins: int, where: str) -> list[str] | None:
    found = groups_of(fit, where)
    if found is None:
        return None
    if len(found) != n_spins:
        raise FileFormatError(f"{where}: groups must have one entry for each of {n_spins} variables, got {len(found)}")
    return ["" if group is None else str(group) for group in found]


def _table(path: Path) -> Table:
    columns, rows = read_csv(path)
    return Table(path, columns, rows, read_bytes(path))


def _facts(records: object, where: str) -> tuple[Fact, ...]:
    if not isinstance(records, list) or not all(isinstance(record, dict) for record in records):
        raise FileFormatError(f'{where}: expected a list of objects under "facts", got {shown(records)}')
    return tuple(Fact.of_record(record) for record in records)


def _check_same(found: Results) -> None:
    """The tables must have the edges, the variables and the parameters of the model, in any order."""
    edges, nodes, model = found.tables[EDGES], found.tables[NODES], found.model
    pairs = list(map(frozenset, zip(edges.column("source"), edges.column("target"), strict=True)))
    _check_numbers(edges, "edges", "coupling", pairs, list(map(frozenset, model.edge_names)), model.couplings)
    _check_numbers(nodes, "variables", "field", nodes.column("name"), list(model.names), model.fields)


def _check_numbers(table: Table, what: str, column: str, keys: list, expected: list, values: np.ndarray) -> None:
    texts, known = table.column(column), dict(zip(expected, values.tolist(), strict=True))
    if len(keys) != len(known) or set(keys) != set(known):
        raise FileFormatError(f"{table.place} has other {what} than {MODEL} beside it; {TOGETHER}")
    for key, text in zip(keys, texts, strict=True):
        value = number(text)
        if value is None or not math.isclose(value, known[key], rel_tol=1e-9, abs_tol=1e-12):
            name = key if isinstance(key, str) else " - ".join(sorted(key))
            raise FileFormatError(
                f"{table.place}: the {column} of {name} is {text or 'empty'}, and {known[key]!r} in {MODEL} beside it; "
                f"{TOGETHER}"
            )
