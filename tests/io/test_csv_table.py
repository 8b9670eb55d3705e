"""Delimited files: formats, id, group and weight columns, and hostile input."""

import csv
import gzip
import io

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from isingmap.data.missing import apply_missing
from isingmap.data.moments import empirical_moments
from isingmap.data.table import Coding
from isingmap.errors import DataError, FileFormatError, IsingMapError
from isingmap.io.csv_table import read_table
from isingmap.io.node_groups import read_node_groups

PLAIN = "a,b\n0,1\n1,1\n1,0\n"
SPINS = [[-1, 1], [1, 1], [1, -1]]


@pytest.mark.parametrize(
    "content",
    [
        PLAIN,
        PLAIN.replace(",", ";"),
        PLAIN.replace(",", "\t"),
        PLAIN.replace("\n", "\r\n"),
        PLAIN.replace("\n", "\r"),
        PLAIN.strip(),
        "\ufeff" + PLAIN,
        PLAIN.encode("utf-16"),
        PLAIN.replace("\n", "\n\n") + "\n  \n",
        '"a","b"\n"0","1"\n1,"1"\n1, 0\n',
        gzip.compress(PLAIN.encode(), mtime=0),
        "a, b\n 0 ,1\n1,1\n1,0",
        "a,b,\n0,1,\n1,1,\n1,0,\n",
        "a|b\n0|1\n1|1\n1|0\n",
    ],
)
def test_formats(write, content):
    table = read_table(write(content))
    assert table.names == ("a", "b")
    assert table.spins.tolist() == SPINS


def test_separator_inside_quotes_and_given_separator(write):
    table = read_table(write('"x;y;z","b"\n0,1\n1,0\n'))
    assert table.names == ("x;y;z", "b")
    assert read_table(write("a b\n0 1\n1 0\n"), separator=" ").names == ("a", "b")


def test_latin1_is_read_and_noted(write):
    table = read_table(write("Müller,b\n0,1\n1,0\n".encode("latin-1")))
    assert table.names[0] == "Müller" and "Latin-1" in table.notes[0]


def test_a_file_without_header(write):
    table = read_table(write("1,1\n0,1\n1,0\n"))
    assert table.names == ("x1", "x2") and table.spins.tolist() == [[1, 1], [-1, 1], [1, -1]]
    assert read_table(write("0,1\n1,1\n1,0\n"), header_lines=0).spins.tolist() == SPINS
    assert "first row holds answers" in table.notes[0]


@pytest.mark.parametrize("header", ["NA,None", "1,2,3", "yes,1", "0,x"])
def test_headers_that_only_look_like_answers(write, header):
    names = tuple(header.split(","))
    rows = "\n".join(",".join(row) for row in (["0"] * len(names), ["1"] * len(names)))
    assert read_table(write(f"{header}\n{rows}\n")).names == names


@pytest.mark.parametrize("content", [",a,b\nr1,0,1\nr2,1,0\n", "a,b\nr1,0,1\nr2,1,0\n"])
def test_row_names_without_a_header_cell(write, content):
    table = read_table(write(content))
    assert table.names == ("a", "b") and table.spins.tolist() == [[-1, 1], [1, -1]]
    assert any("row names" in note for note in table.notes)


def test_id_group_and_weight_columns(write):
    content = "id,a,sex,b,w\np1,yes,m,no,2\np2,no,f,yes,0.5\n"
    table = read_table(write(content), id_column="id", group_column="sex", weight_column="w")
    assert table.names == ("a", "b") and table.weights.tolist() == [2, 0.5] and table.groups is None
    notes = " ".join(table.notes)
    assert "from a file with columns name and group" in notes and "ids: id" in notes and "weights of the rows" in notes


def test_transposed(write):
    content = "who,state,party,v1,v2,v3\nAnn,TX,R,1,0,\nBob,OH,D,0,0,1\n"
    table = read_table(write(content), id_column=["who", "state"], group_column="party", transpose=True)
    assert table.names == ("Ann", "Bob") and table.groups == ("R", "D")
    assert table.spins.tolist() == [[1, -1], [-1, -1], [0, 1]]
    bare = read_table(write(",v1,v2\nAnn,1,0\nBob,0,1\n"), transpose=True)
    assert bare.names == ("Ann", "Bob")


def test_positive_and_threshold_reach_the_coding(write):
    table = read_table(write("a\nlow\nhigh\n"), positive="high")
    assert table.codings == (Coding("low", "high"),)
    assert read_table(write("a,b\n0,3\n2,0\n"), threshold=1).spins.tolist() == [[-1, 1], [1, -1]]


@pytest.mark.parametrize(
    "content, options, message",
    [
        ("a,b\n0,1\n1\n0,1,1\n", {}, r"line 3 has 1 field, expected 2 as in the first row \(2 such lines\)"),
        ("a,b\n0,1\n\n1,2\n", {}, r"'b' .*'2'.* first in row 2 \(line 4\)"),
        ("a,b\n", {}, "header but no row"),
        ("", {}, "holds no rows"),
        (" \n\n", {}, "holds no rows"),
        ("a,a\n0,1\n1,0\n", {}, "used more than once: 'a'"),
        ("a,,b\n0,1,1\n1,0,0\n", {}, "no name to column 2"),
        ('a,b\n"0,1\n1,0\n', {}, "line 2: a quote opens in this line"),
        ("a b\n0 1\n1 0\n", {}, "use separator=' '"),
        (PLAIN, {"separator": ",,"}, "separator must be one character"),
        (PLAIN, {"id_column": "B"}, "no column 'B' .id_column=.; the columns are a, b"),
        ("party,b\n0,1\n", {"group_column": "prty"}, "did you mean 'party'"),
        (PLAIN, {"id_column": ["a", "b"]}, "no column is left"),
        ("a,w\n0,1\n1,x\n", {"weight_column": "w"}, r"row 2 \(line 3\) has 'x' \(1 such row\)"),
        ("a,w\n0,0\n1,0\n", {"weight_column": "w"}, "all weights are zero"),
        ("n,a\nA,1\nB,0\n", {"transpose": True}, "transpose=True needs id_column=.*perhaps 'n'"),
        (PLAIN, {"transpose": True, "weight_column": "a"}, "rows are variables"),
        ("n,v1,v2\nA,0,1\nA,1,0\n", {"transpose": True, "id_column": "n"}, "'A' is the name of 2 rows"),
        ("n,v1,v2\nA,0,1\nB,1,7\n", {"transpose": True, "id_column": "n"}, r"'7'.*column 'v2' \(line 3\)"),
        ("12,-1,1,1\n3,1,1,-1\n", {}, "read_histogram"),
        ("1,-1,1,1\n3,1,1,-1\n", {}, "read_histogram"),
        (b"PK\x03\x04rest", {}, "Excel workbook"),
        (b"a,b\n0,\x001\n", {}, "NUL byte"),
        (gzip.compress(PLAIN.encode(), mtime=0)[:-9], {}, "damaged gzip"),
        (
            "id,a\n" + "".join(f"p{i},{i % 2}\n" for i in range(9)),
            {},
            "'id' has 9 different values .p0, p1, p2",
        ),
        ("id,a\n" + "".join(f"p{i},{i % 2}\n" for i in range(9)), {}, "id.column"),
        ("a,party\n0,dem\n1,rep\n", {}, "'party' holds 'dem' and 'rep'(.|\n)*id.column"),
    ],
)
def test_errors_name_file_and_place(write, content, options, message):
    path = write(content)
    with pytest.raises(DataError, match=message) as caught:
        read_table(path, **options)
    assert str(path) in str(caught.value)


def test_files_that_cannot_be_opened(tmp_path):
    with pytest.raises(FileFormatError, match="absent.csv: cannot be read .No such file"):
        read_table(tmp_path / "absent.csv")
    with pytest.raises(FileFormatError, match="cannot be read"):
        read_table(tmp_path)


def test_node_groups(write):
    path = write("group,name\nD,a\nR,b\nR,c\n")
    groups, notes = read_node_groups(path, ("b", "a"))
    assert groups == ("R", "D") and notes == (f"{path} has 1 name that the table does not have: c.",)
    with pytest.raises(DataError, match="no group for 1 variable: 'z'"):
        read_node_groups(path, ("a", "z"))
    with pytest.raises(FileFormatError, match="no column name in line 1; found label, group"):
        read_node_groups(write("label,group\na,D\n"), ("a",))
    with pytest.raises(FileFormatError, match="line 3: 'a' is in 'R' and in 'D'"):
        read_node_groups(write("name,group\na,D\na,R\n"), ("a",))


# --- real files -------------------------------------------------------------------------------------------


def test_house_votes_84(shared_data):
    path = shared_data("house_votes_84/house_votes_84.csv")
    with pytest.raises(DataError, match="'party' holds 'republican' and 'democrat'"):
        read_table(path)
    table = read_table(path, group_column="party")
    assert (table.n_samples, table.n_spins, table.n_missing) == (435, 16, 392)
    assert (np.count_nonzero(table.spins == 1), np.count_nonzero(table.spins == -1)) == (3421, 3147)
    assert apply_missing(table, "drop").n_samples == 232
    with pytest.raises(DataError, match=r"392 missing cells in 203 of 435 rows.*south_africa \(104\)"):
        apply_missing(table, "error")


def test_supreme_court(shared_data):
    path = shared_data("scotus/roberts_2010_2016_majority.csv")
    with pytest.raises(DataError, match="3 columns.*\n.*'caseId' has 408.*\n.*'term' has 7"):
        read_table(path)
    table = read_table(path, id_column=("caseId", "term", "issueArea"))
    assert (table.n_samples, table.n_spins) == (408, 9)
    assert apply_missing(table, "drop").n_samples == 354


def test_ptsd(shared_data):
    table = read_table(shared_data("psychometrics/ptsd_mcnally2015_6.csv"))
    shares = (1 + empirical_moments(table).magnetizations) / 2
    assert np.allclose(shares, [0.320, 0.270, 0.259, 0.404, 0.302, 0.299], rtol=0, atol=5e-4)


@pytest.mark.parametrize(
    "name, shape",
    [("debd/nltcs.train.csv.gz", (16181, 16)), ("spikes/Wong1993_P15a_100ms.csv.gz", (15485, 58))],
)
def test_gzipped_tables(shared_data, name, shape):
    assert read_table(shared_data(name)).spins.shape == shape


# --- hostile files ----------------------------------------------------------------------------------------

ANY_FILE = settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
CELLS = st.sampled_from(["0", "1", "-1", "2", "yes", "no", "", "NA", "x", '"', "1.0", "\x00", "é", "a,b", "\n"])


@pytest.mark.filterwarnings("ignore:.*blanks around")
@ANY_FILE
@given(st.binary(max_size=200), st.booleans())
def test_any_bytes_end_in_a_table_or_an_explained_error(write, content, transpose):
    try:
        read_table(write(content), transpose=transpose)
    except IsingMapError as error:
        assert "table.csv" in str(error)


@pytest.mark.filterwarnings("ignore:.*blanks around")
@ANY_FILE
@given(st.lists(st.lists(CELLS, min_size=1, max_size=4), max_size=6), st.sampled_from([None, 1.0]), st.booleans())
def test_any_rows_end_in_a_table_or_an_explained_error(write, rows, threshold, quoted):
    text = io.StringIO()
    if quoted:
        csv.writer(text).writerows(rows)
    else:
        text.write("\n".join(",".join(row) for row in rows))
    try:
        table = read_table(write(text.getvalue()), threshold=threshold)
    except IsingMapError as error:
        assert "table.csv" in str(error)
    else:
        assert table.n_samples and table.n_spins


@pytest.mark.filterwarnings("ignore:.*blanks around")
@ANY_FILE
@given(st.data())
def test_written_tables_are_read_back(write, data):
    names = data.draw(
        st.lists(
            st.text(st.characters(codec="utf-8", exclude_categories=("Cc", "Cs")), min_size=2),
            min_size=1,
            max_size=4,
            unique_by=str.strip,
        ).filter(lambda names: all(name.strip() for name in names))
    )
    spins = data.draw(
        st.lists(
            st.lists(st.sampled_from([-1, 1]), min_size=len(names), max_size=len(names)),
            min_size=1,
            max_size=5,
        )
    )
    text = io.StringIO()
    writer = csv.writer(text, quoting=csv.QUOTE_ALL)
    writer.writerow(["anchor", *names])
    writer.writerows([["no", *(("no", "yes")[s == 1] for s in row)] for row in spins])
    if "anchor" in (name.strip() for name in names):
        return
    table = read_table(write(text.getvalue()), separator=",")
    assert table.names[1:] == tuple(name.strip() for name in names)
    assert table.spins[:, 1:].tolist() == spins


def test_a_single_strange_label_below_a_missing_cell(write):
    with pytest.raises(DataError, match=r"column 'b' holds '-1' \('-1' first in row 2 \(line 3\) \(1 cell\)\)"):
        read_table(write("a,b\n0,\n0,-1\n"))


def test_groups_of_many_variables_take_time_in_proportion(tmp_path):
    """The names of a file are looked up, and not gone through for each: a set of them is made once."""

    class Names(tuple):
        passes = 0

        def __iter__(self):
            Names.passes += 1
            return super().__iter__()

    (tmp_path / "g.csv").write_text("name,group\n" + "".join(f"v{k},g{k % 3}\n" for k in range(300)))
    groups, notes = read_node_groups(tmp_path / "g.csv", Names(f"v{k}" for k in range(200)))
    assert len(groups) == 200 and "100 names that the table does not have" in notes[0]
    assert Names.passes < 5
