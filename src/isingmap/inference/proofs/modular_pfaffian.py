"""Pfaffians of sparse skew-symmetric matrices modulo a large prime, up to sign, with some entries in a limit.

A *cluster* is an odd set of rows all of whose entries to other columns carry one more factor e, and what is wanted is
the coefficient of e, the lowest power that the Pfaffian can have. There the inside of the cluster is singular: with its
kernel vector k, k[s] = 1, and the Pfaffian of the inside without s, the cluster is worth that Pfaffian times one row,
the sum of its rows with the factors k. `contract` puts that row in the place of s. So clusters inside clusters are done
one after the other, from inside outwards.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from heapq import heapify, heappop, heappush
from typing import Any, NamedTuple

from isingmap.interruption import look

# Residues by column.
Row = dict[int, Any]
# Pivots between two looks whether somebody has pressed Ctrl-C.
PIVOTS_BETWEEN_LOOKS = 16
# In multiplications.
WORK_OF_AN_INVERSE = 4


class SingularError(ArithmeticError):
    """There is no pivot: the coefficient is zero."""


class TooMuchWorkError(ArithmeticError):
    """The elimination would take more multiplications than are allowed."""


class Pair(NamedTuple):
    """Two eliminated rows, without their entries in each other's column, and the inverse of the first one's."""

    i: int
    j: int
    row_i: Row
    row_j: Row
    inverse: Any


class ModularMatrix:
    """A skew-symmetric matrix modulo a prime, which is used up while its Pfaffian is computed.

    Parameters
    ----------
    size : int
    modulus : int
    most_work : float
        Multiplications that are allowed.

    Attributes
    ----------
    rows : list of dict
        Entries other than zero.
    pfaffian : residue
        Product of the pivots so far.
    """

    def __init__(self, size: int, modulus: int, most_work: float = math.inf):
        from flint import fmpz_mod_ctx

        self._residue = fmpz_mod_ctx(modulus)
        self.rows: list[Row] = [{} for _ in range(size)]
        self.pfaffian = self._residue(1)
        self._work_left = most_work

    def join(self, a: int, b: int, value: int) -> None:
        """Set the entry (a, b), and (b, a) to match."""
        self.rows[a][b], self.rows[b][a] = self._residue(value), self._residue(-value)

    def eliminate(self, members: Iterable[int]) -> None:
        """Eliminate all of these rows, which have no entries in other columns.

        Raises
        ------
        SingularError
            When the Pfaffian is zero.
        TooMuchWorkError
        """
        for i, j in self._pairs(list(members), spare=0):
            self._pair_off(i, j)

    def contract(self, members: list[int]) -> int:
        """Put a cluster into one row; returns which.

        Raises
        ------
        SingularError
            When no way of leaving out one row has a Pfaffian other than zero.
        TooMuchWorkError
        """
        rows, inside = self.rows, set(members)
        across = {v: {w: x for w, x in rows[v].items() if w not in inside} for v in members}
        for v, row in across.items():
            for w in row:
                del rows[v][w], rows[w][v]
        pairs = [self._pair_off(i, j) for i, j in self._pairs(members, spare=1)]
        (left,) = inside.difference(*((pair.i, pair.j) for pair in pairs))
        for v, factor in self._kernel(left, pairs).items():
            for w, x in across[v].items():
                self._add(left, w, factor * x)
        return left

    def _kernel(self, left: int, pairs: list[Pair]) -> dict[int, Any]:
        """The vector that a cluster takes to zero, from its elimination; 1 at the row that is left."""
        kernel: dict[int, Any] = {left: self._residue(1)}
        zero = self._residue(0)
        for i, j, row_i, row_j, inverse in reversed(pairs):
            by_i, by_j = (
                sum((x * kernel[v] for v, x in row.items() if v in kernel), zero) * inverse for row in (row_i, row_j)
            )
            if by_j:
                kernel[i] = by_j
            if by_i:
                kernel[j] = -by_i
        return kernel

    def _pairs(self, members: list[int], spare: int) -> Iterator[tuple[int, int]]:
        """Rows to eliminate with each other, those of few neighbours first; `spare` rows may stay behind, empty."""
        rows = self.rows
        queue = [(len(rows[v]), v) for v in members]
        heapify(queue)
        done: set[int] = set()
        while queue:
            degree, i = heappop(queue)
            if i in done or degree != len(rows[i]):
                continue  # in the latter case it is in the queue once more
            if degree == 0:
                spare -= 1
                done.add(i)
                if spare < 0:
                    raise SingularError
                continue
            if len(done) % PIVOTS_BETWEEN_LOOKS == 0:
                look()
            j = min(rows[i], key=lambda v: len(rows[v]))
            touched = (rows[i].keys() | rows[j].keys()) - {i, j}
            done |= {i, j}
            yield i, j
            for v in touched:
                heappush(queue, (len(rows[v]), v))

    def _pair_off(self, i: int, j: int) -> Pair:
        """Eliminate two rows: K[v, w] -= (a[v] b[w] - b[v] a[w]) / K[i, j] with a, b = K[i], K[j]."""
        rows = self.rows
        a, b = rows[i], rows[j]
        rows[i], rows[j] = {}, {}
        pivot = a.pop(j)
        del b[i]
        for v in a:
            del rows[v][i]
        for v in b:
            del rows[v][j]
        self._work_left -= WORK_OF_AN_INVERSE + len(a) * len(b)
        if self._work_left < 0:
            raise TooMuchWorkError
        inverse = pivot.inverse()
        self.pfaffian *= pivot
        for v, x in a.items():
            factor = -x * inverse
            for w, y in b.items():
                if v != w:
                    self._add(v, w, factor * y)
        return Pair(i, j, a, b, inverse)

    def _add(self, v: int, w: int, value: Any) -> None:
        """Add to the entry (v, w), and to (w, v) to match."""
        row = self.rows[v]
        if w in row:
            value += row[w]
        if value:
            row[w], self.rows[w][v] = value, -value
        elif w in row:
            del row[w], self.rows[w][v]
