"""What the tests hold the program against: brute force, closed forms, finite differences, random instances."""

from __future__ import annotations

import csv
from pathlib import Path

import numpy as np
import pytest
from scipy.spatial import Delaunay

from isingmap.inference.zero_field.plan import plan

SHARED = Path(__file__).resolve().parents[2] / "shared" / "data"


def shared_file(name: str) -> Path:
    """A file of the shared data; the test is skipped where the folder is not there."""
    path = SHARED / name
    if not path.exists():
        pytest.skip(f"needs {path}")
    return path


def random_planar_edges(rng, n_nodes: int, share: float = 1.0) -> np.ndarray:
    """A share of the edges of the Delaunay triangulation of random points, nodes shuffled, (n_edges, 2)."""
    if n_nodes < 4:
        edges = np.array([(i, j) for i in range(n_nodes) for j in range(i)], dtype=np.int64).reshape(-1, 2)
    else:
        corners = Delaunay(rng.random((n_nodes, 2))).simplices
        sides = np.vstack([corners[:, [0, 1]], corners[:, [1, 2]], corners[:, [0, 2]]])
        edges = np.unique(np.sort(sides, axis=1), axis=0)
    kept = edges[rng.random(len(edges)) < share]
    return rng.permutation(n_nodes)[kept]


def grid_edges(n_rows: int, n_columns: int) -> np.ndarray:
    node = np.arange(n_rows * n_columns).reshape(n_rows, n_columns)
    across = np.stack([node[:, :-1].ravel(), node[:, 1:].ravel()], axis=1)
    down = np.stack([node[:-1].ravel(), node[1:].ravel()], axis=1)
    return np.vstack([across, down])


def brute_force(n_spins: int, edges, couplings, fields=None):
    """(configurations, probabilities, log Z) with a loop that shares no code with the package."""
    fields = np.zeros(n_spins) if fields is None else fields
    configurations = np.array(np.meshgrid(*[[-1, 1]] * n_spins, indexing="ij")).reshape(n_spins, -1).T
    log_weight = np.zeros(len(configurations))
    for (i, j), theta in zip(np.asarray(edges).tolist(), couplings, strict=True):
        log_weight += theta * configurations[:, i] * configurations[:, j]
    for i, theta in enumerate(fields):
        log_weight += theta * configurations[:, i]
    largest = log_weight.max()
    weight = np.exp(log_weight - largest)
    return configurations, weight / weight.sum(), largest + np.log(weight.sum())


def finite_differences(function, point, step: float = 1e-5) -> np.ndarray:
    """Central differences of a scalar or vector function, one row for each coordinate of `point`."""
    rows = []
    for k in range(len(point)):
        shift = np.zeros(len(point))
        shift[k] = step
        rows.append((np.asarray(function(point + shift)) - np.asarray(function(point - shift))) / (2 * step))
    return np.array(rows)


def spin_glass(name: str):
    """(plan, couplings, published facts) of a glass on a grid with open borders."""
    table = np.loadtxt(shared_file(f"spin_glass/planar_free/{name}.csv"), delimiter=",", skiprows=1)
    with shared_file("spin_glass/planar_free/reference.csv").open() as file:
        facts = next(row for row in csv.DictReader(file) if row["instance"] == name)
    return plan(int(facts["n"]), table[:, :2].astype(int)), table[:, 2], facts
