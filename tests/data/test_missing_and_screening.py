"""Rules for missing cells; columns that make trouble."""

import warnings

import numpy as np
import pytest

from isingmap.data.convert import as_spin_table
from isingmap.data.missing import MISSING_RULES, apply_missing
from isingmap.data.moments import empirical_moments
from isingmap.data.screening import screen, unbalanced_columns
from isingmap.data.table import Coding, SpinTable
from isingmap.errors import DataError, DataWarning

NA = np.nan
HOLED = [[1, NA, -1], [1, 1, NA], [-1, 1, 1], [NA, NA, -1]]


def random_table(n_samples=50, n_spins=4, **options):
    return as_spin_table(np.random.default_rng(1).choice([-1, 1], (n_samples, n_spins)), **options)


def test_error_says_how_many_and_where():
    with pytest.raises(
        DataError, match=r"4 missing cells in 3 of 4 rows \(empty, NaN or NA\); by column: x2 \(2\), x1 \(1\)"
    ) as caught:
        apply_missing(as_spin_table(HOLED), "error")
    assert all(f"'{rule}'" in str(caught.value) for rule in MISSING_RULES[1:])


def test_drop_keeps_complete_rows_and_their_weights():
    table = apply_missing(as_spin_table(HOLED, weights=[1, 2, 3, 4]), "drop")
    assert table.spins.tolist() == [[-1, 1, 1]] and table.weights.tolist() == [3]
    assert table.notes[-1] == "3 rows with a missing cell dropped, 1 left."


@pytest.mark.parametrize("options", [{}, {"weights": [0, 0, 1.0]}])
def test_drop_with_nothing_left(options):
    cells = [[1, NA], [NA, 1], [NA, 1]] if not options else [[1, 1], [-1, 1], [NA, 1]]
    with pytest.raises(DataError, match="no complete row is left"):
        apply_missing(as_spin_table(cells, **options), "drop")


def test_minus_and_pairwise():
    table = as_spin_table(HOLED)
    with pytest.warns(DataWarning, match="invents 33.3% of all cells"):
        minus = apply_missing(table, "minus")
    assert minus.spins.tolist() == [[1, -1, -1], [1, 1, -1], [-1, 1, 1], [-1, -1, -1]]
    assert minus.notes[-1] == "4 missing cells in 3 of 4 rows read as -1."
    pairwise = apply_missing(table, "pairwise")
    assert np.array_equal(pairwise.spins, table.spins) and "both are known" in pairwise.notes[-1]


@pytest.mark.parametrize("rule", MISSING_RULES)
def test_complete_tables_pass_unchanged(rule):
    table = random_table()
    assert apply_missing(table, rule) is table


def test_unknown_rules():
    with pytest.raises(DataError, match="choose one of error, em, drop, minus, pairwise"):
        apply_missing(random_table(), "impute")
    with pytest.raises(DataError, match="choose error, drop, keep"):
        screen(random_table(), constant="ignore")


def with_columns(*columns, n_samples=50, **options):
    rest = np.random.default_rng(2).choice([0.0, 1.0], (n_samples, 2))
    return as_spin_table(np.column_stack([*columns, rest]), **options)


def test_a_good_table_passes_without_a_word():
    table = random_table()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert screen(table) is table


def test_constant_columns_are_all_named():
    table = with_columns(np.zeros(50), np.ones(50), np.full(50, NA))
    message = r"3 columns with a single value: x1 \(0 in all 50\), x2 \(1 in all 50\), x3 \(no value at all\)"
    with pytest.raises(DataError, match=message + r".*constant='drop'"):
        screen(table)
    dropped = screen(table, constant="drop")
    assert dropped.names == ("x4", "x5")
    assert dropped.notes[-1].startswith("Dropped 3 columns")


def test_a_column_is_constant_where_weights_are_positive():
    column = np.r_[1.0, np.zeros(49)]
    with pytest.raises(DataError, match="x1 .0 in all 49"):
        screen(with_columns(column, weights=np.r_[0.0, np.ones(49)]))


def test_nothing_left_after_dropping():
    with pytest.raises(DataError, match="No other column is left"):
        screen(as_spin_table([[1, 0], [1, 0]]), constant="drop")


def test_rare_columns():
    with pytest.warns(DataWarning, match=r"x1 \('1' in 1 of 50 rows\)"):
        screen(with_columns(np.r_[1.0, np.zeros(49)]))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        screen(with_columns(np.r_[1.0, 1.0, np.zeros(48)]))


def test_rare_counts_weights():
    weights = np.r_[5.0, np.ones(49)]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        screen(with_columns(np.r_[1.0, np.zeros(49)], weights=weights))


def test_duplicate_and_complementary_columns():
    column = np.random.default_rng(3).choice([0.0, 1.0], 50)
    holed = column.copy()
    holed[:5] = NA
    table = with_columns(column, column, 1 - column, holed)
    with pytest.warns(DataWarning) as caught:
        screen(table)
    texts = [str(w.message) for w in caught]
    assert "3 pairs of columns identical in all rows: x1 - x2, x1 - x4, x2 - x4;" in texts[0]
    assert "3 pairs of columns complementary in all rows: x1 - x3, x2 - x3, x3 - x4;" in texts[1]


def test_rows_without_weight_do_not_tell_twins_apart():
    column = np.random.default_rng(3).choice([0.0, 1.0], 50)
    other = np.r_[1 - column[0], column[1:]]
    with pytest.warns(DataWarning, match="1 pair of columns identical in all rows: x1 - x2"):
        screen(with_columns(column, other, weights=np.r_[0.0, np.ones(49)]))


def test_many_duplicates_are_counted():
    column = np.random.default_rng(3).choice([0.0, 1.0], 50)
    with pytest.warns(DataWarning, match="15 pairs.*and 5 more"):
        screen(with_columns(*[column] * 6))


@pytest.mark.parametrize("shape, needed", [((39, 3), 40), ((60, 61), 61)])
def test_few_rows(shape, needed):
    with pytest.warns(DataWarning, match=f"at least {needed} are advisable"):
        screen(random_table(*shape))


def test_unbalanced_columns():
    cells = np.column_stack([np.repeat([1, -1], [66, 34]), np.repeat([1, -1], [64, 36])])
    assert unbalanced_columns(empirical_moments(as_spin_table(cells))) == ("x1",)


def test_a_column_without_any_value_is_named_before_a_rule_is_asked_for():
    spins = np.array([[1, 0, -1], [-1, 0, 1], [1, 0, 1]])
    table = SpinTable(spins, ("a", "b", "c"), (Coding("0", "1"),) * 3)
    with pytest.raises(DataError, match=r"'b' has no value in any row; leave it out \(drop_column='b'\)"):
        apply_missing(table, "error")
