"""Likelihoods of few spins by enumeration, with nothing of the package's inference: what the room is held against."""

from itertools import product

import numpy as np
from scipy.optimize import minimize


def statistics(spins, edges, fields):
    """x_i x_j of each edge, then x_i of each field, (n_rows, n_parameters)."""
    spins = np.asarray(spins, float)
    edges = np.asarray(edges).reshape(-1, 2)
    return np.hstack([spins[:, edges[:, 0]] * spins[:, edges[:, 1]], spins[:, fields]])


def configurations(n_spins):
    return np.array(list(product((-1, 1), repeat=n_spins)))


class Family:
    """log Z, means and covariances of the statistics, over all configurations."""

    def __init__(self, n_spins, edges, fields):
        self.table = statistics(configurations(n_spins), edges, fields)

    def log_partition(self, theta):
        return float(np.logaddexp.reduce(self.table @ theta))

    def chances(self, theta):
        return np.exp(self.table @ theta - self.log_partition(theta))

    def means(self, theta):
        return self.chances(theta) @ self.table

    def covariance(self, theta):
        centred = self.table - self.means(theta)
        return (centred * self.chances(theta)[:, None]).T @ centred

    def best(self, target, held=None):
        """Highest mean log-likelihood; `held` = (number, value) of a parameter that is not free."""
        free = np.ones(self.table.shape[1], bool)
        start = np.zeros(free.size)
        if held is not None:
            free[held[0]], start[held[0]] = False, held[1]

        def filled(values):
            theta = start.copy()
            theta[free] = values
            return theta

        def cost(values):
            theta = filled(values)
            return self.log_partition(theta) - target @ theta, (self.means(theta) - target)[free]

        def curvature(values):
            return self.covariance(filled(values))[np.ix_(free, free)]

        found = minimize(cost, start[free], jac=True, hess=curvature, method="trust-exact", options={"gtol": 1e-11})
        return -float(found.fun), filled(found.x)
