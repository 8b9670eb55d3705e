"""Pairs that may still be joined, with their gains."""

from __future__ import annotations

import numpy as np

from isingmap.structure.problem import Problem
from isingmap.structure.state.refitted_model import RefittedModel

MOST_SPINS_WITHOUT_CANDIDATES = 2000
DEFAULT_CANDIDATES = 50
# Gains closer than this are a tie; refits are exact to about 1e-10.
TIE_TOLERANCE = 1e-9


class Candidates:
    """Pairs that may still be added, with their gains; nodes are in the order of their names, the auxiliary node last.

    A pair counts for its gain less its handicap, what it costs more than a coupling on all rows.

    Parameters
    ----------
    open_pairs : (n_nodes, n_nodes) bool array
        Pairs i < j; it becomes the object's own.
    """

    def __init__(self, open_pairs: np.ndarray):
        self.open_pairs = open_pairs
        self._worth = np.full(open_pairs.shape, -np.inf)
        self._handicap = np.zeros(open_pairs.shape)

    def rescore(self, model: RefittedModel, handicap: np.ndarray) -> None:
        """Bring the gains of all open pairs up to date; a pair without a correlation is closed."""
        self.open_pairs &= ~np.isnan(model.correlations)
        self._worth[:] = -np.inf
        self._worth[self.open_pairs] = model.gains(*np.nonzero(self.open_pairs))
        self._worth -= handicap
        self._handicap = handicap

    def close(self, i: int, j: int) -> None:
        """The pair can no longer be added."""
        self.open_pairs[i, j] = False
        self._worth[i, j] = -np.inf

    def best(self) -> tuple[int, int, float, int] | None:
        """(i, j, gain, ties) of the best open pair, the first by name among equals; None when nothing is open."""
        largest = self._worth.max(initial=-np.inf)
        if largest == -np.inf:
            return None
        tied = np.flatnonzero(self._worth >= largest - TIE_TOLERANCE * abs(largest) - 1e-15)
        i, j = divmod(int(tied[0]), len(self._worth))
        return i, j, float(self._worth[i, j] + self._handicap[i, j]), len(tied) - 1

    def leading(self, n_pairs: int) -> list[tuple[int, int]]:
        """The open pairs that count most, at most so many."""
        worth = self._worth.ravel()
        first = np.argpartition(-worth, n_pairs - 1)[:n_pairs] if n_pairs < worth.size else np.arange(worth.size)
        return [divmod(k, len(self._worth)) for k in first[worth[first] > -np.inf].tolist()]


def candidates_per_spin(problem: Problem, n_candidates: int | None) -> int | None:
    """How many partners of each spin are considered; None for all."""
    if n_candidates is None and problem.n_spins > MOST_SPINS_WITHOUT_CANDIDATES:
        return DEFAULT_CANDIDATES
    return n_candidates


def joinable_pairs(problem: Problem, n_candidates: int | None) -> np.ndarray:
    """Pairs of nodes i < j that may be joined: all, or those of the largest moments and all fields."""
    n_nodes = len(problem.labels)
    pairs = np.ones((n_nodes, n_nodes), bool)
    if n_candidates is not None:
        pairs[:-1, :-1] = _strongest(np.abs(problem.target[:-1, :-1]), n_candidates)
    pairs = np.triu(pairs, 1)
    pairs[problem.required[:, 0], problem.required[:, 1]] = False
    if not problem.rules.has_fields:
        pairs[:, -1] = False
    return pairs


def _strongest(strength: np.ndarray, n_candidates: int) -> np.ndarray:
    """Pairs among the largest of the row of one of their nodes, ties by name; the node itself does not count."""
    chosen = np.zeros(strength.shape, bool)
    for i, row in enumerate(strength):
        others = np.argsort(-row, kind="stable")
        chosen[i, others[others != i][:n_candidates]] = True
    return chosen | chosen.T
