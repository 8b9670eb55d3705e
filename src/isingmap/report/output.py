"""The folder of results: everything is written aside and moved into place when it is complete.

A run that fails or is interrupted leaves nothing half-written, and never takes the place of a good result.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from isingmap.files.csv_file import write_csv
from isingmap.files.strict_json import write_json
from isingmap.files.whole_folder import check_folder, finished_folder, is_occupied
from isingmap.model.json_format import document_of
from isingmap.report import tables
from isingmap.report.plots import draw_map
from isingmap.report.summary import fit_summary, settings_text

if TYPE_CHECKING:
    from isingmap.estimators import PlanarIsing

RESULT_FILES = (
    "model.json",
    "edges.csv",
    "nodes.csv",
    "path.csv",
    "excluded.csv",
    "map.svg",
    "map.png",
    "summary.txt",
)


def write_results(
    estimator: PlanarIsing,
    folder: str | os.PathLike,
    *,
    groups: Sequence[str] | None = None,
    title: str = "",
    command: str = "",
    layout: str = "planar",
    force: bool = False,
) -> Path:
    """Write model.json, the tables, the picture and the summary of a fitted estimator into a folder.

    Parameters
    ----------
    estimator : PlanarIsing
        Fitted.
    folder : path-like
        Created, with its parents. If it holds anything, `force` is needed, and replaces the files of isingmap
        only.
    groups : (n_features,) sequence of str, optional
        Colours of the nodes, and a column of nodes.csv.
    title : str
        What the data are; heads the summary and the picture.
    command : str
        How to repeat the run; shown in the summary.
    layout : {"planar", "kamada-kawai"}
    force : bool

    Returns
    -------
    Path
        The folder: the one given, unless the search was interrupted and a complete result is there already.

    Raises
    ------
    OutputExistsError
        If the folder is not empty, or is a file.
    """
    folder = Path(folder)
    check_folder(folder, force=force)
    if estimator.result_.stopped.startswith("interrupted") and is_occupied(folder):
        folder = _free_sibling(folder, "interrupted")
    with finished_folder(folder, RESULT_FILES) as place:
        _write_tables(estimator, place, groups)
        document = document_of(estimator.model_, fit=_provenance(estimator, groups, title, command))
        write_json(place / "model.json", document)
        _draw(estimator, place, groups, title, layout)
        summary = fit_summary(estimator, groups=groups, title=title, command=command)
        (place / "summary.txt").write_text(summary, encoding="utf-8", errors="backslashreplace")
    return folder


def _free_sibling(folder: Path, word: str) -> Path:
    """folder-word, or folder-word-2, ...: the first that is not taken."""
    folder = folder.resolve()
    candidate, k = folder.with_name(f"{folder.name}-{word}"), 1
    while candidate.exists():
        k += 1
        candidate = folder.with_name(f"{folder.name}-{word}-{k}")
    return candidate


def _write_tables(estimator: PlanarIsing, place: Path, groups) -> None:
    result = estimator.result_
    write_csv(place / "edges.csv", tables.EDGE_COLUMNS, tables.edge_rows(estimator))
    write_csv(place / "nodes.csv", tables.NODE_COLUMNS, tables.node_rows(estimator, groups))
    write_csv(place / "path.csv", tables.PATH_COLUMNS, tables.path_rows(result))
    if result.excluded:
        write_csv(place / "excluded.csv", tables.EXCLUDED_COLUMNS, tables.excluded_rows(result))


def _draw(estimator: PlanarIsing, place: Path, groups, title: str, layout: str) -> None:
    model = estimator.model_
    draw_map(
        [place / "map.svg", place / "map.png"],
        names=model.names,
        edges=model.edges,
        couplings=model.couplings,
        fields=model.fields if model.free_fields.any() else None,
        groups=groups,
        layout=layout,
        title=title or None,
    )


def _provenance(estimator: PlanarIsing, groups, title: str, command: str) -> dict:
    """How the model was learned; kept in model.json for people, ignored when the model is loaded."""
    result = estimator.result_
    return {
        "title": title,
        "command": command,
        "settings": settings_text(estimator),
        "n_samples": result.n_samples,
        "log_likelihood": result.log_likelihood,
        "stopped": result.stopped,
        "labels": [[coding.negative, coding.positive] for coding in estimator.codings_ or ()],
        "groups": None if groups is None else list(groups),
        "notes": list(estimator.notes_),
    }
