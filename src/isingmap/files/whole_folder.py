"""A folder of results written whole: everything is made aside and moved into place when it is complete.

A run that fails or is interrupted leaves nothing half-written, and never takes the place of a good result.
"""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from os import PathLike
from pathlib import Path

from isingmap.errors import OutputExistsError

_SHOWN = 5  # entries of an occupied folder that a message names


def check_folder(folder: str | PathLike[str], *, force: bool = False) -> None:
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
        raise OutputExistsError(
            f"the folder {folder} is not empty (it holds {_entries(folder)}); nothing was overwritten. "
            "Choose another folder, or use force=True to replace the results in it"
        )


def is_occupied(folder: Path) -> bool:
    """Whether there is a folder with something in it."""
    return folder.is_dir() and any(folder.iterdir())


@contextmanager
def finished_folder(folder: str | PathLike[str], owned: Sequence[str]) -> Iterator[Path]:
    """A temporary folder to write into; its files get to `folder` when the block ends without an error.

    Parameters
    ----------
    folder : path-like
        A new folder appears, with its parents, in one move. In one that exists the old files named in `owned`
        give way to the new ones, and are put back if that fails half-way.
    owned : sequence of str
        Names of the files that the writer may remove. All others are left alone.

    Raises
    ------
    OSError
        If the folder cannot be made or written to.
    """
    folder = Path(folder)
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


def _entries(folder: Path) -> str:
    names = sorted(entry.name for entry in folder.iterdir())
    more = f" and {len(names) - _SHOWN} more" if len(names) > _SHOWN else ""
    return ", ".join(names[:_SHOWN]) + more
