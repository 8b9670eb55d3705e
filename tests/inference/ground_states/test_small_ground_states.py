"""Small models, whose ground states are found by elimination: against matching and enumeration, ties and pieces too."""

from functools import partial

import numpy as np
import pytest

from isingmap import IsingModel
from isingmap.inference.ground_states import ground_state
from oracles import grid_edges, random_planar_edges

PLANNED = "isingmap.inference.planned_graph.MOST_SPINS_BEFORE_MATCHING"


def couplings_of(kind, rng, size):
    if kind == "gauss":
        return rng.normal(size=size)
    if kind == "pmj":
        return rng.choice([-1.0, 1.0], size)
    if kind == "diluted":
        return rng.choice([-0.1, 0.0, 0.1], size)
    return rng.normal(size=size) * 10.0 ** rng.uniform(-12, 0, size)


def ground_states(make, monkeypatch):
    """By elimination and by matching; each with a plan of its own."""
    small = make().ground_state()
    with monkeypatch.context() as patch:
        patch.setattr(PLANNED, -1)
        return small, make().ground_state()


@pytest.mark.parametrize("kind", ["gauss", "pmj", "diluted", "wide"])
def test_elimination_finds_what_matching_finds(kind, monkeypatch):
    """The same where there is one ground state; with ties one as good, as certain, and the same number of them."""
    rng = np.random.default_rng(8)
    for n_spins in (1, 2, 5, 9, 12):
        edges = random_planar_edges(rng, n_spins, 0.8)
        couplings = couplings_of(kind, rng, len(edges))
        fields = np.zeros(n_spins)
        fields[0] = couplings.max(initial=1.0) if n_spins > 5 else 0.0
        small, matched = ground_states(partial(IsingModel, edges, couplings, fields), monkeypatch)
        assert small.energy == pytest.approx(matched.energy, rel=1e-15, abs=1e-300)
        assert small.certified and matched.certified
        if kind in ("gauss", "wide"):
            assert (small.spins == matched.spins).all()
        else:
            assert small.gap_bound == matched.gap_bound == 0.0


def test_pieces_without_fields_begin_with_plus_one():
    model = IsingModel([(0, 1), (2, 3), (4, 5)], [1.0, -1.0, 1.0], [0, 0, 0, 0, 0, -0.5])
    assert model.ground_state().spins.tolist() == [1, 1, 1, -1, -1, -1]


def test_a_weak_piece_keeps_its_digits_beside_a_strong_one(monkeypatch):
    rng = np.random.default_rng(13)
    block, couplings = grid_edges(3, 3), rng.normal(size=12)
    edges = np.vstack([block, block + 9])
    small, matched = ground_states(
        lambda: IsingModel(edges, np.concatenate([couplings * 2.0**60, couplings])), monkeypatch
    )
    assert (small.spins == matched.spins).all() and small.gap_bound == matched.gap_bound


def test_a_small_model_is_not_matched(monkeypatch):
    """Which would compile for a quarter of a minute at the first use."""
    monkeypatch.setattr(ground_state, "ground_spins_on", None)
    assert IsingModel([(0, 1), (1, 2)], [1.0, -2.0]).ground_state().spins.tolist() == [1, 1, -1]
