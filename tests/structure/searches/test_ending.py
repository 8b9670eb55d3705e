"""Why a search ended is said of the final model, and tells what can be added from what the plane blocks."""

import re

import numpy as np
import pytest

from isingmap import PlanarIsing
from isingmap.likelihood.fit import fit_couplings


def glass(n_spins=7, seed=0):
    """A table whose variables all lean on each other a little."""
    rng = np.random.default_rng(seed)
    common = rng.choice([-1, 1], (400, 1))
    return np.where(rng.random((400, n_spins)) < 0.7, common, -common)


@pytest.mark.parametrize("search", ["greedy", "forward-backward"])
def test_the_gain_told_is_that_of_the_final_model(search):
    data = np.random.default_rng(3).choice([-1, 1], (60, 5))
    data[:, 1] = np.where(np.random.default_rng(4).random(60) < 0.9, data[:, 0], data[:, 1])
    fit = PlanarIsing(family="zero-field", criterion="bic", search=search).fit(data)
    pattern = r"best addition left, (\w+) - (\w+), is guaranteed to gain (\S+) nats per row, below the BIC price of a "
    pattern += r"parameter, (\S+) \(it would gain (\S+) after a refit\)$"
    source, target, guaranteed, price, exact = re.search(pattern, fit.result_.stopped).groups()
    assert float(price) == pytest.approx(np.log(60) / 120, rel=1e-2)
    names = fit.model_.names
    edges = [*fit.edges_.tolist(), [names.index(source), names.index(target)]]
    larger = fit_couplings(edges, fit.moments_.moments, n_spins=5, n_samples=60)
    gain = (larger.log_likelihood - fit.log_likelihood_) / 60
    assert gain == pytest.approx(float(exact), rel=1e-2) and float(guaranteed) <= gain * 1.01


def test_hundreds_of_blocked_pairs_do_not_hide_one_that_pays_after_its_refit():
    """The plane blocks more than fifty pairs of larger guaranteed gain than the best that can be added."""
    rng = np.random.default_rng(1)
    factors = rng.normal(size=(400, 2)) @ rng.normal(size=(2, 30))
    data = np.where(factors + 0.7 * rng.normal(size=(400, 30)) > 0, 1, -1)
    stopped = PlanarIsing(n_restarts=0).fit(data).result_.stopped
    price, exact = re.search(r"price of a parameter, (\S+) \(it would gain (\S+) after a refit\)", stopped).groups()
    assert float(exact) <= float(price)


def test_what_the_plane_has_no_room_for():
    fit = PlanarIsing(family="zero-field", criterion="maximal").fit(glass())
    assert fit.model_.n_edges == 15
    found = re.fullmatch(
        r"no further pair can be added; the plane has no room for (\w+) - (\w+), guaranteed to gain (\S+), "
        r"and \d more pairs that would be worth it",
        fit.result_.stopped,
    )
    assert found and float(found[3]) > 0
    pair = {found[1], found[2]}
    assert pair not in map(set, fit.model_.edge_names)
