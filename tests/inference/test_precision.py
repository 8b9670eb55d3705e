"""Strong couplings: whatever doubles lose has to be noticed, and a better rung has to answer."""

import numpy as np
import pytest

from isingmap.errors import PrecisionError
from isingmap.inference.proofs.certified import certified_log_partition
from isingmap.inference.rungs import DOUBLES, zero_field_ladder
from isingmap.inference.zero_field.plan import plan
from isingmap.inference.zero_field.solution import DualSolution, solve_dual
from oracles import brute_force, grid_edges, random_planar_edges


def strong_model(seed, fewest, most):
    """(n_spins, edges, couplings) of a random planar glass with couplings up to 50: tied, nearly tied or spread."""
    rng = np.random.default_rng(seed)
    n_spins = int(rng.integers(fewest, most + 1))
    edges = random_planar_edges(rng, n_spins, rng.choice([0.6, 0.9, 1.0]))
    signs, strength = rng.choice([-1.0, 1.0], len(edges)), rng.choice([1.0, 5.0, 10.0, 20.0, 50.0])
    couplings = (
        strength * signs,
        strength * signs + 1e-3 * rng.normal(size=len(edges)),
        rng.uniform(-strength, strength, len(edges)),
        signs * 10 ** rng.uniform(-6, np.log10(strength), len(edges)),
    )
    return n_spins, edges, np.clip(couplings[rng.integers(4)], -50, 50)


def answers(ladder, vector, first, second):
    """Everything the ladder can be asked, as floats."""
    questions = (
        lambda solved: solved.moments(),
        lambda solved: solved.hessian(),
        lambda solved: solved.correlations(),
        lambda solved: solved.hessian_product(vector),
        lambda solved: solved.hessian_entries(first, second),
    )
    return [np.asarray(ladder.ask(question), float) for question in questions]


def exact_answers(n_spins, edges, couplings, vector, first, second):
    x, p, _ = brute_force(n_spins, edges, couplings)
    products = x[:, edges[:, 0]] * x[:, edges[:, 1]]
    moments = p @ products
    centred = products - moments
    hessian = (centred * p[:, None]).T @ centred
    return moments, hessian, (x * p[:, None]).T @ x, hessian @ vector, hessian[first, second]


# Found among 75 000: moments off by 33, 1.5 and 12; Hessians off by 13 and 7e-6; an entry, a correlation and a product
# off by 1e-7 to 2e-7; all of them handed out when only the residual on the diagonal was measured.
ONCE_WRONG = (19333, 29328, 38550, 4889, 12639, 45142, 60060, 6671)


@pytest.mark.parametrize("seed", [*range(150), *ONCE_WRONG])
def test_every_answer_at_strong_coupling(seed):
    n_spins, edges, couplings = strong_model(seed, 3, 10)
    if len(edges) == 0:
        pytest.skip("no edges")
    rng = np.random.default_rng(seed)
    vector, (first, second) = rng.normal(size=len(edges)), rng.integers(len(edges), size=(2, 6))
    found = answers(zero_field_ladder(plan(n_spins, edges), couplings), vector, first, second)
    expected = exact_answers(n_spins, edges, couplings, vector, first, second)
    np.testing.assert_allclose(found[0], expected[0], rtol=0, atol=1e-9)
    for value, exact in zip(found[1:], expected[1:], strict=True):
        np.testing.assert_allclose(value, exact, rtol=0, atol=5e-8)


@pytest.mark.parametrize("seed", [*range(20), 2049, 2221, 2799])
def test_log_partition_lies_in_the_certified_interval(seed):
    """Of the named ones the moments were right to the last bit, and log Z was off by 2e-4 or 1e-6."""
    n_spins, edges, couplings = strong_model(seed, 50, 120)
    graph = plan(n_spins, edges)
    interval = certified_log_partition(graph, couplings)
    np.testing.assert_allclose(
        zero_field_ladder(graph, couplings).solved.log_partition, interval.lower, rtol=1e-12, atol=0
    )


def test_a_lost_solution_says_so():
    """The forest's gauge on models with strong frustrated edges."""
    n_lost = 0
    for seed in ONCE_WRONG[:3]:  # which of them are lost depends on the linear algebra below
        n_spins, edges, couplings = strong_model(seed, 3, 10)
        ladder = zero_field_ladder(plan(n_spins, edges), couplings)
        is_lost = not ladder.rung(DOUBLES).loss <= 1e-6
        assert (ladder.solved is not ladder.rung(DOUBLES)) == is_lost
        n_lost += is_lost
    assert n_lost


@pytest.mark.parametrize("other", range(1, 12))
@pytest.mark.parametrize("sign", [-1.0, 1.0])
def test_a_wrong_hessian_is_refused(monkeypatch, other, sign):
    """Also when errors come in pairs, which cancel in half of all directions made of signs."""
    solved = solve_dual(plan(9, grid_edges(3, 3)), np.full(12, 0.4))
    wrong = solved.hessian()
    wrong[0, 0] += 1e-6
    wrong[0, other] += sign * 1e-6
    monkeypatch.setattr(DualSolution, "curvature", lambda self: wrong)
    with pytest.raises(PrecisionError, match="the Hessian would be off by up to"):
        solved.hessian()
    with pytest.raises(PrecisionError, match="the correlations would be off by up to"):
        solved.correlations()


def test_an_entry_that_moments_and_symmetry_do_not_show():
    """Nineteen exact ties at 10: one entry of the inverse vanished that is 2e8, and a covariance of 0.73 became 0."""
    pairs = (
        "02 04 06 09 13 16 17 18 24 25 27 28 29 36 46 47 58 59 78",
        "- - - - + + - - - - + + + - - + - - -",
    )
    edges = np.array([[int(node) for node in pair] for pair in pairs[0].split()])
    couplings = np.array([float(f"{sign}10") for sign in pairs[1].split()])
    ladder = zero_field_ladder(plan(10, edges), couplings)
    first, second = np.tril_indices(len(edges), -1)
    both = np.stack([first, second], axis=1)[:, :, None]
    found = np.array([ladder.ask_unmeasured(lambda solved, e=e: solved.hessian_entries(*e)) for e in both])
    x, p, _ = brute_force(10, edges, couplings)
    products = x[:, edges[:, 0]] * x[:, edges[:, 1]]
    exact = ((products - p @ products) * p[:, None]).T @ (products - p @ products)
    np.testing.assert_allclose(found[:, 0].astype(float), exact[first, second], rtol=0, atol=1e-7)
