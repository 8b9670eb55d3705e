"""Correlations of the pairs asked for, from the entries of the inverse that their paths need."""

import numba
import numpy as np
import pytest

from isingmap.inference.pfaffian.inverse import full_inverse
from isingmap.inference.pfaffian.partial_inverse import entry, needed_by_paths, partial_inverse
from isingmap.inference.zero_field.paths import asked_paths
from isingmap.inference.zero_field.plan import plan
from isingmap.inference.zero_field.solution import solve_dual
from oracles import grid_edges, random_planar_edges


@numba.njit
def read_entry(inverse, a, b):
    """A helper has no entry from Python."""
    return entry(inverse, a, b)


def solved(seed, n_spins):
    rng = np.random.default_rng(seed)
    edges = random_planar_edges(rng, n_spins, rng.random())
    return rng, solve_dual(plan(n_spins, edges), rng.normal(size=len(edges)))


@pytest.mark.parametrize("seed", range(12))
@pytest.mark.parametrize("n_spins", [1, 2, 7, 60, 200])
def test_asked_correlations_are_those_of_the_whole(seed, n_spins):
    rng, solution = solved(seed, n_spins)
    everything = solution.correlations()
    asked = rng.random((n_spins, n_spins)) < rng.choice([0.0, 0.02, 0.5])
    found = solution.correlations(asked)
    above = np.triu(asked, 1)
    known = above | above.T | np.eye(n_spins, dtype=bool)
    np.testing.assert_allclose(found[known], everything[known], rtol=0, atol=1e-10)
    assert np.isnan(found[~known]).all()


@pytest.mark.parametrize("seed", range(5))
def test_entries_are_those_of_the_whole_inverse(seed):
    _, solution = solved(seed, 150)
    elimination = solution.plan.elimination
    asked = np.zeros((150, 150), bool)
    asked[0, 5:40] = asked[17, 100:150] = True
    triangulation = solution.plan.triangulation
    begin, path = asked_paths(150, triangulation.edges[elimination.order], asked, int(asked.sum()))
    part = partial_inverse(elimination, solution._factors, needed_by_paths(elimination, begin, path))
    whole = full_inverse(elimination, solution._factors)
    darts = 2 * np.repeat(elimination.order, 2)
    darts[1::2] += 1
    for k in range(begin.size - 1):
        units = path[begin[k] : begin[k + 1]]
        for a in np.append(2 * units, 2 * units + 1).tolist():
            for b in np.append(2 * units, 2 * units + 1).tolist():
                assert read_entry(part, a, b) == pytest.approx(whole[darts[a], darts[b]], abs=1e-10)
    assert part.values.size < 0.5 * whole.size


def test_paths_are_shortest_and_join_their_pairs():
    edges = grid_edges(5, 6)
    asked = np.triu(np.random.default_rng(0).random((30, 30)) < 0.3, 1)
    begin, path = asked_paths(30, edges, asked, int(asked.sum()))
    rows, columns = np.nonzero(asked)
    assert begin.size == rows.size + 1 and begin[-1] == path.size
    for k, (i, j) in enumerate(zip(rows.tolist(), columns.tolist(), strict=True)):
        ends, count = np.unique(edges[path[begin[k] : begin[k + 1]]], return_counts=True)
        assert set(ends[count % 2 == 1].tolist()) == {i, j}
        assert begin[k + 1] - begin[k] == abs(i // 6 - j // 6) + abs(i % 6 - j % 6)
