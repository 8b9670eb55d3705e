"""A binary heap of integers with 64-bit keys: what a blossom algorithm does next, and what Dijkstra's settles next.

Every item is in it at most once, so its arrays have a fixed size. Of equal keys the smaller item leaves first.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from isingmap.compiled import helper

ENTRY = np.dtype([("key", np.int64), ("item", np.int64)])


class Heap(NamedTuple):
    """Items 0 .. n_items - 1 with keys."""

    entries: np.ndarray  # from place 1 on, each before those at twice its place; entry 0 holds their number as item
    place: np.ndarray  # of each item; 0: not in the heap


def empty_heap(n_items: int) -> Heap:
    return Heap(np.zeros(n_items + 1, ENTRY), np.zeros(n_items, np.int64))


@helper
def _settle(heap, hole, key, item):
    """Put an entry into a hole or above it."""
    entries, place = heap.entries, heap.place
    while hole > 1:
        above = entries[hole >> 1]
        if above.key < key or (above.key == key and above.item < item):
            break
        entries[hole].key, entries[hole].item = above.key, above.item
        place[above.item] = hole
        hole >>= 1
    entries[hole].key, entries[hole].item = key, item
    place[item] = hole


@helper
def push(heap, key, item):
    """Put an item in, or make its key smaller."""
    hole = heap.place[item]
    if hole == 0:
        heap.entries[0].item += 1
        hole = heap.entries[0].item
    elif heap.entries[hole].key <= key:
        return
    _settle(heap, hole, key, item)


@helper
def pop(heap):
    """Take the item with the smallest key out: (key, item)."""
    entries, place = heap.entries, heap.place
    key, item = entries[1].key, entries[1].item
    last = entries[0].item
    entries[0].item -= 1
    hole = 1
    while 2 * hole < last:  # the smaller of the two below moves up
        below = 2 * hole
        x, y = entries[below], entries[below + 1]
        if below + 1 < last and (y.key < x.key or (y.key == x.key and y.item < x.item)):
            below += 1
        entries[hole].key, entries[hole].item = entries[below].key, entries[below].item
        place[entries[hole].item] = hole
        hole = below
    if hole < last:
        _settle(heap, hole, entries[last].key, entries[last].item)
    place[item] = 0
    return key, item


@helper
def clear(heap):
    for k in range(1, heap.entries[0].item + 1):
        heap.place[heap.entries[k].item] = 0
    heap.entries[0].item = 0
