"""Why a search ended, said of the model that it ended with and not of a graph on the way there."""

from __future__ import annotations

import numpy as np

from isingmap.data.table import counted
from isingmap.likelihood.existence import SLACK_TOLERANCE, closing_slacks
from isingmap.likelihood.faces import Face, face_of_graph
from isingmap.likelihood.impossible import describe_face
from isingmap.structure.result import TOO_WIDE, Blocked, Exclusion
from isingmap.structure.searches.blocked import gain_after_refit, in_numbers, worthy_pairs
from isingmap.structure.state.search_state import Pair, SearchState

# Pairs whose fit failed for which the reason is looked for, each by two fits of a block and a linear program.
MOST_EXPLAINED = 5


def left_out(state: SearchState) -> tuple[Exclusion, ...]:
    """Pairs and fields that the final model lacks only because they would be infinite, the best first.

    All that are worth their price are looked at, whether the search came upon them or not. Considers all pairs anew.
    """
    state.reopen()
    model = state.model
    pairs = np.array(worthy_pairs(state), np.int64).reshape(-1, 2)
    moments = model.target[pairs[:, 0], pairs[:, 1]]
    edges = model.edges
    slack = closing_slacks(pairs, moments, model.n_nodes, edges, model.target[edges[:, 0], edges[:, 1]])
    found = []
    for i, j in pairs[slack < SLACK_TOLERANCE].tolist():
        if (i, j) in state.excluded or model.has_room(i, j):
            found.append(Exclusion(*state.ends((i, j)), state.gain((i, j)), state.obstacle(i, j)))
    unfit = sorted(state.unfit - set(model.pairs), key=lambda pair: (-state.gain(pair), pair))
    for rank, pair in enumerate(unfit):
        found.append(_unfit(state, pair, explain=rank < MOST_EXPLAINED))
    return tuple(sorted(found, key=lambda e: (-e.gain, e.source, e.target)))


def _unfit(state: SearchState, pair: Pair, *, explain: bool) -> Exclusion:
    """A pair with which no fit was found: the combination of values that never occurs, if it is the reason."""
    about = *state.ends(pair), state.gain(pair)
    if pair in state.too_wide:
        return Exclusion(*about, TOO_WIDE, too_strong=True)
    face = _face_with(state, pair) if explain and not state.problem.rules.fields_in_plane else None
    if face is not None:
        return Exclusion(*about, describe_face(face, state.problem.labels, state.problem.codings))
    return Exclusion(*about, state.model.plane.unfit, too_strong=True)


def _face_with(state: SearchState, pair: Pair) -> Face | None:
    """A face of the pair and its common neighbours, which takes no time, or of its block."""
    model, problem = state.model, state.problem
    edges = np.vstack([model.edges, [pair]])
    moments = model.target[edges[:, 0], edges[:, 1]]
    counted_rows = problem.n_samples if problem.prior is None else None
    first, second = ({*model.edges[(model.edges == k).any(axis=1)].ravel().tolist()} for k in pair)
    near = np.isin(edges, [*pair, *(first & second)]).all(axis=1)
    return face_of_graph(model.n_nodes, edges[near], moments[near], counted_rows, of_edge=-1) or face_of_graph(
        model.n_nodes, edges, moments, counted_rows, of_edge=-1
    )


def ending(state: SearchState, excluded: tuple[Exclusion, ...]) -> tuple[str, tuple[Blocked, ...]]:
    """Why nothing more was added, in words, and the pairs that are worth their price and that the plane blocks.

    The words say what the best pair that can be added would gain, and which is the best that the plane blocks.

    Parameters
    ----------
    state : SearchState
        As `left_out` leaves it.
    excluded : tuple of Exclusion
        From `left_out`.
    """
    if state.stopped.startswith(("interrupted", "reached")):
        return state.stopped, ()
    best = state.best_addable()
    reason = "no further pair can be added"
    if best is not None:
        i, j, gain, _ = best
        named = f", {_named(state, (i, j))},"
        reason = state.reason((i, j), gain, named)
        if not reason:
            return f"the rounds of the search are over; the best addition left{named} is worth its price", ()
        refitted = gain_after_refit(state.model, (i, j))
        reason += "" if np.isnan(refitted) else f" (it would gain {refitted:.3g} after a refit)"
    infinite = {(pair.source, pair.target) for pair in excluded}
    pairs = [pair for pair in worthy_pairs(state) if state.ends(pair) not in infinite]
    return reason + _about_blocked(state, pairs), in_numbers(state, pairs)


def _about_blocked(state: SearchState, pairs: list[Pair]) -> str:
    """What the plane keeps out, where nothing that can be added is worth its price."""
    if not pairs:
        return ""
    best = pairs[0]
    others = "" if len(pairs) == 1 else f", and {counted(len(pairs) - 1, 'more pair')} that would be worth it"
    return f"; the plane has no room for {_named(state, best)}, guaranteed to gain {state.gain(best):.3g}{others}"


def _named(state: SearchState, pair: Pair) -> str:
    source, target = state.ends(pair)
    return f"the field of {source}" if state.kind(pair) else f"{source} - {target}"
