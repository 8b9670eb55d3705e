"""A file written whole: beside its place first, then moved there, so that a failure never leaves half a file."""

from __future__ import annotations

import errno
import io
import os
import secrets
import shutil
import stat
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from os import PathLike, fspath
from pathlib import Path
from typing import BinaryIO, TextIO

from isingmap.errors import ModelError, OutputExistsError

_STANDARD_OUTPUT = ("/dev/stdout", "/dev/fd/1", "/proc/self/fd/1")
# Files written aside that wait for others, inside `together`.
_WAITING: ContextVar[list[tuple[Path, Path]] | None] = ContextVar("waiting", default=None)


def check_file(path: str | PathLike[str], *, force: bool = False) -> None:
    """Refuse, before any work is done, a file that must not be written.

    Raises
    ------
    OutputExistsError
        If the file exists (unless `force`), or is a folder.
    PermissionError
        If nothing can be written there.
    """
    path = Path(path)
    if path.is_dir():
        raise OutputExistsError(f"{path} is a folder; give the name of a file")
    if is_stream(path):
        return
    if path.exists() and not force:
        raise OutputExistsError(f"the file {path} exists and was not overwritten; choose another name, or force=True")
    check_writable(next((place for place in _resolved(path).parents if place.exists()), Path()))


def check_writable(folder: Path) -> None:
    """Refuse a folder in which nothing can be made.

    Raises
    ------
    PermissionError
    """
    if not os.access(folder, os.W_OK | os.X_OK):
        raise PermissionError(errno.EACCES, "nothing can be written in this folder", os.fspath(folder))


def is_stream(path: str | PathLike[str]) -> bool:
    """Whether it is a device, a pipe or a socket: written into, never replaced."""
    path = Path(path)
    if path.is_absolute() and path.parts[1:2] in (("dev",), ("proc",)):
        return path.exists()
    return path.exists() and not stat.S_ISREG(path.stat().st_mode) and not path.is_dir()


def _resolved(path: Path) -> Path:
    """Where a link leads, so that the file is replaced and not the link."""
    return Path(os.path.realpath(path)) if path.is_symlink() else path


@contextmanager
def written_whole(path: str | PathLike[str], *, mode: int = 0o666) -> Iterator[BinaryIO]:
    """A stream to a file beside `path`, which takes its place when the block ends without an error.

    Parameters
    ----------
    path : path-like
        In a folder that exists. A file is replaced, a link is followed, and a device or pipe is written into.
    mode : int
        Who may read and write the file; the user's umask is taken off.

    Raises
    ------
    OSError
        If the folder does not exist or cannot be written to.
    """
    path = Path(path)
    if is_stream(path):
        with _naming(path), _opened(path) as stream:
            yield stream
        return
    path = _resolved(path)
    part = path.with_name(f".{path.name}.{secrets.token_hex(4)}.part")
    try:
        with (
            _naming(path, part),
            open(part, "xb", opener=lambda name, flags: os.open(name, flags, mode)) as stream,
        ):
            yield stream
        waiting = _WAITING.get()
        if waiting is None:
            os.replace(part, path)
        else:
            waiting.append((part, path))
    except BaseException:
        part.unlink(missing_ok=True)
        raise


@contextmanager
def _naming(path: Path, part: Path | None = None) -> Iterator[None]:
    """Let errors name the file that was asked for: of the part beside it nobody knows, and a full disk names none."""
    try:
        yield
    except OSError as error:
        if error.errno is not None and error.filename in (None, fspath(part or path)):
            error.filename = fspath(path)
        raise


def _opened(path: Path) -> BinaryIO:
    """A stream to write into. Standard output may be a file, and opened anew it would be written from its start."""
    if fspath(path) not in _STANDARD_OUTPUT:
        return open(path, "wb")
    sys.stdout.flush()
    return open(os.dup(1), "wb")


@contextmanager
def together() -> Iterator[None]:
    """All files that are written inside the block take their places when it ends without an error, or none does.

    Raises
    ------
    OSError
        If a file cannot be moved to its place; those moved before it have gone back.
    """
    waiting: list[tuple[Path, Path]] = []
    token = _WAITING.set(waiting)
    try:
        yield
        _move_all(waiting)
    finally:
        _WAITING.reset(token)
        for part, _ in waiting:
            part.unlink(missing_ok=True)


def _move_all(moves: list[tuple[Path, Path]]) -> None:
    done: list[tuple[Path | None, Path]] = []
    try:
        for part, path in moves:
            old = part.with_suffix(".old") if path.exists() else None
            done.append((old, path))
            if old is not None:
                shutil.copy2(path, old)
            os.replace(part, path)
    except BaseException:
        for old, path in done:
            if old is None:
                path.unlink(missing_ok=True)
            elif path != moves[len(done) - 1][1]:  # the last one was not moved
                os.replace(old, path)
        raise
    finally:
        for old, _ in done:
            if old is not None:
                old.unlink(missing_ok=True)


@contextmanager
def written_text(path: str | PathLike[str]) -> Iterator[TextIO]:
    """A stream for UTF-8 text, written whole or not at all; ends of line are written as they are given.

    Raises
    ------
    ModelError
        If a character has no UTF-8 form (half of a surrogate pair, from a damaged name).
    OSError
        If the folder does not exist or cannot be written to.
    """
    try:
        with written_whole(path) as stream, io.TextIOWrapper(stream, encoding="utf-8", newline="") as text:
            yield text
    except UnicodeEncodeError as error:
        piece = error.object[max(error.start - 20, 0) : error.end + 20]
        raise ModelError(f"{fspath(path)}: cannot be written as UTF-8 text near {piece!r}; rename it") from None


def write_bytes(path: str | PathLike[str], data: bytes) -> None:
    """Write bytes, whole or not at all.

    Raises
    ------
    OSError
        If the folder does not exist or cannot be written to.
    """
    with written_whole(path) as stream:
        stream.write(data)


def write_text(path: str | PathLike[str], text: str) -> None:
    """Write UTF-8 text, whole or not at all.

    Raises
    ------
    ModelError
        If a character has no UTF-8 form (half of a surrogate pair, from a damaged name).
    OSError
        If the folder does not exist or cannot be written to.
    """
    with written_text(path) as stream:
        stream.write(text)
