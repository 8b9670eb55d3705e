"""Family, criterion and gamma chosen by the exact likelihood of rows that were held out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from isingmap.data.moments import empirical_moments
from isingmap.data.table import SpinTable
from isingmap.errors import DataError, IsingMapError, ModelError
from isingmap.interruption import look
from isingmap.progress import entitle
from isingmap.selection.folds import Folds, folds_of, refuse_constant
from isingmap.structure.criteria import EBIC_GAMMA
from isingmap.structure.families import SIMPLEST_FIRST
from isingmap.structure.learn import learn_structure
from isingmap.structure.options import RESTARTED, SearchOptions
from isingmap.structure.problem import Problem
from isingmap.structure.search_methods import STEPWISE

# What is tried in every family: the criterion and its gamma, the strictest first.
CRITERIA_TRIED = (("ebic", 1.0), ("ebic", 0.5), ("ebic", 0.25), ("bic", 0.0), ("aic", 0.0))
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


@dataclass(frozen=True)
class CrossValidation:
    """All settings that were tried, and in how many folds of what."""

    tried: tuple[Tried, ...]
    n_folds: int
    by_group: bool

    @property
    def taken(self) -> Tried:
        return next(entry for entry in self.tried if entry.taken)


def cross_validated(
    table: SpinTable,
    problem: Problem,
    options: SearchOptions,
    *,
    groups: Sequence | np.ndarray | None = None,
) -> CrossValidation:
    """Try every family that is open with every criterion of `CRITERIA_TRIED`, and take the simplest near the best.

    Near is: behind by at most one standard error of the difference, fold by fold. Simplest is: fewest parameters in the
    mean over the folds; of equals the simplest family, then the strictest criterion. Restarts are
    left out in the folds unless they were asked for.

    Parameters
    ----------
    table : SpinTable
        The rows behind the moments of the problem, complete.
    problem : Problem
    options : SearchOptions
        `n_folds` and `seed` make the folds.
    groups : (n_samples,) sequence of labels, optional
        Rows that belong together.

    Raises
    ------
    ModelError
        For a search on which no criterion has a say, and for a gamma, which is chosen here.
    DataError
        If the rows cannot be put into folds, or nothing can be fitted.

    Notes
    -----
    Cost: `n_folds` searches for each of five criteria and each family. M. Stone, "Cross-validatory choice and
    assessment of statistical predictions", JRSS B 36 (1974); L. Breiman et al., "Classification and Regression
    Trees" (1984), for the rule of one standard error.
    """
    _check(options)
    folds = folds_of(table, options.n_folds, options.seed, groups=groups)
    if problem.prior is None:
        refuse_constant(folds)
    families = SIMPLEST_FIRST if problem.is_open else (problem.family,)
    candidates = [Tried(family, *criterion) for family in families for criterion in CRITERIA_TRIED]
    scores, sizes, notes = _scored(folds, problem, _in_folds(options), candidates)
    known = [k for k, note in enumerate(notes) if not note]
    if not known:
        raise DataError("criterion='cv': nothing can be fitted to every fold. " + ". ".join(dict.fromkeys(notes)))
    tried = _compared(candidates, scores, sizes, notes, folds.held.sum(axis=1))
    return CrossValidation(_with_taken(tried), len(folds.held), folds.by_group)


def with_choice(options: SearchOptions, taken: Tried) -> SearchOptions:
    """The options of a search by settings that were tried."""
    return replace(options, criterion=taken.criterion, gamma=taken.gamma, n_folds=SearchOptions.n_folds)


def _check(options: SearchOptions) -> None:
    if options.search not in STEPWISE:
        raise ModelError(
            f"criterion='cv' chooses among criteria, which have no say in the graph with search={options.search}; "
            f"leave it out, or use search={STEPWISE[0]}"
        )
    if options.gamma != EBIC_GAMMA:
        raise ModelError(f"criterion='cv' chooses gamma itself, got gamma={options.gamma:g}; leave it out")


def _in_folds(options: SearchOptions) -> SearchOptions:
    none = options.n_restarts is None and options.search in RESTARTED
    return replace(options, n_restarts=0 if none else options.n_restarts, checkpoint=None)


def _scored(folds: Folds, problem: Problem, options: SearchOptions, candidates: list[Tried]):
    """Score of each candidate in each fold, its numbers of edges and parameters, and why it could not be fitted."""
    scores = np.full((len(candidates), len(folds.held)), np.nan)
    sizes = np.full((*scores.shape, 2), np.nan)
    notes = [""] * len(candidates)
    for fold, held in enumerate(folds.held):
        moments = empirical_moments(replace(folds.table, weights=folds.training_weights(fold)))
        rows = held > 0
        for k, candidate in enumerate(candidates):
            if notes[k]:
                continue
            look()
            entitle(f"fold {fold + 1} of {len(folds.held)}, {candidate.family}, {candidate.criterion}")
            try:
                of_fold = replace(problem, moments=moments).of_family(candidate.family)
                result = learn_structure(of_fold, with_choice(options, candidate))
            except IsingMapError as error:
                notes[k] = f"fold {fold + 1}: {error}"
                continue
            if result.was_interrupted:
                raise KeyboardInterrupt
            model = result.model
            scores[k, fold] = held[rows] @ model.log_probability(folds.table.spins[rows]) / held[rows].sum()
            sizes[k, fold] = model.n_edges, model.n_edges + model.free_fields.sum()
    return scores, sizes, notes


def _compared(
    candidates: list[Tried], scores: np.ndarray, sizes: np.ndarray, notes: list[str], weights: np.ndarray
) -> list[Tried]:
    """The candidates with their means and standard errors."""
    means = scores @ (weights / weights.sum())  # NaN where not fitted
    best = scores[int(np.nanargmax(means))]
    compared = []
    for candidate, score, size, note in zip(candidates, scores, sizes, notes, strict=True):
        if note:
            compared.append(replace(candidate, note=note))
            continue
        (mean, se), (behind, behind_se) = _mean_and_error(score, weights), _mean_and_error(best - score, weights)
        n_edges, n_parameters = size.mean(axis=0).tolist()
        entry = replace(candidate, mean=mean, se=se, behind=behind, behind_se=behind_se)
        compared.append(replace(entry, n_edges=n_edges, n_parameters=n_parameters))
    return compared


def _mean_and_error(values: np.ndarray, weights: np.ndarray) -> tuple[float, float]:
    """Mean over the folds, each with its weight, and its standard error."""
    share = weights / weights.sum()
    mean = float(share @ values)
    return mean, float(np.sqrt(share @ (values - mean) ** 2 / (len(values) - 1)))


def _with_taken(tried: list[Tried]) -> tuple[Tried, ...]:
    near = [entry for entry in tried if entry.was_fitted and entry.behind <= entry.behind_se + _ROUNDING]
    chosen = min(near, key=lambda entry: entry.n_parameters)  # of equals the first tried
    return tuple(replace(entry, taken=entry is chosen) for entry in tried)
