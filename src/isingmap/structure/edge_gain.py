"""How much an edge gains: the divergence between what the data and what the model say of a pair."""

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
