"""Why a search ended, said of the model that it ended with and not of a graph on the way there."""

from __future__ import annotations

from isingmap.errors import PrecisionError
from isingmap.structure.state.search_state import Pair, SearchState


def ending(state: SearchState) -> str:
    """Why nothing more was added: what the best pair that can be added would gain, and the best that the plane blocks.

    All pairs are considered once more, at the cost of one step of the search and one refit.
    """
    if state.stopped.startswith(("interrupted", "reached")):
        return state.stopped
    state.reopen()
    first, best = state.candidates.best(), state.best_addable()
    return _about_addable(state, best) + _about_blocked(state, first, best)


def _about_addable(state: SearchState, best) -> str:
    if best is None:
        return "no further pair can be added"
    i, j, gain, _ = best
    named, exact = f", {_named(state, (i, j))},", _exact_gain(state, (i, j))
    price = state.prices[state.kind((i, j))]
    n_couplings = int((state.kinds == 0).sum())
    reason = state.rule.reason(n_couplings, gain, price, named)
    return (reason or f"the rounds of the search are over; the best addition left{named} is worth its price") + exact


def _exact_gain(state: SearchState, pair: Pair) -> str:
    try:
        gain = state.model.with_edge(*pair).gain - state.model.gain
    except PrecisionError:
        return ""
    return f" (it would gain {gain:.3g} after a refit)"


def _about_blocked(state: SearchState, first, best) -> str:
    """The best pair of all, where it is the plane that has no room for it."""
    if first is None or first == best or first[:2] in state.excluded:
        return ""
    return f"; the plane has no room for {_named(state, first[:2])}, guaranteed to gain {first[2]:.3g}"


def _named(state: SearchState, pair: Pair) -> str:
    source, target = state.ends(pair)
    return f"the field of {source}" if state.kind(pair) else f"{source} - {target}"
