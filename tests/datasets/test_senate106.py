"""The table that ships with the package."""

import gzip
from importlib.resources import files

import numpy as np
import pytest

from isingmap.data.missing import apply_missing
from isingmap.data.moments import empirical_moments
from isingmap.data.screening import screen
from isingmap.datasets import load_senate106
from isingmap.errors import DataError


def test_counts():
    table = load_senate106()
    assert table.spins.shape == (672, 102)
    assert [np.count_nonzero(table.spins == s) for s in (1, -1, 0)] == [42458, 23036, 3050]
    assert (table.groups.count("D"), table.groups.count("R")) == (46, 56)
    unanimous = ~((table.spins == 1).any(axis=1) & (table.spins == -1).any(axis=1))
    assert np.count_nonzero(unanimous) == 76


def test_known_senators():
    table = load_senate106()
    party = dict(zip(table.names, table.groups, strict=True))
    assert (party["KENNEDY"], party["LOTT"], party["JEFFORDS"]) == ("D", "R", "R")
    spins = table.spins.astype(int)
    kennedy, kerry, lott = (spins[:, table.names.index(name)] for name in ("KENNEDY", "KERRY", "LOTT"))
    assert kennedy @ kerry > 500 > 0 > kennedy @ lott


def test_rules_for_missing_cells():
    table = load_senate106()
    screened = screen(apply_missing(table, "minus"))
    assert screened.n_spins == 102
    with pytest.raises(DataError, match="COVERDELL - MILLER, MILLER - CHAFFEE1, CHAFFEE1 - CHAFFEE2"):
        empirical_moments(apply_missing(table, "pairwise"))
    with pytest.raises(DataError, match="no complete row"):
        apply_missing(table, "drop")


def test_file_is_reproducible():
    data = (files("isingmap.datasets") / "senate106.csv.gz").read_bytes()
    assert data[4:8] == bytes(4), "the gzip header must not carry a time stamp"
    header = gzip.decompress(data).decode().splitlines()[0].split(",")
    assert header[:5] == ["id", "statecode", "state", "party", "member"] and len(header) == 677
