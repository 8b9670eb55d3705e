"""max_width: how wide for elimination a graph may become in the family "planar"."""

import itertools
import re

import networkx as nx
import numpy as np
import pytest

from bare_moments import learn_structure, problem_of
from isingmap import IsingModel, PlanarIsing
from isingmap.errors import FileFormatError, FitWarning, ModelError
from isingmap.inference.elimination import fielded_block
from isingmap.inference.elimination.clique_tree import width_of
from isingmap.structure import checkpoint
from isingmap.structure.edge_losses import edge_losses


def sample(n_rows=3000):
    """A 3 x 3 grid with fields, whose width is 3."""
    edges = [(3 * r + c, 3 * r + c + 1) for r in range(3) for c in range(2)]
    edges += [(3 * r + c, 3 * r + c + 3) for r in range(2) for c in range(3)]
    rng = np.random.default_rng(1)
    return IsingModel(edges, np.full(12, 0.5), rng.uniform(-0.5, 0.5, 9)).sample(n_rows, rng=1).astype(float)


def given(rows, **settings):
    settings = {"criterion": "bic", "n_restarts": 0, **settings}
    return {
        "moments": rows.T @ rows / len(rows),
        "n_samples": len(rows),
        "magnetizations": rows.mean(axis=0),
        **settings,
    }


def width(model):
    return width_of(model.n_spins, model.edges).width


def test_no_graph_is_wider_than_asked():
    rows = sample()
    free = learn_structure(**given(rows))
    assert width(free.model) == 3 and free.model.n_edges == 12
    for most in (1, 2, 3, 26):
        found = learn_structure(**given(rows, max_width=most))
        assert width(found.model) <= most and nx.check_planarity(nx.Graph(found.model.edges.tolist()))[0]
        assert any("too wide" in pair.reason for pair in found.excluded) == (most < 3)
        if most >= 3:
            assert found.model.couplings.tolist() == free.model.couplings.tolist()
        if most == 1:
            assert nx.is_forest(nx.Graph(found.model.edges.tolist())) and found.model.n_edges == 8


def test_the_advice_lets_the_pair_in():
    rows = sample()
    with pytest.warns(FitWarning, match="too wide.*A stricter criterion.*max_width=2 lets the first in") as heard:
        narrow = PlanarIsing(criterion="bic", max_width=1, n_restarts=0).fit(rows)
    text = next(str(w.message) for w in heard if "too wide" in str(w.message))
    advised = int(re.search(r"max_width=(\d+)", text)[1])
    pair = next(e for e in narrow.excluded_ if "too wide" in e.reason)
    wider = learn_structure(**given(rows, max_width=advised, required_edges=[(pair.source, pair.target)]))
    assert (pair.source, pair.target) in wider.model.edge_names


def test_more_than_the_default_where_it_is_asked_for(monkeypatch):
    monkeypatch.setattr(fielded_block, "MOST_ADDITIONS", 40.0)
    rows = sample()
    narrow, wide = learn_structure(**given(rows)), learn_structure(**given(rows, max_width=3))
    assert width(narrow.model) < width(wide.model) == 3
    problem, _ = problem_of(**{k: v for k, v in given(rows).items() if k not in ("criterion", "n_restarts")})
    assert (edge_losses(wide, problem.moments) > 0).all()


def test_tables_stay_within_the_memory(monkeypatch):
    rows = sample()
    monkeypatch.setattr("isingmap.inference.elimination.clique_tree.MOST_ENTRIES", 20)
    assert width(learn_structure(**given(rows, max_width=26)).model) < 3


@pytest.mark.parametrize("family", ["zero-field", "partial", "outer-planar"])
def test_other_families_need_no_limit(family):
    with pytest.raises(ModelError, match=f'max_width=3 goes with family="planar".*family="{family}" needs no limit'):
        learn_structure(**given(sample(100), family=family, max_width=3))


def test_the_open_family_keeps_it_for_the_one_that_eliminates():
    found = learn_structure(**given(sample(), family="auto", max_width=1))
    assert all(fit.was_fitted for fit in found.families) and found.families[3].n_edges == 8


@pytest.mark.parametrize("value", [0, 27, 2.5, "3"])
def test_values_that_are_none(value):
    with pytest.raises(ModelError, match="max_width must be a whole number from 1 to 26"):
        PlanarIsing(max_width=value).fit(sample(50))


def test_a_checkpoint_belongs_to_its_width(tmp_path, monkeypatch):
    monkeypatch.setattr(checkpoint, "SECONDS_BETWEEN_SAVES", 0.0)
    calls = itertools.count()

    def stop(done, room):
        if next(calls) == 3:
            raise KeyboardInterrupt

    file = tmp_path / "search"
    learn_structure(**given(sample(), max_width=2, checkpoint=file), progress=stop)
    with pytest.raises(FileFormatError, match="other data or with other options"):
        learn_structure(**given(sample(), max_width=3, checkpoint=file))
    whole, resumed = (learn_structure(**given(sample(), max_width=2, **more)) for more in ({}, {"checkpoint": file}))
    assert whole.model.couplings.tolist() == resumed.model.couplings.tolist()
