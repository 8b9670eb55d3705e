"""All families fitted to the same data, and the best of them by the criterion on the exact likelihood.

In its search the family "planar" does not weigh fields against couplings. Here every parameter of every model has its
price, fields too: the comparison is one of whole models.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from importlib import import_module
from pathlib import Path

from isingmap.errors import FileFormatError, IsingMapError, ModelError
from isingmap.interruption import listening, was_interrupted
from isingmap.progress import entitle
from isingmap.structure.criteria import CRITERIA
from isingmap.structure.families import SIMPLEST_FIRST
from isingmap.structure.options import SearchOptions
from isingmap.structure.problem import Problem
from isingmap.structure.result import FamilyFit, SearchResult
from isingmap.structure.search_methods import SEARCHES
from isingmap.structure.state.stopping import LEAST_IMPROVEMENT

Progress = Callable[[int, int], None]
ON_A_GIVEN_GRAPH = "isingmap.structure.fixed_graphs.given"
INTERRUPTED = "interrupted"


def searched(problem: Problem, options: SearchOptions, progress: Progress | None) -> SearchResult:
    """What the search of the options finds.

    Raises
    ------
    NoEstimateError, FileFormatError
        See `learn_structure`.
    """
    home = SEARCHES[options.search].home if problem.graph is None else ON_A_GIVEN_GRAPH
    return import_module(home).search(problem, options, progress)


def best_family(problem: Problem, options: SearchOptions, progress: Progress | None) -> SearchResult:
    """The best of all families, the simplest of equals; an interrupted comparison has the best of those fitted so far.

    With a checkpoint each family has a file of its own, which stays until all are done.

    Raises
    ------
    ModelError
        No family can be fitted.
    FileFormatError
        See `learn_structure`.
    """
    fits: list[FamilyFit] = []
    results: list[SearchResult] = []
    stopped_at = ""
    with listening():
        for name in SIMPLEST_FIRST:
            entitle(f"family {name}")
            result, note = (None, "not begun") if stopped_at else _attempted(problem, name, options, progress)
            if (result is None and note == INTERRUPTED) or (result is not None and result.was_interrupted):
                stopped_at, note = name, INTERRUPTED
            fits.append(FamilyFit(name, note=note) if result is None else _fit_of(result, options, note))
            results += [] if result is None else [result]
    if not results:
        if stopped_at:
            raise KeyboardInterrupt
        raise ModelError("no family can be fitted. " + ". ".join(f"{fit.family}: {fit.note}" for fit in fits))
    best = results[_best([fit.value for fit in fits if fit.was_fitted], problem.n_samples)]
    best = replace(best, families=tuple(fits), compared_by=options.criterion)
    if stopped_at:
        return replace(best, stopped=f"interrupted while the family {stopped_at} was fitted")
    if options.checkpoint is not None:
        for name in SIMPLEST_FIRST:
            _checkpoint_of(options, name).unlink(missing_ok=True)
    return best


def _attempted(
    problem: Problem, name: str, options: SearchOptions, progress: Progress | None
) -> tuple[SearchResult | None, str]:
    """What a family comes to, or None and why it cannot be fitted."""
    if options.checkpoint is not None:
        options = replace(options, checkpoint=_checkpoint_of(options, name), keeps_checkpoint=True)
    try:
        return searched(problem.of_family(name), options, progress), ""
    except FileFormatError:
        raise
    except IsingMapError as error:
        return None, str(error)
    except BaseException as error:
        if not was_interrupted(error):
            raise
        return None, INTERRUPTED


def _checkpoint_of(options: SearchOptions, family: str) -> Path:
    path = Path(options.checkpoint)
    return path.with_name(f"{path.name}.{family}")


def _fit_of(result: SearchResult, options: SearchOptions, note: str) -> FamilyFit:
    model, n_fields = result.model, int(result.model.free_fields.sum())
    value = CRITERIA[options.criterion].value(
        result.log_likelihood,
        model.n_edges,
        n_fields,
        n_samples=result.n_samples,
        n_spins=model.n_spins,
        gamma=options.gamma,
    )
    return FamilyFit(result.family, model.n_edges, n_fields, result.log_likelihood, value, note)


def _best(values: list[float], n_samples: float) -> int:
    """The first of those that differ from the smallest by no more than rounding can."""
    limit = min(values) + 2.0 * n_samples * LEAST_IMPROVEMENT
    return next(k for k, value in enumerate(values) if value <= limit)
