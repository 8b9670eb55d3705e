"""Ground states against enumeration, published energies, the transfer matrix and another matching program."""

from __future__ import annotations

import csv
import json
import math

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from isingmap.errors import NonPlanarError
from isingmap.inference.extended import ExtendedGraph
from isingmap.inference.ground_states import ground_state as module
from isingmap.inference.ground_states.frustration import face_graph
from isingmap.inference.ground_states.ground_state import ground_spins, ground_state_of, integer_weights
from isingmap.inference.ground_states.matching_certificate import MoatFamily, lower_bound
from isingmap.inference.ground_states.moats import moat_family
from isingmap.inference.ground_states.t_join import minimum_t_join
from isingmap.inference.planned_graph import PlannedGraph
from isingmap.inference.zero_field.plan import plan
from oracles import grid_edges, random_planar_edges, shared_file


def couplings_of(kind: str, rng, size: int) -> np.ndarray:
    if kind == "gauss":
        return rng.normal(size=size)
    if kind == "pmj":
        return rng.choice([-1.0, 1.0], size)
    if kind == "diluted":
        return rng.choice([-0.1, 0.0, 0.1], size)
    return rng.choice([-1.0, 1.0], size) * 10.0 ** rng.uniform(-9, 0, size)


def exact_best(n_spins, edges, couplings, fields=None) -> float:
    """Largest log-weight of all configurations, every one summed without rounding errors."""
    fields = np.zeros(n_spins) if fields is None else fields
    best = -math.inf
    for bits in range(2**n_spins):
        x = np.array([1.0 if bits >> v & 1 else -1.0 for v in range(n_spins)])
        best = max(best, math.fsum([*(couplings * x[edges[:, 0]] * x[edges[:, 1]]), *(fields * x)]))
    return best


def random_outerplanar_edges(rng, n_spins: int) -> np.ndarray:
    """A triangulated polygon with some edges left out, by cutting ears."""
    ring, edges = list(range(n_spins)), [(v, (v + 1) % n_spins) for v in range(n_spins)] if n_spins > 2 else []
    while len(ring) > 3:
        k = int(rng.integers(len(ring)))
        edges.append((ring[k - 1], ring[(k + 1) % len(ring)]))
        del ring[k]
    kept = [edge for edge in edges if rng.random() < 0.8]
    return np.array(kept, dtype=np.int64).reshape(-1, 2)


def solve(n_spins, edges, couplings, fields=None):
    fields = np.zeros(n_spins) if fields is None else fields
    names = tuple(f"x{v}" for v in range(n_spins))
    graph = ExtendedGraph.of(n_spins, edges, np.flatnonzero(fields))
    return ground_state_of(PlannedGraph(graph, names), graph.join(couplings, fields))


@pytest.fixture(autouse=True, scope="module")
def matching():
    """Planar models are solved by matching here, however small they are."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("isingmap.inference.planned_graph.MOST_SPINS_BEFORE_MATCHING", -1)
        yield


@settings(max_examples=80, deadline=None)
@given(st.integers(0, 2**32 - 1), st.integers(1, 9), st.sampled_from(["gauss", "pmj", "diluted", "spread"]),
       st.sampled_from([0.4, 0.8, 1.0]))  # fmt: skip
def test_random_planar_graphs_reach_the_best_of_all_configurations(seed, n_spins, kind, share):
    rng = np.random.default_rng(seed)
    edges = random_planar_edges(rng, n_spins, share)
    couplings = couplings_of(kind, rng, len(edges))
    found = ground_spins(plan(n_spins, edges), couplings)
    x = found.spins.astype(float)
    assert found.log_weight == math.fsum(couplings * x[edges[:, 0]] * x[edges[:, 1]])
    best = exact_best(n_spins, edges, couplings)
    assert found.certified
    assert best - found.gap_bound <= found.log_weight <= best


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 2**32 - 1), st.integers(1, 8), st.sampled_from(["gauss", "pmj", "spread"]))
@example(6, 6, "spread")  # an event queue with decreasing keys, tried once, never ended here
def test_outerplanar_models_with_fields(seed, n_spins, kind):
    rng = np.random.default_rng(seed)
    edges = random_outerplanar_edges(rng, n_spins)
    couplings, fields = couplings_of(kind, rng, len(edges)), couplings_of(kind, rng, n_spins)
    fields[rng.random(n_spins) < 0.2] = 0.0
    found = solve(n_spins, edges, couplings, fields)
    x = found.spins.astype(float)
    assert found.energy == -math.fsum([*(couplings * x[edges[:, 0]] * x[edges[:, 1]]), *(fields * x)])
    assert found.certified
    assert -found.energy >= exact_best(n_spins, edges, couplings, fields) - found.gap_bound


def test_published_ground_energies():
    path = shared_file("spin_glass/planar_free/reference.csv")
    rows = list(csv.DictReader(path.open()))
    for row in rows:
        table = np.genfromtxt(path.parent / f"{row['instance']}.csv", delimiter=",", skip_header=1)
        edges, couplings = table[:, :2].astype(int), table[:, 2]
        edges -= edges.min()
        found = solve(int(row["n"]), edges, couplings)
        assert found.certified
        np.testing.assert_allclose(found.energy, float(row["ground_energy"]), rtol=0, atol=1e-9)
    assert len(rows) == 18


def test_transfer_matrix_energies_of_free_grids():
    cases = json.loads(shared_file("reference/exact_values.json").read_text())["ground_states_free_grid"]["data"]
    for case in cases:
        couplings = np.concatenate([np.ravel(case["J_horizontal"]), np.ravel(case["J_vertical"])])
        found = solve(case["L"] ** 2, grid_edges(case["L"], case["L"]), couplings)
        np.testing.assert_allclose(found.energy, case["E0"], rtol=0, atol=1e-9)


def test_strong_couplings():
    for case in json.loads(shared_file("reference/strong_coupling.json").read_text()):
        found = solve(case["L"] ** 2, np.array(case["edges"]), np.array(case["J"]))
        np.testing.assert_allclose(abs(found.energy), case["map_energy_transfer"], rtol=1e-12)
        assert found.certified


def test_against_pymatching_where_its_rounding_does_no_harm():
    pymatching = pytest.importorskip("pymatching")
    rng = np.random.default_rng(7)
    for _ in range(3):
        edges = random_planar_edges(rng, 1500, 0.8)
        couplings = rng.integers(-50, 51, len(edges)).astype(float)
        faces = face_graph(plan(1500, edges).triangulation, couplings)
        matching = pymatching.Matching()
        weights = np.abs(couplings[faces.edges])
        for k, (a, b) in enumerate(faces.ends.tolist()):
            matching.add_edge(a, b, weight=weights[k], fault_ids=k)
        _, weight = matching.decode(faces.frustrated[: matching.num_detectors], return_weight=True)
        found = ground_spins(plan(1500, edges), couplings)
        assert found.log_weight == np.abs(couplings).sum() - 2 * weight
        assert found.gap_bound == 0.0


@pytest.mark.parametrize("factor", [1e-200, 1e-12, 1.0, 1e12, 1e200])
def test_the_scale_of_the_couplings_does_not_matter(factor):
    rng = np.random.default_rng(11)
    edges, couplings = grid_edges(12, 12), rng.normal(size=264)
    reference, scaled = solve(144, edges, couplings), solve(144, edges, couplings * factor)
    assert scaled.certified
    assert (reference.spins == scaled.spins).all()


def test_a_strong_part_does_not_cost_a_weak_part_its_digits():
    """Two blocks whose couplings differ by a factor of 2^60 have the ground states of each alone."""
    rng = np.random.default_rng(13)
    block, couplings = grid_edges(5, 5), rng.normal(size=40)
    both = np.vstack([block, block + 25])
    alone = solve(25, block, couplings)
    found = solve(50, both, np.concatenate([couplings * 2.0**60, couplings]))
    products = found.spins[both[:, 0]] * found.spins[both[:, 1]]
    expected = alone.spins[block[:, 0]] * alone.spins[block[:, 1]]
    assert (products == np.tile(expected, 2)).all()


def test_gauge_and_relabelling():
    rng = np.random.default_rng(17)
    edges = random_planar_edges(rng, 300)
    couplings = rng.normal(size=len(edges))
    first = solve(300, edges, couplings)
    flips, names, order = rng.choice([-1, 1], 300), rng.permutation(300), rng.permutation(len(edges))
    gauged = couplings * flips[edges[:, 0]] * flips[edges[:, 1]]
    second = solve(300, names[edges][order], gauged[order])
    turned = first.spins * flips
    assert (second.spins[names] * turned == second.spins[names][0] * turned[0]).all()
    np.testing.assert_allclose(second.energy, first.energy, rtol=1e-14)


@pytest.mark.parametrize("n_spins", [1, 2, 5])
def test_models_without_edges(n_spins):
    found = solve(n_spins, np.empty((0, 2), np.int64), np.empty(0))
    assert found.energy == 0.0
    assert found.certified
    assert (found.spins == 1).all()
    assert found.spins.dtype == np.int8


def test_a_field_alone_turns_a_spin():
    found = solve(2, np.array([[0, 1]]), np.array([-2.0]), np.array([0.0, -0.5]))
    assert found.spins.tolist() == [1, -1]
    assert found.energy == -2.5


def test_fully_frustrated_lattices():
    """Every plaquette of a square lattice frustrated: half of the faces in pairs, one edge each."""
    n = 20
    edges = grid_edges(n, n)
    couplings = np.ones(len(edges))
    across = edges[:, 1] == edges[:, 0] + 1
    couplings[across & (edges[:, 0] // n % 2 == 1)] = -1.0
    found = solve(n * n, edges, couplings)
    pairs = ((n - 1) ** 2 + 1) // 2
    assert found.energy == -(len(edges) - 2 * pairs)
    assert found.gap_bound == 0.0


def test_non_planar_models_are_solved_when_narrow():
    edges = np.array([(i, j) for i in range(6) for j in range(i)])
    rng = np.random.default_rng(19)
    couplings, fields = rng.normal(size=15), rng.normal(size=6)
    found = solve(6, edges, couplings, fields)
    assert found.certified
    assert -found.energy == exact_best(6, edges, couplings, fields)


def test_large_non_planar_models_are_refused():
    complete = np.array([(i, j) for i in range(30) for j in range(i)])
    with pytest.raises(NonPlanarError, match="not planar"):
        solve(30, complete, np.ones(435))
    with pytest.raises(NonPlanarError, match="act like couplings to one more spin"):
        solve(900, grid_edges(30, 30), np.ones(1740), np.ones(900))


def test_a_grid_with_fields_against_its_transfer_matrix():
    """Max-plus transfer over columns; ties, and models whose numbers need all their digits."""
    rng = np.random.default_rng(5)
    state = np.array(np.meshgrid(*[[-1.0, 1.0]] * 7, indexing="ij")).reshape(7, -1).T
    for couplings, fields in (
        (rng.normal(size=84), rng.normal(size=49)),
        (rng.choice([-1.0, 1.0], 84), rng.choice([-1.0, 0.0, 1.0], 49)),
        (rng.normal(size=84) * 10.0 ** rng.uniform(-9, 3, 84), rng.normal(size=49)),
    ):
        across, down = couplings[:42].reshape(7, 6), couplings[42:].reshape(6, 7)
        h = fields.reshape(7, 7)
        best = np.zeros(len(state))
        for c in range(7):
            if c:
                best = (best[:, None] + (state * across[:, c - 1]) @ state.T).max(axis=0)
            best = best + state @ h[:, c] + (state[:, 1:] * state[:, :-1]) @ down[:, c]
        found = solve(49, grid_edges(7, 7), couplings, fields)
        assert -found.energy == pytest.approx(best.max(), rel=1e-13)
        assert found.certified
        assert found.gap_bound <= 1e-15 * abs(found.energy)


def small_problem():
    rng = np.random.default_rng(23)
    edges, couplings = grid_edges(12, 12), rng.choice([-3.0, -1.0, 1.0, 3.0], 264)
    faces = face_graph(plan(144, edges).triangulation, couplings)
    weights = 2 * np.abs(couplings[faces.edges]).astype(np.int64)
    join, moats = minimum_t_join(faces.n_faces, faces.ends, weights, faces.frustrated)
    return faces, weights, join, np.flatnonzero(faces.frustrated), moat_family(moats)


def test_the_certificate_is_tight_and_refuses_forged_moats():
    faces, weights, join, terminals, moats = small_problem()
    assert lower_bound(terminals, faces.ends, weights, moats) == weights[join].sum()
    wide = int(np.argmax(moats.radius))
    for name, index, change in [("radius", wide, 1), ("radius", wide, -(10**6)), ("parent", wide, wide + 1),
                                ("arrival", terminals[0], 1)]:  # fmt: skip
        forged = getattr(moats, name).copy()
        forged[index] += change
        assert lower_bound(terminals, faces.ends, weights, moats._replace(**{name: forged})) is None
    behind = next(a for a in np.flatnonzero(moats.region >= 0) if a not in terminals)
    forged = moats.arrival.copy()
    forged[behind] = moats.radius[moats.region[behind]] + 1
    assert lower_bound(terminals, faces.ends, 10 * weights, moats) is not None
    assert lower_bound(terminals, faces.ends, 10 * weights, moats._replace(arrival=forged)) is None
    assert lower_bound(terminals[1:], faces.ends, weights, moats) is None
    assert lower_bound(terminals, faces.ends, weights - (weights > 0), moats) is None


def test_moats_around_even_sets_prove_nothing():
    """Two terminals on one edge, and a moat around both of them."""
    ends, weights = np.array([[0, 1], [1, 2]]), np.array([2, 6])
    terminals = np.array([0, 1])
    odd = MoatFamily(np.array([-1, -1]), np.array([1, 1]), np.array([0, 1, -1]), np.zeros(3, np.int64))
    even = MoatFamily(np.array([2, 2, -1]), np.array([1, 1, 3]), np.array([0, 1, -1]), np.zeros(3, np.int64))
    assert lower_bound(terminals, ends, weights, odd) == 2
    assert lower_bound(terminals, ends, weights, even) is None


def test_a_refused_certificate_is_reported(monkeypatch):
    monkeypatch.setattr(module, "lower_bound", lambda *arguments: None)
    found = solve(16, grid_edges(4, 4), np.random.default_rng(29).normal(size=24))
    assert not found.certified
    assert found.gap_bound == math.inf


def test_integer_weights_are_exact_where_they_can_be():
    strengths = np.array([0.1, 0.4, 0.2, 1.0, 1e-9, np.pi])
    block, width = np.array([0, 0, 0, 1, 1, 1]), np.array([1e9, 1e3])
    weights, unit = integer_weights(strengths, block, width)
    loss = strengths - weights * unit[block]
    assert (loss[:3] == 0).all()
    assert ((loss >= 0) & (loss < unit[1])).all()
    assert (width / unit <= 2.0**59).all()


def test_trees_and_long_paths_are_satisfied():
    n = 20000
    edges = np.stack([np.arange(n - 1), np.arange(1, n)], axis=1)
    couplings = np.random.default_rng(31).normal(size=n - 1)
    found = solve(n, edges, couplings)
    assert found.gap_bound == 0.0
    assert found.energy == -math.fsum(np.abs(couplings))


def test_large_glasses_are_certified():
    """Also beyond the sizes where the sum of all moats fits into 64 bits."""
    rng = np.random.default_rng(37)
    edges = grid_edges(80, 80)
    for kind in ("gauss", "pmj", "spread"):
        found = solve(6400, edges, couplings_of(kind, rng, len(edges)))
        assert found.certified
        assert found.gap_bound <= 1e-11
