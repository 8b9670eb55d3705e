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
        f"{__version__}, which implements and extends the method of Johnson, Netrapalli and Chertkov (2011)."
    )


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ({"criterion": "ebic", "gamma": 0.5}, "under EBIC with gamma = 0.5."),
        (
            {"criterion": "maximal", "prior": 2.0},
            "under the likelihood alone, with as many edges as there is room for.",
        ),
        ({"criterion": "maximal", "prior": 2.0}, "estimates, under a prior of 2 pseudo-observations;"),
        ({"search": "tmfg"}, "The graph is the triangulated maximally filtered graph (TMFG) of the moments."),
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
