"""What notebooks show: a small map and a table, without scripts."""

from dataclasses import replace
from xml.etree import ElementTree as xml

import numpy as np
import pandas as pd
import pytest

from hostile_names import NAMES
from isingmap import IsingModel, PlanarIsing


def chain(n, names=None):
    return IsingModel([[k, k + 1] for k in range(n - 1)], np.linspace(0.1, 0.9, n - 1), names=names)


def test_names_are_text_and_no_script_is_there():
    page = xml.fromstring(chain(len(NAMES), list(NAMES))._repr_html_())
    tags = {element.tag.rpartition("}")[2] for element in page.iter()}
    assert tags <= {
        "div",
        "p",
        "b",
        "svg",
        "line",
        "g",
        "circle",
        "path",
        "text",
        "table",
        "thead",
        "tbody",
        "tr",
        "th",
        "td",
    }
    assert not any(name.startswith("on") or name == "id" for element in page.iter() for name in element.attrib)
    assert [element.text for element in page.iter() if element.tag.endswith("text")][-1] == "plain"


@pytest.mark.parametrize("n", [1, 2, 60, 61, 1000])
def test_small_at_every_size(n):
    model = chain(n, [f"a long name of a variable, number {k}" for k in range(n)])
    shown = model._repr_html_()
    assert len(shown.encode()) < 60_000
    assert shown.count("<line") == (n - 1 if n <= 60 else 0)
    assert shown.count("<tr>") == (1 + min(n - 1, 20) if n > 1 else 0)
    assert ("report.html" in shown) == (n > 60) and ("weaker edge" in shown) == (n > 21)


def test_the_strongest_edge_comes_first():
    rows = [[cell.text for cell in row] for row in xml.fromstring(chain(5)._repr_html_()).iter("tr")]
    assert rows[1][2] == "+0.900" and len(rows[1]) == 3


def test_a_fit_shows_what_its_record_shows_and_a_new_estimator_its_text():
    rows = pd.DataFrame(np.random.default_rng(1).integers(0, 2, (80, 3)), columns=["a", "b", "c"])
    fit = PlanarIsing(criterion="maximal", n_restarts=0)
    assert fit._repr_html_() is None
    assert fit.fit(rows)._repr_html_() == fit.learned_._repr_html_()
    assert "from 80 rows" in fit._repr_html_() and "standard error" in fit._repr_html_()
    assert fit.model_._repr_html_().count("<line") == fit._repr_html_().count("<line") == fit.model_.n_edges


def test_an_error_that_is_not_known_is_an_empty_cell():
    rows = np.random.default_rng(2).integers(0, 2, (80, 3))
    learned = PlanarIsing(graph=[(0, 1), (1, 2)]).fit(rows).learned_
    standard = np.where(np.arange(5) == 0, np.nan, learned.errors.standard)
    vars(learned)["errors"] = replace(learned.errors, standard=standard)
    cells = [[cell.text for cell in row] for row in xml.fromstring(learned._repr_html_()).iter("tr")]
    assert sorted(row[3] is None for row in cells[1:]) == [False, True]
