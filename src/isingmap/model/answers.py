"""Every exact question about the distribution of a model, put to inference."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Literal, TypeVar, overload

import numpy as np

from isingmap.cached import cached_property
from isingmap.errors import ModelError
from isingmap.inference.cancelling import cancels, entropy, log_probabilities, unrounded_sums
from isingmap.inference.engine import Answer, AnyProof, Solution, proved, solve
from isingmap.inference.extended import ExtendedGraph
from isingmap.inference.ground_states.ground_state import GroundState, ground_state_of
from isingmap.inference.planned_graph import PlannedGraph
from isingmap.inference.proofs.certified import Interval
from isingmap.interruption import listening
from isingmap.model.arguments import configurations_of, generator_of, indices_of, vector_of
from isingmap.model.marginals import pair_marginals

# Samples beyond this many cells, 100 GB, are not asked for in one piece.
MOST_CELLS = 10**11

Conditioned = TypeVar("Conditioned", bound="ExactAnswers")


class ExactAnswers:
    """The part of `IsingModel` that answers; a solution is computed at the first question and kept."""

    names: tuple[str, ...]
    edges: np.ndarray
    couplings: np.ndarray
    fields: np.ndarray
    free_fields: np.ndarray

    def condition(self: Conditioned, evidence: Mapping[str, int]) -> Conditioned:
        """The model of the other spins; the class that has these answers says how."""
        raise NotImplementedError

    @property
    def n_spins(self) -> int:
        return len(self.names)

    @property
    def n_edges(self) -> int:
        return len(self.edges)

    @property
    def n_parameters(self) -> int:
        """Couplings and free fields."""
        return self.n_edges + int(self.free_fields.sum())

    @cached_property
    def planned(self) -> PlannedGraph:
        """The graph with its auxiliary spin, and what is computed from it alone; see `with_couplings`."""
        graph = ExtendedGraph.of(self.n_spins, self.edges, np.flatnonzero(self.free_fields))
        return PlannedGraph(graph, self.names)

    @property
    def _strengths(self) -> np.ndarray:
        """Couplings and free fields, as the couplings of the extended graph."""
        return self.planned.graph.join(self.couplings, self.fields)

    @cached_property
    def _solution(self) -> Solution:
        return solve(self.planned, self._strengths)

    def _proved(self, question: Callable[[AnyProof], Answer]) -> Answer:
        return proved(self.planned, self._strengths, question)

    @property
    def method(self) -> str:
        """How answers are computed.

        "planar" (determinants), "elimination" (of one variable after the other, and the way of all small models),
        "enumeration" (few spins with couplings of millions beside small ones or against each other), or "pieces" (what
        no edge ties together is solved apart, where the whole fits neither of the first two).

        Raises
        ------
        NonPlanarError, PrecisionError
            As in `log_partition`.
        """
        return self._solution.method

    @overload
    def log_partition(self, *, certified: Literal[False] = False) -> float: ...

    @overload
    def log_partition(self, *, certified: Literal[True]) -> Interval: ...

    @listening()
    def log_partition(self, *, certified: bool = False) -> float | Interval:
        """log Z in nats.

        Parameters
        ----------
        certified : bool
            Return an Interval(lower, upper) of floats that provably contains log Z of the couplings as the exact
            numbers they are; by ball arithmetic, 0.3 s at 1000 spins, 7 s at 10 000.

        Raises
        ------
        NonPlanarError
            The graph, with the auxiliary spin of the fields, is not planar, and the graph without it is too wide for
            elimination; the message says how wide and what would help.
        PrecisionError
            The couplings are too strong for doubles, and the model is too large for ball arithmetic.
        """
        if certified:
            return self._proved(lambda proof: proof.log_partition())
        return float(self._solution.log_partition)

    @listening()
    def certified_moments(self) -> tuple[np.ndarray, np.ndarray]:
        """(lower, upper), (n_parameters,) each: bounds that provably contain the moments of the edges, then the
        magnetizations of the spins with free fields.

        Raises
        ------
        NonPlanarError, PrecisionError
            As in `log_partition` for certified answers.
        """
        return self._proved(lambda proof: proof.moments())

    @listening()
    def ground_state(self, *, given: Mapping[str, int] | None = None) -> GroundState:
        """A most probable configuration: `spins` (n_spins,), its `energy` and whether it is `certified`.

        Energy is -(sum couplings x x + sum fields x). Near-linear in practice: 0.05 s at 10 000 spins.

        Parameters
        ----------
        given : mapping of name to -1 or +1, optional
            Values of observed spins: the best configuration among those that have them.

        Raises
        ------
        ModelError
            For evidence that names no spin, is not -1 or +1, or covers everything.
        NonPlanarError
            As in `log_partition`.
        """
        if not given:
            return ground_state_of(self.planned, self._strengths)
        best = self.condition(given).ground_state()
        spins = self._with_given(best.spins, given)
        i, j = self.edges.T
        energy = -math.fsum([*(self.couplings * spins[i] * spins[j]), *(self.fields * spins)])
        return GroundState(spins, energy, best.certified, best.gap_bound)

    def _with_given(self, rest: np.ndarray, given: Mapping[str, int]) -> np.ndarray:
        """Configurations of all spins, (..., n_spins), from those of the spins that are not given."""
        is_given = np.array([name in given for name in self.names])
        spins = np.empty((*rest.shape[:-1], self.n_spins), np.int8)
        spins[..., ~is_given] = rest
        spins[..., is_given] = [given[name] for name in self.names if name in given]
        return spins

    @listening()
    def degeneracy(self) -> int:
        """Number of ground states, an exact and proved integer, for couplings that are multiples of one unit.

        Half a second for a 50 x 50 glass of +-J, a minute for 200 x 200; what would take longer is refused.

        Raises
        ------
        ModelError
            When the couplings have no usable common unit (Gaussian ones, for instance).
        NonPlanarError
            As in `log_partition` for certified answers.
        PrecisionError
            When counting would take more than some minutes.
        """
        return self._proved(lambda proof: proof.degeneracy())

    @listening()
    def moments(self) -> np.ndarray:
        """E[x_i x_j] of each edge, (n_edges,).

        Raises
        ------
        NonPlanarError, PrecisionError
            As in `log_partition`.
        """
        return self._solution.moments()

    @listening()
    def magnetizations(self) -> np.ndarray:
        """E[x_i], (n_spins,).

        Raises
        ------
        NonPlanarError, PrecisionError
            As in `log_partition`.
        """
        return self._solution.magnetizations()

    @listening()
    def hessian(self) -> np.ndarray:
        """Fisher information per sample: covariance of the edge products, then of the spins with free fields.

        Shape (n_parameters, n_parameters), in the order of `edges`, then of the free fields.

        Raises
        ------
        NonPlanarError, PrecisionError
            As in `log_partition`.
        """
        return self._solution.hessian()

    @listening()
    def correlations(self, pairs=None) -> np.ndarray:
        """E[x_i x_j] of any pairs, also far apart.

        Parameters
        ----------
        pairs : (k, 2) array of int or names, optional
            All pairs when left out.

        Returns
        -------
        (k,) or (n_spins, n_spins) array
            Second moments, not centred: subtract the product of the magnetizations for a covariance.

        Raises
        ------
        ModelError
            For wrong pairs, and for all pairs of more than 2500 spins.
        NonPlanarError, PrecisionError
            As in `log_partition`.
        """
        if pairs is None:
            return self._solution.correlations().copy()
        return self._solution.pair_correlations(self._pairs(pairs))

    def _pairs(self, pairs) -> np.ndarray:
        array = indices_of(pairs, self.names)
        if array.ndim != 2 or array.shape[1] != 2:
            raise ModelError(f"pairs must have shape (k, 2), got {array.shape}")
        outside = (array < 0) | (array >= self.n_spins)
        if outside.any():
            raise ModelError(f"pair {np.argwhere(outside)[0, 0]} names a spin outside 0..{self.n_spins - 1}")
        return array

    def pair_marginals(self, pairs, *, given: Mapping[str, int] | None = None) -> np.ndarray:
        """P(x_i, x_j) of any pairs, (k, 2, 2), indexed 0 for -1 and 1 for +1.

        Parameters
        ----------
        pairs : (k, 2) array of int or names
        given : mapping of name to -1 or +1, optional
            Values of observed spins: P(x_i, x_j | those). Observed spins may be in the pairs.

        Raises
        ------
        ModelError
            For wrong pairs, and for evidence that names no spin, is not -1 or +1, or covers everything.
        NonPlanarError, PrecisionError
            As in `log_partition`.
        """
        pairs = self._pairs(pairs)
        if given:
            mean, moments = self._moments_given(pairs, given)
        else:
            mean, moments = self.magnetizations(), self.correlations(pairs)
        return pair_marginals(moments, mean[pairs[:, 0]], mean[pairs[:, 1]])

    def _moments_given(self, pairs: np.ndarray, given: Mapping[str, int]) -> tuple[np.ndarray, np.ndarray]:
        """E[x_i | given] of all spins, and E[x_i x_j | given] of the pairs."""
        rest = self.condition(given)
        place = {name: k for k, name in enumerate(rest.names)}
        means = dict(zip(rest.names, rest.magnetizations().tolist(), strict=True))
        mean = np.array([given[name] if name in given else means[name] for name in self.names], float)
        moments = mean[pairs[:, 0]] * mean[pairs[:, 1]]
        at = np.array([place.get(name, -1) for name in self.names])[pairs]
        open_pairs = (at >= 0).all(axis=1)
        if open_pairs.any():
            moments[open_pairs] = rest.correlations(at[open_pairs])
        return mean, moments

    @listening()
    def hessian_product(self, vector) -> np.ndarray:
        """Hessian times a vector, (n_parameters,), at any size; about four times the cost of the moments.

        Raises
        ------
        ModelError
            For a vector of the wrong shape.
        NonPlanarError, PrecisionError
            As in `log_partition`.
        """
        return self._solution.hessian_product(vector_of(vector, self.n_parameters, "vector", "one for each parameter"))

    @listening()
    def hessian_entries(self, first, second) -> np.ndarray:
        """Single entries of the Hessian at any size: covariances of pairs of parameters, numbered as in `hessian`.

        Raises
        ------
        NonPlanarError, PrecisionError
            As in `log_partition`.
        """
        return self._solution.hessian_entries(np.asarray(first, np.int64), np.asarray(second, np.int64))

    def hessian_diagonal(self) -> np.ndarray:
        """Variances of the edge products, then of the spins with free fields, (n_parameters,), at any size.

        Raises
        ------
        NonPlanarError, PrecisionError
            As in `log_partition`.
        """
        return 1.0 - self._solution.parameter_moments() ** 2

    @listening()
    def sample(self, n_samples: int, *, rng=None, given: Mapping[str, int] | None = None) -> np.ndarray:
        """Independent exact samples, (n_samples, n_spins) int8 of -1 and +1.

        Parameters
        ----------
        n_samples : int
        rng : Generator or int, optional
            Source of randomness or its seed; fresh when left out. Global random state is never touched.
        given : mapping of name to -1 or +1, optional
            Values of observed spins: samples of the others given those.

        Raises
        ------
        ModelError
            For a number of samples that is not a whole number of 0 or more or asks for more than 10^11 cells, for an
            `rng` that is no seed, and for evidence that names no spin, is not -1 or +1, or covers everything.
        NonPlanarError
            As in `log_partition`.
        PrecisionError
            When doubles fail, because couplings are very strong, and more than 500 spins are undecided.
        """
        if isinstance(n_samples, bool) or not isinstance(n_samples, (int, np.integer)) or n_samples < 0:
            raise ModelError(f"n_samples must be a whole number >= 0, got {n_samples!r}")
        if n_samples * self.n_spins > MOST_CELLS:
            raise ModelError(
                f"n_samples={n_samples} times {self.n_spins} spins are more than {MOST_CELLS:.0e} cells of one byte; "
                "draw them in parts"
            )
        if given:
            return self._with_given(self.condition(given).sample(n_samples, rng=rng), given)
        return self._solution.sample(int(n_samples), generator_of(rng))

    def entropy(self) -> float:
        """Entropy of the distribution in nats.

        Raises
        ------
        NonPlanarError, PrecisionError
            As in `log_partition`.
        """
        of_edges, of_spins = np.split(self._solution.parameter_moments(), [self.n_edges])
        expected = self.couplings @ of_edges
        if self.free_fields.any():
            expected += self.fields[self.free_fields] @ of_spins
        return entropy(self.planned, self._strengths, self.log_partition() - float(expected))

    def log_weight(self, spins) -> np.ndarray:
        """Unnormalised log-probability of configurations, (n_samples,); minus the energy.

        Raises
        ------
        ModelError
            For spins of the wrong shape, or other than -1 and +1.
        """
        x = configurations_of(spins, self.names)
        log_weight = (x[:, self.edges[:, 0]] * x[:, self.edges[:, 1]]) @ self.couplings + x @ self.fields
        lost = cancels(self._strengths, log_weight)
        if lost.any():
            log_weight[lost] = unrounded_sums(self.planned.graph.products(x[lost]) * self._strengths)
        return log_weight

    def log_probability(self, spins) -> np.ndarray:
        """log P(x) of configurations in nats, (n_samples,).

        Parameters
        ----------
        spins : (n_samples, n_spins) array of -1 and +1, columns in the order of `names`

        Raises
        ------
        ModelError
            As in `log_weight`.
        NonPlanarError, PrecisionError
            As in `log_partition`.
        """
        rounded = self.log_weight(spins) - self.log_partition()
        strengths = self._strengths
        if not cancels(strengths, rounded).any():
            return rounded
        products = self.planned.graph.products
        reference = products(self.ground_state().spins)
        return log_probabilities(
            self.planned, strengths, products(configurations_of(spins, self.names)), reference, rounded
        )
