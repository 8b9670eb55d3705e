"""Resamples side by side, by joblib: on processes, on threads, or on a Dask cluster, where `parallel_config` says."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Generator, Sequence
from concurrent.futures.process import BrokenProcessPool
from contextlib import closing

from isingmap.errors import IsingMapError, IsingMapWarning
from isingmap.interruption import deaf_processes, listening, look, noted, undisturbed, was_interrupted
from isingmap.resampling.finished import Checkpoint, identity_of, read_outcomes
from isingmap.resampling.refit import Outcome, Refit

Progress = Callable[[int, int], None]


def outcomes_of(refit: Refit, *, checkpoint=None, progress: Progress | None = None) -> tuple[list[Outcome], bool]:
    """All outcomes that are wanted, in the order of their numbers, and whether it was interrupted before the last.

    Those of the files of resamples are wanted too. A checkpoint that has more than that, because more were asked for
    when it was interrupted, says nothing about these, and stays.

    Parameters
    ----------
    refit : Refit
    checkpoint : path-like, optional
        A file that keeps what is finished, and is removed in the end unless it has more than is wanted.
    progress : callable, optional
        Called with (finished, wanted).

    Raises
    ------
    FileFormatError
        A file of resamples is damaged, or belongs to other data or options.
    IsingMapError
        A worker was killed.
    KeyboardInterrupt
        Nothing was finished.
    """
    asked, identity = refit.resampling, identity_of(refit)
    n_spins = refit.rows.table.n_spins
    kept = Checkpoint(checkpoint, identity)
    known = kept.read(n_spins)
    spare = set(known)
    files = asked.resamples if isinstance(asked.resamples, list | tuple) else [asked.resamples]
    for path in files:
        if path is not None:
            read = read_outcomes(path, identity, n_spins)
            known |= read
            spare -= read.keys()
    wanted = range(asked.first, asked.first + asked.n_resamples)
    spare -= set(wanted)
    interrupted = _complete(refit, wanted, known, kept, progress)
    if not interrupted and not spare:
        kept.remove()
    found = [known[number] for number in sorted(known.keys() - spare)]
    if not found:
        raise KeyboardInterrupt("before the first fit was finished")
    return found, interrupted


def _complete(
    refit: Refit, wanted: Sequence[int], known: dict[int, Outcome], kept: Checkpoint, progress: Progress | None
) -> bool:
    """Add what lacks to the outcomes that are known; whether Ctrl-C came before the end."""
    missing = [number for number in wanted if number not in known]
    done = len(wanted) - len(missing)
    try:
        with listening(), warnings.catch_warnings():
            warnings.simplefilter("ignore", IsingMapWarning)  # said of the fit itself
            with closing(_side_by_side(refit, missing)) as arriving:
                for outcome in arriving:
                    known[outcome.number] = outcome
                    done += 1
                    if progress is not None:
                        progress(done, len(wanted))
                    kept.save_now_and_then(known)
                    if done < len(wanted):
                        look()
    except BaseException as error:
        with undisturbed():
            if known:
                kept.save(known)
        if isinstance(error, BrokenProcessPool):
            if noted() is None:  # Ctrl-C on a terminal kills workers that have only begun, too
                raise IsingMapError(_about_killed(kept, len(known))) from error
        elif not was_interrupted(error):
            raise
        return done < len(wanted)
    return False


def _side_by_side(refit: Refit, numbers: Sequence[int]) -> Generator[Outcome, None, None]:
    """Outcomes as they come."""
    from joblib import Parallel, delayed

    workers = Parallel(n_jobs=refit.resampling.n_jobs, return_as="generator_unordered")
    with deaf_processes():
        return workers(delayed(refit)(number) for number in numbers)


def _about_killed(kept: Checkpoint, n_done: int) -> str:
    advice = "with checkpoint=FILE what was finished would have been kept" if n_done else "nothing was finished"
    if kept.path is not None and n_done:
        advice = f"the {n_done:,} finished ones are in {kept.path}, and the same call or command goes on from there"
    return (
        "a worker process was killed from outside, perhaps because memory ran out; fewer of them (n_jobs=1) take "
        f"less. {advice[0].upper()}{advice[1:]}"
    )
