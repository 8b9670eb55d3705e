"""A search on disk, so that it can be killed and goes on where it was, to the same result bit by bit.

The file is NumPy's npz of plain arrays (never pickle) with a JSON header, written beside the target and moved into
place. It belongs to one input: a fingerprint of the problem and the options is compared before anything is used, and
so is a digest of all that is in the file. What a search remembers is its own affair: see `Archive`.
"""

from __future__ import annotations

import hashlib
import json
import time
import zipfile
import zlib
from importlib.metadata import version
from pathlib import Path
from typing import Protocol

import numpy as np

from isingmap.errors import FileFormatError
from isingmap.files.whole_file import written_whole
from isingmap.option import options_of
from isingmap.structure.options import SearchOptions
from isingmap.structure.problem import Problem
from isingmap.structure.state.archive import Archive

FORMAT = "isingmap-search"
VERSION = 5
SECONDS_BETWEEN_SAVES = 20.0
# What reading bytes that are no checkpoint, and going on from numbers that are none, can lead to.
_DAMAGE = (OSError, EOFError, LookupError, TypeError, ValueError, AttributeError, OverflowError, RecursionError)
_DAMAGED_ZIP = (zipfile.BadZipFile, zlib.error, NotImplementedError, RuntimeError, MemoryError)


class Resumable(Protocol):
    """What can be kept in a checkpoint."""

    def saved(self, archive: Archive) -> dict:
        """Everything, as a JSON document that `resume` understands; arrays go into the archive."""

    def resume(self, document: dict, archive: Archive) -> None:
        """Go on from what `saved` wrote."""


def fingerprint(problem: Problem, joinable: np.ndarray, options: SearchOptions) -> str:
    """Hash of the input of a search and of the version of isingmap, whose rounding the result depends on."""
    settings = {o.name: _plain(getattr(options, o.name)) for o in options_of(options) if o.shapes_result}
    asked = [problem.labels, problem.n_samples, problem.family, problem.fields, problem.max_width]
    header = [version("isingmap"), *asked, settings]
    digest = hashlib.sha256(json.dumps(header, default=str).encode())
    for array in (problem.target, problem.raw, problem.required, problem.kept_fields, joinable):
        digest.update(np.ascontiguousarray(array).tobytes())
    return digest.hexdigest()


def _plain(value: object) -> object:
    """A generator counts by its state."""
    return value.bit_generator.state if isinstance(value, np.random.Generator) else value


class Checkpoint:
    """Saves a search to a file every twenty seconds, resumes from it, and removes it in the end.

    Parameters
    ----------
    path : path-like
    problem : Problem
    identity : str
        Fingerprint of the search.

    Attributes
    ----------
    between_steps : bool
        Whether the search stands where it can be saved.

    Raises
    ------
    FileFormatError
        There is no folder to keep the file in.
    """

    def __init__(self, path, problem: Problem, identity: str):
        self.path = Path(path)
        if not self.path.parent.is_dir():
            raise FileFormatError(f"{path}: there is no folder {self.path.parent} to keep the checkpoint in; create it")
        if self.path.exists() and not self.path.is_file():
            raise FileFormatError(f"{path}: a checkpoint is kept in a plain file, and this is none; give another name")
        self.problem = problem
        self.identity = identity
        self.between_steps = True
        self._saved_at = time.monotonic()

    def resume(self, search: Resumable) -> bool:
        """Bring the search to where the file left it; false when there is no file.

        Raises
        ------
        FileFormatError
            The file is damaged, or belongs to other data or options.
        """
        if not self.path.exists():
            return False
        header, arrays = _read(self.path)
        if header.get("fingerprint") != self.identity:
            raise FileFormatError(
                f"{self.path}: this checkpoint belongs to a search of other data or with other options; "
                "give another file name, or delete the file to start again"
            )
        try:
            search.resume(header["search"], Archive(self.problem, arrays, header["models"]))
        except _DAMAGE as error:
            raise _damaged(self.path) from error
        return True

    def save_now_and_then(self, search: Resumable) -> None:
        """Save if the last time is long enough ago."""
        if time.monotonic() - self._saved_at >= SECONDS_BETWEEN_SAVES:
            self.save(search)
            self._saved_at = time.monotonic()

    def save(self, search: Resumable) -> None:
        """Write the file: a failure leaves the one before."""
        archive = Archive(self.problem)
        header = {"format": FORMAT, "version": VERSION, "fingerprint": self.identity}
        header |= {"search": search.saved(archive), "models": archive.documents}
        arrays = {**archive.arrays, "header": np.frombuffer(json.dumps(header).encode(), np.uint8)}
        arrays["digest"] = _digest(arrays)
        with written_whole(self.path, mode=0o600) as stream:
            np.savez(stream, **arrays)  # type: ignore[arg-type] # they have no array named allow_pickle

    def remove(self) -> None:
        """The search is over."""
        self.path.unlink(missing_ok=True)


def _digest(arrays: dict[str, np.ndarray]) -> np.ndarray:
    """Hash of all arrays with their names, types and shapes, as bytes."""
    digest = hashlib.sha256()
    for name, array in sorted(arrays.items()):
        digest.update(repr((name, array.dtype.str, array.shape)).encode())
        digest.update(np.ascontiguousarray(array).tobytes())
    return np.frombuffer(digest.digest(), np.uint8)


def _damaged(path: Path) -> FileFormatError:
    return FileFormatError(
        f"{path}: this is not a whole checkpoint of a search; give another file name, or delete the file to start again"
    )


def _read(path: Path) -> tuple[dict, dict]:
    try:
        arrays = _arrays(path)
        digest = arrays.pop("digest", np.empty(0))  # files of older versions have none
        whole = np.array_equal(digest, _digest(arrays))
        header = json.loads(arrays.pop("header").tobytes())
        known = header["format"] == FORMAT and header["version"] == VERSION
        found = f"{header['format']!r} of version {header['version']!r}"
    except (*_DAMAGE, *_DAMAGED_ZIP):
        raise _damaged(path) from None
    if not known:
        raise FileFormatError(
            f"{path}: expected a checkpoint {FORMAT!r} of version {VERSION}, got {found}; give another file name, or "
            "delete the file to start again"
        )
    if not whole:
        raise _damaged(path)
    return header, arrays


def _arrays(path: Path) -> dict[str, np.ndarray]:
    """Everything in the file; `save` compresses nothing, so that what is larger than the file is not from there."""
    with open(path, "rb") as stream, zipfile.ZipFile(stream) as members:
        if any(member.compress_type != zipfile.ZIP_STORED for member in members.infolist()):
            raise zipfile.BadZipFile
        stream.seek(0)
        with np.load(stream, allow_pickle=False) as file:
            return {name: file[name] for name in file.files}
