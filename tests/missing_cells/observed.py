"""The likelihood of rows with missing cells by enumeration, with nothing of the package's inference."""

from itertools import product

import numpy as np

from isingmap import IsingModel


def configurations(n_spins):
    return np.array(list(product((-1, 1), repeat=n_spins)))


def log_weights(states, edges, theta, free):
    statistics = np.hstack([states[:, edges[:, 0]] * states[:, edges[:, 1]], states[:, free]])
    return statistics @ theta


class Enumerated:
    """Rows beside all configurations that fit them."""

    def __init__(self, edges, free, rows, weights=None):
        self.edges, self.free = np.asarray(edges).reshape(-1, 2), np.flatnonzero(free)
        self.states = configurations(rows.shape[1])
        self.fits = (((rows[:, None, :] == 0) | (rows[:, None, :] == self.states)).all(axis=2)).astype(float)
        self.weights = np.ones(len(rows)) if weights is None else weights

    def log_probabilities(self, theta):
        weight = log_weights(self.states, self.edges, theta, self.free)
        p = np.exp(weight - np.logaddexp.reduce(weight))
        return np.log(self.fits @ p)

    def log_likelihood(self, theta):
        return float(self.weights @ self.log_probabilities(theta))

    def moments(self, theta):
        p = np.exp(log_weights(self.states, self.edges, theta, self.free))
        given = self.fits * p
        given /= given.sum(axis=1, keepdims=True)
        mean = (self.weights @ given) / self.weights.sum()
        return (self.states.T * mean) @ self.states, mean @ self.states


def parameters(model):
    return np.append(model.couplings, model.fields[model.free_fields])


def with_parameters(model, theta):
    fields = np.zeros(model.n_spins)
    fields[model.free_fields] = theta[model.n_edges :]
    return model.with_couplings(theta[: model.n_edges], fields)


def random_model(rng, n_spins, edges, free=None, size=0.6, names=None):
    free = np.ones(n_spins, bool) if free is None else free
    fields = np.where(free, rng.normal(0, 0.4, n_spins), 0.0)
    couplings = rng.normal(0, size, len(edges))
    return IsingModel(edges, couplings, fields, names=names, free_fields=free)


def with_gaps(rng, model, n_rows, share):
    spins = model.sample(n_rows, rng=rng).astype(np.int8)
    spins[rng.random(spins.shape) < share] = 0
    return spins
