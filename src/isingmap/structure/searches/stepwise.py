"""Running a search that goes step by step: progress, checkpoint, audit and interruption are the same for all."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Protocol

import numpy as np

from isingmap.inference.pfaffian.blas import one_blas_thread
from isingmap.interruption import listening, look, undisturbed, was_interrupted
from isingmap.structure.audit import audit
from isingmap.structure.checkpoint import Checkpoint, fingerprint
from isingmap.structure.criteria import ebic_penalty
from isingmap.structure.options import SearchOptions
from isingmap.structure.result import Blocked, Exclusion, Path, SearchResult
from isingmap.structure.searches.ending import ending, left_out
from isingmap.structure.state.archive import Archive
from isingmap.structure.state.candidates import candidates_per_spin
from isingmap.structure.state.refitted_model import RefittedModel
from isingmap.structure.state.search_state import SearchState

Progress = Callable[[int, int], None]


class Search(Protocol):
    """A machine of short steps, which can stop, be saved and go on between any two."""

    state: SearchState

    @property
    def is_growing(self) -> bool:
        """Whether the next step adds the best pair, so that an audit can tell which it must be."""

    def advance(self) -> bool:
        """One step, of seconds at most on a thousand nodes; False when the search is over."""

    def finish(self) -> None:
        """Leave the state at the best result found, also when the search was interrupted."""

    def saved(self, archive: Archive) -> dict:
        """Everything, as a JSON document that `resume` understands; arrays go into the archive."""

    def resume(self, document: dict, archive: Archive) -> None:
        """Go on from what `saved` wrote."""


def run(search: Search, options: SearchOptions, progress: Progress | None) -> None:
    """Advance to the end, or to an interruption, and leave the best result; with a checkpoint, from where it stands.

    Raises
    ------
    FileFormatError
        The checkpoint cannot be kept where it is wanted, is damaged, or belongs to other data or options.
    IsingMapError
        An audit found a difference.
    """
    checkpoint = None
    if options.checkpoint is not None:
        problem = search.state.problem
        checkpoint = Checkpoint(options.checkpoint, problem, fingerprint(problem, search.state.joinable, options))
        checkpoint.resume(search)
    try:
        with listening():
            _advance_to_the_end(search, options, progress, checkpoint)
            look()
    except BaseException as error:
        if not was_interrupted(error):
            raise
        if checkpoint is not None and checkpoint.between_steps:
            with undisturbed():
                checkpoint.save(search)
    else:
        if checkpoint is not None:
            (checkpoint.save(search) if options.keeps_checkpoint else checkpoint.remove())
        return
    n_steps = len(search.state.steps)
    with undisturbed():
        search.finish()
    search.state.interrupt(n_steps)


def _advance_to_the_end(search: Search, options: SearchOptions, progress, checkpoint: Checkpoint | None) -> None:
    state, audited = search.state, 0
    while _step(search, checkpoint):
        look()
        if progress is not None:
            progress(len(state.model.edges), state.problem.room)
        if checkpoint is not None:
            checkpoint.save_now_and_then(search)
        if options.audit_every and search.is_growing and abs(len(state.steps) - audited) >= options.audit_every:
            audited = len(state.steps)
            audit(state, complete=state.complete)


def _step(search: Search, checkpoint: Checkpoint | None) -> bool:
    """One step; with a checkpoint to its end, before an interruption is looked at, so that it can be saved."""
    with one_blas_thread():  # once for the many refits inside
        if checkpoint is None:
            return search.advance()
        checkpoint.between_steps = False
        with undisturbed():
            goes_on = search.advance()
        checkpoint.between_steps = True
        return goes_on


def result_of(
    state: SearchState,
    options: SearchOptions,
    *,
    chosen: RefittedModel | None = None,
    n_restarts: int = 0,
    n_equal: int = 1,
) -> SearchResult:
    """What the state has come to, in the caller's order of the variables.

    `chosen` is the model that had all its fields when the graph was chosen, if some may have been dropped since.
    """
    with undisturbed():  # the search is over, and its checkpoint gone
        excluded, stopped, blocked = _how_it_ended(state, chosen)
    model, problem = state.model, state.problem
    return SearchResult(
        model=problem.model(model.edges, model.couplings),
        path=_path(state, options),
        excluded=excluded,
        stopped=stopped,
        blocked=blocked,
        family=problem.family,
        fields=problem.fields,
        max_width=problem.max_width,
        criterion=options.criterion,
        search=options.search,
        n_samples=problem.n_samples,
        prior=problem.prior,
        converged=model.converged,
        gradient_norm=model.gradient_norm,
        gamma=options.gamma,
        n_restarts=n_restarts,
        n_equal=n_equal,
        seed=None if isinstance(options.seed, np.random.Generator) else options.seed,
        n_candidates=candidates_per_spin(problem, options.n_candidates),
    )


def _how_it_ended(
    state: SearchState, chosen: RefittedModel | None
) -> tuple[tuple[Exclusion, ...], str, tuple[Blocked, ...]]:
    """What was left out, why nothing more was added, and what the plane blocks, when the graph was chosen."""
    final = state.snapshot()
    if chosen is not None:
        state.restore(replace(final, model=chosen))
    excluded = left_out(state)
    stopped, blocked = ending(state, excluded)
    state.restore(final)
    return excluded, stopped, blocked


def _path(state: SearchState, options: SearchOptions) -> Path:
    steps = state.steps
    ends = [state.ends(step.edge) for step in steps]
    return Path(
        action=("start", *(s.action for s in steps)),
        source=("", *(source for source, _ in ends)),
        target=("", *(target for _, target in ends)),
        gain=np.array([np.nan, *(s.gain for s in steps)]),
        log_likelihood=np.array([state.log_likelihood(state.begin), *(s.log_likelihood for s in steps)]),
        n_parameters=np.array([len(state.begin.edges), *(s.n_parameters for s in steps)]),
        n_ties=np.array([0, *(s.n_ties for s in steps)]),
        n_samples=state.problem.n_samples,
        is_composite=state.problem.is_composite,
        ebic_penalty=ebic_penalty(options.gamma, state.problem.n_spins),
    )
