"""Resampled clusters and weights of a survey: as uncertain as robust errors say; what has no sense is refused."""

import numpy as np
import pytest

from isingmap import IsingModel, PlanarIsing
from isingmap.data.convert import as_spin_table
from isingmap.errors import DataError
from isingmap.report.stability_facts import stability_facts

GRAPH = [("x1", "x2"), ("x2", "x3")]


@pytest.fixture(scope="module")
def families():
    """60 families of 5 resembling members: each a noisy copy of one row."""
    rng = np.random.default_rng(4)
    rows = IsingModel([(0, 1), (1, 2)], [0.5, -0.4], [0.2, 0.0, -0.3]).sample(60, rng=3)
    spins = np.repeat(rows, 5, axis=0) * np.where(rng.random((300, 3)) < 0.1, -1, 1)
    return spins, np.repeat(np.arange(60), 5)


def spread_of(found):
    """Standard deviation of the couplings of the refits, by edge."""
    values = np.array([outcome.couplings for outcome in found.fitted])
    return values.std(axis=0)


def test_clusters_vary_as_their_robust_errors_say(families):
    spins, labels = families
    fit = PlanarIsing(graph=GRAPH)
    found = fit.stability(spins, clusters=labels, n_resamples=300)
    errors = fit.learned_.coupling_errors
    np.testing.assert_allclose(spread_of(found), errors, rtol=0.15)
    alone = PlanarIsing(graph=GRAPH).stability(spins, n_resamples=300)
    assert (spread_of(alone) < 0.7 * errors).all()  # rows drawn one by one look far more certain
    assert found.n_clusters == 60 and alone.n_clusters == 0 and found.identity != alone.identity
    text = " ".join(fact.text for fact in stability_facts(fit.learned_))
    assert "whole clusters are drawn, 60 of them" in text


def test_rows_of_a_survey_vary_as_their_robust_errors_say(families):
    spins, _ = families
    weights = np.random.default_rng(1).choice([1.0, 6.0], len(spins))
    fit = PlanarIsing(graph=GRAPH, weight_kind="survey")
    found = fit.stability(spins, sample_weight=weights, n_resamples=300)
    np.testing.assert_allclose(spread_of(found), fit.learned_.coupling_errors, rtol=0.15)
    counted = PlanarIsing(graph=GRAPH).stability(spins, sample_weight=weights, n_resamples=50)
    assert (spread_of(counted) < 0.7 * spread_of(found)).all()  # as frequencies: more rows than there are


def test_weights_of_a_survey_are_the_same_in_any_order_of_the_rows(families):
    spins, labels = families
    rng = np.random.default_rng(2)
    weights = rng.uniform(0.3, 2.2, len(spins))
    fit = PlanarIsing(graph=GRAPH, weight_kind="survey")
    found = fit.stability(spins, sample_weight=weights, clusters=labels, n_resamples=2)
    for _ in range(5):
        order = rng.permutation(len(spins))
        rows = spins[order], weights[order], labels[order]
        assert fit.stability(*rows, n_resamples=2).identity == found.identity


@pytest.mark.parametrize("kind", ["m-out-of-n", "case-dropping"])
def test_parts_of_the_clusters(families, kind):
    spins, labels = families
    found = PlanarIsing(graph=GRAPH).stability(spins, clusters=labels, n_resamples=20, kind=kind)
    assert found.n_fitted == 20 and not found.failures


def test_samples_of_the_model_are_refused_by_name(families):
    spins, labels = families
    fit = PlanarIsing(graph=GRAPH)
    with pytest.raises(DataError, match="these are rows in clusters: kind='parametric'"):
        fit.stability(as_spin_table(spins, clusters=labels), n_resamples=2, kind="parametric")
    with pytest.raises(DataError, match="weights of a survey: kind='parametric'"):
        PlanarIsing(weight_kind="survey").stability(spins, sample_weight=np.ones(300), n_resamples=2, kind="parametric")
    assert not hasattr(fit, "_learned")  # before the work


def test_a_column_called_clusters_is_a_column(families):
    import pandas as pd

    table = pd.DataFrame(families[0], columns=["a", "b", "clusters"])
    found = PlanarIsing(graph=[("a", "b")]).stability(table, n_resamples=2, kind="parametric")
    assert found.n_fitted == 2
