"""Exact questions about the distribution of a model: averages, and how they change with its parameters."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from isingmap.errors import ModelError
from isingmap.inference.cancelling import entropy
from isingmap.interruption import listening
from isingmap.model.arguments import indices_of, vector_of
from isingmap.model.configuration_answers import ConfigurationAnswers
from isingmap.model.marginals import pair_marginals


class ExactAnswers(ConfigurationAnswers):
    """The part of `IsingModel` that answers."""

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
