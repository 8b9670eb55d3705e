"""Why a likelihood with every field has no maximum: a direction in which it climbs for ever, found and proved.

The moments mu of the parameters' statistics phi(x) are averages of them, so they lie in the polytope of all phi(x), and
the maximum exists iff they lie inside. On a face there is a direction d with d.phi(x) <= d.mu for all configurations x:
then no x with d.phi(x) < d.mu has ever occurred, and the likelihood climbs along d without end. The extended graph has
K5 minors, so cycle inequalities (`existence`) find most faces and not all.

Which parameters run away is read off two fits whose moments are shrunk a little and less; among those a linear
program finds d, the normal of a facet, and whole numbers prove it.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from isingmap.errors import PrecisionError
from isingmap.inference.elimination.clique_tree import clique_tree, width_of
from isingmap.inference.elimination.configurations import most_probable
from isingmap.inference.elimination.fielded_block import FieldedPlan, TooWide, fielded_plan
from isingmap.inference.extended import ExtendedGraph
from isingmap.likelihood.newton import maximise
from isingmap.planar.blocks import block_labels

# Shares by which the moments are shrunk towards those of fair coins, where every fit has a maximum.
SHRINKAGES = (1e-5, 1e-7)
# A parameter that moves less than this between the two fits, or than this share of the one that moves most, stays.
LEAST_MOVE, LEAST_SHARE_OF_MOVE = 0.1, 1e-2
# Spins whose configurations are enumerated. Faces of more are found, but not looked through for smaller ones.
MOST_ENUMERATED = 10
# Of so many samples a linear program of more spins starts; each round adds the configuration that it lacks most.
FIRST_SAMPLES, MOST_ROUNDS = 1000, 200
# Below 1 by more than this the gauge of the moments says that they are inside.
ON_THE_FACE = 1e-9
# Facets have small whole numbers: times one of these a direction must be whole.
LARGEST_WEIGHT, WHOLE = 60, 1e-6
# Where counts are no whole numbers, rounding of this size, times the weights, is taken for none.
ROUNDING = 1e-12
SWEEP_UNIT = 2.0**40


@dataclass(frozen=True)
class Face:
    """A direction d in whole numbers with d.phi(x) <= limit for every configuration x, and limit <= d.mu.

    Attributes
    ----------
    edges : tuple of (node, node)
        Statistics with a weight: products of two spins, or of a spin and the auxiliary one, which comes second.
    weights : tuple of int
    limit : int
        The largest d.phi(x).
    slack : float
        limit - d.mu: zero, or negative where no distribution has these moments.
    auxiliary : int
        Number of the auxiliary node.
    """

    edges: tuple[tuple[int, int], ...]
    weights: tuple[int, ...]
    limit: int
    slack: float
    auxiliary: int

    @property
    def spins(self) -> tuple[int, ...]:
        """The spins that it is about, ascending."""
        return tuple(sorted({v for edge in self.edges for v in edge} - {self.auxiliary}))


def find_face(nodes: np.ndarray, edges: np.ndarray, moments: np.ndarray, n_samples: float | None = None) -> Face | None:
    """A face that holds the moments of a block, of as few spins as can be; None where none was found.

    Parameters
    ----------
    nodes : (k,) int array
        Ascending; the last one is the auxiliary node.
    edges : (m, 2) int array
        Between nodes, the auxiliary one second.
    moments : (m,) array
        E[x_i x_j], of the auxiliary node's edges E[x_i].
    n_samples : float, optional
        With it, and without weights or a prior, sums are whole numbers and the proof is exact.

    Raises
    ------
    TooWide
        See `fielded_plan`.
    """
    search = _Search(nodes, edges, moments, n_samples)
    moving, samples = _moving(fielded_plan(nodes, edges), moments)
    found = search.among(moving, samples)
    if found is None and nodes.size - 1 <= MOST_ENUMERATED:
        found = search.among(np.ones(len(edges), bool), samples)
    return None if found is None else search.smallest(found)


def face_of_graph(
    n_nodes: int, edges: np.ndarray, moments: np.ndarray, n_samples: float | None = None, of_edge: int | None = None
) -> Face | None:
    """The first face that `find_face` finds in a block of a graph with fields, the auxiliary node last.

    With `of_edge` only in the block of that edge. None also where a block is too wide to be looked at.
    """
    label = block_labels(n_nodes, edges)
    for block in range(int(label.max(initial=-1)) + 1) if of_edge is None else [label[of_edge]]:
        members = label == block
        if edges[members].max() != n_nodes - 1:  # no field: cycles decide
            continue
        try:
            face = find_face(np.unique(edges[members]), edges[members], moments[members], n_samples)
        except TooWide:
            continue
        if face is not None:
            return face
    return None


def _moving(plan: FieldedPlan, moments: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Which parameters run away as the moments come closer to those given, and samples from that far out."""
    near, far = SHRINKAGES
    try:
        first = maximise(plan, (1.0 - near) * moments, np.zeros(len(moments)))
        second = maximise(plan, (1.0 - far) * moments, first.couplings)
        samples = plan.solve(second.couplings).sample(FIRST_SAMPLES, np.random.default_rng(0))
    except PrecisionError:
        return np.zeros(len(moments), bool), np.empty((0, plan.graph.n_spins), np.int8)
    moved = np.abs(second.couplings - first.couplings)
    least = max(LEAST_MOVE, LEAST_SHARE_OF_MOVE * moved.max())
    return moved >= least, samples


@dataclass(frozen=True, eq=False)
class _Search:
    nodes: np.ndarray
    edges: np.ndarray
    moments: np.ndarray
    n_samples: float | None

    def among(self, chosen: np.ndarray, samples: np.ndarray) -> Face | None:
        """A face whose direction is made of the chosen parameters."""
        if not chosen.any():
            return None
        edges, moments = self.edges[chosen], self.moments[chosen]
        auxiliary = int(self.nodes[-1])
        spins = np.setdiff1d(edges, auxiliary)
        here = np.append(spins, auxiliary)
        graph = ExtendedGraph(spins.size, np.searchsorted(here, edges))
        few = spins.size <= MOST_ENUMERATED
        start = all_configurations(spins.size) if few else samples[:, np.searchsorted(self.nodes, spins)]
        direction = _normal(graph, moments, start)
        weights = None if direction is None else _whole(direction)
        return None if weights is None else self._proved(graph, edges, moments, weights)

    def _proved(self, graph: ExtendedGraph, edges, moments, weights: np.ndarray) -> Face | None:
        limit = int(weights @ graph.products(_best(graph, weights)).astype(np.int64))
        slack = _slack(weights, limit, moments, self.n_samples)
        if slack > 0.0:
            return None
        used = np.flatnonzero(weights)
        pairs = tuple((int(i), int(j)) for i, j in edges[used].tolist())
        return Face(pairs, tuple(weights[used].tolist()), limit, slack, int(self.nodes[-1]))

    def smallest(self, face: Face) -> Face:
        """A face of the same moments none of whose spins can be left out."""
        spins = list(face.spins)
        if len(spins) > MOST_ENUMERATED:
            return face
        for spin in face.spins:
            fewer = [other for other in spins if other != spin]
            inside = np.asarray(np.isin(self.edges, [*fewer, face.auxiliary]).all(axis=1))
            smaller = self.among(inside, np.empty((0, 0)))
            if smaller is not None:
                face, spins = smaller, [other for other in spins if other in smaller.spins]
        return face


def all_configurations(n_spins: int) -> np.ndarray:
    """Of a few spins, (2^n_spins, n_spins) int8."""
    return (2 * ((np.arange(2**n_spins)[:, None] >> np.arange(n_spins)) & 1) - 1).astype(np.int8)


def _normal(graph: ExtendedGraph, moments: np.ndarray, configurations: np.ndarray) -> np.ndarray | None:
    """The d of largest d.mu among those with d.phi(x) <= 1 for all x, if it reaches 1; None where mu is inside.

    No entry of d exceeds 1: the mean of phi(x) over all x with phi_e(x) = +-1 is 0 but for that entry.
    """
    from scipy.optimize import linprog  # hardly ever needed, and slow to load

    rows = np.unique(graph.products(configurations), axis=0)
    for _ in range(MOST_ROUNDS):
        found = linprog(-moments, A_ub=rows, b_ub=np.ones(len(rows)), bounds=(-1.0, 1.0), method="highs-ds")
        if found.status != 0 or -found.fun < 1.0 - ON_THE_FACE:
            return None
        worst = graph.products(_best(graph, np.rint(SWEEP_UNIT * found.x).astype(np.int64)))
        if found.x @ worst <= 1.0 + ON_THE_FACE:
            return found.x
        rows = np.vstack([rows, worst])
    return None


def _best(graph: ExtendedGraph, weights: np.ndarray) -> np.ndarray:
    """A configuration of the largest sum of weights times products, (n_spins,)."""
    tree = clique_tree(graph.n_spins, graph.edges, width_of(graph.n_spins, graph.edges))
    return most_probable(tree, *graph.split(weights))[0]


def _whole(direction: np.ndarray) -> np.ndarray | None:
    """The direction in small whole numbers, or None where there are none."""
    for factor in range(1, LARGEST_WEIGHT + 1):
        scaled = direction * (factor / np.abs(direction).max())
        if np.abs(scaled - np.rint(scaled)).max() < WHOLE:
            return np.rint(scaled).astype(np.int64)
    return None


def _slack(weights: np.ndarray, limit: int, moments: np.ndarray, n_samples: float | None) -> float:
    """limit - d.mu, in whole numbers where sums over the rows are whole."""
    if n_samples is not None and float(n_samples).is_integer():
        sums = moments * n_samples
        whole = np.rint(sums)
        if np.abs(sums - whole).max() < ROUNDING * n_samples:
            total = sum(w * int(s) for w, s in zip(weights.tolist(), whole.tolist(), strict=True))
            return (limit * int(n_samples) - total) / n_samples
    slack = float(limit - weights @ moments)
    return 0.0 if abs(slack) <= ROUNDING * np.abs(weights).sum() else slack
