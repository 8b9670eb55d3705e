"""From doubles to balls: one model solved ever more exactly, as far as a question needs.

Doubles come first, and their loss is measured. Where it is too large, the model is gauged by a ground state, which
keeps most digits, and where that is not enough either, ball arithmetic takes over and proves its answer.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property

import numpy as np

from isingmap.errors import PrecisionError
from isingmap.inference.ground_states.ground_state import ground_spins
from isingmap.inference.proofs.certified import CertifiedSolution, certified_solution
from isingmap.inference.zero_field.plan import DualPlan
from isingmap.inference.zero_field.solution import DualSolution, solve_dual

# Largest loss that doubles may have; errors of moments up to six times the loss were seen.
LOSS_TOLERANCE = 1e-10
# Ball arithmetic over everything takes minutes above this size; below, a fraction of a second to a minute.
MOST_SPINS_IN_BALLS = 12_000
# Allowed above that size, where nothing better is left.
LOSS_TOLERANCE_OF_LARGE = 1e-7
# Hessian and correlations in balls take the whole inverse: a minute at this size.
MOST_SPINS_INVERTED_IN_BALLS = 500


class Ladder:
    """One zero-field model; each rung is made when the one before refuses.

    Parameters
    ----------
    graph_plan : DualPlan
    couplings : (n_edges,) array
    doubles : DualSolution, optional
        The first rung, where there is one already.
    """

    def __init__(self, graph_plan: DualPlan, couplings: np.ndarray, doubles: DualSolution | None = None):
        self.graph_plan = graph_plan
        self.couplings = couplings
        self.doubles = doubles or solve_dual(graph_plan, couplings)

    @cached_property
    def _ground_spins(self) -> np.ndarray:
        return ground_spins(self.graph_plan, self.couplings).spins.astype(np.float64)

    @cached_property
    def _gauged(self) -> DualSolution:
        padding = np.ones(self.graph_plan.n_padding)
        return solve_dual(self.graph_plan, self.couplings, np.append(self._ground_spins, padding))

    @cached_property
    def _balls(self) -> CertifiedSolution:
        return certified_solution(self.graph_plan, self.couplings, spins=self._ground_spins)

    @cached_property
    def best_in_doubles(self) -> DualSolution:
        """The rung in doubles that loses least."""
        return min(self.doubles, self._gauged, key=lambda rung: np.nan_to_num(rung.loss, nan=np.inf))

    @cached_property
    def solved(self) -> DualSolution | CertifiedSolution:
        """The first rung whose moments are exact enough.

        Raises
        ------
        PrecisionError
            When doubles lose too much and the model is too large for ball arithmetic.
        """
        if self.doubles.loss <= LOSS_TOLERANCE:
            return self.doubles
        if self._gauged.loss <= LOSS_TOLERANCE:
            return self._gauged
        if self.graph_plan.n_spins <= MOST_SPINS_IN_BALLS:
            return self._balls
        best = self.best_in_doubles
        if best.loss <= LOSS_TOLERANCE_OF_LARGE:
            return best
        raise PrecisionError(
            f"the couplings (largest |coupling| {np.abs(self.couplings).max(initial=0):.3g}) are too strong for double "
            f"precision: the measured loss is {best.loss:.1e}, allowed {LOSS_TOLERANCE_OF_LARGE:.0e}, and "
            f"{self.graph_plan.n_spins} spins are too many for ball arithmetic (at most {MOST_SPINS_IN_BALLS}). "
            "Scale the couplings down (a higher temperature)",
            loss=best.loss,
        )

    def ask(self, question: Callable, first: DualSolution | CertifiedSolution | None = None):
        """The answer of the first rung that does not refuse with a PrecisionError; balls only of a small model.

        `first` is where to begin, if not in doubles.
        """
        for rung in (lambda: first or self.doubles, lambda: self._gauged):
            try:
                return question(rung())
            except PrecisionError as error:
                refused = error
        if self.graph_plan.n_spins > MOST_SPINS_INVERTED_IN_BALLS:
            raise refused
        return question(self._balls)
