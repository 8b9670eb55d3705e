"""Forcing in a pair that others block: the edges it crosses go, and the graph grows again around it."""

from __future__ import annotations

import numpy as np

from isingmap.planar.crossed_edges import cheapest_crossings, crossed_edges
from isingmap.planar.embedding import embed
from isingmap.structure.moves.add import add, add_and_drop
from isingmap.structure.moves.drop import likely_loss, remove
from isingmap.structure.moves.move import Region, attempt
from isingmap.structure.state.archive import Archive
from isingmap.structure.state.search_state import Pair, SearchState, addable

# Pairs that a round forces in; fewer where only a region is repaired.
MOST_INSERTIONS = 12
MOST_INSERTIONS_NEARBY = 3


class Insert:
    """A round of insertions, each taken back unless the graph is better in the end."""

    def __init__(self) -> None:
        self._tried: set[Pair] = set()
        self._region: Region | None = None

    def begin(self, region: Region | None) -> None:
        """Start a round: every blocked pair of a region, or of all, may be tried."""
        self._tried, self._region = set(), region

    def step(self, state: SearchState) -> bool:
        """Try the most promising blocked pair."""
        state.reopen()
        if len(self._tried) == (MOST_INSERTIONS if self._region is None else MOST_INSERTIONS_NEARBY):
            return False
        pair = best_blocked(state, self._tried, self._region)
        if pair is None:
            return False
        self._tried.add(pair)
        attempt(state, lambda: insert(state, pair))
        return True

    def saved(self, archive: Archive) -> dict:
        """The pairs tried in this round, and where it is."""
        return {"tried": sorted(self._tried), "region": None if self._region is None else sorted(self._region)}

    def resume(self, document: dict, archive: Archive) -> None:
        """Do not try them again."""
        self._tried = {*archive.pairs(document["tried"])}
        self._region = None if document["region"] is None else archive.nodes(document["region"])


def best_blocked(state: SearchState, tried: set[Pair], region: Region | None) -> Pair | None:
    """The untried pair of the region with the best guaranteed gain less the loss of the edges it crosses, if any."""
    model = state.model
    drawn = model.plane.drawn(model.edges)
    cost = cheapest_crossings(embed(model.n_nodes, model.edges[drawn]), likely_loss(state)[drawn])
    allowed = state.joinable & np.isfinite(cost) & (cost > 0) & ~np.isnan(model.correlations)
    if region is not None:
        inside = np.isin(np.arange(model.n_nodes), list(region))
        allowed &= inside[:, None] & inside[None, :]
    rows, columns = np.nonzero(allowed)
    gain = model.gains(rows, columns)
    value = gain - cost[rows, columns]
    for k in np.argsort(-value, kind="stable").tolist():
        pair = int(rows[k]), int(columns[k])
        if gain[k] >= state.price(pair) and pair not in tried and pair not in model.pairs:
            return pair
    return None


def insert(state: SearchState, pair: Pair) -> None:
    """Take out the edges that a pair crosses, add it and let the graph recover."""
    state.keep_faces(also=pair)
    model = state.model
    drawn = np.flatnonzero(model.plane.drawn(model.edges))
    crossed = crossed_edges(embed(model.n_nodes, model.edges[drawn]), likely_loss(state)[drawn], *pair)
    for edge in [model.pairs[k] for k in drawn[crossed].tolist()]:
        if not remove(state, edge):
            return
    if np.isnan(state.model.correlations[pair]):  # the removals cut the graph between its ends
        state.reopen()
    if pair not in state.unfit and addable(state.model, [pair]):
        add(state, pair)
        state.reconsider()
        while add_and_drop(state):
            pass
