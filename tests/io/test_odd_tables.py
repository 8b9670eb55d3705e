"""Tables as other programs and people leave them: each gives the right table, or a message that leads there."""

import re

import numpy as np
import pytest

from isingmap.data.missing import apply_missing
from isingmap.errors import DataError, FileFormatError
from isingmap.files.number_text import number
from isingmap.io import sheet_checks
from isingmap.io.csv_table import read_table

CELLS = np.random.default_rng(3).integers(0, 2, (30, 4))
SPINS = (2 * CELLS - 1).tolist()


def text_of(cells, header="a,b,c,d", separator=",", end=""):
    rows = [separator.join(map(str, row)) for row in cells]
    return "\n".join([header.replace(",", separator), *(row + end for row in rows)]) + "\n"


@pytest.mark.parametrize("separator", [",", ";", "\t"])
def test_a_separator_at_the_end_of_every_row_but_the_header(write, separator):
    table = read_table(write(text_of(CELLS, separator=separator, end=separator)))
    assert table.names == ("a", "b", "c", "d") and table.spins.tolist() == SPINS
    assert any("ends with a separator" in note for note in table.notes)


def test_row_names_of_r_with_a_last_column_that_has_answers(write):
    rows = [[f"r{i}", *row] for i, row in enumerate(CELLS.tolist())]
    rows[0][-1] = ""
    table = read_table(write(text_of(rows)))
    assert table.names == ("a", "b", "c", "d") and table.spins[1:].tolist() == SPINS[1:]


def test_runs_of_blanks_separate_once_and_count_for_nothing_at_the_ends(write):
    padded = "Species  s1 s2 s3 \n sp1 0 1  1\n sp2 1 1 0  \n  sp3 1 0 0\n"
    with pytest.raises(FileFormatError, match="separator=' '"):
        read_table(write(padded))
    table = read_table(write(padded), separator=" ", transpose=True, id_column="Species")
    assert table.names == ("sp1", "sp2", "sp3")
    assert table.spins.T.tolist() == [[-1, 1, 1], [1, 1, -1], [1, -1, -1]]
    assert read_table(write(text_of(CELLS, separator=" ", end=" ")), separator=" ").spins.tolist() == SPINS


@pytest.mark.parametrize("header", ["0,1", "1,2", '"0","1"', "n,y", "Yes,No"])
def test_headers_of_numbers_and_letters(write, header):
    table = read_table(write(text_of(CELLS[:, :2], header=header)))
    assert table.names == tuple(header.replace('"', "").split(",")) and table.spins.tolist() == [r[:2] for r in SPINS]


def test_a_guessed_header_says_how_to_read_it_as_answers(write):
    path = write(text_of(CELLS[:, :2], header="0,1"))
    assert any("header_lines=0" in note for note in read_table(path).notes)
    assert read_table(path, header_lines=0).n_samples == 31


@pytest.mark.parametrize("n_more", [1, 2])
def test_further_header_lines(write, n_more):
    more = ["I sleep,I worry,I eat,I feel", "id1,id2,id3,id4"][:n_more]
    path = write("\n".join(["a,b,c,d", *more, *text_of(CELLS).splitlines()[1:]]))
    with pytest.raises(DataError, match=f"header_lines={n_more + 1}"):
        read_table(path)
    assert read_table(path, header_lines=n_more + 1).spins.tolist() == SPINS


def test_a_last_line_of_totals(write):
    cells = np.vstack([CELLS, CELLS.sum(axis=0)])
    with pytest.raises(DataError, match="line 32 is the sum of the lines above; delete it"):
        read_table(write(text_of(cells)), threshold=1)


def test_the_whole_way_to_a_community_table(write):
    counts = np.array([[0, 3, 1, 0, 5, 1], [2, 1, 0, 0, 0, 1], [1, 0, 0, 4, 1, 0]])
    rows = [[f"sp{i}", *row, sum(row)] for i, row in enumerate(counts.tolist())]
    path = write(text_of(rows, header="Species,s1,s2,s3,s4,s5,s6,Total"))
    options = {}
    for message, more in (
        (r"transpose=True and id_column='Species'", {"transpose": True, "id_column": "Species"}),
        (r"drop_column='Total'", {"drop_column": "Total"}),
        (r"threshold=1", {"threshold": 1}),
    ):
        with pytest.raises(DataError, match=message):
            read_table(path, **options)
        options |= more
    table = read_table(path, **options)
    assert table.names == ("sp0", "sp1", "sp2") and table.spins.T.tolist() == (2 * (counts > 0) - 1).tolist()


def test_transposed_without_names(write):
    table = read_table(write("o1,o2,o3\n0,1,1\n1,1,0\n"), transpose=True)
    assert table.names == ("x1", "x2") and table.spins.T.tolist() == [[-1, 1, 1], [1, 1, -1]]


@pytest.mark.parametrize("named", [True, False])
def test_a_matrix_is_no_table_of_answers(write, named):
    names = [f"S{k}" for k in range(6)]
    upper = np.triu(np.random.default_rng(0).integers(0, 2, (6, 6)), 1)
    matrix = (upper + upper.T).tolist()
    rows = [[name, *row] for name, row in zip(names, matrix, strict=True)] if named else matrix
    header = ",".join([""] * named + names)
    with pytest.raises(DataError, match="looks like a matrix"):
        read_table(write(text_of(rows, header=header)))
    again = [[k, *row] for k, row in enumerate(matrix)]
    assert read_table(write(text_of(again, header="id," + ",".join(names))), id_column="id").n_samples == 6


def test_a_small_matrix_of_fractions_is_no_table_of_answers_either(write):
    with pytest.raises(DataError, match="looks like a matrix.* isingmap fit --moments --n-samples N"):
        read_table(write("a,b,c\n1,0.2,0.3\n0.2,1,0.1\n0.3,0.1,1\n"))
    assert read_table(write("a,b,c\n1,0,1\n0,1,0\n1,0,1\n")).n_samples == 3


def test_blanks_before_quotes(write):
    table = read_table(write('"a", "b", "c, d"\n"yes", "no", "yes"\n"no", "yes", "no"\n'))
    assert table.names == ("a", "b", "c, d") and table.spins.tolist() == [[1, -1, 1], [-1, 1, -1]]


def test_windows_1252(write):
    names = ("I can\u2019t sleep", "\u201clow\u201d mood", "cost in \u20ac")
    table = read_table(write(text_of(CELLS[:, :3], header=",".join(names)).encode("cp1252")))
    assert table.names == names and "Windows-1252" in table.notes[0]


def test_two_byte_order_marks(write):
    assert read_table(write("\ufeff\ufeff" + text_of(CELLS))).names[0] == "a"


@pytest.mark.parametrize("front", ["sep=;\n", "# exported\n# 30 cases\n", "sep=;\n# exported\n"])
def test_lines_in_front(write, front):
    table = read_table(write(front + text_of(CELLS, separator=";")))
    assert table.names == ("a", "b", "c", "d") and table.spins.tolist() == SPINS
    assert ("#" in front) == any("starting with #" in note for note in table.notes)


def test_a_header_that_starts_with_a_hash(write):
    table = read_table(write("# made by biom\n#id,b,c\nx,0,1\ny,1,0\n"), id_column="#id")
    assert table.names == ("b", "c")


def test_the_separator_that_gives_equal_widths(write):
    table = read_table(write(text_of(CELLS, header="a;b, of c, or d;e, f;g").replace(",0", ";0").replace(",1", ";1")))
    assert table.names == ("a", "b, of c, or d", "e, f", "g")


@pytest.mark.parametrize("code", ["9", "99", "-9", "Not Voting", "-"])
def test_codes_of_missing_answers(write, code):
    cells = CELLS.astype(object)
    cells[2, 1] = cells[5, 3] = code
    path = write(text_of(cells))
    with pytest.raises(DataError, match=f"missing_label={re.escape(repr(code))}") as caught:
        read_table(path)
    assert "threshold" not in str(caught.value)
    table = read_table(path, missing_label=code)
    assert table.n_missing == 2 and apply_missing(table, "drop").n_samples == 28
    assert any(f"{code!r} in 2 cells" in note for note in table.notes)


@pytest.mark.parametrize("marker", ["#NULL!", "N.A.", r"\N"])
def test_markers_of_databases(write, marker):
    cells = CELLS.astype(object)
    cells[2, 1] = marker
    assert read_table(write(text_of(cells))).n_missing == 1


def test_a_packed_file_that_grows_without_bounds(tmp_path):
    import zlib

    packer = zlib.compressobj(9, zlib.DEFLATED, 31)
    block = b"1,0\n" * (1 << 18)
    data = packer.compress(b"a,b\n") + b"".join(packer.compress(block) for _ in range(80)) + packer.flush()
    (tmp_path / "bomb.csv.gz").write_bytes(data)
    with pytest.raises(FileFormatError, match="gunzip"):
        read_table(tmp_path / "bomb.csv.gz")


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ('a,b\n0,1\n1,"0\n1,1\n0,0\n', 3),
        ('a,"b\n0,1\n1,0\n', 1),
        ('a,b\n"x\ny",1\n0,"1\n1,0\n', 4),
        ("a,b\n" + "0,1\n" * 100_000 + '1,"0\n' + "1,0\n" * 100_000, 100_002),
    ],
)
def test_a_quote_that_stays_open_is_told_where_it_opens(write, text, line):
    with pytest.raises(FileFormatError, match=f"line {line}: a quote opens in this line and is not closed"):
        read_table(write(text))


def test_weights_that_add_up_to_infinity_are_told_with_file_and_column(write):
    path = write("a,b,w\n" + "0,1,1e308\n1,0,1e308\n" * 9)
    with pytest.raises(DataError, match=r"table\.csv: column 'w': the weights add up to inf") as caught:
        read_table(path, weight_column="w")
    assert "Divide them all by one number" in str(caught.value)


def test_sums_are_looked_for_without_reading_a_row_for_every_column(monkeypatch, tmp_path):
    """Of 300 columns of answers none is the sum of the others, which the first rows tell of all of them."""
    n_read = []
    monkeypatch.setattr(sheet_checks, "number", lambda text: n_read.append(1) or number(text))
    rows = np.random.default_rng(0).integers(0, 2, (40, 300))
    path = tmp_path / "wide.csv"
    path.write_text("\n".join(",".join(map(str, row)) for row in [[f"v{k}" for k in range(300)], *rows.tolist()]))
    assert read_table(path).spins.shape == (40, 300)
    assert len(n_read) < 4 * rows.size


@pytest.mark.parametrize(("what", "scale"), [("sum", 1.0), ("sum", 0.5), ("mean", 1.0)])
def test_a_column_of_totals_or_means_is_refused_also_of_fractions(write, what, scale):
    cells = (scale * np.random.default_rng(1).integers(0, 8, (12, 3))).tolist()
    table = [[*row, sum(row) if what == "sum" else round(sum(row) / 3, 3)] for row in cells]
    with pytest.raises(DataError, match=f"column 'd' is the {what} of the other columns"):
        read_table(write(text_of(table)), threshold=0.5)
    table[7][3] += 0.5
    assert read_table(write(text_of(table)), threshold=0.5).names == tuple("abcd")
