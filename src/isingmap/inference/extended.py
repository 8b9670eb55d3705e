"""Fields are couplings to one more spin (Johnson et al. 2011, Prop. 1).

The auxiliary spin is joined to every spin with a free field. Z of the extended zero-field model is 2 Z, E[x_i] is the
correlation of x_i with the auxiliary spin, and configurations are those in which the auxiliary spin is +1.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from isingmap.cached import cached_property
from isingmap.errors import NonPlanarError

AUXILIARY = "(auxiliary spin of the fields)"


@dataclass(frozen=True, eq=False)
class ExtendedGraph:
    """The graph of a model together with the auxiliary spin, node `n_spins`, which is there iff a field is free.

    Attributes
    ----------
    n_spins : int
        Of the model.
    extended_edges : (n_edges + n_fields, 2) int64 array
        Couplings and fields in any order; the auxiliary spin comes second in its pairs.
    """

    n_spins: int
    extended_edges: np.ndarray

    @classmethod
    def of(cls, n_spins: int, edges: np.ndarray, free_fields: np.ndarray) -> ExtendedGraph:
        """Edges of the model, followed by those of the spins `free_fields` (numbers) to the auxiliary spin."""
        return cls(n_spins, np.vstack([edges, pairs_with_auxiliary(n_spins, free_fields)]))

    @cached_property
    def is_field(self) -> np.ndarray:
        """Which extended edges are fields, bool."""
        return self.extended_edges[:, 1] == self.n_spins

    @cached_property
    def edges(self) -> np.ndarray:
        """(n_edges, 2) edges of the model, in the order of the extended edges."""
        return self.extended_edges[~self.is_field]

    @cached_property
    def free_fields(self) -> np.ndarray:
        """Numbers of the spins with a free field, in the order of the extended edges."""
        return self.extended_edges[self.is_field, 0]

    @property
    def n_edges(self) -> int:
        """Couplings."""
        return len(self.edges)

    @property
    def has_fields(self) -> bool:
        return self.free_fields.size > 0

    @property
    def n_nodes(self) -> int:
        """Spins of the extended model."""
        return self.n_spins + (1 if self.has_fields else 0)

    @cached_property
    def is_free(self) -> np.ndarray:
        """(n_spins,) bool: which fields are free."""
        free = np.zeros(self.n_spins, bool)
        free[self.free_fields] = True
        return free

    def renumbered(self, place: np.ndarray) -> ExtendedGraph:
        """The same graph with spin k called place[k]; the order of the edges stays."""
        return ExtendedGraph(self.n_spins, np.append(place, self.n_spins)[self.extended_edges])

    def join(self, of_edges: np.ndarray, of_spins: np.ndarray) -> np.ndarray:
        """One number for each extended edge, from one for each edge of the model and one for each of its spins.

        Couplings and fields give the strengths of the extended model, moments and magnetizations its moments.
        """
        joined = np.empty(len(self.extended_edges))
        joined[~self.is_field] = of_edges
        joined[self.is_field] = np.asarray(of_spins)[self.free_fields]
        return joined

    def split(self, joined: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """(of each edge (n_edges,), of each spin (n_spins,)): undoes `join`; 0 where no field is free."""
        of_spins = np.zeros(self.n_spins, joined.dtype)
        of_spins[self.free_fields] = joined[self.is_field]
        return joined[~self.is_field], of_spins

    def moments(self, moments: np.ndarray, magnetizations: np.ndarray | None) -> np.ndarray:
        """Moments of the extended edges, from those of all pairs of spins, (n_spins, n_spins), and from E[x_i].

        Without a free field the magnetizations are not needed.
        """
        of_spins = np.zeros(self.n_spins) if magnetizations is None else magnetizations
        return self.join(moments[self.edges[:, 0], self.edges[:, 1]], of_spins)

    def products(self, spins: np.ndarray) -> np.ndarray:
        """Of the ends of each extended edge in configurations (..., n_spins); the auxiliary spin is +1."""
        first, second = self.extended_edges.T
        with_auxiliary = np.concatenate([spins, np.ones((*spins.shape[:-1], 1), spins.dtype)], axis=-1)
        return with_auxiliary[..., first] * with_auxiliary[..., second]

    def log_partition(self, of_extended: float) -> float:
        """log Z from that of the extended model."""
        return of_extended - (np.log(2.0) if self.has_fields else 0.0)

    def log_partition_bounds(self, lower: float, upper: float) -> tuple[float, float]:
        """Bounds on log Z from bounds on that of the extended model."""
        if not self.has_fields:
            return lower, upper
        # One step outwards covers the rounding of log 2, another that of the difference.
        shift = math.log(2.0)
        return _two_below(lower - shift), -_two_below(shift - upper)

    def count(self, of_extended: int) -> int:
        """Number of configurations of some kind, from that of the extended model, where x and -x are both counted."""
        return of_extended // 2 if self.has_fields else of_extended

    def spins(self, of_extended: np.ndarray) -> np.ndarray:
        """Configurations, (..., n_spins), from those of the extended model: turned so that the auxiliary spin is +1."""
        if not self.has_fields:
            return of_extended
        return of_extended[..., : self.n_spins] * of_extended[..., self.n_spins :]

    def explained(self, error: NonPlanarError) -> NonPlanarError:
        """A new error that says what planarity means for a model with fields."""
        message = str(error)
        if self.has_fields:
            message += (
                ". The model has fields, which act like couplings to one more spin, so the graph together with "
                "that spin must be planar (with a field on every spin: the graph must be outer-planar)"
            )
        return NonPlanarError(message, kind=error.kind, subgraph=error.subgraph, branch_nodes=error.branch_nodes)


def _two_below(value: float) -> float:
    return math.nextafter(math.nextafter(value, -math.inf), -math.inf)


def pairs_with_auxiliary(n_spins: int, spins: np.ndarray) -> np.ndarray:
    """Each of the spins with the auxiliary spin, (k, 2) int64."""
    spins = np.asarray(spins, np.int64)
    return np.stack([spins, np.full_like(spins, n_spins)], axis=1)


def extended_labels(names: Sequence[str]) -> tuple[str, ...]:
    """Names of the spins, then that of the auxiliary spin."""
    return (*names, AUXILIARY)


def extended_moments(moments: np.ndarray, magnetizations: np.ndarray | None) -> np.ndarray:
    """E[x_i x_j] of all pairs of spins and the auxiliary one, (n_spins + 1, n_spins + 1), in the type of `moments`.

    Without magnetizations those of the auxiliary spin are 0.
    """
    moments = np.asarray(moments)
    n = len(moments)
    extended = np.zeros((n + 1, n + 1), moments.dtype if moments.dtype.kind == "f" else float)
    extended[:n, :n] = moments
    extended[n, n] = 1.0
    if magnetizations is not None:
        extended[:n, n] = extended[n, :n] = magnetizations
    return extended
