"""Helpers of the tests are importable as plain modules."""

import sys
from pathlib import Path

import pytest
from hypothesis import settings

sys.path.insert(0, str(Path(__file__).parent))

# The same examples in every run: what lands does not depend on luck.
settings.register_profile("repeatable", derandomize=True, deadline=None)
settings.load_profile("repeatable")


# Where a search is asked for something to report, keep or compare, and not for the best that there is.
FEW_RESTARTS = {"checking", "cli", "learning", "report", "uncertainty"}


@pytest.fixture(scope="module", autouse=True)
def few_restarts(request):
    """Two restarts in a row that must fail, instead of thirty, where a test says nothing of their number."""
    with pytest.MonkeyPatch.context() as patch:
        if request.path.parent.name in FEW_RESTARTS:
            patch.setattr("isingmap.structure.searches.forward_backward.default_restarts", lambda n_spins: 2)
        yield


@pytest.fixture(scope="module")
def determinants():
    """From here to the end of a module planar models go by determinants and matching, however small they are."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("isingmap.inference.planned_graph.MOST_SPINS_BEFORE_MATCHING", -1)
        patch.setattr("isingmap.inference.planned_graph.MOST_SPINS_BEFORE_DETERMINANTS", -1)
        yield
