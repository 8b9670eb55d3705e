"""Learning the graph: from moments to a planar Ising model."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np

from isingmap.errors import DataError, ModelError
from isingmap.inference.extended import AUXILIARY
from isingmap.inference.pfaffian.blas import one_blas_thread
from isingmap.likelihood.existence import find_obstacle, no_estimate_error
from isingmap.likelihood.fit import shrunk
from isingmap.model import IsingModel
from isingmap.planar.embedding import as_simple_edges, embed
from isingmap.structure.audit import audit
from isingmap.structure.checkpoint import Checkpoint, fingerprint
from isingmap.structure.fixed_graphs.baselines import BASELINES, baseline, check_family
from isingmap.structure.greedy import Search, StoppingRule
from isingmap.structure.growing import GrowingModel, starting_model
from isingmap.structure.refine import Moves, was_interrupted
from isingmap.structure.result import Exclusion, Path, SearchResult
from isingmap.structure.schedule import Schedule
from isingmap.structure.scores import EBIC_GAMMA, edge_gain

CRITERIA = ("bic", "ebic", "aic", "maximal")
MOST_SPINS_WITHOUT_CANDIDATES = 2000
DEFAULT_CANDIDATES = 50
SEARCHES = ("forward-backward", "greedy", *BASELINES)


def learn_structure(
    moments: np.ndarray,
    n_samples: float,
    *,
    magnetizations: np.ndarray | None = None,
    names: Sequence[str] | None = None,
    family: str = "partial",
    criterion: str = "ebic",
    gamma: float = EBIC_GAMMA,
    search: str = "forward-backward",
    min_gain: float | None = None,
    n_edges: int | None = None,
    start_edges=None,
    prior: float | None = None,
    n_candidates: int | None = None,
    n_restarts: int | None = None,
    temperature: float = 0.0,
    rng: np.random.Generator | int = 0,
    checkpoint=None,
    audit_every: int | None = None,
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
    criterion : {"bic", "ebic", "aic", "maximal"}
        What a parameter must gain to be worth it: log(N)/(2N) nats per sample, (log(N) + 4 gamma log(n))/(2N) or
        1/N; "maximal" adds edges as long as one can be added. "greedy" compares the guaranteed gain, the KL bound,
        "forward-backward" the gain after the refit.
    gamma : float
        Strictness of "ebic", from 0 (which is "bic") to 1; 0.25 as in IsingFit.
    search : {"forward-backward", "greedy", "chow-liu", "tmfg", "pmfg", "independent"}
        "forward-backward" adds edges, removes those that no longer pay, swaps edges, forces in pairs that others
        block, and restarts from perturbed graphs, keeping what has the higher likelihood less the price of its
        parameters. "greedy" is the paper's search, which never takes an edge back. The others are the graphs in use
        today, with the exact fit on them; see `baseline`.
    min_gain : float, optional
        Stop when the best KL gain falls below it (the paper's gamma), nats per sample.
    n_edges : int, optional
        Stop at this number of couplings.
    start_edges : (k, 2) array of int or names, optional
        Edges that must be in the graph.
    prior : float, optional
        Pseudo-observations spread evenly over all configurations; without it, pairs whose coupling would be
        infinite are passed over and listed in the result.
    n_candidates : int, optional
        Consider only pairs whose |moment| is among so many largest of one of its variables; an approximation, which
        the result states. Default: all pairs up to 2000 variables, 50 above.
    n_restarts : int, optional
        "forward-backward" ends when so many perturbed restarts in a row found nothing better; default 30 up to 20
        variables, 12 up to 50, else 0.
    temperature : float
        Annealing over the restarts: a restart may end so many nats (of the log-likelihood less the price) below the
        one before, in the mean, and still be the next to be perturbed; falls to 0 as they fail. The best of all is
        returned. Default 0: only improvements are perturbed further.
    rng : Generator or int
        Draws the perturbations; the same seed gives the same result.
    checkpoint : path, optional
        File that keeps the search, written every 20 seconds and removed in the end. Where it exists, the search goes
        on from it, to the same result bit by bit; an error, if it belongs to other data or options.
    audit_every : int, optional
        Debug mode: after so many steps compute couplings, correlations, gain and the next pair again from nothing,
        and raise an error if they differ. Slow.
    progress : callable, optional
        Called with (edges so far, largest possible number) after every step.

    Returns
    -------
    SearchResult

    Notes
    -----
    Greedy makes O(n) steps; a step costs one refit of the block of b nodes that the edge closes, some ten evaluations
    of O(b^{3/2} + edges^2), the correlations that are kept, and O(n^2) for the gains. An interrupted search
    (KeyboardInterrupt) returns the best it has, and keeps its checkpoint.
    """
    names = tuple(f"x{k + 1}" for k in range(len(moments))) if names is None else tuple(names)
    _check_options(family, criterion, search, magnetizations)
    _check_numbers(gamma=gamma, temperature=temperature, n_restarts=n_restarts, n_candidates=n_candidates)
    _check_moments(moments, magnetizations, names)
    if search in BASELINES:
        _check_baseline(search, start_edges=start_edges, n_edges=n_edges, min_gain=min_gain, checkpoint=checkpoint)
        return baseline(
            search,
            moments,
            n_samples,
            magnetizations=None if family == "zero-field" else magnetizations,
            names=names,
            family=family,
            prior=prior,
            progress=progress,
        )
    order = np.array(sorted(range(len(names)), key=lambda k: names[k]), dtype=np.int64)
    labels = (*(names[k] for k in order), AUXILIARY)
    raw = _extended_moments(moments, magnetizations, order)
    target = shrunk(raw, prior, n_samples)
    np.fill_diagonal(target, 1.0)
    start = _start(start_edges, names, order, family)
    _check_start(start, target, labels)
    rule = StoppingRule(criterion, min_gain, n_edges, n_samples, len(names), gamma)
    if n_candidates is None and len(names) > MOST_SPINS_WITHOUT_CANDIDATES:
        n_candidates = DEFAULT_CANDIDATES
    open_pairs = _open_pairs(target, start, family, n_candidates)
    state = Search(starting_model(target, raw, start), open_pairs, rule, labels)
    begin = state.model
    moves = None if search == "greedy" else Moves(frozenset(begin.pairs), state.open_pairs, rule.price)
    n_restarts = 0 if moves is None else _restarts(n_restarts, len(names))
    schedule = Schedule(state, moves, n_restarts=n_restarts, temperature=temperature, rng=rng)
    file = None
    if checkpoint is not None:
        options = [labels, rule, search, n_restarts, temperature, schedule.rng.bit_generator.state]
        file = Checkpoint(checkpoint, schedule, fingerprint([target, raw, start, state.open_pairs], options))
    limit = 3 * (len(labels) if family != "zero-field" else len(names)) - 6
    _run(schedule, file, progress, limit, audit_every)
    seed = None if isinstance(rng, np.random.Generator) else rng
    declared = {"n_candidates": n_candidates, "n_restarts": n_restarts, "seed": seed}
    return replace(_result(state, begin, names, order, family, search, prior), **declared)


def _run(schedule: Schedule, file: Checkpoint | None, progress, limit: int, audit_every: int | None) -> None:
    """Advance to the end, or to an interruption, and leave the best result; with a file, from where it stands."""
    state = schedule.state
    audited = 0
    if file is not None:
        file.resume()
    try:
        while _step(schedule):
            if progress is not None:
                progress(len(state.model.edges), limit)
            if file is not None:
                file.save_now_and_then()
            if audit_every and schedule.stage == "grow" and abs(len(state.steps) - audited) >= audit_every:
                audited = len(state.steps)
                audit(state, complete=schedule.complete)
    except (KeyboardInterrupt, SystemError) as error:
        if not was_interrupted(error):
            raise
        n_steps = len(state.steps)
        schedule.finish()
        state.stopped = f"interrupted after {n_steps} steps"
    else:
        if file is not None:
            file.remove()


def _step(schedule: Schedule) -> bool:
    with one_blas_thread():  # once for the many refits inside
        return schedule.advance()


def greedy_search(moments: np.ndarray, n_samples: float, **options) -> SearchResult:
    """The paper's Algorithm 1: `learn_structure` with search="greedy" and criterion="bic", unless another is given."""
    return learn_structure(moments, n_samples, **{"criterion": "bic", **options, "search": "greedy"})


def _restarts(n_restarts: int | None, n_spins: int) -> int:
    if n_restarts is not None:
        return n_restarts
    return 30 if n_spins <= 20 else 12 if n_spins <= 50 else 0


def _check_options(family: str, criterion: str, search: str, magnetizations) -> None:
    check_family(family, magnetizations)
    if criterion not in CRITERIA:
        raise ModelError(f"criterion must be one of {', '.join(CRITERIA)}; got {criterion!r}")
    if search not in SEARCHES:
        raise ModelError(f"search must be one of {', '.join(SEARCHES)}; got {search!r}")


def _check_numbers(**options) -> None:
    """No setting is below 0, and there is a candidate."""
    for name, value in options.items():
        least = 1 if name == "n_candidates" else 0
        if value is not None and not (least <= value < np.inf):
            raise ModelError(f"{name} must be a number of {least} or more, got {value}")


def _check_moments(moments, magnetizations, names) -> None:
    """Averages of products of -1/+1 values, one row and column for each name."""
    n = len(names)
    moments = np.asarray(moments, float)
    if moments.shape != (n, n):
        raise ModelError(f"moments must have shape ({n}, {n}), one row and column for each name; got {moments.shape}")
    if magnetizations is not None and np.shape(magnetizations) != (n,):
        raise ModelError(f"magnetizations must have shape ({n},), got {np.shape(magnetizations)}")
    bad = ~(np.abs(moments) <= 1.0 + 1e-12) | ~(np.abs(moments - moments.T) <= 1e-9)
    if bad.any():
        i, j = np.argwhere(bad)[0].tolist()
        raise DataError(
            f"moments[{names[i]}, {names[j]}] is {moments[i, j]} and [{names[j]}, {names[i]}] {moments[j, i]}; "
            "averages of products of -1/+1 values are symmetric and lie in [-1, 1]"
        )
    means = np.zeros(n) if magnetizations is None else np.asarray(magnetizations, float)
    if not (np.abs(means) <= 1.0 + 1e-12).all():
        k = int(np.flatnonzero(~(np.abs(means) <= 1.0 + 1e-12))[0])
        raise DataError(f"magnetizations[{names[k]}] is {means[k]}; averages of -1/+1 values lie in [-1, 1]")


def _check_baseline(search: str, **options) -> None:
    given = [f"{name}={value}" for name, value in options.items() if value is not None]
    if given:
        raise ModelError(f'search="{search}" draws a whole graph at once; leave out {", ".join(given)}')


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


def _open_pairs(target: np.ndarray, start: np.ndarray, family: str, n_candidates: int | None) -> np.ndarray:
    """Pairs i < j that may be joined: all, or those of the largest moments and all fields."""
    n_nodes = len(target)
    open_pairs = np.ones((n_nodes, n_nodes), bool)
    if n_candidates is not None:
        open_pairs[:-1, :-1] = _strongest(np.abs(target[:-1, :-1]), n_candidates)
    open_pairs = np.triu(open_pairs, 1)
    open_pairs[start[:, 0], start[:, 1]] = False
    if family == "zero-field":
        open_pairs[:, -1] = False
    return open_pairs


def _strongest(strength: np.ndarray, n_candidates: int) -> np.ndarray:
    """Pairs among the largest of the row of one of their nodes, ties by name; the node itself does not count."""
    chosen = np.zeros(strength.shape, bool)
    for i, row in enumerate(strength):
        others = np.argsort(-row, kind="stable")
        chosen[i, others[others != i][:n_candidates]] = True
    return chosen | chosen.T


def _path(state: Search, begin: GrowingModel) -> Path:
    steps = state.steps
    return Path(
        action=("start", *(s.action for s in steps)),
        source=("", *(state.labels[s.edge[0]] for s in steps)),
        target=("", *(state.other_end(s.edge[1]) for s in steps)),
        gain=np.array([np.nan, *(s.gain for s in steps)]),
        log_likelihood=np.array([state.log_likelihood(begin), *(s.log_likelihood for s in steps)]),
        n_parameters=np.array([len(begin.edges), *(s.n_parameters for s in steps)]),
        n_ties=np.array([0, *(s.n_ties for s in steps)]),
        n_samples=state.rule.n_samples,
    )


def _excluded(state: Search) -> tuple[Exclusion, ...]:
    """Pairs that the final model lacks only because their coupling would be infinite, the best first."""
    model, least = state.model, max(state.rule.price, state.rule.min_gain or 0.0)
    found = []
    for (i, j), exclusion in state.excluded.items():
        gain = float(edge_gain(model.target[i, j], model.correlations[i, j]))
        if gain >= least and (i, j) not in model.pairs and (reason := state.obstacle(i, j)):
            found.append(replace(exclusion, gain=gain, reason=reason))
    return tuple(sorted(found, key=lambda e: (-e.gain, e.source, e.target)))


def _result(state: Search, begin, names, order, family: str, search: str, prior) -> SearchResult:
    return SearchResult(
        model=_in_caller_order(state.model, names, order),
        path=_path(state, begin),
        excluded=_excluded(state),
        stopped=state.stopped,
        family=family,
        criterion=state.rule.criterion,
        search=search,
        n_samples=state.rule.n_samples,
        prior=prior,
        converged=state.model.converged,
        gradient_norm=state.model.gradient_norm,
        gamma=state.rule.gamma,
    )


def _in_caller_order(model: GrowingModel, names, order) -> IsingModel:
    """The learned model with the caller's column order; edges in the order in which they were added."""
    n = len(names)
    is_field = model.edges[:, 1] == n
    fields = np.zeros(n)
    free = np.zeros(n, bool)
    at = order[model.edges[is_field, 0]]
    fields[at] = model.couplings[is_field]
    free[at] = True
    return IsingModel(order[model.edges[~is_field]], model.couplings[~is_field], fields, names=names, free_fields=free)
