"""Starting again from a perturbed graph, and keeping the best of all."""

from __future__ import annotations

import numpy as np

from isingmap.structure.moves.add import add
from isingmap.structure.moves.drop import remove
from isingmap.structure.moves.move import Region
from isingmap.structure.state.archive import Archive
from isingmap.structure.state.search_state import Pair, SearchState, Snapshot, addable
from isingmap.structure.state.stopping import LEAST_IMPROVEMENT

# A perturbation takes out a share between these of the edges around a node and its neighbours, and puts in random
# pairs of them, one to so many.
SHARE_KICKED_OUT = (0.5, 1.0)
MOST_KICKED_IN = 3

Graph = tuple[Pair, ...]


class Restart:
    """Perturbations, each repaired by the other moves before the next.

    Parameters
    ----------
    n_restarts : int
        So many in a row may fail; an improvement gives them back.
    temperature : float
        Nats by which the result of a restart may fall short of the one before and still be the next to be perturbed,
        in the mean; falls to 0 with the restarts left.
    rng : Generator
        Draws the perturbations.

    Attributes
    ----------
    region : set of nodes or None
        Where the graph was perturbed and is to be repaired; None for everywhere.
    """

    def __init__(self, n_restarts: int, temperature: float, rng: np.random.Generator):
        self.n_restarts = n_restarts
        self.temperature = temperature
        self.rng = rng
        self.region: Region | None = None
        self._left = n_restarts
        self._base: Snapshot | None = None
        self._best: Snapshot | None = None
        self._equal: set[Graph] = set()

    @property
    def n_equal(self) -> int:
        """Different graphs of the best value that were met."""
        return max(len(self._equal), 1)

    def step(self, state: SearchState) -> bool:
        """Keep what the last restart led to, if it is good, and perturb again; False when enough have failed."""
        here = state.snapshot()
        if self._best is None or state.value(here.model) > state.value(self._best.model) + LEAST_IMPROVEMENT:
            if self._best is not None:
                self._left = self.n_restarts
            self._best, self._equal = here, {graph_of(here)}
        elif state.value(here.model) >= state.value(self._best.model) - LEAST_IMPROVEMENT:
            self._equal.add(graph_of(here))
            if graph_of(here) < graph_of(self._best):
                self._best = here
        self._base = here if self._base is None or self._accepts(state, self._base) else self._base
        if not self._left:
            return False
        self._left -= 1
        state.restore(self._base)
        state.reopen()
        self.region = kick(state, self.rng)
        state.reopen()
        return True

    def leave_best(self, state: SearchState) -> None:
        """Bring the state to the best result so far; of equally good graphs to the first by name."""
        if self._best is None:
            return
        lead = state.value(self._best.model) - state.objective
        is_first = graph_of(self._best) < graph_of(state.snapshot())
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
        return bool(temperature > 0 and self.rng.random() < np.exp(gained * state.problem.n_samples / temperature))

    def saved(self, archive: Archive) -> dict:
        """Everything: generator, graphs, restarts left."""
        snapshots = {"base": self._base, "best": self._best}
        return {
            "left": self._left,
            "equal": sorted(self._equal),
            "region": None if self.region is None else sorted(self.region),
            "rng": self.rng.bit_generator.state,
            "snapshots": {name: s.saved(archive) for name, s in snapshots.items() if s is not None},
        }

    def resume(self, document: dict, archive: Archive) -> None:
        """Go on with the same graphs and the same random numbers."""
        self._left = document["left"]
        self._equal = {tuple(archive.pairs(graph)) for graph in document["equal"]}
        self.region = None if document["region"] is None else archive.nodes(document["region"])
        self.rng.bit_generator.state = document["rng"]
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
        if wanted and (i, j) not in state.unfit and (i, j) not in state.model.pairs and addable(state.model, [(i, j)]):
            add(state, (i, j))
            wanted -= 1
