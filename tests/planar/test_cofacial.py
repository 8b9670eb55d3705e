"""Pairs that an edge can join: by faces, and by a planarity test each."""

import numpy as np
import pytest

from isingmap.planar.cofacial import blocked_pairs, cofacial_pairs
from isingmap.planar.embedding import is_planar
from oracles import grid_edges, random_planar_edges


@pytest.mark.parametrize("seed", range(20))
def test_blocked_pairs_and_pairs_on_faces(seed):
    rng = np.random.default_rng(seed)
    n_nodes = int(rng.integers(2, 14))
    edges = random_planar_edges(rng, n_nodes, rng.random())
    joined = {tuple(sorted(pair)) for pair in edges.tolist()}
    asked = rng.random((n_nodes, n_nodes)) < 0.8
    blocked = blocked_pairs(n_nodes, edges, asked)
    cofacial = cofacial_pairs(n_nodes, edges)
    np.testing.assert_array_equal(blocked, blocked.T)
    np.testing.assert_array_equal(cofacial, cofacial.T)
    for i in range(n_nodes):
        for j in range(i + 1, n_nodes):
            if (i, j) in joined:
                assert cofacial[i, j] and not blocked[i, j]
                continue
            possible = is_planar(n_nodes, np.vstack([edges, [[i, j]]]))
            assert blocked[i, j] == (asked[i, j] and not possible)
            assert possible or not cofacial[i, j]


def test_a_grid_by_hand():
    cofacial = cofacial_pairs(9, grid_edges(3, 3))
    assert cofacial[0, 4] and cofacial[0, 8] and cofacial[1, 3]  # a square, the rim, a square
    assert not cofacial[4].all()
    assert cofacial[4].sum() == 8  # the centre sees every square's corners and not itself
    apart = cofacial_pairs(4, np.array([[0, 1], [2, 3]]))
    assert apart[0, 2] and apart[1, 3]
