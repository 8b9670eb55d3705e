"""A search under way: the model, the pairs that may still be joined, every step so far.

While a graph only grows, a pair that cannot be added, because the graph would not be planar or because its coupling
would be infinite, never can be added later; so both tests are made lazily, best pair first, and once, and
correlations of blocked pairs are not kept. After a removal everything is open again: `reopen`.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from isingmap.cached import cached_property
from isingmap.data.table import counted
from isingmap.inference.extended import ExtendedGraph
from isingmap.likelihood.existence import closing_obstacle, describe
from isingmap.planar.planarity import is_planar_kernel
from isingmap.structure.edge_gain import edge_gain
from isingmap.structure.options import SearchOptions
from isingmap.structure.problem import Problem
from isingmap.structure.result import FIELD, Exclusion
from isingmap.structure.state.archive import Archive
from isingmap.structure.state.candidates import Candidates, candidates_per_spin, joinable_pairs
from isingmap.structure.state.refitted_model import RefittedModel, starting_model
from isingmap.structure.state.stopping import StoppingRule

Pair = tuple[int, int]
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
        steps = tuple(Step(action, (i, j), *rest) for action, i, j, *rest in document["steps"])
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
    excluded : dict of pair to Exclusion
        Pairs that were passed over because their coupling would be infinite.
    stopped : str
        Why nothing more was added, when it was last tried.
    """

    def __init__(self, problem: Problem, options: SearchOptions):
        self.problem = problem
        self.rule = StoppingRule.of(problem, options)
        self.joinable = joinable_pairs(problem, candidates_per_spin(problem, options.n_candidates))
        self.begin = starting_model(problem.target, problem.raw, problem.required)
        self.model = self.begin
        self.steps: list[Step] = []
        self.excluded: dict[Pair, Exclusion] = {}
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
        return model.gain - self.rule.price.of_model(*self._counts(model))

    def log_likelihood(self, model: RefittedModel) -> float:
        """Total log-likelihood of the data, nats."""
        return self.problem.n_samples * (model.gain - self.n_spins * np.log(2.0))

    @property
    def prices(self) -> ByKind:
        """What one coupling more costs, and what one field more, nats per sample."""
        counts = self._counts(self.model)
        return self.rule.price.of_coupling(*counts), self.rule.price.of_field(*counts)

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

    def gain(self, pair: Pair) -> float:
        """Guaranteed gain of a pair whose correlation is kept."""
        return float(edge_gain(self.model.target[pair], self.model.correlations[pair]))

    def reopen(self) -> None:
        """Consider every pair again: what an edge forbade is possible without it."""
        self.model = self.model.with_all_correlations()
        self.complete = True
        self.reconsider()

    def reconsider(self) -> None:
        """Consider every pair whose correlation is kept."""
        open_pairs = self.joinable.copy()
        open_pairs[self.model.edges[:, 0], self.model.edges[:, 1]] = False
        self.candidates = Candidates(self.model.target, open_pairs)
        self._rescore()

    def _rescore(self) -> None:
        coupling, field = self.prices
        self.candidates.rescore(self.model.correlations, field - coupling)

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

    def record(self, action: str, edge: Pair, gain: float, model: RefittedModel, n_ties: int = 0) -> None:
        """Accept a change."""
        self.steps.append(Step(action, edge, gain, n_ties, self.log_likelihood(model), len(model.edges)))
        self.model = model
        self.complete = self.complete and action != "remove"

    def interrupt(self, n_steps: int) -> None:
        """Say that the search was ended from outside when it had made so many steps."""
        self.stopped = f"interrupted after {counted(n_steps, 'step')}"

    def add_best(self) -> bool:
        """Add the best pair; False, with the reason in `stopped`, when there is none worth it."""
        best = self.best_addable()
        if best is None:
            self.stopped = "no further pair can be added"
            return False
        i, j, gain, n_ties = best
        self.stopped = self.rule.reason(self._counts(self.model)[0], gain, self.prices[self.kind((i, j))])
        if self.stopped:
            return False
        self.record("add", (i, j), gain, self.model.with_edge(i, j).without_blocked_pairs(), n_ties)
        self.candidates.close(i, j)
        self._rescore()
        return True

    def best_addable(self) -> tuple[int, int, float, int] | None:
        """`Candidates.best` among the pairs that keep the graph planar and the estimate finite; closes the others."""
        while (best := self.candidates.best()) is not None:
            i, j, gain, _ = best
            if not is_planar_kernel(self.model.n_nodes, np.vstack([self.model.edges, [[i, j]]])):
                self.candidates.close(i, j)
                continue
            reason = self.obstacle(i, j)
            if not reason:
                return best
            self.candidates.close(i, j)
            self.excluded[i, j] = Exclusion(*self.ends((i, j)), gain, reason)
        return None

    def obstacle(self, i: int, j: int) -> str:
        """Why the coupling i-j would be infinite; empty when it would not."""
        found = _obstacle(self.model, i, j)
        return "" if found is None else describe(found, self.problem.labels)

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
        excluded = [[*pair, e.source, e.target, e.gain, e.reason] for pair, e in self.excluded.items()]
        return {"now": self.snapshot().saved(archive), "complete": self.complete, "excluded": excluded}

    def resume(self, document: dict, archive: Archive) -> None:
        """Go on from what `saved` wrote."""
        self.restore(Snapshot.restored(document["now"], archive))
        self.complete = document["complete"]
        self.excluded = {(i, j): Exclusion(*rest) for i, j, *rest in document["excluded"]}
        self.candidates = Candidates(self.model.target, archive.get_array("open_pairs"))
        self._rescore()


def addable(model: RefittedModel, i: int, j: int) -> bool:
    """Whether the graph with i-j is planar and its estimate exists."""
    if not is_planar_kernel(model.n_nodes, np.vstack([model.edges, [[i, j]]])):
        return False
    return _obstacle(model, i, j) is None


def _obstacle(model: RefittedModel, i: int, j: int):
    edges = model.edges
    observed = model.target[edges[:, 0], edges[:, 1]]
    return closing_obstacle(i, j, model.target[i, j], model.n_nodes, edges, observed)
