"""The sentences for a paper say what was done, and what to cite."""

import re
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from isingmap import PlanarIsing, __version__, as_spin_table
from isingmap.report.fit_facts import fit_facts
from isingmap.report.method_facts import cited_for, method_facts

X = np.random.default_rng(0).choice(["no", "yes"], (60, 3)).astype(object)
X[:40, 1] = X[:40, 0]


def methods(learned):
    return next(fact.text for fact in method_facts(learned) if fact.label == "methods")


@pytest.fixture(scope="module")
def learned():
    return PlanarIsing(criterion="bic").fit(as_spin_table(X)).learned_


def test_data_coding_model_search_criterion_and_version(learned):
    assert methods(learned) == (
        "A pairwise Ising model of 3 binary variables, coded -1 (no) and +1 (yes), was learned from 60 rows. "
        "Its family is planar (a field on every variable; the graph of the couplings is planar); it has 1 coupling and "
        "3 fields. The graph was chosen by a forward-backward search under BIC, "
        "restarted from perturbed graphs until 2 in a row found nothing better (seed 0). "
        "Couplings and fields are maximum-likelihood estimates; all likelihoods were computed exactly, with isingmap "
        f"{__version__}, which implements and extends the method of Johnson, Netrapalli and Chertkov (2011). "
        "Standard errors are from the Fisher information, exact if the model is right. "
        "Intervals are 95 % intervals by profile likelihood, p-values of edges from likelihood-ratio tests; both take "
        "the graph as given."
    )


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ({"criterion": "ebic", "gamma": 0.5}, "under EBIC with gamma = 0.5, "),
        (
            {"criterion": "maximal", "prior": 2.0},
            "under the likelihood alone, with as many edges as there is room for, ",
        ),
        ({"criterion": "maximal", "prior": 2.0}, "estimates, with 2 pseudo-observations spread evenly"),
        ({"prior": 1.0}, "with 1 pseudo-observation spread evenly over all configurations as a prior; all"),
        ({"search": "tmfg"}, "The graph is the triangulated maximally filtered graph (TMFG; Massara et al., 2016) of "),
        ({"search": "tmfg"}, " of the absolute correlations."),
        ({"search": "pmfg", "family": "zero-field"}, " of the absolute moments."),
        ({"family": "zero-field"}, "Couplings are maximum-likelihood estimates;"),
        ({"family": "zero-field", "search": "independent"}, "Nothing was estimated; all likelihoods"),
        ({"family": "auto"}, ", the best of 4 by EBIC; it has"),
        (
            {"required_edges": [(0, 2)], "n_edges": 2, "min_gain": 0.01, "max_width": 2},
            "(seed 0) (1 edge required, at most 2 edges, each with a gain of at least 0.01 nats per row, width of "
            "the graph at most 2).",
        ),
        ({"errors": "robust"}, "Standard errors are robust (sandwich), from 60 rows."),
        ({"criterion": "cv", "n_folds": 3}, "; criterion and gamma were chosen by 3-fold cross-validation, by the"),
        (
            {"criterion": "cv", "n_folds": 3, "family": "auto"},
            "; family, criterion and gamma were chosen by 3-fold cross-validation,",
        ),
        ({"search": "independent"}, "The graph has no edges."),
        ({"graph": [(0, 1)]}, "It has 1 coupling and 3 fields. The graph was given."),
        ({"fields": "paying"}, "fields that did not pay were dropped in the end"),
    ],
)
def test_what_was_asked_for_is_said(settings, said):
    assert said in methods(PlanarIsing(**settings).fit(as_spin_table(X)).learned_)


@pytest.mark.parametrize(("missing", "said"), [("em", "by the EM algorithm"), ("pairwise", "by composite likelihood")])
def test_missing_cells_are_said(missing, said):
    some = X.copy()
    some[:5, 2] = None
    assert said in methods(PlanarIsing(missing=missing, graph=[(0, 1)]).fit(as_spin_table(some)).learned_)


@pytest.mark.parametrize(
    ("missing", "said"),
    [
        ("em", "from 60 rows; 5 cells were missing (2.8 % of all)."),
        ("em", "known cells of every row and assumes that cells are missing at random;"),
        ("pairwise", "both are known, which assumes that cells are missing completely at random;"),
        ("drop", "from 55 rows; 5 further rows were left out, because a cell was missing."),
        ("minus", "from 60 rows; 5 missing cells were read as -1."),
    ],
)
def test_what_became_of_missing_cells_is_said(missing, said):
    some = X.copy()
    some[:5, 2] = None
    assert said in methods(PlanarIsing(missing=missing, graph=[(0, 1)]).fit(as_spin_table(some)).learned_)


@pytest.mark.parametrize("missing", ["drop", "minus", "pairwise"])
def test_counts_are_the_same_where_rows_pass_in_parts(missing):
    some = X.copy()
    some[:5, 2] = None
    settings = {"missing": missing, "graph": [(0, 1)]}
    parts = PlanarIsing(**settings)
    for part in (some[:30], some[30:]):
        parts.partial_fit(part)
    assert methods(parts.learned_) == methods(PlanarIsing(**settings).fit(some).learned_)


def test_rows_without_any_cell_are_counted():
    some = X.copy()
    some[:2] = None
    told = methods(PlanarIsing(missing="em", graph=[(0, 1)]).fit(as_spin_table(some)).learned_)
    assert "from 58 rows; 2 further rows were left out, because no cell was known." in told


def test_nothing_is_said_of_cells_where_none_is_missing():
    told = methods(PlanarIsing(missing="drop", graph=[(0, 1)]).fit(as_spin_table(X)).learned_)
    assert "missing" not in told and "left out" not in told


def test_columns_left_out_are_said():
    four = np.column_stack([X, np.full(60, "yes", dtype=object)])
    table = as_spin_table(four, names=["a", "b", "c", "consent"], positive="yes")
    said = "1 column was left out because of a single value (consent)."
    assert said in methods(PlanarIsing(constant="drop", graph=[(0, 1)]).fit(table).learned_)


def test_frequency_weights_are_no_rows():
    weights = np.tile([0.5, 2.0, 0.0], 20)
    learned = PlanarIsing(graph=[(0, 1)]).fit(as_spin_table(X), sample_weight=weights).learned_
    assert "was learned from 40 rows with frequency weights that sum to 50." in methods(learned)
    rows = {fact.label: fact for fact in fit_facts(learned) if fact.section == "Data"}
    assert rows["rows"].value == 40 and rows["rows"].text == "40, with frequency weights"
    assert rows["sum of weights"].value == 50.0
    parts = PlanarIsing(graph=[(0, 1)]).partial_fit(as_spin_table(X), sample_weight=weights)
    assert "was learned from rows whose frequency weights sum to 50." in methods(parts.learned_)
    counts = PlanarIsing(graph=[(0, 1)]).fit(as_spin_table(X), sample_weight=2 * weights).learned_
    assert "was learned from 100 observations, given as 40 rows with frequency weights." in methods(counts)
    parts = PlanarIsing(graph=[(0, 1)]).partial_fit(as_spin_table(X), sample_weight=2 * weights)
    assert "was learned from 100 observations, given with frequency weights." in methods(parts.learned_)
    ones = PlanarIsing(graph=[(0, 1)]).fit(as_spin_table(X), sample_weight=np.ones(60)).learned_
    assert "was learned from 60 rows." in methods(ones)


def test_weights_that_sum_to_the_number_of_rows_are_weights_still():
    weights = np.tile([0.5, 1.5], 30)
    for fit in (PlanarIsing.fit, PlanarIsing.partial_fit):
        told = methods(fit(PlanarIsing(graph=[(0, 1)]), as_spin_table(X), sample_weight=weights).learned_)
        assert "frequency weights" in told


def test_given_moments_are_said():
    matrix = [[1.0, 0.3], [0.3, 1.0]]
    learned = PlanarIsing(family="zero-field").fit_moments(matrix, 50).learned_
    assert "was learned from given moments of 50 rows." in methods(learned)


@pytest.mark.filterwarnings("ignore::isingmap.errors.IsingMapWarning")
def test_what_would_be_infinite_is_said():
    twins = np.column_stack([X[:, 0], X[:, 0], X[:, 2]])
    learned = PlanarIsing(criterion="bic").fit(as_spin_table(twins, names=["a", "b", "c"])).learned_
    said = "1 coupling or field that would pay but would be infinite is not in the model (a - b)."
    assert said in methods(learned)


@pytest.mark.parametrize("intervals", ["wald", "profile"])
def test_intervals_are_said(intervals):
    told = methods(PlanarIsing(intervals=intervals, graph=[(0, 1)]).fit(as_spin_table(X)).learned_)
    assert {"wald": "by standard errors (Wald)", "profile": "by profile likelihood"}[intervals] in told


def test_resamples_are_said_and_what_they_rest_on_is_cited():
    fit = PlanarIsing(criterion="bic", random_state=3)
    fit.stability(as_spin_table(X), n_resamples=4, kind="m-out-of-n")
    told = methods(fit.learned_)
    assert "4 refits with the same settings to m-out-of-n resamples of rows (0.5 of them), seed 3, without" in told
    assert cited_for(fit.learned_)[-1].startswith("Shah")
    fit.stability(as_spin_table(X), n_resamples=10, kind="case-dropping")
    assert "The coefficient CS(cor = 0.7) is" in methods(fit.learned_)
    assert cited_for(fit.learned_)[-1].startswith("Epskamp")


def test_weights_of_a_survey_and_clusters_are_said():
    fit = PlanarIsing(weight_kind="survey", graph=[(0, 1)])
    assert "from 60 rows with weights of a survey (effective number 54.0)." in methods(
        fit.fit(as_spin_table(X), sample_weight=np.tile([1.0, 2.0], 30)).learned_
    )
    assert "are weighted pseudo-maximum-likelihood estimates;" in methods(fit.learned_)
    clusters = [str(k // 3) for k in range(60)]
    assert "robust (sandwich), from 20 clusters of rows" in methods(
        PlanarIsing(graph=[(0, 1)]).fit(as_spin_table(X), clusters=clusters).learned_
    )


@pytest.mark.parametrize(
    ("settings", "author"),
    [
        ({}, "Foygel"),
        ({"search": "tmfg"}, "Massara"),
        ({"search": "pmfg"}, "Tumminello"),
        ({"search": "chow-liu"}, "Chow,"),
    ],
)
def test_what_was_used_is_cited_and_nothing_else(settings, author, learned):
    def cited(found):
        return next(fact.value for fact in method_facts(found) if fact.label == "cite")

    assert [text.startswith(author) for text in cited(PlanarIsing(**settings).fit(as_spin_table(X)).learned_)] == [
        False, False, True,
    ]  # fmt: skip
    assert len(cited(learned)) == 2


def test_an_interrupted_search_is_said(learned):
    result = replace(learned.result, stopped="interrupted by Ctrl-C")
    assert "; the search was interrupted." in methods(replace(learned, result=result))


def test_the_references_are_those_of_the_citation_file(learned):
    (cited,) = [fact.value for fact in method_facts(learned) if fact.label == "cite"]
    text = (Path(__file__).parents[2] / "CITATION.cff").read_text()
    for family in re.findall(r"family-names: (\w+)", text):
        assert family in cited[0]
    assert re.search(r'title: "(Learning.*)"', text)[1].lower() in cited[0].lower()
    assert (
        re.search(r'^title: "(.*)"', text, re.MULTILINE)[1] in cited[1]
        and re.search(r"^version: (.*)", text, re.MULTILINE)[1] in (cited[1])
    )
