"""Numbers of two and four words: their arithmetic, and models solved with them against balls."""

from fractions import Fraction
from types import SimpleNamespace

import numpy as np
import pytest

from isingmap.compiled import kernel
from isingmap.errors import PrecisionError
from isingmap.inference.extended import ExtendedGraph
from isingmap.inference.pfaffian.words import add, add_product, divide, multiply_words, negative, normalised
from isingmap.inference.planar_solution import PlanarSolution
from isingmap.inference.precision import Ladder, RungKind
from isingmap.inference.proofs.certified import certified_variance
from isingmap.inference.proofs.certified_solution import certified_solution
from isingmap.inference.rungs import BALLS, FOUR_WORDS, GROUND_GAUGE, TWO_WORDS, PlannedModel, zero_field_ladder
from isingmap.inference.word_solution import word_solution
from isingmap.inference.word_variance import variance_in_words
from isingmap.inference.zero_field.plan import plan
from oracles import grid_edges


@kernel
def computed(x, y):
    gathered = normalised(add_product(add_product(x, x, y), y, y))
    return add(x, y), add(x, negative(y)), multiply_words(x, y), divide(x, y), gathered


def words_of(value: Fraction, n_words: int) -> tuple[float, ...]:
    words = []
    for _ in range(n_words):
        words.append(float(value))
        value -= Fraction(words[-1])
    return tuple(words)


def random_fraction(rng) -> Fraction:
    size = int(rng.integers(1, 60))
    return Fraction(int.from_bytes(rng.bytes(40)) - 2**319, 2 ** (319 + size) * 3)


@pytest.mark.parametrize(("n_words", "bits"), [(2, 100), (4, 200)])
def test_arithmetic_against_fractions(n_words, bits):
    rng = np.random.default_rng(0)
    for trial in range(300):
        x, y = random_fraction(rng), random_fraction(rng)
        if trial % 3 == 0:  # nearly the same, so that much cancels
            y = x * (1 + Fraction(int(rng.integers(-9, 10)), 2 ** int(rng.integers(1, 300))))
        x, y = (sum(map(Fraction, words_of(value, n_words))) for value in (x, y))
        exact = (x + y, x - y, x * y, x / y, x + x * y + y * y)
        scale = (abs(x) + abs(y),) * 2 + (abs(x * y), abs(x / y), abs(x) + abs(x * y) + y * y)
        for found, right, size in zip(computed(words_of(x, n_words), words_of(y, n_words)), exact, scale, strict=True):
            assert abs(sum(map(Fraction, found)) - right) <= size / 2**bits


def glass(side: int, temperature: float, seed: int, normal: bool = False) -> PlannedModel:
    edges = grid_edges(side, side)
    rng = np.random.default_rng(seed)
    couplings = rng.normal(size=len(edges)) if normal else rng.choice([-1.0, 1.0], len(edges))
    return PlannedModel(plan(side * side, edges), couplings / temperature)


@pytest.mark.parametrize(
    ("n_words", "side", "temperature", "normal"),
    [(2, 6, 0.3, False), (4, 6, 0.3, False), (2, 9, 0.3, True), (4, 9, 0.3, True), (2, 11, 0.6, False)],
)
def test_every_answer_is_that_of_balls(n_words, side, temperature, normal):
    model = glass(side, temperature, side, normal)
    words = word_solution(model.plan, model.couplings, model.gauge, n_words)
    balls = certified_solution(model.plan, model.couplings, spins=model.ground_spins)
    assert words.loss <= 1e-14
    assert words.log_partition == pytest.approx(balls.log_partition, rel=1e-14)
    close = {"rtol": 0, "atol": 1e-12}
    np.testing.assert_allclose(words.moments(), balls.moments(), **close)
    np.testing.assert_allclose(words.hessian(), balls.hessian(), **close)
    np.testing.assert_allclose(words.correlations(), balls.correlations(), **close)
    rng = np.random.default_rng(0)
    vector, (first, second) = rng.normal(size=model.couplings.size), rng.integers(model.couplings.size, size=(2, 20))
    np.testing.assert_allclose(words.hessian_product(vector), balls.hessian_product(vector), rtol=0, atol=1e-11)
    np.testing.assert_allclose(words.hessian_entries(first, second), balls.hessian_entries(first, second), **close)


@pytest.mark.parametrize(
    ("n_words", "side", "temperature", "normal"), [(2, 6, 0.3, False), (4, 9, 0.15, True), (2, 9, 1.0, True)]
)
def test_the_variance_is_that_of_balls(n_words, side, temperature, normal):
    model = glass(side, temperature, side, normal)
    found = variance_in_words(model.plan, model.couplings, model.gauge, n_words)
    proved = certified_variance(model.plan, model.couplings, spins=model.ground_spins)
    assert found == pytest.approx(proved, rel=1e-10, abs=1e-10)
    assert variance_in_words(model.plan, 0 * model.couplings, model.gauge, n_words) == 0.0


def test_a_variance_that_words_lose_too_is_refused(monkeypatch):
    model = glass(6, 0.3, 6)
    monkeypatch.setattr("isingmap.inference.word_variance.FINENESS", 80)
    with pytest.raises(PrecisionError, match="lost in rounding, in numbers of 106 bits too"):
        variance_in_words(model.plan, model.couplings, model.gauge, 2)


def test_variances_of_large_models_take_no_balls(monkeypatch):
    model = glass(23, 0.3, 0)
    proved = certified_variance(model.plan, model.couplings, spins=model.ground_spins)
    monkeypatch.setattr("isingmap.inference.planar_solution.certified_variance", None)
    ladder = zero_field_ladder(model.plan, model.couplings)
    solution = PlanarSolution(ExtendedGraph(529, model.plan.edges), ladder)
    assert ladder.kind is TWO_WORDS and solution.log_weight_variance() == pytest.approx(proved, rel=1e-10)


def test_pairs_of_a_model_too_large_for_the_whole_inverse(monkeypatch):
    model = glass(12, 0.3, 5)
    pairs = np.array([[0, 143], [3, 3], [70, 71], [140, 2]])
    words = word_solution(model.plan, model.couplings, model.gauge, 2)
    whole = words.pair_correlations(pairs)
    monkeypatch.setattr("isingmap.inference.word_solution.MOST_SPINS_INVERTED_IN_WORDS", 10)
    words = word_solution(model.plan, model.couplings, model.gauge, 2)
    np.testing.assert_allclose(words.pair_correlations(pairs), whole, rtol=0, atol=1e-14)
    asked = np.zeros((144, 144), bool)
    asked[70, 71] = asked[0, 143] = True
    found = words.correlations(asked)
    assert (found[70, 71], found[0, 143]) == (pytest.approx(whole[2]), pytest.approx(whole[0]))


def test_large_models_go_by_words_before_balls():
    model = glass(40, 0.3, 0)
    ladder = zero_field_ladder(model.plan, model.couplings)
    assert GROUND_GAUGE.solve(ladder.model).loss > 1e-10
    assert ladder.kind is TWO_WORDS
    # One temperature down, two words lose too much and the larger answer is that of four.
    two, four = (kind.solve(ladder.model) for kind in (TWO_WORDS, FOUR_WORDS))
    assert two.log_partition == pytest.approx(four.log_partition, rel=1e-15)
    np.testing.assert_allclose(two.moments(), four.moments(), rtol=0, atol=1e-14)


def test_small_models_go_by_balls_as_they_did():
    model = glass(22, 0.1, 0)
    assert zero_field_ladder(model.plan, model.couplings).kind is BALLS


def test_no_rung_is_asked_about_a_model_that_is_too_large_for_it():
    """Whatever another rung refuses."""

    def refuse(_):
        raise PrecisionError("lost", loss=1.0)

    made: list[str] = []
    kinds = [
        RungKind("first", lambda model: SimpleNamespace(loss=0.0)),
        RungKind("small", made.append, most_spins=10),
        RungKind("large", made.append, most_spins=1000),
    ]
    with pytest.raises(PrecisionError):
        Ladder(SimpleNamespace(n_spins=100), kinds).ask_unmeasured(refuse)
    assert len(made) == 1


@pytest.mark.parametrize("what", ["hessian", "hessian_product", "correlations"])
def test_the_whole_inverse_is_refused_before_a_matrix_is_factorised_for_it(what):
    """Doubles answer log Z and refuse the inverse; words could not have it, and are not made to say so."""

    def refuse(*_):
        raise PrecisionError("lost", loss=1.0)

    doubles = SimpleNamespace(loss=0.0, **dict.fromkeys(("hessian", "hessian_product", "correlations"), refuse))
    made: list[int] = []
    small = SimpleNamespace(loss=0.0, pair_correlations=lambda pairs: "found", hessian=lambda: "found")
    words = RungKind("words", lambda model: made.append(1) or small, most_spins_inverted=10)
    model = SimpleNamespace(n_spins=100)
    ladder = Ladder(model, [RungKind("doubles", lambda model: doubles), words])
    solution = PlanarSolution(SimpleNamespace(n_spins=100), ladder)
    arguments = (np.ones(3),) if what == "hessian_product" else ()
    with pytest.raises(PrecisionError, match="whole covariance matrix of 100 spins.* more than 10 spins"):
        getattr(solution, what)(*arguments)
    assert made == []
    few = Ladder(SimpleNamespace(n_spins=10), [RungKind("doubles", lambda model: doubles), words])
    assert PlanarSolution(SimpleNamespace(n_spins=10), few).hessian() == "found" and made == [1]
    assert {TWO_WORDS.most_spins_inverted, FOUR_WORDS.most_spins_inverted} == {800}
