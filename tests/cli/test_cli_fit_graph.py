"""isingmap fit --graph: the exact fit on a graph that is given."""

import json

import numpy as np
import pandas as pd
import pytest

from isingmap import IsingModel, PlanarIsing
from isingmap.errors import DataError, ModelError
from isingmap.likelihood.fit import fit_couplings
from isingmap.report.results import result_names

PAIRS = [("a", "b"), ("b", "c"), ("a", "c"), ("c", "d")]


@pytest.fixture
def table(tmp_path):
    """Path of a table of four variables, tied so loosely that every graph has an estimate."""
    rng = np.random.default_rng(1)
    x = rng.integers(0, 2, (400, 4))
    for j in range(1, 4):
        x[:, j] = np.where(rng.random(400) < 0.5, x[:, j - 1], x[:, j])
    pd.DataFrame(x, columns=list("abcd")).to_csv(tmp_path / "table.csv", index=False)
    return tmp_path / "table.csv"


@pytest.fixture
def spins(table):
    return 2 * pd.read_csv(table) - 1


def expected(spins, edges, **options):
    names = list(spins.columns)
    numbers = [[names.index(one), names.index(other)] for one, other in edges]
    x = spins.to_numpy()
    return fit_couplings(numbers, x.T @ x / len(x), n_samples=len(x), names=names, **options).model


# What only some fits lead to, and what only resampled ones do.
ABSENT = {
    "blocked.csv",
    "missing.csv",
    "excluded.csv",
    "resamples.npz",
    "case_dropping.csv",
    "path.svg",
    "selection.csv",
} | {f"stability.{ending}" for ending in ("csv", "svg", "png")}


@pytest.mark.parametrize(
    "text",
    [
        "source,target\na,b\nb,c\nc,a\nc,d\n",
        "a b\nb c\na c\nc d\n",
        "Source;Target;Type\na;b;u\nb;c;u\na;c;u\nc;d;u\n",
        "source,target,coupling\na,b,-9\nb,c,1\na,c,0\nc,d,1\n",
        ",a,b,c,d\na,0,1,1,0\nb,1,0,1,0\nc,1,1,0,1\nd,0,0,1,0\n",
    ],
)
def test_a_list_of_edges_is_fitted_with_a_field_on_every_variable(run, table, spins, tmp_path, text):
    (tmp_path / "graph.csv").write_text(text)
    code, out, err = run("fit", table, "--graph", tmp_path / "graph.csv", "-o", tmp_path / "m")
    out = " ".join(out.split())
    assert (code, err) == (0, "") and "none: the graph was given" in out and "The graph was given: 4 edges" in out
    assert ("The numbers in it" in out) == any(letter.isdigit() for letter in text)
    assert {path.name for path in (tmp_path / "m").iterdir()} == set(result_names()) - ABSENT
    model = IsingModel.load(tmp_path / "m" / "model.json")
    assert {frozenset(pair) for pair in model.edge_names} == {frozenset(pair) for pair in PAIRS}
    means = spins.mean().to_numpy()
    right = expected(spins, model.edge_names, magnetizations=means, fields_in_plane=False)
    np.testing.assert_allclose(model.couplings, right.couplings, rtol=0, atol=1e-9)
    np.testing.assert_allclose(model.fields, right.fields, rtol=0, atol=1e-9)


def test_without_fields(run, table, spins, tmp_path):
    (tmp_path / "graph.csv").write_text("source,target\na,b\nb,c\n")
    options = ("--graph", tmp_path / "graph.csv", "--family", "zero-field", "-o", tmp_path / "m")
    assert run("fit", table, *options)[0] == 0
    model = IsingModel.load(tmp_path / "m" / "model.json")
    np.testing.assert_allclose(model.couplings, expected(spins, PAIRS[:2]).couplings, rtol=0, atol=1e-9)
    assert not model.free_fields.any()


@pytest.mark.parametrize("family", ["planar", "partial", "zero-field"])
@pytest.mark.parametrize("file", ["model.json", "model.graphml", "model.uai"])
def test_the_graph_of_a_map_leads_to_the_map_again(run, table, tmp_path, family, file):
    found = ("--family", family, "--quiet")
    wide = pd.read_csv(table)
    wide["rare"] = (np.arange(len(wide)) % 9 == 0).astype(int)
    wide.to_csv(table, index=False)
    assert run("fit", table, *found, "-o", tmp_path / "m")[0] == 0
    graph = tmp_path / "m" / file
    if file != "model.json":
        assert run("convert", tmp_path / "m" / "model.json", graph)[0] == 0
    assert run("fit", table, *found, "--graph", graph, "-o", tmp_path / "again")[0] == 0
    first, again = (IsingModel.load(tmp_path / name / "model.json") for name in ("m", "again"))
    couplings = [dict(zip(model.edge_names, model.couplings, strict=True)) for model in (first, again)]
    assert couplings[0] == pytest.approx(couplings[1], abs=1e-7)
    np.testing.assert_array_equal(first.free_fields, again.free_fields)
    np.testing.assert_allclose(first.fields, again.fields, rtol=0, atol=1e-7)


def test_a_matrix_of_moments_on_a_given_graph(run, spins, tmp_path):
    (spins.T @ spins / len(spins)).to_csv(tmp_path / "moments.csv", float_format="%.17g")
    (tmp_path / "graph.csv").write_text("a,b\nb,c\n")
    options = ("--moments", "--n-samples", len(spins), "--family", "zero-field", "--graph", tmp_path / "graph.csv")
    code, out, _ = run("fit", tmp_path / "moments.csv", *options, "-o", tmp_path / "m")
    assert code == 0 and "The graph was given: 2 edges" in out
    model = IsingModel.load(tmp_path / "m" / "model.json")
    np.testing.assert_allclose(model.couplings, expected(spins, PAIRS[:2]).couplings, rtol=0, atol=1e-9)


@pytest.mark.parametrize(
    ("graph", "options", "said"),
    [
        ("a,b\nb,zz\nyy,a\n", (), "2 variables that the table does not have: 'zz', 'yy'; its columns are a, b, c, d."),
        ("a,b\n", ("--criterion", "bic"), "a given graph (--graph) does not use --criterion bic; leave it out"),
        ("a,b\n", ("--n-edges", "3", "--search", "tmfg", "--restarts", "2"), "--search tmfg, --n-edges 3, --restarts"),
        ("a,b\nb,a\n", (), "again (first in line 1)"),
        ("a,b\nb,b\n", (), "joins 'b' to itself"),
        ("a,b\na,c\na,d\na,e\nb,c\nb,d\nb,e\nc,d\nc,e\nd,e\n", (), "the graph is not planar"),
    ],
)
def test_what_does_not_fit_together_is_refused_by_name(run, table, pairs, tmp_path, graph, options, said):
    (tmp_path / "graph.csv").write_text(graph)
    table.write_text(pairs(["a", "b", "c", "d", "e"] if "e" in graph else ["a", "b", "c", "d"]))
    code, _, err = run("fit", table, "--graph", tmp_path / "graph.csv", *options, "-o", tmp_path / "m")
    assert code == 2 and said in " ".join(err.split())


def test_edges_of_a_column_that_was_left_out_are_named():
    x = np.random.default_rng(0).choice([-1, 1], (200, 4))
    x[:, 1] = 1
    names = ["a", "b", "c", "d"]
    frame = pd.DataFrame(x, columns=names)
    with pytest.raises(DataError, match="'b' was left out for having a single value, but graph= needs it"):
        PlanarIsing(graph=[("a", "b")], constant="drop").fit(frame)
    # Numbers are those of the data, not of what is left of them.
    for setting in ("graph", "required_edges"):
        model = PlanarIsing(**{setting: [(2, 3)]}, constant="drop").fit(frame).model_
        assert ("c", "d") in model.edge_names


def test_fields_of_the_family_partial_are_given_like_edges():
    x = np.random.default_rng(0).choice([-1, 1], (200, 3), p=[0.45, 0.55])
    for graph in ([("x1", "x2"), ("x3", "(field)")], [(0, 1), (2, 3)]):
        model = PlanarIsing(family="partial", graph=graph).fit(x).model_
        assert model.free_fields.tolist() == [False, False, True] and model.n_edges == 1
    with pytest.raises(ModelError, match="graph: the model has no variable 'x9'"):
        PlanarIsing(graph=[("x1", "x9")]).fit(x)


def test_many_edges_are_not_written_out_in_the_summary(run, tmp_path, pairs):
    names = [f"v{k}" for k in range(30)]
    (tmp_path / "t.csv").write_text(pairs(names))
    (tmp_path / "g.txt").write_text("\n".join(f"v{k} v{k + 1}" for k in range(29)))
    code, out, _ = run("fit", tmp_path / "t.csv", "--graph", tmp_path / "g.txt", "-o", tmp_path / "m")
    assert code == 0 and "graph=... (29 pairs; edges.csv has them)" in " ".join(out.split())
    settings = json.loads((tmp_path / "m" / "model.json").read_text())["fit"]["settings"]
    assert "29 pairs" in settings


def test_a_given_graph_has_one_family(run, table, tmp_path):
    (tmp_path / "graph.txt").write_text("a b\nb c\n")
    code, _, err = run("fit", table, "--graph", tmp_path / "graph.txt", "--family", "auto", "-o", tmp_path / "map")
    assert code == 2 and "give --family planar" in err
