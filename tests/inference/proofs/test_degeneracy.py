"""Numbers of ground states: enumeration, integer transfer matrices, clique tables, and the program before this one."""

import itertools
from fractions import Fraction

import numpy as np
import pytest
from flint import fmpq, fmpq_mat

from isingmap import IsingModel
from isingmap.errors import ModelError, PrecisionError
from isingmap.inference.proofs import degeneracy as module
from isingmap.inference.proofs import modular_pfaffian
from isingmap.inference.proofs.degeneracy import degeneracy
from isingmap.inference.proofs.modular_pfaffian import ModularMatrix, SingularError, TooMuchWorkError
from isingmap.inference.proofs.multiples import common_multiples
from isingmap.inference.proofs.table_proof import TableProof
from isingmap.inference.proofs.tight_joins import tight_joins
from isingmap.inference.zero_field.plan import plan
from oracles import grid_edges, random_planar_edges, spin_glass

PRIME = 2**127 - 1


def row_by_row_count(length, edges, couplings):
    """(largest log-weight, number of spins that reach it) of a square grid of integer couplings, in integers."""
    coupling = {tuple(sorted(e)): round(c) for e, c in zip(edges.tolist(), couplings, strict=True)}
    spins = 2 * ((np.arange(2**length)[:, None] >> np.arange(length)) & 1) - 1
    best, count = np.zeros(2**length, np.int64), np.ones(2**length, np.int64)
    for v in range(length * length):
        row, column = divmod(v, length)
        flipped = np.arange(2**length) ^ (1 << column)
        before = [(best, count, spins[:, column]), (best[flipped], count[flipped], -spins[:, column])]
        if row == 0:  # the spin has no predecessor: one term
            before = before[:1]
        else:
            up = coupling[v - length, v]
            before = [(b + up * old * spins[:, column], c, old) for b, c, old in before]
        best = np.max([b for b, _, _ in before], axis=0)
        count = sum(c * (b == best) for b, c, _ in before)
        if column:
            best = best + coupling[v - 1, v] * spins[:, column - 1] * spins[:, column]
    return best.max(), count[best == best.max()].sum()


def matrix_of(dense, modulus=PRIME, **options):
    matrix = ModularMatrix(len(dense), modulus, **options)
    for a, b in zip(*np.nonzero(np.triu(dense)), strict=True):
        matrix.join(int(a), int(b), int(dense[a, b]))
    return matrix


def skew(rng, size, share):
    upper = np.triu(rng.integers(-3, 4, (size, size)) * (rng.random((size, size)) < share), 1)
    return upper - upper.T


@pytest.mark.parametrize("size", [2, 4, 8, 12])
def test_pfaffians_of_sparse_matrices(size):
    rng = np.random.default_rng(size)
    for share in (0.3, 0.6, 1.0):
        for _ in range(20):
            dense = skew(rng, size, share)
            determinant = round(float(np.linalg.det(dense)))
            matrix = matrix_of(dense)
            try:
                matrix.eliminate(range(size))
                value = int(matrix.pfaffian)
            except SingularError:
                value = 0
            assert value**2 % PRIME == determinant


def lowest_coefficient(dense, clusters):
    """Of the determinant, in the squares of the factors e: from small numbers in their place, in whole fractions."""
    steps = [10**9, 10**40]
    scale = np.ones(dense.shape, object)
    for step, cluster in zip(steps, clusters, strict=False):
        border = np.isin(np.arange(len(dense)), cluster)
        scale[border[:, None] != border[None, :]] *= step
    entries = [[fmpq(int(x), int(s)) for x, s in zip(*rows, strict=True)] for rows in zip(dense, scale, strict=True)]
    value = fmpq_mat(entries).det()
    for step, _ in zip(steps, clusters, strict=False):
        value *= step**2
    return round(Fraction(int(value.p), int(value.q)))


def test_clusters_one_inside_the_other():
    rng = np.random.default_rng(0)
    zeros = 0
    for _ in range(60):
        dense = skew(rng, 10, 0.7)
        clusters = [[0, 1, 2], [0, 1, 2, 3, 4, 5, 6]]
        matrix = matrix_of(dense)
        try:
            left = matrix.contract(clusters[0])
            left = matrix.contract([left, *clusters[1][3:]])
            matrix.eliminate([left, 7, 8, 9])
            value = int(matrix.pfaffian) ** 2 % PRIME
        except SingularError:
            value, zeros = 0, zeros + 1
        assert value == lowest_coefficient(dense, clusters)
    assert zeros < 30


@pytest.mark.parametrize("unit", [1.0, 0.7, 1e-3, 1 / 3])
@pytest.mark.parametrize("n_spins", [1, 2, 3, 6, 10])
def test_counts_are_those_of_enumeration(n_spins, unit):
    rng = np.random.default_rng(n_spins)
    x = np.array(list(itertools.product([-1, 1], repeat=n_spins)))
    for share in (0.4, 0.7, 1.0, 1.0):
        edges = random_planar_edges(rng, n_spins, share)
        multiples = rng.integers(-3, 4, size=len(edges))
        weight = (x[:, edges[:, 0]] * x[:, edges[:, 1]]) @ multiples
        assert degeneracy(plan(n_spins, edges), unit * multiples) == (weight == weight.max()).sum()


@pytest.mark.parametrize("name", ["t2g10_5555_free_pmj", "t2g10_6666_free_pmj", "t2g10_7777_free_pmj"])
def test_spin_glasses_agree_with_an_integer_transfer_matrix(name):
    graph, couplings, facts = spin_glass(name)
    best, count = row_by_row_count(10, graph.edges, couplings)
    assert best == -float(facts["ground_energy"])
    assert degeneracy(graph, couplings) == count


def test_a_fully_frustrated_grid_agrees_with_an_integer_transfer_matrix():
    edges = grid_edges(12, 12)
    couplings = np.where((edges[:, 1] - edges[:, 0] == 12) & (edges[:, 0] % 2 == 0), -1.0, 1.0)
    assert degeneracy(plan(144, edges), couplings) == row_by_row_count(12, edges, couplings)[1]


@pytest.mark.parametrize("seed", range(6))
def test_moats_inside_moats_agree_with_clique_tables(seed):
    rng = np.random.default_rng(seed)
    edges = grid_edges(9, 40) if seed % 2 else random_planar_edges(rng, 70, 0.8)
    n_spins = int(edges.max()) + 1
    couplings = rng.choice([-1.0, 1.0], len(edges)) * (1.0 if seed < 3 else rng.integers(1, 4, len(edges)))
    model = IsingModel(edges, couplings, n_spins=n_spins)
    assert model.degeneracy() == TableProof(model.planned.graph, model.planned.clique_tree, couplings).degeneracy()
    if seed % 2:
        moats = tight_joins(model.planned.triangulation, couplings.astype(np.int64)).moats
        assert (moats.radius[np.unique(moats.parent[moats.parent >= 0])] > 0).any()


@pytest.mark.parametrize(
    ("length", "seed", "count"),
    [(14, 3, 87296), (16, 4, 35520), (18, 5, 140120832), (20, 6, 61440)],
)
def test_large_grids_agree_with_balls_around_log_z(length, seed, count):
    """Recorded from the program that enclosed log Z at low temperatures until the integer was pinned."""
    edges = grid_edges(length, length)
    rng = np.random.default_rng(seed)
    couplings = rng.choice([-1, 1] if seed % 2 else [-2, -1, 0, 1, 2], len(edges))
    assert degeneracy(plan(length**2, edges), couplings) == count


def test_blocks_are_counted_apart():
    """Frustrated triangles around one spin, a chain of bridges, a square without frustration, a spin alone."""
    triangles = [(0, 2 * k + 1) for k in range(9)] + [(0, 2 * k + 2) for k in range(9)]
    triangles += [(2 * k + 1, 2 * k + 2) for k in range(9)]
    rest = [(18, 19), (19, 20), (20, 21), (21, 22), (22, 23), (20, 23)]
    couplings = np.append(-np.ones(27), [1.0, -2.0, 1.0, -1.0, -1.0, 1.0])
    assert degeneracy(plan(25, np.array(triangles + rest)), couplings) == 3**9 * 2 * 2


def test_low_temperatures_tend_to_the_count():
    rng = np.random.default_rng(0)
    edges = grid_edges(12, 12)
    model = IsingModel(edges, rng.choice([-1.0, 1.0], len(edges)))
    assert model.thermodynamics([12.0]).entropy[0] == pytest.approx(np.log(float(model.degeneracy())), abs=1e-6)


@pytest.mark.parametrize("n_spins", [60, 100, 140, 200])
def test_more_than_doubles_can_count(n_spins):
    assert degeneracy(plan(n_spins, np.array([[0, 1]])), [1.0]) == 2 ** (n_spins - 1)


def test_without_couplings_every_configuration_is_a_ground_state():
    assert degeneracy(plan(5, grid_edges(1, 5)), np.zeros(4)) == 32


@pytest.mark.parametrize("unit", [0.1, 0.3, 0.7, 1 / 3, 1e-5])
def test_many_multiples_of_a_unit_that_is_not_binary(unit):
    """The rounding of their sum is no rounding of their unit."""
    rng = np.random.default_rng(0)
    for size in range(2, 60):
        multiples = np.append(1, rng.integers(-2, 3, size))
        assert common_multiples(unit * multiples).tolist() == multiples.tolist()


def test_no_common_unit():
    graph, couplings, _ = spin_glass("t2g10_5555_free_gauss")
    with pytest.raises(ModelError, match="common unit"):
        degeneracy(graph, couplings)


@pytest.mark.parametrize("bad", [[1.0, np.sqrt(2.0)], [1.0, 2000.0], [1.0, 500.0, 500.0000003], [np.nan, 1.0]])
def test_no_usable_unit(bad):
    with pytest.raises(ModelError, match="common unit"):
        degeneracy(plan(5, grid_edges(1, len(bad) + 1)), bad)


def test_what_cannot_end_is_refused_at_once(monkeypatch):
    edges = grid_edges(20, 20)
    model = IsingModel(edges, np.random.default_rng(0).choice([-1.0, 1.0], len(edges)))
    count = degeneracy(model.planned.plan, model.couplings)
    monkeypatch.setattr(module, "FEW_BITS", 100)
    assert degeneracy(model.planned.plan, model.couplings) == count
    monkeypatch.setattr(module, "MOST_WORK", 1000)
    with pytest.raises(PrecisionError, match=r"^the ground states of 400 spins tied together .* up to 2\^\d+ of them"):
        degeneracy(model.planned.plan, model.couplings)
    monkeypatch.setattr(module, "EXPONENTS", (127,))
    with pytest.raises(PrecisionError, match="count those of a part of the model, or with some spins given"):
        degeneracy(model.planned.plan, model.couplings)
    with pytest.raises(TooMuchWorkError):
        matrix_of(skew(np.random.default_rng(0), 12, 1.0), most_work=50).eliminate(range(12))


def test_it_can_be_interrupted(monkeypatch):
    def pressed():
        raise KeyboardInterrupt

    monkeypatch.setattr(modular_pfaffian, "look", pressed)
    with pytest.raises(KeyboardInterrupt):
        degeneracy(plan(3, np.array([(0, 1), (1, 2), (0, 2)])), -np.ones(3))
