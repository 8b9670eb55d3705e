"""The sentences for a paper say what was done, and what to cite."""

import re
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from isingmap import PlanarIsing, __version__, as_spin_table
from isingmap.report.method_facts import method_facts

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
        "3 fields. The graph was chosen by a forward-backward search under BIC. "
        "Couplings and fields are maximum-likelihood estimates; all likelihoods were computed exactly, with isingmap "
        f"{__version__}, which implements and extends the method of Johnson, Netrapalli and Chertkov (2011). "
        "Standard errors are from the Fisher information, exact if the model is right."
    )


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ({"criterion": "ebic", "gamma": 0.5}, "under EBIC with gamma = 0.5."),
        (
            {"criterion": "maximal", "prior": 2.0},
            "under the likelihood alone, with as many edges as there is room for.",
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
            "gamma = 0.25 (1 edge required, at most 2 edges, each with a gain of at least 0.01 nats per row, width of "
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
        ("drop", "from 55 rows; rows with a missing cell, if any, were left out."),
        ("minus", "from 60 rows; missing cells, if any, were read as -1."),
    ],
)
def test_what_became_of_missing_cells_is_said(missing, said):
    some = X.copy()
    some[:5, 2] = None
    assert said in methods(PlanarIsing(missing=missing, graph=[(0, 1)]).fit(as_spin_table(some)).learned_)


def test_weights_of_a_survey_and_clusters_are_said():
    fit = PlanarIsing(weight_kind="survey", graph=[(0, 1)])
    assert "from 60 rows with weights of a survey (effective number 54.0)." in methods(
        fit.fit(as_spin_table(X), sample_weight=np.tile([1.0, 2.0], 30)).learned_
    )
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
