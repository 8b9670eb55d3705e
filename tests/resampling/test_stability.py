"""What resamples say: every number against a count by hand, and what it is good for against models that are known."""

import pickle

import numpy as np
import pytest

from isingmap import IsingModel, PlanarIsing
from isingmap.resampling import stability as module
from isingmap.resampling.options import StabilityOptions
from isingmap.resampling.refit import Outcome
from isingmap.resampling.resamples import DROPPED
from isingmap.resampling.stability import Stability

pytestmark = pytest.mark.filterwarnings("ignore::isingmap.errors.IsingMapWarning")

# Columns c, a, b: in the order of the names a, b, c. The fit has c - a (1.0) and c - b (-0.5).
REFITS = [
    [((0, 2), 1.2), ((1, 2), -0.4)],  # a - c, b - c
    [((0, 2), 0.8)],
    [((0, 2), 0.6), ((0, 1), 0.3)],
    [((1, 2), 0.2), ((0, 1), -0.1), ((0, 2), 1.0)],
]


def outcome(number, refit):
    edges = np.array([pair for pair, _ in refit], np.int64).reshape(-1, 2)
    return Outcome(number, edges, np.array([value for _, value in refit]))


def made(refits=REFITS, required=(), **options):
    outcomes = tuple(outcome(number, refit) for number, refit in enumerate(refits))
    fit = np.array([[0, 1], [0, 2]]), np.array([1.0, -0.5]), np.array(required, np.int64).reshape(-1, 2)
    return Stability(("c", "a", "b"), *fit, outcomes, StabilityOptions(**options), 0, "", 100.0)


def test_frequencies_signs_and_intervals_by_hand():
    found = made()
    assert found.pair_names == [("c", "a"), ("c", "b"), ("a", "b")]
    assert found.coupling.tolist() == [1.0, -0.5, 0.0] and found.is_edge.tolist() == [True, True, False]
    assert found.counts.tolist() == [4, 2, 2] and found.frequency.tolist() == [1, 0.5, 0.5]
    np.testing.assert_allclose(found.mean_if_chosen, [0.9, -0.1, 0.1])
    np.testing.assert_allclose(found.sign_stability, [1, 0.5, 0.5])
    values = np.array([[1.2, 0.8, 0.6, 1.0], [-0.4, 0, 0, 0.2], [0, 0, 0.3, -0.1]])
    np.testing.assert_allclose(found.interval, np.quantile(values, [0.025, 0.975], axis=1).T)


def test_blocks_of_pairs_do_not_matter(monkeypatch):
    whole = made().interval
    monkeypatch.setattr(module, "_ENTRIES", 4)
    assert np.array_equal(made().interval, whole)


def test_edges_in_common_by_hand():
    found = made()
    sets = [{pair for pair, _ in refit} for refit in REFITS]
    fit = {(0, 2), (1, 2)}
    assert found.edges_per_refit == 2.0
    assert found.in_common_with_fit == np.mean([len(edges & fit) for edges in sets])
    assert found.in_common == pytest.approx(
        np.mean([len(sets[i] & sets[j]) for i in range(4) for j in range(4) if i != j])
    )


def test_the_threshold_of_stability_selection_by_hand():
    found = made()
    assert found.threshold(2.0) == pytest.approx(0.5 + 2.0**2 / (2 * 2.0 * 3))
    required = made(required=[(0, 1)])
    assert required.threshold(1.0) == pytest.approx(0.5 + 1.0**2 / (2 * 2))
    assert required.stable(1.0).tolist() == [False, False, False]
    assert found.stable(10.0).tolist() == [True, False, False]


def test_the_threshold_for_unimodal_distributions_by_hand():
    """The bound of Theorem 2 at the threshold is what was allowed, whichever of its two branches holds."""
    for chosen, most_false in ((30, 1.0), (30, 2.0), (8, 0.1), (8, 1.0), (3, 0.2)):
        pairs = [(i, j) for i in range(20) for j in range(i + 1, 20)][:chosen]
        outcomes = tuple(outcome(number, [(pair, 1.0) for pair in pairs]) for number in range(200))
        names, none = tuple(f"v{k:02}" for k in range(20)), np.empty((0, 2), np.int64)
        found = Stability(names, none, np.empty(0), none, outcomes, StabilityOptions(kind="m-out-of-n"), 0, "", 100.0)
        t, halves, share = found.threshold(most_false), 100, chosen / 190
        if t > 0.75:
            factor = 4 * (1 - t + 1 / (2 * halves)) / (1 + 1 / halves)
        else:
            factor = 1 / (2 * (2 * t - 1 - 1 / (2 * halves)))
            assert t >= 0.5 + min(share**2, 1 / (2 * halves) + 0.75 * share**2)
        assert 0.5 < t < 1 and factor * chosen**2 / 190 == pytest.approx(most_false)


def test_a_pair_that_was_never_chosen():
    found = made([[((0, 2), 1.0)]] * 3)
    assert np.isnan(found.mean_if_chosen[2]) and np.isnan(found.sign_stability[2])
    assert found.interval[2].tolist() == [0, 0]
    assert np.isnan(made([]).frequency).all() and np.isnan(made([]).interval).all()


def test_intervals_from_parts_are_scaled():
    half, fifth = (made(kind="m-out-of-n", share=share) for share in (0.5, 0.2))
    assert np.array_equal(half.interval, made().interval)
    np.testing.assert_allclose(fifth.interval - fifth.coupling[:, None], (half.interval - half.coupling[:, None]) / 2)


def test_case_dropping_by_hand():
    refits = [REFITS[k % 4] for k in range(20)]
    found = made(refits, kind="case-dropping")
    assert [step.dropped for step in found.case_dropping] == list(DROPPED)
    step, values = found.case_dropping[1], np.array([[0.8, 0, 0], [1.0, 0.2, -0.1]])  # refits 1 and 11: 1 and 3
    by_hand = [np.corrcoef(row, found.coupling)[0, 1] for row in values]
    assert step.n_resamples == 2 and step.couplings[1] == pytest.approx(np.mean(by_hand))
    strengths = np.array([[0.8, 0.8, 0], [1.2, 1.1, 0.3]])  # of c, a, b
    by_hand = [np.corrcoef(row, [1.5, 1.0, 0.5])[0, 1] for row in strengths]
    assert step.strengths[1] == pytest.approx(np.mean(by_hand))
    assert np.isnan(found.interval).all()
    assert made([REFITS[0]] * 20, kind="case-dropping").correlation_stability == (0.75, 0.75)
    assert made([REFITS[0]] * 4 + [[]] * 6, kind="case-dropping").correlation_stability == (DROPPED[3], DROPPED[3])


def test_a_pickle_is_the_same():
    found = made()
    found.counts  # noqa: B018 - computed, and not pickled
    again = pickle.loads(pickle.dumps(found))
    assert "counts" not in vars(again) and np.array_equal(again.interval, found.interval)


def area(scores, truth):
    """Chance that a true edge has a higher score than a pair that is none (AUC)."""
    differences = scores[truth][:, None] - scores[~truth]
    return float((differences > 0).mean() + (differences == 0).mean() / 2)


def test_frequencies_tell_true_edges_from_others():
    rng = np.random.default_rng(0)
    edges = np.array([(k, k + 1) for k in range(9)] + [(0, 2), (3, 5), (6, 8)])
    model = IsingModel(edges, rng.uniform(0.3, 0.7, 12) * rng.choice([-1, 1], 12), rng.uniform(-0.5, 0.5, 10))
    found = PlanarIsing(search="greedy").stability(model.sample(300, rng=1), n_resamples=40)
    truth = np.isin(found.pairs[:, 0] * 10 + found.pairs[:, 1], edges[:, 0] * 10 + edges[:, 1])
    assert area(found.frequency, truth) > 0.9


def test_intervals_of_a_given_graph_are_as_wide_as_its_standard_errors():
    edges, couplings = [(0, 1), (1, 2), (2, 3)], [0.5, -0.4, 0.3]
    fit = PlanarIsing(graph=edges)
    spins = IsingModel(edges, couplings, [0.2, 0, -0.2, 0.1]).sample(1000, rng=0)
    for kind in ("nonparametric", "parametric", "m-out-of-n"):
        found = fit.stability(spins, n_resamples=200, kind=kind)
        width = np.diff(found.interval[found.is_edge], axis=1)[:, 0]
        np.testing.assert_allclose(width, 2 * 1.96 * fit.learned_.coupling_errors, rtol=0.2)
        inside = (found.interval[found.is_edge, 0] < fit.couplings_) & (
            fit.couplings_ < found.interval[found.is_edge, 1]
        )
        assert inside.all()
