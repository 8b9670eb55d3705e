"""PlanarIsing keeps scikit-learn's conventions and says in plain words what a reader must know."""

import inspect
import re
from itertools import combinations

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.model_selection import cross_val_score
from sklearn.utils.estimator_checks import check_estimator

from bare_moments import learn_structure
from isingmap import PlanarIsing, fit_couplings
from isingmap.errors import DataError, DataWarning, FitWarning, ModelError
from isingmap.structure.searches.forward_backward import default_restarts
from oracles import brute_force


def binary_data(seed=0, n_samples=300, n_spins=6, shift=0.0):
    rng = np.random.default_rng(seed)
    return np.sign(rng.normal(size=(n_samples, n_spins)) @ rng.normal(size=(n_spins, n_spins)) + shift)


@pytest.mark.filterwarnings("ignore")
def test_check_estimator():
    # A threshold makes any numbers binary and a prior makes constant columns harmless: what remains is one check,
    # which wants a TypeError for a cell that holds a dict. Here such a cell is one more label, refused by name.
    estimator = PlanarIsing(threshold=0.0, constant="keep", prior=1.0, n_restarts=1)
    results = check_estimator(
        estimator, expected_failed_checks={"check_dtype_object": "labels may be any objects"}, on_fail=None
    )
    failed = [r["check_name"] for r in results if r["status"] == "failed"]
    assert failed == []
    assert sum(r["status"] == "passed" for r in results) >= 40


def test_attributes_and_score():
    data = binary_data()
    estimator = PlanarIsing(family="zero-field", n_restarts=1).fit(data)
    assert estimator.edges_.shape == (len(estimator.couplings_), 2)
    assert estimator.fields_.shape == (6,)
    assert estimator.n_features_in_ == 6
    assert not hasattr(estimator, "feature_names_in_")
    assert estimator.score(data) * 300 == pytest.approx(estimator.log_likelihood_)
    assert estimator.score_samples(data).shape == (300,)
    assert estimator.path_.n_parameters[-1] == len(estimator.edges_)


def test_clone_params_and_cross_validation():
    estimator = PlanarIsing(criterion="aic", prior=2.0)
    again = clone(estimator)
    assert again.get_params() == estimator.get_params()
    assert repr(estimator) == "PlanarIsing(prior=2.0, criterion='aic')"
    with pytest.raises(ValueError, match="Invalid parameter 'depth'"):
        estimator.set_params(depth=1)
    scores = cross_val_score(PlanarIsing(n_restarts=1), binary_data(shift=0.2), cv=3)
    assert (scores > -6 * np.log(2)).all()


@pytest.mark.parametrize("frame", [pd.DataFrame, pl.DataFrame])
def test_frames_with_labels(frame):
    spins = binary_data(1, n_spins=4)
    words = {name: np.where(column > 0, "Yea", "Nay") for name, column in zip("dbca", spins.T, strict=True)}
    estimator = PlanarIsing(family="zero-field").fit(frame(words))
    assert estimator.feature_names_in_.tolist() == list("dbca")
    assert estimator.codings_[0].positive == "Yea"
    plain = PlanarIsing(family="zero-field").fit(spins)
    np.testing.assert_allclose(np.sort(estimator.couplings_), np.sort(plain.couplings_), rtol=1e-12)
    assert estimator.score(frame(words)) == pytest.approx(plain.score(spins))


def test_every_coding_gives_the_same_model():
    spins = binary_data(2)
    estimator = PlanarIsing(n_restarts=1)
    base = clone(estimator).fit(spins)
    for other in (spins > 0, (spins + 1) / 2, np.where(spins > 0, 2, 1), np.where(spins > 0, "TRUE", "FALSE")):
        again = clone(estimator).fit(other)
        np.testing.assert_array_equal(again.edges_, base.edges_)
        np.testing.assert_array_equal(again.couplings_, base.couplings_)
        np.testing.assert_array_equal(again.fields_, base.fields_)
        assert again.score(other) == base.score(spins)


def test_new_data_must_use_the_labels_of_the_old():
    words = np.where(binary_data(3) > 0, "High", "Low")
    estimator = PlanarIsing(positive="High").fit(words)
    assert estimator.codings_[0].negative == "Low"
    np.testing.assert_allclose(estimator.score(words[:50]), estimator.score_samples(words)[:50].mean())
    one_sided = words.copy()
    one_sided[:, 0] = "Low"
    assert np.isfinite(estimator.score(one_sided))
    with pytest.raises(DataError, match="x1.*Middle"):
        estimator.score(np.where(words == "Low", "Middle", words))


def test_weights_count_rows():
    data = binary_data(4, n_samples=100)
    weights = np.random.default_rng(0).integers(1, 4, 100)
    weighted = PlanarIsing(n_restarts=1).fit(data, sample_weight=weights)
    repeated = PlanarIsing(n_restarts=1).fit(np.repeat(data, weights, axis=0))
    np.testing.assert_allclose(weighted.couplings_, repeated.couplings_, rtol=1e-12)
    assert weighted.log_likelihood_ == pytest.approx(repeated.log_likelihood_, rel=1e-12)


def test_fit_moments_needs_no_rows():
    data = binary_data(5)
    rows = PlanarIsing(n_restarts=1).fit(data)
    moments = PlanarIsing(n_restarts=1).fit_moments(data.T @ data / 300, 300, magnetizations=data.mean(axis=0))
    np.testing.assert_allclose(moments.couplings_, rows.couplings_, rtol=1e-12)
    assert moments.score(data) == pytest.approx(rows.score(data))


def test_unbalanced_columns_warn_in_a_zero_field_fit():
    data = binary_data(6, shift=2.0)
    with pytest.warns(FitWarning, match="no field"), pytest.warns(DataWarning, match="fair coin.*family=.planar"):
        PlanarIsing(family="zero-field", prior=1, n_restarts=1).fit(data)
    assert PlanarIsing(prior=1, n_restarts=1).fit(data).model_.free_fields.any()


def test_independent_rare_items_get_fields_and_no_edges():
    rng = np.random.default_rng(8)
    data = np.where(rng.random((400, 5)) < 0.05, 1, 0)
    estimator = PlanarIsing().fit(data)
    assert len(estimator.edges_) == 0
    assert estimator.model_.free_fields.all()


def test_infinite_couplings_are_said_aloud():
    data = binary_data(9, n_spins=4)
    data = np.column_stack([data, data[:, 0]])
    with pytest.warns(FitWarning, match="x1 - x5 .x1 and x5 always agree.*prior=1"), pytest.warns(DataWarning):
        estimator = PlanarIsing(family="zero-field").fit(data)
    assert len(estimator.excluded_) == 1


def test_a_number_of_edges_that_was_not_reached_is_said():
    with pytest.warns(FitWarning, match="instead of n_edges=12: .*BIC price"):
        PlanarIsing(family="zero-field", n_edges=12).fit(binary_data(10, n_samples=60))


def test_unfitted_and_wrong_width():
    with pytest.raises(NotFittedError, match="call fit or fit_moments first"):
        PlanarIsing().score(binary_data())
    with pytest.raises(DataError, match="3 features, but PlanarIsing is expecting 6"):
        PlanarIsing(n_restarts=0).fit(binary_data()).score(binary_data(n_spins=3))


def test_constant_columns_need_a_decision():
    data = binary_data(11)
    data[:, 2] = 1
    with pytest.raises(DataError, match="x3.*constant='drop'"):
        PlanarIsing().fit(data)
    assert PlanarIsing(constant="drop", n_restarts=0).fit(data).model_.n_spins == 5
    with pytest.raises(DataError, match="needs a prior"):
        PlanarIsing(constant="keep").fit(data)
    kept = PlanarIsing(constant="keep", prior=1, n_restarts=0).fit(data)
    assert kept.fields_[2] == pytest.approx(np.arctanh(300 / 301), rel=1e-6)


@pytest.mark.filterwarnings("ignore:criterion=bic has no say")
@pytest.mark.parametrize("search", ["chow-liu", "tmfg", "pmfg", "independent", "greedy", "forward-backward"])
def test_every_search_fits_the_graph_that_it_finds(search):
    data = binary_data(seed=3, n_spins=7)
    fit = PlanarIsing(family="zero-field", criterion="bic", search=search, prior=1).fit(data)
    assert fit.result_.search == search
    i, j = fit.edges_.T
    x, p, log_partition = brute_force(7, fit.edges_, fit.couplings_)
    np.testing.assert_allclose(p @ (x[:, i] * x[:, j]), (data[:, i] * data[:, j]).sum(axis=0) / 301, rtol=0, atol=1e-8)
    log_likelihood = (data[:, i] * data[:, j] @ fit.couplings_ - log_partition).sum()
    assert fit.log_likelihood_ == pytest.approx(log_likelihood, rel=1e-12)
    assert fit.result_.bic == pytest.approx(len(fit.edges_) * np.log(300) - 2 * log_likelihood, rel=1e-12)


@pytest.mark.parametrize("seed", [0, 1])
def test_the_default_search_finds_the_best_of_all_planar_graphs(seed):
    data = binary_data(seed, n_samples=100, n_spins=5)
    pairs = np.array(list(combinations(range(5), 2)))
    moments = (data.T @ data / 100)[tuple(pairs.T)]

    def bic(graph):
        chosen = list(graph)
        fit = fit_couplings(pairs[chosen], moments[chosen], n_spins=5, n_samples=100, prior=1)
        return len(chosen) * np.log(100) - 2 * fit.log_likelihood

    graphs = [graph for size in range(10) for graph in combinations(range(10), size)]  # all but K5
    best = min(map(bic, graphs))
    found = PlanarIsing(family="zero-field", criterion="bic", prior=1, n_restarts=default_restarts(5)).fit(data)
    assert found.result_.bic == pytest.approx(best)


@pytest.mark.filterwarnings("ignore:criterion=bic has no say")
def test_the_default_search_is_better_than_the_others():
    data = binary_data(seed=1, n_spins=7)
    bic = {
        search: PlanarIsing(family="zero-field", criterion="bic", search=search, prior=1).fit(data).result_.bic
        for search in ("chow-liu", "tmfg", "pmfg", "independent", "greedy", PlanarIsing().search)
    }
    assert bic.pop("forward-backward") < min(bic.values()) - 1


def test_gamma_is_strictness():
    data = binary_data(seed=4, n_spins=9)
    edges = {
        gamma: PlanarIsing(family="zero-field", gamma=gamma, prior=1, n_restarts=1).fit(data).edges_
        for gamma in (0.0, 0.25, 1.0)
    }
    assert len(edges[0.0]) > len(edges[1.0])
    assert len(edges[0.0]) >= len(edges[0.25]) >= len(edges[1.0])
    bic = PlanarIsing(family="zero-field", criterion="bic", prior=1, n_restarts=1).fit(data)
    np.testing.assert_array_equal(edges[0.0], bic.edges_)


def test_moments_that_cannot_be_are_refused():
    moments = np.array([[1.0, 0.2], [0.2, 1.0]])
    for spoiled, message in (
        (moments * [[1, 9], [9, 1]], r"moments\[x1, x2\] is 1.8"),
        (moments * [[1, -1], [1, 1]], "are symmetric"),
        (moments * np.nan, "is nan"),
    ):
        with pytest.raises(DataError, match=message):
            learn_structure(spoiled, 100, family="zero-field")
    with pytest.raises(ModelError, match=r"moments must have shape \(3, 3\)"):
        learn_structure(moments, 100, family="zero-field", names="abc")
    with pytest.raises(DataError, match=r"magnetizations\[b\] is 3.0"):
        learn_structure(moments, 100, magnetizations=[0.0, 3.0], names="ab")


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"n_restarts": 1.5}, "n_restarts must be a whole number of 0 or more, got 1.5"),
        ({"n_restarts": True}, "n_restarts must be a whole number of 0 or more, got True"),
        ({"n_edges": np.nan}, "n_edges must be a whole number of 0 or more, got nan"),
        ({"gamma": "0.5"}, "gamma must be a number from 0 to 1, got '0.5'"),
        ({"gamma": 7}, "gamma must be a number from 0 to 1, got 7"),
        ({"prior": "1"}, "prior must be a number, got '1'"),
        ({"n_restarts": np.True_}, "n_restarts must be a whole number"),
        (
            {"family": np.array(["partial", "x"])},
            "family must be one of planar, partial, .*, got array",
        ),
        ({"checkpoint": ""}, "checkpoint must be the path of a file, got ''"),
        ({"prior": np.inf}, "prior must be a number, got inf"),
        ({"random_state": -1}, "random_state must be a whole number of 0 or more, or a NumPy generator; got -1"),
        ({"random_state": "a"}, "random_state must be a whole number"),
        ({"threshold": "a"}, "threshold must be a number, got 'a'"),
        ({"checkpoint": 3}, "checkpoint must be the path of a file, got 3"),
        ({"missing": ["drop"]}, r"missing must be one of error, em, drop, minus, pairwise, got \['drop'\]"),
        ({"constant": "no"}, "constant must be one of error, drop, keep"),
        ({"verbose": "yes"}, "verbose must be True or False, got 'yes'"),
    ],
)
def test_values_that_settings_cannot_have(settings, message):
    data = np.random.default_rng(0).choice([-1, 1], size=(50, 3))
    with pytest.raises(ModelError, match=message.replace("generator; got", "generator, got")):
        PlanarIsing(**settings).fit(data)
    with pytest.raises(ModelError, match=message.replace("generator; got", "generator, got")):
        PlanarIsing(**settings).fit_moments(np.eye(3), 50, magnetizations=np.zeros(3))


def test_numbers_of_numpy_and_none_are_fine():
    data = np.random.default_rng(0).choice([-1, 1], size=(50, 3))
    usual = PlanarIsing().fit(data)
    same = PlanarIsing(gamma=np.float32(0.25), n_restarts=np.int64(30), random_state=None, missing=None).fit(data)
    np.testing.assert_array_equal(usual.couplings_, same.couplings_)


def test_settings_are_shown_and_are_all_there_are():
    shown = inspect.signature(PlanarIsing).parameters
    assert list(shown) == list(PlanarIsing().get_params())
    for name in shown:
        assert re.search(rf"^    {name} : ", PlanarIsing.__doc__, re.MULTILINE)
    with pytest.raises(TypeError, match="stability has no setting n_resample; it has n_resamples, kind, share"):
        PlanarIsing().stability(np.eye(3), n_resample=3)
    with pytest.raises(TypeError, match="PlanarIsing has no setting gama; it has family, fields, prior"):
        PlanarIsing(gama=1)


def test_the_record_does_not_change_with_what_the_caller_does():
    edges = [[0, 1]]
    fit = PlanarIsing(required_edges=edges, prior=1).fit(np.random.default_rng(0).choice([-1, 1], size=(50, 3)))
    edges[0][1] = 2
    assert fit.learned_.settings["required_edges"] == [[0, 1]]
