"""The folder of results: everything is written aside and moved into place when it is complete.

A run that fails or is interrupted leaves nothing half-written, and never takes the place of a good result.
"""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from isingmap.data.table import listed
from isingmap.errors import OutputExistsError
from isingmap.model.json_format import document_of, write_document
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
    check_output(folder, force=force)
    if estimator.result_.stopped.startswith("interrupted") and is_occupied(folder):
        folder = _free_sibling(folder, "interrupted")
    with finished_folder(folder) as place:
        _write_tables(estimator, place, groups)
        write_document(
            document_of(estimator.model_, fit=_provenance(estimator, groups, title, command)),
            place / "model.json",
        )
        _draw(estimator, place, groups, title, layout)
        summary = fit_summary(estimator, groups=groups, title=title, command=command)
        (place / "summary.txt").write_text(summary, encoding="utf-8", errors="backslashreplace")
    return folder


def check_output(folder: str | os.PathLike, *, force: bool = False) -> None:
    """Refuse, before any work is done, a folder that cannot or must not be written to.

    Raises
    ------
    OutputExistsError
        If it is not empty (unless `force`), or if it or one of its parents is a file.
    """
    folder = Path(folder)
    blocking = next((place for place in (folder, *folder.parents) if os.path.lexists(place)), folder)
    if os.path.lexists(blocking) and not blocking.is_dir():
        what = "is a file" if blocking == folder else f"cannot be a folder, because {blocking} is a file"
        raise OutputExistsError(f"{folder} {what}; choose another name for the folder of results")
    if is_occupied(folder) and not force:
        found = sorted(entry.name for entry in folder.iterdir())
        raise OutputExistsError(
            f"the folder {folder} is not empty (it holds {listed(found, 5)}); nothing was overwritten. "
            "Choose another folder, or use --force (force=True) to replace the results in it"
        )


def is_occupied(folder: Path) -> bool:
    """Whether there is a folder with something in it."""
    return folder.is_dir() and any(folder.iterdir())


@contextmanager
def finished_folder(folder: Path) -> Iterator[Path]:
    """A temporary folder to write into; its files get to `folder` when the block ends without an error.

    A new folder appears with one rename. In a folder that exists, files of the names in `RESULT_FILES` are
    exchanged for the new ones, and put back if that fails half-way; other files in it are left alone.
    """
    folder.parent.mkdir(parents=True, exist_ok=True)
    fresh = not folder.exists()
    # Inside an existing folder: it may be a mount point, where nothing can be moved in from beside it.
    where = folder.parent if fresh else folder
    temporary = Path(tempfile.mkdtemp(prefix=f".{folder.name or 'isingmap'}.", suffix=".part", dir=where))
    try:
        new = temporary / "new"
        new.mkdir()
        yield new
        if fresh:
            new.rename(folder)
        else:
            _exchange(new, folder, temporary)
    finally:
        shutil.rmtree(temporary, ignore_errors=True)


def _exchange(new: Path, folder: Path, temporary: Path) -> None:
    """Move the old results out and the new ones in; on any error undo it."""
    old = temporary / "old"
    old.mkdir()
    moves = [(folder / name, old / name) for name in RESULT_FILES if (folder / name).exists()]
    moves += [(path, folder / path.name) for path in sorted(new.iterdir())]
    done: list[tuple[Path, Path]] = []
    try:
        for source, target in moves:
            source.rename(target)
            done.append((source, target))
    except BaseException:
        for source, target in reversed(done):
            target.rename(source)
        raise


def _free_sibling(folder: Path, word: str) -> Path:
    """folder-word, or folder-word-2, ...: the first that is not taken."""
    folder = folder.resolve()
    candidate, k = folder.with_name(f"{folder.name}-{word}"), 1
    while candidate.exists():
        k += 1
        candidate = folder.with_name(f"{folder.name}-{word}-{k}")
    return candidate


@contextmanager
def finished_file(path: Path, *, force: bool = False) -> Iterator[Path]:
    """A temporary file to write to; it becomes `path` when the block ends without an error.

    Raises
    ------
    OutputExistsError
        If the file exists (unless `force`), or is a folder.
    """
    if path.is_dir():
        raise OutputExistsError(f"{path} is a folder; give the name of a file")
    if path.exists() and not force:
        raise OutputExistsError(f"the file {path} exists and was not overwritten; choose another name, or --force")
    path.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix=f".{path.name}.", suffix=".part", dir=path.parent) as temporary:
        part = Path(temporary) / path.name
        yield part
        os.replace(part, path)


def _write_tables(estimator: PlanarIsing, place: Path, groups) -> None:
    result = estimator.result_
    tables.write_csv(place / "edges.csv", tables.EDGE_COLUMNS, tables.edge_rows(estimator))
    tables.write_csv(place / "nodes.csv", tables.NODE_COLUMNS, tables.node_rows(estimator, groups))
    tables.write_csv(place / "path.csv", tables.PATH_COLUMNS, tables.path_rows(result))
    if result.excluded:
        tables.write_csv(place / "excluded.csv", tables.EXCLUDED_COLUMNS, tables.excluded_rows(result))


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
