"""Forward-backward search: states stay exact, moves only improve, and the known traps of greed are escaped."""

from types import SimpleNamespace

import numpy as np
import pytest

from bare_moments import greedy_search
from bare_moments import learn_structure as learn
from exhaustive import best_planar_likelihood
from isingmap import IsingModel, PlanarIsing, fit_couplings
from isingmap.errors import ModelError
from isingmap.planar.cofacial import cofacial_pairs
from isingmap.planar.embedding import is_planar
from isingmap.structure.criteria import CRITERIA
from isingmap.structure.edge_gain import edge_gain
from isingmap.structure.moves import restart
from isingmap.structure.moves.drop import removal_loss
from isingmap.structure.state.refitted_model import starting_model
from isingmap.structure.state.search_state import addable
from oracles import brute_force, grid_edges, random_planar_edges


def learn_structure(moments, n_samples, **options):
    return learn(moments, n_samples, **{"search": "forward-backward", **options})


def random_moments(seed, n_spins=9, n_samples=400):
    rng = np.random.default_rng(seed)
    data = np.sign(rng.normal(size=(n_samples, n_spins)) @ rng.normal(size=(n_spins, n_spins)))
    moments = 0.99 * data.T @ data / n_samples
    np.fill_diagonal(moments, 1.0)
    return moments


def dense_moments(seed, n_spins=7):
    """Exact moments of a random model on all pairs."""
    rng = np.random.default_rng(seed)
    pairs = np.stack(np.triu_indices(n_spins, 1), axis=1)
    x, p, _ = brute_force(n_spins, pairs, rng.choice([0.3, 0.6]) * rng.normal(size=len(pairs)))
    return x.T @ (p[:, None] * x)


def edge_set(model):
    return set(map(tuple, np.sort(model.edges, axis=1).tolist()))


@pytest.mark.parametrize("seed", range(12))
def test_states_stay_at_the_maximum_whatever_comes_and_goes(seed):
    rng = np.random.default_rng(seed)
    n_spins = int(rng.integers(3, 14))
    moments = random_moments(seed, n_spins)
    state = starting_model(moments, moments, random_planar_edges(rng, n_spins, rng.random()))
    for _ in range(8):
        i, j = sorted(rng.choice(n_spins, 2, replace=False).tolist())
        if len(state.edges) and rng.random() < 0.6:
            state = state.without_edge(int(rng.integers(len(state.edges))))
        elif (i, j) not in edge_set(state) and is_planar(n_spins, np.vstack([state.edges, [[i, j]]])):
            state = state.with_edge(i, j)
        if not len(state.edges):
            continue
        fit = fit_couplings(state.edges, moments, n_spins=n_spins)
        np.testing.assert_allclose(state.couplings, fit.model.couplings, rtol=0, atol=1e-7)
        np.testing.assert_allclose(state.correlations, fit.model.correlations(), rtol=0, atol=1e-8)
        assert state.gain - n_spins * np.log(2) == pytest.approx(fit.log_likelihood, abs=1e-10)


def test_removal_loss_is_exact_with_the_others_fixed():
    rng = np.random.default_rng(1)
    moments = random_moments(1)
    state = starting_model(moments, moments, random_planar_edges(rng, 9))
    whole = IsingModel(state.edges, state.couplings, n_spins=9)
    observed = moments[state.edges[:, 0], state.edges[:, 1]]
    for k, loss in enumerate(removal_loss(state)):
        kept = np.delete(np.arange(len(state.edges)), k)
        part = IsingModel(state.edges[kept], state.couplings[kept], n_spins=9)
        lost = observed @ state.couplings - whole.log_partition()
        lost -= observed[kept] @ state.couplings[kept] - part.log_partition()
        assert loss == pytest.approx(lost, abs=1e-9)
        assert state.gain - state.without_edge(k).gain <= loss + 1e-10


@pytest.mark.parametrize("criterion", ["bic", "maximal"])
@pytest.mark.parametrize("seed", range(4))
def test_never_worse_than_greedy(seed, criterion):
    moments = random_moments(seed, 12)
    greedy = greedy_search(moments, 400, family="zero-field", criterion=criterion)
    better = learn_structure(moments, 400, family="zero-field", criterion=criterion, n_restarts=2)
    if criterion == "bic":
        assert better.bic <= greedy.bic + 1e-6
    assert better.converged
    direct = fit_couplings(better.model.edges, moments, n_spins=12, n_samples=400)
    assert better.log_likelihood == pytest.approx(direct.log_likelihood, rel=1e-10)


def test_the_path_leads_to_the_model():
    result = learn_structure(random_moments(3, 12), 400, family="zero-field", n_restarts=2)
    edges = set()
    for action, *ends in zip(result.path.action, result.path.source, result.path.target, strict=True):
        if action == "add":
            assert frozenset(ends) not in edges
            edges.add(frozenset(ends))
        elif action == "remove":
            edges.remove(frozenset(ends))
    assert edges == set(map(frozenset, result.model.edge_names))
    assert result.path.n_parameters[-1] == result.model.n_edges
    assert result.path.log_likelihood[-1] == pytest.approx(result.log_likelihood)


def test_the_papers_counterexample_is_solved():
    pairs = [(i, j) for i in range(5) for j in range(i + 1, 5) if (i, j) != (0, 4)]
    truth = IsingModel(pairs, [0.1 if {i, j} <= {1, 2, 3} else 1.0 for i, j in pairs], names=list("abcde"))
    result = learn_structure(truth.correlations(), 1e5, names=truth.names, family="zero-field", criterion="maximal")
    assert edge_set(result.model) == edge_set(truth)
    np.testing.assert_allclose(np.sort(result.model.couplings), np.sort(truth.couplings), rtol=0, atol=1e-6)


def test_near_the_optimum_of_seven_spins():
    gaps, greedy_gaps = [], []
    for seed in range(1):
        moments = dense_moments(seed)
        best, _ = best_planar_likelihood(moments)
        options = {"family": "zero-field", "criterion": "maximal"}
        gaps.append(best - learn_structure(moments, 1.0, **options).log_likelihood)
        greedy_gaps.append(best - greedy_search(moments, 1.0, **options).log_likelihood)
    assert min(gaps) > -1e-9  # nothing beats the optimum
    assert np.mean(np.array(gaps) < 1e-6) >= 0.75
    assert np.mean(gaps) < np.mean(greedy_gaps)


@pytest.mark.parametrize("seed", [1])
def test_a_frustrated_grid_is_recovered(seed):
    rng = np.random.default_rng(seed)
    edges = grid_edges(4, 4)
    truth = IsingModel(edges, rng.choice([-1.0, 1.0], len(edges)))
    result = learn_structure(truth.correlations(), 32_000, family="zero-field", criterion="ebic")
    assert edge_set(result.model) == edge_set(truth)


def test_column_order_and_seed():
    moments = random_moments(5, 10)
    names = np.array([f"v{k}" for k in range(10)])
    first = learn_structure(moments, 400, names=names, family="zero-field", n_restarts=3)
    order = np.random.default_rng(1).permutation(10)
    again = learn_structure(moments[np.ix_(order, order)], 400, names=names[order], family="zero-field", n_restarts=3)
    steps = [list(map(set, zip(fit.path.source, fit.path.target, strict=True))) for fit in (first, again)]
    assert steps[0] == steps[1]
    assert first.log_likelihood == again.log_likelihood


def test_required_edges_are_never_removed():
    moments = random_moments(6, 10)
    start = [("x1", "x5"), ("x2", "x9")]
    result = learn_structure(moments, 400, family="zero-field", required_edges=start, n_restarts=3)
    assert set(map(frozenset, start)) <= set(map(frozenset, result.model.edge_names))
    rng = np.random.default_rng(0)
    data = np.sign(rng.normal(size=(300, 6)) @ rng.normal(size=(6, 6)) + 0.4)
    fields = learn_structure(data.T @ data / 300, 300, magnetizations=data.mean(axis=0), family="outer-planar", prior=1)
    assert fields.model.free_fields.all()


@pytest.mark.parametrize("seed", range(3))
def test_nothing_can_be_added_in_the_end(seed):
    """Also not a pair that a removal made possible and whose correlation was not kept."""
    moments = random_moments(seed, 45)
    result = learn_structure(moments, 400, family="zero-field", criterion="aic", n_restarts=0)
    state = starting_model(moments, moments, np.sort(result.model.edges, axis=1))
    gain = edge_gain(moments, state.correlations)
    for i, j in zip(*np.nonzero(np.triu(gain, 1) > 1 / 400), strict=True):
        assert (i, j) in edge_set(result.model) or not addable(state, [(i, j)])


def test_pairs_on_merged_faces_are_known():
    moments = random_moments(2, 45)
    state = starting_model(moments, moments, random_planar_edges(np.random.default_rng(0), 45)).with_face_correlations()
    for k in (3, 20, 40):
        smaller = state.without_edge(k)
        on_faces = cofacial_pairs(45, smaller.edges)
        assert np.isnan(state.correlations[on_faces]).any()  # something became possible
        whole = starting_model(moments, moments, smaller.edges).correlations
        known = ~np.isnan(smaller.correlations)
        np.testing.assert_allclose(smaller.correlations[known], whole[known], rtol=0, atol=1e-8)
        block = np.isin(np.arange(45), state.edges[state.block == state.block[k]])
        assert known[on_faces & block[:, None] & block[None, :]].all()


@pytest.mark.parametrize("seed", [2, 5])
def test_a_graph_that_is_found_again_has_the_shorter_path(seed):
    rng = np.random.default_rng(seed)
    cells = rng.normal(size=(300, 5)) + rng.normal(size=(300, 1)) > 0
    path = PlanarIsing(n_restarts=4).fit(cells.astype(int)).learned_.result.path
    graphs = [frozenset()]
    for edge in zip(path.source[1:], path.target[1:], strict=True):
        graphs.append(graphs[-1] ^ {frozenset(edge)})
    assert len(set(graphs)) == len(graphs)


def test_restarts_are_given_back_by_an_improvement(monkeypatch):
    kicks = []
    real = restart.kick
    monkeypatch.setattr(restart, "kick", lambda *arguments: kicks.append(1) or real(*arguments))
    options = {"family": "zero-field", "criterion": "maximal"}
    moments = dense_moments(7, 9)
    plain = learn_structure(moments, 1.0, **options, n_restarts=0)
    assert not kicks
    better = learn_structure(moments, 1.0, **options, n_restarts=5)
    assert better.log_likelihood > plain.log_likelihood + 1e-6
    assert len(kicks) > 5


@pytest.mark.parametrize("seed", [3])
def test_annealing_ends_with_the_best(monkeypatch, seed):
    perturbed = []
    real = restart.kick
    monkeypatch.setattr(restart, "kick", lambda state, rng: perturbed.append(state.objective) or real(state, rng))

    def gains(temperature):
        perturbed.clear()
        options = {"family": "zero-field", "criterion": "maximal", "n_restarts": 8, "temperature": temperature}
        result = learn_structure(dense_moments(seed, 9), 1000.0, **options)
        return np.array(perturbed), result.log_likelihood / 1000 + 9 * np.log(2)

    cold, _ = gains(0.0)
    assert (np.diff(cold) >= 0).all()  # only the best is perturbed
    hot, reached = gains(1000.0)
    assert np.diff(hot).min() < -1e-6  # worse graphs are perturbed too
    assert hot[-1] < hot.max() - 1e-6  # at the end also,
    assert reached >= hot.max() - 1e-12  # but they are not the result


@pytest.mark.parametrize("nats", [0.5, 2.0])
def test_the_temperature_is_that_of_metropolis(monkeypatch, nats):
    """A result that is so many nats worse is the next to be perturbed with probability exp(-nats / temperature)."""
    monkeypatch.setattr(restart, "kick", lambda state, rng: None)
    monkeypatch.setattr(restart, "graph_of", lambda snapshot: snapshot.model)
    n_restarts, temperature, trials = 4, 2.0, 3000
    accepted = 0
    for seed in range(trials):
        state = SimpleNamespace(objective=1.0, problem=SimpleNamespace(n_samples=100), value=float, reopen=lambda: None)
        state.passed_over, state.pass_over = restart.PassedOver(*3 * [frozenset()]), lambda pairs: None
        state.snapshot = lambda state=state: SimpleNamespace(model=state.objective)
        state.restore = lambda snapshot, state=state: setattr(state, "objective", snapshot.model)
        move = restart.Restart(n_restarts, temperature, seed)
        move.judge(state)
        move.perturb(state, move.next(1)[0])
        state.objective = 1.0 - nats / 100
        move.judge(state)
        accepted += move.next(1)[0].base.model < 1.0
    falling = temperature * (n_restarts - 1) / n_restarts
    expected = np.exp(-nats / falling)
    assert abs(accepted / trials - expected) < 4 * np.sqrt(expected * (1 - expected) / trials)


@pytest.mark.parametrize(
    "options", [{"n_restarts": -1}, {"gamma": np.nan}, {"gamma": -3}, {"n_candidates": 0}, {"temperature": np.inf}]
)
def test_numbers_that_make_no_sense(options):
    with pytest.raises(
        ModelError, match=f"{next(iter(options))} must be a (whole )?number (of [01] or more|from 0 to 1), got"
    ):
        learn_structure(random_moments(1, 5), 400, family="zero-field", **options)


def test_prices():
    each = {"maximal": 0.0, "aic": 0.01, "bic": np.log(100) / 200, "ebic": (np.log(100) + np.log(10)) / 200}
    assert each.keys() == CRITERIA.keys()
    for name, nats in each.items():
        price = CRITERIA[name].price(100, 10, 0.25)
        assert price.of_model(3, 2) == pytest.approx(5 * nats)
        assert price.of_coupling(3, 2) == price.of_field(3, 2) == pytest.approx(nats)


def test_ebic_is_stricter_and_options_are_checked():
    moments = random_moments(7, 12)
    sizes = [
        learn_structure(moments, 400, family="zero-field", criterion=c, n_restarts=0).model.n_edges
        for c in ("aic", "bic", "ebic")
    ]
    assert sizes[0] >= sizes[1] >= sizes[2]
    with pytest.raises(ModelError, match="search must be one of forward-backward, greedy, chow-liu"):
        learn_structure(moments, 400, family="zero-field", search="annealing")
    with pytest.raises(ModelError, match='search="greedy" does not use n_restarts=3, temperature=1.0; leave them out'):
        learn_structure(moments, 400, family="zero-field", search="greedy", n_restarts=3, temperature=1.0)


def test_the_estimator_chooses_the_search():
    rng = np.random.default_rng(2)
    data = np.sign(rng.normal(size=(300, 7)) @ rng.normal(size=(7, 7)))
    greedy = PlanarIsing(family="zero-field", criterion="bic", search="greedy", prior=1).fit(data)
    assert set(greedy.path_.action) == {"start", "add"}
    options = {"family": "zero-field", "criterion": "bic", "prior": 1}
    seeded = [PlanarIsing(**options, random_state=s).fit(data) for s in (None, 0)]
    assert seeded[0].result_.bic <= greedy.result_.bic
    np.testing.assert_array_equal(seeded[0].edges_, seeded[1].edges_)


@pytest.mark.parametrize("family", ["planar", "outer-planar", "partial", "zero-field"])
def test_restarts_keep_to_the_number_of_edges_and_the_least_gain(family):
    rng = np.random.default_rng(0)
    data = np.where(rng.normal(size=(300, 7)) + rng.normal(size=(300, 1)) > 0.3, 1, -1)
    for asked in (0, 2):
        result = PlanarIsing(family=family, n_edges=asked, n_restarts=3).fit(data).result_
        assert result.model.n_edges == asked
        assert result.stopped == f"reached the number of edges asked for, {asked}"
    free, strict, greedy = (
        PlanarIsing(**{"family": family, "n_restarts": 3, **options}).fit(data).result_
        for options in ({}, {"min_gain": 0.05}, {"min_gain": 0.05, "search": "greedy", "n_restarts": None})
    )
    worth = [fit.log_likelihood / 300 - 0.05 * fit.model.n_edges for fit in (free, strict, greedy)]
    assert strict.model.n_edges < free.model.n_edges
    assert worth[1] >= max(worth) - 1e-9


def test_candidate_lists_are_declared():
    moments = random_moments(8, 14)
    options = {"family": "zero-field", "criterion": "maximal", "n_restarts": 1}
    few = learn_structure(moments, 400, **options, n_candidates=3)
    strength = np.abs(moments - np.eye(14))
    for i, j in few.model.edges:
        assert min((strength[i] > strength[i, j]).sum(), (strength[j] > strength[i, j]).sum()) < 3
    assert few.n_candidates == 3
    everything = learn_structure(moments, 400, **options, n_candidates=13)
    assert edge_set(everything.model) == edge_set(learn_structure(moments, 400, **options).model)


def test_blocks_too_large_for_the_whole_inverse(monkeypatch):
    moments = random_moments(9, 60)
    options = {"family": "zero-field", "criterion": "bic", "n_restarts": 1}
    whole = learn_structure(moments, 400, **options)
    monkeypatch.setattr("isingmap.structure.state.refitted_model.MOST_SPINS_INVERTED", 20)
    found = learn_structure(moments, 400, **options)
    assert found.bic <= greedy_search(moments, 400, family="zero-field").bic
    assert abs(found.bic - whole.bic) < 0.01 * abs(whole.bic)
