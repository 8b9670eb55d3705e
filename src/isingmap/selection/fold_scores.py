"""Settings fitted to what each fold leaves of the rows, and scored by the rows that it holds out."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from isingmap.cached import cached_property
from isingmap.data.moments import EmpiricalMoments, empirical_moments
from isingmap.errors import IsingMapError
from isingmap.interruption import look, was_interrupted
from isingmap.progress import entitle
from isingmap.selection.folds import Folds
from isingmap.selection.growth import Growth, grown
from isingmap.structure.learn import learn_structure
from isingmap.structure.options import SearchOptions
from isingmap.structure.problem import Problem

Progress = Callable[[int], None]
# Family, criterion and gamma.
Candidate = tuple[str, str, float]


@dataclass(eq=False)
class FoldScores:
    """What came of the candidates in the folds so far.

    Attributes
    ----------
    candidates : sequence of (family, criterion, gamma)
        Those of one family in a row.
    scores : (n_candidates, n_folds) array
        Mean log-likelihood of the rows held out, nats; NaN where not fitted, or not yet.
    n_edges, n_parameters : (n_candidates, n_folds) arrays
    notes : list of str
        Why a candidate could not be fitted to some fold.
    growths : dict
        By family and fold, the paths that were grown.
    n_done : int
        Folds in which all were tried.
    """

    candidates: Sequence[Candidate]
    n_folds: int
    scores: np.ndarray = field(init=False)
    n_edges: np.ndarray = field(init=False)
    n_parameters: np.ndarray = field(init=False)
    notes: list[str] = field(init=False)
    growths: dict[tuple[str, int], Growth] = field(init=False)
    n_done: int = field(init=False, default=0)

    def __post_init__(self) -> None:
        shape = len(self.candidates), self.n_folds
        self.scores, self.n_edges, self.n_parameters = (np.full(shape, np.nan) for _ in range(3))
        self.notes, self.growths = [""] * shape[0], {}


@dataclass(frozen=True, eq=False)
class Trial:
    """All that it takes to fit a candidate to a fold, here `fold`."""

    folds: Folds
    problem: Problem
    options: SearchOptions
    fold: int = 0

    @property
    def reads_paths(self) -> bool:
        """Whether one path of a family has what all criteria lead to."""
        return self.options.search == "greedy" and self.problem.fields == "all"

    @cached_property
    def training(self) -> EmpiricalMoments:
        """Of the rows that the fold leaves."""
        return empirical_moments(replace(self.folds.table, weights=self.folds.training_weights(self.fold)))

    @cached_property
    def held(self) -> EmpiricalMoments:
        """Of the rows that the fold holds out."""
        return empirical_moments(replace(self.folds.table, weights=self.folds.held[self.fold]))

    def path(self, family: str) -> Growth:
        """The path that grows in the fold.

        Raises
        ------
        IsingMapError, KeyboardInterrupt
            See `grown`.
        """
        return grown(replace(self.problem, moments=self.training).of_family(family), self.options, self.held)

    def fit(self, candidate: Candidate) -> tuple[float, int, int]:
        """Score, edges and parameters of a candidate in the fold.

        Raises
        ------
        IsingMapError, KeyboardInterrupt
            See `learn_structure`.
        """
        family, criterion, gamma = candidate
        options = replace(self.options, criterion=criterion, gamma=gamma)
        result = learn_structure(replace(self.problem, moments=self.training).of_family(family), options)
        if result.was_interrupted:
            raise KeyboardInterrupt
        model, held = result.model, self.folds.held[self.fold]
        rows = held > 0
        score = held[rows] @ model.log_probability(self.folds.table.spins[rows]) / held[rows].sum()
        return float(score), model.n_edges, model.n_edges + int(model.free_fields.sum())


def scored(trial: Trial, candidates: Sequence[Candidate], progress: Progress) -> FoldScores:
    """All candidates in all folds, or, after Ctrl-C, in those that were complete; a fold is the outer loop.

    `progress` is called with the number of fits so far.

    Raises
    ------
    KeyboardInterrupt
        Ctrl-C before two folds were complete: there is nothing to compare.
    """
    n_folds = len(trial.folds.held)
    found = FoldScores(candidates, n_folds)
    try:
        for fold in range(n_folds):
            here = replace(trial, fold=fold)
            for k, candidate in enumerate(candidates):
                look()
                entitle(f"fold {fold + 1} of {n_folds}, {candidate[0]}, {candidate[1]}")
                if not found.notes[k]:
                    _add(found, here, k)
                progress(fold * len(candidates) + k + 1)
            found.n_done = fold + 1
    except BaseException as error:
        if not was_interrupted(error):
            raise
        if found.n_done < 2:
            raise KeyboardInterrupt("before two folds were complete, which nothing can be chosen without") from error
    return found


def _add(found: FoldScores, trial: Trial, k: int) -> None:
    """Fit a candidate to a fold, or read off where its criterion ends the path of its family."""
    (family, criterion, gamma), fold = found.candidates[k], trial.fold
    try:
        if trial.reads_paths:
            if (family, fold) not in found.growths:
                found.growths[family, fold] = trial.path(family)
            path = found.growths[family, fold]
            at = path.step_of(criterion, gamma)
            numbers = path.held_out[at], path.n_edges[at], path.n_parameters[at]
        else:
            numbers = trial.fit(found.candidates[k])
    except IsingMapError as error:
        found.notes[k] = f"fold {fold + 1}: {error}"
        return
    found.scores[k, fold], found.n_edges[k, fold], found.n_parameters[k, fold] = numbers
