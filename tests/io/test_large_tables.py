"""Large tables are read by column; the result, and every message, is that of reading row by row."""

import random

import numpy as np
import pytest

from isingmap.errors import IsingMapError
from isingmap.io import by_column, delimited
from isingmap.io.csv_table import read_table

N_ROWS, N_COLUMNS = 9000, 8
NAMES = [f"q{j}" for j in range(N_COLUMNS)]


@pytest.fixture
def small_blocks(monkeypatch):
    """What is done above 4 MB is done above 70 kB, in many blocks."""
    monkeypatch.setattr(delimited, "_LARGE", 70_000)
    monkeypatch.setattr(by_column, "_BLOCK", 6_000)
    monkeypatch.setattr(by_column, "_FEWEST_ROWS", 16)


def rows(labels=("0", "1"), seed=0):
    choose = random.Random(seed)
    return [choose.choices(labels, k=N_COLUMNS) for _ in range(N_ROWS)]


def text(cells, separator=",", end="\n", header=NAMES):
    return "".join(separator.join(row) + end for row in [*([header] if header else []), *cells])


def outcome(path, **options):
    """All that a reader of the table can see."""
    try:
        table = read_table(path, **options)
    except IsingMapError as error:
        return type(error), str(error)
    weights = None if table.weights is None else table.weights.tolist()
    return table.names, table.codings, table.notes, table.groups, weights, table.spins.tobytes(), table.spins.shape


def changed(row, column, cell, labels=("0", "1")):
    cells = rows(labels)
    cells[row][column] = cell
    return cells


IDS = [[f"p{i:05d}", *row] for i, row in enumerate(rows())]
CASES = {
    "plain": (text(rows()), {}),
    "no header": (text(rows(), header=None), {}),
    "header lines": (text([["text"] * N_COLUMNS, *rows()]), {"header_lines": 2}),
    "semicolons, CRLF": (text(rows(), ";", "\r\n"), {}),
    "tabs": (text(rows(), "\t"), {}),
    "spaces": (text(rows(), " "), {"separator": " "}),
    "runs of spaces": (text(changed(7000, 3, " 1 "), " "), {"separator": " "}),
    "carriage returns": (text(rows(), end="\r"), {}),
    "a lone carriage return": (text(rows())[:-1] + "\r", {}),
    "no end of line": (text(rows())[:-1], {}),
    "words": (text(rows(("No", "Yes", "NA"))), {"missing_label": "No", "positive": "Yes"}),
    "long words": (text(rows(("I do not agree with it at all", "I agree"))), {"positive": "I agree"}),
    "longer words": (text(rows(("x" * 50, "y" * 40))), {"positive": "y" * 40}),
    "letters": (text(rows(("né", "oui"))), {"positive": "oui"}),
    "first written otherwise": (text(changed(5000, 2, "YES", ("yes", "no"))), {}),
    "quotes everywhere": (text(rows(('"No"', '"Yes"'))), {}),
    "a quoted header": (text(rows(), header=[f'"{name}"' for name in NAMES]), {}),
    "quotes and separators": (text(changed(8000, 4, '"n,o"', ('"no"', '"yes"'))), {}),
    "doubled quotes": (text(changed(8000, 4, '"n""o"', ('"no"', '"yes"'))), {}),
    "empty quotes": (text(rows(('""', '"yes"', "no"))), {}),
    "blanks in quotes": (text(rows(('" no"', '"yes "'))), {}),
    "blanks behind quotes": (text(changed(8000, 4, '"no" ', ('"no"', '"yes"'))), {}),
    "quotes of one letter": (text(rows(('"a"', '"b"', '"'))), {"positive": "a"}),
    "a quote far down": (text(changed(8000, 4, '"1"')), {}),
    "a quoted line break": (text(changed(8000, 4, '"1\n"')), {}),
    "an unbalanced quote": (text(changed(8000, 4, '"1')), {}),
    "a quote within": (text(changed(8000, 4, '1"')), {}),
    "blank lines": (text(rows()).replace("\n", "\n\n"), {}),
    "a blank line": (text(rows()) + "\n", {}),
    "a line of commas": (text(rows()) + "," * (N_COLUMNS - 1) + "\n", {"missing_label": "x"}),
    "leading blanks": (text(rows(), ", "), {}),
    "trailing blanks": (text(changed(8000, 4, "1  ")), {}),
    "trailing separators": (text([[*row, ""] for row in rows()]), {}),
    "row names of R": (text(IDS), {}),
    "an index": (text(IDS, header=["", *NAMES]), {}),
    "ids": (text(IDS, header=["id", *NAMES]), {"id_column": "id"}),
    "ids not said": (text(IDS, header=["id", *NAMES]), {}),
    "weights": (
        text([[f"{i / 7:.6f}", *row] for i, row in enumerate(rows())], header=["w", *NAMES]),
        {"weight_column": "w"},
    ),
    "a bad weight": (text(rows(("1", "x"))), {"weight_column": "q3"}),
    "counts": (text(rows([str(k) for k in range(200)])), {"threshold": 20}),
    "counts, as labels": (text(rows([str(k) for k in range(200)])), {}),
    "some counts": (text(rows([str(k) for k in range(20)])), {"threshold": 7}),
    "a third value": (text(changed(8123, 5, "maybe")), {}),
    "many values far down": (text(rows()[:6000] + [[str(i)] * N_COLUMNS for i in range(3000)]), {"threshold": 1}),
    "a short line": (text([*rows(), ["1"]]), {}),
    "short lines": (text([*rows(), *[["1"] * (N_COLUMNS - 1)] * 500]), {}),
    "all lines short": (text([row[:-2] for row in rows()]), {}),
    "nameless column": (text(rows(), header=[*NAMES[:3], "", *NAMES[4:]]), {}),
    "empty nameless column": (text([[*row, "", "1"] for row in rows()], header=[*NAMES, "", "z"]), {}),
    "a total": (text([[*row, str(row.count("1"))] for row in rows()], header=[*NAMES, "total"]), {}),
    "constant": (text(changed(10, 2, "1", ("1",))), {}),
    "Latin-1": (text(rows(("né", "oui"))).encode("latin-1"), {"positive": "oui"}),
    "UTF-16": (text(rows()).encode("utf-16"), {}),
    "byte-order mark": (("\ufeff" + text(rows())).encode(), {}),
    "comments": ("# made by\n# a program\n" + text(changed(8123, 5, "maybe")), {}),
    "variables in rows": (text([[*row] for row in rows()]), {"transpose": True}),
}


@pytest.mark.parametrize("case", CASES)
def test_read_as_row_by_row(tmp_path, monkeypatch, small_blocks, case):
    content, options = CASES[case]
    path = tmp_path / "table.csv"
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    assert path.stat().st_size > delimited._LARGE
    by_columns = outcome(path, **options)
    monkeypatch.setattr(delimited, "_LARGE", 2**40)
    assert by_columns == outcome(path, **options)


def test_large_tables_are_kept_by_column(tmp_path, small_blocks):
    path = tmp_path / "table.csv"
    path.write_text(text(rows(("No", "Yes", "NA"))))
    rest = delimited.read_large(path).rest
    assert [column.codes.dtype for column in rest.columns] == [np.int8] * N_COLUMNS
    assert rest.lines[-1] == N_ROWS + 1
