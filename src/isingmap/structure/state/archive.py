"""What a search puts into a file and takes out again: JSON documents, arrays, and models, each of these once.

Every part of a search writes itself into an archive and reads itself back; the file knows no attribute of any part.
Compiled code does not look where it reads, so what comes out of a file is checked here.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from isingmap.errors import FileFormatError
from isingmap.planar.blocks import block_labels
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

    @property
    def _n_nodes(self) -> int:
        return len(self._problem.labels)

    def get_mask(self, name: str) -> np.ndarray:
        """The array of a name, true or false for each pair of nodes.

        Raises
        ------
        FileFormatError
            It is something else.
        """
        return self._checked(name, np.bool_, (self._n_nodes, self._n_nodes))

    def pairs(self, listed: Iterable) -> list[tuple[int, int]]:
        """Pairs of nodes i < j out of a document.

        Raises
        ------
        FileFormatError
            They are something else.
        """
        pairs = [(i, j) for i, j in listed]
        if not all(type(i) is int and type(j) is int and 0 <= i < j < self._n_nodes for i, j in pairs):
            raise FileFormatError("a pair of nodes that is none")
        return pairs

    def nodes(self, listed: Iterable) -> frozenset[int]:
        """Nodes out of a document.

        Raises
        ------
        FileFormatError
            They are something else.
        """
        nodes = frozenset(listed)
        if not all(type(node) is int and 0 <= node < self._n_nodes for node in nodes):
            raise FileFormatError("a node that is none")
        return nodes

    def _checked(self, name: str, kind: type, shape: tuple[int, ...]) -> np.ndarray:
        array = self.arrays[name]
        if array.dtype != kind or array.shape != shape:
            raise FileFormatError(f"{name} has another type or shape")
        return array

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
        document, prefix = self.documents[number], f"model{number}"
        edges, couplings, block = self._read_edges(prefix)
        known = Correlations(self._checked(f"{prefix}.correlations", np.float64, (self._n_nodes, self._n_nodes)))
        sizes = [int((block == which).sum()) for which, *_ in document["fits"]]
        inverse = self._checked(f"{prefix}.inverse_hessian", np.float64, (sum(size**2 for size in sizes),))
        plane, fits, used = plane_of(self._problem), {}, 0
        for (which, *rest), size in zip(document["fits"], sizes, strict=True):
            members = np.flatnonzero(block == which)
            fits[which] = BlockFit.restored(
                plane, edges[members], couplings[members], inverse[used : used + size**2], *rest
            )
            used += size**2
        if {*fits} != {*block.tolist()}:
            raise FileFormatError("blocks without a fit")
        scalars: dict[str, Any] = {name: document[name] for name in MODEL_SCALARS}
        problem = self._problem
        return RefittedModel(plane, problem.target, problem.raw, edges, couplings, known, block, fits, **scalars)

    def _read_edges(self, prefix: str) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Edges of a planar graph, their finite couplings and the numbers of their blocks."""
        n_edges = len(self.arrays[f"{prefix}.edges"])
        edges = self._checked(f"{prefix}.edges", np.int64, (n_edges, 2))
        couplings = self._checked(f"{prefix}.couplings", np.float64, (n_edges,))
        block = self._checked(f"{prefix}.block", np.int64, (n_edges,))
        pairs = self.pairs(edges.tolist())
        fits = plane_of(self._problem).has_room(edges)
        if len({*pairs}) < n_edges or not fits or not np.isfinite(couplings).all():
            raise FileFormatError("edges that are none")
        labels = block_labels(self._n_nodes, edges).tolist()
        if not len({*labels}) == len({*block.tolist()}) == len({*zip(labels, block.tolist(), strict=True)}):
            raise FileFormatError("blocks that are none")
        return edges, couplings, block
