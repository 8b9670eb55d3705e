"""A zero-field model on a planar graph that gains and loses edges and stays at its maximum of the likelihood.

Adding an edge merges the blocks between its ends into one; only that block is refitted, and only correlations that
pass through it change (mathematics: blocks are independent given the cut nodes they share).
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from isingmap.inference.zero_field.solution import MOST_SPINS_INVERTED
from isingmap.likelihood.fit import tree_couplings
from isingmap.likelihood.quasi_newton import Worth, refit, refit_exactly, refit_with_edge, without_row
from isingmap.planar.blocks import block_labels
from isingmap.structure.state.block_fit import BlockFit, bridge, fitted
from isingmap.structure.state.correlations import Change, Correlations, through_part
from isingmap.structure.state.plane import Plane, WithFields

# Looking for blocked pairs takes a planarity test each, so blocks this small are left alone, and it is done again
# only when the graph has grown by this factor.
FEWEST_NODES_CHECKED = 40
GROWTH_BETWEEN_CHECKS = 17 / 16


@dataclass(frozen=True, eq=False)
class RefittedModel:
    """State of the search; `with_edge` and `without_edge` return the next state and leave this one as it is.

    Attributes
    ----------
    plane : Plane
    target : (n_nodes, n_nodes) array
        Moments to match (shrunk, if there is a prior).
    raw : (n_nodes, n_nodes) array
        Moments as observed; the log-likelihood is theirs.
    edges, couplings : (n_edges, 2), (n_edges,) arrays
    known : Correlations
        The correlations, or how they follow from those of the state before.
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

    plane: Plane
    target: np.ndarray
    raw: np.ndarray
    edges: np.ndarray
    couplings: np.ndarray
    known: Correlations
    block: np.ndarray
    fits: dict[int, BlockFit]
    next_block: int = 0
    gradient_norm: float = 0.0
    converged: bool = True
    n_edges_checked: int = 0

    @property
    def correlations(self) -> np.ndarray:
        """E[x_i x_j] of the model, (n_nodes, n_nodes); NaN for pairs that are not kept."""
        return self.known.matrix

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

    @property
    def drawn_edges(self) -> np.ndarray:
        """Those that must fit into the plane."""
        return self.edges[self.plane.drawn(self.edges)]

    def has_room(self, i: int, j: int) -> bool:
        """Whether the graph with the edge i-j fits into the plane."""
        return self.plane.has_room(np.vstack([self.edges, [[i, j]]]))

    def with_room(self, pairs: list[tuple[int, int]]) -> list[tuple[int, int]]:
        """Of some pairs those with which the graph fits into the plane."""
        asked = np.zeros((self.n_nodes, self.n_nodes), bool)
        asked[tuple(np.sort(np.array(pairs, np.int64).reshape(-1, 2), axis=1).T)] = True
        blocked = self.plane.blocked(np.arange(self.n_nodes), self.edges, asked)
        return [pair for pair in pairs if not blocked[pair]]

    def gains(self, rows, columns) -> np.ndarray:
        """Guaranteed gains of pairs whose correlations are kept, nats per sample."""
        return self.plane.gain(self.target, self.correlations, self.edges, rows, columns)

    def with_edge(self, i: int, j: int) -> RefittedModel:
        """Add the edge i-j (the caller knows that it keeps the graph planar) and refit what changes.

        Raises
        ------
        PrecisionError
            When the couplings would be too strong for doubles.
        """
        larger = self.with_edge_if_worth(i, j, -np.inf)
        assert larger is not None  # every gain is worth it
        return larger

    def with_edge_if_worth(self, i: int, j: int, least: float) -> RefittedModel | None:
        """`with_edge`, or None as soon as its refit shows that the gain will be below `least`.

        Raises
        ------
        PrecisionError
            As in `with_edge`.
        """
        edges = np.vstack([self.edges, [[i, j]]])
        label = block_labels(self.n_nodes, edges)
        members = np.flatnonzero(label == label[-1])
        target, raw = self._moments(edges[members])
        old = members[:-1]
        if old.size:
            graph = self.plane.plan(np.unique(edges[members]), edges[members])
            merged = sum(self.fits[number].gain for number in np.unique(self.block[old]).tolist())
            worth = Worth(raw, least - self.gain + merged - graph.n_spins * np.log(2.0))
            inverse = self._inverse_hessian(old)
            found = refit_with_edge(graph, target, self.couplings[old], inverse, self.correlations[i, j], worth)
            if found is None:
                return None
            fit = fitted(found, raw)
        else:
            fit = bridge(target[0], raw[0])
        return self._changed(edges, np.append(self.couplings, 0.0), np.append(self.block, -1), members, [fit])

    def with_block(self, new_edges: np.ndarray, first_couplings: np.ndarray) -> RefittedModel:
        """Add edges that are a block of their own; `first_couplings` are the start of their fit."""
        edges = np.vstack([self.edges, new_edges])
        members = np.arange(len(self.edges), len(edges))
        target, raw = self._moments(new_edges)
        if len(new_edges) == 1:
            fit = bridge(target[0], raw[0])
        else:
            fit = fitted(refit_exactly(self.plane.plan(np.unique(new_edges), new_edges), target, first_couplings), raw)
        block = np.append(self.block, np.full(len(new_edges), -1))
        return self._changed(edges, np.append(self.couplings, first_couplings), block, members, [fit])

    def without_edge(self, k: int) -> RefittedModel:
        """Take edge number k out and refit what is left of its block.

        Raises
        ------
        PrecisionError
            As in `with_edge`.
        """
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
            return bridge(target[0], raw[0])
        start = np.asfortranarray(inverse[np.ix_(chosen, chosen)])
        graph = self.plane.plan(np.unique(self.edges[edges]), self.edges[edges])
        return fitted(refit(graph, target, self.couplings[edges], start), raw)

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

    def _changed(self, edges, couplings, block, members, fits, label=None, nodes=None, gone=None) -> RefittedModel:
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
        shrinks = len(edges) < len(self.edges)
        only_kept = bool(self.n_edges_checked)
        change = Change(self.plane, self.known, edges, couplings, members, nodes, fits, only_kept, shrinks)
        return replace(
            self,
            edges=edges,
            couplings=couplings,
            known=Correlations(change),
            block=block,
            fits=kept | {self.next_block + part: fit for part, fit in enumerate(fits)},
            next_block=self.next_block + len(fits),
            gradient_norm=max([self.gradient_norm, *(fit.gradient_norm for fit in fits)]),
            converged=self.converged and all(fit.converged for fit in fits),
        )

    def with_all_correlations(self) -> RefittedModel:
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
                asked = self.plane.cofacial(nodes, self.edges[here[members]])
                checked = len(self.edges)
            correlations = through_part(correlations, self.edges[here], members, nodes, fit.correlations(asked))
        return replace(self, known=Correlations(correlations), n_edges_checked=checked)

    def with_face_correlations(self, also: tuple[int, int] | None = None) -> RefittedModel:
        """The same state with the correlations only of pairs on common faces, and of one pair more; cheap to change."""
        known = self.plane.cofacial(np.arange(self.n_nodes), self.edges) | np.eye(self.n_nodes, dtype=bool)
        if also is not None:
            known[also] = known[also[::-1]] = True
        correlations = np.where(known, self.correlations, np.nan)
        return replace(self, known=Correlations(correlations), n_edges_checked=max(len(self.edges), 1))

    def without_blocked_pairs(self) -> RefittedModel:
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
                inside[self.plane.blocked(nodes, self.edges[members], ~np.isnan(inside))] = np.nan
                correlations = through_part(correlations, self.edges, members, nodes, inside)
        return replace(self, known=Correlations(correlations), n_edges_checked=len(self.edges))


def starting_model(target: np.ndarray, raw: np.ndarray, edges: np.ndarray, plane: Plane | None = None) -> RefittedModel:
    """The fitted model on a starting graph (which the caller has checked), possibly without edges."""
    n_nodes = len(target)
    plane = WithFields(n_nodes) if plane is None else plane
    known, nothing = Correlations(np.eye(n_nodes)), np.empty(0, np.int64)
    model = RefittedModel(plane, target, raw, np.empty((0, 2), np.int64), np.empty(0), known, nothing, {})
    if not len(edges):
        return model
    guess = tree_couplings(n_nodes, edges, target[edges[:, 0], edges[:, 1]])
    label = block_labels(n_nodes, edges)
    for block in range(int(label.max()) + 1):
        members = np.flatnonzero(label == block)
        model = model.with_block(edges[members], guess[members])
    return model
