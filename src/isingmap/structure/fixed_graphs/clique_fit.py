"""Exact fit of a stacked triangulation (a TMFG): its four-spin cliques, divided by the triangles between them.

A triangle of the graph fixes the whole symmetric marginal of its three spins through their pair moments, so both
sides of it are fitted alone: log P(x) = sum over cliques of log P - sum over separating triangles of log P.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from isingmap.likelihood.existence import SLACK_TOLERANCE, find_obstacle, no_estimate_error
from isingmap.likelihood.newton import distance, resolution

MOST_ITERATIONS = 200


def _states(n_spins: int) -> np.ndarray:
    """Configurations with the first spin +1, (2^(n_spins-1), n_spins): a flip of all spins changes nothing."""
    bits = np.arange(2 ** (n_spins - 1))[:, None] >> np.arange(n_spins)[::-1] & 1
    return 1 - 2 * bits


def _pairs(n_spins: int) -> np.ndarray:
    return np.stack(np.triu_indices(n_spins, 1), axis=1)


def _products(n_spins: int) -> np.ndarray:
    """Products of the pairs of spins in every state, (n_states, n_pairs)."""
    states, pairs = _states(n_spins), _pairs(n_spins)
    return states[:, pairs[:, 0]] * states[:, pairs[:, 1]]


@dataclass(frozen=True, eq=False)
class CliqueFit:
    """Couplings of a stacked triangulation, log Z, the largest error of a moment, and the `distance` of all."""

    couplings: np.ndarray
    log_partition: float
    gradient_norm: float
    distance: float


def fit_cliques(
    edges: np.ndarray,
    cliques: np.ndarray,
    separators: np.ndarray,
    moments: np.ndarray,
    labels,
    prior: float | None = None,
    codings=None,
) -> CliqueFit:
    """Maximum-likelihood zero-field couplings of a stacked triangulation.

    Parameters
    ----------
    edges : (n_edges, 2) int array
    cliques : (n_cliques, 4) int array
        At least one.
    separators : (n_cliques - 1, 3) int array
        The triangle along which each clique but the first is glued on.
    moments : (n_edges,) array
        E[x_i x_j] of each edge of the graph.
    labels : sequence of str
        Names of the nodes, for the error.
    prior : float, optional
        That the moments were shrunk with, for the error.
    codings : sequence of Coding, optional
        What the values of the spins stand for, for the error.

    Returns
    -------
    CliqueFit
        `log_partition` in nats.

    Raises
    ------
    NoEstimateError
        Names the pair or cycle that makes a coupling infinite.

    Notes
    -----
    O(n). A triangle has as many symmetric states as parameters and is a closed form; for a clique one unknown, the
    moment of all four spins, is found by Newton's method with bisection.
    """
    in_clique = _edge_numbers(edges, cliques)
    in_triangle = _edge_numbers(edges, separators)
    _check_existence(edges, moments, moments[in_clique], labels, prior, codings)
    probability = four_spin_probabilities(moments[in_clique])
    theta, log_z = _parameters(probability, _products(4))
    theta_triangle, log_z_triangle = _parameters(1.0 + moments[in_triangle] @ _products(3).T, _products(3))
    n_edges = len(edges)
    couplings = np.bincount(in_clique.ravel(), theta.ravel(), n_edges)
    couplings -= np.bincount(in_triangle.ravel(), theta_triangle.ravel(), n_edges)
    error = _moments_of(theta) - moments[in_clique]
    return CliqueFit(
        couplings,
        float(log_z.sum() - log_z_triangle.sum()),
        float(np.abs(error).max()),
        distance(error, resolution(moments[in_clique])),
    )


def _edge_numbers(edges: np.ndarray, cliques: np.ndarray) -> np.ndarray:
    """Number of the edge of every pair of every clique, (n_cliques, n_pairs)."""
    n_nodes = int(edges.max()) + 1
    key = edges.min(axis=1) * n_nodes + edges.max(axis=1)
    by_key = np.argsort(key)
    ends = cliques[:, _pairs(cliques.shape[1])]
    wanted = ends.min(axis=2) * n_nodes + ends.max(axis=2)
    return by_key[np.searchsorted(key, wanted, sorter=by_key)]


def _check_existence(edges, moments, clique_moments: np.ndarray, labels, prior, codings) -> None:
    """Raise if some coupling is infinite.

    The graph is chordal, so triangles decide; only where one of their states is (nearly) impossible does the general
    search have to look for the pair or cycle to name.
    """
    smallest = np.inf
    for triangle in ((0, 1, 3), (0, 2, 4), (1, 2, 5), (3, 4, 5)):  # pairs among three of the four spins
        smallest = min(smallest, (1.0 + clique_moments[:, triangle] @ _products(3).T).min())
    if not smallest > 2.0 * SLACK_TOLERANCE:
        obstacle = find_obstacle(len(labels), edges, moments)
        if obstacle is not None:
            raise no_estimate_error(obstacle, labels, prior, codings)


def _parameters(probability: np.ndarray, products: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """(couplings, log Z) of cliques from the probabilities of their symmetric states, up to rounding of their sum."""
    probability = probability / probability.sum(axis=1, keepdims=True)
    # log(p / 2) = theta . products - log Z, and products are orthogonal and average to zero over the states.
    log_probability = np.log(probability)
    return log_probability @ products / len(products), np.log(2.0) - log_probability.mean(axis=1)


def _moments_of(theta: np.ndarray) -> np.ndarray:
    """Moments of four-spin models with these couplings, (n_cliques, 6), by the sum over states."""
    log_weight = theta @ _products(4).T
    weight = np.exp(log_weight - log_weight.max(axis=1, keepdims=True))
    return weight @ _products(4) / weight.sum(axis=1, keepdims=True)


def four_spin_probabilities(moments: np.ndarray) -> np.ndarray:
    """Zero-field distributions of four spins, all coupled in pairs only, with given pair moments.

    Parameters
    ----------
    moments : (n_cliques, 6) array
        Strictly inside the cycle inequalities of the triangles.

    Returns
    -------
    (n_cliques, 8) array
        Probabilities of the symmetric states, times 8.

    Notes
    -----
    The pair moments and t = E[x1 x2 x3 x4] are all the moments, so 8 p = base + t * parity; the maximum-likelihood
    t is the root of the four-body coupling, an increasing function of t that runs from -inf to +inf between
    the values where a state becomes impossible. They enclose an interval because states of different parity differ in
    one spin and their bases add up to 8 times the probability of a state of the other three.
    """
    base, even = 1.0 + moments @ _products(4).T, _states(4).prod(axis=1) > 0
    smallest_even = base[:, even].min(axis=1, keepdims=True)
    smallest_odd = base[:, ~even].min(axis=1, keepdims=True)
    # Measured from the lower end of the interval: next to it, t itself has no digits left.
    above = base - np.where(even, smallest_even, smallest_odd)
    length = smallest_even + smallest_odd
    low, high = np.zeros_like(length), length
    t = 0.5 * length
    for _ in range(MOST_ITERATIONS):
        probability = above + np.where(even, t, length - t)
        value = np.log(probability) @ np.where(even, 1.0, -1.0)[:, None]
        low, high = np.where(value < 0, t, low), np.where(value > 0, t, high)
        newton = t - value / (1.0 / probability).sum(axis=1, keepdims=True)
        following = np.where((newton > low) & (newton < high), newton, 0.5 * (low + high))
        if (np.abs(following - t) <= 1e-15 * length).all():
            break
        t = following
    return probability
