"""Files read strictly and written whole: a failure never leaves half a file."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from os import PathLike, fspath
from pathlib import Path
from typing import BinaryIO

from isingmap.errors import FileFormatError, ModelError


def read_bytes(path: str | PathLike) -> bytes:
    """The bytes of a file.

    Raises
    ------
    FileFormatError
        If it cannot be opened.
    """
    try:
        return Path(path).read_bytes()
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or error
        raise FileFormatError(f"{fspath(path)}: cannot be read ({reason})") from None


def read_text(path: str | PathLike) -> str:
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
            f"{fspath(path)}: not UTF-8 text (byte {error.start}); is this another kind of file?"
        ) from None


@contextmanager
def written_whole(path: str | PathLike, *, mode: int = 0o644) -> Iterator[BinaryIO]:
    """A stream to a file beside the target, which is moved into place when all is written."""
    path = Path(path)
    handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    try:
        with os.fdopen(handle, "wb") as stream:
            yield stream
        os.chmod(temporary, mode)  # mkstemp makes it private; a result is not
        os.replace(temporary, path)
    except BaseException:
        Path(temporary).unlink(missing_ok=True)
        raise


def write_bytes(path: str | PathLike, data: bytes) -> None:
    """Write bytes, whole or not at all."""
    with written_whole(path) as stream:
        stream.write(data)


def write_text(path: str | PathLike, text: str) -> None:
    """Write UTF-8 text, whole or not at all.

    Raises
    ------
    ModelError
        If a character has no UTF-8 form (half of a surrogate pair, from a damaged name).
    """
    try:
        data = text.encode("utf-8")
    except UnicodeEncodeError as error:
        piece = text[max(error.start - 20, 0) : error.end + 20]
        raise ModelError(f"{fspath(path)}: cannot be written as UTF-8 text near {piece!r}; rename it") from None
    write_bytes(path, data)
