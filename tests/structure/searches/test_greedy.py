"""The greedy search against a literal transcription of the paper's Algorithm 1, and on the paper's examples."""

import csv

import networkx as nx
import numpy as np
import pytest

from bare_moments import greedy_search
from isingmap import IsingModel
from isingmap.data.table import FIELD
from isingmap.errors import ModelError, NoEstimateError, NonPlanarError
from isingmap.structure.edge_gain import edge_gain
from oracles import brute_force, random_planar_edges, shared_file


def literal_algorithm_1(moments, names, auxiliary=None):
    """Algorithm 1 step by step by enumeration: try every pair, keep what stays planar, refit everything."""
    n_nodes = len(moments)
    x, _, _ = brute_force(n_nodes, [], [])
    x = x[x[:, 0] > 0]  # global spin flip changes no product
    edges, theta, steps = [], np.empty(0), []
    while True:
        model = distribution(x, edges, theta)
        scored = []
        for i in range(n_nodes):
            for j in range(i + 1, n_nodes):
                graph = nx.Graph([*edges, (i, j)])
                if (i, j) not in edges and nx.check_planarity(graph)[0]:
                    moment = model @ (x[:, i] * x[:, j])
                    a, b = moments[i, j], moment
                    gain = (1 + a) / 2 * np.log((1 + a) / (1 + b)) + (1 - a) / 2 * np.log((1 - a) / (1 - b))
                    scored.append((gain, (i, j)))
        if not scored:
            return steps
        best = max(gain for gain, _ in scored)
        if best <= 1e-9:  # rounding; the paper has no word on pairs that gain nothing
            return steps
        tied = [pair for gain, pair in scored if gain >= best - 1e-9 * best - 1e-15]
        pair = min(tied, key=lambda edge: (names[edge[0]], names[edge[1]]))
        edges.append(pair)
        theta = refit(x, edges, np.append(theta, 0.0), np.array([moments[i, j] for i, j in edges]))
        log_partition = np.log(np.exp(weights(x, edges, theta)).sum() * 2)
        steps.append((pair, best, theta @ [moments[i, j] for i, j in edges] - log_partition))


def weights(x, edges, theta):
    return sum((t * x[:, i] * x[:, j] for (i, j), t in zip(edges, theta, strict=True)), np.zeros(len(x)))


def distribution(x, edges, theta):
    weight = np.exp(weights(x, edges, theta))
    return weight / weight.sum()


def refit(x, edges, theta, target):
    """Newton's method on the enumerated model."""
    products = np.array([x[:, i] * x[:, j] for i, j in edges])
    for _ in range(60):
        p = distribution(x, edges, theta)
        mean = products @ p
        hessian = (products * p) @ products.T - np.outer(mean, mean)
        step = np.linalg.solve(hessian, target - mean)
        if np.abs(step).max() < 1e-13:
            break
        theta = theta + step * min(1.0, 1.0 / np.abs(step).max())
    return theta


def path_pairs(result, names):
    """Edges of a path as pairs of positions; the auxiliary node is the last."""
    position = {**{name: k for k, name in enumerate(names)}, FIELD: len(names)}
    pairs = zip(result.path.source[1:], result.path.target[1:], strict=True)
    return [tuple(sorted((position[a], position[b]))) for a, b in pairs]


@pytest.mark.parametrize("seed", range(200))
def test_the_path_is_that_of_the_literal_algorithm(seed):
    rng = np.random.default_rng(seed)
    n_spins = int(rng.integers(3, 8))
    data = rng.choice([-1, 1], size=(200, n_spins))
    mixed = np.sign(data @ rng.normal(size=(n_spins, n_spins)) + 0.3)
    moments = mixed.T @ mixed / 200 * 0.999  # strictly inside, so that the fit exists
    np.fill_diagonal(moments, 1.0)
    names = [f"x{k}" for k in range(n_spins)]
    expected = literal_algorithm_1(moments, names)
    result = greedy_search(moments, 200, names=names, family="zero-field", criterion="maximal")
    assert path_pairs(result, names) == [pair for pair, _, _ in expected]
    np.testing.assert_allclose(result.path.gain[1:], [gain for _, gain, _ in expected], rtol=0, atol=1e-9)
    likelihood = [200 * value for _, _, value in expected]
    np.testing.assert_allclose(result.path.log_likelihood[1:], likelihood, rtol=1e-10)
    assert result.model.n_edges == len(expected) == (3 * n_spins - 6 if seed != 49 else 1)  # 49: two moments are 0


@pytest.mark.parametrize("seed", range(30))
def test_fields_compete_as_edges_to_the_auxiliary_node(seed):
    rng = np.random.default_rng(100 + seed)
    data = np.sign(rng.normal(size=(300, 5)) @ rng.normal(size=(5, 5)) + rng.normal(size=5))
    extended = np.hstack([data, np.ones((300, 1))])
    moments = 0.999 * extended.T @ extended / 300
    np.fill_diagonal(moments, 1.0)
    names = [f"x{k}" for k in range(5)]
    expected = literal_algorithm_1(moments, [*names, "~"])
    result = greedy_search(
        moments[:5, :5], 300, magnetizations=moments[:5, 5], names=names, family="partial", criterion="maximal"
    )
    assert path_pairs(result, names) == [pair for pair, _, _ in expected]
    # With the auxiliary node fixed to +1, Z of the extended model counts everything twice.
    likelihood = [300 * (value + np.log(2)) for _, _, value in expected]
    np.testing.assert_allclose(result.path.log_likelihood[1:], likelihood, rtol=1e-10)
    assert result.model.n_parameters == 3 * 6 - 6


def counterexample():
    pairs = [(i, j) for i in range(5) for j in range(i + 1, 5) if (i, j) != (0, 4)]
    return IsingModel(pairs, [0.1 if {i, j} <= {1, 2, 3} else 1.0 for i, j in pairs], names=list("abcde"))


def test_the_papers_counterexample():
    truth = counterexample()
    result = greedy_search(truth.correlations(), 1000, names=truth.names, family="zero-field", criterion="maximal")
    path = result.path
    steps = ["".join(pair) for pair in zip(path.source, path.target, strict=True)]
    assert steps[1:8] == ["ae", "ab", "ac", "ad", "be", "ce", "de"]
    assert len(steps) == 10
    assert set(steps[8:]) < {"bc", "bd", "cd"}
    expected = [0.618706, *[0.598276] * 3, *[0.003431] * 3, *[0.0000141825] * 2]
    np.testing.assert_allclose(path.gain[1:], expected, rtol=0, atol=5e-7)
    couplings = dict(zip(result.model.edge_names, result.model.couplings, strict=True))
    assert couplings["a", "e"] == pytest.approx(-0.0416, abs=5e-5)
    assert result.stopped.startswith("no further pair can be added; the plane has no room for ")
    assert result.n_ties >= 4


def random_moments(seed, n_spins=12, n_samples=400):
    rng = np.random.default_rng(seed)
    data = np.sign(rng.normal(size=(n_samples, n_spins)) @ rng.normal(size=(n_spins, n_spins)))
    return data.T @ data / n_samples


def test_column_order_does_not_matter():
    moments = random_moments(0)
    moments = np.round(moments, 1)  # many ties
    np.fill_diagonal(moments, 1.0)
    names = np.array([f"v{k:02d}" for k in range(12)])
    first = greedy_search(moments, 400, names=names, family="zero-field", prior=20.0)
    order = np.random.default_rng(1).permutation(12)
    second = greedy_search(moments[np.ix_(order, order)], 400, names=names[order], family="zero-field", prior=20.0)
    assert first.n_ties > 0
    added = [set(zip(fit.path.source, fit.path.target, strict=True)) for fit in (first, second)]
    assert len({frozenset(map(frozenset, pairs)) for pairs in added}) == 1
    assert all(set(fit.model.edge_names) <= pairs for fit, pairs in zip((first, second), added, strict=True))
    np.testing.assert_array_equal(first.path.log_likelihood, second.path.log_likelihood)
    ours = dict(zip(map(frozenset, first.model.edge_names), first.model.couplings, strict=True))
    theirs = dict(zip(map(frozenset, second.model.edge_names), second.model.couplings, strict=True))
    assert ours == theirs


def test_stopping_rules():
    moments = random_moments(2)
    maximal = greedy_search(moments, 400, family="zero-field", criterion="maximal")
    assert maximal.model.n_edges == 30
    for criterion, price in (("bic", np.log(400) / 800), ("aic", 1 / 400)):
        result = greedy_search(moments, 400, family="zero-field", criterion=criterion)
        assert (result.path.gain[1:] >= price).all()
        assert maximal.path.gain[len(result.path)] < price
        assert f"{criterion.upper()} price" in result.stopped
    few = greedy_search(moments, 400, family="zero-field", criterion="maximal", n_edges=5)
    assert (few.model.n_edges, few.stopped) == (5, "reached the number of edges asked for, 5")
    gamma = greedy_search(moments, 400, family="zero-field", criterion="maximal", min_gain=0.05)
    assert (gamma.path.gain[1:] >= 0.05).all()
    assert "the least gain asked for, 0.05" in gamma.stopped


@pytest.mark.parametrize("min_gain", [None, 0.0])
def test_a_step_gains_more_than_rounding(min_gain):
    """Moments of a chain, so exact that all other pairs gain nothing: a coupling of 1e-7 would be no finding."""
    weak = np.linspace(0.3, 0.7, 5)
    truth = IsingModel([(i, i + 1) for i in range(5)], weak)
    moments = truth.correlations() + 1e-8 * np.ones((6, 6)) * (1 - np.eye(6))
    result = greedy_search(moments, 1000, family="zero-field", criterion="maximal", min_gain=min_gain)
    assert result.model.n_edges == 5 and (result.path.gain[1:] > 1e-3).all()
    assert "below what rounding can pretend" in result.stopped


def test_criteria_on_the_path():
    result = greedy_search(random_moments(3), 400, family="zero-field")
    k = np.arange(len(result.path))
    np.testing.assert_array_equal(result.path.n_parameters, k)
    np.testing.assert_allclose(result.path.aic, 2 * k - 2 * result.path.log_likelihood)
    np.testing.assert_allclose(result.path.bic, np.log(400) * k - 2 * result.path.log_likelihood)
    assert result.path.log_likelihood[0] == pytest.approx(-400 * 12 * np.log(2))


def test_likelihood_is_that_of_the_data():
    rng = np.random.default_rng(5)
    data = np.sign(rng.normal(size=(500, 9)) @ rng.normal(size=(9, 9)) + 0.5)
    for family in ("zero-field", "partial", "outer-planar"):
        result = greedy_search(
            data.T @ data / 500, 500, magnetizations=data.mean(axis=0), family=family, criterion="aic"
        )
        direct = result.model.log_probability(data).sum()
        assert result.log_likelihood == pytest.approx(direct, rel=1e-10)


def test_outer_planar_family_matches_every_mean():
    rng = np.random.default_rng(6)
    data = np.sign(rng.normal(size=(500, 8)) @ rng.normal(size=(8, 8)) + 0.5)
    result = greedy_search(
        data.T @ data / 500, 500, magnetizations=data.mean(axis=0), family="outer-planar", criterion="maximal"
    )
    assert result.model.free_fields.all()
    assert result.model.n_edges == 2 * 8 - 3
    np.testing.assert_allclose(result.model.magnetizations(), data.mean(axis=0), rtol=0, atol=1e-8)


def test_infinite_couplings_are_passed_over_and_reported():
    rng = np.random.default_rng(7)
    data = rng.choice([-1, 1], size=(300, 5))
    data[:, 4] = data[:, 0]
    moments = data.T @ data / 300
    result = greedy_search(moments, 300, family="zero-field", criterion="maximal")
    assert np.abs(result.model.couplings).max() < 5
    # x1 and x5 are one variable: cycles through both and two others have no finite fit either.
    assert (result.excluded[0].source, result.excluded[0].target) == ("x1", "x5")
    assert result.excluded[0].reason == "x1 and x5 always agree"
    with_prior = greedy_search(moments, 300, family="zero-field", criterion="bic", prior=1)
    assert with_prior.model.edge_names[0] == ("x1", "x5")
    assert with_prior.model.couplings[0] == pytest.approx(np.arctanh(300 / 301))


def test_starting_edges_stay():
    moments = random_moments(8)
    start = [("x3", "x9"), ("x9", "x1"), ("x1", "x3"), ("x2", "x11")]
    result = greedy_search(moments, 400, family="zero-field", required_edges=start)
    edges = set(map(frozenset, result.model.edge_names))
    assert set(map(frozenset, start)) <= edges
    assert result.path.n_parameters[0] == 4
    fitted = result.model.moments()
    given = moments[result.model.edges[:, 0], result.model.edges[:, 1]]
    np.testing.assert_allclose(fitted, given, rtol=0, atol=1e-8)


def test_bad_options_are_refused():
    moments = random_moments(9)
    with pytest.raises(ModelError, match="family must be one of"):
        greedy_search(moments, 400, family="cubic")
    with pytest.raises(ModelError, match="criterion must be one of"):
        greedy_search(moments, 400, family="zero-field", criterion="ebic2")
    with pytest.raises(ModelError, match="needs the magnetizations"):
        greedy_search(moments, 400, family="partial")
    k5 = [(i, j) for i in range(5) for j in range(i)]
    with pytest.raises(NonPlanarError, match="x1"):
        greedy_search(moments, 400, family="zero-field", required_edges=k5)
    twins = np.ones((2, 2))
    with pytest.raises(NoEstimateError, match="x1 and x2 always agree"):
        greedy_search(twins, 10, family="zero-field", required_edges=[(0, 1)])


def test_an_interrupted_search_keeps_what_it_has():
    def interrupt(done, total):
        if done == 4:
            raise KeyboardInterrupt

    result = greedy_search(random_moments(10), 400, family="zero-field", progress=interrupt)
    assert result.model.n_edges == 4
    assert result.stopped == "interrupted after 4 steps"


def test_gain_is_the_divergence_of_pair_marginals():
    assert edge_gain(1.0, 0.0) == pytest.approx(np.log(2))
    assert edge_gain(0.3, 0.3) == 0.0
    assert edge_gain(-0.5, 0.2) == pytest.approx(0.25 * np.log(0.25 / 0.6) + 0.75 * np.log(0.75 / 0.4))


def test_planar_truth_is_recovered_from_exact_moments():
    rng = np.random.default_rng(11)
    edges = random_planar_edges(rng, 30, 0.5)
    truth = IsingModel(edges, rng.choice([-1, 1], len(edges)) * rng.uniform(0.3, 1, len(edges)), n_spins=30)
    result = greedy_search(truth.correlations(), 1e6, family="zero-field")
    wanted = set(map(tuple, truth.edges.tolist()))
    assert len(wanted - set(map(tuple, np.sort(result.model.edges, axis=1).tolist()))) <= 1


def test_senate111_first_steps():
    with open(shared_file("senate111/senate111_pm1.csv")) as stream:
        rows = list(csv.reader(stream))
    data = np.array([row[1:] for row in rows[1:]], dtype=float)
    result = greedy_search(
        data.T @ data / 696, 696, names=rows[0][1:], family="zero-field", criterion="maximal", n_edges=90
    )
    pairs = ["-".join(sorted(pair)) for pair in zip(result.path.source, result.path.target, strict=True)]
    assert pairs[1:6] == ["Crapo-Risch", "Barrasso-Enzi", "Cardin-Schumer", "Reed-Schumer", "Akaka-Reed"]
    assert result.path.gain[1] == pytest.approx(0.6241, abs=5e-5)
    with open(shared_file("senate111/senators.csv")) as stream:
        party = {row["label"]: row["party"] for row in csv.DictReader(stream)}
    crossing = [
        k
        for k, pair in enumerate(pairs)
        if k and {party[v] for v in (result.path.source[k], result.path.target[k])} == {"D", "R"}
    ]
    assert (crossing[0], pairs[crossing[0]]) == (85, "Coburn-Durbin")


def test_very_strong_ties_are_learned():
    """Columns that differ in a few rows of 200 000."""
    rng = np.random.default_rng(3)
    base = rng.choice([-1, 1], size=(200_000, 1))
    data = np.hstack([base * np.where(rng.random((200_000, 1)) < p, -1, 1) for p in (1e-4, 2e-4, 5e-5, 3e-4, 0.2, 0.4)])
    moments = data.T @ data / 200_000
    tree = greedy_search(moments, 200_000, family="zero-field", criterion="maximal", prior=1, n_edges=3)
    assert np.abs(tree.model.couplings).min() > 3.5
    result = greedy_search(moments, 200_000, family="zero-field", criterion="maximal", prior=1)
    assert result.converged
    assert result.log_likelihood == pytest.approx(result.model.log_probability(data).sum(), rel=1e-9)
