"""Rows with missing cells, cut into connected missing parts: given what is known they know nothing of each other."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from isingmap.compiled import helper, kernel
from isingmap.planar.blocks import component_labels

MOST_ENUMERATED = 12  # spins of a part whose configurations are summed one by one


@dataclass(frozen=True, eq=False)
class ObservedRows:
    """Different rows of -1, +1 and 0 for a missing cell, sorted, with the weight of each.

    Attributes
    ----------
    rows : (n_rows, n_spins) int8 array
    weights : (n_rows,) float64 array
    """

    rows: np.ndarray
    weights: np.ndarray

    @classmethod
    def of(cls, spins: np.ndarray, weights: np.ndarray | None) -> ObservedRows:
        """Equal rows together, rows without weight left out; the order of the rows makes no difference."""
        each = np.ones(len(spins)) if weights is None else np.asarray(weights, float)
        order = np.lexsort((each, *spins.T[::-1]))  # equal rows by weight, so that their sum has one rounding
        rows, each = spins[order], each[order]
        first = np.flatnonzero(np.append(True, (rows[1:] != rows[:-1]).any(axis=1)))
        total = np.add.reduceat(each, first)
        return cls(np.ascontiguousarray(rows[first][total > 0]), total[total > 0])

    def in_order(self, order: np.ndarray) -> ObservedRows:
        """The rows with column order[k] in place k."""
        return ObservedRows(np.ascontiguousarray(self.rows[:, order]), self.weights)

    @property
    def n_samples(self) -> float:
        return float(self.weights.sum())

    @property
    def are_complete(self) -> np.ndarray:
        """Which rows lack nothing, (n_rows,) bool."""
        return (self.rows != 0).all(axis=1)


@dataclass(frozen=True, eq=False)
class Part:
    """A connected part of missing spins, its edges (numbers of the model's), and the rows that lack just it.

    Attributes
    ----------
    members : (k,) int64 array
    edges : (m,) int64 array
    ends : (m, 2) int64 array
        Places of their ends among the members, the smaller first.
    rows : int64 array
        Ascending.
    """

    members: np.ndarray
    edges: np.ndarray
    ends: np.ndarray
    rows: np.ndarray

    def by_fields(self, fields: np.ndarray) -> Iterator[tuple[np.ndarray, np.ndarray]]:
        """The rows of each different set of fields on the members, and these fields; `fields` is (n_rows, n_spins)."""
        different, at = np.unique(fields[np.ix_(self.rows, self.members)], axis=0, return_inverse=True)
        return zip(_grouped(self.rows, at.ravel()), different, strict=True)


class FlatParts(NamedTuple):
    """Parts one after the other, as the kernel reads them: of part p those from `first_member[p]` on, and so on."""

    first_member: np.ndarray
    members: np.ndarray
    first_edge: np.ndarray
    edges: np.ndarray
    low: np.ndarray
    high: np.ndarray


def parts_of(edges: np.ndarray, rows: np.ndarray) -> list[Part]:
    """The connected missing parts of all rows, each once, in the order of the first row that lacks it."""
    patterns, at = np.unique(rows == 0, axis=0, return_inverse=True)
    of_pattern = _grouped(np.arange(len(rows)), at.ravel())
    lacking: dict[bytes, list[np.ndarray]] = {}
    for missing, those in zip(patterns, of_pattern, strict=True):
        if missing.any():
            label = component_labels(missing.size, edges[missing[edges].all(axis=1)])
            for part in np.unique(label[missing]).tolist():
                lacking.setdefault((missing & (label == part)).tobytes(), []).append(those)
    found = [_part(edges, np.frombuffer(key, bool), np.sort(np.concatenate(those))) for key, those in lacking.items()]
    return sorted(found, key=lambda part: (int(part.rows[0]), int(part.members[0])))


def _grouped(values: np.ndarray, number: np.ndarray) -> list[np.ndarray]:
    """The values of each number 0, 1, ..., all of which occur."""
    return np.split(values[np.argsort(number, kind="stable")], np.cumsum(np.bincount(number))[:-1])


def _part(edges: np.ndarray, is_member: np.ndarray, rows: np.ndarray) -> Part:
    members, inside = np.flatnonzero(is_member), np.flatnonzero(is_member[edges].all(axis=1))
    return Part(members, inside, np.searchsorted(members, edges[inside]).reshape(-1, 2), rows)


def flat(parts: list[Part]) -> FlatParts:
    """Parts as the kernel reads them."""
    ends = _joined([part.ends for part in parts], (0, 2))
    return FlatParts(
        _starts([part.members.size for part in parts]),
        _joined([part.members for part in parts], (0,)),
        _starts([part.edges.size for part in parts]),
        _joined([part.edges for part in parts], (0,)),
        np.ascontiguousarray(ends[:, 0]),
        np.ascontiguousarray(ends[:, 1]),
    )


def _starts(sizes: list[int]) -> np.ndarray:
    return np.concatenate([[0], np.cumsum(sizes, dtype=np.int64)]).astype(np.int64)


def _joined(arrays: list[np.ndarray], none: tuple[int, ...]) -> np.ndarray:
    return np.concatenate([np.empty(none, np.int64), *arrays]).astype(np.int64)


@kernel
def expect_enumerated(parts, part_of, row_of, couplings, fields, weights, means, log_p, covariances):
    """Sum over the configurations of parts: changes `means`, adds to `log_p` and, with weights, to `covariances`.

    Job k is part `part_of[k]` in the fields of row `row_of[k]`.
    """
    local = np.empty((MOST_ENUMERATED, MOST_ENUMERATED))
    equal = np.empty((MOST_ENUMERATED, MOST_ENUMERATED))
    table = np.empty(1 << MOST_ENUMERATED)
    plus = np.empty(MOST_ENUMERATED)
    for k in range(part_of.size):
        part, row = part_of[k], row_of[k]
        first = parts.first_member[part]
        n = parts.first_member[part + 1] - first
        for a in range(n):
            for b in range(a):
                local[a, b] = 0.0
        for e in range(parts.first_edge[part], parts.first_edge[part + 1]):
            local[parts.high[e], parts.low[e]] = couplings[parts.edges[e]]
        _tabulate(n, local, fields, row, parts.members, first, table)
        log_p[row] += _normalise(n, table)
        _count(n, table, plus, equal)
        weight = weights[row]
        for a in range(n):
            i = parts.members[first + a]
            mean = 2.0 * plus[a] - 1.0
            means[row, i] = mean
            covariances[i, i] += weight * (1.0 - mean * mean)
            for b in range(a):
                j = parts.members[first + b]
                both = weight * (2.0 * equal[a, b] - 1.0 - mean * means[row, j])
                covariances[i, j] += both
                covariances[j, i] += both


@helper
def _tabulate(n, local, fields, row, members, first, table):
    """Log-weights of all configurations, bit a for the spin at +1; the table grows by one spin at a time."""
    table[0] = 0.0
    size = 1
    for a in range(n):
        for s in range(size):
            field = fields[row, members[first + a]]
            for b in range(a):
                field += local[a, b] if (s >> b) & 1 else -local[a, b]
            table[size + s] = table[s] + field
            table[s] -= field
        size *= 2


@helper
def _normalise(n, table):
    """Log-weights become probabilities; the log of their sum."""
    largest = table[0]
    for s in range(1 << n):
        largest = max(largest, table[s])
    total = 0.0
    for s in range(1 << n):
        table[s] = np.exp(table[s] - largest)
        total += table[s]
    for s in range(1 << n):
        table[s] /= total
    return largest + np.log(total)


@helper
def _count(n, table, plus, equal):
    """How probable it is that a spin is +1, and that two are equal."""
    for a in range(n):
        plus[a] = 0.0
        for b in range(a):
            equal[a, b] = 0.0
    for s in range(1 << n):
        for a in range(n):
            bit = (s >> a) & 1
            if bit:
                plus[a] += table[s]
            for b in range(a):
                if (s >> b) & 1 == bit:
                    equal[a, b] += table[s]
