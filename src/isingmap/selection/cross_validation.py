"""Family, criterion and gamma chosen by the exact likelihood of rows that were held out."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from isingmap.data.table import SpinTable
from isingmap.errors import DataError, IsingMapError, ModelError
from isingmap.interruption import was_interrupted
from isingmap.progress import entitle
from isingmap.selection.fold_scores import FoldScores, Progress, Trial, scored
from isingmap.selection.folds import folds_of, refuse_constant
from isingmap.selection.growth import CRITERIA_TRIED, Growth
from isingmap.structure.criteria import EBIC_GAMMA
from isingmap.structure.families import SIMPLEST_FIRST
from isingmap.structure.options import SearchOptions
from isingmap.structure.problem import Problem
from isingmap.structure.search_methods import STEPWISE

_ROUNDING = 1e-9  # nats per row; differences below it are none


@dataclass(frozen=True)
class Tried:
    """Settings and how well they predict; nats per row, the scores are means of log-probabilities, larger is better.

    Attributes
    ----------
    family, criterion : str
    gamma : float
        Used by "ebic".
    mean, se : float
        Held-out log-likelihood of a row, and its standard error from the spread over the folds.
    behind, behind_se : float
        How far it is behind the best, and the standard error of that difference, which leaves out what makes a fold
        easy or hard for all; 0 for the best.
    n_edges, n_parameters : float
        Mean over the folds.
    note : str
        Why it could not be fitted; then the numbers are NaN.
    taken : bool
    """

    family: str
    criterion: str
    gamma: float
    mean: float = float("nan")
    se: float = float("nan")
    behind: float = float("nan")
    behind_se: float = float("nan")
    n_edges: float = float("nan")
    n_parameters: float = float("nan")
    note: str = ""
    taken: bool = False

    @property
    def was_fitted(self) -> bool:
        return not np.isnan(self.mean)


@dataclass(frozen=True, eq=False)
class HeldOutPath:
    """Greedy graphs of the family that was taken, by their size, as far as they were grown in every fold.

    Attributes
    ----------
    n_edges : (n_sizes,) array
        Mean over the folds (where the search chooses fields, too, it need not be whole).
    n_parameters : (n_sizes,) int array
    mean, se : (n_sizes,) arrays
        Held-out log-likelihood of a row and its standard error over the folds, nats.
    behind, behind_se : (n_sizes,) arrays
        How far behind the best, and the standard error of that difference.
    simplest : int
        The smallest that is behind the best by at most one standard error of the difference; a place in the arrays.
    """

    n_edges: np.ndarray
    n_parameters: np.ndarray
    mean: np.ndarray
    se: np.ndarray
    behind: np.ndarray
    behind_se: np.ndarray
    simplest: int

    @property
    def best(self) -> int:
        """A place in the arrays, the first of equals."""
        return int(np.argmax(self.mean))

    def of_sizes(self, n_parameters: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Mean and standard error for graphs with so many parameters; NaN where the folds have none."""
        place = np.asarray(n_parameters) - self.n_parameters[0]
        known = (place >= 0) & (place < len(self.mean))
        place = np.where(known, place, 0)
        return np.where(known, self.mean[place], np.nan), np.where(known, self.se[place], np.nan)


@dataclass(frozen=True)
class CrossValidation:
    """All settings that were tried, and in how many folds of what.

    Attributes
    ----------
    tried : tuple of Tried
    n_folds : int
    by_group : bool
        Whether rows that belong together were held out together.
    n_done : int
        Folds that were complete.
    was_interrupted : bool
        By Ctrl-C; then folds that were complete decided.
    path : HeldOutPath or None
        None where fields are dropped in the end, where a path cannot be grown, and after Ctrl-C.
    """

    tried: tuple[Tried, ...]
    n_folds: int
    by_group: bool
    n_done: int
    was_interrupted: bool = False
    path: HeldOutPath | None = None

    @property
    def taken(self) -> Tried:
        return next(entry for entry in self.tried if entry.taken)


def cross_validated(
    table: SpinTable,
    problem: Problem,
    options: SearchOptions,
    *,
    groups: Sequence | np.ndarray | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> CrossValidation:
    """Try every family that is open with every criterion of `CRITERIA_TRIED`, and take the simplest near the best.

    Near is: behind by at most one standard error of the difference, fold by fold. Simplest is: fewest parameters in the
    mean over the folds; of equals the simplest family, then the strictest criterion. Restarts are
    left out in the folds unless they were asked for. Ctrl-C lets the folds decide that are complete, if there are two.

    Parameters
    ----------
    table : SpinTable
        The rows behind the moments of the problem, complete.
    problem : Problem
    options : SearchOptions
        `n_folds` and `seed` make the folds.
    groups : (n_samples,) sequence of labels, optional
        Rows that belong together.
    progress : callable, optional
        Called with (fits so far, all fits).

    Raises
    ------
    ModelError
        For a search on which no criterion has a say, and for a gamma, which is chosen here.
    DataError
        If the rows cannot be put into folds, or nothing can be fitted.
    KeyboardInterrupt
        Ctrl-C before two folds were complete.

    Notes
    -----
    Cost: `n_folds` searches for each of five criteria and each family, and as many greedy paths; with search="greedy"
    the paths alone. M. Stone, "Cross-validatory choice and assessment of statistical predictions", JRSS B 36 (1974); L.
    Breiman et al., "Classification and Regression Trees" (1984), for the rule of one standard error.
    """
    _check(options)
    folds = folds_of(table, options.n_folds, options.seed, groups=groups)
    if problem.prior is None:
        refuse_constant(folds)
    families = SIMPLEST_FIRST if problem.is_open else (problem.family,)
    candidates = [(family, *criterion) for family in families for criterion in CRITERIA_TRIED]
    trial = Trial(folds, problem, _in_folds(options))
    n_fits = len(folds.held) * (len(candidates) + (not trial.reads_paths))
    told: Progress = (lambda done: None) if progress is None else (lambda done: progress(done, n_fits))
    found = scored(trial, candidates, told)
    if all(found.notes):
        raise DataError("criterion='cv': nothing can be fitted to every fold. " + ". ".join(dict.fromkeys(found.notes)))
    tried = _with_taken(_compared(found, folds.held.sum(axis=1)[: found.n_done]))
    chosen = CrossValidation(tried, len(folds.held), folds.by_group, found.n_done)
    if found.n_done < chosen.n_folds:
        return replace(chosen, was_interrupted=True)
    return _with_path(chosen, trial, found, told)


def with_choice(options: SearchOptions, found: CrossValidation) -> SearchOptions:
    """The options of the search of all rows; after Ctrl-C without restarts, unless they were asked for."""
    taken = found.taken
    chosen = replace(options, criterion=taken.criterion, gamma=taken.gamma, n_folds=SearchOptions.n_folds)
    return chosen.restarted_if_asked() if found.was_interrupted else chosen


def _check(options: SearchOptions) -> None:
    if options.search not in STEPWISE:
        raise ModelError(
            f"criterion='cv' chooses among criteria, which have no say in the graph with search={options.search}; "
            f"leave it out, or use search={STEPWISE[0]}"
        )
    if options.gamma != EBIC_GAMMA:
        raise ModelError(f"criterion='cv' chooses gamma itself, got gamma={options.gamma:g}; leave it out")


def _in_folds(options: SearchOptions) -> SearchOptions:
    return replace(options.restarted_if_asked(), checkpoint=None, n_folds=SearchOptions.n_folds)


def _compared(found: FoldScores, weights: np.ndarray) -> list[Tried]:
    """The candidates with their means and standard errors over the folds that are complete."""
    scores, share = found.scores[:, : len(weights)], weights / weights.sum()
    best = scores[int(np.nanargmax(scores @ share))]  # NaN where not fitted
    compared = []
    for k, (candidate, note) in enumerate(zip(found.candidates, found.notes, strict=True)):
        entry = Tried(*candidate, note=note)
        if not note:
            (mean, se), (behind, behind_se) = (_mean_and_error(x, share) for x in (scores[k], best - scores[k]))
            n_edges, n_parameters = (float(n[k, : len(weights)].mean()) for n in (found.n_edges, found.n_parameters))
            entry = replace(entry, mean=mean, se=se, behind=behind, behind_se=behind_se)
            entry = replace(entry, n_edges=n_edges, n_parameters=n_parameters)
        compared.append(entry)
    return compared


def _mean_and_error(values: np.ndarray, share: np.ndarray) -> tuple[float, float]:
    """Mean over the folds, each with its share of the weights, and its standard error."""
    mean = float(share @ values)
    return mean, float(np.sqrt(share @ (values - mean) ** 2 / (len(values) - 1)))


def _with_taken(tried: list[Tried]) -> tuple[Tried, ...]:
    near = [entry for entry in tried if entry.was_fitted and entry.behind <= entry.behind_se + _ROUNDING]
    chosen = min(near, key=lambda entry: entry.n_parameters)  # of equals the first tried
    return tuple(replace(entry, taken=entry is chosen) for entry in tried)


def _with_path(chosen: CrossValidation, trial: Trial, found: FoldScores, progress: Progress) -> CrossValidation:
    """With what the folds say of greedy graphs of every size; the choice does without, should Ctrl-C come."""
    family, n_folds = chosen.taken.family, chosen.n_folds
    if trial.problem.fields != "all":
        return chosen
    paths = []
    try:
        for fold in range(n_folds):
            path = found.growths.get((family, fold))
            if path is None:
                entitle(f"path of fold {fold + 1} of {n_folds}, {family}")
                path = replace(trial, fold=fold).path(family)
                progress(n_folds * len(found.candidates) + fold + 1)
            paths.append(path)
    except IsingMapError:
        return chosen
    except BaseException as error:
        if not was_interrupted(error):
            raise
        return replace(chosen, was_interrupted=True)
    return replace(chosen, path=_of_paths(paths, trial.folds.held.sum(axis=1)))


def _of_paths(paths: list[Growth], weights: np.ndarray) -> HeldOutPath:
    n_sizes, share = min(len(path.held_out) for path in paths), weights / weights.sum()
    scores = np.array([path.held_out[:n_sizes] for path in paths])
    means, errors = np.array([_mean_and_error(column, share) for column in scores.T]).T
    best = scores[:, int(np.argmax(means))]
    behind, behind_se = np.array([_mean_and_error(best - column, share) for column in scores.T]).T
    n_edges = np.mean([path.n_edges[:n_sizes] for path in paths], axis=0)
    near = np.flatnonzero(behind <= behind_se + _ROUNDING)
    return HeldOutPath(n_edges, paths[0].n_parameters[:n_sizes], means, errors, behind, behind_se, int(near[0]))
