"""Any binary pairwise model is an Ising model (paper, section 2.3): conversion to and from potentials.

Two-valued tables are indexed 0 for x = -1 and 1 for x = +1.
"""

from __future__ import annotations

import numpy as np

from isingmap.errors import ModelError
from isingmap.model.ising_model import IsingModel
from isingmap.model.marginals import STATES


def model_from_potentials(edges, pair_potentials, unary_potentials=None, *, names=None, n_spins=None):
    """The Ising model with log-potentials f_ij(x_i, x_j) and f_i(x_i).

    Parameters
    ----------
    edges : (n_edges, 2) array
        The first node of a row indexes the first axis of its table.
    pair_potentials : (n_edges, 2, 2) array, nats
    unary_potentials : (n_spins, 2) array, nats, optional

    Returns
    -------
    model : IsingModel
    constant : float
        log Z of the given potentials is model.log_partition() + constant.

    Raises
    ------
    ModelError
        When the arguments do not fit together.
    """
    edges = np.asarray(edges)
    pair = np.asarray(pair_potentials, float)
    if pair.shape != (len(edges), 2, 2):
        raise ModelError(f"pair_potentials must have shape ({len(edges)}, 2, 2), got {pair.shape}")
    if n_spins is None:
        n_spins = len(names) if names is not None else _count(edges, unary_potentials)
    unary = np.zeros((n_spins, 2)) if unary_potentials is None else np.asarray(unary_potentials, float)
    if unary.shape != (n_spins, 2):
        raise ModelError(f"unary_potentials must have shape ({n_spins}, 2), got {unary.shape}")
    couplings = np.einsum("eab,a,b->e", pair, STATES, STATES) / 4.0
    fields = unary @ STATES / 2.0
    skeleton = IsingModel(edges, couplings, names=names, n_spins=n_spins)
    position = {name: k for k, name in enumerate(skeleton.names)}
    ends = np.array([[position.get(v, v) for v in row] for row in edges.tolist()], dtype=np.int64).reshape(-1, 2)
    np.add.at(fields, ends[:, 0], np.einsum("eab,a->e", pair, STATES) / 4.0)
    np.add.at(fields, ends[:, 1], np.einsum("eab,b->e", pair, STATES) / 4.0)
    constant = float(pair.sum() / 4.0 + unary.sum() / 2.0)
    return IsingModel(edges, couplings, fields, names=names, n_spins=n_spins), constant


def _count(edges: np.ndarray, unary_potentials) -> int:
    if unary_potentials is not None:
        return len(unary_potentials)
    return int(edges.max()) + 1 if edges.size else 0


def potentials_from_model(model: IsingModel) -> tuple[np.ndarray, np.ndarray]:
    """Log-potentials (n_edges, 2, 2) and (n_spins, 2) of a model, in nats."""
    pair = model.couplings[:, None, None] * np.outer(STATES, STATES)
    return pair, model.fields[:, None] * STATES
