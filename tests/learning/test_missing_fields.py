"""An edge that stands in place of a field is told, by name, in every family."""

import numpy as np
import pytest

from isingmap import PlanarIsing
from isingmap.errors import FitWarning
from isingmap.report.summary import fit_summary

pytestmark = pytest.mark.filterwarnings("ignore")


def rare_columns():
    """Fifty columns that have nothing to do with each other, +1 in 2 to 20 % of 200 rows."""
    rng = np.random.default_rng(88)
    rows = (rng.random((200, 50)) < rng.uniform(0.02, 0.2, 50)).astype(int)
    return rows[:, rows.sum(axis=0) > 0]


def about_fields(learned):
    return [text for text in learned.warnings if "no field although" in text]


def test_false_edges_in_place_of_fields_are_told_with_the_remedy():
    fit = PlanarIsing(family="partial", gamma=1.0, n_restarts=0).fit(rare_columns())
    (text,) = about_fields(fit.learned_)
    lacking = np.flatnonzero(~fit.model_.free_fields)
    assert text.startswith(f"{lacking.size} columns with edges have no field") and lacking.size == 6
    assert "x20 (+1 in 19.5 % of the rows; edge to x19)" in text
    assert "6 edges join columns that look independent in the data (x4 - x17, " in text
    assert " ".join(text.split()[:8]) in " ".join(fit_summary(fit.learned_).split())
    remedy = PlanarIsing(family="planar", gamma=1.0, n_restarts=0).fit(rare_columns())
    assert about_fields(remedy.learned_) == [] and remedy.model_.n_edges == 0


def test_one_column_in_the_singular():
    rng = np.random.default_rng(0)
    rows = np.where(rng.random((300, 3)) < 0.5, 1, -1)
    rows[:, 2] = np.where(rng.random(300) < 0.04, -1, 1)
    with pytest.warns(FitWarning, match="1 column with edges has no field although it is far from half and half: x3"):
        PlanarIsing(family="zero-field", required_edges=[(1, 2)]).fit(rows)


def test_nothing_is_said_of_related_columns_that_lean_a_little():
    rng = np.random.default_rng(1)
    first = np.where(rng.random(2000) < 0.6, 1, -1)
    second = np.where(rng.random(2000) < 0.9, first, -first)
    fit = PlanarIsing(family="zero-field").fit(np.stack([first, second], axis=1))
    assert fit.model_.n_edges == 1 and about_fields(fit.learned_) == []
