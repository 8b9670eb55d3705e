"""How much of a table's structure a model has: entropies, and how far any model could go beyond it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.special import entr, expit

from isingmap.model import IsingModel

# Logistic regressions stop at this many steps; where values can be told apart exactly they have no maximum.
MOST_STEPS = 200


@dataclass(frozen=True)
class Captured:
    """Nats per row, on the rows without a missing cell.

    Attributes
    ----------
    n_rows : int
    n_counted : float
        What they count as: their weight, where they have one.
    n_patterns : int
        Different rows.
    entropy : float
        Of the model.
    independent_entropy : float
        Sum of the entropies of the model's single variables; less `entropy` it is the model's multi-information.
    log_likelihood : float
        Of the model.
    independent_log_likelihood : float
        Of the best model without any edge.
    saturated_log_likelihood : float
        Of the table's own frequencies: no model whatever does better on these rows.
    pseudo_log_likelihood : float
        Sum over the variables of log P(x_i | all others) in the model.
    full_pseudo_log_likelihood : float
        The most that any pairwise model reaches, all pairs allowed.
    n_pairs_more : int
        Couplings that such a model has and this one lacks.
    """

    n_rows: int
    n_counted: float
    n_patterns: int
    entropy: float
    independent_entropy: float
    log_likelihood: float
    independent_log_likelihood: float
    saturated_log_likelihood: float
    pseudo_log_likelihood: float
    full_pseudo_log_likelihood: float
    n_pairs_more: int

    @property
    def multi_information(self) -> float:
        """Of the model: what its variables say of each other."""
        return self.independent_entropy - self.entropy

    @property
    def least_share(self) -> float:
        """The model's gain over independence, as a share of the most that any model could gain on these rows."""
        most = self.saturated_log_likelihood - self.independent_log_likelihood
        return (self.log_likelihood - self.independent_log_likelihood) / most if most > 0 else np.nan


def captured(model: IsingModel, spins: np.ndarray, weights: np.ndarray | None = None) -> Captured | None:
    """From the complete rows of a table; None without any."""
    weights = np.ones(len(spins)) if weights is None else weights
    complete = (spins != 0).all(axis=1) & (weights > 0)
    rows, n_counted = spins[complete], float(weights[complete].sum())
    if not len(rows):
        return None
    patterns, pattern = np.unique(rows, axis=0, return_inverse=True)
    shares = np.bincount(pattern.reshape(-1), weights[complete]) / n_counted
    n = model.n_spins
    return Captured(
        n_rows=len(rows),
        n_counted=n_counted,
        n_patterns=len(patterns),
        entropy=model.entropy(),
        independent_entropy=float(_entropies(model.magnetizations()).sum()),
        log_likelihood=float(shares @ model.log_probability(patterns)),
        independent_log_likelihood=-float(_entropies(shares @ patterns).sum()),
        saturated_log_likelihood=-float(entr(shares).sum()),
        pseudo_log_likelihood=pseudo_log_likelihood(model, patterns, shares),
        full_pseudo_log_likelihood=full_pseudo_log_likelihood(patterns, shares),
        n_pairs_more=n * (n - 1) // 2 - model.n_edges,
    )


def _entropies(means: np.ndarray) -> np.ndarray:
    return entr((1 + means) / 2) + entr((1 - means) / 2)


def pseudo_log_likelihood(model: IsingModel, rows: np.ndarray, shares: np.ndarray) -> float:
    """Mean over rows with these shares of the sum of log P(x_i | all others)."""
    strength = np.zeros((model.n_spins, model.n_spins))
    strength[tuple(model.edges.T)] = model.couplings
    pull = rows @ (strength + strength.T) + model.fields
    return -float(shares @ np.logaddexp(0.0, -2.0 * rows * pull).sum(axis=1))


def full_pseudo_log_likelihood(rows: np.ndarray, shares: np.ndarray) -> float:
    """The same at its maximum over all pairwise models: a logistic regression of each variable on all others."""
    return sum(_best_regression(rows, shares, i) for i in range(rows.shape[1]))


def _best_regression(rows: np.ndarray, shares: np.ndarray, i: int) -> float:
    from scipy.optimize import minimize

    design = rows.astype(float)
    design[:, i] = 1.0
    signs = rows[:, i].astype(float)

    def loss(weights: np.ndarray) -> tuple[float, np.ndarray]:
        pull = 2.0 * signs * (design @ weights)
        return float(shares @ np.logaddexp(0.0, -pull)), -2.0 * design.T @ (shares * signs * expit(-pull))

    found = minimize(loss, np.zeros(rows.shape[1]), jac=True, method="L-BFGS-B", options={"maxiter": MOST_STEPS})
    return -float(found.fun)
