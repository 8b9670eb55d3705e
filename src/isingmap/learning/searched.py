"""From moments and the estimator's settings to a search, and what is warned of before it and after."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from isingmap.data.moments import EmpiricalMoments
from isingmap.data.table import SpinTable
from isingmap.errors import ModelError
from isingmap.interruption import undisturbed
from isingmap.learning.edges_of_columns import problem_of_kept
from isingmap.learning.fit_warnings import (
    warn_about_data,
    warn_about_missing_fields,
    warn_about_search,
    warn_about_settings,
)
from isingmap.learning.selected import selected
from isingmap.learning.settings import options_from
from isingmap.missing_cells.structural import EMFit, learn_by_em
from isingmap.progress import progress_bar
from isingmap.selection.cross_validation import CrossValidation
from isingmap.structure.criteria import CROSS_VALIDATED
from isingmap.structure.learn import learn_structure
from isingmap.structure.options import SearchOptions
from isingmap.structure.problem import Problem
from isingmap.structure.result import SearchResult

Settings = Mapping[str, Any]


def searched(
    settings: Settings, moments: EmpiricalMoments, columns: tuple[str, ...], table: SpinTable | None = None
) -> tuple[SearchResult, CrossValidation | None]:
    """What a search finds, and what held-out rows chose before it, if they were asked.

    Parameters
    ----------
    settings : mapping
        Of the estimator, by their names there.
    moments : EmpiricalMoments
    columns : tuple of str
        Of the data, also those that were left out.
    table : SpinTable, optional
        The rows, where there are any.

    Raises
    ------
    ModelError, DataError, NoEstimateError, PrecisionError, FileFormatError
        As `PlanarIsing.fit`.
    """
    asked = problem_of_kept(settings, columns, moments.names)
    problem = Problem(moments, **asked)
    _warn_before(settings, asked, moments)
    options = SearchOptions(**options_from(dict(settings), SearchOptions))
    problem, options, selection = selected(table, problem, options, verbose=bool(settings["verbose"]))
    with progress_bar("edges", enabled=bool(settings["verbose"])) as progress:
        result = learn_structure(problem, options, progress=progress)
    _warn_after(settings, result, moments)
    return result, selection


def searched_by_em(settings: Settings, table: SpinTable, moments: EmpiricalMoments, columns: tuple[str, ...]) -> EMFit:
    """The same of a table with missing cells; `moments` are those of what is known.

    Raises
    ------
    ModelError, DataError, NoEstimateError, PrecisionError
        As `PlanarIsing.fit`.
    """
    if settings["criterion"] == CROSS_VALIDATED:
        raise ModelError(
            "criterion='cv' asks for the likelihood of whole rows, and missing='em' has rows with missing cells; take "
            "criterion='ebic', or missing='drop'"
        )
    asked = problem_of_kept(settings, columns, table.names)
    _warn_before(settings, asked, moments)
    with progress_bar("edges", enabled=bool(settings["verbose"])) as progress:
        options = SearchOptions(**options_from(dict(settings), SearchOptions))
        found = learn_by_em(table, asked, options, progress)
    _warn_after(settings, found.result, found.moments, resumes=False)
    return found


def _warn_before(settings: Settings, asked: Settings, moments: EmpiricalMoments) -> None:
    if asked["graph"] is None:  # beside a given graph they are refused
        warn_about_settings(dict(settings))
    warn_about_data(moments, asked["family"])


def _warn_after(settings: Settings, result: SearchResult, moments: EmpiricalMoments, *, resumes: bool = True) -> None:
    with undisturbed():
        warn_about_search(result, settings["n_edges"], resumes=resumes)
        warn_about_missing_fields(result.model, moments)
