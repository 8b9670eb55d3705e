"""Every maximal planar graph of a few nodes: their known numbers, and fits against the general one."""

from itertools import combinations

import networkx as nx
import numpy as np
import pytest

from bare_moments import learn_structure, on_graph
from exhaustive import best_planar_likelihood, maximal_planar_graphs, planar_likelihoods
from isingmap.likelihood.fit import fit_couplings
from isingmap.structure.fixed_graphs.fit_graph import fit_graph
from isingmap.structure.search_methods import SEARCHES, STEPWISE


def interior_moments(seed, n_spins):
    rng = np.random.default_rng(seed)
    data = np.sign(rng.normal(size=(400, n_spins)) @ rng.normal(size=(n_spins, n_spins)))
    moments = 0.99 * data.T @ data / 400
    np.fill_diagonal(moments, 1.0)
    return moments


@pytest.mark.parametrize(("n_nodes", "count"), [(3, 1), (4, 1), (5, 10), (6, 195), (7, 5712)])
def test_number_of_maximal_planar_graphs(n_nodes, count):
    graphs = maximal_planar_graphs(n_nodes)
    assert len(graphs) == count
    assert (graphs.sum(axis=1) == 3 * n_nodes - 6).all()
    pairs = list(combinations(range(n_nodes), 2))
    for graph in graphs[:: max(1, count // 50)]:
        assert nx.check_planarity(nx.Graph([pairs[k] for k in np.flatnonzero(graph)]))[0]


def test_exhaustive_fits_are_the_general_fits():
    moments = interior_moments(13, 6)
    pairs = np.array(list(combinations(range(6), 2)))
    values = planar_likelihoods(moments)
    for k in range(0, 195, 13):
        fit = fit_couplings(pairs[maximal_planar_graphs(6)[k]], moments)
        assert values[k] == pytest.approx(fit.log_likelihood, abs=1e-11)


def test_no_baseline_beats_the_best_planar_graph():
    moments = interior_moments(14, 7)
    value, edges = best_planar_likelihood(moments)
    assert on_graph(fit_graph, edges, moments, 1.0).log_likelihood == pytest.approx(value, abs=1e-10)
    likelihood = [
        learn_structure(moments, 1.0, family="zero-field", search=name).log_likelihood
        for name in SEARCHES
        if name not in STEPWISE
    ]
    assert len(likelihood) == 4
    assert max(likelihood) <= value + 1e-10
