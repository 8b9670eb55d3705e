"""isingmap fit --long: one line for each cell."""

import numpy as np
import pandas as pd
import pytest

from isingmap import IsingModel, PlanarIsing
from isingmap.io.long_table import read_long_table


@pytest.fixture
def long(table, tmp_path):
    path = tmp_path / "long.csv"
    wide = pd.read_csv(table)
    wide.rename_axis("who").reset_index().melt("who", var_name="what", value_name="said").to_csv(path, index=False)
    return path


def test_a_long_table_gives_the_map_of_the_wide_one(run, table, long, tmp_path):
    code, out, _ = run("fit", long, "--long", "who,what,said", "-o", tmp_path / "m")
    assert code == 0 and "Long format: 400 rows, 4 variables, 0 cells" in out
    model, expected = IsingModel.load(tmp_path / "m" / "model.json"), PlanarIsing().fit(pd.read_csv(table)).model_
    np.testing.assert_array_equal(model.edges, expected.edges)
    np.testing.assert_array_equal(model.couplings, expected.couplings)


def test_cells_without_a_line_are_missing(tmp_path):
    (tmp_path / "x.csv").write_text("r,c,v\n1,a,0\n1,b,1\n2,a,1\n3,a,0\n3,b,0\n")
    table = read_long_table(tmp_path / "x.csv", ["r", "c", "v"])
    np.testing.assert_array_equal(table.spins, [[-1, 1], [1, 0], [-1, -1]])


@pytest.mark.parametrize(
    ("text", "columns", "said"),
    [
        ("r,c,v\n1,a,0\n1,b,1\n1,a,1\n", "r,c,v", "lines 2 and 4 are both about row '1' and column 'a'"),
        ("r,c,v\n1,a,0\n", "r,c", "ROW,COLUMN,VALUE"),
        ("r,c,v\n1,a,0\n", "r,c,w", "no column w"),
        ("r,c,v\n,a,0\n", "r,c,v", "line 2: no name in column 'r'"),
    ],
)
def test_what_is_no_long_table_is_refused(run, tmp_path, text, columns, said):
    (tmp_path / "x.csv").write_text(text)
    code, _, err = run("fit", tmp_path / "x.csv", "--long", columns, "-o", tmp_path / "m")
    assert code == 2 and said in err


def test_options_about_columns_are_refused(run, long, tmp_path):
    code, _, err = run("fit", long, "--long", "who,what,said", "--id-column", "who", "-o", tmp_path / "m")
    assert code == 2 and "--long and --id-column exclude each other" in err
