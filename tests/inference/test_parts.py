"""Models in several pieces, one of them not planar and the whole too wide, against their pieces and enumeration."""

import numpy as np
import pytest

from isingmap import IsingModel
from isingmap.errors import NonPlanarError, PrecisionError
from oracles import grid_edges

K5 = np.array([(i, j) for i in range(5) for j in range(i)])
CLOSE = {"rtol": 0, "atol": 1e-12}


def in_pieces(seed, n_rows, fields=False, whole=False):
    """K5 and a grid, whose spins are mixed; the two of them; where their spins are."""
    rng = np.random.default_rng(seed)
    grid = grid_edges(n_rows, n_rows)
    n_spins = 5 + n_rows**2
    order = rng.permutation(n_spins)
    edges = np.vstack([grid + 5, K5])
    mixed = rng.permutation(len(edges))
    couplings = rng.choice([-1.0, 1.0], len(edges)) if whole else rng.normal(size=len(edges))
    of_spins = np.zeros(n_spins)
    if fields:
        of_spins[[0, 3, 5]] = [0.4, -0.2, 0.3]
    given = np.empty(n_spins)
    given[order] = of_spins
    model = IsingModel(order[edges[mixed]], couplings[mixed], given, n_spins=n_spins)
    pieces = (
        IsingModel(grid, couplings[: len(grid)], of_spins[5:], n_spins=n_rows**2),
        IsingModel(K5, couplings[len(grid) :], of_spins[:5], n_spins=5),
    )
    return model, pieces, (order[5:], order[:5]), np.argsort(mixed)


@pytest.fixture
def narrow(monkeypatch):
    """Nothing but a K5 is narrow enough, so that small models are solved in pieces too."""
    monkeypatch.setattr("isingmap.inference.elimination.clique_tree.MOST_ENTRIES", 64)


@pytest.mark.parametrize("fields", [False, True])
def test_every_answer_is_that_of_the_pieces(narrow, fields):
    model, pieces, spins, edges = in_pieces(0, 4, fields)
    assert model.method == "pieces"
    assert model.log_partition() == pytest.approx(sum(piece.log_partition() for piece in pieces), rel=1e-14)
    assert model.entropy() == pytest.approx(sum(piece.entropy() for piece in pieces), rel=1e-12)
    np.testing.assert_allclose(model.moments()[edges], np.concatenate([p.moments() for p in pieces]), **CLOSE)
    mean = model.magnetizations()
    for piece, own in zip(pieces, spins, strict=True):
        np.testing.assert_allclose(mean[own], piece.magnetizations(), **CLOSE)
        np.testing.assert_allclose(model.correlations()[np.ix_(own, own)], piece.correlations(), **CLOSE)
    across = np.array([(spins[0][0], spins[1][0]), (spins[0][0], spins[0][7])])
    expected = [mean[across[0]].prod(), pieces[0].correlations([(0, 7)])[0]]
    np.testing.assert_allclose(model.correlations(across), expected, **CLOSE)
    np.testing.assert_allclose(model.correlations()[tuple(across.T)], expected, **CLOSE)


def test_derivatives_are_those_of_the_pieces(narrow):
    model, _, _, _ = in_pieces(1, 4, fields=True)
    hessian = model.hessian()
    step = 1e-5
    for k in (0, 20, model.n_parameters - 1):
        theta = np.append(model.couplings, model.fields[model.free_fields])
        shifted = []
        for sign in (-1, 1):
            moved = theta + sign * step * (np.arange(theta.size) == k)
            fields = np.zeros(model.n_spins)
            fields[model.free_fields] = moved[model.n_edges :]
            there = IsingModel(model.edges, moved[: model.n_edges], fields, n_spins=model.n_spins)
            shifted.append(np.append(there.moments(), there.magnetizations()[model.free_fields]))
        np.testing.assert_allclose(hessian[k], (shifted[1] - shifted[0]) / (2 * step), atol=1e-8)
    vector = np.random.default_rng(0).normal(size=model.n_parameters)
    np.testing.assert_allclose(model.hessian_product(vector), hessian @ vector, **CLOSE)
    first, second = np.random.default_rng(1).integers(0, model.n_parameters, (2, 50))
    np.testing.assert_allclose(model.hessian_entries(first, second), hessian[first, second], **CLOSE)


def test_samples_ground_states_and_proofs(narrow):
    model, pieces, spins, _ = in_pieces(2, 4, whole=True)
    samples = model.sample(20_000, rng=0).astype(float)
    assert np.abs(samples.T @ samples / 20_000 - model.correlations()).max() < 0.04
    state = model.ground_state()
    assert state.certified and state.energy == sum(piece.ground_state().energy for piece in pieces)
    assert model.log_weight(state.spins[None])[0] == -state.energy
    assert model.degeneracy() == pieces[0].degeneracy() * pieces[1].degeneracy()
    interval = model.log_partition(certified=True)
    assert model.log_partition() in interval and interval.width < 1e-12
    lower, upper = model.certified_moments()
    assert (lower - 1e-15 <= model.moments()).all() and (model.moments() <= upper + 1e-15).all()


def test_a_large_planar_piece_beside_a_small_one_that_is_not():
    model, pieces, _, _ = in_pieces(3, 30)
    assert model.log_partition() == pytest.approx(sum(piece.log_partition() for piece in pieces), rel=1e-13)
    assert model.ground_state().certified


def test_a_piece_that_is_too_wide_says_so(narrow):
    """It names edges of that piece only."""
    k8 = [(i, j) for i in range(8) for j in range(i)]
    model = IsingModel([*k8, (8, 9)], np.ones(29))
    with pytest.raises(NonPlanarError, match="not planar"):
        model.log_partition()


def test_what_cancels_in_pieces_is_refused():
    model, _, _, _ = in_pieces(4, 30)
    strong = model.with_couplings(np.full(model.n_edges, 1e12))
    assert strong.log_partition() == pytest.approx(1e12 * model.n_edges, rel=1e-12)
    with pytest.raises(PrecisionError, match="the entropy is lost in rounding"):
        strong.entropy()
    with pytest.raises(PrecisionError, match="a log-probability is lost in rounding"):
        strong.log_probability(np.ones((1, model.n_spins), int))


def test_a_summary_says_that_pieces_were_solved_apart():
    from isingmap.report.summary import model_summary

    assert "each piece by the planar method or by" in model_summary(in_pieces(5, 30)[0], title="m")


def test_many_pieces_are_sorted_fast():
    """20 000 pairs beside a K5: one part holds all pairs."""
    pairs = np.arange(40_000).reshape(-1, 2) + 5
    model = IsingModel(np.vstack([K5, pairs]), np.full(20_010, 0.1))
    assert [part.spins.size for part in model.planned.parts] == [40_000, 5]
