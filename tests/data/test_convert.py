"""Arrays and frames to spin tables, and the table itself."""

import subprocess
import sys
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pandas as pd
import polars as pl
import pytest

from isingmap.data.convert import as_spin_table
from isingmap.data.moments import moments_from_matrix
from isingmap.data.table import Coding, SpinTable
from isingmap.errors import DataError, DataWarning

CODING = Coding("-1", "1")


def table_of(spins, **options):
    spins = np.asarray(spins)
    n = spins.shape[1]
    return SpinTable(spins, tuple("abcdefghij"[:n]), (CODING,) * n, **options)


@pytest.mark.parametrize("frame", [pd.DataFrame, pl.DataFrame])
def test_frames(frame):
    columns = {"NA": [True, False, None], "None": ["yes", "no", "yes"], "w": [1.0, 0.0, float("nan")]}
    table = as_spin_table(frame(columns))
    assert table.names == ("NA", "None", "w")
    assert table.spins.tolist() == [[1, 1, 1], [-1, -1, -1], [0, 1, 0]]


def test_pandas_types():
    frame = pd.DataFrame({"i": pd.array([1, 0, None], dtype="Int64"), "c": pd.Categorical(["no", "yes", None])})
    assert as_spin_table(frame).spins.tolist() == [[1, -1], [-1, 1], [0, 0]]


def test_frame_names_become_text_and_can_be_replaced():
    frame = pd.DataFrame([[1, 0], [0, 1]])
    assert as_spin_table(frame).names == ("0", "1")
    assert as_spin_table(frame, names=["p", "q"]).names == ("p", "q")


def test_extras_and_default_names():
    table = as_spin_table([[0, 1], [1, 0]], weights=[2, 3], groups=["D", "R"])
    assert table.names == ("x1", "x2") and table.groups == ("D", "R")
    assert table.weights.tolist() == [2.0, 3.0]


def test_a_spin_table_is_returned_as_it_is():
    table = table_of([[1, -1]])
    assert as_spin_table(table) is table
    weighted = as_spin_table(table, weights=[2.0])
    assert weighted.weights.tolist() == [2.0] and table.weights is None
    with pytest.raises(DataError, match="already coded"):
        as_spin_table(table, positive="1")
    with pytest.raises(DataError, match="already has weights"):
        as_spin_table(weighted, weights=[1.0])


@pytest.mark.parametrize(
    "X, message",
    [
        ([1, 0], "got 1 dimensions"),
        (np.zeros((2, 2, 2)), "got 3 dimensions"),
        (pd.Series([1, 0]), "got 1 dimensions"),
        (None, "got 0 dimensions"),
        (np.zeros((0, 3)), r"0 sample\(s\)"),
        (np.zeros((3, 0)), r"0 feature\(s\) \(shape=\(3, 0\)\) while a minimum of 1 is required"),
        (pd.DataFrame({"a": []}), r"0 sample\(s\)"),
        (pd.DataFrame([[1, 0]], columns=["a", "a"]), "used more than once: 'a'"),
        (pl.DataFrame({"a": [1]}).lazy(), "collect"),
        ([[1, 0], [1]], "different lengths"),
        (np.array([[1j]]), "complex"),
        (np.array([["2020-01-01"]], dtype="datetime64[D]"), "datetime"),
        (np.array([[1.0, 0.3], [0.3, 1.0]]), "fit_moments"),
        (pd.DataFrame([[1.0, 0.3], [0.3, 1.0]]), "fit_moments"),
    ],
)
def test_what_is_not_a_table(X, message):
    with pytest.raises(DataError, match=message):
        as_spin_table(X)


def test_sparse_is_refused_with_advice():
    from scipy.sparse import csr_matrix

    with pytest.raises(DataError, match="toarray"):
        as_spin_table(csr_matrix(np.eye(2)))


def test_a_square_binary_table_is_data():
    assert as_spin_table(np.array([[1.0, -1.0], [-1.0, 1.0]])).n_samples == 2


def test_input_is_not_changed_and_not_shared():
    X = np.array([[-1, 1], [1, -1]], dtype=np.int8)
    table = as_spin_table(X)
    direct = table_of(X)
    X[0, 0] = 1
    assert table.spins[0, 0] == direct.spins[0, 0] == -1
    assert X.flags.writeable
    with pytest.raises(ValueError, match="read-only"):
        table.spins[0, 0] = 1


@pytest.mark.parametrize(
    "options, message",
    [
        ({"names": ("a", "a")}, "used more than once: 'a'"),
        ({"names": ("a", " ")}, "non-empty text"),
        ({"names": ("a", 3)}, r"3 \(column 2\)"),
        ({"names": ("a",)}, "expected 2, got 1"),
        ({"groups": ("D",)}, "groups must be one per column"),
        ({"codings": (CODING,)}, "codings must be one per column"),
        ({"weights": [1.0, 2.0]}, "one number per row"),
        ({"weights": [-1.0]}, "row 1 has -1"),
        ({"weights": [np.nan]}, "row 1 has nan"),
        ({"weights": [0.0]}, "all weights are zero"),
        ({"weights": ["x"]}, "must be numbers"),
        ({"spins": np.array([[2, 1]])}, "must be -1"),
        ({"spins": np.array([1, 1])}, "got 1 dimensions"),
    ],
)
def test_invariants_of_the_table(options, message):
    valid = {"spins": np.array([[1, -1]]), "names": ("a", "b"), "codings": (CODING,) * 2}
    with pytest.raises(DataError, match=message):
        SpinTable(**{**valid, **options})


def test_select_keeps_names_with_values():
    table = table_of([[1, -1, 0], [1, 1, -1]], groups=("x", "y", "z"), weights=[1, 2])
    chosen = table.select(["c", 0])
    assert chosen.names == ("c", "a") and chosen.groups == ("z", "x")
    assert chosen.spins.tolist() == [[0, 1], [-1, 1]]
    assert chosen.weights.tolist() == [1, 2]
    for column in ("q", 3, -1):
        with pytest.raises(DataError, match="there is no column"):
            table.select([column])


def test_neither_pandas_nor_polars_is_imported():
    code = (
        "import sys, numpy as np\n"
        "from isingmap.data.convert import as_spin_table\n"
        "import isingmap.io.csv_table, isingmap.io.voteview\n"
        "as_spin_table(np.eye(2))\n"
        "print([m for m in ('pandas', 'polars', 'narwhals') if m in sys.modules])"
    )
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert out.stdout.strip() == "[]"


def test_a_table_that_is_nearly_a_matrix_of_moments():
    cells = np.array([[1.0, 0.3], [0.301, 1.0]])
    with pytest.raises(DataError, match="cannot be read as two values"):
        as_spin_table(cells)


@pytest.mark.parametrize("name", [None, float("nan"), " "])
def test_a_column_without_a_name_is_refused(name):
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame([[0, 1], [1, 0]], columns=pandas.Index([name, "b"], dtype=object))
    with pytest.raises(DataError, match=r"every variable needs a name that is a non-empty text; got .* \(column 1\)"):
        as_spin_table(frame)


def test_fractions_and_decimals_are_numbers():
    cells = np.array([[Fraction(1, 3), Decimal("1.50")], [Fraction(2), Decimal("0E+1")]], dtype=object)
    assert as_spin_table(cells, threshold=1).spins.tolist() == [[-1, 1], [1, -1]]
    ones = np.array([[Fraction(1), Decimal("0.0")], [Fraction(0), Decimal("1E+0")], [None, Decimal("NaN")]], object)
    assert as_spin_table(ones).spins.tolist() == [[1, -1], [-1, 1], [0, 0]]


def test_the_matrix_of_a_network_is_warned_of():
    ring = np.roll(np.eye(6, dtype=int), 1, axis=0)
    with pytest.warns(DataWarning, match="6 x 6, symmetric, with the same value all along the diagonal"):
        as_spin_table(ring + ring.T)
    as_spin_table(ring)


@pytest.mark.parametrize("name", ["(mean)", "(field)", " (field) "])
def test_names_that_mean_something_else_in_tables_of_results_are_refused(name):
    with pytest.raises(DataError, match=r"cannot be the name of a variable.* Rename the column"):
        as_spin_table(np.array([[0, 1], [1, 0]]), names=["a", name])
    with pytest.raises(DataError, match="cannot be the name of a variable"):
        moments_from_matrix(np.eye(2), 10, names=["a", name])


def test_a_dict_is_named_with_what_makes_a_table_of_it():
    columns = {"a": [0, 1, 1], "b": [1, 0, 1]}
    with pytest.raises(DataError, match="cannot read a dict as a table; .* pandas.DataFrame makes one of a dict"):
        as_spin_table(columns)
    assert as_spin_table(pd.DataFrame(columns)).names == ("a", "b")
