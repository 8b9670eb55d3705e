"""The same model with its variables in another order."""

from __future__ import annotations

import numpy as np

from isingmap.model.ising_model import IsingModel


def reordered(model: IsingModel, order: np.ndarray) -> IsingModel:
    """Spin k is now what spin order[k] was; edges ascending."""
    edges = np.sort(np.argsort(order)[model.edges], axis=1).reshape(-1, 2)
    by_ends = np.lexsort((edges[:, 1], edges[:, 0]))
    return IsingModel(
        edges[by_ends],
        model.couplings[by_ends],
        model.fields[order],
        names=[model.names[k] for k in order.tolist()],
        free_fields=model.free_fields[order],
    )
