"""When each move of a search is tried: a machine of short steps, which can stop, be saved and go on anywhere."""

from __future__ import annotations

import numpy as np

from isingmap.structure.greedy import Search, Snapshot
from isingmap.structure.refine import (
    LEAST_IMPROVEMENT,
    Moves,
    Pair,
    add_underrated,
    attempt,
    best_blocked,
    drop_or_swap,
    grow,
    insert,
    kick,
    removable,
)

# Edges that a pass of swaps tries to replace, those of smallest loss, and pairs that a round forces in.
MOST_REPLACED = 64
MOST_INSERTIONS = 12
# The same for the repair after a restart; nine of ten swaps that help are among the first third.
MOST_REPLACED_NEARBY = 12
MOST_INSERTIONS_NEARBY = 3
MOST_ROUNDS = 5


class Schedule:
    """A search as a sequence of short steps; `advance` makes one and is false when the search is over.

    Growing comes first. The forward-backward search then makes rounds of swaps, growing and insertions until one
    improves nothing, and starts again from perturbed graphs; it ends with the best of all.

    Attributes
    ----------
    state : Search
    moves : Moves or None
        None for the greedy search, which only grows.
    restarts_left : int
        Restarts that may still fail; an improvement gives them back.
    rng : Generator
        Draws the perturbations.
    temperature : float
        Nats by which the result of a restart may fall short of the one before and still be the next to be perturbed,
        in the mean; falls to 0 with the restarts left.
    stage : str
        "grow", "swap", "insert" or "done".
    round : int
    pairs_left : list of pairs
        Edges that the pass of swaps still has to try.
    tried : set of pairs
        Insertions tried in this round.
    value_before : float
        Objective when the round began.
    reopened_at : int
        Steps when all pairs were last considered.
    region : set of nodes or None
        Where a restart perturbed the graph, and where it is repaired; None for everywhere.
    base, best : Snapshot or None
        What the last restart started from, and the best so far.
    """

    def __init__(
        self,
        state: Search,
        moves: Moves | None,
        *,
        n_restarts: int = 0,
        temperature: float = 0.0,
        rng: np.random.Generator | int | None = 0,
    ):
        self.state = state
        self.moves = moves
        self.n_restarts = self.restarts_left = n_restarts
        self.temperature = temperature
        self.rng = np.random.default_rng(rng)
        self.stage = "grow"
        self.round = 0
        self.pairs_left: list[Pair] = []
        self.tried: set[Pair] = set()
        self.value_before = -np.inf
        self.reopened_at = 0
        self.region: frozenset[int] | None = None
        self.base: Snapshot | None = None
        self.best: Snapshot | None = None

    def advance(self) -> bool:
        """One step, of seconds at most on a thousand nodes."""
        if self.stage != "done":
            {"grow": self._grow, "swap": self._swap, "insert": self._insert}[self.stage]()
        return self.stage != "done"

    def finish(self) -> None:
        """Leave the state at the best result found, also when the search was interrupted."""
        if self.best is not None and self.state.value(self.best.model) >= self.state.objective:
            self.state.restore(self.best)
        self.stage = "done"

    def _grow(self) -> None:
        if grow(self.state, self.moves):
            return
        if self.moves is None:
            self.finish()
        elif not self.complete:
            self._reopen()
        elif self._explores and add_underrated(self.state, self.moves):
            self.state.reconsider()
        elif self.round == 0:
            self._begin_round()
        else:
            self.stage = "insert"

    @property
    def complete(self) -> bool:
        """Whether all pairs are considered: removals make pairs possible whose correlations were not kept."""
        return not any(step.action == "remove" for step in self.state.steps[self.reopened_at :])

    @property
    def _explores(self) -> bool:
        """Whether the price of a parameter is all that ends the growth."""
        rule = self.state.rule
        return rule.price > 0 and rule.n_edges is None and rule.min_gain is None

    def _reopen(self) -> None:
        self.state.reopen()
        self.reopened_at = len(self.state.steps)

    def _begin_round(self) -> None:
        self.round += 1
        self.value_before = self.state.objective
        self.state.model = self.state.model.with_face_correlations()
        self.pairs_left = self._cheapest_edges()
        self.tried = set()
        self.stage = "swap"

    def _cheapest_edges(self) -> list[Pair]:
        """The edges of smallest loss, smallest first, which a pass tries to replace."""
        most = MOST_REPLACED if self.region is None else MOST_REPLACED_NEARBY
        loss = removable(self.state.model, self.moves)
        pairs = self.state.model.pairs
        near = [
            k for k in np.flatnonzero(np.isfinite(loss)).tolist() if self.region is None or self.region >= {*pairs[k]}
        ]
        return [pairs[k] for k in sorted(near, key=lambda k: (loss[k], pairs[k]))[:most]]

    def _swap(self) -> None:
        if self.pairs_left:
            drop_or_swap(self.state, self.moves, self.pairs_left.pop(0))
        else:
            self._reopen()
            self.stage = "grow"

    def _insert(self) -> None:
        self._reopen()
        pair = self._next_insertion()
        if pair is not None:
            self.tried.add(pair)
            attempt(self.state, lambda: insert(self.state, self.moves, pair))
            return
        improved = self.state.objective > self.value_before + max(LEAST_IMPROVEMENT, self.moves.price)
        if improved and self.round < MOST_ROUNDS:
            self._begin_round()
        else:
            self._settle()

    def _next_insertion(self) -> Pair | None:
        if len(self.tried) == (MOST_INSERTIONS if self.region is None else MOST_INSERTIONS_NEARBY):
            return None
        return best_blocked(self.state.model, self.moves, self.tried, self.region)

    def _settle(self) -> None:
        """A perturbed graph has been repaired: keep the best, and perturb the next."""
        here = self.state.snapshot()
        if self.best is None or self.state.value(here.model) > self.state.value(self.best.model) + LEAST_IMPROVEMENT:
            if self.best is not None:
                self.restarts_left = self.n_restarts
            self.best = here
        self.base = here if self.base is None or self._accepted() else self.base
        if not self.restarts_left:
            self.finish()
            return
        self.restarts_left -= 1
        self.state.restore(self.base)
        self.state.reopen()
        self.region = kick(self.state, self.moves, self.rng)
        self._reopen()
        self.round = 0
        self.stage = "grow"

    def _accepted(self) -> bool:
        gained = self.state.objective - self.state.value(self.base.model)
        if gained > LEAST_IMPROVEMENT:
            return True
        if not self.temperature:
            return False
        # Annealing: a worse result is the next base with the probability of Metropolis.
        temperature = self.temperature * self.restarts_left / self.n_restarts
        return bool(temperature > 0 and self.rng.random() < np.exp(gained * self.state.rule.n_samples / temperature))
