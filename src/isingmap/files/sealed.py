"""Arrays and a JSON header in one file, NumPy's npz without pickles, with a digest of all that is in it."""

from __future__ import annotations

import hashlib
import json
import zipfile
import zlib
from collections.abc import Iterable
from importlib.metadata import version
from os import PathLike
from pathlib import Path

import numpy as np

from isingmap.errors import FileFormatError
from isingmap.files.whole_file import written_whole

# What reading bytes that are no such file, and going on from numbers that are none, can lead to.
DAMAGE = (OSError, EOFError, LookupError, TypeError, ValueError, AttributeError, OverflowError, RecursionError)
SECONDS_BETWEEN_SAVES = 20.0  # of checkpoints
_DAMAGED_ZIP = (zipfile.BadZipFile, zlib.error, NotImplementedError, RuntimeError, MemoryError)


def place_for(path: str | PathLike[str]) -> Path:
    """Where a checkpoint is to be kept.

    Raises
    ------
    FileFormatError
        There is no folder to keep the file in, or something else is there.
    """
    place = Path(path)
    if not place.parent.is_dir():
        raise FileFormatError(f"{path}: there is no folder {place.parent} to keep the checkpoint in; create it")
    if place.exists() and not place.is_file():
        raise FileFormatError(f"{path}: a checkpoint is kept in a plain file, and this is none; give another name")
    return place


def fingerprint_of(header: list, arrays: Iterable[np.ndarray]) -> str:
    """Hash of all on which results depend, and of the version of isingmap, whose rounding they depend on."""
    digest = hashlib.sha256(json.dumps([version("isingmap"), *header], default=str).encode())
    for array in arrays:
        digest.update(np.ascontiguousarray(array).tobytes())
    return digest.hexdigest()


def write_sealed(path: Path, header: dict, arrays: dict[str, np.ndarray], *, mode: int = 0o600) -> None:
    """Write the file whole; a failure leaves the one before. The header says "format" and "version".

    Raises
    ------
    OSError
        If the folder does not exist or cannot be written to.
    """
    arrays = {**arrays, "header": np.frombuffer(json.dumps(header).encode(), np.uint8)}
    arrays["digest"] = _digest(arrays)
    with written_whole(path, mode=mode) as stream:
        np.savez(stream, **arrays)  # type: ignore[arg-type] # they have no array named allow_pickle


def read_sealed(path: Path, form: str, number: int, what: str, advice: str) -> tuple[dict, dict[str, np.ndarray]]:
    """Header and arrays.

    Parameters
    ----------
    path : Path
    form, number : str, int
        Format and version that the header must tell.
    what, advice : str
        What the file should be, and what to do if it is not; for the message.

    Raises
    ------
    FileFormatError
        The file is damaged, or something else.
    """
    try:
        arrays = _arrays(path)
        digest = arrays.pop("digest", np.empty(0))  # files of older versions have none
        whole = np.array_equal(digest, _digest(arrays))
        header = json.loads(arrays.pop("header").tobytes())
        known = header["format"] == form and header["version"] == number
        found = f"{header['format']!r} of version {header['version']!r}"
    except (*DAMAGE, *_DAMAGED_ZIP):
        raise damaged(path, what, advice) from None
    if not known:
        kind = what.split()[0]
        raise FileFormatError(f"{path}: expected a {kind} {form!r} of version {number}, got {found}; {advice}")
    if not whole:
        raise damaged(path, what, advice)
    return header, arrays


def damaged(path: Path, what: str, advice: str) -> FileFormatError:
    """The error that says so."""
    return FileFormatError(f"{path}: this is not a whole {what}; {advice}")


def _digest(arrays: dict[str, np.ndarray]) -> np.ndarray:
    """Hash of all arrays with their names, types and shapes, as bytes."""
    digest = hashlib.sha256()
    for name, array in sorted(arrays.items()):
        digest.update(repr((name, array.dtype.str, array.shape)).encode())
        digest.update(np.ascontiguousarray(array).tobytes())
    return np.frombuffer(digest.digest(), np.uint8)


def _arrays(path: Path) -> dict[str, np.ndarray]:
    """Everything in the file; nothing is compressed, so that what is larger than the file is not from there."""
    with open(path, "rb") as stream, zipfile.ZipFile(stream) as members:
        if any(member.compress_type != zipfile.ZIP_STORED for member in members.infolist()):
            raise zipfile.BadZipFile
        stream.seek(0)
        with np.load(stream, allow_pickle=False) as file:
            return {name: file[name] for name in file.files}
