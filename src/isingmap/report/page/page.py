"""The report as one HTML file: everything a folder of results says, a picture to explore, and nothing from outside.

The page is complete without JavaScript: the script only moves, filters and links what is there.
"""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from itertools import groupby
from pathlib import Path
from typing import Any

from isingmap.data.table import counted
from isingmap.errors import OutputExistsError
from isingmap.files.whole_file import write_text
from isingmap.printable import printable
from isingmap.report import field_arcs
from isingmap.report.appearance import group_styles
from isingmap.report.facts import STRONGEST, Fact
from isingmap.report.fit_facts import CODING, FIT, REPEAT
from isingmap.report.map_figure import NODE_RADIUS
from isingmap.report.method_facts import METHODS
from isingmap.report.miss_facts import MISSES
from isingmap.report.page.cells import ShownTable, shown_table
from isingmap.report.page.folder import EDGES, NODES, PATH, Results, read_results
from isingmap.report.page.picture import edges_of, groups_of, legend_of, nodes_of
from isingmap.report.page.shapes import ARC_RADIUS
from isingmap.report.page.sheet import Sheet, sheet_of
from isingmap.report.page.steps import curve_of, steps_of
from isingmap.report.path_facts import ALONG
from isingmap.report.selection_facts import TRIED
from isingmap.report.stability_facts import STABILITY
from isingmap.report.text import shortened

REPORT = "report.html"
# Under which heading of the page the sections of the facts stand; all others stand under the first.
FIRST = "fitted"
HEADINGS = {
    TRIED: "path",
    ALONG: "path",
    STABILITY: "stability",
    FIT: "fit",
    MISSES: "fit",
    METHODS: "provenance",
    REPEAT: "provenance",
}
SCRIPTS = ("d3.min.js", "page.js")
ARC = {"radius": ARC_RADIUS, "reach": field_arcs.reach(NODE_RADIUS), "width": field_arcs.WIDTH}
MOST_CODINGS = 2  # kinds of labels told at the top
# Files that can be saved from the page.
SAVED = (EDGES, NODES)


def write_page(folder: Path, path: Path) -> None:
    """Read the files of results in a folder, and write the report on them.

    Raises
    ------
    FileFormatError
        If files are missing, damaged, or of different fits.
    ModelError
        If the positions lack a variable.
    OutputExistsError
        If the file is a link, which could lead out of the folder.
    OSError
        If the file cannot be written.
    """
    if path.is_symlink():
        raise OutputExistsError(f"{path} is a link and was not followed; remove it, or choose another name")
    write_text(path, page_of(read_results(folder)))


def page_of(results: Results) -> str:
    """The page, HTML."""
    sheet = sheet_of(results.model, results.positions)
    return template("page.html").render(
        title=printable(results.title) or "Planar map",
        headline=_headline(results),
        codings=[shortened(fact.text, 200) for fact in results.facts if fact.label == CODING][:MOST_CODINGS],
        warnings=results.warnings,
        sections=_sections(results.facts),
        sheet=sheet,
        nodes=list(nodes_of(results.model, results.groups, sheet)),
        edges=list(edges_of(results.model, sheet)),
        arc=ARC,
        legend=legend_of(results.model),
        groups=groups_of(results.groups),
        curve=curve_of(results.tables.get(PATH), _criterion(results.facts)),
        tables=_tables(results),
        pictures={name: _data_address("image/svg+xml", picture) for name, picture in results.pictures.items()},
        downloads={name: _data_address("text/csv", results.tables[name].file) for name in SAVED},
        data=_data(results, sheet),
        style=_asset("page.css"),
        scripts=[_asset(name) for name in SCRIPTS],
        script_digests=[_digest(_asset(name)) for name in SCRIPTS],
    )


@cache
def _asset(name: str) -> str:
    return (files("isingmap.report.page") / name).read_text(encoding="utf-8")


@cache
def template(name: str) -> Any:
    """Compiled once; everything that is put into it is escaped, unless the template says that it is our own."""
    from jinja2 import Environment, StrictUndefined

    environment = Environment(autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True)
    return environment.from_string(_asset(name))


def _digest(script: str) -> str:
    """By which a browser knows that a script is ours; others it does not run."""
    return base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()


def _data_address(kind: str, content: bytes) -> str:
    return f"data:{kind};base64,{base64.b64encode(content).decode()}"


def _headline(results: Results) -> str:
    model, rows = results.model, results.fit.get("n_samples")
    from_rows = f" from {rows:,.10g} rows" if isinstance(rows, int | float) else ""
    return f"{counted(model.n_spins, 'variable')}, {counted(model.n_edges, 'edge')}{from_rows}"


def _criterion(facts: Sequence[Fact]) -> object:
    return next((fact.value for fact in facts if fact.label == "criterion"), None)


@dataclass(frozen=True)
class Section:
    """Facts under one heading: a label and paragraphs each, or lines of a list without labels."""

    heading: str
    facts: list[tuple[str, list[str]]]


def _sections(facts: Sequence[Fact]) -> dict[str, list[Section]]:
    """By the part of the page they belong to; the strongest couplings are left to the table."""
    parts: dict[str, list[Section]] = {part: [] for part in (FIRST, *HEADINGS.values())}
    for heading, members in groupby(facts, lambda fact: fact.section):
        if not heading.startswith(STRONGEST):
            rows = [(fact.label, fact.text.split("\n")) for fact in members]
            parts[HEADINGS.get(heading, FIRST)].append(Section(heading, rows))
    return parts


def _data(results: Results, sheet: Sheet) -> dict:
    """What the script cannot read off the page; layouts in the order of the list to choose from."""
    model, steps, groups = results.model, steps_of(results.model, results.tables.get(PATH)), results.groups
    number = {group: k for k, group in enumerate(group_styles(groups or []))}
    has_arcs = bool(model.fields.any())
    return {
        "layouts": [places.round(2).tolist() for places in sheet.layouts.values()],
        "names": [printable(name) for name in model.names],
        "shown": sheet.names,
        "groups": None if groups is None else [number[group] for group in groups],
        "pairs": steps.pairs,
        "couplings": model.couplings.tolist(),
        "first": steps.first,
        "changes": steps.changes,
        "labels": results.labels,
        "radius": field_arcs.reach(NODE_RADIUS) if has_arcs else NODE_RADIUS,
    }


def _tables(results: Results) -> dict[str, ShownTable]:
    """All tables; edges, nodes and steps whole, and in the order in which the script counts them."""
    model, tables = results.model, results.tables
    pairs = zip(tables[EDGES].column("source"), tables[EDGES].column("target"), strict=True)
    edge_row = {frozenset(pair): k for k, pair in enumerate(pairs)}
    node_row = {name: k for k, name in enumerate(tables[NODES].column("name"))}
    whole: dict[str, Sequence[int]] = {
        EDGES: [edge_row[frozenset(pair)] for pair in model.edge_names],
        NODES: [node_row[name] for name in model.names],
    }
    if PATH in tables:
        whole[PATH] = range(len(tables[PATH].rows))
    return {name: shown_table(table, whole.get(name)) for name, table in tables.items()}
