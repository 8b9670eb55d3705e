"""The page of a comparison: what was compared, the tests in words, a map of the differences, both groups side by side.

The page is complete without JavaScript: the script only moves, filters and links what is there.
"""

from __future__ import annotations

from collections.abc import Iterator

from isingmap.data.table import counted
from isingmap.errors import FileFormatError
from isingmap.files.safe_name import folder_names
from isingmap.files.strict_json import shown
from isingmap.printable import printable
from isingmap.report.comparison_facts import EDGES, GROUPS, LEVEL, MEANINGLESS, READING, TESTS, widest
from isingmap.report.difference_figure import FADED
from isingmap.report.facts import Fact
from isingmap.report.fit_facts import CARE, REPEAT
from isingmap.report.kinds import COMPARISON
from isingmap.report.map_figure import NODE_RADIUS, shown_names
from isingmap.report.method_facts import METHODS
from isingmap.report.page.cells import ShownTable, shown_table
from isingmap.report.page.comparison_folder import DIFFERENCES, LEFT_OUT, STRUCTURE, VARIABLES, Compared
from isingmap.report.page.difference_picture import NO_ESTIMATE, differences_of, owners_of, views_of, weights_of
from isingmap.report.page.picture import nodes_of
from isingmap.report.page.rendering import (
    SCRIPTS,
    IsThere,
    Linked,
    codings_of,
    data_address,
    linked,
    page_from,
    rounded,
    sections_of,
)
from isingmap.report.page.shapes import STAR
from isingmap.report.page.sheet import Sheet, sheet_of
from isingmap.report.text import cut_between_words, shortened

FIRST = "compared"
HEADINGS = {TESTS: "tests", READING: "tests", METHODS: "provenance", REPEAT: "provenance"}
PICTURE = "difference"  # what is saved is called by its view, the first of them as the printed picture
PERMUTATIONS = "permutations"  # the label of what was dealt out, how often
MOST_SAVED = 1_000_000  # bytes of a table that can be saved from the page; larger ones are in the folder alone
# The tests of the whole, by the labels of their facts: what differs by how much.
_TESTED = {
    "structure": "Structure: the coupling that differs most{1} differs by {0}",
    "global strength": "Global strength: the sums of |couplings| differ by {}",
    "likelihood ratio": "One map or two: 2 log likelihood ratio of two maps against one for all rows {}",
}


def page_of(found: Compared, is_there: IsThere | None = lambda _: True) -> str:
    """The page, HTML; it leads to pages of the groups that are there, which holds only in the folder of the comparison.

    Raises
    ------
    FileFormatError
        If the facts of a test have no numbers.
    """
    sheet, views = sheet_of(found.differences, found.positions, drawn="as both maps are drawn"), views_of(found)
    model = found.differences
    names = " and ".join(map(printable, found.labels))
    return page_from(
        "comparison.html",
        (*SCRIPTS, "comparison.js"),
        title=printable(found.title) or names,
        headline=f"{counted(model.n_spins, 'variable')}, {counted(model.n_edges, 'pair')} that one map or both have",
        labels=[printable(label) for label in found.labels],
        short_labels=shown_names(map(printable, found.labels)),
        groups=list(_groups(found, is_there)),
        codings=codings_of(found.facts),
        permutations=[fact.text for fact in found.facts if fact.label == PERMUTATIONS],
        verdicts=list(verdicts_of(found)),
        warnings=_warnings(found),
        sections=sections_of(found.facts, HEADINGS, FIRST, left_out=EDGES),
        sheet=sheet,
        nodes=list(nodes_of(model, None, sheet)),
        edges=differences_of(found, views[0], sheet),
        faded=FADED,
        level=LEVEL,
        star=STAR,
        printed=f"{PICTURE}.svg",
        views=views,
        has_left_out=bool((owners_of(found) == NO_ESTIMATE).any()),
        has_pale=bool((found.p_values >= LEVEL).any()),
        has_stars=bool((found.holm < LEVEL).any()),
        tables=_tables(found),
        counts={"edges": f"{model.n_edges:,}", "pairs": f"{len(found.tables[DIFFERENCES].rows):,}"},
        downloads=_downloads(found),
        data=_data(found, sheet, views),
    )


def _warnings(found: Compared) -> list[str]:
    """What was warned of; pairs that were left out are among that, and told by themselves where nobody was warned."""
    care = [fact for fact in found.facts if fact.section == CARE]
    warned = [fact for fact in care if fact.label == "warning"] or care
    return [cut_between_words(fact.text, 160) for fact in warned]


def _groups(found: Compared, is_there: IsThere | None) -> Iterator[Linked]:
    told = [fact.text for fact in found.facts if fact.section == GROUPS and isinstance(fact.value, dict)]
    folders = found.folders or ("", "")
    for k, label in enumerate(found.labels):
        yield linked(printable(label), told[k] if k < len(told) else "", folders[k], is_there)


def verdicts_of(found: Compared) -> Iterator[str]:
    """What the tests of the whole say, a sentence each.

    Raises
    ------
    FileFormatError
        If the facts of a test have no numbers.
    """
    n_permutations = next((fact.value for fact in found.facts if fact.label == PERMUTATIONS), None)
    for fact in found.facts:
        if fact.section == TESTS and fact.label in _TESTED:
            value, p_value = (_number(found, fact, name) for name in ("value", "p_value"))
            pair, care = _rests_on(found, fact.label)
            yield f"{_TESTED[fact.label].format(_shown(value), pair)}; {_by_chance(p_value, n_permutations)}{care}"


def _rests_on(found: Compared, label: str) -> tuple[str, str]:
    """The pair that differs most, and what must be known of pairs that a search left out."""
    if label == "global strength":
        n_pairs = sum(map(bool, found.tables[DIFFERENCES].optional(LEFT_OUT)))
        care = f"; {counted(n_pairs, 'pair')} without a finite coupling in a group counted as 0 there"
        return "", care if n_pairs else ""
    if label != STRUCTURE or not found.rows:
        return "", ""
    pairs = found.differences.edge_names
    pair = widest(found.differences.couplings, pairs)
    without = printable(found.left_out_of[pairs.index(pair)])
    care = f"; {shortened(MEANINGLESS.format(without), 200)}" if without else ""
    return f", {' – '.join(shown_names(map(printable, pair)))},", care


def _by_chance(p_value: float, n_permutations: object) -> str:
    if p_value < LEVEL:
        return f"more than chance makes (p = {p_value:.3g})"
    if isinstance(n_permutations, int) and p_value * (1 + n_permutations) < 1.5:  # the least that there can be
        few = counted(n_permutations, "permutation")
        return f"p = {p_value:.3g}, the least that {few} can show; take {round(1 / LEVEL):,} or more"
    return f"chance may make as much (p = {p_value:.3g})"


def _shown(value: float) -> str:
    return f"{value:,.0f}" if abs(value) >= 100 else f"{value:.3g}"


def _number(found: Compared, fact: Fact, name: str) -> float:
    value = fact.value.get(name) if isinstance(fact.value, dict) else None
    if not isinstance(value, int | float) or isinstance(value, bool) or (name == "p_value" and not 0 <= value <= 1):
        raise FileFormatError(
            f"{found.place / COMPARISON}: expected a number as {name!r} of the test {fact.label!r}, got {shown(value)}"
        )
    return float(value)


def _tables(found: Compared) -> dict[str, ShownTable]:
    """Both tables; pairs that are an edge of either map, and apart from them those that a search had to leave out."""
    table = found.tables[DIFFERENCES]
    left_out = table.optional(LEFT_OUT)
    edges = set(found.rows)
    apart = [k for k, groups in enumerate(left_out) if groups and k not in edges]
    shown_tables = {
        DIFFERENCES: shown_table(table, found.rows),
        VARIABLES: shown_table(found.tables[VARIABLES], range(found.differences.n_spins)),
    }
    return shown_tables | ({"left out": shown_table(table, apart)} if apart else {})


def _downloads(found: Compared) -> dict[str, str]:
    """Addresses of the tables; without those that are too large, or in no file."""
    files = {name: table.file for name, table in found.tables.items()}
    return {name: data_address("text/csv", file) for name, file in files.items() if 0 < len(file) <= MOST_SAVED}


def _data(found: Compared, sheet: Sheet, views: list) -> dict:
    """What the script cannot read off the page; layouts and views in the order of the lists to choose from."""
    model = found.differences
    return {
        "layouts": [rounded(places) for places in sheet.layouts.values()],
        "names": [printable(name) for name in model.names],
        "shown": sheet.names,
        "pairs": model.edges.tolist(),
        "picture": PICTURE,
        "pictures": folder_names([PICTURE, f"{PICTURE}-by-sign", *(f"map-{label}" for label in found.labels)]),
        "weights": weights_of(found).tolist(),
        "labels": [printable(label) for label in found.labels],
        "owners": owners_of(found).tolist(),
        "no_estimate": NO_ESTIMATE,
        "couplings": found.couplings.tolist(),
        "p_values": found.p_values.tolist(),
        "holm": found.holm.tolist(),
        "views": [view.looks for view in views],
        "by_chance": [view.by_chance for view in views],
        "faded": FADED,
        "level": LEVEL,
        "radius": NODE_RADIUS,
    }
