"""Missing cells, masks, dropped columns, weights of scores: no number that rests on cells nobody saw."""

import numpy as np
import pandas as pd
import pytest
from sklearn.model_selection import cross_val_score

from isingmap import PlanarIsing
from isingmap.data.convert import as_spin_table
from isingmap.errors import DataError, DataWarning, ModelError


def coins(share, seed, n_rows=1000, n_columns=10):
    rng = np.random.default_rng(seed)
    x = rng.integers(0, 2, (n_rows, n_columns)).astype(float)
    x[rng.random(x.shape) < share] = np.nan
    return x


@pytest.mark.filterwarnings("ignore::isingmap.errors.DataWarning")
@pytest.mark.parametrize("share", [0.0, 0.3, 0.6])
def test_missing_cells_make_no_edges(share):
    """Ten independent coins, 20 tables of 1000 rows: 0.2 to 0.3 false edges in a table of 45 pairs at any share.

    With the price of all rows there were 12 at 60 % missing.
    """
    found = [len(PlanarIsing(missing="pairwise", n_restarts=0).fit(coins(share, seed)).edges_) for seed in range(20)]
    assert np.mean(found) < 1.0


@pytest.mark.filterwarnings("ignore::isingmap.errors.DataWarning")
def test_intervals_cover_the_truth_where_cells_are_missing():
    """A chain of three spins, 40 % of the cells missing, 150 tables: 95 % intervals cover; those of all rows do not."""
    rng = np.random.default_rng(0)
    covered, with_all_rows = [], []
    for _ in range(150):
        x = rng.choice([-1.0, 1.0], (800, 3))
        for k in (1, 2):
            x[:, k] = np.where(rng.random(800) < 0.8, x[:, k - 1], -x[:, k - 1])
        x[rng.random(x.shape) < 0.4] = np.nan
        fit = PlanarIsing(family="zero-field", missing="pairwise", n_restarts=0).fit(x)
        if sorted(fit.edges_.tolist()) != [[0, 1], [1, 2]]:
            continue
        off = np.abs(fit.couplings_ - np.arctanh(0.6))
        covered += (off <= 1.96 * fit.learned_.coupling_errors).tolist()
        naive = np.sqrt(np.diag(np.linalg.inv(fit.model_.hessian())) / 800)
        with_all_rows += (off <= 1.96 * naive).tolist()
    assert len(covered) > 200
    assert 0.91 <= np.mean(covered) <= 0.985
    assert np.mean(with_all_rows) < 0.85


def test_a_composite_likelihood_is_not_compared():
    fit = PlanarIsing(missing="pairwise", n_restarts=0).fit(coins(0.2, 0, 200, 4))
    assert fit.result_.is_composite
    assert np.isnan([fit.result_.aic, fit.result_.bic, fit.result_.ebic]).all()
    assert not PlanarIsing().fit(coins(0.0, 0, 200, 4)).result_.is_composite


@pytest.mark.filterwarnings("ignore::isingmap.errors.IsingMapWarning")
def test_impossible_pairwise_moments_are_named():
    x = np.full((90, 3), np.nan)
    x[:30, :2] = np.tile([[1, 1], [-1, -1]], (15, 1))
    x[30:60, 1:] = np.tile([[1, 1], [-1, -1]], (15, 1))
    x[60:, ::2] = np.tile([[1, -1], [-1, 1]], (15, 1))
    with pytest.warns(DataWarning, match=r"no distribution has them all .*x1"):
        PlanarIsing(family="zero-field", missing="pairwise", prior=40).fit(x)


def test_minus_warns_of_what_it_invents():
    rng = np.random.default_rng(18)
    x = rng.integers(0, 2, (500, 8)).astype(float)
    x[rng.random(500) < 0.3, 1:] = np.nan
    with pytest.warns(DataWarning, match=r"invents 25\.6% of all cells; 146 rows lack more than half of the cells"):
        PlanarIsing(missing="minus").fit(x)


def test_masked_cells_are_missing():
    rng = np.random.default_rng(1)
    x = rng.integers(0, 2, (300, 2))
    x[:, 1] = np.where(rng.random(300) < 0.85, x[:, 0], 1 - x[:, 0])
    mask = np.zeros(x.shape, bool)
    mask[::3, 1] = True
    x[mask] = 0
    masked = np.ma.masked_array(x, mask)
    with pytest.raises(DataError, match="100 missing cells in 100 of 300 rows"):
        PlanarIsing().fit(masked)
    fit = PlanarIsing(missing="drop").fit(masked)
    same = PlanarIsing(missing="drop").fit(masked.astype(float).filled(np.nan))
    assert fit.moments_.n_samples == 200
    np.testing.assert_array_equal(fit.couplings_, same.couplings_)
    words = np.ma.masked_array(np.where(x == 1, "yes", "no"), mask)
    assert as_spin_table(words).n_missing == 100
    with pytest.raises(DataError, match="masked"):
        PlanarIsing(family="zero-field").fit_moments(np.ma.masked_array(np.eye(2), [[0, 1], [1, 0]]), 10)


@pytest.mark.filterwarnings("ignore::isingmap.errors.DataWarning")
def test_predict_refuses_what_looks_like_zeros_and_ones():
    from isingmap import IsingModel

    model = IsingModel([(0, 1)], [0.75], names=["a", "b"])
    with pytest.raises(ModelError, match=r"2 \* x - 1"):
        model.predict([[0, 1]])
    half = model.predict([[np.nan, 1]])
    np.testing.assert_array_equal(half, model.predict(np.ma.masked_array([[5, 1]], [[True, False]])))
    np.testing.assert_allclose(model.predict([[-1, 1]])[0, 1], 0.1824, atol=1e-4)


def with_constant():
    rng = np.random.default_rng(9)
    x = rng.integers(0, 2, (200, 6))
    x[:, 5] = 0
    return x


def test_a_dropped_column_does_not_break_the_score():
    x = with_constant()
    fit = PlanarIsing(constant="drop").fit(x)
    assert fit.n_features_in_ == 6
    with pytest.warns(DataWarning, match=r"1 column \(x6\) .* not comparable"):
        score = fit.score(x)
    assert score == pytest.approx(fit.log_likelihood_ / 200)
    frame = pd.DataFrame(x, columns=list("abcdef"))
    named = PlanarIsing(constant="drop").fit(frame)
    assert list(named.feature_names_in_) == list("abcdef")
    with pytest.warns(DataWarning, match="not comparable"):
        assert named.score(frame) == pytest.approx(score)


@pytest.mark.filterwarnings("ignore::isingmap.errors.DataWarning")
def test_cross_validation_with_a_column_that_is_constant_in_a_fold():
    x = with_constant()
    x[3, 5] = 1
    for data in (x, pd.DataFrame(x, columns=list("abcdef"))):
        scores = cross_val_score(PlanarIsing(constant="drop", n_restarts=0), data, cv=5, error_score="raise")
        assert np.isfinite(scores).all()
        kept = cross_val_score(PlanarIsing(constant="keep", prior=1, n_restarts=0), data, cv=5, error_score="raise")
        assert np.isfinite(kept).all()  # the advice of the warning


def test_frames_and_arrays_mix():
    rng = np.random.default_rng(0)
    x = rng.integers(0, 2, (100, 3))
    frame = pd.DataFrame(x, columns=list("abc"))
    named, bare = PlanarIsing().fit(frame), PlanarIsing().fit(x)
    assert named.score(x) == named.score(frame[["c", "a", "b"]]) == bare.score(x) == bare.score(frame)
    with pytest.raises(DataError, match="X lacks 1 of the 3 columns of the model: c"):
        named.score(frame[["a", "b"]])
    with pytest.raises(DataError, match="X has 2 features, but PlanarIsing is expecting 3"):
        named.score(x[:, :2])


def test_scores_have_weights_and_keep_the_rows():
    rng = np.random.default_rng(0)
    x = (rng.random((200, 6)) < 0.46).astype(int)
    weights = rng.integers(1, 9, 200)
    fit = PlanarIsing().fit(x, sample_weight=weights)
    assert fit.score(x, sample_weight=weights) == pytest.approx(fit.log_likelihood_ / weights.sum())
    holes = x.astype(float)
    holes[:20, 0] = np.nan
    each = PlanarIsing(missing="drop").fit(holes).score_samples(holes)
    assert each.shape == (200,) and np.isnan(each[:20]).all() and np.isfinite(each[20:]).all()


@pytest.mark.parametrize(
    "bad",
    [{"n_restarts": 1.5}, {"prior": "1"}, {"criterion": ["bic"]}, {"verbose": "yes"}, {"gamma": True}, {"missing": 1}],
)
def test_settings_are_checked_in_one_place(bad):
    (name,) = bad
    with pytest.raises(ModelError, match=name):
        PlanarIsing(**bad).fit(coins(0.0, 0, 50, 3))


def test_arrays_stay_read_only_in_copies():
    import copy
    import pickle

    fit = PlanarIsing().fit(coins(0.0, 0, 100, 3))
    table = as_spin_table(coins(0.0, 0, 10, 3), weights=np.ones(10))
    for again in (copy.deepcopy, lambda one: pickle.loads(pickle.dumps(one))):
        moments, spins = again(fit.moments_), again(table)
        for array in (moments.moments, moments.magnetizations, spins.spins, spins.weights, again(fit.model_).couplings):
            assert not array.flags.writeable


def test_weights_of_a_survey_are_no_rows_in_which_cells_could_lack_by_chance():
    rng = np.random.default_rng(0)
    x = rng.choice([-1.0, 1.0], (200, 4))
    x[rng.random(x.shape) < 0.1] = np.nan
    weights = rng.uniform(500, 3000, 200)  # so many inhabitants
    fit = PlanarIsing(search="greedy", missing="drop", weight_kind="survey").fit(x, sample_weight=weights)
    learned = fit.learned_
    assert not learned.gaps.strong and "completely at random" not in " ".join(learned.warnings)
    assert learned.gaps.n_samples == pytest.approx(weights.sum() ** 2 / (weights**2).sum())
