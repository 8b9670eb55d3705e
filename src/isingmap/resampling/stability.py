"""How far a map can be relied on: what became of its edges, and of all other pairs, in refits on resampled rows."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from isingmap.cached import cached_property, own_fields
from isingmap.resampling.options import CASE_DROPPING, M_OUT_OF_N, PARAMETRIC, StabilityOptions
from isingmap.resampling.pairs import OfPairs
from isingmap.resampling.refit import Outcome
from isingmap.resampling.resamples import DROPPED, dropped_share

COVERED = (0.025, 0.975)  # what an interval leaves out on either side
# A map that has lost rows is still itself if couplings correlate so much in so many of the refits (Epskamp et al.).
STILL_ALIKE, MOST_OF_THEM = 0.7, 0.95
_ENTRIES = 4_000_000  # couplings that are looked at at once


@dataclass(frozen=True)
class CaseDropping:
    """What is left of a map when a share of the rows is dropped: its correlations with that of all rows.

    Attributes
    ----------
    dropped : float
    n_resamples : int
    couplings : (2.5 % point, mean, 97.5 % point)
        Over all pairs, 0 where there is no edge.
    strengths : (2.5 % point, mean, 97.5 % point)
        Of the sums of |couplings| at each variable.
    alike : (share, share)
        Of the resamples that correlate by at least 0.7, in couplings and in strengths.
    """

    dropped: float
    n_resamples: int
    couplings: tuple[float, float, float]
    strengths: tuple[float, float, float]
    alike: tuple[float, float]


@dataclass(frozen=True, eq=False, repr=False)
class Stability(OfPairs):
    """What resamples say of a fit. Pairs are all pairs of variables i < j, row by row, in the order of the columns.

    Attributes
    ----------
    names : tuple of str
    edges : (n_edges, 2) int array
        Of the fit.
    couplings : (n_edges,) array
    required : (k, 2) int array
        Pairs that are an edge in any case, because they were asked for.
    outcomes : tuple of Outcome
        In the order of their numbers. Columns in the order of their names.
    settings : StabilityOptions
    seed : int
    identity : str
        Hash of data and options; resamples of the same may be merged.
    n_samples : float
        Rows of the fit.
    n_clusters : int
        Clusters of rows that were drawn as wholes; 0 where rows were drawn.
    interrupted : bool
        Whether fewer resamples than wanted were finished.
    """

    names: tuple[str, ...]
    edges: np.ndarray
    couplings: np.ndarray
    required: np.ndarray
    outcomes: tuple[Outcome, ...]
    settings: StabilityOptions
    seed: int
    identity: str
    n_samples: float
    n_clusters: int = 0
    interrupted: bool = False

    def __repr__(self) -> str:
        return f"Stability({self.n_fitted:,} resamples, {self.settings.kind}, of {len(self.names):,} variables)"

    def __getstate__(self) -> dict:
        """Without what can be computed again."""
        return own_fields(self)

    @property
    def fitted(self) -> list[Outcome]:
        """Outcomes with a fit."""
        return [outcome for outcome in self.outcomes if not outcome.failure]

    @property
    def n_fitted(self) -> int:
        """Resamples with a fit; all frequencies are shares of them."""
        return len(self.fitted)

    @property
    def failures(self) -> dict[int, str]:
        """Number -> why the resample has no fit."""
        return {outcome.number: outcome.failure for outcome in self.outcomes if outcome.failure}

    @property
    def constant(self) -> dict[str, tuple[int, ...]]:
        """Variable -> numbers of the resamples in which it had a single value, and so no edge."""
        in_order, found = sorted(self.names), dict[str, list[int]]()
        for outcome in self.fitted:
            for column in outcome.constant:
                found.setdefault(in_order[column], []).append(outcome.number)
        return {name: tuple(found[name]) for name in self.names if name in found}

    @cached_property
    def coupling(self) -> np.ndarray:
        """Of each pair in the fit, 0 where it has no edge, (n_pairs,)."""
        found = np.zeros(len(self.pairs))
        found[self.numbers_of(self.edges)] = self.couplings
        return found

    @cached_property
    def is_edge(self) -> np.ndarray:
        """Whether each pair is an edge of the fit, (n_pairs,)."""
        return self._marked(self.edges)

    @cached_property
    def is_free(self) -> np.ndarray:
        """Whether each pair was for the search to choose, and not asked for, (n_pairs,)."""
        return ~self._marked(self.required)

    @cached_property
    def _chosen(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Pair, resample and coupling of every edge of every refit, by pair."""
        values = np.concatenate([np.empty(0), *(outcome.couplings for outcome in self.fitted)])
        which = np.repeat(np.arange(self.n_fitted), [len(outcome.edges) for outcome in self.fitted])
        pair = np.concatenate([np.empty(0, np.int64), *map(self.numbers_of_fit, self.fitted)])
        order = np.argsort(pair, kind="stable")
        return pair[order], which[order], values[order]

    @cached_property
    def counts(self) -> np.ndarray:
        """Refits that chose each pair, (n_pairs,) int64."""
        return np.bincount(self._chosen[0], minlength=len(self.pairs))

    @property
    def frequency(self) -> np.ndarray:
        """Share of the refits that chose each pair, (n_pairs,)."""
        return self.counts / self.n_fitted if self.n_fitted else np.full(len(self.pairs), np.nan)

    @cached_property
    def mean_if_chosen(self) -> np.ndarray:
        """Mean coupling of each pair over the refits that chose it, (n_pairs,); NaN where none did."""
        pair, _, values = self._chosen
        with np.errstate(invalid="ignore"):
            return np.bincount(pair, values, minlength=len(self.pairs)) / self.counts

    @cached_property
    def sign_stability(self) -> np.ndarray:
        """Share of the refits with a pair whose coupling has the sign that it has in the fit, (n_pairs,).

        For a pair that is no edge of the fit: the sign that is more frequent. NaN where no refit chose it.
        """
        pair, _, values = self._chosen
        positive = np.bincount(pair, values > 0, minlength=len(self.pairs))
        with np.errstate(invalid="ignore"):
            share = positive / self.counts
        return np.where(self.coupling > 0, share, np.where(self.coupling < 0, 1 - share, np.maximum(share, 1 - share)))

    @cached_property
    def interval(self) -> np.ndarray:
        """Percentile interval (2.5 % to 97.5 %) of each coupling, (n_pairs, 2); a refit without the edge counts as 0.

        From m of n rows the distances to the fit are scaled by sqrt(m / (n - m)), which is 1 for halves: draws without
        replacement vary so much more, or less, than samples of n rows do. NaN for "case-dropping", where rows are few,
        and of a single refit.
        """
        if self.settings.kind == CASE_DROPPING or self.n_fitted < 2:
            return np.full((len(self.pairs), 2), np.nan)
        found = np.concatenate([np.quantile(block, COVERED, axis=0).T for _, block in self._blocks()])
        share = self.settings.share if self.settings.kind == M_OUT_OF_N else 0.5
        scale = np.sqrt(share / (1 - share))
        return found if scale == 1 else self.coupling[:, None] + scale * (found - self.coupling[:, None])

    @property
    def edges_per_refit(self) -> float:
        """Mean number of edges."""
        return float(self.frequency.sum())

    @property
    def in_common_with_fit(self) -> float:
        """Expected number of edges that the fit and a refit have in common."""
        return float(self.frequency[self.is_edge].sum())

    @property
    def in_common(self) -> float:
        """Expected number of edges that two refits have in common; NaN for fewer than two."""
        n = self.n_fitted
        return float((self.counts * (self.counts - 1.0)).sum() / (n * (n - 1))) if n > 1 else float("nan")

    def threshold(self, most_false: float = 1.0) -> float:
        """The frequency from which on at most so many false edges are expected; above 1 where no frequency says so.

        NaN where there is nothing to select: of fewer than two refits, where these have no edge that was free to
        choose, and of so few free pairs that no more false edges are possible than allowed.

        "False" are pairs that a refit chooses with less than the mean chance, q / p: q free edges in a refit, p free
        pairs. The smaller one of two thresholds is given, each of which bounds their number. It holds for halves
        that complement each other, kind="m-out-of-n", and is a rule of thumb for other kinds.

        E[V] <= q^2 / ((2 t - 1) p) without conditions: Shah and Samworth (2013), Theorem 1; also Meinshausen and
        Buehlmann (2010), where truly false pairs are all alike and no worse than guessed. E[V] <= C(t) q^2 / p
        where the number of pairs of halves that both have an edge has a unimodal distribution: Theorem 2 of the former
        (Variable selection with error control: another look at stability selection, J. R. Statist. Soc. B 75, 55-80).
        C(t) is the largest chance that such a number reaches 2 t - 1 of the pairs, over its mean: a linear program, by
        which the tests hold it to the last digit.
        """
        n_free = int(self.is_free.sum())
        mean = float(self.frequency[self.is_free].sum())
        if n_free <= most_false or self.n_fitted < 2 or not mean:
            return float("nan")
        allowed = most_false * n_free / mean**2
        return min(0.5 + 0.5 / allowed, _unimodal_threshold(allowed, mean / n_free, max(self.n_fitted // 2, 1)))

    def stable(self, most_false: float = 1.0) -> np.ndarray:
        """Which pairs are chosen at least as often as `threshold` asks for, (n_pairs,) bool."""
        return self.is_free & (self.frequency >= self.threshold(most_false))

    @cached_property
    def case_dropping(self) -> list[CaseDropping]:
        """What is left at each share of dropped rows; empty for other kinds."""
        if self.settings.kind != CASE_DROPPING:
            return []
        level = np.array([DROPPED.index(dropped_share(outcome.number)) for outcome in self.fitted])
        similar = np.concatenate([self._similar(which, block) for which, block in self._blocks(by_refit=True)])
        return [_level(share, similar[level == k]) for k, share in enumerate(DROPPED) if (level == k).any()]

    @property
    def correlation_stability(self) -> tuple[float, float]:
        """Largest share of rows that can be dropped while 95 % of the refits correlate by 0.7: couplings, strengths.

        The coefficient CS(cor = 0.7) of Epskamp, Borsboom and Fried (2018), of the shares that were tried; every
        smaller share must pass, too. It should be above 0.25, better 0.5. NaN for other kinds than "case-dropping".
        """
        if not self.case_dropping:
            return float("nan"), float("nan")
        found = [0.0, 0.0]
        for what in (0, 1):
            for step in self.case_dropping:
                if not step.alike[what] >= MOST_OF_THEM:
                    break
                found[what] = step.dropped
        return found[0], found[1]

    @property
    def sampled_from_fit(self) -> bool:
        """Whether rows were samples of the fitted model."""
        return self.settings.kind == PARAMETRIC

    def _marked(self, edges: np.ndarray) -> np.ndarray:
        marked = np.zeros(len(self.pairs), bool)
        marked[self.numbers_of(edges)] = True
        return marked

    def _blocks(self, *, by_refit: bool = False) -> Iterator[tuple[np.ndarray, np.ndarray]]:
        """Couplings, 0 where there is no edge, (refits, pairs): those of some pairs or of some refits, and which."""
        pair, refit, values = self._chosen
        long, wide = (refit, pair) if by_refit else (pair, refit)
        n_long, n_wide = (self.n_fitted, len(self.pairs)) if by_refit else (len(self.pairs), self.n_fitted)
        step = max(_ENTRIES // max(n_wide, 1), 1)
        for start in range(0, max(n_long, 1), step):
            inside = (long >= start) & (long < start + step)
            block = np.zeros((min(step, n_long - start), n_wide))
            block[long[inside] - start, wide[inside]] = values[inside]
            yield np.arange(start, start + len(block)), block if by_refit else block.T

    def _similar(self, which: np.ndarray, block: np.ndarray) -> np.ndarray:
        """Correlation of each refit with the fit, in couplings and in strengths, (n, 2)."""
        ours = self._strengths(self.coupling[None])[0]
        return np.stack([_correlations(block, self.coupling), _correlations(self._strengths(block), ours)], axis=1)

    def _strengths(self, couplings: np.ndarray) -> np.ndarray:
        found = np.zeros((len(couplings), len(self.names)))
        for end in (0, 1):
            np.add.at(found.T, self.pairs[:, end], np.abs(couplings).T)
        return found


def _unimodal_threshold(allowed: float, share: float, n_pairs: int) -> float:
    """Where C(t) is what is allowed, for a mean chance of so much and so many pairs of halves (Theorem 2).

    C(t) = 1 / (2 (2t - 1 - 1/(2B))) for min(1/2 + s^2, 1/2 + 1/(2B) + 3/4 s^2) < t <= 3/4, and 4 (1 - t + 1/(2B)) /
    (1 + 1/B) above, for t = 1/2 + 1/B or more; s the share, at most 1/sqrt(3), B the number of pairs.
    """
    if share > 1 / np.sqrt(3):
        return float("inf")
    above = np.nextafter(0.5 + min(share**2, 0.5 / n_pairs + 0.75 * share**2), 1.0)
    low = max(0.5 + 0.25 / n_pairs + 0.25 / allowed, above, 0.5 + 1 / n_pairs)
    return (
        low if low <= 0.75 else max(1 + 0.5 / n_pairs - allowed * (1 + 1 / n_pairs) / 4, np.nextafter(0.75, 1.0), above)
    )


def _correlations(rows: np.ndarray, one: np.ndarray) -> np.ndarray:
    """Pearson's correlation of each row with `one`; NaN where either does not vary."""
    rows, one = rows - rows.mean(axis=1, keepdims=True), one - one.mean()
    with np.errstate(invalid="ignore", divide="ignore"):
        return rows @ one / np.sqrt((rows**2).sum(axis=1) * (one**2).sum())


def _level(dropped: float, similar: np.ndarray) -> CaseDropping:
    """Refits that do not vary correlate with nothing, and count as 0."""
    known = np.nan_to_num(similar)
    low, high = np.quantile(known, COVERED, axis=0).tolist()
    mean = known.mean(axis=0).tolist()
    couplings, strengths = ((low[k], mean[k], high[k]) for k in (0, 1))
    alike = (known >= STILL_ALIKE).mean(axis=0).tolist()
    return CaseDropping(dropped, len(known), couplings, strengths, (alike[0], alike[1]))
