"""Swapping edges: each of the cheapest is taken out, or exchanged for another pair on the faces around it.

The flip of the diagonal of two neighbouring faces is the simplest case.
"""

from __future__ import annotations

import numpy as np

from isingmap.structure.moves.add import add, best_addition
from isingmap.structure.moves.drop import certain_loss, reduced
from isingmap.structure.moves.move import Region
from isingmap.structure.state.archive import Archive
from isingmap.structure.state.search_state import Pair, SearchState
from isingmap.structure.state.stopping import LEAST_IMPROVEMENT

# Edges that a pass tries to replace, those of smallest loss; fewer where only a region is repaired: nine of ten swaps
# that help are among the first third.
MOST_REPLACED = 64
MOST_REPLACED_NEARBY = 12


class Swap:
    """A pass over the edges of smallest loss."""

    def __init__(self) -> None:
        self._left: list[Pair] = []

    def begin(self, state: SearchState, region: Region | None) -> None:
        """Start a pass over the edges whose ends lie in a region, or over all."""
        state.keep_faces()
        self._left = _cheapest_edges(state, region)

    def step(self, state: SearchState) -> bool:
        """Try to replace one edge."""
        if not self._left:
            return False
        _drop_or_swap(state, self._left.pop(0))
        return True

    def saved(self, archive: Archive) -> dict:
        """The edges still to be tried."""
        return {"left": self._left}

    def resume(self, document: dict, archive: Archive) -> None:
        """Go on with the edges still to be tried."""
        self._left = archive.pairs(document["left"])


def _cheapest_edges(state: SearchState, region: Region | None) -> list[Pair]:
    """The edges of smallest loss, smallest first."""
    most = MOST_REPLACED if region is None else MOST_REPLACED_NEARBY
    loss = certain_loss(state)
    pairs = state.model.pairs
    near = [k for k in np.flatnonzero(np.isfinite(loss)).tolist() if region is None or region >= {*pairs[k]}]
    return [pairs[k] for k in sorted(near, key=lambda k: (loss[k], pairs[k]))[:most]]


def _drop_or_swap(state: SearchState, pair: Pair) -> None:
    """Take an edge out, or swap it for another pair on the faces around it, if that is better."""
    model, saving = state.model, state.saving(pair)
    without = reduced(model, pair)
    if without is None:
        return
    # Better than keeping the edge, and than doing without any.
    coupling, field = (
        max(model.gain + (price - saving), without.gain + price) + LEAST_IMPROVEMENT
        for price in state.prices_of(without)
    )
    better = best_addition(state, without, (coupling, field), removed=pair)
    if better is not None:
        state.record("remove", pair, model.gain - without.gain, without)
        add(state, *better)
    elif model.gain - without.gain < saving - LEAST_IMPROVEMENT:
        state.record("remove", pair, model.gain - without.gain, without)
