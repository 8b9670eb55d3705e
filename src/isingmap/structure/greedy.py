"""The greedy search of the paper (Algorithm 1), exact: always the addable pair of largest KL gain.

Johnson, Netrapalli & Chertkov, "Learning Planar Ising Models", AISTATS 2011. One inverse a step gives the moments of
all pairs. A pair that cannot be added, because the graph would not be planar or because its coupling would be
infinite, never can be added later, so both tests are made lazily, best pair first, and once.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from isingmap.errors import ModelError
from isingmap.inference.engine import AUXILIARY
from isingmap.likelihood.existence import closing_obstacle, describe, find_obstacle, no_estimate_error
from isingmap.likelihood.fit import shrunk
from isingmap.model import IsingModel
from isingmap.planar.embedding import as_simple_edges, embed
from isingmap.planar.planarity import is_planar_kernel
from isingmap.structure.growing import GrowingModel, starting_model
from isingmap.structure.result import FIELD, Exclusion, Path, SearchResult
from isingmap.structure.scores import edge_gain, parameter_price

FAMILIES = ("partial", "zero-field", "outer-planar")
CRITERIA = ("bic", "aic", "maximal")
# Gains closer than this are a tie; refits are exact to about 1e-10.
TIE_TOLERANCE = 1e-9


@dataclass(frozen=True)
class StoppingRule:
    """When to stop adding edges; the first condition met counts."""

    criterion: str
    min_gain: float | None
    n_edges: int | None
    n_samples: float

    def reason(self, n_couplings: int, gain: float) -> str:
        """Why not to add an edge of this gain to a model with so many couplings; empty to go on."""
        if self.n_edges is not None and n_couplings >= self.n_edges:
            return f"reached n_edges={self.n_edges}"
        shown = f"the best gain, {gain:.3g} nats per sample, is below"
        if self.min_gain is not None and gain < self.min_gain:
            return f"{shown} min_gain={self.min_gain:g}"
        price = parameter_price(self.criterion, self.n_samples)
        if gain < price:
            return f"{shown} the {self.criterion.upper()} price of a parameter, {price:.3g}"
        return ""


@dataclass(frozen=True)
class Step:
    """One accepted edge."""

    edge: tuple[int, int]
    gain: float
    log_likelihood: float
    n_ties: int


class Candidates:
    """Pairs that may still be added, with their gains; nodes are in the order of their names."""

    def __init__(self, target: np.ndarray, open_pairs: np.ndarray):
        self._target = target
        self._open = open_pairs
        self._gain = np.full(target.shape, -np.inf)

    def rescore(self, correlations: np.ndarray) -> None:
        """Bring the gains of all open pairs up to date."""
        self._gain[self._open] = edge_gain(self._target[self._open], correlations[self._open])

    def close(self, i: int, j: int) -> None:
        self._open[i, j] = False
        self._gain[i, j] = -np.inf

    def best(self) -> tuple[int, int, float, int] | None:
        """(i, j, gain, ties) of the best open pair, the first by name among equals; None when nothing is open."""
        largest = self._gain.max(initial=-np.inf)
        if largest == -np.inf:
            return None
        tied = np.argwhere(self._gain >= largest - TIE_TOLERANCE * largest - 1e-15)
        i, j = tied[0].tolist()
        return i, j, float(self._gain[i, j]), len(tied) - 1


def greedy_search(
    moments: np.ndarray,
    n_samples: float,
    *,
    magnetizations: np.ndarray | None = None,
    names: Sequence[str] | None = None,
    family: str = "partial",
    criterion: str = "bic",
    min_gain: float | None = None,
    n_edges: int | None = None,
    start_edges=None,
    prior: float | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> SearchResult:
    """Learn a planar Ising model from pairwise moments.

    Parameters
    ----------
    moments : (n_spins, n_spins) array
        E[x_i x_j] of -1/+1 data.
    n_samples : float
        Observations behind the moments.
    magnetizations : (n_spins,) array, optional
        E[x_i]; needed by the families with fields.
    names : sequence of str, optional
        Used for ties and messages; default "x1", ...
    family : {"partial", "zero-field", "outer-planar"}
        Fields chosen by the search in competition with couplings; no fields; a field on every variable.
    criterion : {"bic", "aic", "maximal"}
        Stop when the guaranteed gain of the best pair, its KL bound, no longer pays for a parameter: 1/N or
        log(N)/(2N) nats per sample; "maximal" adds edges as long as one can be added.
    min_gain : float, optional
        Stop when the best KL gain falls below it (the paper's gamma), nats per sample.
    n_edges : int, optional
        Stop at this number of couplings.
    start_edges : (k, 2) array of int or names, optional
        Edges that must be in the graph.
    prior : float, optional
        Pseudo-observations spread evenly over all configurations; without it, pairs whose coupling would be
        infinite are passed over and listed in the result.
    progress : callable, optional
        Called with (edges so far, largest possible number) after every step.

    Returns
    -------
    SearchResult

    Notes
    -----
    O(n) steps; a step costs one O(b^3) refit of the block of b nodes that the edge closes, and O(n^2) for the gains.
    An interrupted search (KeyboardInterrupt) returns what it has.
    """
    names = tuple(f"x{k + 1}" for k in range(len(moments))) if names is None else tuple(names)
    _check_options(family, criterion, magnetizations)
    order = np.array(sorted(range(len(names)), key=lambda k: names[k]), dtype=np.int64)
    labels = (*(names[k] for k in order), AUXILIARY)
    raw = _extended_moments(moments, magnetizations, order)
    target = shrunk(raw, prior, n_samples)
    np.fill_diagonal(target, 1.0)
    start = _start(start_edges, names, order, family)
    _check_start(start, target, labels)
    rule = StoppingRule(criterion, min_gain, n_edges, n_samples)
    open_pairs = _open_pairs(len(labels), start, family)
    limit = 3 * (len(labels) if family != "zero-field" else len(names)) - 6
    search = _Search(starting_model(target, raw, start), Candidates(target, open_pairs), rule, labels, limit)
    search.run(progress)
    return search.result(names, order, family, prior)


def _check_options(family: str, criterion: str, magnetizations) -> None:
    if family not in FAMILIES:
        raise ModelError(f"family must be one of {', '.join(FAMILIES)}; got {family!r}")
    if criterion not in CRITERIA:
        raise ModelError(f"criterion must be one of {', '.join(CRITERIA)}; got {criterion!r}")
    if family != "zero-field" and magnetizations is None:
        raise ModelError(f'family "{family}" has fields and needs the magnetizations; use family="zero-field" without')


def _extended_moments(moments, magnetizations, order) -> np.ndarray:
    """Moments in order of names, with the auxiliary node as last row and column."""
    n = len(order)
    extended = np.eye(n + 1)
    extended[:n, :n] = np.asarray(moments, float)[np.ix_(order, order)]
    if magnetizations is not None:
        extended[:n, n] = extended[n, :n] = np.asarray(magnetizations, float)[order]
    return extended


def _start(start_edges, names, order, family) -> np.ndarray:
    """Starting edges in order of names; the outer-planar family has all fields from the start."""
    rank = np.argsort(order)
    edges = np.empty((0, 2), np.int64)
    if start_edges is not None and len(start_edges):
        given = IsingModel(start_edges, np.zeros(len(start_edges)), names=names)
        edges = np.sort(rank[given.edges], axis=1)
    if family == "outer-planar":
        n = len(names)
        fields = np.stack([np.arange(n), np.full(n, n)], axis=1)
        edges = np.vstack([edges, fields])
    return edges


def _check_start(start: np.ndarray, target: np.ndarray, labels) -> None:
    embed(len(labels), as_simple_edges(start, len(labels)), labels=labels)
    obstacle = find_obstacle(len(labels), start, target[start[:, 0], start[:, 1]])
    if obstacle is not None:
        raise no_estimate_error(obstacle, labels)


def _open_pairs(n_nodes: int, start: np.ndarray, family: str) -> np.ndarray:
    open_pairs = np.triu(np.ones((n_nodes, n_nodes), bool), 1)
    open_pairs[start[:, 0], start[:, 1]] = False
    if family == "zero-field":
        open_pairs[:, -1] = False
    return open_pairs


class _Search:
    """The loop and what it collects."""

    def __init__(self, model: GrowingModel, candidates: Candidates, rule: StoppingRule, labels, limit: int):
        self.model = model
        self.candidates = candidates
        self.rule = rule
        self.labels = labels
        self.limit = limit
        self.n_start = len(model.edges)
        self.steps: list[Step] = []
        self.excluded: list[Exclusion] = []
        self.stopped = ""
        self.candidates.rescore(model.correlations)
        self.start_log_likelihood = self.log_likelihood(model)

    @property
    def n_spins(self) -> int:
        return len(self.labels) - 1

    def log_likelihood(self, model: GrowingModel) -> float:
        return self.rule.n_samples * (model.gain - self.n_spins * np.log(2.0))

    def run(self, progress) -> None:
        try:
            while not self.stopped:
                self._advance()
                if progress is not None:
                    progress(len(self.model.edges), self.limit)
        except KeyboardInterrupt:
            self.stopped = f"interrupted after {len(self.steps)} steps"

    def _advance(self) -> None:
        """Accept one more edge, or find a reason to stop."""
        best = self._best_addable()
        if best is None:
            self.stopped = "no further pair can be added"
            return
        i, j, gain, n_ties = best
        self.stopped = self.rule.reason(int((self.model.edges[:, 1] < self.n_spins).sum()), gain)
        if not self.stopped:
            self.model = self.model.with_edge(i, j)
            self.candidates.close(i, j)
            self.candidates.rescore(self.model.correlations)
            self.steps.append(Step((i, j), gain, self.log_likelihood(self.model), n_ties))

    def _best_addable(self) -> tuple[int, int, float, int] | None:
        while (best := self.candidates.best()) is not None:
            i, j, gain, _ = best
            if not is_planar_kernel(len(self.labels), np.vstack([self.model.edges, [[i, j]]])):
                self.candidates.close(i, j)
                continue
            obstacle = self._obstacle(i, j)
            if obstacle is None:
                return best
            self.candidates.close(i, j)
            self.excluded.append(
                Exclusion(self.labels[i], self._other_end(j), gain, describe(obstacle, self.labels))
            )
        return None

    def _obstacle(self, i: int, j: int):
        edges, target = self.model.edges, self.model.target
        return closing_obstacle(i, j, target[i, j], len(target), edges, target[edges[:, 0], edges[:, 1]])

    def _other_end(self, j: int) -> str:
        return FIELD if j == self.n_spins else self.labels[j]

    def path(self) -> Path:
        n_parameters = self.n_start + np.arange(len(self.steps) + 1)
        return Path(
            source=("", *(self.labels[s.edge[0]] for s in self.steps)),
            target=("", *(self._other_end(s.edge[1]) for s in self.steps)),
            gain=np.array([np.nan, *(s.gain for s in self.steps)]),
            log_likelihood=np.array([self.start_log_likelihood, *(s.log_likelihood for s in self.steps)]),
            n_parameters=n_parameters,
            n_ties=np.array([0, *(s.n_ties for s in self.steps)]),
            n_samples=self.rule.n_samples,
        )

    def result(self, names, order, family: str, prior) -> SearchResult:
        return SearchResult(
            model=_in_caller_order(self.model, names, order, family),
            path=self.path(),
            excluded=tuple(self.excluded),
            stopped=self.stopped,
            family=family,
            criterion=self.rule.criterion,
            n_samples=self.rule.n_samples,
            prior=prior,
            converged=self.model.converged,
            gradient_norm=self.model.gradient_norm,
        )


def _in_caller_order(model: GrowingModel, names, order, family: str) -> IsingModel:
    """The learned model with the caller's column order; edges in the order in which they were added."""
    n = len(names)
    is_field = model.edges[:, 1] == n
    fields = np.zeros(n)
    free = np.zeros(n, bool)
    at = order[model.edges[is_field, 0]]
    fields[at] = model.couplings[is_field]
    free[at] = True
    return IsingModel(
        order[model.edges[~is_field]], model.couplings[~is_field], fields, names=names, free_fields=free
    )
