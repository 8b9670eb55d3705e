"""A block of an extended zero-field graph, solved as what it is: couplings, and a field on every spin.

The auxiliary node is the last one. The learner's fits see the same zero-field model as everywhere: Z is twice that of
the model with fields, and the moments of the auxiliary node's edges are the magnetizations.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from isingmap.cached import cached_property
from isingmap.errors import PrecisionError
from isingmap.inference.elimination.clique_tree import CliqueTree, Width, clique_tree, width_of
from isingmap.inference.elimination.solution import EliminationSolution, elimination_solution
from isingmap.inference.extended import ExtendedGraph, extended_moments

# Of one evaluation of log Z, unless a width is asked for: 10 ms or so. A fit takes some ten, a search thousands of
# fits.
MOST_ADDITIONS = 2.0**22


class TooWide(PrecisionError):
    """A fit that would take too long; a search passes it over like one that doubles cannot do."""


@dataclass(frozen=True, eq=False)
class FieldedPlan:
    """What does not depend on the strengths.

    Attributes
    ----------
    graph : ExtendedGraph
    tree : CliqueTree
        Of its couplings.
    """

    graph: ExtendedGraph
    tree: CliqueTree

    @property
    def n_spins(self) -> int:
        """Nodes, the auxiliary one included, as in a `DualPlan`."""
        return self.graph.n_spins + 1

    @property
    def edges(self) -> np.ndarray:
        return self.graph.extended_edges

    @cached_property
    def place(self) -> np.ndarray:
        """Of each edge: the number of its coupling, or behind all couplings that of its spin, (n_edges,) int64."""
        is_field = self.graph.is_field
        spins = self.graph.n_edges + self.graph.extended_edges[:, 0]
        return np.where(is_field, spins, np.cumsum(~is_field) - 1)

    def solve(self, strengths: np.ndarray) -> FieldedSolution:
        """Inference for couplings and fields, in the order of the edges."""
        solved = elimination_solution(self.graph, self.tree, strengths)
        solved.moments()  # log Z comes with them; asked for alone it would be computed twice
        return FieldedSolution(self, solved)


def fielded_plan(nodes: np.ndarray, edges: np.ndarray, max_width: int | None = None) -> FieldedPlan:
    """The plan of a part of a graph, its nodes in ascending order; the last of them carries the fields.

    Raises
    ------
    TooWide
        When the largest front would have more than `max_width` variables, when its tables would take more than 1 GiB,
        or, without `max_width`, when one evaluation would take more than `MOST_ADDITIONS`.
    """
    graph = ExtendedGraph(nodes.size - 1, np.searchsorted(nodes, edges))
    width = width_of(graph.n_spins, graph.edges)
    limit = _exceeded(width, max_width)
    if limit:
        raise TooWide(
            "the graph is too wide to be fitted with a field on every variable: eliminating them takes fronts of "
            f"{width.width} and {width.cost:.1e} additions for one of many evaluations, and {limit}. Fewer edges make "
            "it narrower",
            loss=np.inf,
        )
    return FieldedPlan(graph, clique_tree(graph.n_spins, graph.edges, width))


def _exceeded(width: Width, max_width: int | None) -> str:
    """The limit that the width is beyond, in words; empty where it is not."""
    if max_width is None:
        return f"{MOST_ADDITIONS:.1e} are allowed" if width.cost > MOST_ADDITIONS else ""
    if width.width > max_width:
        return f"max_width={max_width} is allowed"
    return "" if width.fits else "their tables do not fit into 1 GiB"


@dataclass(frozen=True, eq=False)
class FieldedSolution:
    """The answers that a fit asks for, as those of a zero-field model; see `DualSolution`."""

    plan: FieldedPlan
    _solved: EliminationSolution

    @classmethod
    def known(cls, plan: FieldedPlan, strengths, log_partition, moments, conditionals) -> FieldedSolution:
        """From what the sweeps gave elsewhere; moments are those of the couplings, then those of all spins."""
        solved = elimination_solution(plan.graph, plan.tree, strengths)
        m = plan.graph.n_edges
        solved.__dict__.update(
            log_partition=log_partition - float(np.log(2.0)), _conditionals=conditionals,
            _moments=(moments[:m], moments[m:]),
        )  # fmt: skip
        return cls(plan, solved)

    @property
    def loss(self) -> float:
        """What rounding can do to log Z and moments, a bound."""
        return self._solved.loss

    @property
    def log_partition(self) -> float:
        return self._solved.log_partition + float(np.log(2.0))

    def moments(self) -> np.ndarray:
        """E[x_i x_j] of each edge, E[x_i] of each edge of the auxiliary node."""
        return self.plan.graph.join(self._solved.moments(), self._solved.magnetizations())

    def curvature(self) -> np.ndarray:
        """Covariances of the edges' products."""
        graph, place = self.plan.graph, self.plan.place.copy()
        place[graph.is_field] = graph.n_edges + np.arange(graph.free_fields.size)
        return self._solved.hessian()[np.ix_(place, place)]

    def correlations(self) -> np.ndarray:
        """E[x_i x_j] of all pairs of nodes."""
        return extended_moments(self._solved.correlations(), self._solved.magnetizations())

    def sample(self, n_samples: int, rng: np.random.Generator) -> np.ndarray:
        """Independent exact samples of the spins with fields, (n_samples, n_spins - 1) int8."""
        return self._solved.sample(n_samples, rng)
