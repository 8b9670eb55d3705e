"""The fit of one block of a graph at its maximum. Blocks are independent given the cut nodes they share."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from isingmap.inference.elimination.fielded_block import FieldedPlan, FieldedSolution
from isingmap.inference.rungs import zero_field_ladder
from isingmap.inference.zero_field.plan import DualPlan
from isingmap.inference.zero_field.solution import DualSolution, solve_dual
from isingmap.likelihood.newton import solve
from isingmap.likelihood.quasi_newton import Refit
from isingmap.structure.state.plane import Plane


@dataclass(frozen=True, eq=False)
class BlockFit:
    """The fit of one block at its maximum.

    Attributes
    ----------
    couplings : (n_edges,) array
        In the order of the model's edges.
    gain : float
        What the block adds to the mean log-likelihood of independent fair spins, nats per sample.
    inverse_hessian : (n_edges, n_edges) array
        Approximate, the lower triangle only.
    solution : DualSolution, FieldedSolution or None
        None for a single edge.
    gradient_norm, converged
        See `Refit`.
    """

    couplings: np.ndarray
    gain: float
    inverse_hessian: np.ndarray
    solution: DualSolution | FieldedSolution | None
    gradient_norm: float = 0.0
    converged: bool = True

    @classmethod
    def restored(cls, plane: Plane, edges, couplings, inverse_hessian, gain, gradient_norm, converged) -> BlockFit:
        """The fit of a block with these edges between nodes of the model, whose inference is done again.

        `inverse_hessian` is flat, column by column.
        """
        solution = solve(plane.plan(np.unique(edges), edges), couplings) if len(edges) > 1 else None
        inverse = inverse_hessian.reshape(len(edges), len(edges), order="F").copy(order="F")
        return cls(couplings, gain, inverse, solution, gradient_norm, converged)

    @property
    def n_nodes(self) -> int:
        return 2 if self.solution is None else self.solution.plan.n_spins

    def correlations(self, asked: np.ndarray | None = None) -> np.ndarray:
        """E[x_i x_j] of the block's nodes, in their order; with `asked` only of its pairs."""
        if self.solution is not None:
            return exact_correlations(self.solution, self.couplings, asked)
        moment = np.tanh(self.couplings[0])
        return np.array([[1.0, moment], [moment, 1.0]])


def correlations_of(plan: DualPlan | FieldedPlan, couplings: np.ndarray, asked: np.ndarray | None) -> np.ndarray:
    """`exact_correlations` of a model that has not been solved yet."""
    solution = solve_dual(plan, couplings) if isinstance(plan, DualPlan) else plan.solve(couplings)
    return exact_correlations(solution, couplings, asked)


def exact_correlations(
    solution: DualSolution | FieldedSolution, couplings: np.ndarray, asked: np.ndarray | None
) -> np.ndarray:
    """E[x_i x_j] at any strength; with `asked` only of its pairs."""
    if isinstance(solution, FieldedSolution):
        return solution.correlations()
    return zero_field_ladder(solution.plan, couplings, solution).ask_unmeasured(lambda rung: rung.correlations(asked))


def bridge(target: float, raw: float) -> BlockFit:
    """A block of one edge has a closed form."""
    theta = np.arctanh(target)
    gain = float(raw * theta - np.log(np.cosh(theta)))
    return BlockFit(np.array([theta]), gain, np.array([[1.0 / (1.0 - target**2)]], order="F"), None)


def fitted(found: Refit, raw: np.ndarray) -> BlockFit:
    """A refitted block with what it gains on the moments as observed."""
    free_spins = found.solution.plan.n_spins * np.log(2.0)
    gain = float(raw @ found.couplings - found.solution.log_partition + free_spins)
    return BlockFit(found.couplings, gain, found.inverse_hessian, found.solution, found.gradient_norm, found.converged)
