"""Edge lists: `source,target,coupling` as CSV, or `i j J` as physicists keep them; fields in a table of nodes."""

from __future__ import annotations

import re
import warnings
from collections.abc import Sequence
from dataclasses import replace
from os import fspath
from pathlib import Path

from isingmap.data.table import listed
from isingmap.errors import DataWarning, FileFormatError, ModelError
from isingmap.files.csv_file import unguarded, write_csv
from isingmap.files.number_text import number
from isingmap.io.counts_line import holds_counts
from isingmap.io.delimited import Records, check_widths, named_columns, read_records
from isingmap.io.edge_matrix import Edge, edges_of_matrix
from isingmap.io.model_content import FormatFunctions, ModelFile, ModelPath, build_model
from isingmap.model import IsingModel

_HEADERS = (
    ("source", "target", "coupling"),
    ("i", "j", "J"),
    ("source", "target", "weight"),
    ("from", "to", "weight"),
    ("from", "to", "coupling"),
)
_PAIR_HEADERS = (("source", "target"), ("from", "to"), ("i", "j"))
_INTEGER = re.compile(r"-?\d{1,18}", re.ASCII)


def read_edge_list(path: ModelPath, nodes: ModelPath | None = None, *, sign: int | None = None) -> ModelFile:
    """Read a list of edges, and fields from a table of nodes.

    Parameters
    ----------
    path : path-like
        Columns source, target, coupling under a header (also i, j, J; or weight), other columns ignored; or
        three columns without a header, separated by commas, semicolons, tabs or spaces. Lines starting with # in
        front of the header, or anywhere without a header, are comments.
    nodes : path-like, optional
        CSV with columns name and field (empty: 0). It gives the order of the spins and keeps isolated ones.
        Without it spins come in the order of their first edge, or sorted if all are whole numbers.
    sign : {1, -1}, optional
        1, the default: positive means agree, E = -sum J s s (ferromagnets have J > 0). -1: the file holds energies,
        E = +sum J s s. Applies to couplings and fields. If it is given, a first
        line of counts (of vertices, of edges) is left out; without it such a file is refused, for most hold energies.

    Raises
    ------
    FileFormatError
        With the line of an edge that is not one, is a loop, or is given twice.
    ModelError
        If `sign` is neither 1 nor -1.
    """
    if sign not in (1, -1, None):
        raise ModelError(f"sign must be 1 or -1, got {sign!r}")
    records, edges = _edges(path, sign_given=sign is not None)
    factor = -1 if sign == -1 else 1
    _refuse_loops_and_repeats(edges, records)
    if nodes is None:
        fields, notes = dict.fromkeys(_labels(edges), 0.0), records.notes
    else:
        fields, more = _node_fields(nodes)
        notes = (*records.notes, *more)
        _refuse_other_names(edges, fields, records, nodes)
    position = {label: k for k, label in enumerate(fields)}
    pairs = [(position[source], position[target]) for _, source, target, _ in edges]
    couplings = [factor * coupling for *_, coupling in edges]
    values = [factor * value + 0.0 for value in fields.values()]
    return ModelFile(build_model(path, list(fields), pairs, couplings, values), notes=notes)


def read_pairs(path: ModelPath) -> list[tuple[str, str]] | None:
    """The ends of each edge in a file without couplings: columns source, target or two columns; None of other files.

    Raises
    ------
    FileFormatError
        With the line of an edge that has no end, is a loop, or is given twice.
    """
    records = _without_comments(_separated(path), leading_only=False)
    header = _header(records, _PAIR_HEADERS)
    if _header(records) is not None or (header is None and any(len(row) != 2 for row in records.rows)):
        return None
    rows = list(zip(*named_columns(records, header), strict=True)) if header else records.rows
    lines = records.lines[1:] if header else records.lines
    edges = [_edge((*row, "0"), line, records) for row, line in zip(rows, lines, strict=True)]
    _refuse_loops_and_repeats(edges, records)
    return [(source, target) for _, source, target, _ in edges]


def write_edge_list(model: IsingModel, path: ModelPath, nodes: ModelPath | None = None) -> None:
    """Write source, target, coupling and, to `nodes`, name and field; names are guarded against spreadsheets.

    Raises
    ------
    ModelError
        If fields or isolated spins would be lost because `nodes` is not given, or a name would not be read back
        as it is: empty, with white space at an end, or with a NUL character.
    """
    check_names(model.names)
    isolated = model.n_spins > len(set(model.edges.reshape(-1).tolist()))
    if nodes is None and (isolated or model.fields.any()):
        raise ModelError("the model has fields or isolated spins, which an edge list cannot hold; give nodes=FILE")
    if nodes is not None:
        rows = zip(model.names, model.fields.tolist(), strict=True)
        write_csv(nodes, ("name", "field"), rows)
    pairs = zip(model.edge_names, model.couplings.tolist(), strict=True)
    write_csv(path, _HEADERS[0], [(*pair, coupling) for pair, coupling in pairs])


def check_names(names: Sequence[str]) -> None:
    """Refuse names that would not be read back from a CSV file as they are.

    Raises
    ------
    ModelError
    """
    for name in names:
        if name != name.strip() or not name or "\0" in name:
            raise ModelError(f"the name {name!r} would not survive in a CSV file; rename the variable")


def nodes_path(path: ModelPath) -> Path:
    """Where the nodes of an edge list are by custom: edges.csv has nodes.csv, map.csv has map.nodes.csv."""
    path = Path(path)
    return path.with_name(f"nodes{path.suffix}" if path.stem == "edges" else f"{path.stem}.nodes{path.suffix}")


# --- reading ----------------------------------------------------------------------------------------------


def _edges(path: ModelPath, *, sign_given: bool) -> tuple[Records, list[Edge]]:
    records = _without_comments(_separated(path), leading_only=True)
    header = _header(records)
    if header is not None:
        columns = named_columns(records, header)
        rows = list(zip(*columns, strict=True))
        return records, [_edge(row, line, records) for row, line in zip(rows, records.lines[1:], strict=True)]
    matrix = edges_of_matrix(records)
    if matrix is not None:
        note = "Read as a square matrix of couplings; pairs with 0 are no edges."
        return replace(records, notes=(*records.notes, note)), matrix
    records = _without_counts(_without_comments(records, leading_only=False), sign_given=sign_given)
    _check_headerless(records)
    return records, [_edge(row, line, records) for row, line in zip(records.rows, records.lines, strict=True)]


def _separated(path: ModelPath) -> Records:
    """Rows split at the separator of the file or, where that leaves one field, at spaces."""
    try:
        records = read_records(path)
        failure = None
    except FileFormatError as error:
        records, failure = None, error
    if records is not None and any(len(row) > 1 and not row[0].startswith("#") for row in records.rows):
        return records
    spaced = read_records(path, " ")
    rows = [[cell for cell in row if cell.strip()] for row in spaced.rows]
    if failure is not None and not any(len(row) > 1 for row in rows):
        raise failure
    return replace(spaced, rows=rows)


def _without_comments(records: Records, *, leading_only: bool) -> Records:
    comment = [row[0].lstrip().startswith("#") if row else True for row in records.rows]
    first = comment.index(False) if False in comment else len(comment)
    kept = [k for k, drop in enumerate(comment) if k >= first and (leading_only or not drop)]
    if not kept:
        raise records.fail("there is no edge in this file")
    return replace(records, rows=[records.rows[k] for k in kept], lines=[records.lines[k] for k in kept])


def _header(records: Records, known: Sequence[tuple[str, ...]] = _HEADERS) -> list[str] | None:
    """The columns of an edge as the file spells them, or None if the first row is an edge."""
    cells = [cell.strip() for cell in records.rows[0]]
    folded = [cell.casefold() for cell in cells]
    for wanted in known:
        if set(wanted) <= set(cells):
            return list(wanted)
        if set(wanted) <= set(folded):
            return [cells[folded.index(column)] for column in wanted]
    return None


def _without_counts(records: Records, *, sign_given: bool) -> Records:
    """The records without a first line of counts, as max-cut, D-Wave and MatrixMarket files have it."""
    first = [cell.strip() for cell in records.rows[0]]
    if not holds_counts(first, [row[:2] for row in records.rows[1:]]):
        return records
    shown = " ".join(first)
    if not sign_given:
        raise records.fail(
            f"line {records.lines[0]}, {shown!r}, holds counts (variables, lines), not an edge. It is left out if "
            "you say what the numbers below mean: sign=-1 if they are energies, E = sum w s s, as in max-cut problems "
            "and D-Wave's files, or sign=1 if positive means agree"
        )
    note = f"Line {records.lines[0]}, {shown!r}, holds counts and was left out."
    return replace(records, rows=records.rows[1:], lines=records.lines[1:], notes=(*records.notes, note))


def _check_headerless(records: Records) -> None:
    first = records.rows[0]
    if not any(number(cell) is not None for cell in first[2:]):
        shown = listed([repr(cell.strip()[:60]) for cell in first])
        raise records.fail(
            f"line {records.lines[0]} ({shown}) is no edge; expected a header with columns source, target, coupling "
            "(others are ignored), or three columns without a header. Rename the columns; if this is a table of "
            "answers, learn a model from it first (isingmap fit)"
        )
    check_widths(records, 3, 0)


def _edge(row: Sequence[str], line: int, records: Records) -> Edge:
    coupling = number(row[2])
    if coupling is None:
        raise records.fail(f"line {line}: the coupling must be a finite number, got {row[2][:60]!r}")
    source, target = (unguarded(cell.strip()) for cell in row[:2])
    if not source or not target:
        raise records.fail(f"line {line}: an end of the edge has no name")
    return line, source, target, coupling


def _refuse_loops_and_repeats(edges: Sequence[Edge], records: Records) -> None:
    seen: dict[frozenset, int] = {}
    for line, source, target, _ in edges:
        if source == target:
            raise records.fail(
                f"line {line} joins {source!r} to itself; fields belong into a table of nodes "
                "(name,field), or read the file with format=coo and domain=spin, where such lines are terms"
            )
        pair = frozenset((source, target))
        if pair in seen:
            raise records.fail(
                f"line {line} gives the edge {source!r} - {target!r} again (first in line {seen[pair]}); "
                "give each pair once, with the sum of its couplings if they add up"
            )
        seen[pair] = line


def _refuse_other_names(edges: Sequence[Edge], fields: dict[str, float], records: Records, nodes: ModelPath) -> None:
    for line, *ends, _ in edges:
        for end in ends:
            if end not in fields:
                raise records.fail(f"line {line}: {end!r} is not among the names in {fspath(nodes)}")


def _labels(edges: Sequence[Edge]) -> list[str]:
    labels = list(dict.fromkeys(end for _, *ends, _ in edges for end in ends))
    return sorted(labels, key=int) if all(_INTEGER.fullmatch(label) for label in labels) else labels


def _node_fields(path: ModelPath) -> tuple[dict[str, float], tuple[str, ...]]:
    """Field of each name, in the order of the file."""
    records = read_records(path)
    fields: dict[str, float] = {}
    names, texts = named_columns(records, ("name", "field"))
    for line, name, text in zip(records.lines[1:], names, texts, strict=True):
        name, value = unguarded(name.strip()), number(text) if text.strip() else 0.0
        if not name or name in fields:
            raise records.fail(f"line {line}: the name {name!r} is {'given twice' if name else 'empty'}")
        if value is None:
            raise records.fail(f"line {line}: the field must be a finite number or empty, got {text[:60]!r}")
        fields[name] = value
    if not fields:
        raise records.fail("there is no node in this file")
    return fields, records.notes


# --- the format -------------------------------------------------------------------------------------------


def _read(path: ModelPath, domain: str | None, sign: int | None = None) -> ModelFile:
    nodes = nodes_path(path)
    if not nodes.is_file():
        return read_edge_list(path, sign=sign)
    found = read_edge_list(path, nodes, sign=sign)
    return replace(found, notes=(*found.notes, f"Fields and the order of the variables come from {nodes}."))


def _write(content: ModelFile, path: ModelPath, domain: str) -> None:
    if Path(path).name.endswith(".gz"):
        raise FileFormatError(f"{fspath(path)}: compressed edge lists are read but not written; drop the .gz")
    if content.offset:
        warnings.warn(
            f"{fspath(path)}: edge lists cannot hold the offset {content.offset:.12g} of the energy; it is lost",
            DataWarning,
        )
    write_edge_list(content.model, path, nodes_path(path))


FUNCTIONS = FormatFunctions(_read, _write, companion=nodes_path)
