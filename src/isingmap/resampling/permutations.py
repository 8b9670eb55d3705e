"""The rows of two groups, dealt out to them again: whole rows, whole clusters, or within clusters that are in both.

If the groups do not differ, every way to deal out the rows is as likely as the one that was seen (Fisher). How rows are
dealt out is a function of the rows, the seed and the number of the permutation, and of nothing else.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from isingmap.data.table import SpinTable
from isingmap.model import IsingModel
from isingmap.resampling.resamples import Rows, generator_of, placed_rows


@dataclass(frozen=True, eq=False)
class GroupedRows(Rows):
    """The rows of two groups in one table, in an order of their own.

    Attributes
    ----------
    row : (n,) int64 array
        Entry by entry, the row of `table`.
    times : (n,) float64 array
        How often it is there.
    group : (n,) int64 array
        0 or 1, as it was seen, in an order that does not depend on which group was given first.
    block : (n,) int64 array or None
        Its cluster, where whole clusters are dealt out.
    is_swapped : bool
        Whether group 0 is the one that was given second.
    """

    row: np.ndarray
    times: np.ndarray
    group: np.ndarray
    block: np.ndarray | None
    is_swapped: bool

    @property
    def identity(self) -> list[np.ndarray]:
        """The arrays on which a permutation depends."""
        more = [] if self.block is None else [self.block]
        return [*super().identity, self.row, self.times, self.group, *more, np.array(self.is_swapped)]

    @property
    def is_paired(self) -> bool:
        """Whether every cluster has rows in both groups."""
        return self.block is not None and bool((self._rows_in_groups > 0).all())

    @property
    def n_units(self) -> tuple[float, float]:
        """How many rows or clusters were seen in each group."""
        if self.block is not None:
            first, second = (self._rows_in_groups > 0).sum(axis=0).tolist()
        else:
            first, second = np.bincount(self.group, self.times, minlength=2).tolist()
        return (second, first) if self.is_swapped else (first, second)

    def of_number(self, resampling: object, seed: int, number: int, model: IsingModel | None) -> SpinTable:
        """The table of a group: 2 k and 2 k + 1 are both groups of permutation k, k = 0 as they were seen."""
        permutation, which = divmod(number, 2)
        times = self._times(which ^ self.is_swapped, generator_of(seed, permutation) if permutation else None)
        return replace(self.table, weights=times if self.are_counts else times * self.weights)

    def _times(self, which: int, generator: np.random.Generator | None) -> np.ndarray:
        """How often each row of the table is in a group; without a generator: as it was seen."""
        if generator is None:
            return self._counted(self.group == which)
        if self.block is not None:
            return self._counted(self._dealt_blocks(generator) == which)
        units, first = self._counted(self.group >= 0), self._counted(self.group == 0)
        drawn = generator.multivariate_hypergeometric(units.astype(np.int64), int(first.sum()))
        return drawn if which == 0 else units - drawn

    def _counted(self, chosen: np.ndarray) -> np.ndarray:
        return np.bincount(self.row[chosen], self.times[chosen], minlength=self.table.n_samples)

    def _dealt_blocks(self, generator: np.random.Generator) -> np.ndarray:
        """The group of each entry: clusters in both groups swap sides by the toss of a coin, others are shuffled."""
        assert self.block is not None
        counts = self._rows_in_groups
        if (counts > 0).all():
            return np.where((generator.random(len(counts)) < 0.5)[self.block], 1 - self.group, self.group)
        return generator.permutation(counts[:, 1] > 0).astype(np.int64)[self.block]

    @property
    def _rows_in_groups(self) -> np.ndarray:
        assert self.block is not None
        found = np.zeros((int(self.block.max()) + 1, 2), np.int64)
        np.add.at(found, (self.block, self.group), 1)
        return found


def grouped_rows(table: SpinTable, is_second: np.ndarray) -> GroupedRows:
    """The rows of a table in an order that depends on what they, their group and their cluster hold alone.

    Parameters
    ----------
    table : SpinTable
        Of both groups; where it has clusters, they are dealt out whole.
    is_second : (n_samples,) bool array

    Raises
    ------
    DataError
        As `own_order`. Cost O(n_samples n_spins log n_samples).
    """
    rows, place = placed_rows(replace(table, clusters=None))
    there = np.flatnonzero(place >= 0)
    weights = table.row_weights
    times = weights[there] if rows.are_counts else np.ones(len(there))
    row, group = place[there], is_second[there].astype(np.int64)
    is_swapped = _comes_later(*(np.bincount(row[group == g], times[group == g], len(rows.weights)) for g in (0, 1)))
    group = 1 - group if is_swapped else group
    block = None if table.clusters is None else _in_own_order(table.clusters[there], group, row, times)
    order = np.lexsort((times, row, group) if block is None else (times, row, group, block))
    block = None if block is None else block[order]
    return GroupedRows(rows.table, rows.are_counts, None, row[order], times[order], group[order], block, is_swapped)


def _comes_later(first: np.ndarray, second: np.ndarray) -> bool:
    """Whether the group of the first counts is the larger one, or has the later rows."""
    return bool((first.sum(), first.tolist()) > (second.sum(), second.tolist()))


def _in_own_order(cluster: np.ndarray, group: np.ndarray, row: np.ndarray, times: np.ndarray) -> np.ndarray:
    """Numbers of the clusters in the order of what they hold, not of what they are called."""
    order = np.lexsort((times, row, group, cluster))
    cluster = cluster[order]
    entries = list(zip(group[order].tolist(), row[order].tolist(), times[order].tolist(), strict=True))
    starts = np.flatnonzero(np.append(True, cluster[1:] != cluster[:-1]))
    ends = np.append(starts[1:], len(cluster))
    held = [entries[start:end] for start, end in zip(starts.tolist(), ends.tolist(), strict=True)]
    rank = np.empty(len(held), np.int64)
    rank[sorted(range(len(held)), key=held.__getitem__)] = np.arange(len(held))
    found = np.empty(len(order), np.int64)
    found[order] = np.repeat(rank, ends - starts)
    return found
