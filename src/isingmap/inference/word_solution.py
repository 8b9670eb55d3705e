"""A zero-field model solved in numbers of two or four words: between doubles and balls at low temperatures.

The formulas, the order of elimination and the way in which the loss is measured are those of `zero_field/solution.py`,
with 106 or 212 bits in place of 53. A 100 x 100 grid of couplings +-1 at temperature 0.4 takes two seconds, where balls
take minutes.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from isingmap.cached import cached_property
from isingmap.errors import PrecisionError
from isingmap.inference.pfaffian.word_elimination import factorise_words, selected_words, word_entries
from isingmap.inference.pfaffian.word_inverse import inverse_entries_in_words
from isingmap.inference.precision import (
    LARGEST_ERROR,
    LARGEST_HARMLESS_FACTOR,
    MOST_SPINS_INVERTED_IN_WORDS,
    too_large_to_invert,
)
from isingmap.inference.proofs.certified import working_precision
from isingmap.inference.zero_field.paths import shortest_paths
from isingmap.inference.zero_field.plan import DualPlan
from isingmap.inference.zero_field.word_correlations import edge_covariances_in_words, path_product_in_words
from isingmap.interruption import look

Words = tuple[np.ndarray, ...]


@dataclass(frozen=True, eq=False)
class WordSolution:
    """A model whose matrix K' has been factorised in words; answers are for the caller's spins, not the gauge's."""

    plan: DualPlan
    log_partition: float
    _spins: np.ndarray
    _gauged: np.ndarray
    _entries: Words
    _factors: Words
    _beyond: float = 0.0

    @property
    def n_words(self) -> int:
        """Two or four."""
        return len(self._entries)

    @cached_property
    def _edge_gauge(self) -> np.ndarray:
        return self._spins[self.plan.edges[:, 0]] * self._spins[self.plan.edges[:, 1]]

    @cached_property
    def _selected(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """P(n_e = 1) from both darts of each edge, what doubles leave out of that, and the residuals."""
        look()
        matched, rest, residual = selected_words(self.plan.elimination, self._entries, self._factors)
        return matched.reshape(-1, 2), rest.reshape(-1, 2), residual

    @cached_property
    def loss(self) -> float:
        """Measured error: absolute of the moments, relative of log Z; see `DualSolution.loss`. O(n^{3/2})."""
        measured = [self.visible_loss]
        if self.may_hide_errors:
            with np.errstate(invalid="ignore", over="ignore"):
                change = self.other_roundings.log_partition - self.log_partition
                measured.append(abs(change) / max(1.0, abs(self.log_partition)))
        return float(np.max(measured))  # NaN if one of them is

    @property
    def visible_loss(self) -> float:
        """What residuals and asymmetry tell of it: of the moments in all their words where it does not hide."""
        matched, rest, residual = self._selected
        with np.errstate(invalid="ignore", over="ignore"):  # infinite where everything is lost
            apart = (matched[:, 0] - matched[:, 1]) + (rest[:, 0] - rest[:, 1])
            return float(np.max([np.abs(residual).max(), np.abs(apart).max()]))

    @cached_property
    def may_hide_errors(self) -> bool:
        """Whether entries are so large that errors can be invisible; their square tells how many bits that may cost."""
        harmless = LARGEST_HARMLESS_FACTOR * 2.0 ** (53 * (self.n_words - 1) / 2)
        return not max(self._factors[0].max(initial=0.0), -self._factors[0].min(initial=0.0)) <= harmless

    @cached_property
    def other_roundings(self) -> WordSolution:
        """The model with rows and columns of K' scaled at random; see `DualSolution`."""
        # Of half the bits of a double, so that products of two are exact.
        scale = np.random.default_rng(0).uniform(1.0, 2.0, self.plan.signs.size).astype(np.float32)
        return _factorised(self.plan, self._spins, self._gauged, self.n_words, scale.astype(np.float64), self._beyond)

    def moments(self) -> np.ndarray:
        """E[x_i x_j] of each edge, (n_edges,)."""
        matched = self._selected[0]
        return self._edge_gauge * (matched[: self.plan.n_edges].sum(axis=1) - 1.0)

    def moments_less_those_of(self, other: WordSolution) -> np.ndarray:
        """Differences of the moments of two solutions in one gauge, (n_edges,): exact but for both losses."""
        (matched, rest, _), (others, other_rest, _) = self._selected, other._selected
        return self._edge_gauge * ((matched - others) + (rest - other_rest))[: self.plan.n_edges].sum(axis=1)

    def _require(self, error: float, what: str) -> None:
        if not error <= LARGEST_ERROR:
            raise PrecisionError(
                f"the {what} would be off by up to {error:.1e} in numbers of {53 * self.n_words} bits, more than "
                f"{LARGEST_ERROR:.0e}: the couplings are too strong",
                loss=error,
            )

    def edge_product(self, edges: np.ndarray) -> float:
        """E of the product of gauged edges (numbers in the triangulation), at any size. Errors as in `DualSolution`."""
        look()
        product, uncertainty = self._path_product(edges)
        if self.may_hide_errors:
            self._require(abs(self.other_roundings._path_product(edges)[0] - product), "correlation")
        self._require(uncertainty, "correlation")
        return product

    def _path_product(self, edges: np.ndarray) -> tuple[float, float]:
        darts = np.repeat(2 * edges, 2)
        darts[1::2] += 1
        twin = tuple(np.ascontiguousarray(word[darts, 0]) for word in self._entries)
        return path_product_in_words(self._inverse_between(darts), twin)

    def _inverse_between(self, darts: np.ndarray) -> Words:
        if self.plan.n_spins > MOST_SPINS_INVERTED_IN_WORDS:
            return inverse_entries_in_words(self.plan.elimination, self._factors, darts)
        return tuple(word[darts[:, None], darts[None, :]] for word in self._inverse)

    @cached_property
    def _inverse(self) -> Words:
        """The whole inverse, by darts."""
        n = self.plan.n_spins
        if n > MOST_SPINS_INVERTED_IN_WORDS:
            raise too_large_to_invert(n, MOST_SPINS_INVERTED_IN_WORDS)
        darts = np.arange(self.plan.signs.size)
        return inverse_entries_in_words(self.plan.elimination, self._factors, darts)

    def pair_correlations(self, pairs: np.ndarray) -> np.ndarray:
        """E[x_i x_j] of the given pairs, (k,), at any size; a path for each. Errors as in `edge_product`."""
        triangulation = self.plan.triangulation
        paths = shortest_paths(triangulation.n_nodes, triangulation.edges, pairs)
        products = np.array([self.edge_product(path) if len(path) else 1.0 for path in paths])
        return self._spins[pairs[:, 0]] * self._spins[pairs[:, 1]] * products

    def correlations(self, asked: np.ndarray | None = None) -> np.ndarray:
        """E[x_i x_j] of every pair, (n_spins, n_spins), or of the pairs i < j of `asked`; NaN elsewhere.

        Raises
        ------
        PrecisionError
            As `edge_product`; and for every pair of a model whose inverse would take too much memory.
        """
        n = self.plan.n_spins
        if asked is None:
            self._inverse  # noqa: B018 - refuse before hours of work, not after
            asked = np.ones((n, n), bool)
        rows, columns = np.nonzero(np.triu(asked, 1))
        result = np.full((n, n), np.nan)
        np.fill_diagonal(result, 1.0)
        found = self.pair_correlations(np.stack([rows, columns], axis=1))
        result[rows, columns] = result[columns, rows] = found
        return result

    def hessian(self) -> np.ndarray:
        """Covariance matrix of the edge products, (n_edges, n_edges).

        Raises
        ------
        PrecisionError
            When it could be off by more than `LARGEST_ERROR`, or would take too much memory.
        """
        return self._hessian.copy()

    @cached_property
    def _hessian(self) -> np.ndarray:
        covariance = self._covariances()
        change = np.abs(self.other_roundings._covariances() - covariance)
        self._require(float(change.max(initial=0.0)), "Hessian")
        return covariance

    def _covariances(self) -> np.ndarray:
        look()
        twin = tuple(np.ascontiguousarray(word[:, 0]) for word in self._entries)
        gauged = edge_covariances_in_words(self._inverse, twin, self.plan.n_edges)
        covariance = gauged * np.outer(self._edge_gauge, self._edge_gauge)
        np.fill_diagonal(covariance, 1.0 - self.moments() ** 2)
        return covariance

    def hessian_product(self, vector: np.ndarray) -> np.ndarray:
        """Hessian times a vector, (n_edges,). Errors as in `hessian`."""
        return self._hessian @ vector

    def hessian_entries(self, first: np.ndarray, second: np.ndarray) -> np.ndarray:
        """Hessian entries of pairs of edges, (k,), at any size. Errors as in `edge_product`."""
        moments = self.moments()
        sign = self._edge_gauge[first] * self._edge_gauge[second]
        products = [1.0 if e == f else self.edge_product(np.array([e, f])) for e, f in zip(first, second, strict=True)]
        return sign * np.array(products) - moments[first] * moments[second]


def word_solution(
    plan: DualPlan, couplings: np.ndarray, spins: np.ndarray, n_words: int, beyond: float = 0.0
) -> WordSolution:
    """Factorise the model's matrix in numbers of two or four words. O(n^{3/2}); see the module for times.

    Parameters
    ----------
    couplings : (n_edges,) float64 array
        Taken as exact; at most `STRONGEST_IN_WORDS`.
    spins : (n_nodes,) array of +-1
        The gauge, a ground state.
    beyond : float
        The model is the one whose couplings are 1 + beyond times as large, exactly.
    """
    gauged = np.zeros(len(plan.triangulation.edges))
    gauged[: plan.n_edges] = couplings * spins[plan.edges[:, 0]] * spins[plan.edges[:, 1]]
    return _factorised(plan, spins, gauged, n_words, np.ones(plan.signs.size), beyond)


def _factorised(plan: DualPlan, spins, gauged, n_words: int, stretch: np.ndarray, beyond: float = 0.0) -> WordSolution:
    """The model solved with rows and columns of K' multiplied by `stretch`."""
    look()
    twin, scale = word_weights(gauged, plan.signs, n_words, beyond)
    entries = word_entries(twin, scale, stretch, plan.triangulation.next_in_face)
    factors, log_pfaffian = factorise_words(plan.elimination, entries)
    log_partition = (
        (1 - plan.n_padding) * np.log(2.0)
        + (1.0 + beyond) * np.abs(gauged).sum()
        + log_pfaffian
        - np.log(stretch).sum()
    )
    return WordSolution(plan, float(log_partition), spins, gauged, entries, factors, beyond)


def word_weights(gauged: np.ndarray, signs: np.ndarray, n_words: int, beyond: float = 0.0) -> tuple[Words, Words]:
    """(twin entries, scales of the rows) of K' in words of (n_darts,); see `multifrontal.weights_of`."""
    strengths, which = np.unique(np.abs(gauged), return_inverse=True)
    root = _exponentials(-strengths, n_words, beyond)[:, which]
    square = _exponentials(-2.0 * strengths, n_words, beyond)[:, which]
    one = np.zeros((n_words, 1))
    one[0] = 1.0
    scale = np.repeat(np.where(gauged > 0, root, one), 2, axis=1)
    twin = np.repeat(np.where(gauged < 0, square, one), 2, axis=1) * signs
    return tuple(np.ascontiguousarray(word) for word in twin), tuple(np.ascontiguousarray(word) for word in scale)


def _exponentials(exponents: np.ndarray, n_words: int, beyond: float) -> np.ndarray:
    """exp of 1 + beyond times the doubles as words, (n_words, k)."""
    from flint import arb

    words = np.empty((n_words, exponents.size))
    with working_precision(64 * n_words + 32):
        for k, exponent in enumerate(exponents.tolist()):
            left = (arb(exponent) * (1 + arb(beyond))).exp().mid()
            for word in range(n_words):
                words[word, k] = float(left)
                left = left - arb(words[word, k])
    return words
