"""Resamples in one file: the checkpoint of a run, and what separate runs are merged from."""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping
from os import PathLike
from pathlib import Path

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
from isingmap.resampling.refit import Outcome, Refit

FORMAT = "isingmap-resamples"
VERSION = 2
_WHAT = "file of resamples"
_ADVICE = "give another file, or leave this one out"
_MOST_WRITING = 0.05  # of the time


def identity_of(refit: Refit) -> str:
    """Hash of all on which the outcomes depend, and of the version of isingmap; not of their number."""
    search = {o.name: getattr(refit.search, o.name) for o in options_of(refit.search) if o.shapes_result}
    how = [refit.resampling.kind, refit.resampling.share, refit.seed, *(["em"] if refit.by_em else [])]
    table = refit.rows.table
    arrays = refit.rows.identity
    if refit.model is not None:
        arrays += [refit.model.edges, refit.model.couplings, refit.model.fields]
    return fingerprint_of([table.names, how, dict(refit.asked), search, refit.rows.are_counts], arrays)


def write_outcomes(path: str | PathLike[str], identity: str, outcomes: Iterable[Outcome], *, mode: int = 0o600) -> None:
    """Write outcomes, in the order of their numbers.

    Raises
    ------
    OSError
        If the folder does not exist or cannot be written to.
    """
    ordered = sorted(outcomes, key=lambda outcome: outcome.number)
    arrays = {
        "numbers": np.array([outcome.number for outcome in ordered], np.int64),
        "n_edges": np.array([len(outcome.edges) for outcome in ordered], np.int64),
        "edges": np.concatenate([np.empty((0, 2), np.int64), *(outcome.edges for outcome in ordered)]),
        "couplings": np.concatenate([np.empty(0), *(outcome.couplings for outcome in ordered)]),
        "log_likelihoods": np.array([outcome.log_likelihood for outcome in ordered], np.float64),
    }
    header = {
        "format": FORMAT,
        "version": VERSION,
        "fingerprint": identity,
        "constant": {outcome.number: list(outcome.constant) for outcome in ordered if outcome.constant},
        "failures": {outcome.number: outcome.failure for outcome in ordered if outcome.failure},
    }
    write_sealed(Path(path), header, arrays, mode=mode)


def read_outcomes(path: str | PathLike[str], identity: str, n_spins: int) -> dict[int, Outcome]:
    """The outcomes in a file by their numbers.

    Raises
    ------
    FileFormatError
        The file is damaged, or belongs to other data or options.
    """
    path = Path(path)
    if not path.is_file():
        raise FileFormatError(f"{path}: there is no such file; {_ADVICE}")
    header, arrays = read_sealed(path, FORMAT, VERSION, _WHAT, _ADVICE)
    if header.get("fingerprint") != identity:
        raise FileFormatError(
            f"{path}: these resamples are of other data, or were made with other options or another seed; {_ADVICE}"
        )
    try:
        return _outcomes(header, arrays, n_spins)
    except DAMAGE as error:
        raise damaged(path, _WHAT, _ADVICE) from error


def _outcomes(header: dict, arrays: Mapping[str, np.ndarray], n_spins: int) -> dict[int, Outcome]:
    numbers, n_edges, edges, couplings = (arrays[name] for name in ("numbers", "n_edges", "edges", "couplings"))
    values = arrays["log_likelihoods"]
    total = int(n_edges.sum())
    ordered = ((edges[:, 0] >= 0) & (edges[:, 0] < edges[:, 1]) & (edges[:, 1] < n_spins)).all()
    if edges.shape != (total, 2) or couplings.shape != (total,) or not ordered or not np.isfinite(couplings).all():
        raise ValueError("edges that are none")
    ends = np.cumsum(n_edges)[:-1]
    constant = {int(number): tuple(columns) for number, columns in header["constant"].items()}
    failures = {int(number): str(text) for number, text in header["failures"].items()}
    parts = zip(numbers.tolist(), np.split(edges, ends), np.split(couplings, ends), values.tolist(), strict=True)
    return {k: Outcome(k, ij, x, constant.get(k, ()), failures.get(k, ""), value) for k, ij, x, value in parts}


class Checkpoint:
    """Outcomes on disk, written every twenty seconds, or less often where writing takes long.

    Parameters
    ----------
    path : path-like or None
        None: nothing is kept.
    identity : str

    Raises
    ------
    FileFormatError
        There is no folder to keep the file in, or something else is there.
    """

    def __init__(self, path: str | PathLike[str] | None, identity: str):
        self.path = None if path is None else place_for(path)
        self.identity = identity
        self._next = time.monotonic() + SECONDS_BETWEEN_SAVES

    def read(self, n_spins: int) -> dict[int, Outcome]:
        """What is there.

        Raises
        ------
        FileFormatError
            The file is damaged, or belongs to other data or options.
        """
        if self.path is None or not self.path.exists():
            return {}
        return read_outcomes(self.path, self.identity, n_spins)

    def save(self, outcomes: Mapping[int, Outcome]) -> None:
        """Write the file: a failure leaves the one before."""
        if self.path is not None:
            write_outcomes(self.path, self.identity, outcomes.values())

    def save_now_and_then(self, outcomes: Mapping[int, Outcome]) -> None:
        """Save if the last time is long enough ago."""
        start = time.monotonic()
        if self.path is not None and start >= self._next:
            self.save(outcomes)
            end = time.monotonic()
            self._next = end + max(SECONDS_BETWEEN_SAVES, (end - start) / _MOST_WRITING)

    def remove(self) -> None:
        """All is done."""
        if self.path is not None:
            self.path.unlink(missing_ok=True)
