"""Repairing what the greedy search got wrong: the moves.

The paper's search never takes an edge back. Here every change is accepted by its exact effect on the likelihood: an
edge goes when the fit loses less without it than a parameter costs, an edge is swapped for another pair when the fit
gains (which includes the flip of the diagonal of two neighbouring faces), and a pair that crosses edges comes in when
the graph is better after these are gone and what became possible is added. `schedule.py` says when each is tried.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from isingmap.likelihood.existence import closing_obstacle
from isingmap.planar.crossed_edges import cheapest_crossings, crossed_edges
from isingmap.planar.embedding import embed
from isingmap.planar.planarity import is_planar_kernel
from isingmap.structure.greedy import Search
from isingmap.structure.growing import GrowingModel
from isingmap.structure.scores import edge_gain

# A change must gain more than this, nats per sample: ten times what rounding can pretend.
LEAST_IMPROVEMENT = 1e-9
# Pairs refitted to find the best addition, best guaranteed gain first: of those tested, the addable ones.
MOST_REFITTED = 4
MOST_TESTED = 50
# A refit can gain more than the bound, rarely more than twice as much on larger graphs.
LEAST_SHARE = 0.25
# A perturbation takes out a share between these of the edges around a node and its neighbours, and puts in random
# pairs of them, one to so many.
SHARE_KICKED_OUT = (0.5, 1.0)
MOST_KICKED_IN = 3

Pair = tuple[int, int]


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

    fixed: frozenset[Pair]
    open_pairs: np.ndarray
    price: float


def removal_loss(model: GrowingModel) -> np.ndarray:
    """Loss of each edge with the other couplings fixed, nats per sample: at least what is lost after a refit.

    Without its coupling the moment of an edge becomes (mu - w) / (1 - mu w), w = tanh of the coupling.
    """
    moments = model.target[model.edges[:, 0], model.edges[:, 1]]
    w = np.tanh(model.couplings)
    # A divergence is never negative, but rounding can make it so, and the shortest paths over it must end.
    return np.maximum(edge_gain(moments, (moments - w) / (1.0 - moments * w)), 0.0)


def removable(model: GrowingModel, moves: Moves) -> np.ndarray:
    """`removal_loss`, infinite for the edges that must stay."""
    loss = removal_loss(model)
    loss[[pair in moves.fixed for pair in model.pairs]] = np.inf
    return loss


def refitted_loss(model: GrowingModel, moves: Moves) -> np.ndarray:
    """What each edge would lose after a refit, by the curvature at the maximum; infinite for those that must stay."""
    loss = removable(model, moves)
    by_curvature = 0.5 * model.couplings**2 / model.coupling_variances
    return np.where(np.isinf(loss), np.inf, np.minimum(loss, by_curvature))


def drop_cheap_edges(state: Search, moves: Moves) -> bool:
    """Remove edges that surely lose less than the price, the cheapest first; False when there is none."""
    before = state.model
    while len(state.model.edges):
        loss = removable(state.model, moves)
        k = int(np.argmin(loss))
        if loss[k] >= moves.price:
            break
        remove(state, state.model.pairs[k], float(loss[k]))
    return state.model is not before


def remove(state: Search, pair: Pair, loss: float | None = None) -> None:
    """Take an edge out."""
    smaller = state.model.without_edge(state.model.pairs.index(pair))
    state.record("remove", pair, state.model.gain - smaller.gain if loss is None else loss, smaller)


def add(state: Search, pair: Pair, larger: GrowingModel | None = None) -> None:
    """Put an edge in; `larger` is the model with it, if there is one already."""
    gain = float(edge_gain(state.model.target[pair], state.model.correlations[pair]))
    state.record("add", pair, gain, larger or state.model.with_edge(*pair))


def drop_or_swap(state: Search, moves: Moves, pair: Pair) -> None:
    """Take an edge out, or swap it for another pair on the faces around it, if that is better."""
    model = state.model
    without = model.without_edge(model.pairs.index(pair))
    # Better than keeping the edge, and than doing without any.
    least = max(model.gain, without.gain + moves.price) + LEAST_IMPROVEMENT
    new, better = best_addition(without, moves, least, pair)
    if better is not None:
        state.record("remove", pair, model.gain - without.gain, without)
        add(state, new, better)
    elif model.gain - without.gain < moves.price - LEAST_IMPROVEMENT:
        state.record("remove", pair, model.gain - without.gain, without)


def add_underrated(state: Search, moves: Moves) -> bool:
    """Add the pair of largest gain after the refit, where no guaranteed gain reaches the price."""
    new, better = best_addition(state.model, moves, state.model.gain + moves.price + LEAST_IMPROVEMENT)
    if better is None:
        return False
    add(state, new, better)
    return True


def best_addition(model: GrowingModel, moves: Moves, least: float, removed: Pair | None = None):
    """(new pair, model with it) of largest gain among those above `least`, else (None, None)."""
    best = None, None
    for new in _promising(model, moves, least - model.gain, removed):
        candidate = model.with_edge_if_worth(*new, least)
        if candidate is not None and candidate.gain > least:
            best, least = (new, candidate), candidate.gain
    return best


def _promising(model: GrowingModel, moves: Moves, gain: float, removed: Pair | None) -> list[Pair]:
    """Addable pairs that may gain so much, best guaranteed gain first."""
    allowed = moves.open_pairs & ~np.isnan(model.correlations)
    if removed is not None:
        allowed[removed] = False
    allowed[model.edges[:, 0], model.edges[:, 1]] = False
    rows, columns = np.nonzero(allowed)
    guaranteed = edge_gain(model.target[rows, columns], model.correlations[rows, columns])
    found: list[Pair] = []
    for k in np.argsort(-guaranteed, kind="stable")[:MOST_TESTED].tolist():
        if guaranteed[k] < LEAST_SHARE * gain or len(found) == MOST_REFITTED:
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


def best_blocked(model: GrowingModel, moves: Moves, tried: set[Pair], region: frozenset[int] | None) -> Pair | None:
    """The untried pair of the region with the best guaranteed gain less the loss of the edges it crosses, if any."""
    cost = cheapest_crossings(embed(model.n_nodes, model.edges), refitted_loss(model, moves))
    allowed = moves.open_pairs & np.isfinite(cost) & (cost > 0) & ~np.isnan(model.correlations)
    if region is not None:
        inside = np.isin(np.arange(model.n_nodes), list(region))
        allowed &= inside[:, None] & inside[None, :]
    rows, columns = np.nonzero(allowed)
    gain = edge_gain(model.target[rows, columns], model.correlations[rows, columns])
    value = gain - cost[rows, columns]
    for k in np.argsort(-value, kind="stable").tolist():
        pair = int(rows[k]), int(columns[k])
        if gain[k] >= moves.price and pair not in tried and pair not in model.pairs:
            return pair
    return None


def insert(state: Search, moves: Moves, pair: Pair) -> None:
    """Take out the edges that a pair crosses, add it and let the graph recover."""
    state.model = state.model.with_face_correlations(also=pair)
    model = state.model
    crossed = crossed_edges(embed(model.n_nodes, model.edges), refitted_loss(model, moves), *pair)
    for edge in [model.pairs[k] for k in crossed.tolist()]:
        remove(state, edge)
    if np.isnan(state.model.correlations[pair]):  # the removals cut the graph between its ends
        state.reopen()
    if addable(state.model, *pair):
        add(state, pair)
        state.reconsider()
        while grow(state, moves):
            pass


def grow(state: Search, moves: Moves | None) -> bool:
    """Add the best pair and, with `moves`, drop what no longer pays; False when nothing is worth adding."""
    if not state.add_best():
        return False
    if moves is not None and drop_cheap_edges(state, moves):
        state.reconsider()
    return True


def was_interrupted(error: BaseException) -> bool:
    """Whether Ctrl-C was pressed; in the middle of a compiled function Python reports it as a SystemError."""
    return isinstance(error, KeyboardInterrupt) or isinstance(error.__cause__, KeyboardInterrupt)


def attempt(state: Search, change: Callable[[], None]) -> None:
    """Carry out a change and take it back unless it raises the objective."""
    before, best = state.snapshot(), state.objective
    try:
        change()
    except (KeyboardInterrupt, SystemError) as error:
        if was_interrupted(error):
            state.restore(before)
        raise
    if state.objective <= best + LEAST_IMPROVEMENT:
        state.restore(before)


def kick(state: Search, moves: Moves, rng: np.random.Generator) -> frozenset[int]:
    """Around a random node take a random share of the edges out and put a few random pairs in; the nodes concerned.

    A node is the more likely the worse the model fits its pairs: where edges are wrong, what they block fits badly.
    """
    edges = state.model.edges
    known = moves.open_pairs & ~np.isnan(state.model.correlations)
    misfit = np.where(known, edge_gain(state.model.target, state.model.correlations), 0.0)
    misfit = np.maximum(misfit.sum(axis=0) + misfit.sum(axis=1), LEAST_IMPROVEMENT)
    centre = int(rng.choice(state.model.n_nodes, p=misfit / misfit.sum()))
    core = np.unique(np.append(edges[(edges == centre).any(axis=1)], centre))
    touched = edges[np.isin(edges, core).any(axis=1)]
    region = np.unique(np.append(touched, core))
    share = rng.uniform(*SHARE_KICKED_OUT)
    state.model = state.model.with_face_correlations()
    for pair in map(tuple, touched[rng.random(len(touched)) < share].tolist()):
        if pair not in moves.fixed:
            remove(state, pair)
    state.reopen()
    wanted = int(rng.integers(1, MOST_KICKED_IN + 1))
    pairs = region[np.argwhere(moves.open_pairs[np.ix_(region, region)])]
    for i, j in pairs[rng.permutation(len(pairs))].tolist():
        if wanted and (i, j) not in state.model.pairs and addable(state.model, i, j):
            add(state, (i, j))
            wanted -= 1
    return frozenset(region.tolist())
