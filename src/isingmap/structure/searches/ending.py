"""Why a search ended, said of the model that it ended with and not of a graph on the way there."""

from __future__ import annotations

import numpy as np

from isingmap.data.table import counted
from isingmap.errors import PrecisionError
from isingmap.likelihood.existence import SLACK_TOLERANCE, closing_slacks
from isingmap.structure.result import TOO_WIDE, Exclusion
from isingmap.structure.state.search_state import Pair, SearchState
from isingmap.structure.state.stopping import LEAST_IMPROVEMENT


def left_out(state: SearchState) -> tuple[Exclusion, ...]:
    """Pairs and fields that the final model lacks only because they would be infinite, the best first.

    All that are worth their price are looked at, whether the search came upon them or not. Considers all pairs anew.
    """
    state.reopen()
    model = state.model
    pairs = worthy_pairs(state)
    moments = model.target[pairs[:, 0], pairs[:, 1]]
    edges = model.edges
    slack = closing_slacks(pairs, moments, model.n_nodes, edges, model.target[edges[:, 0], edges[:, 1]])
    found = []
    for i, j in pairs[slack < SLACK_TOLERANCE].tolist():
        if (i, j) in state.excluded or model.has_room(i, j):
            found.append(Exclusion(*state.ends((i, j)), state.gain((i, j)), state.obstacle(i, j)))
    for i, j in sorted(state.unfit - set(model.pairs)):
        reason = TOO_WIDE if (i, j) in state.too_wide else model.plane.unfit
        found.append(Exclusion(*state.ends((i, j)), state.gain((i, j)), reason, too_strong=True))
    return tuple(sorted(found, key=lambda e: (-e.gain, e.source, e.target)))


def ending(state: SearchState, excluded: tuple[Exclusion, ...]) -> str:
    """Why nothing more was added: what the best pair that can be added would gain, and the best that the plane blocks.

    Parameters
    ----------
    state : SearchState
        As `left_out` leaves it.
    excluded : tuple of Exclusion
        From `left_out`.
    """
    if state.stopped.startswith(("interrupted", "reached")):
        return state.stopped
    best = state.best_addable()
    reason = "no further pair can be added"
    if best is not None:
        i, j, gain, _ = best
        named = f", {_named(state, (i, j))},"
        reason = state.reason((i, j), gain, named)
        if not reason:
            return f"the rounds of the search are over; the best addition left{named} is worth its price"
        reason += _exact_gain(state, (i, j))
    return reason + _about_blocked(state, excluded)


def _exact_gain(state: SearchState, pair: Pair) -> str:
    try:
        gain = state.model.with_edge(*pair).gain - state.model.gain
    except PrecisionError:
        return ""
    return f" (it would gain {gain:.3g} after a refit)"


def _about_blocked(state: SearchState, excluded: tuple[Exclusion, ...]) -> str:
    """What the plane keeps out, where nothing that can be added is worth its price."""
    infinite = {(pair.source, pair.target) for pair in excluded}
    pairs = [(i, j) for i, j in worthy_pairs(state).tolist() if state.ends((i, j)) not in infinite]
    if not pairs:
        return ""
    best = min(pairs, key=lambda pair: (-state.gain(pair), pair))
    others = "" if len(pairs) == 1 else f", and {counted(len(pairs) - 1, 'more pair')} that would be worth it"
    return f"; the plane has no room for {_named(state, best)}, guaranteed to gain {state.gain(best):.3g}{others}"


def _named(state: SearchState, pair: Pair) -> str:
    source, target = state.ends(pair)
    return f"the field of {source}" if state.kind(pair) else f"{source} - {target}"


def worthy_pairs(state: SearchState) -> np.ndarray:
    """Pairs and fields that the model lacks and that gain what they cost, (k, 2)."""
    pairs = np.argwhere(state.open_pairs(state.model) & ~np.isnan(state.model.correlations))
    gain = state.model.gains(pairs[:, 0], pairs[:, 1])
    is_field = (pairs[:, 1] == state.problem.auxiliary_node).astype(np.int64)
    price = np.array(state.prices)[is_field] + state.rule.surcharge[pairs[:, 0], pairs[:, 1]]
    return pairs[gain >= np.maximum(price, state.rule.min_gain or LEAST_IMPROVEMENT)]
