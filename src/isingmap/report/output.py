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

from isingmap.data.table import listed
from isingmap.errors import OutputExistsError


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
def finished_folder(folder: Path, owned: Sequence[str]) -> Iterator[Path]:
    """A temporary folder to write into; its files get to `folder` when the block ends without an error.

    A new folder appears with one rename. In a folder that exists, files of the names in `owned` are
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
            _exchange(new, folder, temporary, owned)
    finally:
        shutil.rmtree(temporary, ignore_errors=True)


def _exchange(new: Path, folder: Path, temporary: Path, owned: Sequence[str]) -> None:
    """Move the old results out and the new ones in; on any error undo it."""
    old = temporary / "old"
    old.mkdir()
    moves = [(folder / name, old / name) for name in owned if (folder / name).exists()]
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
