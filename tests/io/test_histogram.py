"""Histogram files: counts become weights."""

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from isingmap.data.moments import empirical_moments
from isingmap.errors import FileFormatError, IsingMapError
from isingmap.io.histogram import read_histogram


def test_counts_become_weights(write):
    table = read_histogram(write("3,-1,1\n 1 , 1 ,+1\n2.0,1.0,-1\n"))
    assert table.names == ("x1", "x2")
    assert table.spins.tolist() == [[-1, 1], [1, 1], [1, -1]]
    assert table.weights.tolist() == [3, 1, 2]
    assert table.notes[-1] == "Histogram of 3 rows with counts: 6 observations."
    assert np.isclose(empirical_moments(table).moments[0, 1], (-3 + 1 - 2) / 6, rtol=1e-15)


@pytest.mark.parametrize(
    "content, message",
    [
        ("3,-1,1\n1,0,1\n", r"line 2, field 2: expected a spin, -1 or 1, got '0' \(1 such cell\)"),
        ("count,a,b\n1,1,1\n", "line 1, field 1: expected a count.*no header"),
        ("1.5,1,1\n", "whole number >= 0, got '1.5'"),
        ("-2,1,1\n", "got '-2'"),
        ("1e300,1,1\n", "got '1e300'"),
        ("1,1,1\n1,1\n", "line 2 has 2 fields, expected 3"),
        ("0,1,1\n", "all counts are zero"),
        ("7\n8\n", "at least one spin"),
    ],
)
def test_errors(write, content, message):
    with pytest.raises(FileFormatError, match=message):
        read_histogram(write(content))


@settings(max_examples=100, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.text(alphabet='01-,.;\n\t" x', max_size=40))
def test_any_text_ends_in_a_table_or_an_explained_error(write, text):
    try:
        assert read_histogram(write(text)).weights.sum() > 0
    except IsingMapError as error:
        assert "table.csv" in str(error)
