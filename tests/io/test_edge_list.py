"""Edge lists: with and without header, spaces, fields beside, and what is refused."""

import pytest
from file_cases import assert_same, damaged, models, read_or_refuse, refused
from hypothesis import HealthCheck, given, settings

from isingmap import IsingModel, PlanarIsing
from isingmap.errors import ModelError
from isingmap.io.edge_list import nodes_path, read_edge_list, write_edge_list

SLOW_FIXTURE = settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)


@SLOW_FIXTURE
@given(model=models())
def test_round_trip(tmp_path, model):
    write_edge_list(model, tmp_path / "edges.csv", tmp_path / "nodes.csv")
    assert_same(read_edge_list(tmp_path / "edges.csv", tmp_path / "nodes.csv").model, model)


@pytest.mark.parametrize(
    "content",
    [
        "source,target,coupling\n0,1,-0.5\n1,2,1e-3\n",
        "source;target;coupling;se\n0;1;-0.5;0.1\n1;2;0.001;\n",
        "i,j,J\n0,1,-0.5\n1,2,0.001\n",
        "Coupling,Source,Target\n-0.5,0,1\n0.001,1,2\n",
        "from\tto\tweight\n0\t1\t-0.5\n1\t2\t0.001\n",
        "0,1,-0.5\n1,2,.001\n",
        "0 1 -0.5\n1 2 0.001",
        "  0   1  -0.5 \n\n 1   2   0.001\n",
        "# i j J, ferromagnets are positive\n0 1 -0.5\n# the second row\n1 2 0.001\n",
        "# a comment\ni j J\n0 1 -0.5\n1 2 0.001\n",
        "1 2 0.001\n0 1 -0.5\n",
        "\ufeff0 1 -0.5\r\n1 2 0.001\r\n",
    ],
)
def test_files_of_others(write, content):
    model = read_edge_list(write(content)).model
    assert model.names == ("0", "1", "2")
    assert dict(zip(model.edge_names, model.couplings.tolist(), strict=True)) == {
        ("0", "1"): -0.5,
        ("1", "2"): 0.001,
    }


def test_numbers_are_sorted_and_words_are_not(write):
    assert read_edge_list(write("10 9 1\n9 2 1")).model.names == ("2", "9", "10")
    assert read_edge_list(write("b,a,1\na,10,1")).model.names == ("b", "a", "10")


def test_one_edge_and_quoted_labels(write):
    model = read_edge_list(write('"Ann B" "Bob C" 2.5')).model
    assert model.names == ("Ann B", "Bob C") and model.couplings.tolist() == [2.5]


def test_sign_of_energies(write):
    edges, nodes = write("a b 1.5\n"), write("name,field\nb,\na,0.25\nc,0\n", "nodes.csv")
    model = read_edge_list(edges, nodes, sign=-1).model
    assert model.names == ("b", "a", "c") and model.couplings.tolist() == [-1.5]
    assert model.fields.tolist() == [0.0, -0.25, 0.0]
    # E = sum J s s + sum h s in the file's letters: the lowest energy has the largest log weight.
    assert model.log_weight([[1, -1, 1]])[0] == 1.5 + 0.25
    with pytest.raises(ModelError, match="sign must be 1 or -1"):
        read_edge_list(edges, sign=2)


def test_files_of_a_fit_read_back_to_the_same_model(tmp_path, run_fit):
    folder, model = run_fit
    back = read_edge_list(folder / "edges.csv", folder / "nodes.csv").model
    assert_same(back, model)
    assert nodes_path(folder / "edges.csv") == folder / "nodes.csv"


@pytest.fixture
def run_fit(tmp_path):
    import numpy as np

    from isingmap.report.results import write_results

    rng = np.random.default_rng(0)
    x = rng.choice([-1, 1], (300, 4))
    x[:, 1] = np.where(rng.random(300) < 0.8, x[:, 0], x[:, 1])
    x[:, 2] = np.where(rng.random(300) < 0.5, 1, x[:, 2])
    names = ["=1+1", "a,b", "NA", "alone"]
    import pandas as pd

    estimator = PlanarIsing().fit(pd.DataFrame(x, columns=names))
    write_results(estimator.learned_, tmp_path / "map")
    return tmp_path / "map", estimator.model_


def test_nothing_is_lost_in_silence(tmp_path):
    for model in (IsingModel([(0, 1)], [1.0], [0.5, 0]), IsingModel([(0, 1)], [1.0], n_spins=3)):
        with pytest.raises(ModelError, match="fields or isolated spins"):
            write_edge_list(model, tmp_path / "edges.csv")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("name", [" a", "a\n", "", "a\0b", "\ud800"])
def test_names_that_would_not_survive(tmp_path, name):
    with pytest.raises(ModelError, match="rename"):
        write_edge_list(IsingModel([(0, 1)], [1.0], names=[name, "b"]), tmp_path / "edges.csv")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("a,b,1\nb,a,2\n", "line 2 gives the edge 'b' - 'a' again .first in line 1"),
        ("a,b,1\nc,c,2\n", "line 2 joins 'c' to itself"),
        ("source,target,coupling\na,b,x\n", "line 2: the coupling must be a finite number, got 'x'"),
        ("source,target,coupling\na,b,nan\n", "got 'nan'"),
        ("a,b,1e999\n", "is no edge"),
        ("a,b,1\na,c,1e999\n", "line 2: the coupling"),
        ("left,right,value\na,b,1\n", "line 1 .'left', 'right', 'value'. is no edge; expected a header"),
        ("source,target,coupling\n", "at least one spin"),
        ("source,target,coupling\na,,1\n", "line 2: an end of the edge has no name"),
        ("a,b,1\na,c\n", "line 2 has 2 fields, expected 3"),
        ("3 2\n1 2 1\n2 3 -1\n", "line 1, '3 2', holds counts"),
        ("# nothing\n", "no edge"),
        ("", "no rows"),
        ('a,"b,1\n', "line 1: a quote opens in this line and is not closed"),
    ],
)
def test_refused(write, tmp_path, content, message):
    with refused(message, tmp_path, "table.csv"):
        read_edge_list(write(content))


@pytest.mark.parametrize(
    ("nodes", "message"),
    [
        ("name,field\na,1\n", "table.csv: line 1: 'b' is not among the names in .*nodes.csv"),
        ("name,field\na,1\na,2\nb,1\n", "nodes.csv: line 3: the name 'a' is given twice"),
        ("name,field\na,inf\nb,1\n", "line 2: the field must be a finite number or empty, got 'inf'"),
        ("name,value\na,1\n", "no column field"),
        ("name,field\n", "no node"),
    ],
)
def test_refused_nodes(write, tmp_path, nodes, message):
    edges = write("a,b,1\n")
    with refused(message, tmp_path, "nodes.csv"):
        read_edge_list(edges, write(nodes, "nodes.csv"))


@SLOW_FIXTURE
@given(content=damaged("source,target,coupling\na,b,1.5\nb,c,-2\n"))
def test_hostile_files(tmp_path, content):
    read_or_refuse(read_edge_list, tmp_path / "hostile.csv", content)
