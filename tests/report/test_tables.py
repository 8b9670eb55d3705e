"""Rows of the tables of a learned map."""

import csv
from dataclasses import replace

import numpy as np
import pytest

from isingmap import IsingModel, PlanarIsing, as_spin_table
from isingmap.data.moments import empirical_moments
from isingmap.files.csv_file import write_csv
from isingmap.likelihood.fit import fit_couplings, standard_errors
from isingmap.report import tables
from isingmap.structure.edge_losses import edge_losses
from isingmap.structure.fixed_graphs.fit_graph import fit_graph
from isingmap.structure.problem import Problem


def chain(n_rows=500, seed=1):
    """a - b - c with -1/+1 labels, and a lopsided d that goes with nobody."""
    rng = np.random.default_rng(seed)
    x = rng.choice([-1, 1], (n_rows, 4))
    x[:, 1] = np.where(rng.random(n_rows) < 0.8, x[:, 0], -x[:, 0])
    x[:, 2] = np.where(rng.random(n_rows) < 0.7, -x[:, 1], x[:, 1])
    x[:, 3] = np.where(rng.random(n_rows) < 0.9, 1, -1)
    return x


@pytest.fixture(scope="module")
def fitted():
    return PlanarIsing(family="partial").fit(as_spin_table(chain(), names=["a", "b", "c", "d"]))


def as_dicts(columns, rows):
    return [dict(zip(columns, row, strict=True)) for row in rows]


def test_edges(fitted):
    rows = as_dicts(tables.EDGE_COLUMNS, tables.edge_rows(fitted.learned_))
    assert [(row["source"], row["target"]) for row in rows[:2]] == [("a", "b"), ("b", "c")]
    x = chain()
    for row in rows:
        i, j = "abcd".index(row["source"]), "abcd".index(row["target"])
        assert row["empirical"] == pytest.approx((x[:, i] * x[:, j]).mean(), abs=1e-14)
        assert row["correlation"] == pytest.approx(row["empirical"], abs=1e-8)
        assert row["lower"] < row["coupling"] < row["upper"]
        kept = np.arange(fitted.model_.n_edges) != rows.index(row)
        without = fit_couplings(
            fitted.model_.edges[kept],
            fitted.moments_.moments,
            magnetizations=fitted.moments_.magnetizations,
            free_fields=fitted.model_.free_fields,
            n_samples=len(x),
        )
        assert row["loss"] == pytest.approx(fitted.log_likelihood_ - without.log_likelihood, abs=1e-6)
        assert row["loss"] > 1


def test_standard_error_of_a_single_pair_has_a_closed_form():
    model = IsingModel([(0, 1)], [0.4])
    moment = np.tanh(0.4)
    np.testing.assert_allclose(standard_errors(model, 250.0), [1 / np.sqrt(250 * (1 - moment**2))], rtol=1e-12, atol=0)


def test_standard_errors_cover_the_truth():
    """Of 200 samples from a known pair about 95 % of the intervals hold the coupling."""
    rng = np.random.default_rng(0)
    hits = 0
    for _ in range(200):
        agree = rng.random(400) < 1 / (1 + np.exp(-2 * 0.5))
        first = rng.choice([-1, 1], 400)
        fit = PlanarIsing(family="zero-field", search="greedy").fit(
            np.stack([first, np.where(agree, first, -first)], axis=1)
        )
        row = as_dicts(tables.EDGE_COLUMNS, tables.edge_rows(fit.learned_))[0]
        hits += row["lower"] < 0.5 < row["upper"]
    assert 180 <= hits <= 199


def test_standard_error_is_nan_where_precision_ends():
    assert np.isnan(standard_errors(_Singular(), 10.0)).all()


class _Singular:
    n_parameters = 2

    def hessian(self):
        return np.ones((2, 2))


def test_nodes(fitted):
    rows = as_dicts(tables.NODE_COLUMNS, tables.node_rows(fitted.learned_.described(groups=["x", "x", "y", ""])))
    assert [row["name"] for row in rows] == ["a", "b", "c", "d"]
    assert [row["degree"] for row in rows] == np.bincount(fitted.edges_.ravel(), minlength=4).tolist()
    assert [row["group"] for row in rows] == ["x", "x", "y", ""]
    assert rows[3]["mean"] == pytest.approx(chain()[:, 3].mean()) == pytest.approx(rows[3]["model_mean"])
    assert rows[3]["field_se"] > 0 and rows[3]["field"] > 0
    assert (rows[0]["negative_label"], rows[0]["positive_label"]) == ("-1", "1")
    without = [row for row, free in zip(rows, fitted.model_.free_fields, strict=True) if not free]
    assert without and all(row["field"] == 0 and np.isnan(row["field_se"]) for row in without)


def test_nodes_of_given_moments_have_no_mean():
    fit = PlanarIsing(family="zero-field").fit_moments(np.array([[1, 0.5], [0.5, 1]]), 100)
    assert [row["mean"] for row in as_dicts(tables.NODE_COLUMNS, tables.node_rows(fit.learned_))] == [None, None]


def test_path(fitted):
    rows = as_dicts(tables.PATH_COLUMNS, tables.path_rows(fitted.result_))
    assert [row["step"] for row in rows] == list(range(len(fitted.path_)))
    assert rows[0]["source"] == "" and np.isnan(rows[0]["gain"])
    assert rows[-1]["bic"] == fitted.result_.bic and rows[-1]["n_parameters"] == fitted.model_.n_parameters


def test_starting_edges_have_step_0_and_no_gain():
    fit = PlanarIsing(family="zero-field", required_edges=[(0, 2)]).fit(chain()[:, :3])
    row = as_dicts(tables.EDGE_COLUMNS, tables.edge_rows(fit.learned_))[0]
    assert (row["source"], row["target"]) == ("x1", "x3") and row["step"] in (0, None)


def test_steps_are_told_where_an_edge_has_one():
    """Restarts take edges out and put them in again; a graph that is drawn at once has no steps."""
    data = as_spin_table(chain()[:, :3], names=["c", "b", "a"])
    greedy = PlanarIsing(family="zero-field", search="greedy").fit(data)
    rows = as_dicts(tables.EDGE_COLUMNS, tables.edge_rows(greedy.learned_))
    found = {row["step"]: (row["source"], row["target"]) for row in rows}
    path = as_dicts(tables.PATH_COLUMNS, tables.path_rows(greedy.result_))
    assert found == {row["step"]: (row["source"], row["target"]) for row in path[1:]} == {1: ("c", "b"), 2: ("b", "a")}
    tree = PlanarIsing(family="zero-field", search="chow-liu").fit(data)
    noise = np.random.default_rng(0).choice([-1, 1], (300, 8))
    back_and_forth = PlanarIsing(family="zero-field", criterion="maximal", n_restarts=12).fit(noise)
    assert "remove" in back_and_forth.path_.action
    for fit in (tree, back_and_forth):
        rows = as_dicts(tables.EDGE_COLUMNS, tables.edge_rows(fit.learned_))
        assert [row["step"] for row in rows] == [None] * len(rows)


@pytest.mark.parametrize("prior", [None, 3.0])
def test_losses_of_several_blocks(prior):
    """A bridge, a cycle and a field; names in another order than the columns."""
    x = np.vstack([chain(), chain(seed=5)])
    x = np.column_stack([x, np.where(np.random.default_rng(3).random(1000) < 0.7, x[:, 0] * x[:, 2], x[:, 1])])
    edges = [(0, 1), (1, 2), (0, 2), (2, 4), (0, 5)]  # node 5 carries the fields
    problem = Problem(empirical_moments(as_spin_table(x, names=list("zyxwv"))), family="partial", prior=prior)
    losses = edge_losses(result := fit_graph(edges, problem), problem.moments)
    assert losses.shape == (4,)
    for k in range(4):
        rest = fit_graph([edge for m, edge in enumerate(edges) if m != k], problem)
        lost = result.log_likelihood - rest.log_likelihood
        if prior is not None:  # pseudo-observations have no moments, so what they lose is that of log Z
            lost += prior * (rest.model.log_partition() - result.model.log_partition())
        assert losses[k] == pytest.approx(lost, abs=1e-6)


def test_rows_behind_each_edge():
    x = chain()[:, :3].astype(float)
    x[:100, 0] = np.nan
    fit = PlanarIsing(family="zero-field", missing="pairwise").fit(x)
    rows = as_dicts(tables.EDGE_COLUMNS, tables.edge_rows(fit.learned_))
    assert all(row["rows"] == (400 if row["source"] == "x1" else 500) for row in rows) and len(rows) > 1
    complete = PlanarIsing(family="zero-field").fit(chain()[:, :3])
    assert {row["rows"] for row in as_dicts(tables.EDGE_COLUMNS, tables.edge_rows(complete.learned_))} == {500}


def test_losses_of_large_blocks_are_left_open(monkeypatch):
    monkeypatch.setattr("isingmap.structure.edge_losses.MOST_EDGES", 2)
    fit = PlanarIsing(family="zero-field", search="tmfg", prior=1.0).fit(chain()[:, :3])
    assert np.isnan(edge_losses(fit.result_, fit.moments_)).all()


def read(path):
    with open(path, encoding="utf-8", newline="") as stream:
        return list(csv.reader(stream))


def test_numbers_survive_to_the_last_digit(fitted, tmp_path):
    write_csv(tmp_path / "e.csv", tables.EDGE_COLUMNS, tables.edge_rows(fitted.learned_))
    found = [float(row[2]) for row in read(tmp_path / "e.csv")[1:]]
    assert found == fitted.couplings_.tolist()


def test_what_else_is_known_of_the_variables_is_in_the_nodes(tmp_path):
    rng = np.random.default_rng(0)
    table = replace(as_spin_table(rng.choice([-1, 1], (40, 3))), details={"icpsr": ("10", "20", "30 31")})
    learned = PlanarIsing(family="zero-field").fit(table).learned_
    rows = as_dicts(tables.node_columns(learned), tables.node_rows(learned))
    assert [row["icpsr"] for row in rows] == ["10", "20", "30 31"]
