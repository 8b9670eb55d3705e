"""A search on disk, so that it can be killed and goes on where it was, to the same result bit by bit.

The file is NumPy's npz of plain arrays (never pickle) with a JSON header, written beside the target and moved into
place. It belongs to one input: a fingerprint of moments, names and options is compared before anything is used.
"""

from __future__ import annotations

import hashlib
import json
import time
import zipfile
from importlib.metadata import version
from pathlib import Path

import numpy as np

from isingmap.errors import FileFormatError
from isingmap.files.whole_file import written_whole
from isingmap.inference.zero_field.plan import plan
from isingmap.inference.zero_field.solution import solve_dual
from isingmap.structure.greedy import Candidates, Snapshot, Step
from isingmap.structure.growing import BlockFit, GrowingModel, local_edges
from isingmap.structure.result import Exclusion
from isingmap.structure.schedule import Schedule

FORMAT = "isingmap-search"
VERSION = 1
SECONDS_BETWEEN_SAVES = 20.0
MODEL_ARRAYS = ("edges", "couplings", "block", "correlations")
MODEL_SCALARS = ("next_block", "gradient_norm", "converged", "n_edges_checked")
CURSOR = ("stage", "round", "restarts_left", "value_before", "reopened_at")


def fingerprint(arrays, options: list) -> str:
    """Hash of the input of a search and of the version of isingmap, whose rounding the result depends on."""
    digest = hashlib.sha256(json.dumps([version("isingmap"), *options], default=str).encode())
    for array in arrays:
        digest.update(np.ascontiguousarray(array).tobytes())
    return digest.hexdigest()


class Checkpoint:
    """Saves a schedule to a file every twenty seconds, resumes from it, and removes it in the end."""

    def __init__(self, path, schedule: Schedule, identity: str):
        self.path = Path(path)
        if not self.path.parent.is_dir():
            raise FileFormatError(f"{path}: there is no folder {self.path.parent} to keep the checkpoint in; create it")
        self.schedule = schedule
        self.identity = identity
        self._saved_at = time.monotonic()

    def resume(self) -> bool:
        """Bring the schedule to where the file left it; false when there is no file.

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
        _restore(self.schedule, header, arrays)
        return True

    def save_now_and_then(self) -> None:
        """Save if the last time is long enough ago."""
        if time.monotonic() - self._saved_at >= SECONDS_BETWEEN_SAVES:
            self.save()
            self._saved_at = time.monotonic()

    def save(self) -> None:
        """Write the file: a failure leaves the one before."""
        header, arrays = _document(self.schedule)
        header |= {"format": FORMAT, "version": VERSION, "fingerprint": self.identity}
        arrays["header"] = np.frombuffer(json.dumps(header).encode(), np.uint8)
        with written_whole(self.path, mode=0o600) as stream:
            np.savez(stream, **arrays)

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


def _document(schedule: Schedule) -> tuple[dict, dict]:
    """(JSON header, arrays) of a schedule; a model that several places refer to is stored once."""
    state = schedule.state
    snapshots = {"state": state.snapshot(), "base": schedule.base, "best": schedule.best}
    models = list({id(s.model): s.model for s in snapshots.values() if s is not None}.values())
    arrays = {"open_pairs": state.candidates.open_pairs}
    header = {
        "cursor": {name: getattr(schedule, name) for name in CURSOR},
        "pairs_left": schedule.pairs_left,
        "tried": sorted(schedule.tried),
        "region": None if schedule.region is None else sorted(schedule.region),
        "rng": schedule.rng.bit_generator.state,
        "excluded": [[*pair, e.source, e.target, e.gain, e.reason] for pair, e in state.excluded.items()],
        "models": [_store(model, f"model{k}", arrays) for k, model in enumerate(models)],
        "snapshots": {},
    }
    for name, snapshot in snapshots.items():
        if snapshot is not None:
            number = next(k for k, model in enumerate(models) if model is snapshot.model)
            steps = [[s.action, *s.edge, s.gain, s.n_ties, s.log_likelihood, s.n_parameters] for s in snapshot.steps]
            header["snapshots"][name] = {"model": number, "steps": steps, "stopped": snapshot.stopped}
    return header, arrays


def _store(model: GrowingModel, prefix: str, arrays: dict) -> dict:
    """Put the arrays of a model among the others and return the rest of it."""
    for name in MODEL_ARRAYS:
        arrays[f"{prefix}.{name}"] = getattr(model, name)
    inverse = [fit.inverse_hessian.ravel(order="F") for fit in model.fits.values()]
    arrays[f"{prefix}.inverse_hessian"] = np.concatenate([np.empty(0), *inverse])
    scalars = {name: getattr(model, name) for name in MODEL_SCALARS}
    fits = [[number, fit.gain, fit.gradient_norm, fit.converged] for number, fit in model.fits.items()]
    return {**scalars, "fits": fits}


def _restore(schedule: Schedule, header: dict, arrays: dict) -> None:
    state = schedule.state
    for name, value in header["cursor"].items():
        setattr(schedule, name, value)
    schedule.pairs_left = list(map(tuple, header["pairs_left"]))
    schedule.tried = set(map(tuple, header["tried"]))
    schedule.region = None if header["region"] is None else frozenset(header["region"])
    schedule.rng.bit_generator.state = header["rng"]
    models = [_load(state.model, part, f"model{k}", arrays) for k, part in enumerate(header["models"])]
    snapshots = {
        name: Snapshot(models[s["model"]], tuple(map(_step, s["steps"])), s["stopped"])
        for name, s in header["snapshots"].items()
    }
    schedule.base, schedule.best = snapshots.get("base"), snapshots.get("best")
    state.restore(snapshots["state"])
    state.excluded = {(i, j): Exclusion(*rest) for i, j, *rest in header["excluded"]}
    state.candidates = Candidates(state.model.target, arrays["open_pairs"])
    state.candidates.rescore(state.model.correlations)


def _step(row: list) -> Step:
    action, i, j, gain, n_ties, log_likelihood, n_parameters = row
    return Step(action, (i, j), gain, n_ties, log_likelihood, n_parameters)


def _load(begin: GrowingModel, part: dict, prefix: str, arrays: dict) -> GrowingModel:
    """A stored model; `begin` has the same moments."""
    edges, couplings, block, correlations = (arrays[f"{prefix}.{name}"] for name in MODEL_ARRAYS)
    inverse = arrays[f"{prefix}.inverse_hessian"]
    fits, used = {}, 0
    for number, *rest in part["fits"]:
        members = np.flatnonzero(block == number)
        size = members.size**2
        fits[number] = _load_fit(edges[members], couplings[members], inverse[used : used + size], rest)
        used += size
    scalars = {name: part[name] for name in MODEL_SCALARS}
    return GrowingModel(begin.target, begin.raw, edges, couplings, lambda: correlations, block, fits, **scalars)


def _load_fit(edges, couplings, inverse, rest) -> BlockFit:
    gain, gradient_norm, converged = rest
    solution = solve_dual(plan(*local_edges(edges)), couplings) if len(edges) > 1 else None
    inverse = inverse.reshape(len(edges), len(edges), order="F").copy(order="F")
    return BlockFit(couplings, gain, inverse, solution, gradient_norm, converged)
