"""A planar zero-field model that gains and loses edges and stays at its maximum of the likelihood.

Adding an edge merges the blocks between its ends into one; only that block is refitted, and only correlations that
pass through it change (mathematics: blocks are independent given the cut nodes they share).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from isingmap.inference.dual import plan
from isingmap.inference.engine import safe_correlations
from isingmap.inference.solution import DualSolution, solve_dual
from isingmap.likelihood.fit import tree_couplings
from isingmap.likelihood.newton import maximise
from isingmap.planar.separators import attachment, block_labels


@dataclass(frozen=True, eq=False)
class GrowingModel:
    """State of the search; `with_edge` and `without_edge` return the next state and leave this one as it is.

    Attributes
    ----------
    target : (n_nodes, n_nodes) array
        Moments to match (shrunk, if there is a prior).
    raw : (n_nodes, n_nodes) array
        Moments as observed; the log-likelihood is theirs.
    edges, couplings : (n_edges, 2), (n_edges,) arrays
    correlate : callable
        Makes the correlations; most states of a search are only weighed and never asked for them.
    block : (n_edges,) int array
        Number of the block of each edge; numbers are never used again.
    block_gain : dict
        What each block adds to the mean log-likelihood of independent fair spins, nats per sample.
    next_block : int
    gradient_norm : float
        Largest of all block fits so far.
    converged : bool
    """

    target: np.ndarray
    raw: np.ndarray
    edges: np.ndarray
    couplings: np.ndarray
    correlate: Callable[[], np.ndarray]
    block: np.ndarray
    block_gain: dict[int, float]
    next_block: int = 0
    gradient_norm: float = 0.0
    converged: bool = True

    @cached_property
    def correlations(self) -> np.ndarray:
        """E[x_i x_j] of the model, (n_nodes, n_nodes)."""
        return self.correlate()

    @property
    def n_nodes(self) -> int:
        return len(self.target)

    @property
    def gain(self) -> float:
        """Mean log-likelihood above that of independent fair spins, nats per sample."""
        return sum(self.block_gain.values())

    @property
    def pairs(self) -> list[tuple[int, int]]:
        """The edges as tuples."""
        return list(map(tuple, self.edges.tolist()))

    def with_edge(self, i: int, j: int) -> GrowingModel:
        """Add the edge i-j (the caller knows that it keeps the graph planar) and refit what changes."""
        first = np.arctanh(self.target[i, j]) - np.arctanh(self.correlations[i, j])
        return self.with_block(np.array([[i, j]]), np.array([first]))

    def with_block(self, new_edges: np.ndarray, first_couplings: np.ndarray) -> GrowingModel:
        """Add edges that end up in one block, refit that block and pass the change on."""
        edges = np.vstack([self.edges, new_edges])
        couplings = np.concatenate([self.couplings, first_couplings])
        block = np.concatenate([self.block, np.full(len(new_edges), -1)])
        label = block_labels(self.n_nodes, edges)
        return self._refitted(edges, couplings, block, np.flatnonzero(label == label[-1]))

    def without_edge(self, k: int) -> GrowingModel:
        """Take edge number k out and refit what is left of its block."""
        members = np.flatnonzero(self.block == self.block[k])
        nodes = np.unique(self.edges[members])
        kept = np.delete(np.arange(len(self.edges)), k)
        members = np.searchsorted(kept, members[members != k])
        return self._refitted(self.edges[kept], self.couplings[kept], self.block[kept], members, nodes, self.block[k])

    def _refitted(self, edges, couplings, block, members, nodes=None, gone=None) -> GrowingModel:
        """Refit the part made of edges[members] on `nodes` and carry its new correlations to everything around.

        `gone` names a block that no longer has its number on all of its edges.
        """
        nodes = np.unique(edges[members]) if nodes is None else nodes
        local = np.searchsorted(nodes, edges[members])
        ends = edges[members, 0], edges[members, 1]
        part = fit_part(nodes.size, local, self.target[ends], self.raw[ends], couplings[members])
        couplings = couplings.copy()
        couplings[members] = part.couplings
        replaced = {gone, *block[members].tolist()}
        gains = {number: gain for number, gain in self.block_gain.items() if number not in replaced}
        first_number = self.next_block
        block = block.copy()
        block[members] = first_number + part.block
        gains.update({first_number + k: gain for k, gain in enumerate(part.gains)})
        return replace(
            self,
            edges=edges,
            couplings=couplings,
            correlate=lambda: _through_block(
                self.correlations, edges, members, nodes, safe_correlations(part.solution, part.couplings)
            ),
            block=block,
            block_gain=gains,
            next_block=first_number + len(part.gains),
            gradient_norm=max(self.gradient_norm, part.gradient_norm),
            converged=self.converged and part.converged,
        )


@dataclass(frozen=True, eq=False)
class PartFit:
    """The fit of a part of the graph, block by block."""

    couplings: np.ndarray
    block: np.ndarray
    gains: list[float]
    solution: DualSolution
    gradient_norm: float
    converged: bool


def fit_part(n_nodes: int, edges, target, raw, start) -> PartFit:
    """Fit a connected or disconnected part on its own nodes; `start` holds couplings close to the result."""
    label = block_labels(n_nodes, edges)
    couplings = np.arctanh(target)
    gains, norm, converged = [], 0.0, True
    whole = None
    for number in range(int(label.max(initial=-1)) + 1):
        members = np.flatnonzero(label == number)
        nodes, local = np.unique(edges[members], return_inverse=True)
        if members.size == 1:
            theta = couplings[members[0]]
            gains.append(float(raw[members[0]] * theta - np.log(np.cosh(theta))))
            continue
        fit = maximise(plan(nodes.size, local.reshape(-1, 2)), target[members], start[members])
        couplings[members] = fit.couplings
        free_spins = nodes.size * np.log(2.0)
        gains.append(float(raw[members] @ fit.couplings - fit.solution.log_partition + free_spins))
        norm, converged = max(norm, fit.gradient_norm), converged and fit.converged
        if nodes.size == n_nodes:
            whole = fit.solution
    whole = whole or solve_dual(plan(n_nodes, edges), couplings)
    return PartFit(couplings, label, gains, whole, norm, converged)


def _through_block(correlations, edges, members, nodes, inside) -> np.ndarray:
    """New correlations of all pairs: those that hang on different nodes of the block meet through it."""
    n_nodes = len(correlations)
    in_core = np.zeros(n_nodes, bool)
    in_core[nodes] = True
    is_core_edge = np.zeros(len(edges), bool)
    is_core_edge[members] = True
    hangs_on = attachment(n_nodes, edges, in_core, is_core_edge)
    reached = np.flatnonzero(hangs_on >= 0)
    foot = hangs_on[reached]
    to_foot = correlations[reached, foot]
    place = np.searchsorted(nodes, foot)
    through = to_foot[:, None] * inside[np.ix_(place, place)] * to_foot[None, :]
    same_foot = foot[:, None] == foot[None, :]
    updated = correlations.copy()
    updated[np.ix_(reached, reached)] = np.where(same_foot, correlations[np.ix_(reached, reached)], through)
    return updated


def starting_model(target: np.ndarray, raw: np.ndarray, edges: np.ndarray) -> GrowingModel:
    """The fitted model on a starting graph (which the caller has checked), possibly without edges."""
    n_nodes = len(target)
    model = GrowingModel(
        target, raw, np.empty((0, 2), np.int64), np.empty(0), lambda: np.eye(n_nodes), np.empty(0, np.int64), {}
    )
    if not len(edges):
        return model
    moments = target[edges[:, 0], edges[:, 1]]
    guess = tree_couplings(n_nodes, edges, moments)
    label = block_labels(n_nodes, edges)
    for block in range(int(label.max()) + 1):
        members = np.flatnonzero(label == block)
        model = model.with_block(edges[members], guess[members])
    return model
