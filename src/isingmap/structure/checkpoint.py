"""A search on disk, so that it can be killed and goes on where it was, to the same result bit by bit.

The file is NumPy's npz of plain arrays (never pickle) with a JSON header, written beside the target and moved into
place. It belongs to one input: a fingerprint of the problem and the options is compared before anything is used, and
so is a digest of all that is in the file. What a search remembers is its own affair: see `Archive`.
"""

from __future__ import annotations

import time
from typing import Protocol

import numpy as np

from isingmap.errors import FileFormatError
from isingmap.files.sealed import (
    DAMAGE,
    SECONDS_BETWEEN_SAVES,
    damaged,
    fingerprint_of,
    place_for,
    read_sealed,
    write_sealed,
)
from isingmap.option import options_of
from isingmap.structure.options import SearchOptions
from isingmap.structure.problem import Problem
from isingmap.structure.state.archive import Archive

FORMAT = "isingmap-search"
VERSION = 5
START_AGAIN = "give another file name, or delete the file to start again"


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
    arrays = problem.target, problem.raw, problem.required, problem.kept_fields, joinable
    return fingerprint_of([*asked, settings], arrays)


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
        self.path = place_for(path)
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
        header, arrays = read_sealed(self.path, FORMAT, VERSION, "checkpoint of a search", START_AGAIN)
        if header.get("fingerprint") != self.identity:
            raise FileFormatError(
                f"{self.path}: this checkpoint belongs to a search of other data or with other options; "
                "give another file name, or delete the file to start again"
            )
        try:
            search.resume(header["search"], Archive(self.problem, arrays, header["models"]))
        except DAMAGE as error:
            raise damaged(self.path, "checkpoint of a search", START_AGAIN) from error
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
        write_sealed(self.path, header, archive.arrays)

    def remove(self) -> None:
        """The search is over."""
        self.path.unlink(missing_ok=True)
