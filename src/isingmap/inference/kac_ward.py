"""Theorem 1 and Proposition 2 of the paper, as printed: dense, complex, on a straight-line drawing.

Johnson, Netrapalli & Chertkov, "Learning Planar Ising Models", AISTATS 2011, with the misprint of the appendix put
right (the moment carries 1 - w^2, not (1 - w)^2). This is the readable reference; the program computes with the
real engine in `zero_field/`, and the tests hold the two against each other. O(m^3); loses precision above |theta| ~ 5.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from isingmap.planar.drawing.layout import straight_line_positions


@dataclass(frozen=True, eq=False)
class KacWardSolution:
    """Log partition, moments and Hessian of a zero-field planar model.

    Attributes
    ----------
    log_partition : float
    moments : (n_edges,) float64 array
    hessian : (n_edges, n_edges) float64 array
    """

    log_partition: float
    moments: np.ndarray
    hessian: np.ndarray


def turning_matrix(edges: np.ndarray, positions: np.ndarray) -> np.ndarray:
    """A[(i,j),(j,l)] = exp(i phi / 2), phi the turning angle in (-pi, pi) from dart (i,j) to dart (j,l), l != i."""
    tail, head = edges.reshape(-1), edges[:, ::-1].reshape(-1)
    step = positions[head] - positions[tail]
    direction = step[:, 0] + 1j * step[:, 1]
    turn = np.angle(direction[None, :] / direction[:, None])
    follows = head[:, None] == tail[None, :]
    follows[np.arange(tail.size), np.arange(tail.size) ^ 1] = False
    return np.where(follows, np.exp(0.5j * turn), 0.0)


def solve_kac_ward(n_spins: int, edges, couplings, *, positions=None) -> KacWardSolution:
    """Solve a zero-field model from the printed formulas.

    Parameters
    ----------
    n_spins : int
    edges : (n_edges, 2) int array
        A simple planar graph.
    couplings : (n_edges,) float array
    positions : (n_spins, 2) float array, optional
        A crossing-free straight-line drawing; made when not given.
    """
    edges = np.asarray(edges, np.int64).reshape(-1, 2)
    theta = np.asarray(couplings, float)
    if positions is None:
        positions = straight_line_positions(n_spins, edges)
    w = np.tanh(theta)
    turning = turning_matrix(edges, positions)
    system = np.eye(2 * len(edges)) - turning * np.repeat(w, 2)[None, :]
    _, log_det = np.linalg.slogdet(system)
    log_partition = n_spins * np.log(2.0) + np.log(np.cosh(theta)).sum() + 0.5 * log_det.real
    s = np.linalg.solve(system, turning)
    diagonal = np.diagonal(s)
    moments = w - 0.5 * (1.0 - w**2) * (diagonal[0::2] + diagonal[1::2]).real
    return KacWardSolution(float(log_partition), moments, _hessian(s, w, moments))


def _hessian(s: np.ndarray, w: np.ndarray, moments: np.ndarray) -> np.ndarray:
    """H[e,f] = -1/2 (1-w_e^2) T[e,f] (1-w_f^2) with T = (I+P)(S o S^T)(I+P^T); H[e,e] = 1 - mu_e^2."""
    product = s * s.T
    t = product[0::2, 0::2] + product[0::2, 1::2] + product[1::2, 0::2] + product[1::2, 1::2]
    hessian = -0.5 * np.outer(1.0 - w**2, 1.0 - w**2) * t.real
    np.fill_diagonal(hessian, 1.0 - moments**2)
    return hessian
