"""Fields are couplings to one more spin (Johnson et al. 2011, Prop. 1).

The auxiliary node is joined to every spin with a free field. Z of the extended zero-field model is 2 Z, and E[x_i] is
the correlation of x_i with the auxiliary node.
"""

from __future__ import annotations

import numpy as np

from isingmap.errors import NonPlanarError

AUXILIARY = "(auxiliary spin of the fields)"


def extended_edges(n_spins: int, edges: np.ndarray, free_fields: np.ndarray) -> np.ndarray:
    """Edges of the model followed by those from each spin with a free field to the auxiliary node n_spins."""
    auxiliary = np.full(free_fields.size, n_spins, np.int64)
    return np.vstack([edges, np.stack([free_fields, auxiliary], axis=1)])


def explained(error: NonPlanarError, with_fields: bool) -> NonPlanarError:
    """Say what planarity means for a model with fields."""
    if not with_fields:
        return error
    message = (
        f"{error}. The model has fields, which act like couplings to one more spin, so the graph together with "
        "that spin must be planar (with a field on every spin: the graph must be outer-planar)"
    )
    return NonPlanarError(message, kind=error.kind, subgraph=error.subgraph, branch_nodes=error.branch_nodes)
