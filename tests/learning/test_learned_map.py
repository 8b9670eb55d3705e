"""The record between learning and reporting keeps what a reader must know, and computes it once."""

import pickle
import threading
import warnings

import numpy as np
import pytest

from isingmap import PlanarIsing, as_spin_table
from isingmap.checking.goodness import goodness_of_fit
from isingmap.data.table import SpinTable
from isingmap.errors import DataWarning, ModelError
from isingmap.warned import heard_warnings, warn


def chain(n_rows=300, seed=0):
    """Four -1/+1 columns, each a noisy copy of the one before."""
    rng = np.random.default_rng(seed)
    x = rng.choice([-1, 1], (n_rows, 4))
    for j in range(1, 4):
        x[:, j] = np.where(rng.random(n_rows) < 0.85, x[:, j - 1], -x[:, j - 1])
    return x


def table_of(x, groups):
    table = as_spin_table(x)
    return SpinTable(table.spins, table.names, table.codings, groups=groups)


@pytest.fixture
def learned():
    return PlanarIsing(prior=1).fit(chain()).learned_


def test_everything_stands_on_the_record():
    fit = PlanarIsing(family="zero-field", missing="drop", random_state=3, verbose=False).fit(chain())
    learned = fit.learned_
    assert (learned.result, learned.moments, learned.codings) == (fit.result_, fit.moments_, fit.codings_)
    assert learned.settings["missing"] == "drop" and learned.settings["random_state"] == 3
    assert not {"checkpoint", "verbose"} & set(learned.settings)
    assert repr(learned) == f"LearnedMap({fit.model_!r} from 300 rows)"
    assert (learned.warnings, learned.groups, learned.title) == ((), None, "")


def test_groups_of_the_variables_that_are_left():
    x = chain()
    x[:, 1] = 1
    assert PlanarIsing(constant="drop").fit(table_of(x, "abcd")).learned_.groups == ("a", "c", "d")


@pytest.mark.parametrize("rule", ["always", "ignore"])
def test_warnings_are_kept_whatever_the_filter(rule):
    x = np.column_stack([chain(), chain()[:, 0]])
    kept = []
    with warnings.catch_warnings(record=True) as shown:
        warnings.simplefilter(rule)
        for _ in range(2):
            kept.append(PlanarIsing(family="zero-field").fit(x).learned_.warnings)
    assert kept[0] == kept[1] and len(kept[0]) == 2
    assert "identical in all rows" in kept[0][0] and "left out because it would be infinite" in kept[0][1]
    assert [str(one.message) for one in shown] == ([*kept[0], *kept[1]] if rule == "always" else [])
    assert all(one.filename == __file__ for one in shown)  # where fit was called


def test_warnings_point_at_the_line_of_the_user_however_deep_down():
    x = np.column_stack([chain(), chain()[:, 0]])
    holes = np.where(np.arange(300)[:, None] % 5 == np.arange(5), np.nan, x)
    few = PlanarIsing(family="zero-field", search="greedy", missing="minus")
    calls = (
        lambda: few.fit(holes),
        lambda: few.stability(holes[:100], n_resamples=1),
        lambda: few.partial_fit(holes).learned_,
        lambda: goodness_of_fit(few.model_, as_spin_table(holes), missing="minus", n_tables=19),
    )
    for call in calls:
        with warnings.catch_warnings(record=True) as shown:
            warnings.simplefilter("always")
            call()
        assert shown and {one.filename for one in shown} == {__file__}


def test_given_moments_have_their_warnings_too():
    with pytest.warns(UserWarning, match="instead of n_edges=3"):
        fit = PlanarIsing(family="zero-field", n_edges=3).fit_moments(np.eye(3), 50)
    assert len(fit.learned_.warnings) == 1 and fit.learned_.codings is None


@pytest.mark.filterwarnings("ignore::isingmap.errors.IsingMapWarning")
def test_threads_do_not_hear_each_other():
    with heard_warnings() as outer:
        with heard_warnings() as inner:
            warn("both", DataWarning)
        warn("outer", DataWarning)
        other = threading.Thread(target=warn, args=("elsewhere", DataWarning))
        other.start()
        other.join()
    warn("nobody", DataWarning)
    assert (outer, inner) == (["both", "outer"], ["both"])


@pytest.mark.parametrize("asked", [{}, {"errors": "robust"}, {"prior": 2.0}])
def test_the_hessian_is_inverted_once_for_a_folder_of_results(asked, monkeypatch, tmp_path):
    """Errors, intervals and the errors of thresholds."""
    from isingmap.likelihood import curvature
    from isingmap.report.results import write_results

    fit = PlanarIsing(**asked).fit(chain()).learned_
    monkeypatch.setattr(curvature, "np", counting := CountsInverses())
    write_results(fit, tmp_path / "map")
    assert counting.n_inverses == 1


class CountsInverses:
    """NumPy, and how often it was asked for an inverse."""

    n_inverses = 0

    def __getattr__(self, name):
        return getattr(np, name)

    @property
    def linalg(self):
        return self

    def inv(self, matrix):
        self.n_inverses += 1
        return np.linalg.inv(matrix)


def test_errors_of_couplings_and_fields():
    x = chain()
    x[:, 3] = np.where(np.random.default_rng(1).random(len(x)) < 0.9, 1, -1)
    learned = PlanarIsing(family="partial").fit(x).learned_
    free = learned.model.free_fields
    assert free.any() and not free.all()
    inverse = np.sqrt(np.diagonal(np.linalg.inv(learned.model.hessian())) / len(x))
    np.testing.assert_array_equal(np.isnan(learned.field_errors), ~free)
    both = np.concatenate([learned.coupling_errors, learned.field_errors[free]])
    np.testing.assert_allclose(both, inverse, rtol=1e-12)


def test_a_pickle_holds_no_caches(learned):
    before = learned.positions, learned.coupling_errors
    again = pickle.loads(pickle.dumps(learned))
    assert not {"positions", "errors"} & set(vars(again))
    assert again.positions == before[0]
    np.testing.assert_array_equal(again.coupling_errors, before[1])


def test_described_changes_what_is_given(learned):
    other = learned.described(title="a table", groups=[1, 2, 3, 4])
    assert (other.title, other.groups, other.layout) == ("a table", ("1", "2", "3", "4"), "planar")
    assert (learned.title, learned.groups) == ("", None) and other.described().title == "a table"


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"groups": ["a", "b", "c"]}, "one entry for each of the 4 variables, got 3"),
        ({"groups": "abcd"}, "one entry for each variable, got the text .abcd."),
        ({"places": {"x1": (0, 0), "x3": (1, 1)}}, "no place for 2 variables of 4: x2, x4"),
    ],
)
def test_what_does_not_fit_is_refused(learned, change, message):
    with pytest.raises(ModelError, match=message):
        learned.described(**change)


def test_places_are_found_by_the_layout(learned):
    planar, far = learned.positions, learned.described(layout="kamada-kawai").positions
    assert list(planar) == list(far) == list(learned.model.names) and planar != far
    with pytest.raises(ModelError, match="planar, kamada-kawai; got 'round'"):
        _ = learned.described(layout="round").positions
