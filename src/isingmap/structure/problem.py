"""What is to be learned from: moments, the family of models, and what must be in the graph; checked once."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from numbers import Real
from typing import Any

import numpy as np

from isingmap.cached import cached_property, own_fields
from isingmap.data.moments import EmpiricalMoments
from isingmap.data.table import FIELD, Coding, checked_names
from isingmap.errors import DataError, ModelError, NonPlanarError
from isingmap.inference.extended import ExtendedGraph, extended_labels, extended_moments, pairs_with_auxiliary
from isingmap.likelihood.existence import find_obstacle, no_estimate_error
from isingmap.likelihood.fit import shrunk
from isingmap.model import IsingModel
from isingmap.option import check_options
from isingmap.planar.embedding import as_simple_edges, embed
from isingmap.structure.asked_by_name import numbers_of_edges, numbers_of_fields
from isingmap.structure.families import AUTO, FAMILIES, Family
from isingmap.structure.options import ProblemOptions


@dataclass(frozen=True, eq=False)
class Problem(ProblemOptions):
    """A learning problem.

    A search sees it as a zero-field model on nodes: the spins in the order of their names, on which ties depend, and
    the auxiliary node last.

    Parameters
    ----------
    moments : EmpiricalMoments
        Of -1/+1 data, in the caller's order.
    family : {"partial", "zero-field", "outer-planar", "planar", "auto"}
        Fields chosen by the search in competition with couplings; no fields; a field on every variable, which takes
        its room in the plane; a field on every variable beside a planar graph of couplings; the best of them.
    prior : float, optional
        Pseudo-observations spread evenly over all configurations; without it, pairs whose coupling would be
        infinite are passed over and listed in the result.
    fields : {"all", "paying"}
        In the family "planar": whether fields that are not worth their price are dropped in the end.
    required_edges : (k, 2) array of int or names, optional
        Edges that must be in the graph.
    graph : (k, 2) array of int or names, optional
        The graph, where it is given. Where a family chooses fields those are given too, as edges to number `n_spins`
        or the name "(field)".
    max_width : int, optional
        In the family "planar": pairs that would make the graph wider for elimination are passed over.
    required_fields : sequence of int or names, optional
        Variables that must have a field, where a family chooses or drops fields.

    Raises
    ------
    ModelError
        For an unknown family, fields without magnetizations, a senseless prior, settings of fields that the family
        has no use for, or edges and variables that are none.
    NonPlanarError
        When the required edges do not fit into the plane, together with the fields of the family.
    NoEstimateError
        When a required coupling or field would be infinite.
    DataError
        When names are empty or repeated, there are no observations, or the moments are not symmetric or leave [-1, 1].
        (Whether any distribution has them is checked by `moments_from_matrix`.)
    """

    moments: EmpiricalMoments

    def __getstate__(self) -> dict:
        """Without what can be computed again."""
        return own_fields(self)

    def __post_init__(self) -> None:
        check_options(self)
        if not isinstance(self.moments, EmpiricalMoments):
            raise ModelError(
                f"moments must be EmpiricalMoments, got {type(self.moments).__name__}; "
                "Problem.from_moments takes bare arrays"
            )
        if self.is_open:
            self._check_for_all()
            return
        if self.rules.has_fields and self.moments.magnetizations is None:
            raise ModelError(
                f'family="{self.family}" has fields and needs the magnetizations, E[x_i]: give magnetizations=, or use '
                'family="zero-field", which does without'
            )
        _check_moments(self.moments)
        self._check_fields()
        shrunk(np.empty(0), self.prior, self.moments.n_samples)
        if self.graph is not None:
            self.given_edges  # noqa: B018 - raises before any work
        if len(self.required):
            self._check_required()

    @classmethod
    def from_moments(
        cls,
        moments,
        n_samples: float,
        *,
        magnetizations=None,
        names: Sequence[str] | None = None,
        **options: Any,
    ) -> Problem:
        """A problem from bare arrays.

        Parameters
        ----------
        moments : (n_spins, n_spins) array
            E[x_i x_j] of -1/+1 data.
        n_samples : float
            Observations behind the moments.
        magnetizations : (n_spins,) array, optional
            E[x_i]; needed by the families with fields.
        names : sequence of str, optional
            Used for ties and messages; default "x1", ...
        options
            family, fields, prior, required_edges, graph, required_fields and max_width.

        Raises
        ------
        ModelError, DataError, NonPlanarError, NoEstimateError
            See `Problem`.
        """
        names = tuple(f"x{k + 1}" for k in range(len(moments))) if names is None else tuple(map(str, names))
        return cls(EmpiricalMoments(moments, magnetizations, n_samples, names), **options)

    @property
    def names(self) -> tuple[str, ...]:
        """Of the spins, in the caller's order."""
        return self.moments.names

    @property
    def n_spins(self) -> int:
        return len(self.names)

    @property
    def auxiliary_node(self) -> int:
        """Number of the node that carries the fields, the last one."""
        return self.n_spins

    @property
    def n_samples(self) -> float:
        return self.moments.n_samples

    @property
    def is_composite(self) -> bool:
        """Whether each moment rests on rows of its own, so that no likelihood of all rows has them."""
        return self.moments.pair_counts is not None

    @cached_property
    def counts(self) -> np.ndarray:
        """Observations behind each moment between nodes, (n_nodes, n_nodes)."""
        counts = self.moments.pair_counts
        if counts is None:
            return np.full((len(self.labels),) * 2, self.n_samples)
        ordered = counts[np.ix_(self.order, self.order)]
        return extended_moments(ordered, ordered.diagonal())

    @property
    def rules(self) -> Family:
        """The record of the family.

        Raises
        ------
        ModelError
            Where the family is open.
        """
        if self.is_open:
            raise ModelError(
                f'family="{AUTO}" is for learn_structure, which tries all; give one of {", ".join(FAMILIES)}'
            )
        return FAMILIES[self.family]

    @property
    def is_open(self) -> bool:
        """Whether the family is still to be chosen."""
        return self.family == AUTO

    def of_family(self, name: str) -> Problem:
        """The same problem with one family; dropped fields and width are for the family that knows them.

        Raises
        ------
        ModelError, NonPlanarError, NoEstimateError
            As for any problem.
        """
        foreign: dict[str, Any] = {"fields": "all", "max_width": None} if FAMILIES[name].fields_in_plane else {}
        return replace(self, family=name, **foreign)

    @cached_property
    def order(self) -> np.ndarray:
        """The caller's number of each spin, spins in order of their names, (n_spins,) int64."""
        return np.array(sorted(range(self.n_spins), key=self.names.__getitem__), dtype=np.int64)

    @cached_property
    def labels(self) -> tuple[str, ...]:
        """Names of the nodes."""
        return extended_labels([self.names[k] for k in self.order])

    @cached_property
    def codings(self) -> tuple[Coding | None, ...] | None:
        """What the values of the nodes stand for, None for the auxiliary one; None where it is not known."""
        codings = self.moments.codings
        return None if codings is None else (*(codings[k] for k in self.order), None)

    @cached_property
    def raw(self) -> np.ndarray:
        """Moments between nodes as observed, (n_nodes, n_nodes); the log-likelihood is theirs."""
        means = self.moments.magnetizations
        ordered = np.asarray(self.moments.moments, float)[np.ix_(self.order, self.order)]
        return extended_moments(ordered, None if means is None else np.asarray(means, float)[self.order])

    @cached_property
    def target(self) -> np.ndarray:
        """Moments to match, shrunk by the prior, (n_nodes, n_nodes)."""
        target = shrunk(self.raw, self.prior, self.n_samples).copy()
        np.fill_diagonal(target, 1.0)
        return target

    @cached_property
    def required(self) -> np.ndarray:
        """Edges between nodes that a search leaves in the graph, with the fields that are there from the start, (k, 2).

        Raises
        ------
        ModelError
            Where the required edges or fields are none.
        """
        edges = np.empty((0, 2), np.int64)
        if self.required_edges is not None:
            given = numbers_of_edges(self.required_edges, self.names, "required_edges")
            edges = np.sort(np.argsort(self.order)[given], axis=1)
        fields = np.arange(self.n_spins) if self.rules.every_field else self.kept_fields
        return np.vstack([edges, pairs_with_auxiliary(self.n_spins, fields)])

    @cached_property
    def kept_fields(self) -> np.ndarray:
        """Nodes whose field was asked for, ascending, int64.

        Raises
        ------
        ModelError
            Where they are none.
        """
        if self.required_fields is None:
            return np.empty(0, np.int64)
        return np.unique(np.argsort(self.order)[numbers_of_fields(self.required_fields, self.names)])

    @property
    def drops_fields(self) -> bool:
        """Whether fields that do not pay are dropped in the end."""
        return self.fields == "paying"

    @cached_property
    def given_edges(self) -> np.ndarray:
        """The given graph in the caller's order, (k, 2); where the family chooses fields, with the auxiliary node.

        Raises
        ------
        ModelError
            Where the edges of `graph` are none.
        """
        with_fields = self.rules.has_fields and not self.rules.every_field
        return numbers_of_edges(self.graph, (*self.names, FIELD) if with_fields else self.names, "graph")

    @property
    def room(self) -> int:
        """Most edges that a planar graph on the nodes has.

        Raises
        ------
        ModelError
            Where the family is open.
        """
        if not self.rules.fields_in_plane:
            return 3 * self.n_spins - 6 + self.n_spins
        return 3 * (self.n_spins + self.rules.has_fields) - 6

    def model(self, edges: np.ndarray, couplings: np.ndarray) -> IsingModel:
        """The model with these edges between nodes, in the caller's order of the spins."""
        graph = ExtendedGraph(self.n_spins, edges).renumbered(self.order)
        return IsingModel(graph.edges, *graph.split(couplings), names=self.names, free_fields=graph.is_free)

    def _check_for_all(self) -> None:
        """What no family could do anything with."""
        _check_moments(self.moments)
        shrunk(np.empty(0), self.prior, self.moments.n_samples)
        if self.graph is not None:
            raise ModelError(
                f'a given graph is fitted in one family, and family="{AUTO}" compares what searches find; give family='
                '"planar" (a field on every variable), or another'
            )
        if self.required_edges is not None:
            numbers_of_edges(self.required_edges, self.names, "required_edges")
        if self.is_composite:
            raise ModelError(
                f'family="{AUTO}" compares exact likelihoods, and with missing="pairwise" there is none. Give one of '
                'the families, or another rule for missing cells, such as missing="drop"'
            )
        self.kept_fields  # noqa: B018 - raises where they are none

    def _check_fields(self) -> None:
        """What is asked of the fields fits the family."""
        if self.drops_fields and self.rules.fields_in_plane:
            raise ModelError(
                f'fields="paying" goes with family="planar"; family="{self.family}" {self.rules.about_fields}. '
                "Leave one of them out"
            )
        if self.max_width is not None and self.rules.fields_in_plane:
            raise ModelError(
                f'max_width={self.max_width} goes with family="planar", which eliminates variables; '
                f'family="{self.family}" needs no limit. Leave one of them out'
            )
        if len(self.kept_fields) and not self.rules.has_fields:
            raise ModelError(
                f'required_fields must be left out with family="{self.family}", which {self.rules.about_fields}; '
                'family="planar" gives every variable a field, and family="partial" those that are worth it'
            )

    def _explained(self, error: NonPlanarError) -> NonPlanarError:
        """Where fields take room in the plane, the error says so."""
        if not (self.rules.has_fields and self.rules.fields_in_plane):
            return error
        message = (
            f'{error}. In family="{self.family}" a field takes the room of an edge to one node more; family="planar" '
            "gives every variable a field beside the plane"
        )
        return NonPlanarError(message, kind=error.kind, subgraph=error.subgraph, branch_nodes=error.branch_nodes)

    def _check_required(self) -> None:
        edges, n_nodes = self.required, len(self.labels)
        drawn = edges if self.rules.fields_in_plane else edges[edges[:, 1] != self.auxiliary_node]
        try:
            embed(n_nodes, as_simple_edges(drawn, n_nodes), labels=self.labels)
        except NonPlanarError as error:
            raise self._explained(error) from None
        obstacle = find_obstacle(n_nodes, edges, self.target[edges[:, 0], edges[:, 1]])
        if obstacle is not None:
            raise no_estimate_error(obstacle, self.labels, self.prior, self.codings)


def _check_moments(given: EmpiricalMoments) -> None:
    """Averages of products of -1/+1 values, one row and column for each name."""
    names, moments, means = given.names, given.moments, given.magnetizations
    n = len(names)
    checked_names(names, n)
    if not n:
        raise DataError("there is no variable to learn from")
    if not (isinstance(given.n_samples, Real) and 0 < given.n_samples < np.inf):
        raise DataError(f"n_samples must be a positive number of observations, got {given.n_samples!r}")
    if moments.shape != (n, n):
        raise ModelError(f"moments must have shape ({n}, {n}), one row and column for each name; got {moments.shape}")
    if means is not None and means.shape != (n,):
        raise ModelError(f"magnetizations must have shape ({n},), got {means.shape}")
    bad = ~(np.abs(moments) <= 1.0 + 1e-12) | ~(np.abs(moments - moments.T) <= 1e-9)
    if bad.any():
        i, j = np.argwhere(bad)[0].tolist()
        raise DataError(
            f"moments[{names[i]}, {names[j]}] is {moments[i, j]} and [{names[j]}, {names[i]}] {moments[j, i]}; "
            "averages of products of -1/+1 values are symmetric and lie in [-1, 1]"
        )
    if means is not None and not (np.abs(means) <= 1.0 + 1e-12).all():
        k = int(np.flatnonzero(~(np.abs(means) <= 1.0 + 1e-12))[0])
        raise DataError(f"magnetizations[{names[k]}] is {means[k]}; averages of -1/+1 values lie in [-1, 1]")
