"""Taking edges out: what each would lose, and removing those that no longer pay."""

from __future__ import annotations

import numpy as np

from isingmap.errors import PrecisionError
from isingmap.structure.state.refitted_model import RefittedModel
from isingmap.structure.state.search_state import Pair, SearchState


def removal_loss(model: RefittedModel) -> np.ndarray:
    """Loss of each edge with the other couplings fixed, nats per sample: at least what is lost after a refit."""
    # A divergence is never negative, but rounding can make it so, and the shortest paths over it must end.
    return np.maximum(model.plane.loss(model.target, model.edges, model.couplings), 0.0)


def certain_loss(state: SearchState) -> np.ndarray:
    """`removal_loss` of each edge, infinite for those that must stay."""
    loss = removal_loss(state.model)
    loss[[pair in state.required for pair in state.model.pairs]] = np.inf
    return loss


def likely_loss(state: SearchState) -> np.ndarray:
    """What each edge would lose after a refit, by the curvature at the maximum; infinite for those that must stay."""
    loss = certain_loss(state)
    by_curvature = 0.5 * state.model.couplings**2 / state.model.coupling_variances
    return np.where(np.isinf(loss), np.inf, np.minimum(loss, by_curvature))


def drop_cheap_edges(state: SearchState) -> bool:
    """Remove edges that surely lose less than they save, the cheapest first; False when there is none."""
    before = state.model
    while len(state.model.edges):
        loss = certain_loss(state)
        excess = loss - state.edge_savings
        k = int(np.argmin(excess))
        if excess[k] >= 0:
            break
        if not remove(state, state.model.pairs[k], float(loss[k])):
            break
    return state.model is not before


def remove(state: SearchState, pair: Pair, loss: float | None = None) -> bool:
    """Take an edge out; False, and nothing is changed, where doubles cannot fit what is left."""
    smaller = reduced(state.model, pair)
    if smaller is None:
        return False
    state.record("remove", pair, state.model.gain - smaller.gain if loss is None else loss, smaller)
    return True


def reduced(model: RefittedModel, pair: Pair) -> RefittedModel | None:
    """The model without an edge; None where doubles cannot fit it."""
    try:
        return model.without_edge(model.pairs.index(pair))
    except PrecisionError:
        return None
