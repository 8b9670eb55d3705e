"""Groups with missing cells compared."""

from collections import Counter

import numpy as np
import pytest
from two_groups import EDGES, table_rows

from isingmap import PlanarIsing, compare
from isingmap.errors import DataWarning
from isingmap.resampling.refit import Refit

pytestmark = pytest.mark.filterwarnings("ignore::isingmap.errors.IsingMapWarning")


def test_clusters_are_dealt_out_whole_beside_the_em_algorithm(spins, monkeypatch):
    """Its maps have no errors of clusters, and say so; a row without any known cell goes, and no other's cluster."""
    holes = [np.where(np.random.default_rng(k).random(group.shape) < 0.1, 0, group) for k, group in enumerate(spins)]
    holes[0][0] = 0
    clusters = np.arange(90) // 9, 100 + np.arange(70) // 7
    dealt = []
    learned = Refit.learned
    monkeypatch.setattr(Refit, "learned", lambda refit, table, k: dealt.append(table) or learned(refit, table, k))
    em = PlanarIsing(graph=EDGES, missing="em", missing_label=0)
    with pytest.warns(DataWarning, match="group 'first': missing='em' has no standard errors of clusters"):
        found = compare(*holes, em, clusters=clusters, n_permutations=3)
    assert (found.unit, found.n_units, found.n_permutations) == ("clusters", (10, 10), 3)
    assert not any("only 10 clusters" in text for text in found.maps[0].warnings)
    assert found.maps[0].spread is None and found.maps[0].gaps.by_cluster
    assert [dealt[0].row_weights.sum(), dealt[1].row_weights.sum()] == [89, 70]
    held = [table_rows(holes[g][(clusters[g] == c) & holes[g].any(axis=1)]) for g in (0, 1) for c in set(clusters[g])]
    alone = [next(row for row in own if not any(row in other for other in held if other is not own)) for own in held]
    for table in dealt[2::2]:
        chosen = table_rows(np.repeat(table.spins, table.row_weights.astype(int), axis=0))
        whole = [own for own, row in zip(held, alone, strict=True) if row in chosen]
        assert len(whole) == 10 and sum(whole, Counter()) == chosen


def test_missing_cells_by_em_count_for_what_is_known_of_their_rows(spins):
    holes = [np.where(np.random.default_rng(k).random(group.shape) < 0.1, 0, group) for k, group in enumerate(spins)]
    em = PlanarIsing(search="greedy", missing="em", missing_label=0)
    by_em = compare(*holes, em, n_permutations=2)
    apart = sum(em.fit(group).learned_.result.log_likelihood for group in holes)
    together = em.fit(np.concatenate(holes)).learned_.result.log_likelihood
    assert by_em.likelihood_ratio.value == pytest.approx(2 * (apart - together), abs=1e-5)
    assert by_em.n_permutations == 2


def test_missing_cells_of_a_group_are_told_once_as_they_count(spins):
    holes = [np.column_stack([each, np.ones(len(each), int)]) for each in spins]
    holes[0][:3, 0] = holes[0][:2, 5] = holes[0][7, :5] = 0
    holes = [np.ma.masked_equal(each, 0) for each in holes]
    found = compare(*holes, PlanarIsing(search="greedy", missing="em", constant="drop"), n_permutations=1)
    told = [note for note in found.maps[0].notes if "missing cell" in note]
    assert len(told) == 1 and told[0].startswith("8 missing cells in 4 of 90 rows:")
