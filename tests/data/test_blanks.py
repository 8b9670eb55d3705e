"""White space at the ends of names and labels is left out on every way in, and never unseen."""

import warnings

import numpy as np
import pytest

from isingmap import PlanarIsing, as_spin_table
from isingmap.data.accumulator import MomentAccumulator
from isingmap.data.moments import moments_from_matrix
from isingmap.errors import DataError, DataWarning
from isingmap.io.csv_table import read_row_labels, read_table
from isingmap.io.long_table import read_long_table

ROWS = [[0, 1, 1], [1, 0, 1], [1, 1, 0], [0, 0, 1]]
NAMES = ["a", "b ", "c"]


def frame(names=NAMES):
    pd = pytest.importorskip("pandas")
    return pd.DataFrame(ROWS, columns=names)


def csv_file(folder, names=NAMES):
    path = folder / "answers.csv"
    path.write_text("\n".join(",".join(map(str, row)) for row in [names, *ROWS]) + "\n")
    return path


def parquet_file(folder, names=NAMES):
    pa, parquet = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
    columns = [pa.array(column) for column in zip(*ROWS, strict=True)]
    parquet.write_table(pa.Table.from_arrays(columns, names=names), folder / "answers.parquet")
    return folder / "answers.parquet"


def transposed_file(folder, names):
    lines = ["who,r1,r2,r3,r4"]
    lines += [",".join([name, *map(str, column)]) for name, column in zip(names, zip(*ROWS, strict=True), strict=True)]
    path = folder / "transposed.csv"
    path.write_text("\n".join(lines) + "\n")
    return path


WAYS_IN = {
    "csv": lambda folder, names: read_table(csv_file(folder, names)),
    "parquet": lambda folder, names: read_table(parquet_file(folder, names)),
    "pandas": lambda folder, names: as_spin_table(frame(names)),
    "names": lambda folder, names: as_spin_table(np.array(ROWS), names=names),
    "parts": lambda folder, names: MomentAccumulator().add(frame(names)).counted(),
    "moments": lambda folder, names: moments_from_matrix(np.eye(3), 10, names=names),
    "transposed": lambda folder, names: read_table(transposed_file(folder, names), transpose=True, id_column="who"),
}


@pytest.mark.parametrize("way", WAYS_IN)
def test_blanks_around_names_are_left_out_and_told(way, tmp_path):
    with pytest.warns(DataWarning, match=r"1 (column|row) has blanks around the name, which are left out: 'b '"):
        table = WAYS_IN[way](tmp_path, NAMES)
    assert table.names == ("a", "b", "c")


@pytest.mark.parametrize("way", WAYS_IN)
def test_names_that_differ_in_blanks_only_are_refused_by_name(way, tmp_path):
    with pytest.raises(DataError, match=r"differ only in the blanks around them: 'b' and 'b '\. .*rename"):
        WAYS_IN[way](tmp_path, ["b", "b ", "c"])


@pytest.mark.parametrize("way", WAYS_IN)
def test_names_without_blanks_around_them_are_nothing_to_tell(way, tmp_path):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert WAYS_IN[way](tmp_path, ["a", "b b", "c"]).names == ("a", "b b", "c")


def test_answers_in_the_first_line_are_no_names(tmp_path):
    path = tmp_path / "bare.csv"
    path.write_text("".join(f"{a} ,{b} ,{c} \n" for a, b, c in ROWS))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert read_table(path).names == ("x1", "x2", "x3")


def test_columns_are_found_under_the_name_with_its_blanks(tmp_path):
    pandas, path = pytest.importorskip("pandas"), csv_file(tmp_path)
    with pytest.warns(DataWarning, match="blanks"):
        assert read_table(path, drop_column="b ").names == ("a", "c")
        assert read_table(path, positive={"b ": 0}).codings[1].positive == "0"
        many = pandas.DataFrame(np.random.default_rng(0).integers(0, 2, (80, 3)), columns=NAMES)
        fit = PlanarIsing(graph=[("a", "b ")]).fit(many)
        assert PlanarIsing(family="partial", required_fields=["b "]).fit(many).model_.free_fields[1]
        assert len(fit.score_samples(frame()[["b ", "c", "a"]])) == len(ROWS)
    assert fit.model_.edge_names == [("a", "b")]


def test_clusters_that_differ_in_blanks_only_are_one_and_told(tmp_path):
    labels = ["p1", "p1 ", "p2", "p2"]
    with pytest.warns(DataWarning, match="clusters that differ only in the blanks around them .*: 'p1' and 'p1 '"):
        table = as_spin_table(np.array(ROWS), clusters=labels)
    path = tmp_path / "clusters.csv"
    path.write_text("who,a,b,c\n" + "".join(f"{w},{a},{b},{c}\n" for w, (a, b, c) in zip(labels, ROWS, strict=True)))
    with pytest.warns(DataWarning, match="clusters that differ only in the blanks"):
        read = read_table(path, cluster_column="who")
    assert table.clusters.tolist() == read.clusters.tolist() == [0, 0, 1, 1]


def test_groups_and_names_of_a_long_table_that_differ_in_blanks_only_are_told(tmp_path):
    path = tmp_path / "long.csv"
    path.write_text("row,item,value\n1,a,0\n1,b,1\n2,a ,1\n2,b,0\n3,a,1\n3,b,1\n")
    with pytest.warns(DataWarning, match=r"long.csv: names that differ only in the blanks .*: 'a' and 'a '"):
        assert read_long_table(path, "row,item ,value").names == ("a", "b")
    with pytest.warns(DataWarning, match=r"long.csv: labels of 'item' that differ only in the blanks"):
        assert set(read_row_labels(path, "item", setting="split_by")) == {"a", "b"}
