"""Which arithmetic answers: tables before balls where the graph is narrow, and never otherwise."""

import json

import numpy as np
import pytest

from isingmap.inference.precision import LOSS_TOLERANCE
from isingmap.inference.proofs.certified_solution import certified_solution
from isingmap.inference.rungs import BALLS, DOUBLES, FOUR_WORDS, GROUND_GAUGE, TABLES, TWO_WORDS, zero_field_ladder
from isingmap.inference.zero_field.plan import plan
from oracles import grid_edges, shared_file


def strong_grids(side, count):
    """Grids with couplings up to 50 on which both kinds of doubles lose too much."""
    found = []
    for seed in range(100):
        couplings = np.random.default_rng(seed).uniform(-50, 50, 2 * side * (side - 1))
        ladder = zero_field_ladder(plan(side * side, grid_edges(side, side)), couplings)
        if ladder.kind not in (DOUBLES, GROUND_GAUGE):
            found.append(ladder)
        if len(found) == count:
            return found
    raise AssertionError("doubles suffice everywhere")


def test_narrow_models_go_by_tables_and_agree_with_balls():
    for ladder in strong_grids(9, 1):
        assert ladder.kind is TABLES
        balls = certified_solution(ladder.model.plan, ladder.model.couplings)
        tables = ladder.solved
        assert tables.loss < LOSS_TOLERANCE
        assert tables.log_partition == pytest.approx(balls.log_partition, rel=1e-14)
        close = {"rtol": 0, "atol": 1e-12}
        np.testing.assert_allclose(tables.moments(), balls.moments(), **close)
        np.testing.assert_allclose(tables.hessian(), balls.hessian(), **close)
        np.testing.assert_allclose(ladder.ask(lambda s: s.correlations()), balls.correlations(), **close)
        first, second = np.random.default_rng(0).integers(len(tables.moments()), size=(2, 20))
        np.testing.assert_allclose(tables.hessian_entries(first, second), balls.hessian_entries(first, second), **close)


def test_wide_models_go_by_balls():
    with open(shared_file("reference/strong_coupling.json")) as stream:
        instance = next(i for i in json.load(stream) if i["L"] == 20 and i["scale"] == 50)
    ladder = zero_field_ladder(plan(400, np.array(instance["edges"])), np.array(instance["J"], float))
    assert ladder.kind is BALLS


def test_four_words_where_two_lose_too_much():
    couplings = np.random.default_rng(0).uniform(-50, 50, 2 * 23 * 22)
    ladder = zero_field_ladder(plan(529, grid_edges(23, 23)), couplings)
    assert ladder.kind is FOUR_WORDS
    assert ladder.rung(TWO_WORDS).loss > LOSS_TOLERANCE
    balls = certified_solution(ladder.model.plan, couplings, spins=ladder.model.ground_spins)
    assert ladder.solved.log_partition == pytest.approx(balls.log_partition, rel=1e-15)


@pytest.mark.parametrize("side", [10, 16])
def test_strong_instances_by_tables_and_by_balls(side):
    with open(shared_file("reference/strong_coupling.json")) as stream:
        instances = [i for i in json.load(stream) if i["L"] == side]
    assert len(instances) >= 5
    for instance in instances:
        model = zero_field_ladder(plan(side**2, np.array(instance["edges"])), np.array(instance["J"], float)).model
        tables = TABLES.solve(model)
        balls = certified_solution(model.plan, model.couplings)
        assert tables.log_partition == pytest.approx(balls.log_partition, rel=1e-14)
        np.testing.assert_allclose(tables.moments(), balls.moments(), rtol=0, atol=1e-13)
