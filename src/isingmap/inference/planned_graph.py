"""Everything about a model that does not depend on its numbers, computed once for all models on the same graph."""

from __future__ import annotations

from dataclasses import dataclass

from isingmap.cached import cached_property
from isingmap.errors import NonPlanarError
from isingmap.inference.elimination.clique_tree import CliqueTree, Width, clique_tree, width_of
from isingmap.inference.elimination.too_wide import MOST_SPINS, too_wide
from isingmap.inference.extended import ExtendedGraph, extended_labels
from isingmap.inference.zero_field.plan import DualPlan, plan_of, triangulated
from isingmap.planar.triangulation import Triangulation


@dataclass(frozen=True, eq=False)
class PlannedGraph:
    """A graph with its fields; planarity and plan are looked at when asked for, each once.

    Attributes
    ----------
    graph : ExtendedGraph
    names : tuple of str
        Of the spins, for errors.
    """

    graph: ExtendedGraph
    names: tuple[str, ...]

    @cached_property
    def _verdict(self) -> Triangulation | NonPlanarError:
        try:
            return triangulated(self.graph.n_nodes, self.graph.extended_edges, labels=extended_labels(self.names))
        except NonPlanarError as error:
            # Its traceback would keep everything alive that was at work.
            return error.with_traceback(None)

    @property
    def is_planar(self) -> bool:
        """Whether the graph with the auxiliary spin is planar."""
        return isinstance(self._verdict, Triangulation)

    @property
    def triangulation(self) -> Triangulation:
        """The extended graph, embedded and completed.

        Raises
        ------
        NonPlanarError
            Explains what fields mean for planarity.
        """
        verdict = self._verdict
        if isinstance(verdict, NonPlanarError):
            raise self.graph.explained(verdict)
        return verdict

    @cached_property
    def plan(self) -> DualPlan:
        """Plan of the extended graph.

        Raises
        ------
        NonPlanarError
            As in `triangulation`.
        """
        return plan_of(self.graph.n_nodes, self.triangulation)

    @cached_property
    def width(self) -> Width | None:
        """What eliminating the variables one by one would need; None above the size up to which that is looked at."""
        return width_of(self.graph.n_spins, self.graph.edges) if self.graph.n_spins <= MOST_SPINS else None

    @cached_property
    def clique_tree(self) -> CliqueTree:
        """Plan of the elimination of the graph without the auxiliary spin, for models that are not planar with it.

        Raises
        ------
        NonPlanarError
            When its tables do not fit: why the other engine cannot answer either, the width, and what would help.
        """
        if self.width is None or not self.width.fits:
            verdict = self._verdict
            assert isinstance(verdict, NonPlanarError)
            raise too_wide(self.graph.explained(verdict), self.graph, self.names, self.width)
        return clique_tree(self.graph.n_spins, self.graph.edges, self.width)
