"""The sentences for a paper of a comparison, its references, and by what its data are known again."""

import numpy as np
import pytest

from isingmap import PlanarIsing, as_spin_table, compare
from isingmap.report.comparison_facts import comparison_facts

pytestmark = pytest.mark.filterwarnings("ignore::isingmap.errors.IsingMapWarning")

RNG = np.random.default_rng(0)
NAMES = ["a", "b", "c", "d"]
FIRST, SECOND = (RNG.choice(["no", "yes"], (n, 4)).astype(object) for n in (60, 50))
FIRST[:40, 1] = FIRST[:40, 0]
SECOND[:, 1] = SECOND[:, 0]
SECOND[:, 3] = "yes"
FIRST[:7, 2] = None


@pytest.fixture(scope="module")
def facts():
    tables = [as_spin_table(rows, names=NAMES, positive="yes") for rows in (FIRST, SECOND)]
    settings = PlanarIsing(missing="drop", constant="drop", search="greedy", random_state=5)
    found = compare(*tables, settings, labels=("men", "women"), n_permutations=9, sample_weight=(None, np.full(50, 2)))
    return found, {fact.label: fact for fact in comparison_facts(found)}


def test_groups_model_estimates_and_tests_are_said(facts):
    found, of = facts
    told = of["methods"].text
    for said in (
        "Two groups, men (53 rows; 7 further rows were left out, because a cell was missing) and women (100 "
        "observations, given as 50 rows with frequency weights), "
        "were compared by a pairwise Ising model of 3 binary variables, coded -1 "
        "(no) and +1 (yes), for each. 1 column was left out because of a single value (d). The model of men is planar",
        "The model of women is planar and has",
        "The graph was chosen by a greedy search under EBIC with gamma = 0.25.",
        "In women, 1 coupling or field that would pay but would be infinite is not in the model (a - b).",
        "maximum-likelihood estimates; all likelihoods were computed exactly, with isingmap",
        "In 9 permutations (seed 5) rows were dealt out to two groups of the same sizes, and both models learned anew",
    ):
        assert said in told
    assert found.maps[0].rows.treated.dropped_rows == 7


def test_references_versions_and_data_are_there(facts):
    found, of = facts
    assert [text.split(",")[0] for text in of["cite"].value] == ["Johnson", "The isingmap developers. isingmap: planar "
        "maps of binary data", "Foygel", "van Borkulo"]  # fmt: skip
    assert "numba" in of["libraries"].text
    assert of["data"].value == [learned.moments.digest for learned in found.maps]
    assert all(digest in of["data"].text for digest in of["data"].value)


def test_so_few_permutations_that_no_p_is_small_are_told(facts):
    assert facts[1]["permutations"].text.endswith("; so few that no p can get below 0.1")
