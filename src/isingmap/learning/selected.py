"""The settings of a search where held-out rows choose them: what was asked, put to the folds."""

from __future__ import annotations

from isingmap.data.table import SpinTable
from isingmap.errors import ModelError
from isingmap.progress import progress_bar
from isingmap.selection.cross_validation import CrossValidation, cross_validated, with_choice
from isingmap.structure.criteria import CROSS_VALIDATED
from isingmap.structure.options import SearchOptions
from isingmap.structure.problem import Problem

Selected = tuple[Problem, SearchOptions, CrossValidation | None]


def selected(table: SpinTable | None, problem: Problem, options: SearchOptions, *, verbose: bool) -> Selected:
    """Problem and options with what the folds chose; as they are, without a choice, where nothing is to be chosen.

    Rows of one cluster are held out together.

    Raises
    ------
    ModelError, DataError, KeyboardInterrupt
        See `cross_validated`.
    """
    if options.criterion != CROSS_VALIDATED or problem.graph is not None or table is None:
        return problem, options, None
    with progress_bar("fits", enabled=verbose) as progress:
        found = cross_validated(table, problem, options, groups=table.clusters, progress=progress)
    options = with_choice(options, found)
    return problem.of_family(found.taken.family), options, found


def refuse_to_resample(criterion: str, n_folds: int) -> None:
    """Resamples have some rows twice, which would be learned from and held out at once.

    Raises
    ------
    ModelError
    """
    if criterion == CROSS_VALIDATED:
        raise ModelError(
            "criterion='cv' holds out rows, and a resample has some of them twice, in both parts. Let a fit with "
            "criterion='cv' choose first, and resample with what its summary says was taken, such as criterion='ebic' "
            "with gamma=0.5"
        )
    if n_folds != SearchOptions.n_folds:
        raise ModelError(f"n_folds={n_folds} is for fits that choose on held-out rows, not for resamples; leave it out")
