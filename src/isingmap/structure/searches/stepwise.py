"""Running a search that goes step by step: progress, checkpoint, audit and interruption are the same for all."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

import numpy as np

from isingmap.data.table import counted
from isingmap.inference.pfaffian.blas import one_blas_thread
from isingmap.interruption import listening, look, undisturbed, was_interrupted
from isingmap.likelihood.existence import SLACK_TOLERANCE, closing_slacks
from isingmap.planar.planarity import is_planar_kernel
from isingmap.structure.audit import audit
from isingmap.structure.checkpoint import Checkpoint, fingerprint
from isingmap.structure.criteria import ebic_penalty
from isingmap.structure.edge_gain import edge_gain
from isingmap.structure.moves.move import LEAST_IMPROVEMENT
from isingmap.structure.options import SearchOptions
from isingmap.structure.result import Exclusion, Path, SearchResult
from isingmap.structure.state.archive import Archive
from isingmap.structure.state.candidates import candidates_per_spin
from isingmap.structure.state.search_state import SearchState

Progress = Callable[[int, int], None]
TOO_STRONG = "with it the couplings would be too strong for double precision"


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
    else:
        if checkpoint is not None:
            checkpoint.remove()
        return
    n_steps = len(search.state.steps)
    with undisturbed():
        search.finish()
    search.state.interrupt(n_steps)


def _advance_to_the_end(search: Search, options: SearchOptions, progress, checkpoint: Checkpoint | None) -> None:
    state, audited = search.state, 0
    while _step(search):
        look()
        if progress is not None:
            progress(len(state.model.edges), state.problem.room)
        if checkpoint is not None:
            checkpoint.save_now_and_then(search)
        if options.audit_every and search.is_growing and abs(len(state.steps) - audited) >= options.audit_every:
            audited = len(state.steps)
            audit(state, complete=state.complete)


def _step(search: Search) -> bool:
    with one_blas_thread():  # once for the many refits inside
        return search.advance()


def result_of(state: SearchState, options: SearchOptions, *, n_restarts: int = 0, n_equal: int = 1) -> SearchResult:
    """What the state has come to, in the caller's order of the variables."""
    excluded = _excluded(state)
    model, problem = state.model, state.problem
    return SearchResult(
        model=problem.model(model.edges, model.couplings),
        path=_path(state, options),
        excluded=excluded,
        stopped=state.stopped + _blocked(state, excluded),
        family=problem.family,
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


def _path(state: SearchState, options: SearchOptions) -> Path:
    steps = state.steps
    return Path(
        action=("start", *(s.action for s in steps)),
        source=("", *(state.problem.labels[s.edge[0]] for s in steps)),
        target=("", *(state.other_end(s.edge[1]) for s in steps)),
        gain=np.array([np.nan, *(s.gain for s in steps)]),
        log_likelihood=np.array([state.log_likelihood(state.begin), *(s.log_likelihood for s in steps)]),
        n_parameters=np.array([len(state.begin.edges), *(s.n_parameters for s in steps)]),
        n_ties=np.array([0, *(s.n_ties for s in steps)]),
        n_samples=state.problem.n_samples,
        is_composite=state.problem.is_composite,
        ebic_penalty=ebic_penalty(options.gamma, state.problem.n_spins),
    )


def _excluded(state: SearchState) -> tuple[Exclusion, ...]:
    """Pairs and fields that the final model lacks only because they would be infinite, the best first.

    All that are worth their price are looked at, whether the search came upon them or not.
    """
    state.reopen()
    model, labels = state.model, state.problem.labels
    pairs = worthy_pairs(state)
    moments = model.target[pairs[:, 0], pairs[:, 1]]
    edges = model.edges
    slack = closing_slacks(pairs, moments, model.n_nodes, edges, model.target[edges[:, 0], edges[:, 1]])
    found = []
    for i, j in pairs[slack < SLACK_TOLERANCE].tolist():
        if (i, j) in state.excluded or is_planar_kernel(model.n_nodes, np.vstack([edges, [[i, j]]])):
            found.append(Exclusion(labels[i], state.other_end(j), state.gain((i, j)), state.obstacle(i, j)))
    for i, j in sorted(state.unfit - set(model.pairs)):
        found.append(Exclusion(labels[i], state.other_end(j), state.gain((i, j)), TOO_STRONG, too_strong=True))
    return tuple(sorted(found, key=lambda e: (-e.gain, e.source, e.target)))


def _blocked(state: SearchState, excluded: tuple[Exclusion, ...]) -> str:
    """What the plane keeps out, if the search ended because nothing that can be added is worth it."""
    if not state.ended_by_itself:
        return ""
    pairs, labels = worthy_pairs(state), state.problem.labels
    infinite = {(pair.source, pair.target) for pair in excluded}
    named = [(labels[i], state.other_end(j), state.gain((i, j))) for i, j in pairs.tolist()]
    blocked = [(*ends, gain) for *ends, gain in named if tuple(ends) not in infinite]
    if not blocked:
        return ""
    source, target, gain = max(blocked, key=lambda pair: pair[2])
    others = "" if len(blocked) == 1 else f", and {counted(len(blocked) - 1, 'more pair')} that would be worth it"
    return f"; the plane has no room for {source} - {target}, which would gain {gain:.3g}{others}"


def worthy_pairs(state: SearchState) -> np.ndarray:
    """Pairs and fields that the model lacks and that gain what they cost, (k, 2)."""
    pairs = np.argwhere(state.open_pairs(state.model) & ~np.isnan(state.model.correlations))
    gain = edge_gain(state.model.target[pairs[:, 0], pairs[:, 1]], state.model.correlations[pairs[:, 0], pairs[:, 1]])
    is_field = (pairs[:, 1] == state.problem.auxiliary_node).astype(np.int64)
    price = np.array(state.prices)[is_field] + state.rule.surcharge[pairs[:, 0], pairs[:, 1]]
    return pairs[gain >= np.maximum(price, state.rule.min_gain or LEAST_IMPROVEMENT)]
