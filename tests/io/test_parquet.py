"""Parquet files are read as text is, with the same coding."""

import builtins

import numpy as np
import pandas as pd
import pytest

from isingmap.errors import DataError, FileFormatError
from isingmap.io import parquet
from isingmap.io.csv_table import read_table
from isingmap.io.parquet import is_parquet, parquet_parts


@pytest.fixture
def frame():
    rng = np.random.default_rng(0)
    answers = rng.choice(["Yes", "No", None], (500, 2), p=[0.5, 0.4, 0.1])
    return pd.DataFrame(
        {
            "id": [f"p{k}" for k in range(500)],
            "a": answers[:, 0],
            "b": pd.Categorical(answers[:, 1]),
            "c": rng.integers(0, 2, 500),
            "d": rng.integers(0, 2, 500).astype(float),
            "e": rng.integers(0, 2, 500).astype(bool),
        }
    )


@pytest.mark.parametrize("rows_at_once", [1 << 16, 37])
def test_the_same_table_as_from_text(tmp_path, monkeypatch, frame, rows_at_once):
    monkeypatch.setattr(parquet, "_ROWS_AT_ONCE", rows_at_once)
    frame.to_parquet(tmp_path / "t.parquet")
    frame.to_csv(tmp_path / "t.csv", index=False)
    found = read_table(tmp_path / "t.parquet", id_column="id")
    expected = read_table(tmp_path / "t.csv", id_column="id")
    assert np.array_equal(found.spins, expected.spins)
    assert (found.names, found.codings, found.notes) == (expected.names, expected.codings, expected.notes)


def test_messages_name_rows(tmp_path, frame):
    frame.loc[3, "c"] = 7
    frame.to_parquet(tmp_path / "t.parquet")
    with pytest.raises(DataError, match=r"column 'c' has '7' first in row 4 \(1 cell\)"):
        read_table(tmp_path / "t.parquet", id_column="id")
    with pytest.raises(DataError, match="separator= is for text"):
        read_table(tmp_path / "t.parquet", separator=";")


def test_it_is_known_by_name_or_by_its_first_bytes(tmp_path, frame):
    frame.to_parquet(tmp_path / "t.parquet")
    (tmp_path / "t.parquet").rename(tmp_path / "t.dat")
    assert is_parquet(tmp_path / "t.dat") and is_parquet("absent.parquet")
    assert not is_parquet(tmp_path / "absent.csv") and not is_parquet(tmp_path)


def test_files_that_are_none(tmp_path):
    path = tmp_path / "t.parquet"
    with pytest.raises(FileFormatError, match="cannot be read"):
        list(parquet_parts(path))
    path.write_bytes(b"PAR1" + bytes(100))
    with pytest.raises(FileFormatError, match="no readable Parquet file"):
        list(parquet_parts(path))
    pd.DataFrame({"a": [[1], [2]]}).to_parquet(path)
    with pytest.raises(FileFormatError, match="column 'a' holds list"):
        list(parquet_parts(path))
    pd.DataFrame({"a": []}).to_parquet(path)
    with pytest.raises(FileFormatError, match="no row of data"):
        list(parquet_parts(path))


def test_the_extra_is_named(tmp_path, monkeypatch, frame):
    frame.to_parquet(tmp_path / "t.parquet")
    real = builtins.__import__

    def without(name, *arguments):
        if name.startswith("pyarrow"):
            raise ImportError(name)
        return real(name, *arguments)

    monkeypatch.setattr(builtins, "__import__", without)
    with pytest.raises(FileFormatError, match=r"pip install 'isingmap\[parquet\]'"):
        list(parquet_parts(tmp_path / "t.parquet"))
