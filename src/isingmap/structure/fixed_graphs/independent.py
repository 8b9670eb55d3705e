"""No edges: what a model without interaction says."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from isingmap.inference.extended import pairs_with_auxiliary
from isingmap.structure.fixed_graphs.fit_graph import drawn_at_once, fit_graph
from isingmap.structure.options import SearchOptions
from isingmap.structure.problem import Problem
from isingmap.structure.result import SearchResult


def search(problem: Problem, options: SearchOptions, progress: Callable | None) -> SearchResult:
    """The exact fit without couplings, with a field on every variable where the family has fields; O(n)."""
    chosen_fields = problem.rules.has_fields and not problem.rules.every_field
    edges = pairs_with_auxiliary(problem.n_spins, np.arange(problem.n_spins)) if chosen_fields else ()
    return drawn_at_once(fit_graph(edges, problem), options)
