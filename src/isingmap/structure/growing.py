"""A planar zero-field model that grows edge by edge and stays at its maximum of the likelihood.

Adding an edge merges the blocks between its ends into one; only that block is refitted, and only correlations that
pass through it change (mathematics: blocks are independent given the cut nodes they share).
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from isingmap.inference.dual import plan
from isingmap.likelihood.fit import first_guess
from isingmap.likelihood.newton import maximise
from isingmap.planar.separators import attachment, block_labels


@dataclass(frozen=True, eq=False)
class GrowingModel:
    """State of the search after some edges; `with_edge` returns the next state and leaves this one as it is.

    Attributes
    ----------
    target : (n_nodes, n_nodes) array
        Moments to match (shrunk, if there is a prior).
    raw : (n_nodes, n_nodes) array
        Moments as observed; the log-likelihood is theirs.
    edges, couplings : (n_edges, 2), (n_edges,) arrays
    correlations : (n_nodes, n_nodes) array
        E[x_i x_j] of the model.
    block : (n_edges,) int array
        Number of the block of each edge; numbers are never used again.
    block_gain : dict
        What each block adds to the mean log-likelihood of independent fair spins, nats per sample.
    gradient_norm : float
        Largest of all block fits so far.
    converged : bool
    """

    target: np.ndarray
    raw: np.ndarray
    edges: np.ndarray
    couplings: np.ndarray
    correlations: np.ndarray
    block: np.ndarray
    block_gain: dict[int, float]
    gradient_norm: float = 0.0
    converged: bool = True

    @property
    def n_nodes(self) -> int:
        return len(self.target)

    @property
    def gain(self) -> float:
        """Mean log-likelihood above that of independent fair spins, nats per sample."""
        return sum(self.block_gain.values())

    def with_edge(self, i: int, j: int) -> GrowingModel:
        """Add the edge i-j (the caller knows that it keeps the graph planar) and refit what changes."""
        first = np.arctanh(self.target[i, j]) - np.arctanh(self.correlations[i, j])
        return self.with_block(np.array([[i, j]]), np.array([first]))

    def with_block(self, new_edges: np.ndarray, first_couplings: np.ndarray) -> GrowingModel:
        """Add edges that end up in one block, refit that block and pass the change on."""
        edges = np.vstack([self.edges, new_edges])
        couplings = np.concatenate([self.couplings, first_couplings])
        label = block_labels(self.n_nodes, edges)
        members = np.flatnonzero(label == label[-1])
        nodes, local = np.unique(edges[members], return_inverse=True)
        local = local.reshape(-1, 2)
        moments = self.target[edges[members, 0], edges[members, 1]]
        result = maximise(plan(nodes.size, local), moments, couplings[members])
        couplings[members] = result.couplings
        number = max(self.block_gain, default=-1) + 1
        block = np.concatenate([self.block, np.full(len(new_edges), number)])
        gone = set(block[members].tolist())
        block[members] = number
        gains = {k: v for k, v in self.block_gain.items() if k not in gone}
        observed = self.raw[edges[members, 0], edges[members, 1]]
        gains[number] = float(
            observed @ result.couplings - result.solution.log_partition + nodes.size * np.log(2.0)
        )
        return replace(
            self,
            edges=edges,
            couplings=couplings,
            correlations=_through_block(self.correlations, edges, members, nodes, result.solution.correlations()),
            block=block,
            block_gain=gains,
            gradient_norm=max(self.gradient_norm, result.gradient_norm),
            converged=self.converged and result.converged,
        )


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
        target, raw, np.empty((0, 2), np.int64), np.empty(0), np.eye(n_nodes), np.empty(0, np.int64), {}
    )
    if not len(edges):
        return model
    moments = target[edges[:, 0], edges[:, 1]]
    guess = first_guess(moments)
    label = block_labels(n_nodes, edges)
    for block in range(int(label.max()) + 1):
        members = np.flatnonzero(label == block)
        model = model.with_block(edges[members], guess[members])
    return model
