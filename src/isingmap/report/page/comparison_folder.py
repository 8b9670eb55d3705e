"""What a folder of a comparison holds, read strictly: its page is made of these files, so it shows what they say."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from isingmap.errors import FileFormatError, ModelError
from isingmap.files.reading import each_read_once
from isingmap.files.strict_json import read_json_object, shown
from isingmap.learning.learned_map import Positions
from isingmap.model import IsingModel
from isingmap.report.facts import Fact
from isingmap.report.kinds import COMPARISON
from isingmap.report.page.checked import places_in
from isingmap.report.page.sources import CHANGED, Table, facts_of, is_plain, read_table, refuse_links

DIFFERENCES, VARIABLES = "differences.csv", "variables.csv"
COUPLINGS = ("coupling_first", "coupling_second")
LEFT_OUT = "left_out_of"  # no column of older versions
UP = "../"
STRUCTURE = "structure"  # the label of the test of the largest difference


@dataclass(frozen=True)
class Compared:
    """A folder of a comparison in memory. Edges are the pairs that are an edge of either map, as the table has them.

    Attributes
    ----------
    place : Path
    labels : (str, str)
        What the groups are called.
    folders : tuple of str
        Where the results of both groups are, seen from this folder; empty where the file does not tell.
    title : str
    facts : tuple of Fact
    differences : IsingModel
        The graph of all edges; its couplings are those of the second map less those of the first.
    couplings : (n_edges, 2) array
    p_values, holm : (n_edges,) array
    left_out_of : list of str
        Of each edge, the groups that have no finite coupling there, whose 0 is no estimate; mostly empty.
    rows : list of int
        Of each edge in the table of differences.
    positions : mapping or None
    tables : mapping
        By the name of the file.
    """

    place: Path
    labels: tuple[str, str]
    folders: tuple[str, ...]
    title: str
    facts: tuple[Fact, ...]
    differences: IsingModel
    couplings: np.ndarray
    p_values: np.ndarray
    holm: np.ndarray
    left_out_of: list[str]
    rows: list[int]
    positions: Positions | None
    tables: Mapping[str, Table]


def read_comparison(folder: Path) -> Compared:
    """All files of a folder that the page shows.

    Raises
    ------
    FileFormatError
        If a file is missing, damaged or a link to somewhere else, or they are not of the same comparison.
    ModelError
        If the positions lack a variable.
    """
    refuse_links(folder, (COMPARISON, DIFFERENCES, VARIABLES))
    with each_read_once():
        return _read(folder)


def _read(folder: Path) -> Compared:
    document, where = read_json_object(folder / COMPARISON), str(folder / COMPARISON)
    if not (folder / DIFFERENCES).is_file():
        raise FileFormatError(f"{folder} has no {DIFFERENCES}; the report is made of it and of {COMPARISON}")
    table = read_table(folder / DIFFERENCES)
    variables = read_table(folder / VARIABLES) if (folder / VARIABLES).is_file() else _names_only(table)
    names = variables.column("name")
    couplings = np.column_stack([table.numbers(name) for name in COUPLINGS]).reshape(-1, 2)
    _check_differences(table, couplings)
    rows = np.flatnonzero((couplings != 0).any(axis=1))
    pairs = _pairs(table, names)
    left_out = table.optional(LEFT_OUT)
    facts = facts_of(document.get("facts", []), where)
    _check_same(table, couplings, facts)
    return Compared(
        place=folder,
        labels=_labels(document, where),
        folders=_folders(document, where),
        title=_title(document, where),
        facts=facts,
        differences=_graph(names, pairs[rows], couplings[rows], variables),
        couplings=couplings[rows],
        p_values=np.array(table.numbers("p_value"))[rows],
        holm=np.array(table.numbers("p_holm"))[rows],
        left_out_of=[left_out[k] for k in rows.tolist()],
        rows=rows.tolist(),
        positions=places_in(document, where, names),
        tables={DIFFERENCES: table, VARIABLES: variables},
    )


def _names_only(table: Table) -> Table:
    """The variables of a folder of an older version, in alphabetical order."""
    names = sorted({*table.column("source"), *table.column("target")})
    return Table(table.place.with_name(VARIABLES), ("name",), [[name] for name in names], b"")


def _pairs(table: Table, names: list[str]) -> np.ndarray:
    number = {name: k for k, name in enumerate(names)}
    found: dict[frozenset[str], tuple[int, int]] = {}
    for row, ends in enumerate(zip(table.column("source"), table.column("target"), strict=True), start=1):
        for column, name in zip(("source", "target"), ends, strict=True):
            if name not in number:
                raise table.wrong(row, column, f"a variable of {VARIABLES}", name)
        if len({*ends}) < 2 or frozenset(ends) in found:
            raise table.wrong(row, "target", "another pair than in the rows above", " - ".join(ends))
        found[frozenset(ends)] = (number[ends[0]], number[ends[1]])
    return np.array(list(found.values()), np.int64).reshape(-1, 2)


def _graph(names: list[str], pairs: np.ndarray, couplings: np.ndarray, variables: Table) -> IsingModel:
    try:
        return IsingModel(pairs, couplings[:, 1] - couplings[:, 0], names=names)
    except ModelError as error:
        raise FileFormatError(f"{variables.place}: {error}; {CHANGED}") from None


def _check_differences(table: Table, couplings: np.ndarray) -> None:
    told = np.array(table.numbers("difference"))
    found = couplings[:, 1] - couplings[:, 0]
    wrong = np.flatnonzero(~np.isclose(told, found, rtol=1e-9, atol=1e-12))
    if len(wrong):
        k = int(wrong[0])
        expected = f"coupling_second - coupling_first = {found[k]:.6g}"
        raise table.wrong(k + 1, "difference", expected, table.column("difference")[k])


def _check_same(table: Table, couplings: np.ndarray, facts: tuple[Fact, ...]) -> None:
    """The largest difference of the table must be that which was tested."""
    largest = float(np.abs(couplings[:, 1] - couplings[:, 0]).max(initial=0.0))
    for fact in facts:
        told = fact.value.get("value") if fact.label == STRUCTURE and isinstance(fact.value, dict) else None
        if isinstance(told, int | float) and not math.isclose(told, largest, rel_tol=1e-9, abs_tol=1e-12):
            raise FileFormatError(
                f"{table.place}: the largest difference is {largest:.6g}, and {told:.6g} was tested by {COMPARISON} "
                "beside it; they must come from the same comparison"
            )


def _labels(document: dict, where: str) -> tuple[str, str]:
    found = document.get("groups")
    if not isinstance(found, list) or len(found) != 2 or not all(isinstance(label, str) for label in found):
        raise FileFormatError(f'{where}: expected the names of two groups under "groups", got {shown(found)}')
    return found[0], found[1]


def _folders(document: dict, where: str) -> tuple[str, ...]:
    """Plain names, in this folder or beside it: the page has links to them."""
    found = document.get("folders", [])
    if not isinstance(found, list) or len(found) not in (0, 2) or not all(map(_is_near, found)):
        raise FileFormatError(
            f'{where}: expected the names of two folders under "folders", in this folder or beside it, got '
            f"{shown(found)}"
        )
    if len(set(found)) < len(found):
        raise FileFormatError(f'{where}: expected two different folders under "folders", got {shown(found)}')
    return tuple(found)


def _is_near(name: object) -> bool:
    return isinstance(name, str) and is_plain(name.removeprefix(UP))


def _title(document: dict, where: str) -> str:
    found = document.get("title", "")
    if not isinstance(found, str):
        raise FileFormatError(f'{where}: expected a text under "title", got {shown(found)}')
    return found
