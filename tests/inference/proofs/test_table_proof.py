"""Certified answers by elimination in balls, against sums in whole numbers and long sums."""

import numpy as np
import pytest

from isingmap.errors import ModelError, PrecisionError
from isingmap.inference.elimination.clique_tree import clique_tree
from isingmap.inference.extended import ExtendedGraph
from isingmap.inference.proofs import table_proof
from isingmap.inference.proofs.table_proof import TableProof
from oracles import brute_force


def proof_of(n_spins, edges, strengths, free):
    graph = ExtendedGraph.of(n_spins, edges, np.asarray(free, np.int64))
    return TableProof(graph, clique_tree(n_spins, graph.edges), np.asarray(strengths, float)), graph


def case(seed):
    rng = np.random.default_rng(seed)
    n_spins = int(rng.integers(1, 8))
    pairs = np.array([(i, j) for i in range(n_spins) for j in range(i)], np.int64).reshape(-1, 2)
    edges = pairs[rng.random(len(pairs)) < 0.8]
    free = np.flatnonzero(rng.random(n_spins) < 0.6)
    return n_spins, edges, rng, free


@pytest.mark.parametrize("seed", range(20))
def test_enclosures_against_balls_over_all_configurations(seed):
    from flint import arb, ctx

    n_spins, edges, rng, free = case(seed)
    strengths = rng.choice([0.5, 5.0, 40.0]) * rng.normal(size=len(edges) + free.size)
    proof, graph = proof_of(n_spins, edges, strengths, free)
    x, _, _ = brute_force(n_spins, edges, *graph.split(strengths))
    i, j = graph.extended_edges.T
    features = (np.hstack([x, np.ones((len(x), 1))])[:, i] * np.hstack([x, np.ones((len(x), 1))])[:, j]).astype(int)
    with ctx.workprec(300):
        weights = [
            sum((arb(s) * f for s, f in zip(strengths.tolist(), row, strict=True)), arb(0)).exp()
            for row in features.tolist()
        ]
        total = sum(weights)
        exact = total.log()
        moments = [sum(w * f for w, f in zip(weights, column, strict=True)) / total for column in features.T.tolist()]
    interval = proof.log_partition()
    assert arb(interval.lower) <= exact <= arb(interval.upper)
    assert interval.width <= 4 * np.spacing(max(1.0, abs(interval.lower)))
    lower, upper = proof.moments()
    for below, above, moment in zip(lower, upper, moments, strict=True):
        assert not moment < arb(float(below)) and not moment > arb(float(above))
    assert (upper - lower).max(initial=0.0) < 1e-15


@pytest.mark.parametrize("seed", range(20))
def test_ground_states_are_counted(seed):
    n_spins, edges, rng, free = case(seed)
    whole = rng.choice([-2, -1, 1, 2] if seed % 2 else [-1, 1], size=len(edges) + free.size)
    proof, graph = proof_of(n_spins, edges, 0.1 * whole, free)
    of_edges, of_spins = graph.split(whole)
    x, _, _ = brute_force(n_spins, edges, of_edges, of_spins)
    energy = (x[:, edges[:, 0]] * x[:, edges[:, 1]]) @ of_edges + x @ of_spins
    assert proof.degeneracy() == (energy == energy.max()).sum()


def test_counts_beyond_doubles():
    nothing = np.empty((0, 2), np.int64)
    assert proof_of(100, nothing, [], [])[0].degeneracy() == 2**100
    stars = np.array([(0, v) for v in range(1, 60)])
    with pytest.raises(PrecisionError, match="more than 2\\^53 configurations in one connected part"):
        proof_of(60, stars, np.zeros(59), [])[0].degeneracy()
    with pytest.raises(ModelError, match="common unit"):
        proof_of(60, stars, np.random.default_rng(0).normal(size=59), [])[0].degeneracy()


def test_tables_too_large_for_balls_are_refused(monkeypatch):
    monkeypatch.setattr(table_proof, "MOST_TABLE_ENTRIES_IN_BALLS", 7)
    proof, _ = proof_of(3, np.array([(0, 1), (1, 2)]), [1.0, 1.0], [])
    with pytest.raises(PrecisionError, match="limit"):
        proof_of(4, np.array([(0, 1), (1, 2), (0, 2), (2, 3)]), [1.0] * 4, [])[0].log_partition()
    assert proof.log_partition().width < 1e-14
