"""Forward-backward search: edges come and go by their exact effect, and perturbed graphs are repaired again.

The paper's search never takes an edge back. Here an edge goes when the fit loses less without it than a parameter
costs, an edge is swapped for another pair when the fit gains, and a pair that crosses edges comes in when the graph is
better after these are gone and what became possible is added. Restarts from perturbed graphs follow.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from isingmap.structure.moves.add import Grow
from isingmap.structure.moves.drop_fields import DropFields
from isingmap.structure.moves.insert import Insert
from isingmap.structure.moves.move import Move
from isingmap.structure.moves.restart import Restart
from isingmap.structure.moves.swap import Swap
from isingmap.structure.options import SearchOptions
from isingmap.structure.problem import Problem
from isingmap.structure.result import SearchResult
from isingmap.structure.searches.stepwise import Progress, result_of, run
from isingmap.structure.state.archive import Archive
from isingmap.structure.state.search_state import SearchState
from isingmap.structure.state.stopping import LEAST_IMPROVEMENT

MOST_ROUNDS = 5


def default_restarts(n_spins: int) -> int:
    """Restarts in a row that must fail, where nothing else is asked for."""
    return 30 if n_spins <= 20 else 12 if n_spins <= 50 else 0


class ForwardBackwardSearch:
    """Grow, then rounds of swaps, growing and insertions until one improves nothing, then restarts.

    In the end fields that do not pay are dropped, where that is asked for.

    Attributes
    ----------
    state : SearchState
    grow, swap, insert, restart, fields : Move
        What they remember is theirs.
    """

    def __init__(self, problem: Problem, options: SearchOptions):
        self.state = SearchState(problem, options)
        n_restarts = default_restarts(problem.n_spins) if options.n_restarts is None else options.n_restarts
        self.grow, self.swap, self.insert = Grow(), Swap(), Insert()
        self.restart = Restart(n_restarts, options.temperature, np.random.default_rng(options.seed))
        self.fields = DropFields()
        self._stage = "grow"  # then "swap", "grow", "insert" in turn, "close", "fields" and "done"
        self._round = 0
        self._value_before = -np.inf  # objective when the round began

    @property
    def is_growing(self) -> bool:
        """Whether the next step adds the best pair."""
        return self._stage == "grow"

    def advance(self) -> bool:
        """One step, of seconds at most on a thousand nodes; False when the search is over."""
        if self._stage != "done":
            steps = {
                "grow": self._grow,
                "swap": self._swap,
                "insert": self._insert,
                "close": self._close,
                "fields": self._drop_field,
            }
            steps[self._stage]()
        return self._stage != "done"

    def finish(self) -> None:
        """Leave the state at the best result found, also when the search was interrupted."""
        self.restart.leave_best(self.state)
        self._stage = "done"

    def _grow(self) -> None:
        if self.grow.step(self.state):
            return
        if self._round == 0:
            self._begin_round()
        else:
            self._stage = "insert"

    def _begin_round(self) -> None:
        self._round += 1
        self._value_before = self.state.objective
        self.swap.begin(self.state, self.restart.region)
        self.insert.begin(self.restart.region)
        self._stage = "swap"

    def _swap(self) -> None:
        if not self.swap.step(self.state):
            self.state.reopen()
            self._stage = "grow"

    def _insert(self) -> None:
        if self.insert.step(self.state):
            return
        improved = self.state.objective > self._value_before + max(LEAST_IMPROVEMENT, self.state.prices[0])
        if improved and self._round < MOST_ROUNDS:
            self._begin_round()
        else:
            self._stage = "close"

    def _close(self) -> None:
        """End the rounds with nothing left to add; the last insertions may have made something worth it."""
        if self.state.objective > self._value_before and self.grow.step(self.state):
            return
        if self.restart.step(self.state):
            self._round = 0
            self._stage = "grow"
        else:
            self.finish()
            self._stage = "fields"

    def _drop_field(self) -> None:
        if not self.fields.step(self.state):
            self._stage = "done"

    @property
    def _moves(self) -> dict[str, Move]:
        return {
            "grow": self.grow,
            "swap": self.swap,
            "insert": self.insert,
            "restart": self.restart,
            "fields": self.fields,
        }

    def saved(self, archive: Archive) -> dict:
        """Everything, as a JSON document that `resume` understands; arrays go into the archive."""
        return {
            "state": self.state.saved(archive),
            "moves": {name: move.saved(archive) for name, move in self._moves.items()},
            "cursor": [self._stage, self._round, self._value_before],
        }

    def resume(self, document: dict[str, Any], archive: Archive) -> None:
        """Go on from what `saved` wrote."""
        self.state.resume(document["state"], archive)
        for name, move in self._moves.items():
            move.resume(document["moves"][name], archive)
        self._stage, self._round, self._value_before = document["cursor"]


def search(problem: Problem, options: SearchOptions, progress: Progress | None) -> SearchResult:
    """Grow, repair and restart.

    As many steps as `greedy` and more; after a removal the correlations of all pairs are computed again.
    """
    found = ForwardBackwardSearch(problem, options)
    run(found, options, progress)
    restart, chosen = found.restart, found.fields.chosen
    return result_of(found.state, options, chosen=chosen, n_restarts=restart.n_restarts, n_equal=restart.n_equal)
