"""What a map misses is in its folder, with names that no spreadsheet runs, and at the top of it in the summary."""

import csv
import itertools

import numpy as np
import pandas as pd
import pytest

from isingmap import IsingModel, PlanarIsing
from isingmap.report.results import write_results

pytestmark = pytest.mark.filterwarnings("ignore")


def read(path):
    with open(path, newline="", encoding="utf-8") as stream:
        return list(csv.DictReader(stream))


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Five variables that are all tied to each other, without the fields that they have."""
    model = IsingModel(list(itertools.combinations(range(5), 2)), np.linspace(0.2, 0.4, 10), np.full(5, 0.1))
    rows = pd.DataFrame(model.sample(4000, rng=0), columns=["=a", "b", "c", "d", "e"])
    place = tmp_path_factory.mktemp("map")
    write_results(PlanarIsing(family="zero-field", criterion="bic").fit(rows).learned_, place)
    return place


def test_every_mean_and_pair_has_a_row(folder):
    rows = read(folder / "misses.csv")
    assert len(rows) == 5 + 10 and {row["target"] for row in rows if row["source"] == "'=a"} >= {"(mean)", "b"}
    for row in rows:
        assert float(row["difference"]) == pytest.approx(float(row["data"]) - float(row["model"]))
        assert float(row["z"]) == pytest.approx(float(row["difference"]) / float(row["se"])) and row["rows"] == "4000"
        assert row["fitted"] == "no" or abs(float(row["z"])) < 1e-4
    assert sum(row["fitted"] == "yes" for row in rows) == 9


def test_the_pair_that_the_plane_blocks_has_a_row(folder):
    (row,) = read(folder / "blocked.csv")
    edges = {(edge["source"], edge["target"]) for edge in read(folder / "edges.csv")}
    assert (row["source"], row["target"]) not in edges
    assert float(row["price"]) < float(row["gain"]) <= float(row["exact_gain"])


def test_the_summary_has_the_worst_of_them(folder):
    text = " ".join((folder / "summary.txt").read_text(encoding="utf-8").split())
    assert "means 5 of 5 beyond chance (|z| above 2.6): " in text and "+0.000 in the model, z +" in text
    assert "pairs 1 of 10 beyond chance (|z| above 2.8): " in text
    assert "nats per row after a refit, guaranteed" in text and "see blocked.csv" in text
    assert "misses.csv has every mean and pair" in text


def test_with_a_field_on_every_variable_no_mean_is_missed():
    rows = np.random.default_rng(0).choice([-1, 1], (200, 3), p=[0.3, 0.7])
    learned = PlanarIsing().fit(rows).learned_
    assert all(abs(miss.z) < 1e-6 for miss in learned.misses if miss.is_mean)
