"""Answers about a model with any fields on a narrow graph, planar or not, by elimination of variables."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from isingmap.cached import cached_property
from isingmap.inference.elimination.clique_tree import CliqueTree
from isingmap.inference.elimination.configurations import drawn
from isingmap.inference.elimination.downward import sweep_down
from isingmap.inference.elimination.upward import LINEAR, LOGARITHMIC, TANGENT, sweep_up
from isingmap.inference.extended import ExtendedGraph
from isingmap.inference.variance import variance_by_product
from isingmap.interruption import look
from isingmap.progress import at_work

# Tables whose entries are at most this far apart, as a logarithm, cannot underflow (doubles reach to 700).
WIDEST_SPREAD = 600.0
# Entries of the tables of several directions that are worked on together: 128 MiB.
MOST_TOGETHER = 2**24
NOTHING = np.empty(0)


@dataclass(frozen=True, eq=False)
class EliminationSolution:
    """See the protocol `engine.Solution`. All sums are of positive terms, so what is lost is rounding alone.

    Attributes
    ----------
    graph : ExtendedGraph
    plan : CliqueTree
        Of the graph without the auxiliary spin.
    couplings, fields : float64 arrays
    """

    graph: ExtendedGraph
    plan: CliqueTree
    couplings: np.ndarray
    fields: np.ndarray
    method: str = "elimination"

    @cached_property
    def _spread(self) -> float:
        return self.plan.spread(self.couplings, self.fields)

    @cached_property
    def _mode(self) -> np.int64:
        everything = 2.0 * (np.abs(self.couplings).sum() + np.abs(self.fields).max(initial=0.0))
        return LINEAR if everything <= WIDEST_SPREAD or self._spread <= WIDEST_SPREAD else LOGARITHMIC

    def _swept(self, conditionals: np.ndarray) -> float:
        look()
        with at_work(self.method):
            return sweep_up(self.plan.tables, self.couplings, self.fields, self._mode, conditionals, NOTHING)

    @property
    def loss(self) -> float:
        """What rounding can do to log Z (relative) and moments, a bound.

        Sums of positive terms add up their last bits, and logarithms have an error in proportion to their size: beside
        couplings of millions that frustrate each other small ones are lost.
        """
        sizes = float(self.graph.n_spins + self.graph.n_edges)
        if self._mode == LOGARITHMIC:
            sizes += self._spread
        return float(np.finfo(float).eps * sizes)

    @cached_property
    def log_partition(self) -> float:
        return self._swept(NOTHING)

    @cached_property
    def _conditionals(self) -> np.ndarray:
        """P(variable = +1 | front) for all fronts; log Z comes with it."""
        conditionals = np.empty(self.plan.n_entries)
        self.__dict__.setdefault("log_partition", self._swept(conditionals))
        return conditionals

    @cached_property
    def _moments(self) -> tuple[np.ndarray, np.ndarray]:
        """E[x_i x_j] of each edge and E[x_i] of each spin; what sticks out of [-1, 1] is rounding."""
        of_edges, of_spins = sweep_down(self.plan.tables, self._conditionals, np.empty((0, self.plan.n_entries)))
        if not self.graph.has_fields:
            of_spins[:] = 0.0
        return _within(of_edges[0]), _within(of_spins[0])

    def moments(self) -> np.ndarray:
        return self._moments[0].copy()

    def magnetizations(self) -> np.ndarray:
        return self._moments[1].copy()

    def parameter_moments(self) -> np.ndarray:
        return np.concatenate([self._moments[0], self._moments[1][self.graph.free_fields]])

    def _covariances(self, directions: np.ndarray) -> Iterator[tuple[np.ndarray, np.ndarray]]:
        """Covariances of sums of edge products and spins, (k, n_edges + n_spins), with those, a few rows at a time."""
        step = max(MOST_TOGETHER // max(self.plan.n_entries, self.plan.tables.arena), 1)
        for first in range(0, len(directions), step):
            with at_work(self.method):
                part = self._covariances_of(directions[first : first + step])
            yield part

    def _covariances_of(self, directions: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        differences = np.empty((len(directions), self.plan.n_entries))
        for row, direction in zip(differences, directions, strict=True):
            look()
            of_edges, of_spins = direction[: self.graph.n_edges], direction[self.graph.n_edges :]
            sweep_up(self.plan.tables, of_edges, of_spins, TANGENT, self._conditionals, row)
        of_edges, of_spins = sweep_down(self.plan.tables, self._conditionals, differences)
        return of_edges[1:], of_spins[1:]

    def _hessian_rows(self, directions: np.ndarray) -> np.ndarray:
        """The Hessian times each of the directions, (k, m + f)."""
        m, free = self.graph.n_edges, self.graph.free_fields
        everything = np.zeros((len(directions), m + self.graph.n_spins))
        everything[:, :m] = directions[:, :m]
        everything[:, m + free] = directions[:, m:]
        parts = [np.hstack([edges, spins[:, free]]) for edges, spins in self._covariances(everything)]
        return np.vstack(parts) if parts else np.empty(directions.shape)

    @cached_property
    def _hessian(self) -> np.ndarray:
        rows = self._hessian_rows(np.eye(self.graph.n_edges + self.graph.free_fields.size))
        return (rows + rows.T) / 2.0

    def hessian(self) -> np.ndarray:
        return self._hessian.copy()

    def hessian_product(self, vector: np.ndarray) -> np.ndarray:
        return self._hessian_rows(np.asarray(vector, float)[None])[0]

    def log_weight_variance(self) -> float:
        return variance_by_product(self, np.append(self.couplings, self.fields[self.graph.free_fields]))

    def hessian_entries(self, first: np.ndarray, second: np.ndarray) -> np.ndarray:
        rows, columns, at = _by_fewest(first, second)
        directions = np.eye(self.graph.n_edges + self.graph.free_fields.size)[rows]
        return self._hessian_rows(directions)[at, columns]

    def correlations(self, asked: np.ndarray | None = None) -> np.ndarray:
        """E[x_i x_j] of every pair, whatever is asked for."""
        everything = self._correlation_rows(np.arange(self.graph.n_spins))
        return (everything + everything.T) / 2.0

    def pair_correlations(self, pairs: np.ndarray) -> np.ndarray:
        rows, columns, at = _by_fewest(pairs[:, 0], pairs[:, 1])
        return self._correlation_rows(rows)[at, columns]

    def _correlation_rows(self, spins: np.ndarray) -> np.ndarray:
        """E[x_i x_j] for each i of `spins` and all j, (k, n)."""
        directions = np.zeros((spins.size, self.graph.n_edges + self.graph.n_spins))
        directions[np.arange(spins.size), self.graph.n_edges + spins] = 1.0
        mean = self._moments[1]
        parts = [of_spins for _, of_spins in self._covariances(directions)]
        rows = np.vstack([np.empty((0, self.graph.n_spins)), *parts]) + mean[spins, None] * mean
        rows[np.arange(spins.size), spins] = 1.0
        return _within(rows)

    def sample(self, n_samples: int, rng: np.random.Generator) -> np.ndarray:
        with at_work(self.method):
            return drawn(self.plan, self._conditionals, n_samples, rng)


def _within(moments: np.ndarray) -> np.ndarray:
    """Without what rounding added beyond -1 and 1; `np.clip` takes ten times as long for the few of a small model."""
    return np.minimum(np.maximum(moments, -1.0), 1.0)


def _by_fewest(first: np.ndarray, second: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The side of the pairs with fewer different members, each once; the other side; and where each pair's is."""
    rows, at = np.unique(first, return_inverse=True)
    others, other_at = np.unique(second, return_inverse=True)
    if others.size < rows.size:
        return others, first, other_at
    return rows, second, at


def elimination_solution(graph: ExtendedGraph, plan: CliqueTree, strengths: np.ndarray) -> EliminationSolution:
    """Solve a model by elimination; `strengths` are those of the extended edges."""
    return EliminationSolution(graph, plan, *graph.split(strengths))
