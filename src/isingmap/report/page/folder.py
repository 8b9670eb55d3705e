"""What a folder of results holds, read strictly: the page is made of the files, so it shows what they say."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from isingmap.errors import FileFormatError
from isingmap.files.number_text import number
from isingmap.files.reading import each_read_once
from isingmap.files.strict_json import read_json_object, shown
from isingmap.learning.learned_map import Positions
from isingmap.model import IsingModel
from isingmap.printable import printable
from isingmap.report.facts import Fact
from isingmap.report.kinds import MODEL
from isingmap.report.page.checked import check_count, check_degrees, check_intervals, places_in
from isingmap.report.page.sources import Table, facts_of, read_picture, read_table, refuse_links
from isingmap.report.saved_map import groups_of

EDGES, NODES, PATH = "edges.csv", "nodes.csv", "path.csv"
TABLES = (
    *(EDGES, NODES, PATH, "misses.csv", "blocked.csv", "excluded.csv", "missing.csv"),
    *("selection.csv", "stability.csv", "case_dropping.csv"),
)
TOGETHER = "they must come from the same fit"
PICTURES = ("path.svg", "stability.svg", "fit.svg")
# What stands under "fit" in a model file, where it is known.
_KINDS: dict[str, tuple[type, ...]] = {
    "title": (str,),
    "n_samples": (int, float),
    "log_likelihood": (int, float),
    "warnings": (list,),
    "labels": (list,),
}
_IN_WORDS = {str: "a text", int: "a number", list: "a list of texts"}


@dataclass(frozen=True)
class Results:
    """A folder of results in memory; tables and pictures by the name of their file, those that there are."""

    model: IsingModel
    fit: Mapping[str, object]
    facts: tuple[Fact, ...]
    positions: Positions | None
    groups: tuple[str, ...] | None
    tables: Mapping[str, Table]
    pictures: Mapping[str, bytes]

    @property
    def title(self) -> str:
        return str(self.fit.get("title") or "")

    @property
    def warnings(self) -> list[str]:
        """What was warned of while it was learned."""
        return [printable(text) for text in self._texts("warnings")]

    @property
    def labels(self) -> list[list[str]]:
        """What -1 and +1 stood for, for each variable; empty where the file does not tell."""
        return [[printable(label) for label in pair] for pair in self._texts("labels")]

    def _texts(self, name: str) -> list:
        found = self.fit.get(name)
        return found if isinstance(found, list) else []


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
    refuse_links(folder, (MODEL, *TABLES, *PICTURES))
    with each_read_once():
        return _read(folder)


def _read(folder: Path) -> Results:
    path = folder / MODEL
    model, document, where = IsingModel.load(path), read_json_object(path), str(path)
    fit = document.get("fit", {})
    if not isinstance(fit, dict):
        raise FileFormatError(f'{where}: expected an object under "fit", got {shown(fit)}')
    _check_fit(fit, model.n_spins, where)
    tables = {name: read_table(folder / name) for name in TABLES if (folder / name).is_file()}
    for name in (EDGES, NODES):
        if name not in tables:
            raise FileFormatError(f"{folder} has no {name}; the report is made of it and of {MODEL}")
    found = Results(
        model=model,
        fit=fit,
        facts=facts_of(document.get("facts", []), where),
        positions=places_in(document, where, model.names),
        groups=groups_of(fit, model.n_spins, where),
        tables=tables,
        pictures={name: read_picture(folder / name) for name in PICTURES if (folder / name).is_file()},
    )
    _check_same(found)
    return found


def _check_fit(fit: dict, n_spins: int, where: str) -> None:
    """What the page shows must be of the kind that a fit writes; what is absent is not shown."""
    for name, kinds in _KINDS.items():
        value = fit.get(name)
        if value is not None and (not isinstance(value, kinds) or isinstance(value, bool)):
            raise FileFormatError(f"{where}: expected {_IN_WORDS[kinds[0]]} under {name!r} of fit, got {shown(value)}")
    check_count(fit.get("n_samples"), "n_samples", where)
    for text in fit.get("warnings") or []:
        if not isinstance(text, str):
            raise FileFormatError(f"{where}: expected texts under 'warnings' of fit, got {shown(text)}")
    labels = fit.get("labels") or []
    if labels and (len(labels) != n_spins or not all(map(_is_pair_of_texts, labels))):
        raise FileFormatError(
            f"{where}: expected two texts for each of {n_spins} variables under 'labels' of fit, got {shown(labels)}"
        )


def _is_pair_of_texts(value: object) -> bool:
    return isinstance(value, list) and len(value) == 2 and all(isinstance(text, str) for text in value)


def _check_same(found: Results) -> None:
    """The tables must have the edges, the variables and the parameters of the model, in any order."""
    edges, nodes, model = found.tables[EDGES], found.tables[NODES], found.model
    pairs = list(map(frozenset, zip(edges.column("source"), edges.column("target"), strict=True)))
    _check_numbers(edges, "edges", "coupling", pairs, list(map(frozenset, model.edge_names)), model.couplings)
    _check_numbers(nodes, "variables", "field", nodes.column("name"), list(model.names), model.fields)
    check_intervals(edges, "coupling", "lower", "upper", "interval")
    check_intervals(nodes, "field", "field_lower", "field_upper", "field_interval")
    check_degrees(nodes, model.edges, model.names)


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
