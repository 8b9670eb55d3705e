"""The debug mode of a search: everything that is carried from step to step, computed again from nothing."""

from __future__ import annotations

import numpy as np

from isingmap.errors import IsingMapError
from isingmap.likelihood.fit import fit_by_blocks
from isingmap.likelihood.newton import solve
from isingmap.structure.state.block_fit import exact_correlations
from isingmap.structure.state.candidates import TIE_TOLERANCE
from isingmap.structure.state.search_state import SearchState, addable

# Two fits to a gradient of 1e-10 differ by that over the smallest curvature.
LARGEST_DIFFERENCE = 1e-6


def audit(state: SearchState, *, complete: bool) -> None:
    """Refit the whole graph, solve it as one, look at every pair, and compare with the state of the search.

    `complete` says whether the search considers all pairs now; between a removal and the next look at all it does not.

    Raises
    ------
    IsingMapError
        Couplings, correlations, gain or the next pair differ. O(n^2) planarity tests.
    """
    model = state.model
    n, edges = model.n_nodes, model.edges
    theta, *_ = fit_by_blocks(n, edges, model.target[edges[:, 0], edges[:, 1]], planned=model.plane.plan)
    whole = solve(model.plane.plan(np.arange(n), edges), theta)
    correlations = exact_correlations(whole, theta, None)
    kept = ~np.isnan(model.correlations)
    gain = float(model.raw[edges[:, 0], edges[:, 1]] @ theta - whole.log_partition + n * np.log(2.0))
    _compare(state, "couplings", theta, model.couplings, LARGEST_DIFFERENCE)
    _compare(state, "correlations", correlations[kept], model.correlations[kept], LARGEST_DIFFERENCE)
    _compare(state, "gain", gain, model.gain, LARGEST_DIFFERENCE)
    if complete:
        _compare_best(state, correlations)


def _compare(state: SearchState, what: str, fresh, carried, tolerance: float) -> None:
    difference = float(np.abs(np.asarray(fresh) - carried).max(initial=0.0))
    if not difference <= tolerance:
        raise IsingMapError(
            f"audit after {len(state.steps)} steps: the {what} differ by {difference:.1e} from a computation from "
            "nothing; this is a bug of isingmap, please report it with the data"
        )


def _compare_best(state: SearchState, correlations: np.ndarray) -> None:
    """The pair that the search would add has the largest gain of all pairs that can be added."""
    model = state.model
    gains = model.plane.gain(model.target, correlations, model.edges, *np.indices(correlations.shape))
    gain = np.where(state.open_pairs(model), gains, -np.inf)
    coupling, field = state.prices
    gain[:, -1] -= field - coupling  # a field must gain so much more
    gain -= state.rule.surcharge
    found = state.best_addable()
    least = 0.0 if found is None else found[2] - (state.price(found[:2]) - coupling)
    rows, columns = np.nonzero(gain > least + TIE_TOLERANCE * abs(least) + LARGEST_DIFFERENCE)
    for i, j in zip(rows.tolist(), columns.tolist(), strict=True):
        if addable(model, [(i, j)]):
            raise IsingMapError(
                f"audit after {len(state.steps)} steps: the search would pass over {state.problem.labels[i]} - "
                f"{state.other_end(j)}, which gains {gain[i, j]:.3g}, more than {least:.3g}; this is a bug of "
                "isingmap, please report it with the data"
            )
