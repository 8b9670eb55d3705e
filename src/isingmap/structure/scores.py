"""How much an edge would gain, and when to stop: the scores of the greedy search."""

from __future__ import annotations

import numpy as np
from scipy.special import xlogy


def edge_gain(empirical, model) -> np.ndarray:
    """KL divergence of the pair marginals with moments `empirical` and `model`, nats per sample.

    The exact gain in mean log-likelihood of adding the edge with the other couplings fixed, and so a lower bound on
    the gain after the refit (paper, Prop. 4). `model` must lie inside (-1, 1).
    """
    a, b = np.asarray(empirical, float), np.asarray(model, float)
    return 0.5 * (xlogy(1 + a, 1 + a) - xlogy(1 + a, 1 + b) + xlogy(1 - a, 1 - a) - xlogy(1 - a, 1 - b))


def aic(log_likelihood, n_parameters):
    """Akaike's criterion, -2 log L + 2 k, nats; smaller is better."""
    return -2.0 * log_likelihood + 2.0 * n_parameters


def bic(log_likelihood, n_parameters, n_samples):
    """Schwarz's criterion, -2 log L + k log N, nats; smaller is better."""
    return -2.0 * log_likelihood + np.log(n_samples) * n_parameters


# Weight of the prior over graphs in the extended criterion; IsingFit, which most users come from, has the same.
EBIC_GAMMA = 0.25


def parameter_price(criterion: str, n_samples: float, n_nodes: int, gamma: float = EBIC_GAMMA) -> float:
    """Gain in nats per sample that a parameter must bring to lower the criterion; 0 for a maximal search.

    "ebic" is the extended criterion of Foygel & Drton (2010), log N + 4 gamma log n for each parameter:
    among many pairs some gain a little by chance.
    """
    prices = {
        "maximal": 0.0,
        "aic": 2.0,
        "bic": np.log(n_samples),
        "ebic": np.log(n_samples) + 4.0 * gamma * np.log(n_nodes),
    }
    return float(prices[criterion] / (2.0 * n_samples))
