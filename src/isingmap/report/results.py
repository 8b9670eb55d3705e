"""The results of learning: a list of files, each with its writer, and the folder that holds them."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from isingmap.errors import ModelError
from isingmap.files.csv_file import write_csv
from isingmap.files.strict_json import write_json
from isingmap.files.whole_folder import check_folder, finished_folder, is_occupied
from isingmap.interruption import listening, undisturbed
from isingmap.learning.learned_map import LearnedMap, Positions
from isingmap.model.json_format import document_of
from isingmap.report import tables
from isingmap.report.fit_facts import fit_facts, settings_text
from isingmap.report.fit_figure import fit_figure
from isingmap.report.kinds import MODEL, other_kinds
from isingmap.report.page.page import write_page
from isingmap.report.page.rendering import REPORT
from isingmap.report.path_facts import has_criteria
from isingmap.report.path_figure import path_figure
from isingmap.report.plots import draw_map, write_figure
from isingmap.report.selection_facts import SELECTION_COLUMNS, selection_rows
from isingmap.report.stability_figure import stability_figure
from isingmap.report.stability_tables import (
    CASE_COLUMNS,
    STABILITY_COLUMNS,
    case_rows,
    stability_rows,
    with_frequencies,
)
from isingmap.report.summary import fit_summary
from isingmap.resampling.finished import write_outcomes
from isingmap.resampling.options import CASE_DROPPING
from isingmap.structure.options import MOMENT_SETTINGS


@listening()
def write_results(
    learned: LearnedMap,
    folder: str | os.PathLike,
    *,
    title: str | None = None,
    groups: Sequence[str] | None = None,
    command: str | None = None,
    layout: str | None = None,
    places: Positions | None = None,
    force: bool = False,
) -> Path:
    """Write the files of `RESULTS` into a folder: the model, the tables, the picture and the summary.

    Parameters
    ----------
    learned : LearnedMap
        `learned_` of a fitted PlanarIsing. What is None below is as in this record.
    folder : path-like
        Created, with its parents. If it holds anything, `force` is needed, and replaces the files of isingmap
        only.
    title : str, optional
        What the data are; heads the summary and the picture.
    groups : (n_features,) sequence of str, optional
        Colours of the nodes, and a column of nodes.csv.
    command : str, optional
        How to repeat the run; shown in the summary.
    layout : {"planar", "kamada-kawai"}, optional
    places : mapping of name to (x, y), optional
        Where to draw the variables, so that two pictures can be compared; `read_positions` reads those of another
        folder.
    force : bool

    Returns
    -------
    Path
        The folder: the one given, unless the search was interrupted and a complete result is there already.

    Raises
    ------
    OutputExistsError
        If the folder is not empty, or is a file.
    ModelError
        For something else than a LearnedMap, if groups or places do not fit the variables, or for an unknown layout.
    """
    if not isinstance(learned, LearnedMap):
        advice = "give its learned_" if hasattr(learned, "learned_") else "give learned_ of a fitted PlanarIsing"
        raise ModelError(f"write_results needs a LearnedMap, got {type(learned).__name__}; {advice}")
    learned = learned.described(title=title, groups=groups, command=command, layout=layout, places=places)
    folder = Path(folder)
    check_results_folder(folder, force=force)
    if learned.interrupted and is_occupied(folder):
        folder = free_sibling(folder, "interrupted")
    with undisturbed(), finished_folder(folder, result_names()) as place:
        for result in RESULTS:
            if result.wanted(learned):
                result.write(learned, *(place / name for name in result.names))
    return folder


def check_results_folder(folder: str | os.PathLike, *, force: bool = False) -> None:
    """Refuse a folder that `write_results` would refuse, before there are results.

    Raises
    ------
    OutputExistsError
        If it is not empty (unless `force`), is a file, holds results of another kind, or folders named like results.
    PermissionError
        If nothing can be written there.
    """
    check_folder(folder, force=force, owned=result_names(), foreign=other_kinds(MODEL))


def free_sibling(folder: Path, word: str) -> Path:
    """folder-word, or folder-word-2, ...: the first that is not taken."""
    folder = folder.resolve()
    candidate, k = folder.with_name(f"{folder.name}-{word}"), 1
    while candidate.exists():
        k += 1
        candidate = folder.with_name(f"{folder.name}-{word}-{k}")
    return candidate


# --- the files ---------------------------------------------------------------------------------------------


def write_model(learned: LearnedMap, path: Path) -> None:
    """The model, and what readers of models ignore: how it was learned, the facts, and where it was drawn."""
    document = document_of(
        learned.model,
        fit=_provenance(learned),
        facts=[fact.record for fact in fit_facts(learned)],
        positions={name: list(place) for name, place in learned.positions.items()},
    )
    write_json(path, document)


def _provenance(learned: LearnedMap) -> dict:
    result = learned.result
    return {
        "title": learned.title,
        "command": learned.command,
        "settings": settings_text(learned),
        "moments": {name: learned.settings.get(name) for name in MOMENT_SETTINGS},
        "n_samples": result.n_samples,
        "log_likelihood": result.log_likelihood,
        "stopped": result.stopped,
        "labels": [[coding.negative, coding.positive] for coding in learned.codings or ()],
        "groups": None if learned.groups is None else list(learned.groups),
        "notes": list(learned.notes),
        "warnings": list(learned.warnings),
    }


def write_edges(learned: LearnedMap, path: Path) -> None:
    columns: tuple[str, ...] = tables.EDGE_COLUMNS
    rows = tables.edge_rows(learned)
    if learned.stability is not None:
        columns, rows = with_frequencies(columns, rows, learned.stability, learned.model.edges)
    write_csv(path, columns, rows)


def write_nodes(learned: LearnedMap, path: Path) -> None:
    write_csv(path, tables.node_columns(learned), tables.node_rows(learned))


def write_path(learned: LearnedMap, path: Path) -> None:
    held_out = None if learned.selection is None else learned.selection.path
    write_csv(path, tables.PATH_COLUMNS, tables.path_rows(learned.result, held_out))


def write_path_picture(learned: LearnedMap, path: Path) -> None:
    write_figure([path], lambda: path_figure(learned))


def write_excluded(learned: LearnedMap, path: Path) -> None:
    write_csv(path, tables.EXCLUDED_COLUMNS, tables.excluded_rows(learned.result))


def write_misses(learned: LearnedMap, path: Path) -> None:
    write_csv(path, tables.MISS_COLUMNS, tables.miss_rows(learned.model.names, learned.misses))


def write_fit_picture(learned: LearnedMap, path: Path) -> None:
    write_figure([path], lambda: fit_figure(learned))


def write_gaps(learned: LearnedMap, path: Path) -> None:
    assert learned.gaps is not None
    write_csv(path, tables.GAP_COLUMNS, tables.gap_rows(learned.gaps))


def write_blocked(learned: LearnedMap, path: Path) -> None:
    write_csv(path, tables.BLOCKED_COLUMNS, tables.blocked_rows(learned.result))


def write_selection(learned: LearnedMap, path: Path) -> None:
    assert learned.selection is not None
    write_csv(path, SELECTION_COLUMNS, selection_rows(learned.selection))


def write_pictures(learned: LearnedMap, *paths: Path) -> None:
    model = learned.model
    draw_map(
        paths,
        names=model.names,
        edges=model.edges,
        couplings=model.couplings,
        fields=model.fields if model.free_fields.any() else None,
        groups=learned.groups,
        positions=learned.positions,
        title=learned.title or None,
    )


def write_stability(learned: LearnedMap, path: Path) -> None:
    assert learned.stability is not None
    write_csv(path, STABILITY_COLUMNS, stability_rows(learned.stability))


def write_cases(learned: LearnedMap, path: Path) -> None:
    assert learned.stability is not None
    write_csv(path, CASE_COLUMNS, case_rows(learned.stability))


def write_stability_pictures(learned: LearnedMap, *paths: Path) -> None:
    found = learned.stability
    assert found is not None
    write_figure(paths, lambda: stability_figure(found, learned.title or None))


def write_resamples(learned: LearnedMap, path: Path) -> None:
    """What other runs of the same fit can be merged with."""
    assert learned.stability is not None
    write_outcomes(path, learned.stability.identity, learned.stability.outcomes, mode=0o666)


def write_summary(learned: LearnedMap, path: Path) -> None:
    path.write_text(fit_summary(learned), encoding="utf-8", errors="backslashreplace")


def write_report(learned: LearnedMap, path: Path) -> None:
    write_page(path.parent, path)


def always(learned: LearnedMap) -> bool:
    """Whatever was learned."""
    return True


def if_excluded(learned: LearnedMap) -> bool:
    """Only when pairs were left out."""
    return bool(learned.result.excluded)


def if_blocked(learned: LearnedMap) -> bool:
    """Only when the plane kept out what would have paid."""
    return bool(learned.result.blocked)


def if_selected(learned: LearnedMap) -> bool:
    """Only when settings were chosen on held-out rows."""
    return learned.selection is not None


def if_there_is_a_path(learned: LearnedMap) -> bool:
    """Only when a search went step by step, on a likelihood that criteria know."""
    return has_criteria(learned.result)


def if_gaps(learned: LearnedMap) -> bool:
    """Only where cells were missing and the rule assumes something of the reasons."""
    return learned.gaps is not None


def if_resampled(learned: LearnedMap) -> bool:
    """Only when the fit was repeated on resampled rows."""
    return learned.stability is not None


def if_cases_were_dropped(learned: LearnedMap) -> bool:
    """Only when rows were dropped to see what is left."""
    return learned.stability is not None and learned.stability.settings.kind == CASE_DROPPING


@dataclass(frozen=True)
class ResultFiles:
    """Files made by one writer (the picture is laid out once for both of its forms), and when they are wanted."""

    names: tuple[str, ...]
    write: Callable[..., None]  # of a LearnedMap and the path of each name
    wanted: Callable[[LearnedMap], bool] = always


RESULTS = (
    ResultFiles(("model.json",), write_model),
    ResultFiles(("edges.csv",), write_edges),
    ResultFiles(("nodes.csv",), write_nodes),
    ResultFiles(("path.csv",), write_path),
    ResultFiles(("excluded.csv",), write_excluded, wanted=if_excluded),
    ResultFiles(("misses.csv",), write_misses),
    ResultFiles(("fit.svg",), write_fit_picture),
    ResultFiles(("missing.csv",), write_gaps, wanted=if_gaps),
    ResultFiles(("blocked.csv",), write_blocked, wanted=if_blocked),
    ResultFiles(("selection.csv",), write_selection, wanted=if_selected),
    ResultFiles(("path.svg",), write_path_picture, wanted=if_there_is_a_path),
    ResultFiles(("stability.csv",), write_stability, wanted=if_resampled),
    ResultFiles(("case_dropping.csv",), write_cases, wanted=if_cases_were_dropped),
    ResultFiles(("stability.svg", "stability.png"), write_stability_pictures, wanted=if_resampled),
    ResultFiles(("resamples.npz",), write_resamples, wanted=if_resampled),
    ResultFiles(("map.svg", "map.png"), write_pictures),
    ResultFiles(("summary.txt",), write_summary),
    ResultFiles((REPORT,), write_report),  # made of the other files, and so the last
)


def result_names() -> list[str]:
    """Names of all files that may be among the results, in the order in which they are announced."""
    return [name for result in RESULTS for name in result.names]
