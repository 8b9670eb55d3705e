"""What a search returns: the model, the whole path to it, and what it had to leave out."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from isingmap.model import IsingModel
from isingmap.structure.criteria import EBIC_GAMMA, aic, bic

FIELD = "(field)"
# Stands for criterion and search where the graph was given.
GIVEN = "none"


@dataclass(frozen=True, eq=False)
class Path:
    """The search step by step; row 0 is the starting graph, without an edge unless some were required or given.

    Attributes
    ----------
    action : tuple of str
        "add" or "remove"; "start" in row 0.
    source, target : tuple of str
        Ends of the edge; the target of a field is "(field)". Empty in row 0.
    gain : (n_steps + 1,) array
        KL bound on the gain before the refit, or the loss of a removal, nats per sample.
    log_likelihood : (n_steps + 1,) array
        After the refit, total nats.
    n_parameters : (n_steps + 1,) int array
        Couplings and fields.
    n_ties : (n_steps + 1,) int array
        Other pairs with the same gain, which came later by name.
    n_samples : float
    ebic_penalty : float
        What a parameter costs more than in BIC: 4 gamma log(n).
    """

    action: tuple[str, ...]
    source: tuple[str, ...]
    target: tuple[str, ...]
    gain: np.ndarray
    log_likelihood: np.ndarray
    n_parameters: np.ndarray
    n_ties: np.ndarray
    n_samples: float
    ebic_penalty: float = float("nan")

    def __len__(self) -> int:
        return len(self.source)

    @property
    def aic(self) -> np.ndarray:
        """Akaike's criterion after each step."""
        return aic(self.log_likelihood, self.n_parameters)

    @property
    def bic(self) -> np.ndarray:
        """Schwarz's criterion after each step."""
        return bic(self.log_likelihood, self.n_parameters, self.n_samples)

    @property
    def ebic(self) -> np.ndarray:
        """The extended criterion after each step, -2 log L + k (log N + 4 gamma log n)."""
        return self.bic + self.ebic_penalty * self.n_parameters


@dataclass(frozen=True)
class Exclusion:
    """A pair that the search passed over because its coupling would be infinite, and why."""

    source: str
    target: str
    gain: float
    reason: str


@dataclass(frozen=True, eq=False)
class SearchResult:
    """A learned planar Ising model.

    Attributes
    ----------
    model : IsingModel
    path : Path
    excluded : tuple of Exclusion
    stopped : str
        Why the search ended, one sentence.
    family, criterion, search : str
    gamma : float
        Strictness of the criterion "ebic".
    n_restarts, seed : int, int or None
        Restarts in a row that found nothing better at the end, and the seed of their perturbations; None: drawn by
        a generator of the caller's.
    n_candidates : int or None
        Only pairs among so many largest |moments| of one of their variables were considered; None: all pairs.
    n_samples : float
    prior : float or None
    converged : bool
        All fits on the way reached a gradient below 1e-8.
    gradient_norm : float
    """

    model: IsingModel
    path: Path
    excluded: tuple[Exclusion, ...]
    stopped: str
    family: str
    criterion: str
    search: str
    n_samples: float
    prior: float | None
    converged: bool
    gradient_norm: float
    gamma: float = EBIC_GAMMA
    n_restarts: int = 0
    seed: int | None = None
    n_candidates: int | None = None

    @property
    def log_likelihood(self) -> float:
        """Total nats."""
        return float(self.path.log_likelihood[-1])

    @property
    def aic(self) -> float:
        return float(self.path.aic[-1])

    @property
    def bic(self) -> float:
        return float(self.path.bic[-1])

    @property
    def ebic(self) -> float:
        """With the strictness `gamma`."""
        return float(self.path.ebic[-1])

    @property
    def n_ties(self) -> int:
        """Ties broken by name on the way."""
        return int((self.path.n_ties > 0).sum())
