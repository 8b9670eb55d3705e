"""Forward-backward search: edges come and go by their exact effect, and perturbed graphs are repaired again.

The paper's search never takes an edge back. Here an edge goes when the fit loses less without it than a parameter
costs, an edge is swapped for another pair when the fit gains, and a pair that crosses edges comes in when the graph is
better after these are gone and what became possible is added. Restarts from perturbed graphs follow.
"""

from __future__ import annotations

import os
import sys
from concurrent.futures.process import BrokenProcessPool
from dataclasses import replace
from time import monotonic
from typing import Any

import numpy as np

from isingmap.inference.pfaffian.blas import one_blas_thread
from isingmap.interruption import deaf_processes, guest, look
from isingmap.structure.checkpoint import Resumable
from isingmap.structure.moves.add import Grow
from isingmap.structure.moves.drop_fields import DropFields
from isingmap.structure.moves.insert import Insert
from isingmap.structure.moves.restart import Perturbation, Repaired, Restart
from isingmap.structure.moves.swap import Swap
from isingmap.structure.options import SearchOptions
from isingmap.structure.problem import Problem
from isingmap.structure.result import SearchResult
from isingmap.structure.searches.stepwise import Progress, result_of, run
from isingmap.structure.state.archive import Archive
from isingmap.structure.state.search_state import SearchState
from isingmap.structure.state.stopping import LEAST_IMPROVEMENT

MOST_ROUNDS = 5
# Seconds of restarts that are left from which on workers are asked: to start processes takes as long.
WORTH_WORKERS = 2.0


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
        self.restart = Restart(n_restarts, options.temperature, _number_of(options.seed))
        self._options = replace(options, seed=self.restart.seed)
        self._n_jobs = _n_workers(options.n_jobs)
        self.fields = DropFields()
        self._stage = "grow"  # then "swap", "grow", "insert" in turn, "close", "restart", "fields" and "done"
        self._round = 0
        self._value_before = -np.inf  # objective when the round began
        self._restart_began = np.nan
        self._seconds = 0.0  # that the last restart here took

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
                "restart": self._restart,
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
        self.restart.judge(self.state)
        self._stage = "restart"

    def _restart(self) -> None:
        """The next restart here, or some of them side by side; the same in the end."""
        if not np.isnan(self._restart_began):
            self._seconds, self._restart_began = monotonic() - self._restart_began, np.nan
        is_worth_it = self._seconds * self.restart.n_left >= WORTH_WORKERS
        waiting = self.restart.next(self._n_jobs if is_worth_it else 1)
        if len(waiting) > 1:
            self.restart.take(self.state, _side_by_side(self.state.problem, self._options, waiting))
        elif waiting:
            self._begin_restart(waiting[0])
        else:
            self.finish()
            self._stage = "fields"

    def _begin_restart(self, asked: Perturbation) -> None:
        self._restart_began = monotonic()
        self.restart.perturb(self.state, asked)
        self._round = 0
        self._stage = "grow"

    def carried_out(self, asked: Perturbation) -> Repaired:
        """What a restart comes to, carried out at once."""
        self._begin_restart(asked)
        while self._stage != "restart":
            self.advance()
        return self.state.snapshot(), self.state.passed_over

    def _drop_field(self) -> None:
        if not self.fields.step(self.state):
            self._stage = "done"

    @property
    def _moves(self) -> dict[str, Resumable]:
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


def _number_of(seed) -> int:
    return int(seed.integers(2**63)) if isinstance(seed, np.random.Generator) else int(seed)


def _n_workers(n_jobs: int | None) -> int:
    if n_jobs is None and "joblib" not in sys.modules:
        return 1  # nobody can have configured it
    from joblib import effective_n_jobs

    return effective_n_jobs(n_jobs)


def _side_by_side(problem: Problem, options: SearchOptions, waiting: list[Perturbation]) -> list[Repaired]:
    """What each restart comes to, on processes; here, should one of these be killed."""
    from joblib import Parallel, delayed

    alone = replace(options, n_jobs=1, checkpoint=None)
    try:
        workers = Parallel(n_jobs=options.n_jobs, max_nbytes=None, return_as="generator")
        with deaf_processes():
            arriving = workers(delayed(_carried_out)(problem, alone, asked, os.getpid()) for asked in waiting)
        return list(arriving)
    except BrokenProcessPool:
        look()  # Ctrl-C on a terminal kills workers that have only begun
        return [_carried_out(problem, alone, asked, os.getpid()) for asked in waiting]


def _carried_out(problem: Problem, options: SearchOptions, asked: Perturbation, home: int) -> Repaired:
    with one_blas_thread(), guest(home):
        return ForwardBackwardSearch(problem, options).carried_out(asked)


def search(problem: Problem, options: SearchOptions, progress: Progress | None) -> SearchResult:
    """Grow, repair and restart.

    As many steps as `greedy` and more; after a removal the correlations of all pairs are computed again.
    """
    found = ForwardBackwardSearch(problem, options)
    run(found, options, progress)
    restart, chosen = found.restart, found.fields.chosen
    return result_of(found.state, options, chosen=chosen, n_restarts=restart.n_restarts, n_equal=restart.n_equal)
