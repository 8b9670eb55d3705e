"""How much an edge gains: the divergence between what the data and what the model say of a pair."""

from __future__ import annotations

import numpy as np
from scipy.special import expit, xlogy


def edge_gain(empirical, model) -> np.ndarray:
    """KL divergence of the pair marginals with moments `empirical` and `model`, nats per sample.

    The exact gain in mean log-likelihood of adding the edge with the other couplings fixed, and so a lower bound on
    the gain after the refit (paper, Prop. 4). `model` must lie inside (-1, 1).
    """
    a, b = np.asarray(empirical, float), np.asarray(model, float)
    return 0.5 * (xlogy(1 + a, 1 + a) - xlogy(1 + a, 1 + b) + xlogy(1 - a, 1 - a) - xlogy(1 - a, 1 - b))


def edge_loss(moment, coupling) -> np.ndarray:
    """What is lost without an edge of a fitted model, the other couplings fixed, nats per sample.

    The moment of the edge becomes (mu - w) / (1 - mu w), w = tanh of the coupling. At least the loss after a refit.
    """
    w = np.tanh(coupling)
    return edge_gain(moment, (moment - w) / (1.0 - moment * w))


def table_gain(empirical, model, first_mean, second_mean) -> np.ndarray:
    """KL divergence of the tables of pairs whose means the model has already, nats per sample.

    The exact gain of adding the edge and changing the two fields with all else fixed, and so a lower bound on the gain
    after the refit. Both tables have the means given, and moments `empirical` and `model`.
    """
    a, b = np.asarray(empirical, float), np.asarray(model, float)
    gain = np.zeros(np.broadcast(a, first_mean, second_mean).shape)
    for s in (-1, 1):
        for t in (-1, 1):
            alone = 1 + s * first_mean + t * second_mean
            observed, expected = np.maximum(alone + s * t * a, 0.0), np.maximum(alone + s * t * b, 0.0)
            gain += xlogy(observed, observed) - xlogy(observed, expected)
    return 0.25 * gain


def table_loss(moment, coupling, first_mean, second_mean) -> np.ndarray:
    """What is lost without an edge of a fitted model, its ends' fields refitted and all else fixed, nats per sample.

    The odds ratio of the pair's table falls by exp(4 coupling) and its means stay. At least the loss after a refit.
    """
    with np.errstate(divide="ignore"):
        log_odds = log_odds_ratio(moment, first_mean, second_mean) - 4.0 * np.asarray(coupling, float)
    return table_gain(moment, moment_of(log_odds, first_mean, second_mean), first_mean, second_mean)


def log_odds_ratio(moment, first_mean, second_mean) -> np.ndarray:
    """Logarithm of p(++) p(--) / (p(+-) p(-+)); four times the coupling of a pair alone."""
    c, total, difference = np.asarray(moment, float), first_mean + second_mean, first_mean - second_mean
    return np.log((1 + c) ** 2 - total**2) - np.log((1 - c) ** 2 - difference**2)


def moment_of(log_odds, first_mean, second_mean) -> np.ndarray:
    """The moment of a table of given odds ratio and means: the stable root of a quadratic."""
    share = expit(-np.asarray(log_odds, float))
    k = 2.0 * share - 1.0
    q = (first_mean + second_mean) ** 2 * share - (first_mean - second_mean) ** 2 * (1.0 - share)
    return (q - k) / (1.0 + np.sqrt(1.0 - k * (k - q)))
