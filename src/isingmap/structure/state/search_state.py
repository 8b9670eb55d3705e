"""A search under way: the model, the pairs that may still be joined, every step so far.

While a graph only grows, a pair that cannot be added, because the graph would not be planar or because its coupling
would be infinite, never can be added later; so both tests are made lazily, best pair first, and once, and
correlations of blocked pairs are not kept. After a removal everything is open again: `reopen`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from isingmap.cached import cached_property
from isingmap.data.table import FIELD, counted
from isingmap.errors import PrecisionError
from isingmap.inference.elimination.fielded_block import TooWide
from isingmap.inference.extended import ExtendedGraph
from isingmap.likelihood.existence import closing_obstacle, describe, refuse_face
from isingmap.structure.options import SearchOptions
from isingmap.structure.problem import Problem
from isingmap.structure.state.archive import Archive
from isingmap.structure.state.candidates import Candidates, candidates_per_spin, joinable_pairs
from isingmap.structure.state.plane import plane_of
from isingmap.structure.state.refitted_model import RefittedModel, starting_model
from isingmap.structure.state.stopping import StoppingRule

Pair = tuple[int, int]
MOST_TESTED_TOGETHER = 64
# A number for a coupling and one for a field.
ByKind = tuple[float, float]


@dataclass(frozen=True)
class Step:
    """One accepted change, "add" or "remove", the KL bound on its gain or loss, and where it leads."""

    action: str
    edge: Pair
    gain: float
    n_ties: int
    log_likelihood: float
    n_parameters: int


class PassedOver(NamedTuple):
    """Pairs that were not added: see the attributes of `SearchState`."""

    excluded: frozenset[Pair]
    unfit: frozenset[Pair]
    too_wide: frozenset[Pair]

    def with_those_of(self, other: PassedOver) -> PassedOver:
        """The pairs of both."""
        return PassedOver(*(mine | theirs for mine, theirs in zip(self, other, strict=True)))


@dataclass(frozen=True, eq=False)
class Snapshot:
    """A state that a search may come back to."""

    model: RefittedModel
    steps: tuple[Step, ...]
    stopped: str

    def saved(self, archive: Archive) -> dict:
        """A JSON document that `restored` understands."""
        steps = [[s.action, *s.edge, s.gain, s.n_ties, s.log_likelihood, s.n_parameters] for s in self.steps]
        return {"model": archive.put_model(self.model), "steps": steps, "stopped": self.stopped}

    @classmethod
    def restored(cls, document: dict, archive: Archive) -> Snapshot:
        """The snapshot that wrote the document."""
        edges = archive.pairs([i, j] for _, i, j, *_ in document["steps"])
        steps = tuple(Step(s[0], edge, *s[3:]) for s, edge in zip(document["steps"], edges, strict=True))
        return cls(archive.get_model(document["model"]), steps, document["stopped"])


class SearchState:
    """A model under construction, the pairs that may still be added, and every step so far.

    Parameters
    ----------
    problem : Problem
    options : SearchOptions

    Attributes
    ----------
    problem : Problem
    rule : StoppingRule
    joinable : (n_nodes, n_nodes) bool array
        Pairs i < j that may ever be joined; required ones are there from the start.
    begin : RefittedModel
        The model of the required edges.
    model : RefittedModel
    steps : list of Step
    candidates : Candidates
    complete : bool
        Whether all pairs are considered; removals make pairs possible whose correlations were not kept.
    excluded : set of pairs
        Passed over because their coupling would be infinite.
    too_wide : set of pairs
        Those of `unfit` that would have made the graph too wide for elimination.
    unfit : set of pairs
        Passed over for good because doubles could not fit a graph with them.
    stopped : str
        Why nothing more was added, when it was last tried.
    """

    def __init__(self, problem: Problem, options: SearchOptions):
        self.problem = problem
        self.rule = StoppingRule.of(problem, options)
        self.joinable = joinable_pairs(problem, candidates_per_spin(problem, options.n_candidates))
        self.begin = _begin(problem)
        self.model = self.begin
        self.steps: list[Step] = []
        self.excluded: set[Pair] = set()
        self.unfit: set[Pair] = set()
        self.too_wide: set[Pair] = set()
        self.stopped = ""
        self.reopen()

    @cached_property
    def required(self) -> frozenset[Pair]:
        """Pairs whose edge must stay."""
        return frozenset(map(tuple, self.problem.required.tolist()))

    @property
    def n_spins(self) -> int:
        return self.problem.n_spins

    @property
    def objective(self) -> float:
        """What a search maximises: mean log-likelihood gain less the price of the parameters, nats per sample."""
        return self.value(self.model)

    def value(self, model: RefittedModel) -> float:
        """The objective of a model."""
        surcharge = float(self.rule.surcharge[model.edges[:, 0], model.edges[:, 1]].sum())
        return model.gain - (self.rule.price.of_model(*self._counts(model)) + surcharge)

    def log_likelihood(self, model: RefittedModel) -> float:
        """Total log-likelihood of the data, nats."""
        return self.problem.n_samples * (model.gain - self.n_spins * np.log(2.0))

    def price(self, pair: Pair) -> float:
        """What the coupling or field of a pair costs, nats per sample."""
        return self.prices[self.kind(pair)] + float(self.rule.surcharge[pair])

    def saving(self, pair: Pair) -> float:
        """What taking out the coupling or field of a pair saves, nats per sample."""
        return self.savings[self.kind(pair)] + float(self.rule.surcharge[pair])

    @property
    def edge_savings(self) -> np.ndarray:
        """`saving` of each edge of the model, (n_edges,)."""
        return np.array(self.savings)[self.kinds] + self.rule.surcharge[self.model.edges[:, 0], self.model.edges[:, 1]]

    @property
    def prices(self) -> ByKind:
        """What one coupling more costs, and what one field more, nats per sample, before the surcharge of the pair."""
        return self.prices_of(self.model)

    def prices_of(self, model: RefittedModel) -> ByKind:
        """`prices` where another model stands."""
        counts = self._counts(model)
        return self.rule.price.of_coupling(*counts), self.rule.price.of_field(*counts)

    @property
    def savings(self) -> ByKind:
        """What one coupling less saves, and what one field less, nats per sample."""
        n_couplings, n_fields = self._counts(self.model)
        price = self.rule.price
        return price.of_coupling(max(n_couplings - 1, 0), n_fields), price.of_field(n_couplings, max(n_fields - 1, 0))

    def kind(self, pair: Pair) -> int:
        """0 for a coupling, 1 for a field."""
        return int(pair[1] == self.problem.auxiliary_node)

    @property
    def kinds(self) -> np.ndarray:
        """`kind` of each edge of the model, (n_edges,) int."""
        return ExtendedGraph(self.n_spins, self.model.edges).is_field.astype(np.int64)

    def _counts(self, model: RefittedModel) -> tuple[int, int]:
        """(couplings, fields)"""
        graph = ExtendedGraph(self.n_spins, model.edges)
        return graph.n_edges, graph.free_fields.size

    def is_full(self, model: RefittedModel) -> bool:
        """Whether a model has as many couplings as were asked for, so that another must not be added."""
        return self.rule.n_edges is not None and self._counts(model)[0] >= self.rule.n_edges

    def gain(self, pair: Pair) -> float:
        """Guaranteed gain of a pair whose correlation is kept."""
        return float(self.model.gains(*pair))

    def reopen(self) -> None:
        """Consider every pair again: what an edge forbade is possible without it."""
        self.model = self.model.with_all_correlations()
        self.complete = True
        self.reconsider()

    def reconsider(self) -> None:
        """Consider every pair whose correlation is kept."""
        self.candidates = Candidates(self.open_pairs(self.model))
        self._rescore()

    def open_pairs(self, model: RefittedModel) -> np.ndarray:
        """Pairs i < j that a model lacks and may have, (n_nodes, n_nodes) bool."""
        open_pairs = self.joinable.copy()
        open_pairs[model.edges[:, 0], model.edges[:, 1]] = False
        for pair in self.unfit:
            open_pairs[pair] = False
        return open_pairs

    def _rescore(self) -> None:
        coupling, field = self.prices
        handicap = self.rule.surcharge.copy()
        handicap[:, -1] += field - coupling
        self.candidates.rescore(self.model, handicap)

    def keep_faces(self, also: Pair | None = None) -> None:
        """Keep only the correlations of pairs on common faces, and of one pair more: what swaps need."""
        self.model = self.model.with_face_correlations(also)

    def snapshot(self) -> Snapshot:
        """What `restore` needs to come back here."""
        return Snapshot(self.model, tuple(self.steps), self.stopped)

    def restore(self, saved: Snapshot) -> None:
        """Come back to an earlier state, its path included; `reopen` brings the candidates up to date."""
        self.model, self.steps, self.stopped = saved.model, list(saved.steps), saved.stopped
        self.complete = False

    @property
    def passed_over(self) -> PassedOver:
        """Which pairs were not added so far."""
        return PassedOver(frozenset(self.excluded), frozenset(self.unfit), frozenset(self.too_wide))

    def pass_over(self, pairs: PassedOver) -> None:
        """Pass over these pairs and no others."""
        self.excluded, self.unfit, self.too_wide = map(set, pairs)

    def record(self, action: str, edge: Pair, gain: float, model: RefittedModel, n_ties: int = 0) -> None:
        """Accept a change."""
        self.steps.append(Step(action, edge, gain, n_ties, self.log_likelihood(model), len(model.edges)))
        self.model = model
        self.complete = self.complete and action != "remove"

    def interrupt(self, n_steps: int) -> None:
        """Say that the search was ended from outside when it had made so many steps."""
        self.stopped = f"interrupted after {counted(n_steps, 'step')}"

    def reason(self, pair: Pair, gain: float, named: str = "") -> str:
        """Why not to add the best pair that can be added, as `StoppingRule.reason`; empty to go on."""
        return self.rule.reason(self._counts(self.model)[0], gain, self.price(pair), named)

    def add_best(self) -> bool:
        """Add the best pair; False, with the reason in `stopped`, when there is none worth it."""
        best = self.best_addable()
        if best is None:
            self.stopped = "no further pair can be added"
            return False
        i, j, gain, n_ties = best
        self.stopped = self.reason((i, j), gain)
        if self.stopped:
            return False
        larger = self.enlarged(i, j)
        if larger is not None:
            self.record("add", (i, j), gain, larger.without_blocked_pairs(), n_ties)
        self.candidates.close(i, j)
        self._rescore()
        return True

    def enlarged(self, i: int, j: int) -> RefittedModel | None:
        """The model with the edge i-j; None, and the pair is passed over, where doubles cannot fit it."""
        try:
            return self.model.with_edge(i, j)
        except PrecisionError as error:
            self.unfit.add((i, j))
            if isinstance(error, TooWide):
                self.too_wide.add((i, j))
            return None

    def best_addable(self) -> tuple[int, int, float, int] | None:
        """`Candidates.best` among the pairs that keep the graph planar and the estimate finite; closes the others."""
        together = 1
        while (best := self.candidates.best()) is not None:
            i, j, *_ = best
            if not self.model.has_room(i, j):
                self.candidates.close(i, j)
                self._close_blocked(together)
                together = min(2 * together, MOST_TESTED_TOGETHER)
                continue
            if _obstacle(self.model, i, j) is None:
                return best
            self.candidates.close(i, j)
            self.excluded.add((i, j))
        return None

    def _close_blocked(self, n_pairs: int) -> None:
        """Close those of the best open pairs that the plane has no room for: one by one it takes several times as long.

        The more of them were blocked so far, the more it is worth while to look at together.
        """
        leading = self.candidates.leading(n_pairs)
        for pair in {*leading} - {*self.model.with_room(leading)}:
            self.candidates.close(*pair)

    def obstacle(self, i: int, j: int) -> str:
        """Why the coupling i-j would be infinite; empty when it would not."""
        found = _obstacle(self.model, i, j)
        return "" if found is None else describe(found, self.problem.labels, self.problem.codings)

    def other_end(self, j: int) -> str:
        """Name of the second node of an edge."""
        return FIELD if j == self.problem.auxiliary_node else self.problem.labels[j]

    def ends(self, pair: Pair) -> tuple[str, str]:
        """Names of the ends of an edge, in the order of the model's edges; the second of a field is "(field)"."""
        if not self.kind(pair):
            pair = pair if self.problem.order[pair[0]] < self.problem.order[pair[1]] else pair[::-1]
        return self.problem.labels[pair[0]], self.other_end(pair[1])

    def saved(self, archive: Archive) -> dict:
        """A JSON document that `resume` understands; arrays go into the archive."""
        archive.put_array("open_pairs", self.candidates.open_pairs)
        pairs = {name: sorted(found) for name, found in self.passed_over._asdict().items()}
        return {"now": self.snapshot().saved(archive), "complete": self.complete, **pairs}

    def resume(self, document: dict, archive: Archive) -> None:
        """Go on from what `saved` wrote."""
        self.restore(Snapshot.restored(document["now"], archive))
        self.complete = document["complete"]
        self.pass_over(PassedOver(*(frozenset(archive.pairs(document[name])) for name in PassedOver._fields)))
        self.candidates = Candidates(archive.get_mask("open_pairs"))
        self._rescore()


def _begin(problem: Problem) -> RefittedModel:
    """The model of the required edges, fitted; the problem has checked that no cycle forbids it.

    Raises
    ------
    NoEstimateError, PrecisionError
        Where it has no maximum, with the combination of values that never occurs, or without a proof.
    """
    try:
        model = starting_model(problem.target, problem.raw, problem.required, plane_of(problem))
    except PrecisionError:
        _refuse_face(problem)
        raise
    if not model.converged:
        _refuse_face(problem)
    return model


def _refuse_face(problem: Problem) -> None:
    if problem.rules.fields_in_plane:
        return
    edges = problem.required
    target = problem.target[edges[:, 0], edges[:, 1]]
    known = {"n_samples": problem.n_samples, "prior": problem.prior, "codings": problem.codings}
    refuse_face(len(problem.labels), edges, target, problem.labels, **known)


def addable(model: RefittedModel, pairs: list[Pair]) -> list[Pair]:
    """Of some pairs those with which the graph is planar and its estimate exists."""
    return [pair for pair in model.with_room(pairs) if _obstacle(model, *pair) is None]


def _obstacle(model: RefittedModel, i: int, j: int):
    edges = model.edges
    observed = model.target[edges[:, 0], edges[:, 1]]
    return closing_obstacle(i, j, model.target[i, j], model.n_nodes, edges, observed)
