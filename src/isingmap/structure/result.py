"""What a search returns: the model, the whole path to it, and what it had to leave out."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from isingmap.data.table import FIELD
from isingmap.model import IsingModel
from isingmap.structure.criteria import CRITERIA, EBIC_GAMMA, aic, bic

# Why a pair was passed over, where elimination would have taken too wide a front.
TOO_WIDE = "with it the graph would be too wide to be fitted with a field on every variable"
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
    is_composite : bool
        Whether cells were missing and each pair has rows of its own: then the log-likelihood is that of no set of rows.
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
    is_composite: bool = False
    ebic_penalty: float = float("nan")

    def __len__(self) -> int:
        return len(self.source)

    @property
    def aic(self) -> np.ndarray:
        """Akaike's criterion after each step; NaN for a composite likelihood, which it does not know."""
        return self._comparable(aic(self.log_likelihood, self.n_parameters))

    @property
    def bic(self) -> np.ndarray:
        """Schwarz's criterion after each step; NaN for a composite likelihood."""
        return self._comparable(bic(self.log_likelihood, self.n_parameters, self.n_samples))

    @property
    def ebic(self) -> np.ndarray:
        """-2 log L + k (log N + 4 gamma log n) after each step; NaN for a composite likelihood."""
        return self.bic + self.ebic_penalty * self.n_parameters

    def _comparable(self, values: np.ndarray) -> np.ndarray:
        return np.full(values.shape, np.nan) if self.is_composite else values


@dataclass(frozen=True)
class Exclusion:
    """A pair or a field that the search passed over although it is worth its price, and why.

    The estimate would be infinite, or, `too_strong`, beyond what doubles can fit.
    """

    source: str
    target: str
    gain: float
    reason: str
    too_strong: bool = False


@dataclass(frozen=True)
class FamilyFit:
    """What a family came to where several were compared.

    Attributes
    ----------
    family : str
    n_edges, n_fields : int or None
    log_likelihood : float
        Total nats, exact.
    value : float
        Of the criterion, with couplings and fields at the same price in all families; smaller is better.
    note : str
        Why it was not fitted, then the numbers are None and NaN, or that it was interrupted; empty where all is well.
    """

    family: str
    n_edges: int | None = None
    n_fields: int | None = None
    log_likelihood: float = float("nan")
    value: float = float("nan")
    note: str = ""

    @property
    def was_fitted(self) -> bool:
        return self.n_edges is not None


@dataclass(frozen=True)
class Blocked:
    """A pair or a field that is worth its price and for which the plane has no room; nats per sample.

    Attributes
    ----------
    source, target : str
        The target of a field is "(field)".
    gain : float
        Guaranteed: what it gains alone, all else fixed.
    exact : float
        Gain after a refit of everything, on the graph that is not planar any more; NaN where it was not computed.
    price : float
        What it would have to gain.
    """

    source: str
    target: str
    gain: float
    exact: float
    price: float


@dataclass(frozen=True, eq=False)
class SearchResult:
    """A learned planar Ising model.

    Attributes
    ----------
    model : IsingModel
    path : Path
    excluded : tuple of Exclusion
    blocked : tuple of Blocked
        At most 100, the best guaranteed gain first; empty where the search did not come to its end by itself.
    stopped : str
        Why the search ended, one sentence.
    family, criterion, search : str
    fields : str
        "paying" where fields that were not worth their price were dropped in the end.
    max_width : int or None
        The largest width allowed for elimination, where one was asked for.
    gamma : float
        Strictness of the criterion "ebic".
    n_restarts, seed : int, int or None
        Restarts in a row that found nothing better at the end, and the seed of their perturbations; None: drawn by
        a generator of the caller's.
    n_candidates : int or None
        Only pairs among so many largest |moments| of one of their variables were considered; None: all pairs.
    n_equal : int
        Different graphs of the same best value that the restarts met, this one included; it is the first by name.
    families : tuple of FamilyFit
        All that were compared, simplest first, where the family was open; else empty.
    compared_by : str
        The criterion that compared them.
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
    fields: str = "all"
    max_width: int | None = None
    gamma: float = EBIC_GAMMA
    n_restarts: int = 0
    seed: int | None = None
    n_candidates: int | None = None
    n_equal: int = 1
    blocked: tuple[Blocked, ...] = ()
    families: tuple[FamilyFit, ...] = ()
    compared_by: str = ""

    @property
    def was_interrupted(self) -> bool:
        """Whether the search was stopped from outside before it came to its end."""
        return self.stopped.startswith("interrupted")

    @property
    def dropped_fields(self) -> tuple[str, ...]:
        """Variables whose field was not worth its price and was dropped in the end, the first dropped first."""
        if self.fields != "paying":
            return ()
        return tuple(name for name, end in zip(self.path.source, self.path.target, strict=True) if end == FIELD)

    @property
    def gained_by_drops(self) -> float:
        """By how much the criterion fell when fields were dropped; NaN for a composite likelihood, and after EM."""
        if self.is_composite or not self.dropped_fields:
            return float("nan") if self.is_composite else 0.0
        n = len(self.dropped_fields)
        before, after = (
            CRITERIA[self.criterion].value(
                float(self.path.log_likelihood[at]),
                self.model.n_edges,
                int(self.model.free_fields.sum()) + more,
                n_samples=self.n_samples,
                n_spins=self.model.n_spins,
                gamma=self.gamma,
            )
            for at, more in ((-1 - n, n), (-1, 0))
        )
        return before - after

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
    def is_composite(self) -> bool:
        """Whether cells were missing and each pair has rows of its own, so that there is no likelihood to compare."""
        return self.path.is_composite

    @property
    def n_ties(self) -> int:
        """Ties broken by name on the way."""
        return int((self.path.n_ties > 0).sum())
