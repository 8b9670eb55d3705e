"""Ground states of a planar block as matchings: which edges they may leave unsatisfied, and how they cross moats.

The unsatisfied edges of a ground state are a lightest T-join of the frustrated faces, and moats prove that it is: it
uses only *tight* edges, those that are as long as the moats they cross are wide, and it leaves every set with a moat of
some width by exactly one edge; every T-join that does both is a lightest one. (With equality everywhere in
`matching_certificate.py`.)

Configurations, x and -x as one, are the perfect matchings of a graph on the darts of the triangulation: the three darts
of a triangle are joined with each other, and each with its twin, which it is matched with when the edge has equal
spins. Where the coupling is positive, that is when it is satisfied; there a path of three edges takes the place of the
one between twins, whose middle is matched when the edge is unsatisfied. So the edges that cross a moat are the
unsatisfied ones, and the clusters of `modular_pfaffian.py` are the nodes inside a moat.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from isingmap.inference.ground_states.matching_certificate import from_outside_inwards, lower_bound, widths_crossed
from isingmap.inference.ground_states.moats import MoatFamily, moat_family
from isingmap.inference.ground_states.t_join import minimum_t_join
from isingmap.inference.proofs.modular_pfaffian import ModularMatrix
from isingmap.inference.zero_field.plan import kasteleyn_signs
from isingmap.planar.blocks import component_labels
from isingmap.planar.embedding import orbits
from isingmap.planar.triangulation import Triangulation


@dataclass(frozen=True, eq=False)
class TightJoins:
    """The lightest T-joins of one block.

    Attributes
    ----------
    triangulation : Triangulation
        Of the block.
    multiples : (n_edges,) int64 array
        Couplings, 0 for the edges that are not the block's own.
    face : (n_triangles,) int64 array
        The face of the block in which each triangle lies.
    triangle : (n_darts,) int64 array
    moats : MoatFamily
        Around the faces; edges weigh twice their coupling.
    is_tight : (n_edges,) bool array
    """

    triangulation: Triangulation
    multiples: np.ndarray
    face: np.ndarray
    triangle: np.ndarray
    moats: MoatFamily
    is_tight: np.ndarray

    def count(self, modulus: int, most_work: float = math.inf) -> int:
        """How many there are, modulo a prime and up to sign: half the number of the block's ground states.

        Raises
        ------
        TooMuchWorkError
            When it takes more than so many multiplications.
        """
        matrix, of_face = self._matrix(modulus, most_work)
        inside: list[list[int]] = [[] for _ in self.moats.parent]
        for region, groups in self._regions():
            members = inside[region]
            for faces, is_moat in groups:
                members += [v for face in faces for v in of_face[face]]
                if is_moat and len(members) > 1:
                    members = [matrix.contract(members)]
            if (parent := int(self.moats.parent[region])) >= 0:
                inside[parent] += members
        matrix.eliminate(v for v, row in enumerate(matrix.rows) if row)
        return int(matrix.pfaffian)

    def _regions(self) -> Iterator[tuple[int, list[tuple[list[int], bool]]]]:
        """Each region after its parts: the faces that arrive together, in order, and whether a moat follows them."""
        order = np.lexsort((self.moats.arrival, self.moats.region))
        order = order[self.moats.region[order] >= 0]
        where = np.searchsorted(self.moats.region[order], np.arange(self.moats.parent.size + 1))
        for region in from_outside_inwards(self.moats.parent)[::-1].tolist():
            own = order[where[region] : where[region + 1]].tolist()
            radius = int(self.moats.radius[region])
            at: dict[int, list[int]] = {0: []}
            for face in own:
                at.setdefault(int(self.moats.arrival[face]), []).append(face)
            yield region, [(faces, arrival < radius) for arrival, faces in at.items()]

    def _matrix(self, modulus: int, most_work: float) -> tuple[ModularMatrix, list[list[int]]]:
        """The matrix of the graph of tight edges, and its nodes in each face.

        The inner node of a path at the dart h is n_darts + h. Where an edge with a positive coupling is not tight, it
        is satisfied in all ground states: both its darts are matched and gone.
        """
        following, signs = self.triangulation.next_in_face, kasteleyn_signs(self.triangulation).astype(int).tolist()
        n_darts = following.size
        gone = np.repeat((self.multiples > 0) & ~self.is_tight, 2)
        matrix = ModularMatrix(2 * n_darts, modulus, most_work)
        for h, g in enumerate(following.tolist()):
            if not gone[h] and not gone[g]:
                matrix.join(h, g, 1)
        for e in np.flatnonzero(self.is_tight).tolist():
            h, g = 2 * e, 2 * e + 1
            if self.multiples[e] <= 0:
                matrix.join(h, g, signs[h])
            else:
                matrix.join(h, n_darts + h, 1)
                matrix.join(n_darts + h, n_darts + g, 1)
                matrix.join(n_darts + g, g, signs[h])
        of_face: list[list[int]] = [[] for _ in self.moats.region]
        for h, face in enumerate(self.face[self.triangle].tolist()):
            if not gone[h]:
                of_face[face].append(h)
                if self.multiples[h >> 1] > 0:
                    of_face[face].append(n_darts + h)
        return matrix, of_face


def tight_joins(triangulation: Triangulation, multiples: np.ndarray) -> TightJoins:
    """The lightest T-joins of the frustrated faces of a block.

    Parameters
    ----------
    triangulation : Triangulation
        Of a biconnected graph.
    multiples : (n_given,) int64 array
        Its couplings, none of them 0.
    """
    triangle, n_triangles = orbits(triangulation.next_in_face)
    sides = triangle.reshape(-1, 2)
    given = triangulation.n_given
    face = component_labels(n_triangles, np.ascontiguousarray(sides[given:]))
    ends, weights = np.sort(face[sides[:given]], axis=1), 2 * np.abs(multiples)
    frustrated = np.bincount(ends[multiples < 0].reshape(-1), minlength=int(face.max()) + 1) % 2 == 1
    shortest = _without_parallels(ends, weights)
    join, found = minimum_t_join(frustrated.size, np.ascontiguousarray(ends[shortest]), weights[shortest], frustrated)
    moats = moat_family(found)
    ends = np.ascontiguousarray(ends)
    bound = lower_bound(np.flatnonzero(frustrated), ends, weights, moats)
    assert bound == int(weights[shortest][join].sum()), "moats do not prove the T-join that they come with"
    padded = np.zeros(len(triangulation.edges), np.int64)
    padded[:given] = multiples
    is_tight = np.ones(padded.size, bool)
    is_tight[:given] = widths_crossed(ends, moats) == weights
    return TightJoins(triangulation, padded, face, triangle, moats, is_tight)


def _without_parallels(ends: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """Of the edges between the same faces a lightest one."""
    order = np.lexsort((weights, ends[:, 1], ends[:, 0]))
    first = np.ones(order.size, bool)
    first[1:] = (np.diff(ends[order], axis=0) != 0).any(axis=1)
    return order[first]
