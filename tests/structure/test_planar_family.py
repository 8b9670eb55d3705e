"""The family "planar": a planar graph of couplings, and a field on every variable beside the plane."""

import itertools

import networkx as nx
import numpy as np
import pytest

from bare_moments import learn_structure, problem_of
from isingmap import IsingModel, PlanarIsing, SearchOptions
from isingmap import learn_structure as learn_structure_of
from isingmap.errors import FitWarning, NoEstimateError, NonPlanarError
from isingmap.inference.elimination import fielded_block
from isingmap.likelihood.fit import fit_couplings
from isingmap.structure import checkpoint
from isingmap.structure.edge_gain import log_odds_ratio, moment_of, table_gain, table_loss
from isingmap.structure.edge_losses import edge_losses
from isingmap.structure.fixed_graphs.fit_graph import fit_graph
from oracles import brute_force, finite_differences

K4 = list(itertools.combinations(range(4), 2))


def sample(seed, n_rows=800, n_spins=8, n_edges=12):
    """Rows of a random planar model with fields of all sizes."""
    rng = np.random.default_rng(seed)
    edges = []
    for i, j in rng.permutation(list(itertools.combinations(range(n_spins), 2))).tolist():
        if len(edges) < n_edges and nx.check_planarity(nx.Graph([*edges, (i, j)]))[0]:
            edges.append((i, j))
    couplings = rng.uniform(0.2, 0.6, len(edges)) * rng.choice([-1, 1], len(edges))
    model = IsingModel(edges, couplings, rng.uniform(-1.0, 1.0, n_spins))
    return model.sample(n_rows, rng=seed).astype(float)


def given(rows, **settings):
    """Moments of rows, as keyword arguments of `learn_structure`."""
    means = rows.mean(axis=0)
    return {"moments": rows.T @ rows / len(rows), "n_samples": len(rows), "magnetizations": means, **settings}


def pair_table(moment, first, second):
    return np.array([[1 + s * first + t * second + s * t * moment for t in (-1, 1)] for s in (-1, 1)]) / 4


def test_the_gain_of_a_pair_is_that_of_its_table():
    observed, expected = pair_table(0.6, 0.5, 0.3), pair_table(0.2, 0.5, 0.3)
    divergence = (observed * np.log(observed / expected)).sum()
    assert table_gain(0.6, 0.2, 0.5, 0.3) == pytest.approx(divergence, rel=1e-12)
    empty = 1 - 0.5 - 0.3  # a moment with which the cell (-, +) is empty
    assert pair_table(empty, 0.5, -0.3).min() == pytest.approx(0, abs=1e-15)
    assert np.isfinite(table_gain(empty, 0.0, 0.5, -0.3)) and table_gain(empty, 0.0, 0.5, -0.3) > 0


@pytest.mark.parametrize(("first", "second", "coupling"), [(0.5, 0.3, 0.4), (-0.9, 0.8, -1.0), (0.0, 0.0, 3.0)])
def test_the_loss_of_a_pair_alone_is_that_of_independence(first, second, coupling):
    """Without its coupling a pair alone falls apart into its two means."""
    moment = moment_of(4 * coupling, first, second)
    assert log_odds_ratio(moment, first, second) == pytest.approx(4 * coupling, rel=1e-6)
    table = pair_table(moment, first, second)
    alone = pair_table(first * second, first, second)
    expected = (np.where(table > 0, table, 1) * np.log(np.where(table > 0, table, 1) / alone) * (table > 0)).sum()
    assert table_loss(moment, coupling, first, second) == pytest.approx(expected, rel=1e-8)


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("prior", [None, 2.0])
def test_everything_that_is_carried_is_what_a_computation_from_nothing_gives(seed, prior):
    rows = sample(seed)
    options = {"criterion": "bic", "n_restarts": 3, "audit_every": 1, "prior": prior, "family": "planar"}
    result = learn_structure(**given(rows, **options))
    model = result.model
    assert model.free_fields.all() and nx.check_planarity(nx.Graph(model.edges.tolist()))[0]
    x, weight, log_partition = brute_force(8, model.edges, model.couplings, model.fields)
    probability = weight / weight.sum()
    shrink = 1.0 if prior is None else 800 / 802
    assert probability @ x == pytest.approx(shrink * rows.mean(axis=0), abs=1e-8)
    i, j = model.edges.T
    assert probability @ (x[:, i] * x[:, j]) == pytest.approx(shrink * (rows[:, i] * rows[:, j]).mean(axis=0), abs=1e-8)
    total = (rows @ model.fields + (rows[:, i] * rows[:, j]) @ model.couplings - log_partition).sum()
    assert result.log_likelihood == pytest.approx(total, rel=1e-10)


def test_no_other_planar_graph_is_better():
    """Of all graphs on five nodes: they are all planar but one, and none has a better BIC."""
    rows = sample(5, n_rows=300, n_spins=5, n_edges=7)
    result = learn_structure(**given(rows, family="planar", criterion="bic", n_restarts=20))
    pairs, bics = list(itertools.combinations(range(5), 2)), []
    problem, _ = problem_of(**given(rows, family="planar"))
    for size in range(2, 9):
        bics += [fit_graph(np.array(graph), problem).bic for graph in itertools.combinations(pairs, size)]
    assert result.bic == pytest.approx(min(bics), abs=1e-6)


def test_the_order_of_the_columns_does_not_matter():
    rows, names = sample(2), list("hgfedcba")
    here = learn_structure(**given(rows, family="planar", criterion="bic", names=names))
    order = np.random.default_rng(0).permutation(8)
    there = learn_structure(**given(rows[:, order], family="planar", criterion="bic", names=[names[k] for k in order]))
    assert {frozenset(pair) for pair in here.model.edge_names} == {frozenset(pair) for pair in there.model.edge_names}
    assert sorted(here.model.couplings) == sorted(there.model.couplings)
    assert here.model.fields[order].tolist() == there.model.fields.tolist()


def test_a_graph_that_has_no_room_for_its_fields_in_the_plane():
    rows = sample(1)[:, :4]
    moments, means = rows.T @ rows / len(rows), rows.mean(axis=0)
    with pytest.raises(NonPlanarError):
        fit_couplings(K4, moments, magnetizations=means)
    fit = fit_couplings(K4, moments, magnetizations=means, n_samples=len(rows), fields_in_plane=False)
    assert fit.converged and fit.model.magnetizations() == pytest.approx(means, abs=1e-9)

    def log_likelihood(theta):
        _, _, log_partition = brute_force(4, K4, theta[:6], theta[6:])
        return np.concatenate([[moments[i, j] for i, j in K4], means]) @ theta - log_partition

    slope = finite_differences(log_likelihood, np.concatenate([fit.model.couplings, fit.model.fields]))
    assert np.abs(slope).max() < 1e-8
    assert fit.standard_errors.shape == (10,) and (fit.standard_errors > 0).all()


def test_couplings_must_fit_into_the_plane():
    rows = sample(1)
    k5 = list(itertools.combinations(range(5), 2))
    with pytest.raises(NonPlanarError):
        fit_couplings(k5, rows.T @ rows / len(rows), magnetizations=rows.mean(axis=0), n_spins=8, fields_in_plane=False)
    with pytest.raises(NonPlanarError):
        learn_structure(**given(rows, family="planar", required_edges=k5))


def test_a_likelihood_without_a_maximum_is_noticed():
    """All six pairs and all cycles have room, yet only configurations of the middle of a pentagonal facet occur."""
    x = np.array(list(itertools.product([-1, 1], repeat=4)))
    allowed = x[np.abs(1 + x.sum(axis=1)) == 1]
    rows = allowed[np.random.default_rng(0).integers(len(allowed), size=500)].astype(float)
    moments, means = rows.T @ rows / 500, rows.mean(axis=0)
    with pytest.raises(
        NoEstimateError, match=r"of x1 = \+1, x2 = \+1, x3 = \+1 and x4 = \+1 never exactly 0, 3 or 4 hold"
    ):
        fit_couplings(K4, moments, magnetizations=means, n_samples=500, fields_in_plane=False)
    with_prior = fit_couplings(K4, moments, magnetizations=means, n_samples=500, prior=1.0, fields_in_plane=False)
    assert with_prior.converged and np.abs(with_prior.model.couplings).max() < 3
    result = learn_structure(moments, 500, magnetizations=means, family="planar", criterion="maximal")
    assert 0 < result.model.n_edges < 6 and np.abs(result.model.couplings).max() < 10


def test_pairs_that_would_make_the_graph_too_wide_are_passed_over_and_listed(monkeypatch):
    monkeypatch.setattr(fielded_block, "MOST_ADDITIONS", 40.0)  # with 8 spins: a forest, and hardly more
    with pytest.warns(FitWarning, match="left out because with it the graph would be too wide.*stricter criterion"):
        fit = PlanarIsing(family="planar", criterion="bic").fit(sample(8))
    wide = [pair for pair in fit.excluded_ if "too wide" in pair.reason]
    assert wide and fit.model_.planned.clique_tree.cost <= 40
    assert {frozenset((pair.source, pair.target)) for pair in wide}.isdisjoint(map(frozenset, fit.model_.edge_names))


@pytest.mark.parametrize("search", ["chow-liu", "tmfg", "pmfg", "independent"])
def test_graphs_that_are_drawn_at_once(search):
    rows = sample(3)
    fit = PlanarIsing(family="planar", search=search).fit(rows)
    assert fit.model_.free_fields.all()
    assert fit.model_.n_edges == {"chow-liu": 7, "tmfg": 18, "pmfg": 18, "independent": 0}[search]
    assert fit.model_.magnetizations() == pytest.approx(rows.mean(axis=0), abs=1e-8)


def test_what_each_edge_is_worth():
    rows = sample(4)
    problem, _ = problem_of(**given(rows, family="planar"))
    result = learn_structure_of(problem, SearchOptions(criterion="maximal", search="greedy"))
    losses = edge_losses(result, problem.moments)
    for k in range(result.model.n_edges):
        rest = fit_graph(np.delete(result.model.edges, k, axis=0), problem)
        assert losses[k] == pytest.approx(result.log_likelihood - rest.log_likelihood, abs=1e-6)


def test_a_search_goes_on_from_its_checkpoint(tmp_path, monkeypatch):
    monkeypatch.setattr(checkpoint, "SECONDS_BETWEEN_SAVES", 0.0)
    rows = sample(6)
    whole = learn_structure(**given(rows, family="planar", criterion="bic"))

    def stop(done, room):
        if done >= 12:
            raise KeyboardInterrupt

    settings = {"family": "planar", "criterion": "bic", "checkpoint": tmp_path / "search.checkpoint"}
    stopped = learn_structure(**given(rows, **settings, progress=stop))
    assert (tmp_path / "search.checkpoint").exists()
    assert stopped.stopped.startswith("interrupted") and stopped.model.n_edges < whole.model.n_edges
    resumed = learn_structure(**given(rows, **settings))
    assert resumed.model.couplings.tolist() == whole.model.couplings.tolist()


@pytest.mark.filterwarnings("ignore:.* no field although")
def test_rare_columns_that_have_nothing_to_do_with_each_other():
    """In the family "partial" an edge between two of them stands in for the fields of both."""
    rng = np.random.default_rng(88)
    table = (rng.random((200, 50)) < rng.uniform(0.02, 0.2, 50)).astype(int)
    fits = {
        family: PlanarIsing(family=family, gamma=1.0, search="greedy").fit(table) for family in ("planar", "partial")
    }
    assert fits["planar"].model_.n_edges == 0 < fits["partial"].model_.n_edges


def test_means_are_those_of_the_data_whatever_the_graph():
    rows = sample(7)
    fit = PlanarIsing(family="planar").fit(rows)
    assert fit.model_.magnetizations() == pytest.approx(rows.mean(axis=0), abs=1e-8)
    assert fit.score(rows) == pytest.approx(fit.log_likelihood_ / len(rows), rel=1e-10)
