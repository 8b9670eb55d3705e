"""Everything about a model that does not depend on its numbers, computed once for all models on the same graph."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

from isingmap.cached import cached_property
from isingmap.errors import NonPlanarError
from isingmap.inference.elimination.clique_tree import CliqueTree, Width, clique_tree, width_of
from isingmap.inference.elimination.too_wide import MOST_SPINS, too_wide
from isingmap.inference.extended import ExtendedGraph, extended_labels
from isingmap.inference.precision import (
    MOST_ADDITIONS_BEFORE_DETERMINANTS,
    MOST_ADDITIONS_BEFORE_MATCHING,
    MOST_SPINS_BEFORE_DETERMINANTS,
    MOST_SPINS_BEFORE_MATCHING,
)
from isingmap.inference.zero_field.plan import DualPlan, plan_of, triangulated
from isingmap.planar.planarity import is_planar_kernel
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

    @property
    def is_small(self) -> bool:
        """Whether elimination is at least as fast as determinants, for all questions."""
        return self._takes(MOST_SPINS_BEFORE_DETERMINANTS, MOST_ADDITIONS_BEFORE_DETERMINANTS)

    @property
    def is_maximised_by_elimination(self) -> bool:
        """Whether that finds a ground state at least as fast as matching does; a first use compiles less, too."""
        return self._takes(MOST_SPINS_BEFORE_MATCHING, MOST_ADDITIONS_BEFORE_MATCHING)

    def _takes(self, most_spins: int, most_additions: int) -> bool:
        """Whether elimination takes no more than this."""
        if self.graph.n_spins > most_spins or self.width is None:
            return False
        return self.width.fits and self.width.cost <= most_additions

    @cached_property
    def clique_tree(self) -> CliqueTree:
        """Plan of the elimination of the graph without the auxiliary spin.

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

    @cached_property
    def parts(self) -> tuple[Part, ...]:
        """Pieces to be solved one by one, where the whole is neither planar nor narrow; empty if it is or is one piece.

        All planar pieces are one part, each other piece is one.
        """
        if self.is_planar or (self.width is not None and self.width.fits):
            return ()
        groups = _groups(self.graph)
        return tuple(self._part(spins) for spins in groups) if len(groups) > 1 else ()

    def _part(self, spins: np.ndarray) -> Part:
        return Part(PlannedGraph(_within(self.graph, spins), tuple(self.names[k] for k in spins)), self.graph, spins)


@dataclass(frozen=True, eq=False)
class Part:
    """Some connected pieces of a model without those to which nothing ties them.

    Attributes
    ----------
    planned : PlannedGraph
        Its own graph; edges and fields in the order of the whole.
    whole : ExtendedGraph
    spins : int64 array
        Its spins in the numbers of the whole.
    """

    planned: PlannedGraph
    whole: ExtendedGraph
    spins: np.ndarray

    @cached_property
    def extended_edges(self) -> np.ndarray:
        """Numbers of its extended edges among those of the whole."""
        return np.flatnonzero(np.isin(self.whole.extended_edges[:, 0], self.spins))

    @cached_property
    def edges(self) -> np.ndarray:
        """Numbers of its edges among those of the whole."""
        return np.flatnonzero(np.isin(self.whole.edges[:, 0], self.spins))

    @cached_property
    def parameters(self) -> np.ndarray:
        """Numbers of its edges, then of its free fields, among those of the whole."""
        return np.append(self.edges, self.whole.n_edges + np.flatnonzero(np.isin(self.whole.free_fields, self.spins)))


def _within(graph: ExtendedGraph, spins: np.ndarray) -> ExtendedGraph:
    """The graph on some spins, of which none has an edge to others."""
    place = np.full(graph.n_spins + 1, -1)
    place[spins], place[-1] = np.arange(spins.size), spins.size
    own = np.isin(graph.extended_edges[:, 0], spins)
    return ExtendedGraph(spins.size, place[graph.extended_edges[own]])


def _groups(graph: ExtendedGraph) -> list[np.ndarray]:
    """The spins of all planar pieces together, and those of each other piece."""
    ends = graph.edges.astype(np.int32)  # SciPy's graph functions take no others before 1.17
    ties = coo_array((np.ones(len(ends)), (ends[:, 0], ends[:, 1])), (graph.n_spins,) * 2)
    n_pieces, piece = connected_components(ties, directed=False)
    pieces = _sorted_by(piece, n_pieces)
    place = np.empty(graph.n_spins + 1, np.int64)
    together: list[np.ndarray] = [np.empty(0, np.int64)]
    apart: list[np.ndarray] = []
    for spins, own in zip(pieces, _sorted_by(piece[graph.extended_edges[:, 0]], n_pieces), strict=True):
        place[spins], place[-1] = np.arange(spins.size), spins.size
        drawn = is_planar_kernel(spins.size + 1, np.ascontiguousarray(place[graph.extended_edges[own]]))
        (together if drawn else apart).append(spins)
    planar = np.sort(np.concatenate(together))
    return [planar, *apart] if planar.size else apart


def _sorted_by(kind: np.ndarray, n_kinds: int) -> list[np.ndarray]:
    """Where each kind is."""
    return np.split(np.argsort(kind, kind="stable"), np.cumsum(np.bincount(kind, minlength=n_kinds))[:-1])
