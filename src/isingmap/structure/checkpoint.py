"""A search on disk, so that it can be killed and goes on where it was, to the same result bit by bit.

The file is NumPy's npz of plain arrays (never pickle) with a JSON header, written beside the target and moved into
place. It belongs to one input: a fingerprint of the problem and the options is compared before anything is used.
What a search remembers is its own affair: see `Archive`.
"""

from __future__ import annotations

import hashlib
import json
import time
import zipfile
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
VERSION = 3
SECONDS_BETWEEN_SAVES = 20.0


class Resumable(Protocol):
    """What can be kept in a checkpoint."""

    def saved(self, archive: Archive) -> dict:
        """Everything, as a JSON document that `resume` understands; arrays go into the archive."""

    def resume(self, document: dict, archive: Archive) -> None:
        """Go on from what `saved` wrote."""


def fingerprint(problem: Problem, joinable: np.ndarray, options: SearchOptions) -> str:
    """Hash of the input of a search and of the version of isingmap, whose rounding the result depends on."""
    settings = {o.name: _plain(getattr(options, o.name)) for o in options_of(options) if o.shapes_result}
    header = [version("isingmap"), problem.labels, problem.n_samples, settings]
    digest = hashlib.sha256(json.dumps(header, default=str).encode())
    for array in (problem.target, problem.raw, problem.required, joinable):
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

    Raises
    ------
    FileFormatError
        There is no folder to keep the file in.
    """

    def __init__(self, path, problem: Problem, identity: str):
        self.path = Path(path)
        if not self.path.parent.is_dir():
            raise FileFormatError(f"{path}: there is no folder {self.path.parent} to keep the checkpoint in; create it")
        self.problem = problem
        self.identity = identity
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
        if header["fingerprint"] != self.identity:
            raise FileFormatError(
                f"{self.path}: this checkpoint belongs to a search of other data or with other options; "
                "give another file name, or delete the file to start again"
            )
        search.resume(header["search"], Archive(self.problem, arrays, header["models"]))
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
        with written_whole(self.path, mode=0o600) as stream:
            np.savez(stream, **arrays)  # type: ignore[arg-type] # they have no array named allow_pickle

    def remove(self) -> None:
        """The search is over."""
        self.path.unlink(missing_ok=True)


def _read(path: Path) -> tuple[dict, dict]:
    try:
        with np.load(path, allow_pickle=False) as file:
            arrays = {name: file[name] for name in file.files}
        header = json.loads(arrays.pop("header").tobytes())
        known = header["format"] == FORMAT and header["version"] == VERSION
    except (OSError, ValueError, KeyError, TypeError, zipfile.BadZipFile):
        raise FileFormatError(f"{path}: this is not a whole checkpoint of a search; give another file name") from None
    if not known:
        raise FileFormatError(
            f"{path}: expected a checkpoint {FORMAT!r} of version {VERSION}, got {header['format']!r} of version "
            f"{header['version']!r}; delete the file to start again"
        )
    return header, arrays
