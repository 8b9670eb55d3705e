"""The greedy search of the paper (Algorithm 1), exact: always the addable pair of largest KL gain, never one back.

Johnson, Netrapalli & Chertkov, "Learning Planar Ising Models", AISTATS 2011.
"""

from __future__ import annotations

from isingmap.structure.moves.drop_fields import DropFields
from isingmap.structure.options import SearchOptions
from isingmap.structure.problem import Problem
from isingmap.structure.result import SearchResult
from isingmap.structure.searches.stepwise import Progress, result_of, run
from isingmap.structure.state.archive import Archive
from isingmap.structure.state.search_state import SearchState


class GreedySearch:
    """A search that only grows; fields that do not pay may go in the end."""

    def __init__(self, problem: Problem, options: SearchOptions):
        self.state = SearchState(problem, options)
        self.fields = DropFields()

    @property
    def is_growing(self) -> bool:
        """Whether the next step adds the best pair."""
        return self.fields.chosen is None

    def advance(self) -> bool:
        """Add one edge, or when none is worth it drop one field; False when that is over, too."""
        return (self.is_growing and self.state.add_best()) or self.fields.step(self.state)

    def finish(self) -> None:
        """What is there is the best there is."""

    def saved(self, archive: Archive) -> dict:
        """The state, and what the fields remember."""
        return {"state": self.state.saved(archive), "fields": self.fields.saved(archive)}

    def resume(self, document: dict, archive: Archive) -> None:
        """Go on from what `saved` wrote."""
        self.state.resume(document["state"], archive)
        self.fields.resume(document["fields"], archive)


def search(problem: Problem, options: SearchOptions, progress: Progress | None) -> SearchResult:
    """Grow the graph until nothing is worth adding.

    O(n) steps; a step costs one refit of the block of b nodes that the edge closes, some ten evaluations of
    O(b^{3/2} + edges^2), the correlations that are kept, and O(n^2) for the gains.
    """
    found = GreedySearch(problem, options)
    run(found, options, progress)
    return result_of(found.state, options, chosen=found.fields.chosen)
