"""Cross-validation: folds that no order changes, and scores that enumeration confirms."""

import itertools

import numpy as np
import pytest

from isingmap import as_spin_table
from isingmap.data.moments import empirical_moments
from isingmap.data.table import SpinTable
from isingmap.errors import DataError, ModelError
from isingmap.selection.cross_validation import CRITERIA_TRIED, Tried, _with_taken, cross_validated
from isingmap.selection.folds import folds_of, refuse_constant
from isingmap.structure.learn import learn_structure
from isingmap.structure.options import SearchOptions
from isingmap.structure.problem import Problem


def chain(n_rows=240, n=5, seed=0):
    rng = np.random.default_rng(seed)
    x = np.where(rng.random((n_rows, n)) < 0.6, 1, -1)
    for j in range(1, n):
        x[:, j] = np.where(rng.random(n_rows) < 0.75, x[:, j - 1], x[:, j])
    return x


def validated(table, family="planar", **options):
    problem = Problem(empirical_moments(table), family=family)
    return cross_validated(table, problem, SearchOptions(criterion="cv", n_folds=4, **options))


@pytest.fixture(scope="module")
def found():
    return validated(as_spin_table(chain()), "auto")


def shuffled(table):
    rows, columns = np.random.default_rng(5).permutation(table.n_samples), [3, 0, 4, 2, 1]
    return SpinTable(table.spins[rows], table.names, table.codings).select(columns)


def test_the_order_of_rows_and_columns_does_not_matter(found):
    again = validated(shuffled(as_spin_table(chain())), "auto")
    assert [entry.taken for entry in again.tried] == [entry.taken for entry in found.tried]
    assert [entry.mean for entry in again.tried] == pytest.approx([entry.mean for entry in found.tried], abs=1e-12)


def test_a_weight_is_so_many_rows():
    table = as_spin_table(chain())
    distinct, counts = np.unique(table.spins, axis=0, return_counts=True)
    compressed = SpinTable(distinct, table.names, table.codings, counts)
    assert np.array_equal(folds_of(compressed, 4, 1).held, folds_of(table, 4, 1).held)
    assert not np.array_equal(folds_of(table, 4, 2).held, folds_of(table, 4, 1).held)


def test_folds_are_of_equal_size_and_hold_every_row_once():
    table = as_spin_table(chain())
    folds = folds_of(table, 7, 0)
    sizes = folds.held.sum(axis=1)
    assert sizes.sum() == 240 and sizes.max() - sizes.min() <= 1
    assert np.array_equal(folds.training_weights(2) + folds.held[2], folds.table.weights)


def test_rows_of_a_group_stay_together():
    table = as_spin_table(chain())
    groups = np.arange(240) // 8
    fold_of = folds_of(table, 5, 0, groups=groups)
    names = [f"g{group:02}" for group in groups]
    assert fold_of.by_group and np.array_equal(folds_of(table, 5, 0, groups=names).held, fold_of.held)
    number = np.unique(table.spins, axis=0, return_inverse=True)[1].reshape(-1)
    whole = [np.bincount(number[groups == g], minlength=len(fold_of.table.spins)) for g in range(30)]
    parts = [sum(whole[g] for g in chosen) for chosen in _split(whole, fold_of.held)]
    assert np.array_equal(parts, fold_of.held)


def test_sums_of_weights_in_a_fold_do_not_depend_on_the_order_of_the_rows():
    rng, table = np.random.default_rng(0), as_spin_table(chain(n=3))
    groups, weights = np.arange(240) // 8, rng.uniform(0.3, 2.2, 240)
    held = [
        folds_of(
            SpinTable(table.spins[rows], table.names, table.codings, weights[rows]), 5, 0, groups=groups[rows]
        ).held
        for rows in (np.arange(240), rng.permutation(240))
    ]
    assert np.array_equal(*held)


def _split(whole, held):
    """The groups of each fold, as the permutation of the seed gives them."""
    fold = np.random.default_rng(0).permutation(len(whole)) % len(held)
    return [np.flatnonzero(fold == k) for k in range(len(held))]


def test_scores_are_those_of_enumeration(found):
    table = as_spin_table(chain())
    folds, total = folds_of(table, 4, 0), 0.0
    for fold, held in enumerate(folds.held):
        training = SpinTable(folds.table.spins, table.names, table.codings, folds.training_weights(fold))
        options = SearchOptions(criterion="bic", n_restarts=0)
        model = learn_structure(Problem(empirical_moments(training)), options).model
        every = np.array(list(itertools.product((-1, 1), repeat=5)))
        i, j = model.edges.T
        weight = {tuple(x): np.exp(model.couplings @ (x[i] * x[j]) + model.fields @ x) for x in every}
        total += sum(
            w * np.log(weight[tuple(x)] / sum(weight.values())) for x, w in zip(folds.table.spins, held, strict=True)
        )
    entry = next(e for e in found.tried if (e.family, e.criterion) == ("planar", "bic"))
    assert entry.mean == pytest.approx(total / 240, abs=1e-10)


def test_what_is_tried(found):
    assert len(found.tried) == 4 * len(CRITERIA_TRIED) and found.n_folds == 4
    assert {entry.family for entry in validated(as_spin_table(chain()), "zero-field").tried} == {"zero-field"}
    best = max(found.tried, key=lambda entry: entry.mean)
    assert found.taken.behind <= found.taken.behind_se and (best.behind, best.behind_se) == (0, 0)


def test_the_simplest_within_one_standard_error_is_taken():
    def entry(criterion, behind, behind_se, n):
        return Tried("planar", criterion, 0.0, -behind, 0.1, behind, behind_se, n, n)

    tried = [entry("aic", 0.0, 0.0, 9), entry("bic", 0.1, 0.2, 5), entry("ebic", 0.3, 0.2, 2)]
    assert [e.criterion for e in _with_taken(tried) if e.taken] == ["bic"]
    equal = [entry("bic", 0.0, 0.0, 5), entry("aic", 0.0, 0.0, 5)]  # the strictest is tried first
    assert [e.criterion for e in _with_taken(equal) if e.taken] == ["bic"]


def test_what_cannot_be_held_out_is_refused():
    x = chain()
    x[:, 2] = np.where(np.arange(240) == 7, 1, -1)
    with pytest.raises(DataError, match=r"1 column \(x3\) has a single value"):
        refuse_constant(folds_of(as_spin_table(x), 4, 0))
    with pytest.raises(DataError, match="n_folds=4 with 3 rows"):
        folds_of(
            as_spin_table(
                chain(20)[:3],
            ),
            4,
            0,
        )
    missing = chain().astype(float)
    missing[0, 0] = np.nan
    with pytest.raises(DataError, match="needs complete rows"):
        folds_of(as_spin_table(missing), 4, 0)
    with pytest.raises(ModelError, match="only moments"):
        learn_structure(Problem(empirical_moments(as_spin_table(chain()))), SearchOptions(criterion="cv"))
