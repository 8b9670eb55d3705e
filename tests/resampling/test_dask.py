"""A real Dask cluster of two worker processes, of which one is killed: nothing is lost, and no bit is different."""

import os
import signal

import numpy as np
import pytest
from joblib import parallel_config

from isingmap import IsingModel, PlanarIsing
from isingmap.resampling.finished import Checkpoint

distributed = pytest.importorskip("distributed", reason="dask and distributed are not installed (isingmap[dask])")


@pytest.fixture
def cluster():
    quiet = {"dashboard_address": None, "silence_logs": 50}
    with (
        distributed.LocalCluster(n_workers=2, threads_per_worker=1, processes=True, **quiet) as two,
        distributed.Client(two) as client,
    ):
        yield client


@pytest.mark.filterwarnings("ignore")
def test_a_cluster_that_loses_a_worker_gives_the_same_bits(cluster, monkeypatch):
    model = IsingModel([(0, 1), (1, 2), (2, 3)], [0.6, 0.5, -0.7], np.full(4, 0.2))
    spins = model.sample(120, rng=1)
    alone = PlanarIsing(search="greedy").stability(spins, n_resamples=60)
    workers, seen = list(cluster.run(os.getpid).values()), []

    def killing(self, known):
        seen.append(len(known))
        if len(seen) == 5:
            os.kill(workers[0], signal.SIGKILL)

    monkeypatch.setattr(Checkpoint, "save_now_and_then", killing)
    with parallel_config("dask"):
        found = PlanarIsing(search="greedy").stability(spins, n_resamples=60)
    assert seen == list(range(1, 61))
    assert found.n_fitted == 60 and not found.interrupted
    for one, other in zip(alone.outcomes, found.outcomes, strict=True):
        assert one.number == other.number and np.array_equal(one.edges, other.edges)
        assert one.couplings.tobytes() == other.couplings.tobytes()
    assert alone.interval.tobytes() == found.interval.tobytes()
