"""A criterion prices a whole model; one that prices fields apart is a record, and the searches follow it."""

from dataclasses import dataclass, replace

import numpy as np
import pytest

from bare_moments import learn_structure, problem_of
from isingmap import PlanarIsing, SearchOptions
from isingmap.structure import criteria
from isingmap.structure.criteria import CRITERIA, CROSS_VALIDATED, Criterion, LinearPrice
from isingmap.structure.options import OPTIONS
from isingmap.structure.state.search_state import SearchState


def biased(seed=0, n_spins=9, n_rows=500):
    """Data with leanings and ties."""
    rng = np.random.default_rng(seed)
    latent = rng.normal(size=(n_rows, n_spins)) @ rng.normal(size=(n_spins, n_spins)) / 2
    data = np.sign(latent + rng.normal(size=n_spins) + rng.normal(size=(n_rows, n_spins)))
    return data.T @ data / n_rows, data.mean(axis=0)


@dataclass(frozen=True)
class CountedPrice:
    """The k-th coupling costs k units, a field half a unit: not in proportion."""

    unit: float

    def of_model(self, n_couplings, n_fields):
        return self.unit * (n_couplings * (n_couplings + 1) / 2 + 0.5 * n_fields)

    def of_coupling(self, n_couplings, n_fields):
        return self.unit * (n_couplings + 1)

    def of_field(self, n_couplings, n_fields):
        return 0.5 * self.unit


@dataclass(frozen=True)
class PriceOfSize:
    """Whatever they are, more parameters cost more, but not in proportion."""

    unit: float

    def of_coupling(self, n_couplings, n_fields):
        return self.of_model(n_couplings + 1, n_fields) - self.of_model(n_couplings, n_fields)

    of_field = of_coupling


class SquaredPrice(PriceOfSize):
    def of_model(self, n_couplings, n_fields):
        return self.unit * (n_couplings + n_fields) ** 2


class RootPrice(PriceOfSize):
    def of_model(self, n_couplings, n_fields):
        return self.unit * (n_couplings + n_fields) ** 0.5


@pytest.fixture
def listed(monkeypatch):
    """The function that lists a new criterion, as one more record would."""

    def add(name, price):
        record = Criterion(name, f"{name}: for a test", "", lambda n_samples, n_spins, gamma: price)
        monkeypatch.setitem(CRITERIA, name, record)
        field = SearchOptions.__dataclass_fields__["criterion"]
        details = {**field.metadata["option"], "choices": tuple(CRITERIA)}
        monkeypatch.setattr(field, "metadata", {"option": details})
        return name

    return add


def value(result, price, n_spins, n_samples=500):
    n_fields = int(result.model.free_fields.sum())
    return result.log_likelihood / n_samples - price.of_model(result.model.n_edges, n_fields)


@pytest.mark.parametrize(
    "price",
    [LinearPrice(0.02, 0.001), LinearPrice(0.004, 0.05), CountedPrice(0.001), SquaredPrice(1e-4), RootPrice(0.02)],
)
@pytest.mark.parametrize("seed", range(3))
def test_fields_priced_apart(price, seed, listed):
    moments, means = biased(seed)
    name = listed("apart", price)
    common = {"magnetizations": means, "criterion": name, "prior": 1.0}
    found = learn_structure(moments, 500, **common, n_restarts=5, audit_every=3)
    for other in ("aic", "bic", "ebic"):
        rival = learn_structure(moments, 500, **{**common, "criterion": other}, n_restarts=0)
        assert value(found, price, 9) >= value(rival, price, 9) - 1e-9
    greedy = learn_structure(moments, 500, **common, search="greedy")
    assert value(found, price, 9) >= value(greedy, price, 9) - 1e-9


def test_cheap_fields_come_and_dear_ones_do_not(listed):
    moments, means = biased(4)
    counts = []
    for field in (1e-6, 0.004, 0.5):
        name = listed(f"field {field}", LinearPrice(0.004, field))
        result = learn_structure(
            moments, 500, magnetizations=means, family="partial", criterion=name, prior=1.0, n_restarts=0
        )
        counts.append(int(result.model.free_fields.sum()))
    assert counts[0] > counts[1] > counts[2] == 0


def test_a_gain_is_told_apart_from_its_price(listed):
    """The best pair is that of the largest gain less its price, and its gain is reported."""
    moments, means = biased(5)
    problem, _ = problem_of(moments, 500, magnetizations=means, family="partial", prior=1.0)
    state = SearchState(problem, SearchOptions(criterion=listed("dear", LinearPrice(0.0, 10.0))))
    i, j, gain, _ = state.best_addable()
    assert j < 9 and gain == state.gain((i, j))
    state = SearchState(problem, SearchOptions(criterion=listed("free", LinearPrice(10.0, 0.0))))
    i, j, gain, _ = state.best_addable()
    assert j == 9 and gain == pytest.approx(state.gain((i, j)), abs=1e-14)


def test_every_criterion_is_said_in_help_and_summary():
    (setting,) = (option for option in OPTIONS if option.name == "criterion")
    for name, record in CRITERIA.items():
        assert f"{name}: {record.help}" in setting.help
        assert record.meaning.format(gamma=0.25)
    assert setting.choices == (*CRITERIA, CROSS_VALIDATED)


def test_linear_prices_add_up():
    price = LinearPrice(0.3, 0.1)
    assert price.of_model(2, 3) == pytest.approx(0.9)
    steps = price.of_coupling(0, 0) + price.of_field(1, 0) + price.of_field(1, 1)
    assert steps == pytest.approx(price.of_model(1, 2))
    equal = replace(price, field=0.3)
    assert equal.of_model(2, 3) == 0.3 * 5  # to the last bit, as a price for each parameter
    assert criteria.aic(-10.0, 3) == 26.0


def test_ebic_of_a_result_is_what_the_search_minimises():
    """Foygel and Drton's formula, on the path and in the result, also on graphs that are drawn at once."""
    data = np.random.default_rng(0).choice([-1, 1], (300, 5))
    data[:, 1] = np.where(np.random.default_rng(1).random(300) < 0.9, data[:, 0], data[:, 1])
    for search in ("forward-backward", "greedy", "chow-liu"):
        result = PlanarIsing(search=search, gamma=0.75).fit(data).result_
        price = np.log(300) + 4 * 0.75 * np.log(5)
        expected = -2 * result.path.log_likelihood + price * result.path.n_parameters
        np.testing.assert_allclose(result.path.ebic, expected, rtol=1e-14)
        assert result.ebic == result.path.ebic[-1] and result.gamma == 0.75
