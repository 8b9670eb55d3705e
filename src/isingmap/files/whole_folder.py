"""A folder of results written whole: everything is made aside and moved into place when it is complete.

A run that fails or is interrupted leaves nothing half-written, and never takes the place of a good result.
"""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from os import PathLike
from pathlib import Path

from isingmap.errors import OutputExistsError
from isingmap.files.whole_file import check_writable

# In the temporary folder of an exchange: the old results until it is complete, the same afterwards, the new names.
_OLD, _REPLACED, _NAMES = "old", "replaced", "names.txt"
_SHOWN = 5  # entries of an occupied folder that a message names


def check_folder(
    folder: str | PathLike[str],
    *,
    force: bool = False,
    owned: Sequence[str] = (),
    foreign: Mapping[str, str] | None = None,
) -> None:
    """Refuse, before any work is done, a folder that cannot or must not be written to.

    Parameters
    ----------
    folder : path-like
    force : bool
        It may hold something.
    owned : sequence of str
        Files that will be written or give way; a folder of such a name is not ours.
    foreign : mapping of str to str, optional
        Files that tell of other results in the folder, beside which these must not stand, and what they are of.

    Raises
    ------
    OutputExistsError
        If it is not empty (unless `force`), if it or one of its parents is a file, or for what it holds.
    PermissionError
        If nothing can be written there.

    Notes
    -----
    Where an exchange of results was killed half-way, the old ones come back first.
    """
    folder = Path(folder)
    recover(folder)
    blocking = next((place for place in (folder, *folder.parents) if os.path.lexists(place)), Path())
    if os.path.lexists(blocking) and not blocking.is_dir():
        what = "is a file" if blocking == folder else f"cannot be a folder, because {blocking} is a file"
        raise OutputExistsError(f"{folder} {what}; choose another name for the folder of results")
    check_writable(blocking)
    if is_occupied(folder) and not force:
        raise OutputExistsError(
            f"the folder {folder} is not empty (it holds {_entries(folder)}); nothing was overwritten. "
            "Choose another folder, or use force=True to replace the results in it"
        )
    _refuse_folders_in_the_way(folder, owned)
    for name, what in (foreign or {}).items():
        if os.path.lexists(folder / name):
            raise OutputExistsError(
                f"the folder {folder} holds {what} ({name}), and in one folder these results would be mixed up with "
                "it; choose another folder"
            )


def _refuse_folders_in_the_way(folder: Path, owned: Sequence[str]) -> None:
    for name in owned:
        if (folder / name).is_dir():
            raise OutputExistsError(
                f"{folder / name} is a folder, where a file of the results has to go; choose another folder for them, "
                "or move that one away"
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
    OutputExistsError
        If one of the names is that of a folder, or a new folder was filled meanwhile by another run.
    """
    folder = Path(folder)
    recover(folder)
    _refuse_folders_in_the_way(folder, owned)
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
            _appear(new, folder)
        else:
            _exchange(new, folder, temporary, owned)
    finally:
        if not (temporary / _OLD).is_dir():  # if undoing failed, the next start tries again
            shutil.rmtree(temporary, ignore_errors=True)


def _appear(new: Path, folder: Path) -> None:
    try:
        new.rename(folder)
    except OSError:
        if not is_occupied(folder):
            raise
        raise OutputExistsError(
            f"the folder {folder} was filled by another run meanwhile; nothing in it was overwritten, and these "
            "results are lost. Choose another folder and run again"
        ) from None


def _exchange(new: Path, folder: Path, temporary: Path, owned: Sequence[str]) -> None:
    """Move the old results out and the new ones in; on any error undo it, now or at the next start."""
    old = temporary / _OLD
    (temporary / _NAMES).write_text("\n".join(path.name for path in new.iterdir()))
    old.mkdir()
    try:
        for name in owned:
            if os.path.lexists(folder / name):
                (folder / name).rename(old / name)
        for path in sorted(new.iterdir()):
            path.rename(folder / path.name)
        old.rename(temporary / _REPLACED)  # from here on the new results count
    except BaseException:
        try:
            _undo(folder, temporary)
        except KeyboardInterrupt:
            _undo(folder, temporary)
        raise


def _undo(folder: Path, temporary: Path) -> None:
    """Bring the old results back, from wherever an exchange or an earlier undoing stopped."""
    if not (temporary / _OLD).is_dir():
        return
    new = temporary / "new"
    for name in (temporary / _NAMES).read_text().split("\n"):
        if not (new / name).exists() and (folder / name).exists():
            (folder / name).rename(new / name)
    for path in (temporary / _OLD).iterdir():
        path.rename(folder / path.name)
    (temporary / _OLD).rmdir()


def recover(folder: Path) -> None:
    """Undo an exchange of results that was killed half-way, and clear away what it left."""
    for temporary in folder.glob(".*.part"):
        if (temporary / _NAMES).exists() and ((temporary / _OLD).is_dir() or (temporary / _REPLACED).is_dir()):
            _undo(folder, temporary)
            shutil.rmtree(temporary, ignore_errors=True)


def _entries(folder: Path) -> str:
    names = sorted(entry.name for entry in folder.iterdir())
    more = f" and {len(names) - _SHOWN} more" if len(names) > _SHOWN else ""
    return ", ".join(names[:_SHOWN]) + more
