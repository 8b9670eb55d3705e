"""What a move is: a small change of a search's graph that is accepted by its exact effect on the likelihood.

To add a move, write a module with a class like those beside this file, and let a search take it: begin it, step it
until it has nothing left, save and resume it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

from isingmap.interruption import was_interrupted
from isingmap.structure.state.archive import Archive
from isingmap.structure.state.search_state import SearchState
from isingmap.structure.state.stopping import LEAST_IMPROVEMENT

# Nodes where a graph was perturbed and is to be repaired.
Region = frozenset[int]


class Move(Protocol):
    """A kind of change, and what it remembers from step to step."""

    def step(self, state: SearchState) -> bool:
        """One short piece of work, seconds at most on a thousand nodes; False when nothing was left to do."""

    def saved(self, archive: Archive) -> dict:
        """What the move remembers, as a JSON document that `resume` understands; arrays go into the archive."""

    def resume(self, document: dict, archive: Archive) -> None:
        """Go on from what `saved` wrote."""


def attempt(state: SearchState, change: Callable[[], None]) -> None:
    """Carry out a change and take it back unless it raises the objective."""
    before, best = state.snapshot(), state.objective
    try:
        change()
    except BaseException as error:
        if was_interrupted(error):
            state.restore(before)
        raise
    if state.objective <= best + LEAST_IMPROVEMENT:
        state.restore(before)
