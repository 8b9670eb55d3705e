"""A part of a graph with one of its couplings held: what is left is fitted like any other part."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from isingmap.likelihood.newton import Plan, Solution, solve


@dataclass(frozen=True, eq=False)
class HeldPlan:
    """A plan whose coupling number `held` has a fixed value; it takes and returns numbers of the others."""

    plan: Plan
    held: int
    value: float

    @property
    def n_spins(self) -> int:
        return self.plan.n_spins

    @property
    def edges(self) -> np.ndarray:
        """Those of the free couplings."""
        return np.delete(self.plan.edges, self.held, axis=0)

    def solve(self, strengths: np.ndarray) -> HeldSolution:
        """Inference for the free couplings."""
        return HeldSolution(self, solve(self.plan, np.insert(strengths, self.held, self.value)))


@dataclass(frozen=True, eq=False)
class HeldSolution:
    """The answers that a fit asks for."""

    plan: HeldPlan
    whole: Solution

    @property
    def loss(self) -> float:
        return self.whole.loss

    @property
    def log_partition(self) -> float:
        return self.whole.log_partition

    def moments(self) -> np.ndarray:
        """Of the free couplings."""
        return np.delete(self.whole.moments(), self.plan.held)

    def curvature(self) -> np.ndarray:
        """Of the free couplings."""
        held = self.plan.held
        return np.delete(np.delete(self.whole.curvature(), held, axis=0), held, axis=1)
