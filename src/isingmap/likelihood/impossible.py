"""Combinations of values that never occur, in words and in the labels of the data."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import product
from typing import Any

import numpy as np

from isingmap.data.table import counted
from isingmap.inference.extended import ExtendedGraph
from isingmap.likelihood.faces import MOST_ENUMERATED, Face, all_configurations
from isingmap.printable import printable

MOST_COMBINATIONS = 4


def describe_face(face: Face, names: Sequence[str], codings: Sequence[Any] | None = None) -> str:
    """Which combinations a face forbids, as a clause: "gate = no with followup = yes never occurs".

    Parameters
    ----------
    face : Face
    names : sequence of str
        Of the nodes.
    codings : sequence, optional
        What -1 (`negative`) and +1 (`positive`) of each node stand for, None for the auxiliary spin.
    """
    spins = face.spins
    shown = ", ".join(names[k] for k in spins)
    if face.slack < 0:
        return printable(f"no distribution has these moments of {shown}")
    if len(spins) > MOST_ENUMERATED:
        return printable(f"some combinations of {shown} never occur")
    texts = {(k, up): f"{names[k]} = {value_text(k, up, codings)}" for k in spins for up in (True, False)}
    return printable(_by_number(spins, forbidden(face), texts) or _one_by_one(spins, forbidden(face), texts))


def value_text(k: int, up: bool, codings: Sequence[Any] | None) -> str:
    """What a value of a node is called."""
    if codings is None or codings[k] is None:
        return "+1" if up else "-1"
    return codings[k].positive if up else codings[k].negative


def forbidden(face: Face) -> np.ndarray:
    """Which configurations of the face's spins never occur, (2, ..., 2) bool; index 1 is +1."""
    nodes = np.array([*face.spins, face.auxiliary])
    graph = ExtendedGraph(len(face.spins), np.searchsorted(nodes, np.array(face.edges)))
    values = graph.products(all_configurations(len(face.spins))) @ np.array(face.weights)
    # The first spin is the lowest bit of a number, and the last axis of an array.
    return (values < face.limit).reshape((2,) * len(face.spins)).transpose()


def _by_number(spins, never: np.ndarray, texts) -> str:
    """ "of a = yes, b = no and c = yes never exactly 0 or 3 hold"; empty where more than the number matters."""
    if len(spins) < 3:
        return ""
    for ups in product((1, 0), repeat=len(spins)):
        turned = never[tuple(slice(None) if up else slice(None, None, -1) for up in ups)]
        held = np.indices(turned.shape).sum(axis=0)
        numbers = [k for k in range(len(spins) + 1) if turned[held == k].all()]
        if turned.sum() == np.isin(held, numbers).sum():
            statements = [texts[spin, bool(up)] for spin, up in zip(spins, ups, strict=True)]
            return f"of {_listed(statements, 'and')} never exactly {_listed(list(map(str, numbers)), 'or')} hold"
    return ""


def _one_by_one(spins, never: np.ndarray, texts) -> str:
    """ "a = no with b = yes never occurs", one after the other, each of as few variables as can be."""
    cells = sorted(_cells(never))
    shown = [" with ".join(texts[spins[k], bool(up)] for k, up in cell) for cell in cells[:MOST_COMBINATIONS]]
    if len(cells) == 1:
        return f"{shown[0]} never occurs"
    more = len(cells) - len(shown)
    return "; ".join(shown) + (f"; and {counted(more, 'more combination')}" if more else "") + " never occur"


def _cells(never: np.ndarray) -> Iterator[list[tuple[int, int]]]:
    """Sets of values of single spins, (spin, value), that forbid all that is forbidden."""
    left = never.copy()
    while left.any():
        cell: list[int | slice] = [int(k) for k in np.argwhere(left)[0]]
        for k in range(never.ndim):
            wider = [*cell[:k], slice(None), *cell[k + 1 :]]
            if never[tuple(wider)].all():
                cell = wider
        left[tuple(cell)] = False
        yield [(k, value) for k, value in enumerate(cell) if isinstance(value, int)]


def _listed(items: list[str], last: str) -> str:
    return items[0] if len(items) == 1 else f"{', '.join(items[:-1])} {last} {items[-1]}"
