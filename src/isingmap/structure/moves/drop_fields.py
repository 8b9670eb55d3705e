"""Dropping fields in the end, where every variable began with one: the one worth least first, until the others pay.

While the graph is searched all fields stay: a pair of rare variables needs both fields and its coupling at once, so
that fields which compete with couplings from the start end worse.
"""

from __future__ import annotations

import numpy as np

from isingmap.structure.moves.drop import reduced
from isingmap.structure.state.archive import Archive
from isingmap.structure.state.candidates import TIE_TOLERANCE
from isingmap.structure.state.refitted_model import RefittedModel
from isingmap.structure.state.search_state import Pair, SearchState
from isingmap.structure.state.stopping import LEAST_IMPROVEMENT

# What a field loses after a refit is taken to be at least this share of what the curvature at the maximum says.
LEAST_SHARE = 0.25


class DropFields:
    """Exact refits without each field; the one that saves most goes, and everything else is fitted again.

    Attributes
    ----------
    chosen : RefittedModel or None
        The model when its graph was chosen; None until this has begun.
    """

    def __init__(self) -> None:
        self.chosen: RefittedModel | None = None
        self._losses: dict[Pair, tuple[int, float]] = {}  # with the block they hold for

    def step(self, state: SearchState) -> bool:
        """Drop one field; False when none is asked to go, or all that are left pay."""
        if not state.problem.drops_fields:
            return False
        if self.chosen is None:
            self.chosen = state.model
        model, worst, most, n_ties = state.model, None, LEAST_IMPROVEMENT, 0
        for k, pair, saving, likely in self._asked(state):
            if saving - LEAST_SHARE * likely <= most:
                continue
            saved = saving - self._loss(model, k, pair)
            if worst is not None and abs(saved - most) <= TIE_TOLERANCE:
                worst, n_ties = min(worst, pair), n_ties + 1
            elif saved > most:
                worst, most, n_ties = pair, saved, 0
        if worst is None:
            return False
        smaller = reduced(model, worst)
        assert smaller is not None  # its loss is finite
        state.record("remove", worst, model.gain - smaller.gain, smaller, n_ties)
        return True

    def _asked(self, state: SearchState) -> list[tuple[int, Pair, float, float]]:
        """Number, pair, saving and likely loss of each field that may go, those first that seem to save most."""
        model, kept = state.model, set(state.problem.kept_fields.tolist())
        likely, saving = 0.5 * model.couplings**2 / model.coupling_variances, state.edge_savings
        found = [
            (k, model.pairs[k], float(saving[k]), float(likely[k]))
            for k in np.flatnonzero(state.kinds == 1).tolist()
            if model.edges[k, 0] not in kept
        ]
        return sorted(found, key=lambda asked: (asked[3] - asked[2], asked[1]))

    def _loss(self, model: RefittedModel, k: int, pair: Pair) -> float:
        """What the model loses without a field, refitted, nats per sample; infinite where doubles cannot fit it."""
        block = int(model.block[k])
        known, loss = self._losses.get(pair, (-1, np.inf))
        if known != block:
            smaller = reduced(model, pair)
            loss = np.inf if smaller is None else model.gain - smaller.gain
            self._losses[pair] = block, loss
        return loss

    def saved(self, archive: Archive) -> dict:
        """The model when its graph was chosen; losses are computed again."""
        return {"chosen": None if self.chosen is None else archive.put_model(self.chosen)}

    def resume(self, document: dict, archive: Archive) -> None:
        """Go on with the fields that are left."""
        self.chosen = None if document["chosen"] is None else archive.get_model(document["chosen"])
