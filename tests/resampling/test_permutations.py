"""Rows dealt out to two groups: all ways as likely, whole clusters, pairs, and in an order of their own."""

from collections import Counter
from itertools import combinations

import numpy as np
import pytest

from isingmap import SpinTable
from isingmap.data.table import Coding
from isingmap.resampling.options import ComparisonOptions
from isingmap.resampling.permutations import grouped_rows

OPTIONS = ComparisonOptions(n_permutations=10)
ROWS = np.array([[1, 1, 1], [1, 1, -1], [1, -1, 1], [1, -1, -1], [-1, 1, 1], [-1, 1, -1]])
SECOND = np.array([False, False, True, True, True, True])


def table_of(spins, weights=None, clusters=None):
    codings = (Coding("-1", "1"),) * spins.shape[1]
    return SpinTable(spins, tuple("bca"[: spins.shape[1]]), codings, weights, clusters=clusters)


def members(rows, number):
    """The rows of a group, as often as they are in it."""
    table = rows.of_number(OPTIONS, 0, number, None)
    return sorted(
        (*spins, weight) for spins, weight in zip(table.spins.tolist(), table.weights.tolist(), strict=True) if weight
    )


def test_numbers_0_and_1_are_the_groups_as_they_are():
    rows = grouped_rows(table_of(ROWS), SECOND)
    by_name = ROWS[:, [2, 0, 1]]  # a, b, c
    for number, chosen in ((0, ~SECOND), (1, SECOND)):
        assert members(rows, number) == sorted((*row, 1.0) for row in by_name[chosen].tolist())


def test_every_way_to_deal_out_rows_is_as_likely():
    rows = grouped_rows(table_of(ROWS), SECOND)
    found = Counter(tuple(members(rows, 2 * k)) for k in range(1, 3001))
    assert len(found) == len(list(combinations(range(6), 2)))
    expected = 3000 / 15
    assert sum((n - expected) ** 2 / expected for n in found.values()) < 36.1  # 0.999 point of chi-square, 14


@pytest.mark.parametrize("weights", [None, np.array([3, 1, 2, 0, 5, 1.0]), np.array([0.5, 1.5, 2, 0, 0.25, 1])])
@pytest.mark.parametrize("clusters", [None, [0, 0, 1, 1, 2, 3], [0, 1, 0, 1, 0, 1]])
def test_nothing_is_lost_and_nothing_made(weights, clusters):
    rows = grouped_rows(table_of(ROWS, weights, clusters), SECOND)
    total = Counter()
    for spins, weight in zip(ROWS[:, [2, 0, 1]].tolist(), np.ones(6) if weights is None else weights, strict=True):
        total[tuple(spins)] += weight
    for k in range(6):
        both = Counter()
        for which in (0, 1):
            for *spins, weight in members(rows, 2 * k + which):
                both[tuple(spins)] += weight
        assert both == Counter({spins: weight for spins, weight in total.items() if weight})


def test_rows_of_whole_weight_are_dealt_out_one_by_one():
    rows = grouped_rows(table_of(ROWS, np.array([3, 1, 2, 4, 5, 1.0])), SECOND)
    assert rows.n_units == (4, 12)
    for k in range(1, 20):
        assert sum(row[-1] for row in members(rows, 2 * k)) == 4


def test_clusters_are_dealt_out_whole():
    clusters = [5, 5, 8, 8, 9, 1]
    rows = grouped_rows(table_of(ROWS, clusters=clusters), SECOND)
    assert not rows.is_paired and rows.n_units == (1, 3)
    by_name = ROWS[:, [2, 0, 1]].tolist()
    whole = [
        sorted((*row, 1.0) for row, cluster in zip(by_name, clusters, strict=True) if cluster == which)
        for which in (5, 8, 9, 1)
    ]
    found = Counter(tuple(members(rows, 2 * k)) for k in range(1, 801))
    assert set(found) == {tuple(each) for each in whole}
    assert all(150 < n < 250 for n in found.values())


def test_clusters_in_both_groups_swap_sides():
    pairs = np.array([0, 1, 2, 0, 1, 2])
    second = np.arange(6) >= 3
    rows = grouped_rows(table_of(ROWS, clusters=pairs), second)
    assert rows.is_paired and rows.n_units == (3, 3)
    by_name = ROWS[:, [2, 0, 1]].tolist()
    sides = {tuple(sorted((*by_name[i + 3 * side[i]], 1.0) for i in range(3))) for side in np.ndindex(2, 2, 2)}
    found = Counter(tuple(members(rows, 2 * k)) for k in range(1, 801))
    assert set(found) == sides and all(60 < n < 145 for n in found.values())


@pytest.mark.parametrize("clusters", [None, np.array([0, 0, 1, 1, 2, 3]), np.array([0, 1, 0, 1, 0, 1])])
def test_the_order_of_rows_and_columns_and_the_names_of_clusters_do_not_matter(clusters):
    order, columns = [4, 0, 5, 2, 1, 3], [2, 0, 1]
    one = grouped_rows(table_of(ROWS, clusters=clusters), SECOND)
    moved = None if clusters is None else np.array([7, 3, 11, 2])[clusters][order]
    names = tuple("bca"[j] for j in columns)
    other = SpinTable(ROWS[order][:, columns], names, (Coding("-1", "1"),) * 3, clusters=moved)
    other = grouped_rows(other, SECOND[order])
    assert all(members(one, number) == members(other, number) for number in range(40))
    assert [a.tobytes() for a in one.identity] == [a.tobytes() for a in other.identity]


@pytest.mark.parametrize("clusters", [None, np.array([0, 0, 1, 1, 2, 3]), np.array([0, 1, 0, 1, 0, 1])])
def test_it_does_not_matter_which_group_comes_first(clusters):
    one, other = (grouped_rows(table_of(ROWS, clusters=clusters), is_second) for is_second in (SECOND, ~SECOND))
    assert one.n_units == other.n_units[::-1] and one.is_swapped != other.is_swapped
    for k in range(20):
        assert members(one, 2 * k) == members(other, 2 * k + 1) and members(one, 2 * k + 1) == members(other, 2 * k)
    assert [a.tobytes() for a in one.identity] != [a.tobytes() for a in other.identity]
