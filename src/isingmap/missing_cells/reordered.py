"""The same model and rows with the variables in another order: sums are made in the order of the names."""

from __future__ import annotations

import numpy as np

from isingmap.missing_cells.parts import ObservedRows
from isingmap.model import IsingModel


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


def in_order_of(observed: ObservedRows, order: np.ndarray) -> ObservedRows:
    """The rows with column order[k] in place k."""
    return ObservedRows(np.ascontiguousarray(observed.rows[:, order]), observed.weights)
