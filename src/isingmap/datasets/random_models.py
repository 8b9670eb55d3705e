"""Models to draw data from: the graphs of the paper's experiments, and random planar graphs of any size.

Johnson, Netrapalli & Chertkov, "Learning Planar Ising Models", AISTATS 2011, sections 4 and 5.
"""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from isingmap.errors import ModelError
from isingmap.model import IsingModel
from isingmap.model.arguments import generator_of
from isingmap.sampling.gibbs import whole_number

PAPER_CHORDS = ((1, 3), (1, 4), (1, 11), (4, 11), (5, 11), (6, 11), (6, 8), (6, 9), (9, 11))


def grid_model(n_rows: int, n_columns: int, *, rng, low: float = 0.05, high: float = 1.0) -> IsingModel:
    """Zero-field model on a square grid with free boundaries.

    Parameters
    ----------
    n_rows, n_columns : int
        At least 1 each. The spin in row 1 and column 1 is named "r1c1"; numbers are padded with zeros.
    rng : int or numpy.random.Generator
        A seed, or what to draw from.
    low, high : float
        Couplings are uniform on [-high, -low] and [low, high].

    Raises
    ------
    ModelError
        For sizes or bounds out of range, or an `rng` that is neither.
    """
    rng, n_rows = generator_of(rng), whole_number(n_rows, "n_rows", 1)
    n_columns = whole_number(n_columns, "n_columns", 1)
    number = np.arange(n_rows * n_columns).reshape(n_rows, n_columns)
    across = np.stack([number[:, :-1].ravel(), number[:, 1:].ravel()], axis=1)
    down = np.stack([number[:-1].ravel(), number[1:].ravel()], axis=1)
    edges = np.vstack([across, down])
    rows, columns = _numbered("r", n_rows), _numbered("c", n_columns)
    names = [row + column for row in rows for column in columns]
    return IsingModel(edges, _couplings(len(edges), rng, low, high), names=names)


def outer_planar_model(
    n_spins: int,
    *,
    rng,
    low: float = 0.05,
    high: float = 1.0,
    field: float = 0.5,
    density: float = 0.5,
) -> IsingModel:
    """Model with fields on a random outer-planar graph: a cycle and chords that do not cross.

    Parameters
    ----------
    n_spins : int
        At least 3.
    rng : int or numpy.random.Generator
        A seed, or what to draw from.
    low, high : float
        Couplings are uniform on [-high, -low] and [low, high].
    field : float
        Fields are uniform on [-field, field].
    density : float
        Share kept of the n_spins - 3 chords of a random triangulation of the cycle.

    Raises
    ------
    ModelError
        For a size or bounds out of range, or an `rng` that is neither.
    """
    rng, n_spins = generator_of(rng), whole_number(n_spins, "n_spins", 3)
    chords = _share(_polygon_chords(n_spins, rng), density, rng)
    return _with_parameters(np.vstack([_cycle(n_spins), chords]), n_spins, rng, low, high, field)


def paper_outer_planar_model(*, rng, low: float = 0.05, high: float = 1.0, field: float = 0.5) -> IsingModel:
    """Model with fields on the outer-planar graph of the paper's section 5: 12 spins "x01".."x12", 21 edges.

    Parameters
    ----------
    rng : int or numpy.random.Generator
        A seed, or what to draw from.
    low, high : float
        Couplings are uniform on [-high, -low] and [low, high].
    field : float
        Fields are uniform on [-field, field].

    Raises
    ------
    ModelError
        For bounds out of range, or an `rng` that is neither.
    """
    edges = np.vstack([_cycle(12), np.array(PAPER_CHORDS) - 1])
    return _with_parameters(edges, 12, generator_of(rng), low, high, field)


def random_planar_model(
    n_spins: int,
    *,
    rng,
    density: float = 0.7,
    low: float = 0.05,
    high: float = 1.0,
    field: float = 0.0,
) -> IsingModel:
    """Model on part of the Delaunay triangulation of random points in a square; it need not be connected.

    Parameters
    ----------
    n_spins : int
        At least 1.
    rng : int or numpy.random.Generator
        A seed, or what to draw from.
    density : float
        Share of the triangulation's edges that is kept, from 0 to 1.
    low, high : float
        Couplings are uniform on [-high, -low] and [low, high].
    field : float
        Fields are uniform on [-field, field]. With them, inference is by elimination: the graph has to be narrow.

    Raises
    ------
    ModelError
        For a size or bounds out of range, or an `rng` that is neither.
    """
    rng, n_spins = generator_of(rng), whole_number(n_spins, "n_spins", 1)
    edges = _share(_delaunay_edges(rng.random((n_spins, 2))), density, rng)
    return _with_parameters(edges, n_spins, rng, low, high, field)


def paper_counterexample() -> IsingModel:
    """The paper's section 4, where greedy search goes wrong: K5 on a..e without the edge a-e.

    Planar, zero-field; the couplings b-c, c-d and b-d are 0.1, the others 1. The pair a-e, which is no edge,
    has the largest moment of all.
    """
    edges = ["ab", "ac", "ad", "be", "ce", "de", "bc", "cd", "bd"]
    return IsingModel([tuple(edge) for edge in edges], [1.0] * 6 + [0.1] * 3, names=tuple("abcde"))


def _numbered(prefix: str, count: int) -> list[str]:
    """prefix1 .. prefix<count>, padded so that the order of the names is that of the numbers."""
    width = len(str(count))
    return [f"{prefix}{k:0{width}d}" for k in range(1, count + 1)]


def _couplings(count: int, rng, low: float, high: float) -> np.ndarray:
    """Couplings uniform on [-high, -low] and [low, high]."""
    if not (0 <= low <= high and np.isfinite(high)):
        raise ModelError(f"couplings need 0 <= low <= high, both finite; got {low} and {high}")
    return rng.choice([-1.0, 1.0], count) * rng.uniform(low, high, count)


def _with_parameters(edges, n_spins: int, rng, low: float, high: float, field: float) -> IsingModel:
    """A graph with random couplings and fields, and padded names."""
    if not (0 <= field < np.inf):
        raise ModelError(f"field is the largest |field| and must be finite and not negative; got {field}")
    couplings = _couplings(len(edges), rng, low, high)
    fields = rng.uniform(-field, field, n_spins) if field else None
    return IsingModel(edges, couplings, fields, names=_numbered("x", n_spins))


def _share(edges: np.ndarray, density: float, rng) -> np.ndarray:
    """A random share of the edges, in their order."""
    if not 0 <= density <= 1:
        raise ModelError(f"density is a share and must be from 0 to 1; got {density}")
    kept = rng.choice(len(edges), round(density * len(edges)), replace=False)
    return edges[np.sort(kept)]


def _cycle(n_spins: int) -> np.ndarray:
    number = np.arange(n_spins)
    return np.stack([number, np.roll(number, -1)], axis=1)


def _polygon_chords(n_corners: int, rng) -> np.ndarray:
    """Chords of a random triangulation of a polygon: split at a random corner, then both sides likewise."""
    chords = []
    stack = [(0, n_corners - 1)]
    while stack:
        first, last = stack.pop()
        if last - first < 2:
            continue
        apex = int(rng.integers(first + 1, last))
        sides = [(first, apex), (apex, last)]
        chords += [side for side in sides if side[1] - side[0] > 1]
        stack += sides
    return np.array(chords, np.int64).reshape(-1, 2)


def _delaunay_edges(points: np.ndarray) -> np.ndarray:
    """Edges of the Delaunay triangulation, each once, (n_edges, 2)."""
    if len(points) < 3:
        return np.array(list(pairwise(range(len(points)))), np.int64).reshape(-1, 2)
    from scipy.spatial import Delaunay

    corners = Delaunay(points).simplices
    sides = np.vstack([corners[:, [0, 1]], corners[:, [1, 2]], corners[:, [2, 0]]])
    return np.unique(np.sort(sides, axis=1), axis=0).astype(np.int64)
