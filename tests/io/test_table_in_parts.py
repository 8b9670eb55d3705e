"""Large files pass in parts, and what is left is what reading them at once leaves."""

import numpy as np
import pandas as pd
import pytest

from isingmap.data.missing import apply_missing
from isingmap.data.moments import empirical_moments, overlap
from isingmap.data.screening import screen
from isingmap.errors import DataError
from isingmap.io import by_column, delimited, parquet
from isingmap.io.bytes_on_disk import BytesOnDisk
from isingmap.io.csv_table import read_table
from isingmap.io.table_in_parts import read_in_parts

N_ROWS = 4000


@pytest.fixture(autouse=True)
def small_parts(monkeypatch):
    monkeypatch.setattr(delimited, "_LARGE", 20_000)
    monkeypatch.setattr(by_column, "_BLOCK", 10_000)
    monkeypatch.setattr(parquet, "_ROWS_AT_ONCE", 700)


@pytest.fixture(scope="module")
def frame():
    rng = np.random.default_rng(0)
    columns = {"id": [f"p{k}" for k in range(N_ROWS)], "w": rng.random(N_ROWS).round(3)}
    for j, pair in enumerate([("0", "1"), ("no", "yes"), ("0", "1"), ("Nay", "Yea")]):
        columns[f"q{j}"] = np.where(rng.random(N_ROWS) < 0.01, "", np.array(pair)[rng.integers(0, 2, N_ROWS)])
    return pd.DataFrame(columns)


def written(path, frame, kind):
    if kind == "parquet":
        frame.to_parquet(path)
        return path
    text = frame.to_csv(index=False, sep=";" if kind == "semicolons" else ",", quoting=1 if kind == "quotes" else 0)
    if kind == "blank lines":
        lines = text.split("\n")
        text = "\n".join([*lines[:900], "", "", *lines[900:]])
    path.write_bytes(text.replace("\n", "\r\n").encode() if kind == "carriage returns" else text.encode())
    return path


@pytest.mark.parametrize("missing", ["drop", "minus", "pairwise"])
@pytest.mark.parametrize("kind", ["commas", "semicolons", "quotes", "carriage returns", "blank lines", "parquet"])
@pytest.mark.filterwarnings("ignore::isingmap.errors.DataWarning")
def test_the_same_bits_and_notes(tmp_path, frame, kind, missing):
    path = written(tmp_path / "t", frame, kind)
    roles = {"id_column": "id", "weight_column": "w"}
    told = []
    parts = read_in_parts(path, missing=missing, progress=lambda *counts: told.append(counts), **roles)
    found, table = parts.screened(missing, "error"), read_table(path, **roles)
    table = screen(apply_missing(table, missing))
    assert (found.names, found.codings, found.notes) == (table.names, table.codings, table.notes)
    moments, expected = found.moments(), empirical_moments(table)
    assert np.array_equal(moments.moments, expected.moments) and moments.n_samples == expected.n_samples
    assert np.array_equal(moments.magnetizations, expected.magnetizations)
    if missing == "pairwise":
        edges, fields = np.array([[0, 1], [1, 3]]), np.array([2])
        assert np.array_equal(found.overlap(edges, fields), overlap(table, edges, fields))
    assert len(told) > 4
    if kind != "parquet":
        assert told[-1] == (path.stat().st_size,) * 2


@pytest.mark.parametrize("kind", ["commas", "blank lines", "parquet"])
def test_the_same_errors_with_lines(tmp_path, frame, kind):
    frame = frame.copy()
    frame.loc[[3210, 3500], "q0"] = "9"
    path = written(tmp_path / "t", frame, kind)
    with pytest.raises(DataError) as expected:
        read_table(path, id_column="id", drop_column="w")
    with pytest.raises(DataError) as found:
        read_in_parts(path, missing="error", id_column="id", drop_column="w")
    assert str(found.value) == str(expected.value) and "row 3211" in str(found.value)


@pytest.mark.parametrize(
    "change",
    [
        lambda data: b"\xff\xfe" + data.decode().encode("utf-16-le"),
        lambda data: data + b"p,0.5,1\n",
        lambda data: data + b"p,0.5,1,yes,1,caf\xe9\n",
        lambda data: data + b"p,0.5,1,yes,1,\0\n",
        lambda data: data + b"p,-2,1,yes,1,Nay\n",
        lambda data: b"id,w\n" + data,
        lambda data: b"a\n" * 9000,
    ],
    ids=["utf-16", "short row", "latin-1", "nul", "negative weight", "uneven", "one column"],
)
def test_what_takes_the_whole_file_is_left_to_who_reads_it(tmp_path, frame, change):
    path = written(tmp_path / "t", frame, "commas")
    path.write_bytes(change(path.read_bytes()))
    assert read_in_parts(path, missing="drop", id_column="id", weight_column="w") is None


def test_bytes_on_disk(tmp_path, monkeypatch):
    monkeypatch.setattr("isingmap.io.bytes_on_disk._PIECE", 4)
    data = b"abc\ndefghijkl\nxy"
    (tmp_path / "t").write_bytes(data)
    with open(tmp_path / "t", "rb") as stream:
        disk = BytesOnDisk(stream)
        assert len(disk) == len(data) and disk[3:7] == data[3:7] and disk[14:99] == b"xy"
        assert [disk.find(b"\n", k) for k in range(16)] == [data.find(b"\n", k) for k in range(16)]
        assert disk.rfind(b"\n", 2, 9) == 3 and disk.rfind(b"\n", 4, 9) == -1


def test_a_column_of_very_many_labels_is_read_at_once(tmp_path, frame, monkeypatch):
    monkeypatch.setattr("isingmap.data.column_labels.MOST_TEXTS", 2000)
    path = written(tmp_path / "t", frame, "commas")
    assert read_in_parts(path, missing="drop", weight_column="w") is None
