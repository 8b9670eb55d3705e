"""What a search leaves out is told, in the labels of the data, and no search goes on for ever."""

import json

import numpy as np
import pandas as pd
import pytest

from bare_moments import problem_of
from isingmap import PlanarIsing, SearchOptions, learn_structure
from isingmap.errors import FitWarning, PrecisionError
from isingmap.structure.state.refitted_model import RefittedModel


def questionnaire(n_rows=400):
    """`followup` is only asked where `gate` is yes."""
    rng = np.random.default_rng(0)
    gate = rng.random(n_rows) < 0.6
    followup = gate & (rng.random(n_rows) < 0.5)
    other = rng.random(n_rows) < 0.3
    return pd.DataFrame(
        np.where(np.stack([gate, followup, other], axis=1), "yes", "no"), columns=["gate", "followup", "other"]
    )


def test_a_field_that_would_be_infinite_is_told_in_the_labels_of_the_data():
    with pytest.warns(FitWarning, match=r"1 field was left out .* \(followup = yes with gate = no never occurs\)"):
        fit = PlanarIsing(family="partial").fit(questionnaire())
    (left_out,) = fit.excluded_
    assert (left_out.source, left_out.target) == ("gate", "(field)")
    assert left_out.gain > 0.01
    with_prior = PlanarIsing(family="partial", prior=1).fit(questionnaire())  # the advice of the warning
    assert with_prior.excluded_ == () and with_prior.fields_[0] != 0


def test_where_every_variable_has_a_field_it_is_the_pair_that_is_left_out():
    with pytest.warns(FitWarning, match=r"gate - followup \(followup = yes with gate = no never occurs\)"):
        fit = PlanarIsing().fit(questionnaire())
    assert ("gate", "followup") in [(pair.source, pair.target) for pair in fit.excluded_]
    with_prior = PlanarIsing(prior=1).fit(questionnaire())
    assert with_prior.excluded_ == () and ("gate", "followup") in with_prior.model_.edge_names


@pytest.mark.filterwarnings("ignore::isingmap.errors.DataWarning")
def test_left_out_although_no_edge_was_added():
    rng = np.random.default_rng(1)
    x = rng.integers(0, 2, (60, 3))
    x[:, 2] = x[:, 1]
    with pytest.warns(FitWarning, match="1 coupling was left out because it would be infinite: b - c"):
        fit = PlanarIsing(family="zero-field").fit(pd.DataFrame(x, columns=list("abc")))
    assert fit.model_.n_edges == 0
    assert [(e.source, e.target, e.reason) for e in fit.excluded_] == [("b", "c", "b and c always agree")]


def exclusive_indicators(n_groups=12, n_rows=400):
    """Sites with four letters each, as 0/1 columns of which one is 1: strong couplings around every site."""
    rng = np.random.default_rng(3)
    letters = rng.integers(0, 4, (n_rows, n_groups))
    letters[:, 1::2] = np.where(rng.random((n_rows, n_groups // 2)) < 0.6, letters[:, ::2], letters[:, 1::2])
    return (letters[:, :, None] == np.arange(3)).reshape(n_rows, -1).astype(int)


@pytest.mark.filterwarnings("ignore")
def test_indicators_that_exclude_each_other_come_to_an_end():
    fit = PlanarIsing(criterion="bic", search="greedy", prior=1).fit(exclusive_indicators())
    assert np.isfinite(fit.couplings_).all() and np.isfinite(fit.log_likelihood_)


def test_a_pair_that_doubles_cannot_fit_is_passed_over_and_listed(monkeypatch):
    rng = np.random.default_rng(2)
    x = rng.choice([-1, 1], (300, 4))
    x[:, 1] = np.where(rng.random(300) < 0.9, x[:, 0], -x[:, 0])
    whole = RefittedModel.with_edge_if_worth

    def lossy(self, i, j, least):
        if (i, j) == (0, 1):
            raise PrecisionError("too strong", loss=1.0)
        return whole(self, i, j, least)

    monkeypatch.setattr(RefittedModel, "with_edge_if_worth", lossy)
    with pytest.warns(FitWarning, match="too strong for double precision: x1 - x2. prior=1 makes"):
        fit = PlanarIsing(family="zero-field").fit(x)
    assert fit.excluded_[0].too_strong and (0, 1) not in map(tuple, fit.edges_.tolist())


def equal_graphs():
    """Three spins with one moment, room for two edges: each of three paths is as good as the others."""
    moments = np.full((3, 3), 0.3)
    np.fill_diagonal(moments, 1.0)
    moments[:2, 2] = moments[2, :2] = moments[0, 1] = moments[1, 0] = 0.3
    return moments


def test_equally_good_graphs_are_counted_and_the_first_by_name_is_taken():
    problem, _ = problem_of(equal_graphs(), 40, names=["a", "b", "c"], family="zero-field")
    results = [learn_structure(problem, SearchOptions(seed=seed, criterion="bic", n_restarts=12)) for seed in range(5)]
    assert {tuple(r.model.edge_names) for r in results if r.n_equal > 1} <= {tuple(results[0].model.edge_names)}
    assert all(r.n_equal >= 1 for r in results)


def test_ebic_and_exact_losses():
    fit = PlanarIsing(gamma=0.5).fit(questionnaire()[["gate", "other"]])
    result, n = fit.result_, 400
    penalty = np.log(n) + 4 * 0.5 * np.log(2)
    assert result.ebic == pytest.approx(-2 * result.log_likelihood + result.model.n_parameters * penalty)
    assert fit.path_.ebic[-1] == result.ebic


def test_the_loss_of_an_edge_is_that_of_the_fit_without_it():
    x = questionnaire()
    fit = PlanarIsing(prior=1, criterion="aic").fit(x)
    losses = fit.learned_.edge_losses
    assert losses.shape == (fit.model_.n_edges,) and (losses > 0).all()
    from isingmap import fit_couplings

    # Of rows and pseudo-observations together: as many more rows whose moments are 0.
    m = fit.moments_
    total = m.n_samples + 1
    moments = m.moments * m.n_samples / total
    np.fill_diagonal(moments, 1.0)
    given = {"magnetizations": m.magnetizations * m.n_samples / total, "free_fields": fit.model_.free_fields}

    def value(edges):
        return fit_couplings(edges, moments, n_spins=3, n_samples=total, **given).log_likelihood

    for k, loss in enumerate(losses):
        assert loss == pytest.approx(value(fit.edges_) - value(np.delete(fit.edges_, k, axis=0)), abs=1e-6)


def test_what_was_passed_over_survives_a_checkpoint():
    from isingmap.structure.searches.forward_backward import ForwardBackwardSearch
    from isingmap.structure.state.archive import Archive

    problem, _ = problem_of(equal_graphs(), 40, family="zero-field")
    search = ForwardBackwardSearch(problem, SearchOptions())
    search.state.unfit.add((0, 1))
    archive = Archive(problem)
    document = json.loads(json.dumps(search.saved(archive)))
    again = ForwardBackwardSearch(problem, SearchOptions())
    again.resume(document, Archive(problem, archive.arrays, archive.documents))
    assert again.state.unfit == {(0, 1)}
