"""What permutations say of the maps of two groups: structure, strength, every edge, one model against two.

The statistics of the Network Comparison Test (van Borkulo et al., Psychological Methods 28, 2023), whose maps are exact
fits here; and the likelihood ratio, which takes exact likelihoods.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from scipy.special import chdtrc

from isingmap.cached import cached_property, own_fields
from isingmap.holm import holm
from isingmap.learning.learned_map import LearnedMap
from isingmap.resampling.options import ComparisonOptions
from isingmap.resampling.pairs import OfPairs
from isingmap.resampling.refit import Outcome
from isingmap.structure.result import GIVEN

# What fits of the same rows in another order may differ by.
ROUNDING = 1e-6
ROWS, CLUSTERS, PAIRS = "rows", "clusters", "pairs"


@dataclass(frozen=True)
class GroupTest:
    """A difference between two groups.

    Attributes
    ----------
    value : float
    expected : float
        Mean over the permutations; NaN without any.
    p_value : float
        Share of the permutations, this one counted with them, that differ as much.
    """

    value: float
    expected: float
    p_value: float


@dataclass(frozen=True, eq=False, repr=False)
class Comparison(OfPairs):
    """Two groups, their maps, and what becomes of the differences when rows are dealt out anew.

    Pairs are all pairs of variables i < j, row by row, in the order of the columns.

    Attributes
    ----------
    labels : (str, str)
    maps : (LearnedMap, LearnedMap)
    together : LearnedMap
        One map for the rows of both.
    outcomes : tuple of Outcome
        Both fits of each permutation, numbers 2 k and 2 k + 1; k = 0 are the groups themselves. Columns in the order of
        their names.
    settings : ComparisonOptions
    seed : int
    identity : str
        Hash of data and options.
    unit : {"rows", "clusters", "pairs"}
        What was dealt out: single rows; whole clusters; or clusters in both groups swapped sides.
    n_units : (float, float)
        How many of them were in each group.
    interrupted : bool
        Whether fewer permutations than wanted were finished.
    """

    labels: tuple[str, str]
    maps: tuple[LearnedMap, LearnedMap]
    together: LearnedMap
    outcomes: tuple[Outcome, ...]
    settings: ComparisonOptions
    seed: int
    identity: str
    unit: str
    n_units: tuple[float, float]
    interrupted: bool = False

    def __repr__(self) -> str:
        one, other = self.labels
        return (
            f"Comparison({one!r} with {other!r}, {self.n_permutations:,} permutations of {len(self.names)} variables)"
        )

    def __getstate__(self) -> dict:
        """Without what can be computed again."""
        return own_fields(self)

    @property
    def names(self) -> tuple[str, ...]:
        """The variables."""
        return self.together.model.names

    @cached_property
    def couplings(self) -> np.ndarray:
        """Of each pair in both maps, 0 where it has no edge, (n_pairs, 2)."""
        return np.stack([self._coupling(outcome) for outcome in self.outcomes[:2]], axis=1)

    @property
    def difference(self) -> np.ndarray:
        """Coupling in the second map less that in the first, (n_pairs,)."""
        return self.couplings[:, 1] - self.couplings[:, 0]

    @property
    def strengths(self) -> tuple[float, float]:
        """Sums of |couplings|: the global strength of both maps."""
        return _strength(self.outcomes[0]), _strength(self.outcomes[1])

    @property
    def n_permutations(self) -> int:
        """Permutations with a fit in both groups."""
        return len(self._simulated.structure)

    @cached_property
    def failures(self) -> dict[int, str]:
        """Why a permutation has no fit, by its number; these are left out of all tests."""
        return {
            outcome.number // 2: f"group {self.labels[outcome.number % 2]!r}: {outcome.failure}"
            for outcome in reversed(self.outcomes[2:])
            if outcome.failure
        }

    @cached_property
    def constant(self) -> dict[str, tuple[int, ...]]:
        """Columns that had a single value in a group of some permutations, and in which; they had no edge there."""
        found: dict[str, list[int]] = {}
        ordered = sorted(self.names)
        for outcome in self.outcomes[2:]:
            for column in outcome.constant:
                found.setdefault(ordered[column], []).append(outcome.number // 2)
        return {name: tuple(dict.fromkeys(numbers)) for name, numbers in sorted(found.items())}

    @property
    def structure(self) -> GroupTest:
        """Largest |difference| of a coupling."""
        return _test(float(np.abs(self.difference).max()), self._simulated.structure)

    @property
    def strength(self) -> GroupTest:
        """|Difference| of the global strengths."""
        first, second = self.strengths
        return _test(abs(second - first), self._simulated.strength)

    @property
    def likelihood_ratio(self) -> GroupTest:
        """Twice the log-likelihood that two maps gain over one map for the rows of both.

        Both graphs and the common one are chosen by the same rules, so it can be negative where they are chosen; the
        permutations know. A map without restarts in all fits, unless they are asked for.
        """
        together = self.together.result.log_likelihood
        value = 2 * (sum(outcome.log_likelihood for outcome in self.outcomes[:2]) - together)
        return _test(value, 2 * (self._simulated.log_likelihood - together), 2 * abs(together))

    @cached_property
    def degrees_of_freedom(self) -> int | None:
        """Parameters that two maps have more than one, where the graph was given; None where data chose it.

        Also None where the likelihood ratio has no chi-square limit: with a prior, with cells missing pair by pair, and
        for rows in clusters.
        """
        results = [learned.result for learned in (*self.maps, self.together)]
        fixed = all(result.search == GIVEN and result.fields == "all" for result in results)
        if not fixed or self.unit != ROWS or any(result.is_composite or result.prior for result in results):
            return None
        first, second, both = (result.model.n_edges + int(result.model.free_fields.sum()) for result in results)
        return first + second - both

    @property
    def asymptotic_p_value(self) -> float:
        """Of the likelihood ratio by the chi-square distribution; NaN where that does not hold."""
        freedom = self.degrees_of_freedom
        return float("nan") if freedom is None else float(chdtrc(freedom, max(0.0, self.likelihood_ratio.value)))

    @cached_property
    def edge_p_values(self) -> np.ndarray:
        """Of the difference of each pair, on its own, (n_pairs,); 1 for pairs that are an edge of neither map."""
        return (1 + self._simulated.at_least) / (1 + self.n_permutations)

    @cached_property
    def holm_p_values(self) -> np.ndarray:
        """The same, corrected for all pairs that are an edge of any fit (Holm), (n_pairs,).

        Which pairs those are does not depend on which permutation is the truth, so it costs no level.
        """
        found, tested = np.ones(len(self.pairs)), self.is_tested
        found[tested] = holm(self.edge_p_values[tested])
        return found

    @property
    def is_tested(self) -> np.ndarray:
        """Pairs that are an edge of any fit, permutations among them, (n_pairs,) bool."""
        return self._simulated.is_edge | (self.couplings != 0).any(axis=1)

    @cached_property
    def _simulated(self) -> _Simulated:
        """The statistics of each permutation."""
        mine = _threshold(np.abs(self.difference))
        at_least, is_edge = np.zeros(len(mine), np.int64), np.zeros(len(mine), bool)
        found: list[tuple[float, float, float]] = []
        for pair in self._permuted():
            first, second = (self._coupling(outcome) for outcome in pair)
            gap = np.abs(second - first)
            at_least += gap >= mine
            is_edge |= (first != 0) | (second != 0)
            strength = abs(_strength(pair[1]) - _strength(pair[0]))
            found.append((float(gap.max()), strength, sum(outcome.log_likelihood for outcome in pair)))
        structure, strengths, likelihoods = np.array(found).reshape(-1, 3).T
        return _Simulated(structure, strengths, likelihoods, at_least, is_edge)

    def _permuted(self) -> Iterator[tuple[Outcome, Outcome]]:
        """Both groups of the permutations that have a fit in both."""
        waiting: Outcome | None = None
        for outcome in self.outcomes[2:]:
            if outcome.failure:
                continue
            if waiting is not None and waiting.number + 1 == outcome.number and outcome.number % 2:
                yield waiting, outcome
            waiting = outcome

    def _coupling(self, outcome: Outcome) -> np.ndarray:
        found = np.zeros(len(self.pairs))
        found[self.numbers_of_fit(outcome)] = outcome.couplings
        return found


@dataclass(frozen=True, eq=False)
class _Simulated:
    """Permutation by permutation, and how many of them differ as much in each pair."""

    structure: np.ndarray
    strength: np.ndarray
    log_likelihood: np.ndarray
    at_least: np.ndarray
    is_edge: np.ndarray


def _strength(outcome: Outcome) -> float:
    """Sum of |couplings|, to the last bit the same in any order of the edges."""
    return math.fsum(np.abs(outcome.couplings).tolist())


def _threshold(values: np.ndarray, scale: float = 0.0) -> np.ndarray:
    """What counts as large as these values, which are sums of terms of that scale."""
    return values - ROUNDING * np.maximum(np.abs(values), 1e-3) - 1e-12 * scale


def _test(value: float, simulated: np.ndarray, scale: float = 0.0) -> GroupTest:
    at_least = int((simulated >= _threshold(np.array(value), scale)).sum())
    expected = float(simulated.mean()) if len(simulated) else float("nan")
    return GroupTest(value, expected, (1 + at_least) / (1 + len(simulated)))
