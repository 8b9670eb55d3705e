"""Starting again from a perturbed graph, and keeping the best of all."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from isingmap.structure.moves.add import add
from isingmap.structure.moves.drop import remove
from isingmap.structure.moves.move import Region
from isingmap.structure.state.archive import Archive
from isingmap.structure.state.search_state import Pair, PassedOver, SearchState, Snapshot, addable
from isingmap.structure.state.stopping import LEAST_IMPROVEMENT

# A perturbation takes out a share between these of the edges around a node and its neighbours, and puts in random
# pairs of them, one to so many.
SHARE_KICKED_OUT = (0.5, 1.0)
MOST_KICKED_IN = 3

# What a restart draws: where and how the graph is perturbed, and whether a worse result is accepted.
KICK, ACCEPTANCE = 0, 1

Graph = tuple[Pair, ...]
# What a restart came to.
Repaired = tuple[Snapshot, PassedOver]


@dataclass(frozen=True, eq=False)
class Perturbation:
    """All that a restart depends on: the graph that it perturbs, what was passed over before, and its number."""

    base: Snapshot
    passed_over: PassedOver
    number: int


class Restart:
    """Perturbations, each repaired by the other moves before the next.

    A restart is a function of the graph that it perturbs and of its number: what earlier ones drew, and what they found
    cannot be fitted, is nothing to it. So several can be tried at once, and those after one that changed the base are
    thrown away (`Restart.take`).

    Parameters
    ----------
    n_restarts : int
        So many in a row may fail; an improvement gives them back.
    temperature : float
        Nats by which the result of a restart may fall short of the one before and still be the next to be perturbed,
        in the mean; falls to 0 with the restarts left.
    seed : int
        With the number of a restart it says what is drawn.

    Attributes
    ----------
    region : set of nodes or None
        Where the graph was perturbed and is to be repaired; None for everywhere.
    number : int
        Of the last restart; 0 before the first.
    """

    def __init__(self, n_restarts: int, temperature: float, seed: int):
        self.n_restarts = n_restarts
        self.temperature = temperature
        self.seed = seed
        self.region: Region | None = None
        self.number = 0
        self._left = n_restarts
        self._base: Snapshot | None = None
        self._best: Snapshot | None = None
        self._equal: set[Graph] = set()
        self._passed_over: PassedOver | None = None  # when the first restart began
        self._ever: PassedOver | None = None  # in any of them

    @property
    def n_equal(self) -> int:
        """Different graphs of the best value that were met."""
        return max(len(self._equal), 1)

    @property
    def n_left(self) -> int:
        """Restarts that may still fail."""
        return self._left

    def judge(self, state: SearchState) -> None:
        """Keep what the search, or the last restart, led to, if it is good."""
        here = state.snapshot()
        self._passed_over = state.passed_over if self._passed_over is None else self._passed_over
        self._ever = state.passed_over if self._ever is None else self._ever.with_those_of(state.passed_over)
        if self._best is None or state.value(here.model) > state.value(self._best.model) + LEAST_IMPROVEMENT:
            if self._best is not None:
                self._left = self.n_restarts
            self._best, self._equal = here, {graph_of(here)}
        elif state.value(here.model) >= state.value(self._best.model) - LEAST_IMPROVEMENT:
            self._equal.add(graph_of(here))
            if graph_of(here) < graph_of(self._best):
                self._best = here
        self._base = here if self._base is None or self._accepts(state, self._base) else self._base

    def next(self, n_restarts: int) -> list[Perturbation]:
        """The next restarts, as many as may still fail and no more than asked for, should none change the base."""
        assert self._base is not None and self._passed_over is not None
        numbers = range(self.number + 1, self.number + 1 + min(n_restarts, self._left))
        return [Perturbation(self._base, self._passed_over, number) for number in numbers]

    def perturb(self, state: SearchState, asked: Perturbation) -> None:
        """Begin a restart, to be repaired by the other moves."""
        self._left -= 1
        self.number = asked.number
        state.restore(asked.base)
        state.pass_over(asked.passed_over)
        state.reopen()
        self.region = kick(state, self._generator(KICK))
        state.reopen()

    def take(self, state: SearchState, repaired: list[Repaired]) -> None:
        """Take over the next restarts, carried out elsewhere, up to the first that changes what is to be perturbed."""
        base = self._base
        for snapshot, passed_over in repaired:
            self._left -= 1
            self.number += 1
            state.restore(snapshot)
            state.pass_over(passed_over)
            self.judge(state)
            if self._base is not base:
                break

    def leave_best(self, state: SearchState) -> None:
        """Bring the state to the best result so far; of equally good graphs to the first by name."""
        if self._best is None or self._ever is None:
            return
        state.pass_over(self._ever.with_those_of(state.passed_over))
        lead = state.value(self._best.model) - state.objective
        # The same graph counts as the first, too: what is found once more lies at the end of a longer path.
        is_first = graph_of(self._best) <= graph_of(state.snapshot())
        if lead >= 0 or (is_first and lead >= -LEAST_IMPROVEMENT):
            state.restore(self._best)

    def _accepts(self, state: SearchState, base: Snapshot) -> bool:
        gained = state.objective - state.value(base.model)
        if gained > LEAST_IMPROVEMENT:
            return True
        if not self.temperature:
            return False
        # Annealing: a worse result is the next base with the probability of Metropolis.
        temperature = self.temperature * self._left / self.n_restarts
        chance = np.exp(gained * state.problem.n_samples / temperature) if temperature > 0 else 0.0
        return bool(self._generator(ACCEPTANCE).random() < chance)

    def _generator(self, purpose: int) -> np.random.Generator:
        return np.random.default_rng([self.seed, self.number, purpose])

    def saved(self, archive: Archive) -> dict:
        """Everything: numbers, graphs, restarts left."""
        snapshots = {"base": self._base, "best": self._best}
        passed_over = {"before": self._passed_over, "ever": self._ever}
        return {
            "left": self._left,
            "number": self.number,
            "equal": sorted(self._equal),
            "region": None if self.region is None else sorted(self.region),
            "passed_over": {name: list(map(sorted, found)) for name, found in passed_over.items() if found is not None},
            "snapshots": {name: s.saved(archive) for name, s in snapshots.items() if s is not None},
        }

    def resume(self, document: dict, archive: Archive) -> None:
        """Go on with the same graphs and the same numbers."""
        self._left, self.number = document["left"], document["number"]
        self._equal = {tuple(archive.pairs(graph)) for graph in document["equal"]}
        self.region = None if document["region"] is None else archive.nodes(document["region"])
        passed_over = {
            name: PassedOver(*(frozenset(archive.pairs(pairs)) for pairs in kinds))
            for name, kinds in document["passed_over"].items()
        }
        self._passed_over, self._ever = passed_over.get("before"), passed_over.get("ever")
        found = {n: Snapshot.restored(s, archive) for n, s in document["snapshots"].items()}
        self._base, self._best = found.get("base"), found.get("best")


def graph_of(snapshot: Snapshot) -> Graph:
    """The edges in the order of the names, by which equally good graphs are told apart."""
    return tuple(sorted(snapshot.model.pairs))


def kick(state: SearchState, rng: np.random.Generator) -> Region:
    """Around a random node take a random share of the edges out and put a few random pairs in; the nodes concerned.

    A node is the more likely the worse the model fits its pairs: where edges are wrong, what they block fits badly.
    """
    edges = state.model.drawn_edges
    centre = _misfitting_node(state, rng)
    core = np.unique(np.append(edges[(edges == centre).any(axis=1)], centre))
    touched = edges[np.isin(edges, core).any(axis=1)]
    region = np.unique(np.append(touched, core))
    share = rng.uniform(*SHARE_KICKED_OUT)
    state.keep_faces()
    for i, j in touched[rng.random(len(touched)) < share].tolist():
        if (i, j) not in state.required:
            remove(state, (i, j))
    state.reopen()
    _put_in(state, region, rng)
    return frozenset(region.tolist())


def _misfitting_node(state: SearchState, rng: np.random.Generator) -> int:
    known = state.joinable & ~np.isnan(state.model.correlations)
    misfit = np.zeros(known.shape)
    misfit[known] = state.model.gains(*np.nonzero(known))
    misfit = np.maximum(misfit.sum(axis=0) + misfit.sum(axis=1), LEAST_IMPROVEMENT)
    return int(rng.choice(state.model.n_nodes, p=misfit / misfit.sum()))


def _put_in(state: SearchState, region: np.ndarray, rng: np.random.Generator) -> None:
    """Join a few random pairs of the region."""
    wanted = int(rng.integers(1, MOST_KICKED_IN + 1))
    pairs = region[np.argwhere(state.joinable[np.ix_(region, region)])]
    for i, j in pairs[rng.permutation(len(pairs))].tolist():
        if wanted and _can_be_joined(state, (i, j)):
            add(state, (i, j))
            wanted -= 1


def _can_be_joined(state: SearchState, pair: Pair) -> bool:
    model = state.model
    if pair in state.unfit or pair in model.pairs or not addable(model, [pair]):
        return False
    return not np.isnan(model.correlations[pair])  # in a large block only those of pairs on common faces are known
