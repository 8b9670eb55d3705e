"""What a search puts into a file and takes out again: JSON documents, arrays, and models, each of these once.

Every part of a search writes itself into an archive and reads itself back; the file knows no attribute of any part.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from isingmap.structure.problem import Problem
from isingmap.structure.state.block_fit import BlockFit
from isingmap.structure.state.correlations import Correlations
from isingmap.structure.state.plane import plane_of
from isingmap.structure.state.refitted_model import RefittedModel

MODEL_ARRAYS = ("edges", "couplings", "block", "correlations")
MODEL_SCALARS = ("next_block", "gradient_norm", "converged", "n_edges_checked")


class Archive:
    """Arrays by name, and documents of models by number.

    Parameters
    ----------
    problem : Problem
        Whose moments all models have.
    arrays : dict of str to array, optional
        Of a file that was read.
    documents : list of dict, optional
        Of the models in it.
    """

    def __init__(
        self,
        problem: Problem,
        arrays: dict[str, np.ndarray] | None = None,
        documents: list[dict] | None = None,
    ):
        self._problem = problem
        self.arrays = {} if arrays is None else arrays
        self.documents = [] if documents is None else documents
        self._models: list[RefittedModel] = []

    def put_array(self, name: str, array: np.ndarray) -> None:
        """Store an array under a name of its own."""
        self.arrays[name] = array

    def get_array(self, name: str) -> np.ndarray:
        """The array of a name."""
        return self.arrays[name]

    def put_model(self, model: RefittedModel) -> int:
        """Number under which a model is stored; the same for the same model."""
        known = next((k for k, other in enumerate(self._models) if other is model), None)
        if known is not None:
            return known
        prefix = f"model{len(self._models)}"
        self._models.append(model)
        for name in MODEL_ARRAYS:
            self.arrays[f"{prefix}.{name}"] = getattr(model, name)
        inverse = [fit.inverse_hessian.ravel(order="F") for fit in model.fits.values()]
        self.arrays[f"{prefix}.inverse_hessian"] = np.concatenate([np.empty(0), *inverse])
        fits = [[number, fit.gain, fit.gradient_norm, fit.converged] for number, fit in model.fits.items()]
        self.documents.append({**{name: getattr(model, name) for name in MODEL_SCALARS}, "fits": fits})
        return len(self._models) - 1

    def get_model(self, number: int) -> RefittedModel:
        """The model of a number, always the same object."""
        while len(self._models) <= number:
            self._models.append(self._read_model(len(self._models)))
        return self._models[number]

    def _read_model(self, number: int) -> RefittedModel:
        document = self.documents[number]
        edges, couplings, block, correlations = (self.arrays[f"model{number}.{name}"] for name in MODEL_ARRAYS)
        inverse = self.arrays[f"model{number}.inverse_hessian"]
        plane, fits, used = plane_of(self._problem), {}, 0
        for which, *rest in document["fits"]:
            members = np.flatnonzero(block == which)
            size = members.size**2
            part = inverse[used : used + size]
            fits[which] = BlockFit.restored(plane, edges[members], couplings[members], part, *rest)
            used += size
        scalars: dict[str, Any] = {name: document[name] for name in MODEL_SCALARS}
        known = Correlations(correlations)
        problem = self._problem
        return RefittedModel(plane, problem.target, problem.raw, edges, couplings, known, block, fits, **scalars)
