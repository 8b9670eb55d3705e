"""The door to learning: from a problem and options to a planar Ising model."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from isingmap.errors import ModelError
from isingmap.option import given, options_of
from isingmap.structure.compared_families import best_family, searched
from isingmap.structure.criteria import CROSS_VALIDATED
from isingmap.structure.options import SearchOptions
from isingmap.structure.problem import Problem
from isingmap.structure.result import SearchResult


def learn_structure(
    problem: Problem, options: SearchOptions | None = None, *, progress: Callable[[int, int], None] | None = None
) -> SearchResult:
    """Learn a planar Ising model from pairwise moments.

    Parameters
    ----------
    problem : Problem
        Moments, family, prior and required edges.
    options : SearchOptions, optional
        Criterion, search, limits, restarts, seed, checkpoint; default: forward-backward by EBIC.
    progress : callable, optional
        Called with (edges so far, largest possible number) after every step.

    Returns
    -------
    SearchResult

    Raises
    ------
    ModelError
        For arguments of other types, an option that the search does not use, or where no family can be fitted.
    NoEstimateError
        A graph that is drawn at once has an infinite coupling (only without a prior).
    FileFormatError
        The checkpoint cannot be kept where it is wanted, is damaged, or belongs to other data or options.

    Notes
    -----
    An interrupted search (KeyboardInterrupt) returns the best it has, and keeps its checkpoint. For the cost see
    the functions `search` in `searches/` and `fixed_graphs/`.
    """
    options = SearchOptions() if options is None else options
    _check_types(problem, options)
    _check_use(problem, options)
    return (best_family if problem.is_open else searched)(problem, options, progress)


def greedy_search(
    problem: Problem, options: SearchOptions | None = None, *, progress: Callable[[int, int], None] | None = None
) -> SearchResult:
    """The paper's Algorithm 1: `learn_structure` with search="greedy"; criterion="bic" where no options are given.

    Raises
    ------
    ModelError, FileFormatError
        See `learn_structure`.
    """
    options = SearchOptions(criterion="bic") if options is None else options
    _check_types(problem, options)
    return learn_structure(problem, replace(options, search="greedy"), progress=progress)


def _check_types(problem: object, options: object) -> None:
    if not isinstance(problem, Problem):
        raise ModelError(
            f"learning starts from a Problem, got {type(problem).__name__}; Problem.from_moments takes bare arrays"
        )
    if not isinstance(options, SearchOptions):
        raise ModelError(f"options must be SearchOptions, got {type(options).__name__}")


def _check_use(problem: Problem, options: SearchOptions) -> None:
    """Nothing was asked for that would be passed over in silence."""
    if options.criterion == CROSS_VALIDATED and problem.graph is None:
        raise ModelError(
            'criterion="cv" holds out rows, and here are only moments; give the table to PlanarIsing.fit, or another '
            "criterion"
        )
    if options.criterion != CROSS_VALIDATED and options.n_folds != SearchOptions.n_folds:
        raise ModelError(f"n_folds={options.n_folds} is for criterion='cv'; leave it out, or give criterion='cv', too")
    values = given(problem) | given(options)
    asked = [setting for setting in (*options_of(problem), *options_of(options)) if setting.name in values]
    if problem.graph is None:
        subject = f'search="{options.search}"'
        idle = [setting for setting in asked if setting.searches and options.search not in setting.searches]
    else:
        subject = "a given graph (graph=)"
        idle = [setting for setting in asked if setting.name not in ("graph", "family", "prior", "gamma")]
    if idle:
        unused = ", ".join(f"{setting.name}={values[setting.name]}" for setting in idle)
        raise ModelError(f"{subject} does not use {unused}; leave {'it' if len(idle) == 1 else 'them'} out")
