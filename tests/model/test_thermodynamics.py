"""One model at many temperatures, against sums over configurations, difference quotients and Onsager's solution."""

import numpy as np
import pytest
from scipy.special import ellipe, ellipk

from isingmap import IsingModel
from isingmap.errors import ModelError, PrecisionError
from isingmap.inference.enumeration import all_configurations
from isingmap.inference.proofs.certified import certified_variance
from isingmap.inference.proofs.certified_solution import CertifiedSolution, certified_solution
from isingmap.inference.variance import variance_by_product
from oracles import grid_edges

pytestmark = pytest.mark.usefixtures("determinants")

BETAS = [0.0, 0.3, 1.0, 3.0, 30.0]
K5 = np.array([(i, j) for i in range(5) for j in range(i)])


def by_enumeration(model, beta):
    """log Z, energy, heat capacity, entropy."""
    x = all_configurations(model.n_spins)
    energy = -((x[:, model.edges[:, 0]] * x[:, model.edges[:, 1]]) @ model.couplings + x @ model.fields)
    log_z = np.logaddexp.reduce(-beta * energy)
    p = np.exp(-beta * energy - log_z)
    mean = p @ energy
    return log_z, mean, beta**2 * (p @ (energy - mean) ** 2), log_z + beta * mean


def found(table):
    return np.stack([table.log_partition, table.energy, table.heat_capacity, table.entropy], axis=1)


@pytest.mark.parametrize(
    ("edges", "n_fields", "method"),
    [
        (grid_edges(3, 3), 0, "planar"),
        (grid_edges(1, 9), 9, "planar"),
        (grid_edges(3, 3), 2, "planar"),
        (grid_edges(3, 3), 9, "elimination"),
        (K5, 0, "elimination"),
    ],
)
def test_against_all_configurations(edges, n_fields, method):
    rng = np.random.default_rng(1)
    n_spins = edges.max() + 1
    fields = np.where(np.arange(n_spins) < n_fields, rng.normal(size=n_spins), 0.0)
    model = IsingModel(edges, rng.normal(size=len(edges)), fields)
    assert model.method == method
    table = model.thermodynamics(BETAS)
    expected = [by_enumeration(model, beta) for beta in BETAS]
    assert found(table) == pytest.approx(np.array(expected), abs=1e-10)
    assert table.beta.tolist() == BETAS
    per_spin = (table.log_partition_per_spin, table.energy_per_spin, table.specific_heat, table.entropy_per_spin)
    assert np.stack(per_spin, axis=1) * n_spins == pytest.approx(found(table))


def test_few_spins_with_couplings_of_millions_beside_small_ones():
    rng = np.random.default_rng(0)
    couplings = np.where(rng.random(10) < 0.5, 1.0, 3e7) * rng.choice([-1.0, 1.0], 10)
    model = IsingModel(K5, couplings)
    assert model.method == "enumeration"
    x = all_configurations(5)
    weight = (x[:, K5[:, 0]] * x[:, K5[:, 1]]) @ couplings
    p = np.exp(weight - weight.max())
    p /= p.sum()
    best = p > 1e-300
    variance = p[best] @ (weight[best] - p[best] @ weight[best]) ** 2
    assert model.log_weight_variance() == pytest.approx(variance, abs=1e-7)


def test_pieces_add_up():
    rng = np.random.default_rng(2)
    edges = np.vstack([K5, 5 + grid_edges(30, 30), 905 + grid_edges(2, 3)])
    model = IsingModel(edges, rng.normal(size=len(edges)))
    assert model.method == "pieces"
    parts = [np.arange(10), np.arange(10, len(edges) - 7), np.arange(len(edges) - 7, len(edges))]
    pieces = [IsingModel(edges[k] - edges[k].min(), model.couplings[k]) for k in parts]
    whole = found(model.thermodynamics([0.4, 1.5]))
    assert whole == pytest.approx(sum(found(piece.thermodynamics([0.4, 1.5])) for piece in pieces))


def test_the_derivatives_of_log_z():
    rng = np.random.default_rng(3)
    model = IsingModel(grid_edges(20, 20), rng.choice([-1.0, 1.0], 760), np.where(np.arange(400) < 1, 0.5, 0.0))
    beta, step = 0.7, 1e-4
    table = model.thermodynamics([beta - step, beta, beta + step])
    assert table.energy[1] == pytest.approx((table.log_partition[0] - table.log_partition[2]) / (2 * step), rel=1e-7)
    slope = (table.energy[2] - table.energy[0]) / (2 * step)
    assert table.heat_capacity[1] == pytest.approx(-(beta**2) * slope, rel=1e-6)


def onsager(k):
    """log Z, energy and heat capacity for each spin of the infinite square lattice (energy and heat: Onsager 1944)."""
    coth, tanh2 = 1 / np.tanh(2 * k), np.tanh(2 * k) ** 2
    m = (2 * np.sinh(2 * k) / np.cosh(2 * k) ** 2) ** 2
    first, second = ellipk(m), ellipe(m)
    energy = -coth * (1 + 2 / np.pi * (2 * tanh2 - 1) * first)
    heat = 4 / np.pi * (k * coth) ** 2 * (first - second - (1 - tanh2) * (np.pi / 2 + (2 * tanh2 - 1) * first))
    return energy, heat


@pytest.mark.parametrize("beta", [0.3, 0.7])
def test_onsager_by_differences_of_large_grids(beta):
    """With borders and corners: f(m, n) = m n bulk + (m + n) border + corner; the second difference is the bulk."""

    def at(m, n):
        edges = grid_edges(m, n)
        table = IsingModel(edges, np.ones(len(edges))).thermodynamics([beta])
        return np.array([table.energy[0], table.heat_capacity[0]])

    bulk = at(41, 41) - 2 * at(41, 40) + at(40, 40)
    assert bulk == pytest.approx(np.array(onsager(beta)), rel=2e-8)


def test_low_temperatures_go_to_balls_or_are_refused():
    rng = np.random.default_rng(4)
    edges = grid_edges(14, 14)
    model = IsingModel(edges, rng.choice([-2.0, 2.0], len(edges)))
    solution = certified_solution(model.planned.plan, model.couplings, spins=model.ground_state().spins)
    expected = model.couplings @ solution.hessian() @ model.couplings
    spins = model.ground_state().spins
    assert certified_variance(model.planned.plan, model.couplings, spins=spins) == pytest.approx(expected, rel=1e-9)
    assert model.log_weight_variance() == pytest.approx(expected, rel=1e-9)

    class Lossy:
        loss = 1e-7
        hessian_product = staticmethod(solution.hessian_product)

    with pytest.raises(PrecisionError, match="lost in rounding: it is"):
        variance_by_product(Lossy(), model.couplings)
    with pytest.raises(PrecisionError, match=r"beta=1e\+10 is too low a temperature: .*; here, a smaller beta"):
        model.thermodynamics([1.0, 1e10])


def test_beyond_doubles_it_does_not_take_the_whole_covariance_matrix(monkeypatch):
    def refused(self):
        raise AssertionError("a minute at 500 spins, hours at 2000")

    monkeypatch.setattr(CertifiedSolution, "hessian_product", refused)
    edges = grid_edges(18, 18)
    model = IsingModel(edges, np.random.default_rng(7).choice([-1.0, 1.0], len(edges)))
    if model.with_couplings(5 * model.couplings)._solution._ladder.kind.name.startswith("doubles"):
        pytest.skip("with these libraries doubles lose just less than what is allowed")
    step = 3e-3
    table = model.thermodynamics([5 - step, 5, 5 + step])
    slope = (table.energy[2] - table.energy[0]) / (2 * step)
    assert table.heat_capacity[1] == pytest.approx(-25 * slope, rel=1e-3)  # the neighbours are solved in doubles


@pytest.mark.parametrize(
    ("betas", "message"),
    [
        ([1.0, -0.5], "beta=-0.5 is no inverse temperature"),
        ([np.nan], "beta=nan"),
        (1.0, r"shape \(k,\)"),
        (["warm"], "betas must be numbers"),
        ([1e300], r"beta=1e\+300: couplings\[0\]"),
    ],
)
def test_wrong_temperatures(betas, message):
    with pytest.raises(ModelError, match=message):
        IsingModel([(0, 1)], [1e9]).thermodynamics(betas)


def test_no_temperatures_give_an_empty_table():
    assert found(IsingModel([(0, 1)], [1.0]).thermodynamics([])).shape == (0, 4)
