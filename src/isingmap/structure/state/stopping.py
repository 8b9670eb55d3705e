"""When a search stops adding edges."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from isingmap.structure.criteria import CRITERIA, Price
from isingmap.structure.options import SearchOptions
from isingmap.structure.problem import Problem

# A change must gain more than this, nats per sample: ten times what rounding can pretend.
LEAST_IMPROVEMENT = 1e-9


@dataclass(frozen=True, eq=False)
class StoppingRule:
    """When to stop adding edges; the first condition met counts.

    Attributes
    ----------
    criterion : str
    price : Price
        Of the criterion, for the data at hand.
    min_gain : float or None
        Smallest gain worth an edge, nats per sample.
    n_edges : int or None
        Largest number of couplings.
    surcharge : (n_nodes, n_nodes) array
        What a pair costs more than by its price, because it must gain more, or because fewer rows stand behind it than
        behind others.
    """

    criterion: str
    price: Price
    surcharge: np.ndarray
    min_gain: float | None = None
    n_edges: int | None = None

    @classmethod
    def of(cls, problem: Problem, options: SearchOptions) -> StoppingRule:
        """The rule that the options ask for."""
        price = CRITERIA[options.criterion].price(problem.n_samples, problem.n_spins, options.gamma)
        return cls(options.criterion, price, _surcharge(problem, options), options.min_gain, options.n_edges)

    @property
    def is_price_alone(self) -> bool:
        """Whether nothing but the price of a parameter ends the growth."""
        return self.n_edges is None and self.min_gain is None

    def reason(self, n_couplings: int, gain: float, price: float, pair: str = "") -> str:
        """Why not to add an edge of this guaranteed gain to a model with so many couplings; empty to go on."""
        if self.n_edges is not None and n_couplings >= self.n_edges:
            return f"reached the number of edges asked for, {self.n_edges}"
        shown = f"the best addition left{pair} is guaranteed to gain {gain:.3g} nats per row, below"
        if self.min_gain is not None and gain < self.min_gain:
            return f"{shown} the least gain asked for, {self.min_gain:g}"
        if gain < price:
            return f"{shown} the {self.criterion.upper()} price of a parameter, {price:.3g}"
        if price <= 0.0 and gain <= LEAST_IMPROVEMENT:
            return f"{shown} what rounding can pretend, {LEAST_IMPROVEMENT:g}"
        return ""


def _surcharge(problem: Problem, options: SearchOptions) -> np.ndarray:
    """What is missing from the price of a parameter to the least gain asked for, and to the price on its own rows."""
    price = CRITERIA[options.criterion].price
    of_all = price(problem.n_samples, problem.n_spins, options.gamma)
    surcharge = np.zeros((len(problem.labels),) * 2)
    if options.min_gain is not None:
        surcharge[:] = max(options.min_gain - of_all.of_coupling(0, 0), 0.0)
        surcharge[:, -1] = max(options.min_gain - of_all.of_field(0, 0), 0.0)
    if not problem.is_composite:
        return surcharge
    sizes, of_pair = np.unique(np.append(problem.n_samples, np.maximum(problem.counts, 1.0)), return_inverse=True)
    each = np.array([price(size, problem.n_spins, options.gamma).of_coupling(0, 0) for size in sizes.tolist()])
    return surcharge + (each[of_pair[1:]] - each[of_pair[0]]).reshape(problem.counts.shape)
