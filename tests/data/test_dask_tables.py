"""Dask arrays and data frames lead to the bits of the whole table."""

import numpy as np
import pandas as pd
import pytest

from isingmap.data.convert import as_spin_table
from isingmap.data.dask_tables import accumulate_dask
from isingmap.data.moments import empirical_moments
from isingmap.errors import DataError

dask_array = pytest.importorskip("dask.array")
dask_frame = pytest.importorskip("dask.dataframe")


def same(accumulator, table):
    found, expected = accumulator.moments(), empirical_moments(table)
    assert np.array_equal(found.moments, expected.moments)
    assert np.array_equal(found.magnetizations, expected.magnetizations)
    assert (found.n_samples, found.names, found.codings) == (expected.n_samples, expected.names, expected.codings)


def test_an_array_in_blocks_of_rows_and_columns():
    X = np.random.default_rng(0).integers(0, 2, (501, 6))
    same(accumulate_dask(dask_array.from_array(X, chunks=(70, 4))), as_spin_table(X))


def test_a_data_frame_with_weights():
    rng = np.random.default_rng(1)
    frame = pd.DataFrame(rng.choice(["no", "yes"], (300, 3)), columns=list("abc")).assign(w=rng.random(300))
    found = accumulate_dask(dask_frame.from_pandas(frame, npartitions=5), weight_column="w")
    same(found, as_spin_table(frame[list("abc")], weights=frame["w"].to_numpy()))


def test_workers_of_a_cluster():
    distributed = pytest.importorskip("distributed")
    X = np.random.default_rng(2).choice([-1, 1], (400, 4))
    with (
        distributed.LocalCluster(n_workers=2, threads_per_worker=1, processes=False, dashboard_address=None) as cluster,
        distributed.Client(cluster),
    ):
        same(accumulate_dask(dask_array.from_array(X, chunks=(60, 4))), as_spin_table(X))


def test_refusals():
    with pytest.raises(DataError, match="expected a dask array or data frame, got ndarray"):
        accumulate_dask(np.eye(3))
    with pytest.raises(DataError, match="X is an array"):
        accumulate_dask(dask_array.ones((3, 3)), weight_column="w")
    frame = dask_frame.from_pandas(pd.DataFrame({"a": [0, 1]}), npartitions=1)
    with pytest.raises(DataError, match="no column 'w'"):
        accumulate_dask(frame, weight_column="w")
