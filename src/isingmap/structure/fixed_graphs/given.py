"""The exact fit on a graph that was given."""

from __future__ import annotations

from collections.abc import Callable

from isingmap.structure.fixed_graphs.fit_graph import as_strict, fit_graph
from isingmap.structure.options import SearchOptions
from isingmap.structure.problem import Problem
from isingmap.structure.result import SearchResult


def search(
    problem: Problem, options: SearchOptions, progress: Callable[[int, int], None] | None = None
) -> SearchResult:
    """The fit on the graph of the problem; of the options the strictness of the EBIC alone is used.

    Raises
    ------
    NonPlanarError
        The graph is not planar, together with the fields of the family.
    NoEstimateError
        Names the pair or cycle that makes a coupling infinite (only without a prior).
    """
    return as_strict(fit_graph(problem.given_edges, problem), options.gamma)
