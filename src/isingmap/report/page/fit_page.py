"""The page of a fit: everything a folder of results says, a picture to explore, and nothing from outside.

The page is complete without JavaScript: the script only moves, filters and links what is there.
"""

from __future__ import annotations

from collections.abc import Sequence

from isingmap.data.table import counted
from isingmap.printable import printable
from isingmap.report import field_arcs
from isingmap.report.appearance import group_styles
from isingmap.report.facts import STRONGEST, Fact
from isingmap.report.fit_facts import FIT, REPEAT
from isingmap.report.map_figure import NODE_RADIUS
from isingmap.report.method_facts import METHODS
from isingmap.report.miss_facts import MISSES
from isingmap.report.page.cells import ShownTable, shown_table
from isingmap.report.page.folder import EDGES, NODES, PATH, Results
from isingmap.report.page.picture import edges_of, groups_of, legend_of, nodes_of
from isingmap.report.page.rendering import SCRIPTS, codings_of, data_address, page_from, rounded, sections_of
from isingmap.report.page.sheet import Sheet, sheet_of
from isingmap.report.page.steps import curve_of, steps_of
from isingmap.report.path_facts import ALONG
from isingmap.report.selection_facts import TRIED
from isingmap.report.stability_facts import STABILITY

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
# Files that can be saved from the page.
SAVED = (EDGES, NODES)


def page_of(results: Results) -> str:
    """The page, HTML."""
    sheet = sheet_of(results.model, results.positions)
    return page_from(
        "fit.html",
        (*SCRIPTS, "fit.js"),
        title=printable(results.title) or "Planar map",
        headline=_headline(results),
        codings=codings_of(results.facts),
        warnings=results.warnings,
        sections=sections_of(results.facts, HEADINGS, FIRST, left_out=STRONGEST),
        sheet=sheet,
        nodes=list(nodes_of(results.model, results.groups, sheet)),
        edges=list(edges_of(results.model, sheet)),
        legend=legend_of(results.model),
        groups=groups_of(results.groups),
        curve=curve_of(results.tables.get(PATH), _criterion(results.facts)),
        tables=_tables(results),
        pictures={name: data_address("image/svg+xml", picture) for name, picture in results.pictures.items()},
        downloads={name: data_address("text/csv", results.tables[name].file) for name in SAVED},
        printed="map.svg",
        data=_data(results, sheet),
    )


def _headline(results: Results) -> str:
    model, rows = results.model, results.fit.get("n_samples")
    from_rows = f" from {rows:,.10g} rows" if isinstance(rows, int | float) else ""
    return f"{counted(model.n_spins, 'variable')}, {counted(model.n_edges, 'edge')}{from_rows}"


def _criterion(facts: Sequence[Fact]) -> object:
    return next((fact.value for fact in facts if fact.label == "criterion"), None)


def _data(results: Results, sheet: Sheet) -> dict:
    """What the script cannot read off the page; layouts in the order of the list to choose from."""
    model, steps, groups = results.model, steps_of(results.model, results.tables.get(PATH)), results.groups
    number = {group: k for k, group in enumerate(group_styles(groups or []))}
    has_arcs = bool(model.fields.any())
    return {
        "layouts": [rounded(places) for places in sheet.layouts.values()],
        "names": [printable(name) for name in model.names],
        "shown": sheet.names,
        "groups": None if groups is None else [number[group] for group in groups],
        "pairs": steps.pairs,
        "picture": "map",
        "weights": model.couplings.tolist(),
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
