"""A planar zero-field model that gains and loses edges and stays at its maximum of the likelihood.

Adding an edge merges the blocks between its ends into one; only that block is refitted, and only correlations that
pass through it change (mathematics: blocks are independent given the cut nodes they share).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from isingmap.compiled import kernel
from isingmap.inference.rungs import zero_field_ladder
from isingmap.inference.zero_field.plan import plan
from isingmap.inference.zero_field.solution import MOST_SPINS_INVERTED, DualSolution, solve_dual
from isingmap.likelihood.fit import tree_couplings
from isingmap.likelihood.quasi_newton import Refit, Worth, refit, refit_exactly, refit_with_edge, without_row
from isingmap.planar.blocks import attachment, block_labels
from isingmap.planar.cofacial import blocked_pairs, cofacial_pairs

# Looking for blocked pairs takes a planarity test each, so blocks this small are left alone, and it is done again
# only when the graph has grown by this factor.
FEWEST_NODES_CHECKED = 40
GROWTH_BETWEEN_CHECKS = 17 / 16


@dataclass(frozen=True, eq=False)
class BlockFit:
    """The fit of one block at its maximum.

    Attributes
    ----------
    couplings : (n_edges,) array
        In the order of the model's edges.
    gain : float
        What the block adds to the mean log-likelihood of independent fair spins, nats per sample.
    inverse_hessian : (n_edges, n_edges) array
        Approximate, the lower triangle only.
    solution : DualSolution or None
        None for a single edge.
    gradient_norm, converged
        See `Refit`.
    """

    couplings: np.ndarray
    gain: float
    inverse_hessian: np.ndarray
    solution: DualSolution | None
    gradient_norm: float = 0.0
    converged: bool = True

    @property
    def n_nodes(self) -> int:
        return 2 if self.solution is None else self.solution.plan.n_spins

    def correlations(self, asked: np.ndarray | None = None) -> np.ndarray:
        """E[x_i x_j] of the block's nodes, in their order; with `asked` only of its pairs."""
        if self.solution is not None:
            return _correlations(self.solution, self.couplings, asked)
        moment = np.tanh(self.couplings[0])
        return np.array([[1.0, moment], [moment, 1.0]])


def _correlations(solution: DualSolution, couplings: np.ndarray, asked: np.ndarray | None) -> np.ndarray:
    return zero_field_ladder(solution.plan, couplings, solution).ask_unmeasured(lambda rung: rung.correlations(asked))


def _bridge(target: float, raw: float) -> BlockFit:
    """A block of one edge has a closed form."""
    theta = np.arctanh(target)
    gain = float(raw * theta - np.log(np.cosh(theta)))
    return BlockFit(np.array([theta]), gain, np.array([[1.0 / (1.0 - target**2)]], order="F"), None)


def _fitted(found: Refit, raw: np.ndarray) -> BlockFit:
    """A refitted block with what it gains on the moments as observed."""
    free_spins = found.solution.plan.n_spins * np.log(2.0)
    gain = float(raw @ found.couplings - found.solution.log_partition + free_spins)
    return BlockFit(found.couplings, gain, found.inverse_hessian, found.solution, found.gradient_norm, found.converged)


def local_edges(edges: np.ndarray) -> tuple[int, np.ndarray]:
    """Number of nodes that edges touch, and the edges in terms of them."""
    nodes, local = np.unique(edges, return_inverse=True)
    return nodes.size, local.reshape(-1, 2)


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
    fits : dict
        The fit of each block by its number.
    next_block : int
    gradient_norm : float
        Largest of all block fits so far.
    converged : bool
    n_edges_checked : int
        Edges when blocked pairs were last looked for; 0 while the correlations of all pairs are kept. Afterwards the
        correlations of some pairs are kept, and a pair that comes up when an edge is removed can be among the others.
    """

    target: np.ndarray
    raw: np.ndarray
    edges: np.ndarray
    couplings: np.ndarray
    correlate: Callable[[], np.ndarray]
    block: np.ndarray
    fits: dict[int, BlockFit]
    next_block: int = 0
    gradient_norm: float = 0.0
    converged: bool = True
    n_edges_checked: int = 0

    @cached_property
    def correlations(self) -> np.ndarray:
        """E[x_i x_j] of the model, (n_nodes, n_nodes); NaN for pairs that are not kept."""
        return self.correlate()

    @property
    def n_nodes(self) -> int:
        return len(self.target)

    @property
    def gain(self) -> float:
        """Mean log-likelihood above that of independent fair spins, nats per sample."""
        return sum(fit.gain for fit in self.fits.values())

    @property
    def pairs(self) -> list[tuple[int, int]]:
        """The edges as tuples."""
        return list(map(tuple, self.edges.tolist()))

    @property
    def coupling_variances(self) -> np.ndarray:
        """Diagonal of the inverse Hessian (approximate), (n_edges,): sampling variance times the sample size."""
        variances = np.empty(len(self.edges))
        for number, fit in self.fits.items():
            variances[self.block == number] = fit.inverse_hessian.diagonal()
        return variances

    def with_edge(self, i: int, j: int) -> GrowingModel:
        """Add the edge i-j (the caller knows that it keeps the graph planar) and refit what changes."""
        return self.with_edge_if_worth(i, j, -np.inf)

    def with_edge_if_worth(self, i: int, j: int, least: float) -> GrowingModel | None:
        """`with_edge`, or None as soon as its refit shows that the gain will be below `least`."""
        edges = np.vstack([self.edges, [[i, j]]])
        label = block_labels(self.n_nodes, edges)
        members = np.flatnonzero(label == label[-1])
        target, raw = self._moments(edges[members])
        old = members[:-1]
        if old.size:
            graph = plan(*local_edges(edges[members]))
            merged = sum(self.fits[number].gain for number in np.unique(self.block[old]).tolist())
            worth = Worth(raw, least - self.gain + merged - graph.n_spins * np.log(2.0))
            inverse = self._inverse_hessian(old)
            found = refit_with_edge(graph, target, self.couplings[old], inverse, self.correlations[i, j], worth)
            if found is None:
                return None
            fit = _fitted(found, raw)
        else:
            fit = _bridge(target[0], raw[0])
        return self._changed(edges, np.append(self.couplings, 0.0), np.append(self.block, -1), members, [fit])

    def with_block(self, new_edges: np.ndarray, first_couplings: np.ndarray) -> GrowingModel:
        """Add edges that are a block of their own; `first_couplings` are the start of their fit."""
        edges = np.vstack([self.edges, new_edges])
        members = np.arange(len(self.edges), len(edges))
        target, raw = self._moments(new_edges)
        if len(new_edges) == 1:
            fit = _bridge(target[0], raw[0])
        else:
            fit = _fitted(refit_exactly(plan(*local_edges(new_edges)), target, first_couplings), raw)
        block = np.append(self.block, np.full(len(new_edges), -1))
        return self._changed(edges, np.append(self.couplings, first_couplings), block, members, [fit])

    def without_edge(self, k: int) -> GrowingModel:
        """Take edge number k out and refit what is left of its block."""
        members = np.flatnonzero(self.block == self.block[k])
        inverse = without_row(self._inverse_hessian(members), int(np.searchsorted(members, k)))
        nodes = np.unique(self.edges[members])
        members = members[members != k]
        label = block_labels(self.n_nodes, self.edges[members])
        fits = [self._refit(members, inverse, label == part) for part in range(int(label.max(initial=-1)) + 1)]
        kept = np.delete(np.arange(len(self.edges)), k)
        return self._changed(
            self.edges[kept],
            self.couplings[kept],
            self.block[kept],
            np.searchsorted(kept, members),
            fits,
            label,
            nodes,
            gone=int(self.block[k]),
        )

    def _refit(self, members: np.ndarray, inverse: np.ndarray, chosen: np.ndarray) -> BlockFit:
        """Refit members[chosen], a block; `inverse` belongs to all members."""
        edges = members[chosen]
        target, raw = self._moments(self.edges[edges])
        if edges.size == 1:
            return _bridge(target[0], raw[0])
        start = np.asfortranarray(inverse[np.ix_(chosen, chosen)])
        return _fitted(refit(plan(*local_edges(self.edges[edges])), target, self.couplings[edges], start), raw)

    def _moments(self, edges: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        ends = edges[:, 0], edges[:, 1]
        return self.target[ends], self.raw[ends]

    def _inverse_hessian(self, members: np.ndarray) -> np.ndarray:
        """Of the edges of whole blocks together, lower triangle; not to be written to."""
        number = self.block[members]
        blocks = np.unique(number).tolist()
        if len(blocks) == 1:
            return self.fits[blocks[0]].inverse_hessian
        result = np.zeros((members.size, members.size), order="F")
        for block in blocks:
            spots = np.flatnonzero(number == block)
            result[np.ix_(spots, spots)] = self.fits[block].inverse_hessian
        return result

    def _changed(self, edges, couplings, block, members, fits, label=None, nodes=None, gone=None) -> GrowingModel:
        """The state in which edges[members], blocks `label`, have new fits; correlations follow when asked for.

        `nodes` are those of the members and of a removed edge; `gone` names a block that lost its number.
        """
        label = np.zeros(members.size, np.int64) if label is None else label
        nodes = np.unique(edges[members]) if nodes is None else nodes
        replaced = {gone, *block[members].tolist()}
        kept = {number: fit for number, fit in self.fits.items() if number not in replaced}
        couplings, block = couplings.copy(), block.copy()
        for part, fit in enumerate(fits):
            couplings[members[label == part]] = fit.couplings
        block[members] = self.next_block + label
        return replace(
            self,
            edges=edges,
            couplings=couplings,
            correlate=lambda: self._correlations_through(edges, couplings, members, nodes, fits),
            block=block,
            fits=kept | {self.next_block + part: fit for part, fit in enumerate(fits)},
            next_block=self.next_block + len(fits),
            gradient_norm=max([self.gradient_norm, *(fit.gradient_norm for fit in fits)]),
            converged=self.converged and all(fit.converged for fit in fits),
        )

    def _correlations_through(self, edges, couplings, members, nodes, fits) -> np.ndarray:
        """This state's correlations, with those that pass through edges[members] brought up to date."""
        local = np.searchsorted(nodes, edges[members])
        asked = None
        if self.n_edges_checked:
            # Where an edge was removed, faces have merged and their pairs are new.
            asked = ~np.isnan(self.correlations[np.ix_(nodes, nodes)])
            if len(edges) < len(self.edges):
                asked |= cofacial_pairs(nodes.size, local)
        if len(fits) == 1 and fits[0].n_nodes == nodes.size:
            inside = fits[0].correlations(asked)
        else:
            whole = solve_dual(plan(nodes.size, local), couplings[members])
            inside = _correlations(whole, couplings[members], asked)
        return _through_part(self.correlations, edges, members, nodes, inside)

    def with_all_correlations(self) -> GrowingModel:
        """The same state with the correlations of all pairs, also blocked ones.

        In a block too large for the whole inverse only of the pairs on common faces.
        """
        if not self.n_edges_checked:
            return self
        correlations = np.eye(self.n_nodes)
        checked = 0
        for number, fit in self.fits.items():
            # Blocks are put together one by one; those of larger number are not there yet.
            here = np.flatnonzero(self.block <= number)
            members = np.flatnonzero(self.block[here] == number)
            nodes = np.unique(self.edges[here[members]])
            asked = None
            if nodes.size > MOST_SPINS_INVERTED:
                asked = cofacial_pairs(nodes.size, np.searchsorted(nodes, self.edges[here[members]]))
                checked = len(self.edges)
            correlations = _through_part(correlations, self.edges[here], members, nodes, fit.correlations(asked))
        return replace(self, correlate=lambda: correlations, n_edges_checked=checked)

    def with_face_correlations(self, also: tuple[int, int] | None = None) -> GrowingModel:
        """The same state with the correlations only of pairs on common faces, and of one pair more; cheap to change."""
        known = cofacial_pairs(self.n_nodes, self.edges) | np.eye(self.n_nodes, dtype=bool)
        if also is not None:
            known[also] = known[also[::-1]] = True
        correlations = np.where(known, self.correlations, np.nan)
        return replace(self, correlate=lambda: correlations, n_edges_checked=max(len(self.edges), 1))

    def without_blocked_pairs(self) -> GrowingModel:
        """Drop the correlations of pairs that can no longer be joined, when it is time to look for them again.

        Only for a graph that grows: what is blocked stays blocked until an edge is removed.
        """
        if len(self.edges) < max(FEWEST_NODES_CHECKED, GROWTH_BETWEEN_CHECKS * self.n_edges_checked):
            return self
        correlations = self.correlations
        for number in self.fits:
            members = np.flatnonzero(self.block == number)
            nodes = np.unique(self.edges[members])
            if nodes.size >= FEWEST_NODES_CHECKED:
                inside = correlations[np.ix_(nodes, nodes)]
                local = np.searchsorted(nodes, self.edges[members])
                inside[blocked_pairs(nodes.size, local, ~np.isnan(inside))] = np.nan
                correlations = _through_part(correlations, self.edges, members, nodes, inside)
        return replace(self, correlate=lambda: correlations, n_edges_checked=len(self.edges))


def _through_part(correlations, edges, members, nodes, inside) -> np.ndarray:
    """New correlations of all pairs: those that hang on different nodes of a part of the graph meet through it."""
    n_nodes = len(correlations)
    in_core = np.zeros(n_nodes, bool)
    in_core[nodes] = True
    is_core_edge = np.zeros(len(edges), bool)
    is_core_edge[members] = True
    hangs_on = attachment(n_nodes, edges, in_core, is_core_edge)
    place = np.searchsorted(nodes, hangs_on)
    return _meet(correlations, hangs_on, place, inside)


@kernel
def _meet(correlations, hangs_on, place, inside):
    n_nodes = hangs_on.size
    updated = correlations.copy()
    for i in range(n_nodes):
        if hangs_on[i] < 0:
            continue
        to_foot = correlations[i, hangs_on[i]]
        for j in range(i):
            if hangs_on[j] >= 0 and hangs_on[j] != hangs_on[i]:
                through = to_foot * inside[place[i], place[j]] * correlations[j, hangs_on[j]]
                updated[i, j] = through
                updated[j, i] = through
    return updated


def starting_model(target: np.ndarray, raw: np.ndarray, edges: np.ndarray) -> GrowingModel:
    """The fitted model on a starting graph (which the caller has checked), possibly without edges."""
    n_nodes = len(target)
    model = GrowingModel(
        target, raw, np.empty((0, 2), np.int64), np.empty(0), lambda: np.eye(n_nodes), np.empty(0, np.int64), {}
    )
    if not len(edges):
        return model
    guess = tree_couplings(n_nodes, edges, target[edges[:, 0], edges[:, 1]])
    label = block_labels(n_nodes, edges)
    for block in range(int(label.max()) + 1):
        members = np.flatnonzero(label == block)
        model = model.with_block(edges[members], guess[members])
    return model
