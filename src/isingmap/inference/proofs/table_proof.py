"""Proofs about narrow models that are not planar: the elimination with clique tables, in balls."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from math import inf

import numpy as np

from isingmap.errors import PrecisionError
from isingmap.inference.elimination.clique_tree import CliqueTree
from isingmap.inference.elimination.configurations import most_probable
from isingmap.inference.extended import ExtendedGraph
from isingmap.inference.precision import MOST_TABLE_ENTRIES_IN_BALLS
from isingmap.inference.proofs.certified import Interval, outward, working_precision
from isingmap.inference.proofs.multiples import common_multiples
from isingmap.interruption import look
from isingmap.progress import at_work

# All terms are positive, so every step loses a fraction of the last bit and nothing else; exponents take as many more
# as they have before the point.
BITS = 128
WORK = "elimination in ball arithmetic"


@dataclass(frozen=True, eq=False)
class TableProof:
    """Certified answers about one model; see `Proof` for what they are.

    Attributes
    ----------
    graph : ExtendedGraph
    tree : CliqueTree
        Of the graph without the auxiliary spin.
    strengths : (n_edges + n_fields,) array
        Of the extended edges.
    """

    graph: ExtendedGraph
    tree: CliqueTree
    strengths: np.ndarray

    @property
    def _bits(self) -> int:
        return BITS + max(int(np.frexp(np.abs(self.strengths).sum())[1]), 0)

    def log_partition(self) -> Interval:
        """An interval that provably contains log Z; a microsecond for each entry of a table.

        Raises
        ------
        PrecisionError
            When the tables are too large for ball arithmetic.
        """
        with working_precision(self._bits), at_work(WORK):
            log_partition, _ = self._swept()
            return Interval(*outward(log_partition))

    def moments(self) -> tuple[np.ndarray, np.ndarray]:
        """(lower, upper) bounds that provably contain the moments of the edges, then of the spins with free fields.

        Raises
        ------
        PrecisionError
            As in `log_partition`.
        """
        with working_precision(self._bits), at_work(WORK):
            of_edges, of_spins, _ = self._moments()
            balls = [*of_edges, *(of_spins[v] for v in self.graph.free_fields.tolist())]
            bounds = np.array([outward(ball) for ball in balls]).reshape(-1, 2)
        lower, upper = np.clip(bounds, -1.0, 1.0).T
        return lower, upper

    def log_partition_above(self, products: np.ndarray | None = None) -> float:
        """log Z less the log-weight of one configuration, given by its products on the extended edges.

        Without `products`, less the mean log-weight: this is the entropy. Neither is spoilt by what cancels.

        Raises
        ------
        PrecisionError
            As in `log_partition`.
        """
        from flint import arb

        with working_precision(self._bits), at_work(WORK):
            if products is None:
                balls = self._moments()
                log_partition, factors = balls[2], self._of_extended_edges(*balls[:2])
            else:
                log_partition, factors = self._swept()[0], [int(product) for product in products]
            exact = [arb(strength) for strength in self.strengths.tolist()]
            log_weight = sum((strength * factor for strength, factor in zip(exact, factors, strict=True)), arb(0))
            return float((log_partition - log_weight).mid())

    def _of_extended_edges(self, of_edges: list, of_spins: list) -> list:
        """One ball for each extended edge."""
        couplings = iter(of_edges)
        return [
            of_spins[spin] if is_field else next(couplings)
            for spin, is_field in zip(self.graph.extended_edges[:, 0].tolist(), self.graph.is_field, strict=True)
        ]

    def degeneracy(self) -> int:
        """Number of ground states: log-weights in whole units are compared without rounding.

        Raises
        ------
        ModelError
            When the strengths have no common unit.
        PrecisionError
            When a connected part has more than 2^53 of them.
        """
        couplings, fields = self.graph.split(common_multiples(self.strengths))
        try:
            _, count = most_probable(self.tree, couplings.astype(np.int64), fields.astype(np.int64), counted=True)
        except OverflowError as error:
            message = f"the ground states cannot be counted: there are {error} in one connected part"
            raise PrecisionError(message, loss=inf) from None
        return count

    def _swept(self) -> tuple:
        """log Z, and P(variable = +1 | front) for all fronts, balls."""
        from flint import arb

        tree = self.tree
        if tree.n_entries > MOST_TABLE_ENTRIES_IN_BALLS:
            raise PrecisionError(
                f"a certified answer by elimination takes {tree.n_entries} table entries in ball arithmetic, and "
                f"{MOST_TABLE_ENTRIES_IN_BALLS} are the limit; without `certified` the answer can be had, with the "
                "error of doubles",
                loss=inf,
            )
        couplings, fields = self.graph.split(self.strengths)
        tables: list = []
        conditionals = []
        log_partition = arb(0)
        for k, (entries, edges, children) in enumerate(_cliques(tree)):
            look()
            field = arb(float(fields[tree.tables.node[k]]))
            table = np.array([(-field).exp(), field.exp()], object)[entries & 1]
            for edge, bit in edges:
                coupling = arb(float(couplings[edge]))
                unequal = ((entries >> bit) ^ entries) & 1
                table = table * np.array([coupling.exp(), (-coupling).exp()], object)[unequal]
            for child, at in children:
                table = table * tables[child][at]
                tables[child] = None
            tables.append(table[0::2] + table[1::2])
            conditionals.append(table[1::2] / tables[k])
            if tables[k].size == 1:
                log_partition += tables[k][0].log()
        return log_partition, conditionals

    def _moments(self) -> tuple:
        """E[x_i x_j] of each edge, E[x_i] of each spin, and log Z, balls."""
        from flint import arb

        log_partition, conditionals = self._swept()
        fronts = [np.array([arb(1)], object)] * len(conditionals)
        of_edges, of_spins = [arb(0)] * self.graph.n_edges, [arb(0)] * self.graph.n_spins
        for k, (entries, edges, children) in reversed(list(enumerate(_cliques(self.tree)))):
            look()
            clique = np.empty(entries.size, object)
            clique[1::2] = fronts[k] * conditionals[k]
            clique[0::2] = fronts[k] * (1 - conditionals[k])
            of_spins[self.tree.tables.node[k]] = clique[1::2].sum() - clique[0::2].sum()
            for edge, bit in edges:
                equal = ((entries >> bit) ^ entries) & 1 == 0
                of_edges[edge] = clique[equal].sum() - clique[~equal].sum()
            for child, at in children:
                sums = np.full(int(at.max()) + 1, arb(0), object)
                np.add.at(sums, at, clique)
                fronts[child] = sums
        return of_edges, of_spins, log_partition


def _cliques(tree: CliqueTree) -> Iterator[tuple[np.ndarray, list, list]]:
    """Each clique: its configurations; (edge, bit of the other end); (child, its entry for each configuration)."""
    tables = tree.tables
    for k in range(tree.n_spins):
        entries = np.arange(2 << int(tables.start[k + 1] - tables.start[k]))
        own = slice(int(tables.edge_start[k]), int(tables.edge_start[k + 1]))
        edges = list(zip(tables.edge[own].tolist(), tables.bit[own].tolist(), strict=True))
        children = []
        for child in tables.child[tables.child_start[k] : tables.child_start[k + 1]].tolist():
            at = np.zeros_like(entries)
            for j, bit in enumerate(tables.place[tables.start[child] : tables.start[child + 1]].tolist()):
                at |= ((entries >> bit) & 1) << j
            children.append((child, at))
        yield entries, edges, children
