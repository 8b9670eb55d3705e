"""What every criterion says of the graphs on the path of a search, and which of them it would choose."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from isingmap.data.table import FIELD
from isingmap.structure.criteria import ebic
from isingmap.structure.result import SearchResult

GAMMAS = (0.25, 0.5, 1.0)  # of EBIC; with gamma 0 it is BIC


@dataclass(frozen=True, eq=False)
class AlongPath:
    """One criterion along a path.

    Attributes
    ----------
    name : str
        "AIC", "BIC", "EBIC 0.25", ...
    values : (n_steps + 1,) array
        After each step; smaller is better. NaN for a composite likelihood.
    """

    name: str
    values: np.ndarray

    @property
    def step(self) -> int:
        """The step after which it is smallest, the first of equals."""
        return int(np.argmin(self.values))


def criteria_along(result: SearchResult) -> tuple[AlongPath, ...]:
    """AIC, BIC and EBIC of every strictness, the least strict first."""
    path, n_spins = result.path, result.model.n_spins

    def of(gamma: float) -> np.ndarray:
        values = ebic(path.log_likelihood, path.n_parameters, path.n_samples, n_spins, gamma)
        return np.full(len(path), np.nan) if path.is_composite else values

    extended = (AlongPath(f"EBIC {gamma:g}", of(gamma)) for gamma in GAMMAS)
    return AlongPath("AIC", path.aic), AlongPath("BIC", path.bic), *extended


def edges_along(result: SearchResult) -> np.ndarray:
    """Couplings after each step, (n_steps + 1,) int."""
    sign = {"add": 1, "remove": -1, "start": 0}
    path = result.path
    change = [0 if end == FIELD else sign[action] for action, end in zip(path.action, path.target, strict=True)]
    so_far = np.cumsum(change)
    return result.model.n_edges - so_far[-1] + so_far
