"""The meat of the sandwich, and the errors made of it: against sums written out, enumeration and finite differences."""

import numpy as np
import pytest
from brute_force import Family, statistics

from isingmap import IsingModel, PlanarIsing
from isingmap.data.convert import as_spin_table
from isingmap.errors import DataError
from isingmap.uncertainty import row_spread as module
from isingmap.uncertainty.row_spread import row_spread

EDGES = np.array([(0, 1), (1, 2), (0, 2), (2, 3)])
FIELDS = np.array([0, 1, 3])


@pytest.fixture(scope="module")
def spins():
    truth = IsingModel(EDGES, [0.5, -0.4, 0.3, 0.7], [0.3, 0.0, -0.5, 0.2])
    return truth.sample(240, rng=5)


@pytest.fixture
def rng():
    return np.random.default_rng(8)


def pulls(spins, weights):
    """Each row's pull on the weighted means."""
    known = np.abs(statistics(spins, EDGES, FIELDS))
    values = statistics(spins, EDGES, FIELDS)
    counts = weights @ known
    means = weights @ values / counts
    return known * (values - means) / counts


def by_hand(spins, weights, units, *, squared):
    pull = pulls(spins, weights)
    if units is None:
        return (pull * (weights ** (2 if squared else 1))[:, None]).T @ pull
    sums = np.array([(pull * weights[:, None])[units == u].sum(axis=0) for u in np.unique(units)])
    return sums.T @ sums


@pytest.mark.parametrize("at_once", [1 << 22, 60])
@pytest.mark.parametrize("missing", [False, True])
@pytest.mark.parametrize("kind", ["frequency", "survey"])
@pytest.mark.parametrize("clustered", [False, True])
def test_against_sums_written_out(spins, rng, monkeypatch, at_once, missing, kind, clustered):
    monkeypatch.setattr(module, "_AT_ONCE", at_once)  # blocks of 8 rows, smaller than some clusters
    if missing:
        spins = np.where(rng.random(spins.shape) < 0.2, 0, spins)
    weights = rng.integers(0, 4, len(spins)) if kind == "frequency" else rng.exponential(size=len(spins))
    clusters = rng.integers(0, 17, len(spins)) * rng.integers(0, 2, len(spins)) if clustered else None
    found = row_spread(as_spin_table(spins, missing_label=0, weights=weights, clusters=clusters), EDGES, FIELDS, kind)
    expected = by_hand(spins, np.asarray(weights, float), clusters, squared=kind == "survey")
    n = len(np.unique(clusters[weights > 0])) if clustered else weights.sum() if kind == "frequency" else len(spins)
    assert found.n_units == n and found.by_cluster == clustered and found.n_rows == (weights > 0).sum()
    np.testing.assert_allclose(found.covariance, expected * n / (n - 1), rtol=1e-10, atol=1e-16)


def test_the_same_bits_for_every_order_of_rows(spins, rng):
    clusters = rng.integers(0, 9, len(spins))
    order = rng.permutation(len(spins))
    for units, shuffled in ((None, None), (clusters, clusters[order])):
        one = row_spread(as_spin_table(spins, clusters=units), EDGES, FIELDS)
        two = row_spread(as_spin_table(spins[order], clusters=shuffled), EDGES, FIELDS)
        np.testing.assert_array_equal(one.covariance, two.covariance)


def test_frequency_weights_are_equal_rows(spins, rng):
    weights = rng.integers(0, 3, len(spins))
    long = row_spread(as_spin_table(np.repeat(spins, weights, axis=0)), EDGES, FIELDS)
    short = row_spread(as_spin_table(spins, weights=weights), EDGES, FIELDS)
    np.testing.assert_array_equal(long.covariance, short.covariance)


def learned(spins, **settings):
    fitting = {key: settings.pop(key) for key in ("sample_weight", "clusters") if key in settings}
    return PlanarIsing(graph=EDGES.tolist(), **settings).fit(spins, **fitting).learned_


@pytest.mark.parametrize("prior", [None, 5.0])
def test_the_sandwich_against_enumeration_and_finite_differences(spins, prior):
    """Scores of rows and their slopes by differences of the log-likelihood of each row."""
    found = learned(spins, errors="robust", prior=prior)
    model, n = found.model, len(spins)
    theta, rows = np.append(model.couplings, model.fields), statistics(spins, model.edges, np.arange(4))
    brute, step = Family(4, model.edges, np.arange(4)), 1e-4
    shifts = step * np.eye(theta.size)

    def row_wise(t):
        return rows @ t - brute.log_partition(t)

    scores = np.stack([(row_wise(theta + s) - row_wise(theta - s)) / (2 * step) for s in shifts], axis=1)
    z = brute.log_partition
    slopes = np.array(
        [
            [
                (z(theta + s + t) - z(theta + s - t) - z(theta - s + t) + z(theta - s - t)) / (4 * step**2)
                for s in shifts
            ]
            for t in shifts
        ]
    )
    bread = np.linalg.inv(n * slopes)  # as the model's own errors, which a prior does not change
    centred = scores - scores.mean(axis=0)
    variance = bread @ (centred.T @ centred) @ bread * n / (n - 1)
    np.testing.assert_allclose(found.errors.standard, np.sqrt(variance.diagonal()), rtol=1e-5)
    wald = learned(spins, prior=prior)
    np.testing.assert_allclose(wald.errors.standard, np.sqrt(np.linalg.inv(n * slopes).diagonal()), rtol=1e-5)
    np.testing.assert_allclose(found.errors.inflation, variance.diagonal() / wald.errors.standard**2, rtol=1e-5)


def test_a_large_prior_makes_robust_tests_no_surer_than_plain_ones(spins):
    plain, robust = (learned(spins, errors=errors, prior=float(len(spins))) for errors in ("model", "robust"))
    ratio = robust.edge_tests.statistic / plain.edge_tests.statistic
    assert (ratio > 0.4).all() and (ratio < 2.5).all()


def test_rows_that_are_doubled_tell_nothing_new_if_they_are_clusters(spins):
    """Three copies of each row as a cluster: the errors of the single rows; without clusters they are too small."""
    alone = learned(spins, errors="robust")
    copies = learned(np.repeat(spins, 3, axis=0), clusters=np.repeat(np.arange(len(spins)), 3))
    blind = learned(np.repeat(spins, 3, axis=0), errors="robust")
    np.testing.assert_allclose(copies.errors.standard, alone.errors.standard, rtol=1e-9)
    factor = np.sqrt((240 / 239) / (720 / 719))
    np.testing.assert_allclose(blind.errors.standard, alone.errors.standard / np.sqrt(3) / factor, rtol=1e-9)
    np.testing.assert_allclose(copies.edge_tests.statistic, alone.edge_tests.statistic, rtol=1e-6)


def test_clusters_of_single_rows_are_rows(spins):
    alone, named = learned(spins, errors="robust"), learned(spins, clusters=[f"r{k}" for k in range(240)])
    np.testing.assert_allclose(named.errors.standard, alone.errors.standard, rtol=1e-10)
    assert named.errors.degrees == 239 and alone.errors.degrees == np.inf


def test_survey_weights_may_have_any_unit(spins, rng):
    weights = rng.exponential(size=len(spins)) + 0.1
    one = learned(spins, sample_weight=weights, weight_kind="survey")
    two = learned(spins, sample_weight=1000 * weights, weight_kind="survey")
    np.testing.assert_allclose(two.errors.standard, one.errors.standard, rtol=1e-9)
    assert one.moments.n_samples == pytest.approx(weights.sum() ** 2 / (weights**2).sum())
    assert two.result.bic == pytest.approx(one.result.bic)
    equal = learned(spins, sample_weight=np.full(240, 7.0), weight_kind="survey")
    plain = learned(spins, errors="robust")
    np.testing.assert_allclose(equal.errors.standard, plain.errors.standard, rtol=1e-9)
    assert equal.moments.n_samples == pytest.approx(240) and "240 rows count as 240.0" in equal.notes[-1]
    assert learned(spins, sample_weight=weights).moments.n_samples == pytest.approx(weights.sum())  # frequencies


def test_missing_cells_have_robust_errors_too(spins, rng):
    holes = np.where(rng.random(spins.shape) < 0.15, np.nan, spins)
    shared = learned(holes, missing="pairwise")
    robust = learned(holes, missing="pairwise", errors="robust")
    np.testing.assert_allclose(robust.errors.standard, shared.errors.standard, rtol=0.25)
    assert (robust.errors.standard != shared.errors.standard).all()


@pytest.mark.parametrize("labels", [["a"] * 239, ["a"] * 239 + [""], ["a"] * 239 + [None], [np.nan] * 240, ["a"] * 240])
def test_clusters_that_are_none_are_refused(spins, labels):
    with pytest.raises(DataError, match="cluster"):
        learned(spins, clusters=labels)


def test_what_has_no_rows_or_no_weights_is_refused(spins):
    with pytest.raises(DataError, match="weight_kind='survey' says what weights"):
        learned(spins, weight_kind="survey")
    for settings in ({"errors": "robust"}, {"weight_kind": "survey"}):
        with pytest.raises(DataError, match="only moments"):
            PlanarIsing(family="zero-field", **settings).fit_moments(np.eye(5), 100)


def test_dropped_rows_leave_their_clusters(spins):
    holes = spins.astype(float)
    holes[::7, 1] = np.nan
    clusters = np.arange(240) // 8
    kept = ~np.isnan(holes[:, 1])
    dropped = learned(holes, missing="drop", clusters=clusters)
    again = learned(holes[kept], clusters=clusters[kept])
    np.testing.assert_array_equal(dropped.errors.standard, again.errors.standard)


@pytest.mark.filterwarnings("ignore::isingmap.errors.DataWarning")
def test_a_column_that_does_not_vary_has_no_robust_error(spins):
    """What rounding leaves of it would look like perfect certainty."""
    kept = spins.copy()
    kept[:, 3] = 1
    found = PlanarIsing(constant="keep", prior=1, errors="robust", graph=[(0, 1)]).fit(kept).learned_
    assert np.isnan(found.field_errors).tolist() == [False, False, False, True]
    interval = found.field_intervals
    assert interval.by_profile[3] and interval.upper[3] - interval.lower[3] > 1.0


def test_labels_of_clusters_of_every_kind(spins):
    import pandas as pd
    import polars as pl

    numbers = np.arange(240) // 12
    labels = [f"school {k}" for k in numbers]
    expected = learned(spins, clusters=numbers).errors.standard
    for kind in (labels, numbers.astype(float), pd.Series(labels, dtype="category"), pl.Series(labels), numbers == 0):
        table = as_spin_table(spins, clusters=kind)
        if kind is not labels and np.asarray(kind).dtype == bool:
            assert table.clusters.tolist() == (numbers == 0).astype(int).tolist()
            continue
        np.testing.assert_allclose(learned(table).errors.standard, expected, rtol=1e-12)
    holes = [pd.Series([*labels[:-1], pd.NA]), pl.Series([*labels[:-1], None]), pd.Series([*numbers[:-1], np.nan])]
    for absent in (*holes, np.ma.masked_equal(numbers, 19)):
        with pytest.raises(DataError, match="row (240|229) has none"):
            as_spin_table(spins, clusters=absent)
