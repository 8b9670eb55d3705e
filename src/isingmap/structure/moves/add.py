"""Adding edges: the best guaranteed gain first, and what pays only after the refit when nothing else is left."""

from __future__ import annotations

import numpy as np

from isingmap.errors import PrecisionError
from isingmap.structure.moves.drop import drop_cheap_edges
from isingmap.structure.state.archive import Archive
from isingmap.structure.state.refitted_model import RefittedModel
from isingmap.structure.state.search_state import ByKind, Pair, SearchState, addable
from isingmap.structure.state.stopping import LEAST_IMPROVEMENT

# Pairs refitted to find the best addition, best guaranteed gain first: of those tested, the addable ones.
MOST_REFITTED = 4
MOST_TESTED = 50
TESTED_TOGETHER = 10
# A refit can gain more than the bound, rarely more than twice as much on larger graphs.
LEAST_SHARE = 0.25


class Grow:
    """Add the best pair and drop what no longer pays, until nothing is worth adding, also after its refit."""

    def step(self, state: SearchState) -> bool:
        """One edge in, and those out that it makes superfluous."""
        if add_and_drop(state):
            return True
        if not state.complete:
            state.reopen()
            return True
        if state.rule.is_price_alone and max(state.prices) > 0 and add_underrated(state):
            state.reconsider()
            return True
        return False

    def saved(self, archive: Archive) -> dict:
        """Nothing is remembered."""
        return {}

    def resume(self, document: dict, archive: Archive) -> None:
        """Nothing is remembered."""


def add_and_drop(state: SearchState) -> bool:
    """Add the best pair and drop what no longer pays; False when nothing is worth adding."""
    if not state.add_best():
        return False
    if drop_cheap_edges(state):
        state.reconsider()
    return True


def add(state: SearchState, pair: Pair, larger: RefittedModel | None = None) -> None:
    """Put an edge in, if more are wanted and doubles can fit it; `larger` is the model with it, if there is one."""
    if state.is_full(state.model) and not state.kind(pair):
        return
    larger = larger or state.enlarged(*pair)
    if larger is not None:
        state.record("add", pair, state.gain(pair), larger)


def add_underrated(state: SearchState) -> bool:
    """Add the pair of largest gain after the refit, where no guaranteed gain reaches the price."""
    coupling, field = (state.model.gain + price + LEAST_IMPROVEMENT for price in state.prices)
    best = best_addition(state, state.model, (coupling, field))
    if best is None:
        return False
    add(state, *best)
    return True


def best_addition(
    state: SearchState, model: RefittedModel, least: ByKind, removed: Pair | None = None
) -> tuple[Pair, RefittedModel] | None:
    """(new pair, model with it) worth most, if the gain of any is above `least` for its kind and its surcharge.

    `model` may differ from the state's; `removed` is not put back.
    """
    best: tuple[Pair, RefittedModel] | None = None
    for new in _promising(state, model, least, removed):
        wanted = least[state.kind(new)] + state.rule.surcharge[new]
        if best is not None:
            wanted = best[1].gain + (wanted - (least[state.kind(best[0])] + state.rule.surcharge[best[0]]))
        candidate = _refitted(model, new, wanted)
        if candidate is not None and candidate.gain > wanted:
            best = new, candidate
    return best


def _refitted(model: RefittedModel, pair: Pair, least: float) -> RefittedModel | None:
    """The model with a pair, if it gains what it must and doubles can fit it."""
    try:
        return model.with_edge_if_worth(*pair, least)
    except PrecisionError:
        return None


def _promising(state: SearchState, model: RefittedModel, least: ByKind, removed: Pair | None) -> list[Pair]:
    """Addable pairs that may gain as much as they must, best guaranteed gain first."""
    # What was found to be blocked is closed: hundreds of such pairs may come first.
    open_pairs = state.candidates.open_pairs if model is state.model else state.open_pairs(model)
    allowed = open_pairs & ~np.isnan(model.correlations)
    if removed is not None:
        allowed[removed] = False
    if state.is_full(model):
        allowed[:, :-1] = False
    rows, columns = np.nonzero(allowed)
    guaranteed = model.gains(rows, columns)
    tried = []
    for k in np.argsort(-guaranteed, kind="stable")[:MOST_TESTED].tolist():
        pair = int(rows[k]), int(columns[k])
        wanted = least[state.kind(pair)] + state.rule.surcharge[pair]
        if guaranteed[k] >= LEAST_SHARE * (wanted - model.gain):
            tried.append(pair)
    found: list[Pair] = []
    for first in range(0, len(tried), TESTED_TOGETHER):
        found += addable(model, tried[first : first + TESTED_TOGETHER])
        if len(found) >= MOST_REFITTED:
            break
    return found[:MOST_REFITTED]
