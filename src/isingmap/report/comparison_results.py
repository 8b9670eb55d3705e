"""The files of a comparison of groups: tests, differences, a picture, and a folder for the map of each group."""

from __future__ import annotations

import os
from collections.abc import Sequence
from itertools import combinations
from pathlib import Path

import numpy as np

from isingmap.comparing.comparison import Comparison
from isingmap.files.csv_file import write_csv
from isingmap.files.safe_name import folder_names
from isingmap.files.strict_json import write_json
from isingmap.files.whole_folder import check_folder, finished_folder, is_occupied
from isingmap.holm import holm
from isingmap.interruption import listening, undisturbed
from isingmap.learning.learned_map import LearnedMap, Positions
from isingmap.report.columns import names_in
from isingmap.report.common_places import common_places
from isingmap.report.comparison_facts import by_p_value, comparison_facts, left_out_pairs
from isingmap.report.difference_figure import difference_figure
from isingmap.report.facts import as_text
from isingmap.report.groups_facts import groups_facts
from isingmap.report.kinds import COMPARISON, COMPARISONS, other_kinds
from isingmap.report.network import strengths
from isingmap.report.page.page import write_page
from isingmap.report.page.rendering import REPORT
from isingmap.report.plots import write_figure
from isingmap.report.results import free_sibling, write_results
from isingmap.report.tables import Row

FILES = (
    *("comparison.json", "differences.csv", "variables.csv", "difference.svg", "difference.png", "summary.txt"),
    REPORT,
)
DIFFERENCE_COLUMNS = names_in("differences.csv")
VARIABLE_COLUMNS = names_in("variables.csv")
GROUP_FILES = ("groups.csv", "comparisons.csv", "summary.txt", REPORT)
GROUP_COLUMNS = names_in("groups.csv")
COMPARISON_COLUMNS = names_in("comparisons.csv")


@listening()
def write_comparison(
    comparison: Comparison,
    folder: str | os.PathLike,
    *,
    title: str = "",
    command: str = "",
    source: tuple[str, str] | None = None,
    warnings: Sequence[str] | None = None,
    layout: str = "planar",
    places: Positions | None = None,
    force: bool = False,
) -> Path:
    """Write a comparison of two groups into a folder that appears when it is complete.

    There are the tests (summary.txt, comparison.json), all pairs (differences.csv) and variables (variables.csv), a
    picture of the differences, all of it on a page (report.html), and for each group a folder with the files of
    `write_results`, drawn at the same places.

    Parameters
    ----------
    comparison : Comparison
    folder : path-like
    title, command : str, optional
        What heads the summary and the picture; the command line that leads to it again.
    source : (str, str), optional
        Where the data came from: a module, and the calls of its function that read them.
    warnings : sequence of str, optional
        What was warned of, for the summary and the page; by default what the fits of both groups warned of.
    layout : {"planar", "kamada-kawai"}
    places : mapping of name to (x, y), optional
    force : bool
        Replace the files of isingmap in a folder that is not empty.

    Returns
    -------
    Path
        The folder: the one given, unless the comparison was interrupted and there are other results already.

    Raises
    ------
    OutputExistsError
        If the folder is not empty (unless `force`), or is a file.
    ModelError
        If places do not fit the variables, or for an unknown layout.
    """
    folder = Path(folder)
    check_folder(folder, force=force, owned=FILES, foreign=other_kinds(COMPARISON))
    folder = _own_place(folder, [comparison])
    places = common_places([each.model for each in comparison.maps], layout) if places is None else places
    names = _group_folders(comparison.labels)
    with undisturbed(), finished_folder(folder, FILES) as made:
        _write_maps(comparison.labels, comparison.maps, _beside(folder, made), names, title, command, places, force)
        _write_files(comparison, made, names, title, command, source, warnings, places)
    return folder


@listening()
def write_groups(
    labels: Sequence[str],
    maps: Sequence[LearnedMap],
    comparisons: Sequence[Comparison],
    folder: str | os.PathLike,
    *,
    title: str = "",
    command: str = "",
    warnings: Sequence[str] | None = None,
    layout: str = "planar",
    places: Positions | None = None,
    force: bool = False,
) -> Path:
    """Write the maps of three or more groups, and what comparisons of pairs of them there are.

    Parameters are those of `write_comparison`; each group and each comparison has a folder of its own, and groups.csv
    and comparisons.csv list them, p-values corrected for the number of comparisons (Holm) among them.

    Raises
    ------
    OutputExistsError, ModelError
        As `write_comparison`.
    """
    folder = Path(folder)
    check_folder(folder, force=force, owned=GROUP_FILES, foreign=other_kinds(COMPARISONS))
    folder = _own_place(folder, comparisons)
    places = common_places([each.model for each in maps], layout) if places is None else places
    names = _group_folders(labels)
    of_groups = dict(zip(labels, names, strict=False))
    of_pairs = dict(zip(combinations(labels, 2), names[len(labels) :], strict=True))
    with undisturbed(), finished_folder(folder, GROUP_FILES) as made:
        where = _beside(folder, made)
        _write_maps(labels, maps, where, names, title, command, places, force)
        for comparison in comparisons:
            inside = where / of_pairs[comparison.labels]
            check_folder(inside, force=force, owned=FILES, foreign=other_kinds(COMPARISON))
            with finished_folder(inside, FILES) as aside:
                beside = [f"../{of_groups[label]}" for label in comparison.labels]
                _write_files(comparison, aside, beside, title, command, None, warnings, places)
        groups, tests = group_rows(of_groups, maps), comparison_rows(comparisons, of_pairs)
        write_csv(made / "groups.csv", GROUP_COLUMNS, groups)
        write_csv(made / "comparisons.csv", COMPARISON_COLUMNS, tests)
        text = as_text(f"Maps of {len(groups):,} groups", title, list(groups_facts(groups, tests)))
        (made / "summary.txt").write_text(text, "utf-8", "backslashreplace")
        write_page(made, made / REPORT, is_complete=True)
    return folder


def check_comparison_folder(folder: str | os.PathLike, *, force: bool = False) -> None:
    """Refuse a folder that neither writer would take, before there are results and it is known how many groups.

    Raises
    ------
    OutputExistsError
        If it is not empty (unless `force`), is a file, holds a fit, or folders named like results.
    PermissionError
        If nothing can be written there.
    """
    check_folder(folder, force=force, owned=(*FILES, *GROUP_FILES), foreign=other_kinds(COMPARISON, COMPARISONS))


def names_of_results(labels: Sequence[str]) -> list[str]:
    """Files and folders that may be among the results for these groups, in the order in which they are announced."""
    return [*(FILES if len(labels) == 2 else GROUP_FILES), *_group_folders(labels)]


def _group_folders(labels: Sequence[str]) -> list[str]:
    """Names of the folders of groups; of three or more also, behind those, of the comparisons of pairs of them."""
    if len(labels) == 2:
        return folder_names(labels, taken=FILES)
    pairs = [f"compare-{first}-{second}" for first, second in combinations(labels, 2)]
    return folder_names([*labels, *pairs], taken=GROUP_FILES)


def _own_place(folder: Path, comparisons: Sequence[Comparison]) -> Path:
    """The folder, or one beside it where an interrupted result would take the place of others."""
    interrupted = any(comparison.interrupted for comparison in comparisons)
    return free_sibling(folder, "interrupted") if interrupted and is_occupied(folder) else folder


def _beside(folder: Path, made: Path) -> Path:
    """Where the folders of groups go: aside with the rest, or into a folder that is there already."""
    return folder if folder.exists() else made


def _write_maps(
    labels: Sequence[str],
    maps: Sequence[LearnedMap],
    where: Path,
    names: Sequence[str],
    title: str,
    command: str,
    places: Positions,
    force: bool,
) -> None:
    for label, learned, name in zip(labels, maps, names, strict=False):
        heading = f"{title}: {label}" if title else label
        write_results(learned, where / name, title=heading, command=command, places=places, force=force)


def _write_files(
    comparison: Comparison,
    made: Path,
    folders: Sequence[str],
    title: str,
    command: str,
    source: tuple[str, str] | None,
    warnings: Sequence[str] | None,
    places: Positions,
) -> None:
    warned = _warnings_of(comparison) if warnings is None else warnings
    facts = list(comparison_facts(comparison, command=command, source=source, warnings=warned))
    document = {
        "groups": list(comparison.labels),
        "folders": list(folders),
        "title": title,
        "facts": [fact.record for fact in facts],
        "positions": {name: list(places[name]) for name in comparison.names},
    }
    write_json(made / "comparison.json", document)
    write_csv(made / "differences.csv", DIFFERENCE_COLUMNS, difference_rows(comparison))
    write_csv(made / "variables.csv", VARIABLE_COLUMNS, variable_rows(comparison))
    write_figure(
        [made / "difference.svg", made / "difference.png"], lambda: difference_figure(comparison, title, places)
    )
    text = as_text("Comparison of two groups", title, facts)
    (made / "summary.txt").write_text(text, "utf-8", "backslashreplace")
    write_page(made, made / REPORT, is_complete=True)  # made of the other files, and so the last


def _warnings_of(comparison: Comparison) -> list[str]:
    return [
        f"group {label!r}: {text}"
        for label, learned in zip(comparison.labels, comparison.maps, strict=True)
        for text in learned.warnings
    ]


def difference_rows(comparison: Comparison) -> list[Row]:
    """A row of `DIFFERENCE_COLUMNS` for each pair, those that differ most surely first."""
    order = by_p_value(comparison)
    numbers = np.column_stack(
        [comparison.couplings, comparison.difference, comparison.edge_p_values, comparison.holm_p_values]
    )
    names, tested, left_out = comparison.pair_names, comparison.is_tested, left_out_pairs(comparison)
    without = ["; ".join(left_out.get(frozenset(pair), ())) for pair in names]
    return [(*names[k], *numbers[k].tolist(), "yes" if tested[k] else "no", without[k]) for k in order.tolist()]


def variable_rows(comparison: Comparison) -> list[Row]:
    """A row of `VARIABLE_COLUMNS` for each variable, in the order of the columns of the data."""
    n, maps = len(comparison.names), comparison.maps
    means = [learned.moments.magnetizations for learned in maps]
    codings = maps[0].codings or [None] * n
    labels = [("-1", "1") if coding is None else (coding.negative, coding.positive) for coding in codings]
    columns = (
        comparison.names,
        *([None] * n if each is None else each.tolist() for each in means),
        *(learned.model.fields.tolist() for learned in maps),
        *(strengths(learned.model) for learned in maps),
        *zip(*labels, strict=True),
    )
    return list(zip(*columns, strict=True))


def group_rows(folders: dict[str, str], maps: Sequence[LearnedMap]) -> list[Row]:
    """A row of `GROUP_COLUMNS` for each group."""
    return [
        (
            label,
            name,
            learned.moments.n_samples,
            learned.model.n_edges,
            int(learned.model.free_fields.sum()),
            float(np.abs(learned.model.couplings).sum()),
            learned.result.log_likelihood,
        )
        for (label, name), learned in zip(folders.items(), maps, strict=True)
    ]


def comparison_rows(comparisons: Sequence[Comparison], folders: dict[tuple[str, str], str]) -> list[Row]:
    """A row of `COMPARISON_COLUMNS` for each pair of groups."""
    tests = [(found.structure, found.strength, found.likelihood_ratio) for found in comparisons]
    corrected = np.array([[test.p_value for test in three] for three in tests]).reshape(-1, 3)
    corrected = np.stack([holm(column) for column in corrected.T], axis=1)
    rows: list[Row] = []
    for found, three, holms in zip(comparisons, tests, corrected.tolist(), strict=True):
        numbers = [(test.value, test.p_value, p) for test, p in zip(three, holms, strict=True)]
        flat = [number for triple in numbers for number in triple]
        rows.append((*found.labels, folders[found.labels], found.n_permutations, *flat))
    return rows
