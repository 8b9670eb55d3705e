"""The pairs that the plane keeps out, although they are worth their price, and what they would gain."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from isingmap.errors import PrecisionError
from isingmap.inference.elimination.fielded_block import FieldedPlan, fielded_plan
from isingmap.planar.blocks import block_labels
from isingmap.structure.result import Blocked
from isingmap.structure.state.plane import WithoutFields
from isingmap.structure.state.refitted_model import RefittedModel
from isingmap.structure.state.search_state import Pair, SearchState
from isingmap.structure.state.stopping import LEAST_IMPROVEMENT

# The best are refitted, on a graph that is not planar, by elimination; unless a block gets more edges than this.
MOST_REFITTED, MOST_EDGES = 10, 400
MOST_LISTED = 100


class NoPlane(WithoutFields):
    """Every block is solved by elimination, planar or not: its last node stands for fields, be it auxiliary or not."""

    def plan(self, nodes: np.ndarray, edges: np.ndarray) -> FieldedPlan:
        return fielded_plan(nodes, edges, self.max_width)


def worthy_pairs(state: SearchState) -> list[Pair]:
    """Pairs and fields that the model lacks and that gain what they cost, the best first."""
    pairs = np.argwhere(state.open_pairs(state.model) & ~np.isnan(state.model.correlations))
    gain = state.model.gains(pairs[:, 0], pairs[:, 1])
    is_field = (pairs[:, 1] == state.problem.auxiliary_node).astype(np.int64)
    price = np.array(state.prices)[is_field] + state.rule.surcharge[pairs[:, 0], pairs[:, 1]]
    worthy = gain >= np.maximum(price, state.rule.min_gain or LEAST_IMPROVEMENT)
    order = np.argsort(-gain[worthy], kind="stable")
    return [(i, j) for i, j in pairs[worthy][order].tolist()]


def in_numbers(state: SearchState, pairs: Sequence[Pair]) -> tuple[Blocked, ...]:
    """What these pairs would gain, at most `MOST_LISTED` of them."""
    drawn_anyway = replace(state.model, plane=NoPlane(state.model.n_nodes))
    found = []
    for rank, pair in enumerate(pairs[:MOST_LISTED]):
        exact = _exact_gain(drawn_anyway, pair) if rank < MOST_REFITTED else np.nan
        found.append(Blocked(*state.ends(pair), state.gain(pair), exact, state.price(pair)))
    return tuple(found)


def _exact_gain(model: RefittedModel, pair: Pair) -> float:
    """What a pair would gain after a refit of everything; NaN where that would take too long, or comes to no end."""
    label = block_labels(model.n_nodes, np.vstack([model.edges, [pair]]))
    if np.count_nonzero(label == label[-1]) > MOST_EDGES:
        return np.nan
    return gain_after_refit(model, pair)


def gain_after_refit(model: RefittedModel, pair: Pair) -> float:
    """What a pair gains when everything is fitted again, nats per sample; NaN where no fit is found."""
    try:
        return model.with_edge(*pair).gain - model.gain
    except PrecisionError:
        return np.nan
