"""Structural EM: what it finds, in whatever order rows and columns come, and what it refuses or is interrupted in."""

from itertools import pairwise

import numpy as np
import pytest
from observed import Enumerated, parameters, random_model, with_gaps

from isingmap import IsingModel
from isingmap.data.moments import empirical_moments
from isingmap.data.table import Coding, SpinTable
from isingmap.errors import FitWarning, ModelError, NoEstimateError
from isingmap.missing_cells import structural
from isingmap.missing_cells.climb import refined
from isingmap.missing_cells.expectation import Completion
from isingmap.missing_cells.parts import ObservedRows
from isingmap.missing_cells.structural import learn_by_em
from isingmap.structure.criteria import ebic_penalty
from isingmap.structure.learn import learn_structure
from isingmap.structure.options import SearchOptions
from isingmap.structure.problem import Problem
from oracles import grid_edges

ASKED = {"family": "planar", "prior": None}
PLAIN = SearchOptions(n_restarts=0)


def table_of(spins, names=None, weights=None):
    names = tuple(f"v{k}" for k in range(spins.shape[1])) if names is None else tuple(names)
    return SpinTable(spins, names, (Coding("-1", "1"),) * len(names), weights)


@pytest.fixture(scope="module")
def spins():
    rng = np.random.default_rng(2)
    return with_gaps(rng, random_model(rng, 8, grid_edges(2, 4)), 500, 0.25)


@pytest.fixture(scope="module")
def fit(spins):
    return learn_by_em(table_of(spins), ASKED, PLAIN)


def test_the_result_is_a_maximum_of_what_was_observed(fit, spins):
    result = fit.result
    oracle = Enumerated(result.model.edges, result.model.free_fields, spins)
    theta = parameters(result.model)
    value = oracle.log_likelihood(theta)
    assert result.converged and result.log_likelihood == pytest.approx(value, abs=1e-8)
    k, n = theta.size, len(spins)
    assert result.bic == pytest.approx(-2 * value + k * np.log(n), abs=1e-7)
    assert result.ebic == pytest.approx(result.bic + k * ebic_penalty(0.25, 8), abs=1e-7)
    for direction in np.random.default_rng(0).normal(size=(5, k)):
        assert oracle.log_likelihood(theta + 1e-3 * direction) < value
    assert not result.is_composite and fit.n_rounds > 1
    assert np.isnan(result.path.log_likelihood[:-1]).all() and len(result.path) == result.model.n_edges + 1


def test_no_edge_more_or_less_is_better_by_the_criterion(fit, spins):
    """Over every neighbour of the graph, by EM on each: the search on expected moments has found a local optimum."""
    observed, model, result = fit.observed, fit.result.model, fit.result
    price = np.log(len(spins)) + ebic_penalty(0.25, 8)

    def value(edges):
        start = random_model(np.random.default_rng(0), 8, np.array(edges).reshape(-1, 2), size=0.0)
        found = refined(start, Completion(start.edges, observed), fields_in_plane=False)
        return -2 * found.expectation.log_likelihood + price * len(edges)

    here = value(model.edges.tolist())
    assert here == pytest.approx(result.ebic - 8 * price, abs=1e-5)
    for k in range(0, model.n_edges, 3):
        assert value(np.delete(model.edges, k, axis=0).tolist()) > here
    others = [(i, j) for i in range(8) for j in range(i + 1, 8) if [i, j] not in model.edges.tolist()]
    for pair in others[::4]:
        assert value([*model.edges.tolist(), list(pair)]) > here


def test_any_order_of_rows_and_columns_gives_the_same_bits(fit, spins):
    rng = np.random.default_rng(0)
    columns, rows = rng.permutation(8), rng.permutation(len(spins))
    other = learn_by_em(table_of(spins[rows][:, columns], [f"v{k}" for k in columns]), ASKED, PLAIN)
    first, second = fit.result, other.result
    couplings = {frozenset(pair): c for pair, c in zip(first.model.edge_names, first.model.couplings, strict=True)}
    assert couplings == {
        frozenset(pair): c for pair, c in zip(second.model.edge_names, second.model.couplings, strict=True)
    }
    assert (first.model.fields[columns] == second.model.fields).all()
    assert first.log_likelihood == second.log_likelihood and fit.values == other.values


def test_weights_are_so_many_rows(spins):
    times = np.random.default_rng(1).integers(1, 3, 120)
    weighted = learn_by_em(table_of(spins[:120], weights=times.astype(float)), ASKED, PLAIN)
    repeated = learn_by_em(table_of(np.repeat(spins[:120], times, axis=0)), ASKED, PLAIN)
    assert weighted.result.log_likelihood == repeated.result.log_likelihood
    assert (weighted.result.model.couplings == repeated.result.model.couplings).all()


def test_a_table_without_gaps_has_its_ordinary_fit(spins):
    complete = table_of(spins[(spins != 0).all(axis=1)])
    ordinary = learn_structure(Problem(empirical_moments(complete), **ASKED), PLAIN)
    by_em = learn_by_em(complete, ASKED, PLAIN).result
    assert by_em.model.edge_names == ordinary.model.edge_names
    assert by_em.model.couplings == pytest.approx(ordinary.model.couplings, abs=1e-8)
    assert by_em.log_likelihood == pytest.approx(ordinary.log_likelihood, abs=1e-8)


@pytest.mark.parametrize(
    ("asked", "options"),
    [
        ({"family": "planar", "fields": "paying"}, PLAIN),
        ({"family": "partial"}, PLAIN),
        ({"family": "zero-field"}, PLAIN),
        ({"family": "outer-planar"}, PLAIN),
        ({"family": "planar", "prior": 5.0}, PLAIN),
        ({"family": "planar"}, SearchOptions(n_restarts=0, n_edges=4)),
        ({"family": "planar"}, SearchOptions(n_restarts=0, min_gain=0.02)),
        ({"family": "planar"}, SearchOptions(search="chow-liu")),
        ({"family": "zero-field"}, SearchOptions(search="tmfg")),
        ({"family": "planar"}, SearchOptions(n_restarts=2)),
        ({"family": "planar", "graph": grid_edges(2, 4).tolist()}, SearchOptions()),
    ],
    ids=str,
)
def test_every_family_and_search_ends_at_a_maximum(asked, options, spins):
    found = learn_by_em(table_of(spins), asked, options)
    result = found.result
    observed = ObservedRows.of(spins, None)
    again = Completion(result.model.edges, observed).expectation(result.model)
    assert result.converged and result.gradient_norm <= 1e-8
    assert result.log_likelihood == pytest.approx(again.log_likelihood, abs=1e-9)
    assert (np.diff(found.values) >= -1e-9).all()
    if options.n_edges is not None:
        assert result.model.n_edges == options.n_edges
    if "graph" in asked:
        assert result.model.edges.tolist() == asked["graph"] and found.n_rounds == 1


def test_a_pair_that_never_differs_where_both_are_known_is_left_out():
    """Whatever is expected of the missing cells, its coupling is infinite."""
    rng = np.random.default_rng(4)
    spins = rng.choice([-1, 1], size=(300, 4)).astype(np.int8)
    spins[:, 1] = spins[:, 0]
    spins[rng.random(spins.shape) < 0.2] = 0
    result = learn_by_em(table_of(spins), ASKED, PLAIN).result
    assert [(pair.source, pair.target) for pair in result.excluded] == [("v0", "v1")]
    assert ("v0", "v1") not in result.model.edge_names and result.converged
    with_prior = learn_by_em(table_of(spins), {"family": "planar", "prior": 1.0}, PLAIN).result
    assert ("v0", "v1") in with_prior.model.edge_names and with_prior.converged
    with pytest.raises(NoEstimateError, match="v0"):
        learn_by_em(table_of(spins), {"family": "planar", "graph": [("v0", "v1")]}, SearchOptions())


@pytest.mark.parametrize("n_copies", [1, 100])
def test_a_given_cycle_that_never_agrees_has_no_finite_estimate(n_copies):
    """EM comes to rest on the way to infinity, with couplings of 6 and a tiny gradient."""
    rows = np.array([[1, 1, -1], [1, -1, 1], [-1, 1, 1], [-1, -1, 1], [-1, 1, -1], [1, -1, -1]], np.int8)
    spins = np.tile(rows, (12 * n_copies, 1))
    spins[: 10 * n_copies, 0] = 0
    asked = {"family": "zero-field", "prior": None, "graph": [(0, 1), (1, 2), (0, 2)]}
    table = table_of(spins)
    with pytest.raises(NoEstimateError, match="never exactly 0 or 3 hold.*prior=1"):
        learn_by_em(table, asked, SearchOptions())
    assert learn_by_em(table, asked | {"prior": 1.0}, SearchOptions()).result.converged
    once = np.vstack([spins, np.ones((1, 3), np.int8)])
    assert learn_by_em(table_of(once), asked, SearchOptions()).result.converged


def test_pairs_never_known_together_are_told_by_the_others():
    rng = np.random.default_rng(6)
    model = IsingModel([[0, 1], [1, 2]], [0.5, -0.6], [0.2, 0.0, 0.1])
    spins = model.sample(800, rng=rng).astype(np.int8)
    spins[:400, 0] = spins[400:, 2] = 0
    result = learn_by_em(table_of(spins), ASKED, PLAIN).result
    assert sorted(result.model.edges.tolist()) == [[0, 1], [1, 2]]


@pytest.mark.parametrize(
    ("asked", "options", "named"),
    [
        ({"family": "auto"}, SearchOptions(), "family='auto'"),
        ({"family": "planar"}, SearchOptions(checkpoint="here.npz"), "checkpoint="),
    ],
)
def test_what_does_not_go_with_em_is_refused_by_name(asked, options, named, spins):
    with pytest.raises(ModelError, match=named):
        learn_by_em(table_of(spins), asked, options)


def test_coins_with_gaps_make_no_edges():
    """Ten independent coins, 60 % of the cells missing: 0.2 false edges in a table; a search on expected moments, which
    does not know how few rows stand behind a pair, has 9."""
    found = []
    for seed in range(5):
        rng = np.random.default_rng(seed)
        coins = rng.choice([-1, 1], size=(1000, 10)).astype(np.int8)
        coins[rng.random(coins.shape) < 0.6] = 0
        found.append(learn_by_em(table_of(coins), ASKED, PLAIN).result.model.n_edges)
    assert np.mean(found) < 1.0


def test_what_takes_minutes_says_so_before_it_starts(spins, monkeypatch):
    monkeypatch.setattr(structural, "_SECONDS", 1.0)
    with pytest.warns(FitWarning, match=r"EM will take about [\d,]+ minutes: \d+ connected parts of missing cells"):
        learn_by_em(table_of(spins), ASKED, PLAIN)


def test_the_best_so_far_is_kept_when_a_round_is_interrupted(fit, spins, monkeypatch):
    one_round = structural._Work._searched

    def interrupted(work, moments, means, full, number, last=None):
        if number == 2:
            raise KeyboardInterrupt
        return one_round(work, moments, means, full, number, last)

    monkeypatch.setattr(structural._Work, "_searched", interrupted)
    found = learn_by_em(table_of(spins), ASKED, PLAIN)
    assert found.result.was_interrupted and found.result.converged and found.n_rounds == 2
    assert found.result.log_likelihood <= fit.result.log_likelihood + 1e-9


def test_em_that_is_interrupted_keeps_its_last_step(spins, monkeypatch):
    def told(step):
        if step == 3:
            raise KeyboardInterrupt

    monkeypatch.setattr(structural, "_tell", told)
    found = learn_by_em(table_of(spins), ASKED, PLAIN)
    assert found.result.was_interrupted and not found.result.converged and found.n_steps == 2
    again = Completion(found.result.model.edges, ObservedRows.of(spins, None)).expectation(found.result.model)
    assert found.result.log_likelihood == pytest.approx(again.log_likelihood, abs=1e-9)


def test_a_graph_that_is_found_again_is_not_refitted(fit, spins, monkeypatch):
    """The last search finds the graph of the one before, and EM on it is at its maximum already."""
    graphs = []

    def counted(model, *given, **more):
        graphs.append(model.edges.tolist())
        return refined(model, *given, **more)

    monkeypatch.setattr(structural, "refined", counted)
    found = learn_by_em(table_of(spins), ASKED, PLAIN)
    assert len(graphs) == found.n_rounds - 1 and all(one != other for one, other in pairwise(graphs))
    afresh = refined(
        random_model(np.random.default_rng(0), 8, found.result.model.edges, size=0.0),
        Completion(found.result.model.edges, found.observed),
        fields_in_plane=False,
    )
    assert found.result.log_likelihood >= afresh.values[-1] - 1e-9 and found.result.converged
