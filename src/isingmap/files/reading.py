"""Reading files of unknown origin: their bytes, or their text if it is UTF-8."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from os import PathLike, fspath
from pathlib import Path

from isingmap.errors import FileFormatError

# What files gave that were read inside `each_read_once`.
_KEPT: ContextVar[dict[str, bytes] | None] = ContextVar("kept", default=None)


@contextmanager
def each_read_once() -> Iterator[None]:
    """Inside the block a file is opened once and its content kept: a pipe gives what is in it only once."""
    token = _KEPT.set({})
    try:
        yield
    finally:
        _KEPT.reset(token)


def read_bytes(path: str | PathLike[str]) -> bytes:
    """The bytes of a file.

    Raises
    ------
    FileFormatError
        If it cannot be opened.
    """
    kept = _KEPT.get()
    if kept is None:
        return _content(path)
    if fspath(path) not in kept:
        kept[fspath(path)] = _content(path)
    return kept[fspath(path)]


def _content(path: str | PathLike[str]) -> bytes:
    try:
        return Path(path).read_bytes()
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or error
        raise FileFormatError(f"{fspath(path)}: cannot be read ({reason})") from None


def read_text(path: str | PathLike[str]) -> str:
    """The text of a UTF-8 file, with or without byte-order mark; ends of line as they are in the file.

    Raises
    ------
    FileFormatError
        If it cannot be opened or is not UTF-8.
    """
    try:
        return read_bytes(path).decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise FileFormatError(
            f"{fspath(path)}: not UTF-8 text (byte {error.start}); is this another kind of file? If it is text, "
            "save it as UTF-8"
        ) from None
