"""Arguments of the Python side that are none: each is refused by name, or taken and repeated in the summary."""

import numpy as np
import pytest

from isingmap import PlanarIsing
from isingmap.errors import FitWarning, ModelError
from isingmap.report.fit_facts import settings_text
from isingmap.report.results import write_results
from isingmap.report.saved_map import read_positions


@pytest.fixture(scope="module")
def spins():
    rng = np.random.default_rng(0)
    x = rng.choice([-1, 1], size=(300, 4))
    for j in (1, 2):
        x[:, j] = np.where(rng.random(300) < 0.8, x[:, j - 1], x[:, j])
    return x


@pytest.fixture(scope="module")
def fitted(spins):
    return PlanarIsing().fit(spins)


def test_results_need_what_was_learned(fitted, tmp_path):
    with pytest.raises(ModelError, match="got PlanarIsing; give its learned_"):
        write_results(fitted, tmp_path / "map")
    for other in (None, "map", fitted.model_):
        with pytest.raises(ModelError, match="give learned_ of a fitted PlanarIsing"):
            write_results(other, tmp_path / "map")


@pytest.mark.parametrize("place", [(np.nan, 0), (0, np.inf), "xy", ("1", "2"), (1, 2, 3), (1,), None, 3, (1j, 0)])
def test_a_place_that_is_none(fitted, tmp_path, place):
    places = {name: (k, 0) for k, name in enumerate(fitted.model_.names)}
    with pytest.raises(ModelError, match=r"the place of x2 must be two finite numbers"):
        write_results(fitted.learned_, tmp_path / "map", places={**places, "x2": place})
    assert not (tmp_path / "map").exists()


def test_places_in_odd_types(fitted, tmp_path):
    names = fitted.model_.names
    write_results(fitted.learned_, tmp_path / "map", places={n: np.array([k, -k]) for k, n in enumerate(names)})
    assert read_positions(tmp_path / "map" / "model.json") == {n: (k, -k) for k, n in enumerate(names)}
    for places in ([(0, 1)] * 4, np.zeros((4, 2)), "model.json"):
        with pytest.raises(ModelError, match=r"places must map names to"):
            write_results(fitted.learned_, tmp_path / "other", places=places)


@pytest.mark.parametrize(
    ("edges", "message"),
    [
        (np.array([[0.0, 1.0]]), "expected pairs"),
        ([(np.nan, 1)], "expected pairs"),
        ([(True, False)], "expected pairs"),
        ([0, 1], "expected pairs"),
        ([(0, 1), (2,)], "expected pairs"),
        (3, "expected pairs"),
        ("x1", "expected pairs"),
        ({("x1", "x2")}, "expected pairs"),
        ([("x1", "z")], "no variable .z."),
        ([("x1", "x1")], "to itself"),
        ([(0, 1), (1, 0)], "more than once"),
        ([(0, 9)], "numbered 0..3"),
    ],
)
def test_required_edges_that_are_none(spins, edges, message):
    with pytest.raises(ModelError, match=f"required_edges: .*{message}"):
        PlanarIsing(required_edges=edges).fit(spins)


def test_the_call_that_repeats_can_be_typed(spins):
    fit = PlanarIsing(required_edges=np.array([["x1", "x4"]]), n_restarts=1).fit(spins)
    assert "required_edges=[['x1', 'x4']]" in settings_text(fit.learned_)
    text = settings_text(PlanarIsing(random_state=np.random.default_rng(1)).fit(spins).learned_)
    assert "random_state=... (a generator, which nobody can repeat; a whole number can be)" in text


def test_values_without_a_name():
    with pytest.raises(TypeError, match="takes its settings by name.*got str without a name"):
        PlanarIsing("zero-field")


@pytest.mark.parametrize("search", ["tmfg", "pmfg", "chow-liu", "independent"])
def test_settings_that_change_nothing_are_named(spins, search):
    with pytest.warns(FitWarning, match=f"criterion=aic, random_state=3 have no say .*search={search}"):
        fit = PlanarIsing(search=search, prior=1, criterion="aic", gamma=0.5, random_state=3).fit(spins)
    assert any("no say in the graph" in text for text in fit.learned_.warnings)
    PlanarIsing(search=search, prior=1, criterion="ebic", random_state=0).fit(spins)
