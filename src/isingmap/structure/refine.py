"""Repairing what the greedy search got wrong: removals, and swaps of one edge for another.

The paper's search never takes an edge back. Here every change is accepted by its exact effect on the likelihood:
an edge goes when the fit loses less without it than a parameter costs, and an edge is swapped for another pair when
the fit gains. A swap includes the flip of the diagonal of two neighbouring faces.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from isingmap.likelihood.existence import closing_obstacle
from isingmap.planar.crossing import cheapest_crossings, crossed_edges
from isingmap.planar.embedding import embed
from isingmap.planar.planarity import is_planar_kernel
from isingmap.structure.greedy import Search
from isingmap.structure.growing import GrowingModel
from isingmap.structure.scores import edge_gain

# A change must gain more than this, nats per sample: ten times what rounding can pretend.
LEAST_IMPROVEMENT = 1e-9
# Pairs tried in place of a removed edge, best guaranteed gain first: of those tested, the addable ones.
MOST_REPLACEMENTS = 4
MOST_TESTED = 50
# A refit can gain more than the bound, rarely more than twice as much on larger graphs.
LEAST_SHARE = 0.25
# Edges that a pass of swaps tries to replace, those of smallest loss.
MOST_SWAPPED = 64
MOST_INSERTIONS = 12
MOST_ROUNDS = 5
# A perturbation takes out between this many edges and half of them, and puts one fewer random ones in.
SMALLEST_KICK = 3

Record = Callable[[str, tuple[int, int], float, GrowingModel], None]


@dataclass(frozen=True)
class Moves:
    """What the refinement may do.

    Attributes
    ----------
    fixed : set of pairs that must stay
    open_pairs : (n_nodes, n_nodes) bool array
        Pairs i < j that may ever be joined.
    price : float
        Gain in nats per sample that a parameter must bring.
    """

    fixed: frozenset[tuple[int, int]]
    open_pairs: np.ndarray
    price: float


def removal_loss(model: GrowingModel) -> np.ndarray:
    """Loss of each edge with the other couplings fixed, nats per sample: at least what is lost after a refit.

    Without its coupling the moment of an edge becomes (mu - w) / (1 - mu w), w = tanh of the coupling.
    """
    moments = model.correlations[model.edges[:, 0], model.edges[:, 1]]
    w = np.tanh(model.couplings)
    # A divergence is never negative, but rounding can make it so, and the shortest paths over it must end.
    return np.maximum(edge_gain(moments, (moments - w) / (1.0 - moments * w)), 0.0)


def drop_cheap_edges(model: GrowingModel, moves: Moves, record: Record) -> GrowingModel:
    """Remove edges that surely lose less than the price, the cheapest first, until none is left."""
    while True:
        loss = _removable(model, moves)
        k = int(np.argmin(loss)) if loss.size else 0
        if not loss.size or loss[k] >= moves.price:
            return model
        smaller = model.without_edge(k)
        record("remove", model.pairs[k], float(loss[k]), smaller)
        model = smaller


def _removable(model: GrowingModel, moves: Moves) -> np.ndarray:
    loss = removal_loss(model)
    loss[[pair in moves.fixed for pair in model.pairs]] = np.inf
    return loss


def drop_or_swap(model: GrowingModel, moves: Moves, record: Record) -> GrowingModel:
    """One pass over the edges of smallest loss: each goes, or is swapped for another pair, if that is better."""
    loss = dict(zip(model.pairs, _removable(model, moves).tolist(), strict=True))
    for pair in sorted(loss, key=lambda p: (loss[p], p))[:MOST_SWAPPED]:
        if loss[pair] == np.inf:
            break
        without = model.without_edge(model.pairs.index(pair))
        new, better = _best_replacement(model, without, pair, moves)
        lost = model.gain - without.gain
        if better is not None:
            record("remove", pair, lost, without)
            record("add", new, better.gain - without.gain, better)
            model = better
        elif lost < moves.price - LEAST_IMPROVEMENT:
            record("remove", pair, lost, without)
            model = without
    return model


def _best_replacement(model: GrowingModel, without: GrowingModel, removed: tuple[int, int], moves: Moves):
    """(new pair, model with it instead of the removed one) if that is the best there is, else (None, None)."""
    # Against keeping the edge, and against doing without any.
    least = max(model.gain, without.gain + moves.price) + LEAST_IMPROVEMENT
    best = None, None
    for new in _replacements(without, removed, least - without.gain, moves):
        candidate = without.with_edge(*new)
        if candidate.gain > least:
            best, least = (new, candidate), candidate.gain
    return best


def _replacements(model: GrowingModel, removed: tuple[int, int], loss: float, moves: Moves) -> list[tuple[int, int]]:
    """Addable pairs that may gain more than `loss`, best guaranteed gain first."""
    allowed = moves.open_pairs.copy()
    allowed[removed] = False
    allowed[model.edges[:, 0], model.edges[:, 1]] = False
    rows, columns = np.nonzero(allowed)
    gain = edge_gain(model.target[rows, columns], model.correlations[rows, columns])
    found: list[tuple[int, int]] = []
    for k in np.argsort(-gain, kind="stable")[:MOST_TESTED].tolist():
        if gain[k] < LEAST_SHARE * loss or len(found) == MOST_REPLACEMENTS:
            break
        pair = int(rows[k]), int(columns[k])
        if addable(model, *pair):
            found.append(pair)
    return found


def addable(model: GrowingModel, i: int, j: int) -> bool:
    """Whether the graph with i-j is planar and its estimate exists."""
    edges = model.edges
    if not is_planar_kernel(model.n_nodes, np.vstack([edges, [[i, j]]])):
        return False
    observed = model.target[edges[:, 0], edges[:, 1]]
    return closing_obstacle(i, j, model.target[i, j], model.n_nodes, edges, observed) is None


def grow(state: Search, moves: Moves | None, report: Callable[[Search], None]) -> None:
    """Add the best pair again and again; with `moves`, drop after each what no longer pays."""
    while state.add_best():
        if moves is not None:
            before = state.model
            drop_cheap_edges(before, moves, state.record)
            if state.model is not before:
                state.reopen()
        report(state)


def repair(state: Search, moves: Moves, report: Callable[[Search], None]) -> None:
    """Grow, drop, swap and insert until nothing improves the objective."""
    regrow(state, moves, report)
    for _ in range(MOST_ROUNDS):
        before = state.objective
        drop_or_swap(state.model, moves, state.record)
        regrow(state, moves, report)
        insert_blocked(state, moves)
        report(state)
        if state.objective <= before + max(LEAST_IMPROVEMENT, moves.price):
            return


def regrow(state: Search, moves: Moves, report: Callable[[Search], None]) -> None:
    """Add what is worth it, all pairs considered."""
    state.reopen()
    grow(state, moves, report)


def insert_blocked(state: Search, moves: Moves) -> None:
    """Force in pairs that the graph blocks: take out the edges they cross, add them and let the graph recover."""
    tried: set[tuple[int, int]] = set()
    for _ in range(MOST_INSERTIONS):
        pair = _best_blocked(state, moves, tried)
        if pair is None:
            return
        tried.add(pair)
        attempt(state, lambda pair=pair: _insert(state, moves, pair))


def _best_blocked(state: Search, moves: Moves, tried: set) -> tuple[int, int] | None:
    """The untried blocked pair with the best guaranteed gain less the loss of what it crosses."""
    model = state.model
    embedding = embed(model.n_nodes, model.edges)
    cost = cheapest_crossings(embedding, _removable(model, moves))
    rows, columns = np.nonzero(moves.open_pairs & np.isfinite(cost) & (cost > 0))
    gain = edge_gain(model.target[rows, columns], model.correlations[rows, columns])
    value = gain - cost[rows, columns]
    for k in np.argsort(-value, kind="stable").tolist():
        pair = int(rows[k]), int(columns[k])
        # Losses are overestimated and gains underestimated, so a pair may be worth it below zero.
        if value[k] < -gain[k]:
            return None
        if gain[k] >= moves.price and pair not in tried and pair not in model.pairs:
            return pair
    return None


def _insert(state: Search, moves: Moves, pair: tuple[int, int]) -> None:
    model = state.model
    crossed = crossed_edges(embed(model.n_nodes, model.edges), _removable(model, moves), *pair)
    for edge in [model.pairs[k] for k in crossed.tolist()]:
        smaller = state.model.without_edge(state.model.pairs.index(edge))
        state.record("remove", edge, state.model.gain - smaller.gain, smaller)
    if addable(state.model, *pair):
        gain = float(edge_gain(state.model.target[pair], state.model.correlations[pair]))
        state.record("add", pair, gain, state.model.with_edge(*pair))
        regrow(state, moves, lambda _: None)


def restart(state: Search, moves: Moves, rng: np.random.Generator) -> None:
    """Perturb the graph and repair it; keep the result only when its objective is higher."""

    def perturbed() -> None:
        _kick(state, moves, rng)
        repair(state, moves, lambda _: None)

    attempt(state, perturbed)


def attempt(state: Search, change: Callable[[], None]) -> None:
    """Carry out a change and take it back unless it raises the objective."""
    model, best, n_steps, stopped = state.model, state.objective, len(state.steps), state.stopped
    change()
    if state.objective <= best + LEAST_IMPROVEMENT:
        state.model, state.stopped = model, stopped
        del state.steps[n_steps:]


def _kick(state: Search, moves: Moves, rng: np.random.Generator) -> None:
    """Take some random edges out and put random others in, one fewer."""
    loose = [pair for pair in state.model.pairs if pair not in moves.fixed]
    size = int(rng.integers(SMALLEST_KICK, max(SMALLEST_KICK, len(loose) // 2) + 1))
    out = [loose[k] for k in rng.permutation(len(loose))[:size].tolist()]
    for pair in out:
        model = state.model.without_edge(state.model.pairs.index(pair))
        state.record("remove", pair, state.model.gain - model.gain, model)
    wanted = len(out) - 1
    pairs = np.argwhere(moves.open_pairs)
    for i, j in pairs[rng.permutation(len(pairs))].tolist():
        if wanted <= 0:
            return
        if (i, j) not in state.model.pairs and addable(state.model, i, j):
            gain = float(edge_gain(state.model.target[i, j], state.model.correlations[i, j]))
            state.record("add", (i, j), gain, state.model.with_edge(i, j))
            wanted -= 1
