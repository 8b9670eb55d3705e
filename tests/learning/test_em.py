"""missing="em" of the estimator: messages, what is refused, likelihoods, intervals, the report."""

import csv
import json

import numpy as np
import pandas as pd
import pytest

from isingmap import IsingModel, PlanarIsing
from isingmap.data.accumulator import MomentAccumulator
from isingmap.data.convert import as_spin_table
from isingmap.errors import DataError, DataWarning, FitWarning, ModelError
from isingmap.likelihood.fit import fit_couplings
from isingmap.report.results import write_results

MODEL = IsingModel(
    [[0, 1], [1, 2], [2, 3], [0, 3], [3, 4]],
    [0.6, -0.5, 0.4, 0.5, -0.7],
    [0.2, 0.0, -0.3, 0.1, 0.2],
    names=list("abcde"),
)


def rows(n_rows=600, share=0.2, seed=0):
    rng = np.random.default_rng(seed)
    x = MODEL.sample(n_rows, rng=rng).astype(float)
    x[rng.random(x.shape) < share] = np.nan
    return pd.DataFrame(x, columns=list("abcde"))


@pytest.fixture(scope="module")
def fit():
    return PlanarIsing(missing="em", n_restarts=0).fit(rows())


def test_em_is_what_the_refusal_of_missing_cells_names_first():
    with pytest.raises(DataError, match=r"Choose a rule: missing='em' \(") as caught:
        PlanarIsing().fit(rows())
    assert str(caught.value).index("'em'") < str(caught.value).index("'drop'")
    with pytest.raises(DataError, match="no complete row is left. Use missing='em', missing='minus'"):
        PlanarIsing(missing="drop").fit(rows().mask(np.arange(3000).reshape(600, 5) % 5 == 1))


def test_sums_over_rows_refuse_it_and_their_advice_works():
    table = rows()
    for attempt in (
        lambda: MomentAccumulator(missing="em"),
        lambda: PlanarIsing(missing="em").partial_fit(table),
        lambda: PlanarIsing(missing="em").fit(MomentAccumulator(missing="pairwise").add(table).counted()),
    ):
        with pytest.raises(DataError, match="Give `fit` the whole table at once, or take missing='drop'"):
            attempt()
    with pytest.raises(DataError, match="Choose a rule: missing='drop'"):
        PlanarIsing().partial_fit(table).model_  # noqa: B018


@pytest.mark.parametrize(
    ("settings", "more", "named"),
    [
        ({"errors": "robust"}, {}, "errors='robust'"),
        ({"intervals": "profile"}, {}, "intervals='profile'"),
        ({"weight_kind": "survey"}, {"sample_weight": np.linspace(1, 2, 600)}, "weight_kind='survey'"),
        ({}, {"clusters": np.arange(600) // 6}, "clusters"),
    ],
)
def test_errors_that_are_not_known_under_em_are_refused_by_name(settings, more, named):
    with pytest.raises(DataError, match=f"do not go with {named}; leave it out"):
        PlanarIsing(missing="em", **settings).fit(rows(), **more)


def test_family_auto_is_refused_by_name():
    with pytest.raises(ModelError, match="family='auto'; give one of the families"):
        PlanarIsing(missing="em", family="auto").fit(rows())


def test_without_a_gap_it_is_the_ordinary_fit():
    complete = rows(share=0.0)
    by_em, ordinary = PlanarIsing(missing="em").fit(complete), PlanarIsing().fit(complete)
    assert (by_em.couplings_ == ordinary.couplings_).all() and by_em.learned_.em is None


def test_the_score_is_the_likelihood_of_what_is_known(fit):
    each = fit.score_samples(rows())
    assert each.sum() == pytest.approx(fit.log_likelihood_, abs=1e-8)
    row = np.array([[1.0, np.nan, np.nan, -1.0, np.nan]])
    states = np.array(np.meshgrid(*[[-1, 1]] * 5)).reshape(5, -1).T
    match = (states[:, 0] == 1) & (states[:, 3] == -1)
    expected = np.logaddexp.reduce(fit.model_.log_probability(states[match]))
    assert fit.score_samples(row)[0] == pytest.approx(expected, abs=1e-12)


def test_rows_that_show_nothing_are_left_out_with_a_note(fit):
    table = pd.concat([rows(), pd.DataFrame(np.full((3, 5), np.nan), columns=list("abcde"))])
    more = PlanarIsing(missing="em", n_restarts=0).fit(table)
    assert any("3 rows without any known cell left out." in note for note in more.notes_)
    assert (more.couplings_ == fit.couplings_).all() and more.log_likelihood_ == fit.log_likelihood_


@pytest.mark.filterwarnings("ignore:cells are not missing completely:isingmap.errors.DataWarning")  # one in 20
def test_intervals_cover_the_truth_on_the_true_graph():
    """30 % of the cells missing, 40 tables of 400 rows: 95 % intervals of 10 parameters each."""
    truth = np.append(MODEL.couplings, MODEL.fields)
    covered = []
    for seed in range(40):
        learned = PlanarIsing(missing="em", graph=MODEL.edges.tolist()).fit(rows(400, 0.3, seed)).learned_
        covered.append((learned.intervals.lower < truth) & (truth < learned.intervals.upper))
    assert 0.925 < np.mean(covered) < 0.975


def test_it_is_closer_to_the_complete_data_than_the_other_rules():
    """The same graph for all; mean over tables of the distance from the fit without a gap."""
    off = {rule: [] for rule in ("em", "drop", "pairwise", "minus")}
    for seed in range(6):
        whole = MODEL.sample(600, rng=np.random.default_rng(seed)).astype(float)
        best = fit_couplings(
            MODEL.edges, whole.T @ whole / 600, magnetizations=whole.mean(axis=0), fields_in_plane=False
        )
        for rule in off:
            found = PlanarIsing(missing=rule, graph=MODEL.edges.tolist())
            with pytest.warns(DataWarning) if rule == "minus" else _nothing():
                found.fit(rows(600, 0.2, seed))
            off[rule].append(np.sqrt(np.mean((found.couplings_ - best.model.couplings) ** 2)))
    mean = {rule: np.mean(values) for rule, values in off.items()}
    assert mean["em"] < min(mean["drop"], mean["pairwise"], mean["minus"])


def _nothing():
    from contextlib import nullcontext

    return nullcontext()


def test_missing_for_a_reason_another_column_shows_is_told_and_allowed_for(tmp_path):
    """Cells of b go missing where a is +1, a strong neighbour: the mean of what is known is off, that of EM is not."""
    rng = np.random.default_rng(3)
    whole = MODEL.sample(4000, rng=rng).astype(float)
    x = whole.copy()
    x[(x[:, 0] == 1) & (rng.random(4000) < 0.7), 1] = np.nan
    with pytest.warns(DataWarning, match="where b is missing the mean of a is") as caught:
        fit = PlanarIsing(missing="em", graph=MODEL.edges.tolist()).fit(pd.DataFrame(x, columns=list("abcde")))
    assert "missing='em' allows for that" in str(caught[0].message)
    of_known, of_all = np.nanmean(x[:, 1]), whole[:, 1].mean()
    assert abs(of_known - of_all) > 0.1 and abs(fit.model_.magnetizations()[1] - of_all) < 0.4 * abs(of_known - of_all)
    with pytest.warns(DataWarning, match="takes them for missing at random.*missing='em' allows"):
        PlanarIsing(missing="drop", graph=MODEL.edges.tolist()).fit(pd.DataFrame(x, columns=list("abcde")))
    folder = write_results(fit.learned_, tmp_path / "map")
    lines = list(csv.DictReader((folder / "missing.csv").open()))
    assert (lines[0]["column"], lines[0]["other"]) == ("b", "a") and float(lines[0]["p_adjusted"]) < 1e-9
    summary = (folder / "summary.txt").read_text()
    assert "Missing cells" in summary and "beyond chance (adjusted p below 0.01): where b is" in " ".join(
        summary.split()
    )


def test_the_report_is_about_what_was_observed(fit, tmp_path):
    learned = fit.learned_
    x = rows().to_numpy()
    folder = write_results(learned, tmp_path / "map")
    facts = {fact["label"]: fact["value"] for fact in json.loads((folder / "model.json").read_text())["facts"]}
    shares = np.nanmean(x > 0, axis=0, where=~np.isnan(x))
    alone = np.nansum(np.where(x > 0, np.log(shares), np.log(1 - shares)) * ~np.isnan(x)) / 600
    assert facts["log-likelihood"] == pytest.approx(fit.log_likelihood_)
    assert facts["for comparison"] == pytest.approx(alone)
    assert facts["gained by edges"] == pytest.approx(fit.log_likelihood_ / 600 - alone)
    edges = list(csv.DictReader((folder / "edges.csv").open()))
    both = ~np.isnan(x[:, 0]) & ~np.isnan(x[:, 1])
    first = next(edge for edge in edges if (edge["source"], edge["target"]) == ("a", "b"))
    assert (
        float(first["empirical"]) == pytest.approx(np.mean(x[both, 0] * x[both, 1]))
        and int(first["rows"]) == both.sum()
    )
    assert {edge["interval"] for edge in edges} == {"wald"}
    assert float(first["lr"]) == pytest.approx(2 * float(first["loss"])) and float(first["loss"]) > 0
    path = list(csv.DictReader((folder / "path.csv").open()))
    assert path[-1]["log_likelihood"] and not path[-2]["log_likelihood"]
    text = (folder / "summary.txt").read_text()
    assert "exact, of the cells that are known" in text and "observed information" in text


def test_resamples_go_through_em_in_any_order_of_the_rows():
    def found(order):
        table = as_spin_table(rows().to_numpy()[order], names=list("abcde"))
        return PlanarIsing(missing="em", n_restarts=0).stability(table, n_resamples=4)

    one, two = found(np.arange(600)), found(np.random.default_rng(0).permutation(600))
    assert one.identity == two.identity and not any(outcome.failure for outcome in one.outcomes)
    for first, second in zip(one.outcomes, two.outcomes, strict=True):
        assert (first.edges == second.edges).all() and (first.couplings == second.couplings).all()
    pairwise = PlanarIsing(missing="pairwise", n_restarts=0).stability(rows(), n_resamples=4)
    assert pairwise.identity != one.identity


def test_an_interrupted_fit_gives_no_advice_that_em_refuses(monkeypatch):
    def told(step):
        if step == 3:
            raise KeyboardInterrupt

    monkeypatch.setattr("isingmap.missing_cells.structural._tell", told)
    with pytest.warns(FitWarning, match="interrupted in EM, after 2 steps.*best found so far$"):
        fit = PlanarIsing(missing="em", n_restarts=0).fit(rows())
    assert fit.learned_.interrupted
    assert fit.log_likelihood_ == pytest.approx(fit.score_samples(rows()).sum(), abs=1e-8)
