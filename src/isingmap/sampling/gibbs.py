"""Gibbs sampling: one spin after the other, each from its distribution given its neighbours.

The heat-bath sampler with which the paper draws its data (Johnson, Netrapalli & Chertkov 2011, section 5).
Works for every graph, planar or not, with or without fields.
"""

from __future__ import annotations

import operator
from collections.abc import Iterator

import numpy as np

from isingmap.compiled import helper, kernel
from isingmap.errors import ModelError
from isingmap.interruption import look
from isingmap.model import IsingModel

# Couplings looked at between two looks whether Ctrl-C was pressed; some tenths of a second.
LOOK_EVERY = 10_000_000


def gibbs_sample(
    model: IsingModel,
    n_samples: int,
    *,
    rng: np.random.Generator,
    n_burn_in: int = 1000,
    n_thin: int = 10,
    n_chains: int = 4,
) -> np.ndarray:
    """Approximate samples of a model from sequential sweeps of heat-bath updates.

    The samples are *autocorrelated* and only *approximately* distributed as the model says: a chain started
    from random spins may stay for very long in one of several likely regions (|coupling| well above 1), and
    averages over a chain are less exact than over as many independent samples.

    Parameters
    ----------
    model : IsingModel
        Planar or not.
    n_samples : int
        Total over all chains.
    rng : numpy.random.Generator
        The only source of randomness; its state advances.
    n_burn_in : int
        Sweeps of each chain that are thrown away.
    n_thin : int
        Sweeps from one sample to the next.
    n_chains : int
        Independent chains, each from fresh random spins. They share the samples as evenly as possible; the
        first chains give one more than the last.

    Returns
    -------
    (n_samples, n_spins) int8 array
        Of -1 and +1, chain after chain, in the order of the sweeps; columns in the order of `model.names`.

    Raises
    ------
    ModelError
        For a count that is not a whole number or too small, or an `rng` that is not a Generator.

    Notes
    -----
    O((n_spins + n_edges) (n_chains n_burn_in + n_samples n_thin)) time, on one thread.
    """
    if not isinstance(rng, np.random.Generator):
        raise ModelError(f"rng must be a numpy.random.Generator, got {rng!r}; use default_rng(seed)")
    n_samples = whole_number(n_samples, "n_samples", 0)
    n_burn_in = whole_number(n_burn_in, "n_burn_in", 0)
    n_thin = whole_number(n_thin, "n_thin", 1)
    n_chains = whole_number(n_chains, "n_chains", 1)
    samples = np.empty((n_samples, model.n_spins), np.int8)
    neighbourhood = _neighbourhoods(model)
    for chain in np.array_split(samples, n_chains):
        spins = np.where(rng.random(model.n_spins) < 0.5, 1.0, -1.0)
        for rows, n_before in _short_runs(chain, n_burn_in, max(LOOK_EVERY // max(len(model.edges), 1), 1), n_thin):
            look()
            _run_chain(spins, rows, n_before, n_thin, *neighbourhood, model.fields, rng)
    return samples


def _short_runs(chain: np.ndarray, n_burn_in: int, most: int, n_thin: int) -> Iterator[tuple[np.ndarray, int]]:
    """Parts of a chain of about `most` sweeps: (rows to fill, sweeps before)."""
    for begin in range(0, n_burn_in, most):
        yield chain[:0], min(most, n_burn_in - begin)
    n_rows = max(most // n_thin, 1)
    for begin in range(0, len(chain), n_rows):
        yield chain[begin : begin + n_rows], 0


def whole_number(value, what: str, least: int) -> int:
    """The count as an int.

    Raises
    ------
    ModelError
        If it is not a whole number or smaller than `least`.
    """
    try:
        number = operator.index(value)
    except TypeError:
        raise ModelError(f"{what} must be a whole number, got {value!r}") from None
    if number < least:
        raise ModelError(f"{what} must be at least {least}, got {number}")
    return number


def _neighbourhoods(model: IsingModel) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Neighbours of spin i and their couplings, at positions start[i] to start[i + 1] of two flat arrays."""
    tail = model.edges.T.reshape(-1)
    head = model.edges[:, ::-1].T.reshape(-1)
    by_tail = np.argsort(tail, kind="stable")
    start = np.zeros(model.n_spins + 1, np.int64)
    np.cumsum(np.bincount(tail, minlength=model.n_spins), out=start[1:])
    return start, head[by_tail], np.tile(model.couplings, 2)[by_tail]


@kernel
def _run_chain(spins, samples, n_burn_in, n_thin, start, neighbours, couplings, fields, rng):
    """Fill `samples` from one chain; `spins` is its state."""
    for _ in range(n_burn_in):
        _sweep(spins, start, neighbours, couplings, fields, rng)
    for k in range(samples.shape[0]):
        for _ in range(n_thin):
            _sweep(spins, start, neighbours, couplings, fields, rng)
        for i in range(spins.size):
            samples[k, i] = 1 if spins[i] > 0 else -1


@helper
def _sweep(spins, start, neighbours, couplings, fields, rng):
    """One heat-bath update of every spin in order: P(x_i = +1 | rest) = 1 / (1 + exp(-2 h_i))."""
    for i in range(spins.size):
        local_field = fields[i]
        for k in range(start[i], start[i + 1]):
            local_field += couplings[k] * spins[neighbours[k]]
        spins[i] = 1.0 if rng.random() * (1.0 + np.exp(-2.0 * local_field)) < 1.0 else -1.0
