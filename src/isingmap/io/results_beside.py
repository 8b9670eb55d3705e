"""What stands in edges.csv and nodes.csv beside a model.json: frequencies, intervals, means and the like."""

from __future__ import annotations

from dataclasses import replace
from os import fspath
from pathlib import Path

from isingmap.errors import FileFormatError
from isingmap.files.csv_file import read_csv
from isingmap.files.number_text import number
from isingmap.io.model_content import ModelFile, ModelPath
from isingmap.model import IsingModel

# What the model itself holds, and what a network has under its own names.
_OWN = {
    "edges": ("source", "target", "coupling", "sign"),
    "nodes": ("name", "label", "field", "group", "x", "y"),
}
# The weight of a network is what it is drawn by; that of 0/1 coding must not be taken for it.
_RENAMED = {"weight": "weight_01", "weight_se": "weight_01_se"}
_OPEN = ("inf", "-inf")  # the open end of an interval; no format of networks has infinity, so it is left out
Columns = dict[str, list]


def with_results(content: ModelFile, path: ModelPath) -> ModelFile:
    """The content of a model.json with the columns of the tables beside it, as the entry "results" of its record.

    {"edges": {column: values}, "nodes": {column: values}}, a value for each edge or variable of the model: a number
    where the whole column is of numbers, else a text; None for an empty cell. A table that is absent, or that is not of
    this model, is left out; the latter is told in a note.
    """
    if "fit" not in content.record:
        return content
    results, notes = {}, list(content.notes)
    for table, columns_of in (("edges", _edge_columns), ("nodes", _node_columns)):
        beside = Path(path).with_name(f"{table}.csv")
        if not beside.is_file():
            continue
        found = columns_of(content.model, beside)
        if found is None:
            notes.append(f"{fspath(beside)} is not the table of this model; nothing was taken from it.")
        else:
            results[table] = found
    return replace(content, record={**content.record, "results": results}, notes=tuple(notes))


def _edge_columns(model: IsingModel, path: Path) -> Columns | None:
    table = _columns(path)
    expected = [(*pair, coupling) for pair, coupling in zip(model.edge_names, model.couplings.tolist(), strict=True)]
    keys = [table.get(key, []) for key in ("source", "target", "coupling")]
    found = [(source, target, number(text)) for source, target, text in zip(*keys, strict=False)]
    return _typed(table, "edges") if found == expected else None


def _node_columns(model: IsingModel, path: Path) -> Columns | None:
    table = _columns(path)
    return _typed(table, "nodes") if tuple(table.get("name", ())) == model.names else None


def _columns(path: Path) -> dict[str, list[str]]:
    try:
        header, rows = read_csv(path)
    except FileFormatError:
        return {}
    return {key: [row[k] for row in rows] for k, key in enumerate(header)}


def _typed(table: dict[str, list[str]], kind: str) -> Columns:
    typed: Columns = {}
    for key, cells in table.items():
        if key in _OWN[kind] or not any(cells):
            continue
        plain = not key.endswith("_label") and all(number(cell) is not None or cell in _OPEN for cell in cells if cell)
        typed[_RENAMED.get(key, key)] = [None if cell == "" else number(cell) if plain else cell for cell in cells]
    return typed
