"""Two groups compared: tests held against enumeration and by hand, the same bits everywhere, and refusals by name."""

import pickle
import warnings
from itertools import product

import numpy as np
import pytest
from joblib import parallel_config
from scipy.stats import multivariate_hypergeom
from two_groups import EDGES

import isingmap
from ctrl_c import press_after
from isingmap import PlanarIsing, SpinTable, compare
from isingmap.data.table import Coding
from isingmap.errors import DataError, DataWarning, FileFormatError, ModelError
from isingmap.holm import holm
from isingmap.learning import planar_ising

pytestmark = pytest.mark.filterwarnings("ignore::isingmap.errors.IsingMapWarning")

GREEDY = PlanarIsing(search="greedy")


@pytest.fixture(scope="module")
def found(spins):
    return compare(*spins, GREEDY, n_permutations=19)


def same(one, other):
    """Bit by bit."""
    arrays = [(getattr(one, what), getattr(other, what)) for what in ("couplings", "edge_p_values", "holm_p_values")]
    arrays += [(a.couplings, b.couplings) for a, b in zip(one.outcomes, other.outcomes, strict=True)]
    tests = [(one.structure, other.structure), (one.strength, other.strength)]
    return all(a.tobytes() == b.tobytes() for a, b in arrays) and all(a == b for a, b in tests)


def table_of(counts):
    """Two columns with so many rows of each configuration."""
    return np.repeat([[-1, -1], [-1, 1], [1, -1], [1, 1]], counts, axis=0)


def test_p_values_are_those_of_all_permutations():
    """One coupling, a prior: everything is a function of four counts, whose permutations are enumerated."""
    first, second = np.array([5, 1, 1, 5]), np.array([3, 3, 2, 2])
    pooled = first + second

    def statistics(counts):
        def one(n):
            return np.arctanh((n[0] - n[1] - n[2] + n[3]) / (n.sum() + 1))

        a, b = one(counts), one(pooled - counts)

        def likelihood(n, j):
            return (n[0] + n[3] - n[1] - n[2]) * j - n.sum() * np.log(4 * np.cosh(j))

        return abs(b - a), abs(abs(b) - abs(a)), likelihood(counts, a) + likelihood(pooled - counts, b)

    mine = statistics(first)
    exact = np.zeros(3)
    for counts in product(*(range(n + 1) for n in pooled)):
        if sum(counts) == first.sum():
            chance = multivariate_hypergeom.pmf(counts, pooled, first.sum())
            exact += chance * (np.array(statistics(np.array(counts))) >= np.array(mine) - 1e-9)
    estimator = PlanarIsing(family="zero-field", graph=[(0, 1)], prior=1.0)
    found = compare(table_of(first), table_of(second), estimator, n_permutations=200)
    assert found.structure.value == pytest.approx(mine[0], abs=1e-7)
    assert found.strength.value == pytest.approx(mine[1], abs=1e-7)
    gained = found.likelihood_ratio.value / 2 + found.together.result.log_likelihood
    assert gained == pytest.approx(mine[2], abs=1e-6)
    p_values = [found.structure.p_value, found.strength.p_value, found.likelihood_ratio.p_value, found.edge_p_values[0]]
    for p_value, chance in zip(p_values, exact[[0, 1, 2, 0]], strict=True):
        assert 0.02 < chance < 0.98 and abs(p_value - chance) < 3.5 * np.sqrt(chance * (1 - chance) / 200)


def test_statistics_by_hand(found):
    first, second = (
        dict(zip(map(frozenset, learned.model.edge_names), learned.model.couplings, strict=True))
        for learned in found.maps
    )
    by_hand = [second.get(frozenset(pair), 0.0) - first.get(frozenset(pair), 0.0) for pair in found.pair_names]
    assert found.difference == pytest.approx(by_hand, abs=1e-9)
    assert found.structure.value == pytest.approx(max(map(abs, by_hand)), abs=1e-9)
    strengths = [sum(map(abs, each.values())) for each in (first, second)]
    assert found.strengths == pytest.approx(strengths, abs=1e-9)
    assert found.strength.value == pytest.approx(abs(strengths[0] - strengths[1]), abs=1e-9)
    likelihoods = [learned.result.log_likelihood for learned in (*found.maps, found.together)]
    ratio = 2 * (likelihoods[0] + likelihoods[1] - likelihoods[2])
    assert found.likelihood_ratio.value == pytest.approx(ratio, abs=1e-6)
    assert found.together.moments.n_samples == 160 and found.n_permutations == 19 and found.n_units == (90, 70)
    assert found.edge_p_values[found.pairs.tolist().index([2, 3])] == 0.05


def test_a_given_graph_has_a_chi_square(spins, found):
    given = compare(*spins, PlanarIsing(graph=EDGES), n_permutations=9)
    assert given.degrees_of_freedom == 9 and given.likelihood_ratio.p_value == 0.1
    assert given.asymptotic_p_value < 1e-3
    assert found.degrees_of_freedom is None and np.isnan(found.asymptotic_p_value)
    rows = np.arange(90), np.arange(100, 170)
    for more in ({"clusters": rows}, {"estimator": PlanarIsing(graph=EDGES, prior=1.0)}):
        other = compare(*spins, **({"estimator": PlanarIsing(graph=EDGES), "n_permutations": 1} | more))
        assert other.degrees_of_freedom is None


def test_holm_by_hand():
    assert holm(np.array([0.01, 0.04, 0.03, 0.005])).tolist() == pytest.approx([0.03, 0.06, 0.06, 0.02])
    assert holm(np.array([0.5, 0.9])).tolist() == [1, 1] and not holm(np.empty(0)).size


def test_holm_is_about_pairs_that_are_an_edge_of_any_fit(found):
    ever = {
        tuple(sorted(np.array(sorted(found.names))[list(pair)])) for o in found.outcomes for pair in o.edges.tolist()
    }
    tested = {tuple(sorted(pair)) for pair, it_is in zip(found.pair_names, found.is_tested, strict=True) if it_is}
    assert tested == ever and (found.holm_p_values[~found.is_tested] == 1).all()
    assert (found.holm_p_values >= found.edge_p_values).all()


def test_one_process_two_and_threads_give_the_same_bits(spins, found):
    assert same(found, compare(*spins, GREEDY, n_permutations=19, n_jobs=2))
    with parallel_config("threading", n_jobs=3):
        assert same(found, compare(*spins, GREEDY, n_permutations=19))
    assert found.identity != compare(*spins, PlanarIsing(search="greedy", random_state=1), n_permutations=1).identity


def test_the_order_of_rows_and_columns_does_not_matter(spins, found):
    import pandas

    tables = [pandas.DataFrame(each, columns=[f"x{k}" for k in range(1, 6)]) for each in spins]
    moved = [table.sample(frac=1, random_state=3) for table in tables]
    other = compare(moved[0][["x4", "x2", "x1", "x5", "x3"]], moved[1], GREEDY, n_permutations=19)
    one, two = (
        {
            frozenset(names): numbers
            for names, *numbers in zip(each.pair_names, each.difference, each.edge_p_values, strict=True)
        }
        for each in (found, other)
    )
    assert one == two and found.strength == other.strength
    back = compare(*reversed(spins), GREEDY, n_permutations=19)
    assert (back.difference == -found.difference).all() and (back.edge_p_values == found.edge_p_values).all()


def test_searches_do_without_restarts_unless_they_are_asked_for(spins):
    default = compare(*spins, n_permutations=1)
    assert {learned.result.n_restarts for learned in (*default.maps, default.together)} == {0}
    asked = compare(*spins, PlanarIsing(n_restarts=1), n_permutations=1)
    assert {learned.result.n_restarts for learned in (*asked.maps, asked.together)} == {1}
    assert default.identity != asked.identity


def test_clusters_and_pairs(spins):
    whole = compare(*spins, GREEDY, clusters=(np.arange(90) // 9, 100 + np.arange(70) // 7), n_permutations=4)
    assert (whole.unit, whole.n_units) == ("clusters", (10, 10)) and whole.maps[0].spread.by_cluster
    assert whole.maps[0].spread.n_units == 10
    names = np.array([f"person {k}" for k in range(70)])
    pairs = compare(spins[0][:70], spins[1], GREEDY, clusters=(names, names[::-1]), n_permutations=4)
    assert (pairs.unit, pairs.n_units) == ("pairs", (70, 70))
    tables = [
        SpinTable(each, tuple("abcde"), (Coding("0", "1"),) * 5, clusters=np.arange(len(each)) // 5) for each in spins
    ]
    assert compare(*tables, GREEDY, n_permutations=1).n_units == (18, 14)  # numbers of a table are its own
    with pytest.raises(DataError, match="one of the groups has clusters of rows and the other has none"):
        compare(tables[0], spins[1], GREEDY, n_permutations=1)


def test_rows_of_whole_weight_count_like_rows(spins):
    weights = np.ones(90), np.ones(70)
    weights[0][:10] = 2
    repeated = np.concatenate([spins[0], spins[0][:10]])
    one = compare(*spins, GREEDY, sample_weight=weights, n_permutations=5)
    assert same(one, compare(repeated, spins[1], GREEDY, n_permutations=5))
    fractions = compare(*spins, GREEDY, sample_weight=(weights[0] / 2, weights[1]), n_permutations=5)
    assert fractions.n_permutations == 5 and fractions.n_units == (90, 70)


def test_a_permutation_without_a_fit_is_counted_and_explained(spins):
    alike = [each.copy() for each in spins]
    for each in alike:
        each[:, 1] = each[:, 0]
    for value in (1, -1):
        alike[0][np.flatnonzero(alike[0][:, 0] == value)[0], 1] *= -1
        alike[1][np.flatnonzero(alike[1][:, 0] == value)[0], 1] *= -1
    found = compare(*alike, PlanarIsing(search="greedy", required_edges=[(0, 1)]), n_permutations=12)
    assert 0 < len(found.failures) < 12 and found.n_permutations == 12 - len(found.failures)
    assert all("group '" in why and "x1" in why and "x2" in why for why in found.failures.values())
    assert found.structure.p_value >= 1 / (1 + found.n_permutations)


def test_a_column_with_a_single_value_in_a_permutation_has_no_edge_there(spins):
    rare = [each.copy() for each in spins]
    for each in rare:
        each[:, 1] = -1
        for value in (-1, 1):
            each[np.flatnonzero(each[:, 2] == value)[0], 1] = 1
    found = compare(*rare, GREEDY, n_permutations=30)
    assert set(found.constant) == {"x2"} and found.n_permutations == 30
    assert np.isfinite(found.likelihood_ratio.p_value) and found.likelihood_ratio.expected < 100


def test_columns_that_only_one_group_has_are_left_out(spins):
    import pandas

    tables = [pandas.DataFrame(each, columns=list("abcde")) for each in spins]
    tables[1]["extra"] = tables[1]["a"]
    with pytest.warns(DataWarning, match=r"1 column of 'second' \(extra\) is not in every group, and it is left out"):
        found = compare(*tables, GREEDY, n_permutations=1)
    assert found.names == tuple("abcde") and "Left out, because not every group has them: extra." in found.maps[1].notes
    with pytest.raises(DataError, match="must have at least two columns in common, and have 1"):
        compare(tables[0][["a", "b"]], tables[1][["a", "c"]], GREEDY)
    with pytest.raises(DataError, match="the groups have 5 and 4 columns without names"):
        compare(spins[0], spins[1][:, :4], GREEDY)


@pytest.mark.parametrize(
    ("first", "second", "message"),
    [
        (
            [0, 1],
            [1, 2],
            r"column 'a' does not mean the same .* in 'second' '1' is -1 and '2' is \+1. Write the same labels",
        ),
        (["no", "yes"], [0, 1], "column 'a' does not mean the same .*'no' is -1 and 'yes' is .* Write the same labels"),
    ],
)
def test_labels_must_mean_the_same(first, second, message):
    import pandas

    tables = [pandas.DataFrame({"a": each * 10, "b": (each[:1] * 2 + each[1:] * 2) * 5}) for each in (first, second)]
    with pytest.raises(DataError, match=message):
        compare(*tables, GREEDY, n_permutations=1)


def test_the_same_label_must_be_plus_1_in_both_and_the_advice_helps(spins):
    def table(coding, each):
        return SpinTable(each, tuple("abcde"), (coding, *[Coding("no", "yes")] * 4))

    one, other = table(Coding("m", "f"), spins[0]), table(Coding("f", "m"), spins[1])
    with pytest.raises(
        DataError, match=r"column 'a' .* in 'first' 'm' is -1 and 'f' is \+1; .*: positive=\{'a': 'f'\}"
    ):
        compare(one, other, GREEDY)
    import pandas

    frames = [pandas.DataFrame(np.where(each == 1, "f", "m")).rename(columns=str) for each in spins]
    assert compare(*frames, PlanarIsing(search="greedy", positive="f"), n_permutations=1).names[0] == "0"


def test_constant_columns_are_named_with_their_group(spins):
    flat = spins[1].copy()
    flat[:, 3] = 1
    with pytest.raises(
        DataError, match=r"1 column with a single value in a group: in 'second' \(70 rows\) x4.*constant='drop'"
    ):
        compare(spins[0], flat, GREEDY)
    dropped = compare(spins[0], flat, PlanarIsing(search="greedy", constant="drop"), n_permutations=1)
    assert dropped.names == ("x1", "x2", "x3", "x5") and "Left out of every group" in dropped.maps[0].notes[-1]
    kept = compare(spins[0], flat, PlanarIsing(search="greedy", constant="keep", prior=1.0), n_permutations=1)
    assert len(kept.names) == 5


def test_errors_and_warnings_name_the_group(spins):
    gaps = spins[1].astype(float)
    gaps[3, 2] = np.nan
    with pytest.raises(DataError, match="group 'second': .*1 missing cell"):
        compare(spins[0], gaps, GREEDY)
    dropped = compare(spins[0], gaps, PlanarIsing(search="greedy", missing="drop"), n_permutations=1)
    assert dropped.n_units == (90, 69)
    with pytest.warns(DataWarning, match="group 'few': only 30 observations"):
        compare(spins[0], spins[1][:30], GREEDY, labels=("all", "few"), n_permutations=1)
    pairwise = compare(spins[0], gaps, PlanarIsing(search="greedy", missing="pairwise"), n_permutations=2)
    assert pairwise.n_permutations == 2 and pairwise.together.result.is_composite


@pytest.mark.parametrize(
    ("how", "message"),
    [
        ({"n_permutations": 0}, "n_permutations must be a whole number from 1"),
        ({"n_jobs": 0}, "n_jobs must be 1 or more, or -1"),
        ({"labels": ("a", "a")}, "labels must be two different names"),
        ({"estimator": PlanarIsing(random_state=np.random.default_rng(0))}, "that takes random_state=0"),
        ({"sample_weight": np.ones(160)}, "sample_weight must be a pair, one for each group; got ndarray"),
        (
            {"clusters": (np.arange(90), np.arange(71))},
            r"clusters must be one label per row: expected \(70,\), got \(71,\)",
        ),
        ({"estimator": PlanarIsing(weight_kind="survey")}, "weight_kind='survey' has no permutation test"),
        ({"estimator": PlanarIsing(criterion="cv")}, "every group and every permutation choose settings of its own"),
    ],
)
def test_settings_that_cannot_be(spins, how, message):
    with pytest.raises((ModelError, DataError), match=message):
        compare(*spins, **({"estimator": GREEDY} | how))


def test_warnings_of_a_group_come_at_once_and_name_it(spins, monkeypatch):
    heard, searched = [], planar_ising.searched

    def listened(*arguments):
        heard.append([str(one.message) for one in caught])
        return searched(*arguments)

    monkeypatch.setattr(planar_ising, "searched", listened)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        found = compare(spins[0][:30], spins[1], GREEDY, labels=("A", "B"), n_permutations=1)
    assert heard[0][0].startswith("group 'A': only 30 observations")
    assert found.maps[0].warnings[0].startswith("only 30 observations")


def test_seeds_and_clusters_are_looked_at_before_any_work(spins, monkeypatch):
    monkeypatch.setattr(PlanarIsing, "fit", None)
    with pytest.raises(DataError, match="2 clusters of 158 have rows in both groups .*second.*give other clusters"):
        compare(*spins, GREEDY, clusters=(np.arange(90), np.arange(88, 158)))
    with pytest.raises(ModelError, match="that takes random_state=0"):
        compare(*spins, PlanarIsing(random_state=np.random.default_rng(0)))


def test_sums_over_rows_cannot_be_dealt_out(spins):
    rows = isingmap.MomentAccumulator()
    rows.add(spins[0])
    with pytest.raises(DataError, match="there are only sums over them here; give the tables"):
        compare(rows, spins[1], GREEDY)


def test_ctrl_c_keeps_what_is_finished_and_a_checkpoint_goes_on(spins, found, tmp_path, monkeypatch):
    file = tmp_path / "kept"
    press_after(10, monkeypatch)
    estimator = PlanarIsing(search="greedy", checkpoint=file)
    some = compare(*spins, estimator, n_permutations=19)
    assert some.interrupted and some.n_permutations == 5 and file.exists()
    monkeypatch.undo()
    with pytest.raises(FileFormatError, match="made with other options"):
        compare(*spins, PlanarIsing(search="greedy", checkpoint=file, gamma=0.5), n_permutations=19)
    fewer = compare(*spins, PlanarIsing(search="greedy"), n_permutations=4)
    assert same(compare(*spins, estimator, n_permutations=4), fewer) and fewer.n_permutations == 4 and file.exists()
    again = compare(*spins, estimator, n_permutations=19)
    assert same(again, found) and not again.interrupted and not file.exists()


def test_ctrl_c_in_the_first_permutation_leaves_no_tests(spins, tmp_path, monkeypatch):
    press_after(0, monkeypatch)
    with pytest.raises(KeyboardInterrupt, match="before the first permutation was finished"):
        compare(*spins, PlanarIsing(search="greedy", checkpoint=tmp_path / "kept"))
    assert (tmp_path / "kept").exists()


def test_it_survives_a_pickle(found):
    other = pickle.loads(pickle.dumps(found))
    assert same(found, other) and "19 permutations of 5 variables" in repr(other)
    assert isingmap.Comparison is type(found)


def test_estimator_and_warning_filters_are_left_as_they_were(spins):
    estimator = PlanarIsing(search="greedy")
    before, filters = estimator.get_params(), list(warnings.filters)
    compare(*spins, estimator, n_permutations=1)
    assert estimator.get_params() == before and not hasattr(estimator, "_learned") and warnings.filters == filters


def test_a_table_compared_with_itself_is_told(spins):
    with pytest.warns(DataWarning, match="'first', 'second' have the same number of rows and the same means"):
        compare(spins[0], spins[0][::-1], GREEDY, n_permutations=1)
