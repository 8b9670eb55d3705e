"""What a fit needs of the rows, in sums that can be added in any order: the one way from spins to moments."""

from __future__ import annotations

from dataclasses import dataclass, fields, replace

import numpy as np

from isingmap.data.exact_sums import ExactSums, weight_parts
from isingmap.data.pair_counts import count_pairs
from isingmap.data.table import SpinTable

_BLOCK = 1 << 13  # rows, as many as stay in the cache; numbers below 2^32 add up to less than 2^53, exactly


@dataclass(frozen=True, eq=False)
class Tally:
    """Sums over rows, exact, so that tallies of parts of a table add up to that of the table to the last bit.

    Attributes
    ----------
    products : (n_spins, n_spins) ExactSums
        Weighted sums of x_i x_j, a missing cell being 0.
    seen : (n_spins, n_spins) ExactSums
        Weight of the rows in which both are known; the diagonal counts single columns.
    beside : (n_spins, n_spins) ExactSums
        Row i, column j: weighted sum of x_i over rows in which x_j is known.
    total : () ExactSums
        Weight of all rows.
    n_rows : int
    missing : (n_spins,) int64
        Missing cells of each column.
    n_incomplete : int
        Rows with a missing cell.
    n_sparse : int
        Rows that lack more than half of the cells.
    """

    products: ExactSums
    seen: ExactSums
    beside: ExactSums
    total: ExactSums
    n_rows: int
    missing: np.ndarray
    n_incomplete: int
    n_sparse: int

    def __add__(self, other: Tally) -> Tally:
        """The tally of the rows of both."""
        return Tally(*(getattr(self, own.name) + getattr(other, own.name) for own in fields(Tally)))

    @property
    def n_missing(self) -> int:
        return int(self.missing.sum())

    @property
    def sums(self) -> ExactSums:
        """Weighted sums of x_i, (n_spins,)."""
        return self.beside[_diagonal(self.missing.size)]

    @property
    def seen_alone(self) -> ExactSums:
        """Weight of the rows in which each column is known, (n_spins,)."""
        return self.seen[_diagonal(self.missing.size)]

    def select(self, columns: list[int]) -> Tally:
        """The tally of some of the columns; counts of rows stay those of all."""
        square = np.ix_(columns, columns)
        return replace(
            self,
            products=self.products[square],
            seen=self.seen[square],
            beside=self.beside[square],
            missing=self.missing[columns],
        )

    def turned(self, signs: np.ndarray) -> Tally:
        """The tally after the spins of some columns, where `signs` is -1, have changed theirs."""
        signs = signs.astype(np.int64)
        products = self.products * np.outer(signs, signs)
        return replace(self, products=products, beside=self.beside * signs[:, None])

    def with_minus(self) -> Tally:
        """The tally of the same rows with missing cells read as -1: x becomes x + s - 1, s telling what is known."""
        n = self.missing.size
        total = self.total.each(lambda part: np.broadcast_to(part, (n, n)))
        alone = (self.sums + self.seen_alone).each(lambda part: np.broadcast_to(part[:, None], (n, n)))
        both_ways = self.beside + self.beside.each(np.transpose)
        products = self.products + both_ways + self.seen + total - alone - alone.each(np.transpose)
        complete = replace(self, products=products, seen=total, beside=alone - total, n_incomplete=0)
        return complete.without_gaps()

    def without_gaps(self) -> Tally:
        """The tally without the counts of missing cells, and of the rows that have one."""
        nothing = np.zeros_like(self.missing)
        return replace(self, n_rows=self.n_rows - self.n_incomplete, missing=nothing, n_incomplete=0, n_sparse=0)


def tally_of(table: SpinTable) -> Tally:
    """The tally of a table. Cost O(n_rows n_spins^2)."""
    return tally_rows(table.spins, table.weights)


def tally_rows(spins: np.ndarray, weights: np.ndarray | None) -> Tally:
    """The tally of rows of spins, (n_rows, n_spins) int8, with or without weights."""
    products, seen, beside, total = _counted(spins) if weights is None else _weighted(spins, weights)
    missing, n_incomplete, n_sparse = np.zeros(spins.shape[1], np.int64), 0, 0
    if not (weights is None and _are_complete(seen, len(spins))) and not spins.all():
        missing, n_incomplete, n_sparse = missing_counts(spins)
    return Tally(products, seen, beside, total, len(spins), missing, n_incomplete, n_sparse)


def tally_of_part(spins: np.ndarray, weights: np.ndarray | None, missing: str) -> Tally:
    """The tally of a part, under the rule "drop" of its complete rows, with the gaps of all."""
    tally = tally_rows(spins, weights)
    if missing != "drop" or not tally.n_missing:
        return tally
    complete = (spins != 0).all(axis=1)
    gaps = {name: getattr(tally, name) for name in ("n_rows", "missing", "n_incomplete", "n_sparse")}
    return replace(tally_rows(spins[complete], None if weights is None else weights[complete]), **gaps)


def missing_counts(spins: np.ndarray) -> tuple[np.ndarray, int, int]:
    """Missing cells of each column, rows that have one, and rows that lack more than half of the cells."""
    absent = spins == 0
    per_row = absent.sum(axis=1)
    return absent.sum(axis=0), int(np.count_nonzero(per_row)), int(np.count_nonzero(2 * per_row > spins.shape[1]))


def _are_complete(seen: ExactSums, n_rows: int) -> bool:
    """Whether unweighted rows have no missing cell: quicker than looking at them."""
    return set(seen.parts) == {0} and bool((seen.parts[0] == n_rows).all())


def _counted(spins: np.ndarray) -> list[ExactSums]:
    return [ExactSums.of_integers(sums) for sums in (*count_pairs(spins), np.array(len(spins)))]


def _weighted(spins: np.ndarray, weights: np.ndarray) -> list[ExactSums]:
    n = spins.shape[1]
    found = [ExactSums.zeros((n, n))] * 3 + [ExactSums.zeros(())]
    for start in range(0, len(spins), _BLOCK):
        rows = spins[start : start + _BLOCK].astype(np.float64)
        known = None if rows.all() else np.abs(rows)
        for k, part in weight_parts(weights[start : start + _BLOCK]).items():
            more = _weighted_block(rows, known, part)
            found = [sums + _part(k, each) for sums, each in zip(found, more, strict=True)]
    return found


def _part(k: int, sums: np.ndarray) -> ExactSums:
    return ExactSums({k: sums.astype(np.int64)}, sums.shape)


def _weighted_block(rows: np.ndarray, known: np.ndarray | None, part: np.ndarray) -> list[np.ndarray]:
    weighted, total = rows * part[:, None], part.sum()
    if known is None:
        n = rows.shape[1]
        beside = np.broadcast_to(weighted.sum(axis=0)[:, None], (n, n))
        return [rows.T @ weighted, np.full((n, n), total), beside, total]
    return [rows.T @ weighted, known.T @ (known * part[:, None]), weighted.T @ known, total]


def shared_weight(marks: np.ndarray, weights: np.ndarray | None) -> ExactSums:
    """Weight of the rows that have two marks, for all pairs of marks; marks is (n_rows, k) bool."""
    spins = marks.astype(np.int8)
    if weights is None:
        return ExactSums.of_integers(count_pairs(spins)[1])
    return _weighted(spins, weights)[0]


def _diagonal(n: int) -> tuple[np.ndarray, np.ndarray]:
    return np.arange(n), np.arange(n)
