"""Random models: the promised graphs, parameters in the promised ranges, and clear errors."""

import networkx as nx
import numpy as np
import pytest

from isingmap.datasets.random_models import (
    grid_model,
    outer_planar_model,
    paper_counterexample,
    paper_outer_planar_model,
    random_planar_model,
)
from isingmap.errors import ModelError
from isingmap.planar.embedding import is_planar


def seeded(seed=0):
    return np.random.default_rng(seed)


def graph_of(model):
    graph = nx.Graph()
    graph.add_nodes_from(range(model.n_spins))
    graph.add_edges_from(model.edges.tolist())
    return graph


def is_outer_planar(model):
    hub = [(i, model.n_spins) for i in range(model.n_spins)]
    return is_planar(model.n_spins + 1, np.vstack([model.edges, hub]))


MAKERS = {
    "grid": lambda rng, **kw: grid_model(4, 25, rng=rng, **kw),
    "outer-planar": lambda rng, **kw: outer_planar_model(150, rng=rng, **kw),
    "paper": lambda rng, **kw: paper_outer_planar_model(rng=rng, **kw),
    "planar": lambda rng, **kw: random_planar_model(80, rng=rng, **kw),
}


@pytest.mark.parametrize("name", MAKERS)
def test_couplings_fill_both_intervals(name):
    couplings = np.concatenate([MAKERS[name](seeded(s), low=0.2, high=0.6).couplings for s in range(20)])
    size = np.abs(couplings)
    assert size.min() >= 0.2
    assert size.max() <= 0.6
    assert np.histogram(size, bins=4, range=(0.2, 0.6))[0].min() > 0.2 * size.size
    assert (couplings > 0).mean() == pytest.approx(0.5, abs=0.1)


@pytest.mark.parametrize("name", ["outer-planar", "paper", "planar"])
def test_fields_fill_their_interval(name):
    fields = np.concatenate([MAKERS[name](seeded(s), field=0.3).fields for s in range(20)])
    assert np.abs(fields).max() <= 0.3
    assert np.histogram(fields, bins=4, range=(-0.3, 0.3))[0].min() > 0.15 * fields.size


@pytest.mark.parametrize("name", MAKERS)
def test_names_sort_like_numbers(name):
    names = list(MAKERS[name](seeded()).names)
    assert names == sorted(names)


@pytest.mark.parametrize("name", MAKERS)
def test_reproducible(name):
    first, again, other = (MAKERS[name](seeded(s)) for s in (3, 3, 4))
    np.testing.assert_array_equal(first.edges, again.edges)
    np.testing.assert_array_equal(first.couplings, again.couplings)
    np.testing.assert_array_equal(first.fields, again.fields)
    assert not np.array_equal(first.couplings, other.couplings)


@pytest.mark.parametrize(("n_rows", "n_columns"), [(1, 1), (1, 5), (7, 7), (3, 11)])
def test_grid(n_rows, n_columns):
    model = grid_model(n_rows, n_columns, rng=seeded())
    expected = nx.grid_2d_graph(n_rows, n_columns)
    found = nx.relabel_nodes(graph_of(model), dict(enumerate(sorted(expected))))
    assert nx.utils.graphs_equal(found, expected)
    assert not model.free_fields.any()


def test_grid_names():
    assert grid_model(2, 2, rng=seeded()).names == ("r1c1", "r1c2", "r2c1", "r2c2")
    assert grid_model(1, 10, rng=seeded()).names[-2:] == ("r1c09", "r1c10")


@pytest.mark.parametrize("n_spins", [3, 4, 5, 12, 60])
@pytest.mark.parametrize("density", [0.0, 0.5, 1.0])
def test_outer_planar(n_spins, density):
    model = outer_planar_model(n_spins, rng=seeded(n_spins), density=density)
    assert is_outer_planar(model)
    assert model.n_edges == n_spins + round(density * (n_spins - 3))
    cycle = {tuple(sorted((k, (k + 1) % n_spins))) for k in range(n_spins)}
    assert cycle <= set(map(tuple, model.edges.tolist()))
    assert model.free_fields.all()
    assert np.isfinite(model.log_partition())


def test_every_chord_and_every_shape_can_occur():
    """A hexagon has 9 chords and 14 triangulations."""
    models = [outer_planar_model(6, rng=seeded(s), density=1.0) for s in range(300)]
    shapes = {frozenset(map(tuple, model.edges.tolist())) for model in models}
    assert len(shapes) == 14
    assert len(frozenset.union(*shapes)) == 6 + 9


def test_outer_planar_without_fields_is_zero_field():
    assert not outer_planar_model(8, rng=seeded(), field=0).free_fields.any()


def test_paper_outer_planar_graph():
    model = paper_outer_planar_model(rng=seeded())
    assert (model.n_spins, model.n_edges) == (12, 21)  # 2n - 3: no chord can be added
    assert is_outer_planar(model)
    degree = dict(graph_of(model).degree)
    assert [degree[k - 1] for k in (1, 4, 6, 9, 11, 2, 7, 10, 12)] == [5, 4, 5, 4, 7, 2, 2, 2, 2]
    assert ("x04", "x11") in model.edge_names


@pytest.mark.parametrize("n_spins", [1, 2, 3, 4, 30, 300])
@pytest.mark.parametrize("density", [0.0, 0.7, 1.0])
def test_random_planar(n_spins, density):
    model = random_planar_model(n_spins, rng=seeded(n_spins), density=density)
    full = random_planar_model(n_spins, rng=seeded(n_spins), density=1.0)
    assert model.n_spins == n_spins
    assert is_planar(n_spins, model.edges)
    assert model.n_edges == round(density * full.n_edges)
    assert nx.is_connected(graph_of(full))
    if n_spins >= 30:
        assert full.n_edges > 2.6 * n_spins


def test_counterexample_is_the_paper_s():
    model = paper_counterexample()
    couplings = {"".join(pair): c for pair, c in zip(model.edge_names, model.couplings, strict=True)}
    weak = {"bc": 0.1, "cd": 0.1, "bd": 0.1}
    assert couplings == weak | dict.fromkeys(["ab", "ac", "ad", "be", "ce", "de"], 1.0)
    moments = np.triu(model.correlations(), 1)
    assert np.unravel_index(moments.argmax(), moments.shape) == (0, 4)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: grid_model(0, 3, rng=seeded()), "n_rows must be at least 1, got 0"),
        (lambda: grid_model(3, 2.0, rng=seeded()), "n_columns must be a whole number, got 2.0"),
        (lambda: outer_planar_model(2, rng=seeded()), "n_spins must be at least 3, got 2"),
        (lambda: random_planar_model(0, rng=seeded()), "n_spins must be at least 1, got 0"),
        (lambda: random_planar_model("9", rng=seeded()), "n_spins must be a whole number, got '9'"),
        (lambda: random_planar_model(5, rng=seeded(), density=1.2), "density is a share .* got 1.2"),
        (lambda: outer_planar_model(5, rng=seeded(), density=np.nan), "density is a share .* got nan"),
        (lambda: grid_model(2, 2, rng=seeded(), low=0.5, high=0.1), "0 <= low <= high"),
        (lambda: grid_model(2, 2, rng=seeded(), low=-0.5), "0 <= low <= high"),
        (lambda: grid_model(2, 2, rng=seeded(), high=np.inf), "both finite"),
        (lambda: outer_planar_model(5, rng=seeded(), field=-1), "field is the largest .* got -1"),
    ],
)
def test_errors_name_the_argument(make, message):
    with pytest.raises(ModelError, match=message):
        make()


@pytest.mark.parametrize("name", MAKERS)
def test_a_seed_is_its_generator_and_a_text_is_refused(name):
    np.testing.assert_array_equal(MAKERS[name](7).couplings, MAKERS[name](seeded(7)).couplings)
    with pytest.raises(ModelError, match="rng must be a whole number of 0 or more, or a NumPy generator; got 'x'"):
        MAKERS[name]("x")
