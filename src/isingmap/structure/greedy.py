"""The greedy search of the paper (Algorithm 1), exact: always the addable pair of largest KL gain.

Johnson, Netrapalli & Chertkov, "Learning Planar Ising Models", AISTATS 2011. While a graph only grows, a pair
that cannot be added, because the graph would not be planar or because its coupling would be infinite, never can be
added later, so both tests are made lazily, best pair first, and once, and correlations of blocked pairs are not kept.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from isingmap.likelihood.existence import closing_obstacle, describe
from isingmap.planar.planarity import is_planar_kernel
from isingmap.structure.growing import GrowingModel
from isingmap.structure.result import FIELD, Exclusion
from isingmap.structure.scores import EBIC_GAMMA, edge_gain, parameter_price

# Gains closer than this are a tie; refits are exact to about 1e-10.
TIE_TOLERANCE = 1e-9


@dataclass(frozen=True)
class StoppingRule:
    """When to stop adding edges; the first condition met counts."""

    criterion: str
    min_gain: float | None
    n_edges: int | None
    n_samples: float
    n_nodes: int
    gamma: float = EBIC_GAMMA

    def reason(self, n_couplings: int, gain: float) -> str:
        """Why not to add an edge of this gain to a model with so many couplings; empty to go on."""
        if self.n_edges is not None and n_couplings >= self.n_edges:
            return f"reached n_edges={self.n_edges}"
        shown = f"the best gain, {gain:.3g} nats per sample, is below"
        if self.min_gain is not None and gain < self.min_gain:
            return f"{shown} min_gain={self.min_gain:g}"
        if gain < self.price:
            return f"{shown} the {self.criterion.upper()} price of a parameter, {self.price:.3g}"
        return ""

    @property
    def price(self) -> float:
        """Gain in nats per sample that a parameter must bring."""
        return parameter_price(self.criterion, self.n_samples, self.n_nodes, self.gamma)


@dataclass(frozen=True)
class Step:
    """One accepted change, "add" or "remove", the KL bound on its gain or loss, and where it leads."""

    action: str
    edge: tuple[int, int]
    gain: float
    n_ties: int
    log_likelihood: float
    n_parameters: int


@dataclass(frozen=True, eq=False)
class Snapshot:
    """A state that a search may come back to."""

    model: GrowingModel
    steps: tuple[Step, ...]
    stopped: str


class Candidates:
    """Pairs that may still be added, with their gains; nodes are in the order of their names."""

    def __init__(self, target: np.ndarray, open_pairs: np.ndarray):
        self._target = target
        self.open_pairs = open_pairs
        self._gain = np.full(target.shape, -np.inf)

    def rescore(self, correlations: np.ndarray) -> None:
        """Bring the gains of all open pairs up to date; a pair without a correlation is closed."""
        self.open_pairs &= ~np.isnan(correlations)
        self._gain[:] = -np.inf
        self._gain[self.open_pairs] = edge_gain(self._target[self.open_pairs], correlations[self.open_pairs])

    def close(self, i: int, j: int) -> None:
        self.open_pairs[i, j] = False
        self._gain[i, j] = -np.inf

    def best(self) -> tuple[int, int, float, int] | None:
        """(i, j, gain, ties) of the best open pair, the first by name among equals; None when nothing is open."""
        largest = self._gain.max(initial=-np.inf)
        if largest == -np.inf:
            return None
        tied = np.argwhere(self._gain >= largest - TIE_TOLERANCE * largest - 1e-15)
        i, j = tied[0].tolist()
        return i, j, float(self._gain[i, j]), len(tied) - 1


class Search:
    """A model under construction, the pairs that may still be added, and every step so far.

    Nodes are numbered in the order of their names, the auxiliary node last.
    """

    def __init__(self, model: GrowingModel, open_pairs: np.ndarray, rule: StoppingRule, labels: tuple[str, ...]):
        self.model = model
        self.rule = rule
        self.labels = labels
        self.open_pairs = open_pairs
        self.steps: list[Step] = []
        self.excluded: dict[tuple[int, int], Exclusion] = {}
        self.stopped = ""
        self.reopen()

    @property
    def n_spins(self) -> int:
        return len(self.labels) - 1

    @property
    def objective(self) -> float:
        """What a search maximises: mean log-likelihood gain less the price of the edges, nats per sample."""
        return self.value(self.model)

    def value(self, model: GrowingModel) -> float:
        """The objective of a model."""
        return model.gain - self.rule.price * len(model.edges)

    def log_likelihood(self, model: GrowingModel) -> float:
        """Total log-likelihood of the data, nats."""
        return self.rule.n_samples * (model.gain - self.n_spins * np.log(2.0))

    def reopen(self) -> None:
        """Consider every pair again: what an edge forbade is possible without it."""
        self.model = self.model.with_all_correlations()
        self.reconsider()

    def reconsider(self) -> None:
        """Consider every pair whose correlation is kept."""
        open_pairs = self.open_pairs.copy()
        open_pairs[self.model.edges[:, 0], self.model.edges[:, 1]] = False
        self.candidates = Candidates(self.model.target, open_pairs)
        self.candidates.rescore(self.model.correlations)

    def snapshot(self) -> Snapshot:
        """What `restore` needs to come back here."""
        return Snapshot(self.model, tuple(self.steps), self.stopped)

    def restore(self, saved: Snapshot) -> None:
        """Come back to an earlier state, its path included."""
        self.model, self.steps, self.stopped = saved.model, list(saved.steps), saved.stopped

    def record(self, action: str, edge: tuple[int, int], gain: float, model: GrowingModel, n_ties: int = 0) -> None:
        """Accept a change."""
        self.steps.append(Step(action, edge, gain, n_ties, self.log_likelihood(model), len(model.edges)))
        self.model = model

    def add_best(self) -> bool:
        """Add the best pair; False, with the reason in `stopped`, when there is none worth it."""
        best = self.best_addable()
        if best is None:
            self.stopped = "no further pair can be added"
            return False
        i, j, gain, n_ties = best
        self.stopped = self.rule.reason(int((self.model.edges[:, 1] < self.n_spins).sum()), gain)
        if self.stopped:
            return False
        self.record("add", (i, j), gain, self.model.with_edge(i, j).without_blocked_pairs(), n_ties)
        self.candidates.close(i, j)
        self.candidates.rescore(self.model.correlations)
        return True

    def best_addable(self) -> tuple[int, int, float, int] | None:
        """`Candidates.best` among the pairs that keep the graph planar and the estimate finite; closes the others."""
        while (best := self.candidates.best()) is not None:
            i, j, gain, _ = best
            if not is_planar_kernel(len(self.labels), np.vstack([self.model.edges, [[i, j]]])):
                self.candidates.close(i, j)
                continue
            reason = self.obstacle(i, j)
            if not reason:
                return best
            self.candidates.close(i, j)
            self.excluded[i, j] = Exclusion(self.labels[i], self.other_end(j), gain, reason)
        return None

    def obstacle(self, i: int, j: int) -> str:
        """Why the coupling i-j would be infinite; empty when it would not."""
        edges, target = self.model.edges, self.model.target
        observed = target[edges[:, 0], edges[:, 1]]
        found = closing_obstacle(i, j, target[i, j], len(target), edges, observed)
        return "" if found is None else describe(found, self.labels)

    def other_end(self, j: int) -> str:
        """Name of the second node of an edge."""
        return FIELD if j == self.n_spins else self.labels[j]
