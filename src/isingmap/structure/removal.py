"""What each edge of a finished model is worth: the exact loss without it."""

from __future__ import annotations

import numpy as np

from isingmap.data.moments import EmpiricalMoments
from isingmap.errors import PrecisionError
from isingmap.inference.extended import extended_moments
from isingmap.likelihood.fit import shrunk
from isingmap.model import IsingModel
from isingmap.structure.state.refitted_model import starting_model


def removal_losses(model: IsingModel, moments: EmpiricalMoments, prior: float | None = None) -> np.ndarray:
    """Mean log-likelihood that is lost without each edge, all else refitted, nats per sample, (n_edges,).

    Parameters
    ----------
    model : IsingModel
        At its maximum for these moments.
    moments : EmpiricalMoments
    prior : float, optional
        That the model was fitted with.

    Returns
    -------
    (n_edges,) array
        NaN where doubles cannot fit what is left. One refit of the edge's block each.

    Raises
    ------
    PrecisionError
        When doubles cannot fit the model itself.
    """
    raw = extended_moments(moments.moments, moments.magnetizations)
    target = np.array(shrunk(raw, prior, moments.n_samples))
    np.fill_diagonal(target, 1.0)
    whole = starting_model(target, raw, model.planned.graph.extended_edges)
    place = {pair: k for k, pair in enumerate(whole.pairs)}
    losses = np.full(model.n_edges, np.nan)
    for k, (i, j) in enumerate(model.edges.tolist()):
        try:
            losses[k] = whole.gain - whole.without_edge(place[i, j]).gain
        except PrecisionError:
            continue
    return losses
