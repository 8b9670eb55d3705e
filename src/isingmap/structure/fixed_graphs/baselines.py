"""The graphs in use today, as a yardstick: no edge, Chow-Liu, PMFG and TMFG, each with the exact planar Ising fit.

In a family with free fields the auxiliary node takes part as one more variable, whose correlation with x_i is E[x_i].
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np

from isingmap.errors import ModelError
from isingmap.inference.extended import AUXILIARY
from isingmap.likelihood.fit import fit_couplings, shrunk
from isingmap.model import IsingModel
from isingmap.planar.embedding import as_simple_edges
from isingmap.structure.fixed_graphs.clique_fit import fit_cliques
from isingmap.structure.fixed_graphs.filtered_graphs import (
    FilteredGraph,
    mutual_information,
    name_ranks,
    planar_filter,
    spanning_tree,
    triangulated_filter,
)
from isingmap.structure.result import Path, SearchResult

BASELINES = ("independent", "chow-liu", "pmfg", "tmfg")
FAMILIES = ("partial", "zero-field", "outer-planar")
GRADIENT_TOLERANCE = 1e-8


def baseline(
    name: str,
    moments: np.ndarray,
    n_samples: float,
    *,
    magnetizations: np.ndarray | None = None,
    names: Sequence[str] | None = None,
    family: str = "partial",
    prior: float | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> SearchResult:
    """A graph as users draw it today, with the exact maximum-likelihood planar Ising model on it.

    Parameters
    ----------
    name : {"independent", "chow-liu", "pmfg", "tmfg"}
        No couplings; maximum spanning tree; planar and triangulated maximally filtered graph.
    moments : (n_spins, n_spins) array
        E[x_i x_j] of -1/+1 data, float32 or float64.
    n_samples : float
        Observations behind the moments.
    magnetizations : (n_spins,) array, optional
        E[x_i]; needed by the families with fields.
    names : sequence of str, optional
        Decide among equal pairs; default "x1", ...
    family : {"partial", "zero-field", "outer-planar"}
        "zero-field": the graph is drawn on the variables, by |moments|. "partial": on the variables and the
        auxiliary node, by |moments| and |magnetizations|; its edges are the fields. "outer-planar": a field on every
        variable; "chow-liu" is then the usual tree, by mutual information, and there is no "pmfg" or "tmfg".
    prior : float, optional
        Pseudo-observations spread evenly over all configurations.
    progress : callable, optional
        Called by "pmfg" with (edges so far, largest possible number).

    Returns
    -------
    SearchResult
        Its path has one row; `criterion` is "none" and ties are not counted.

    Raises
    ------
    ModelError
    NoEstimateError
        Names the pair or cycle that makes a coupling infinite (only without a prior).

    Notes
    -----
    Time: see `chow_liu_edges`, `pmfg_edges`, `tmfg_edges`; then the fit, O(n) for trees and the TMFG. Memory: one
    matrix like `moments` (10 000 variables: 800 MB in float64, 400 MB in float32), for "partial" one more.
    """
    _check_options(name, family, magnetizations)
    names = tuple(f"x{k + 1}" for k in range(len(moments))) if names is None else tuple(names)
    shared = {"magnetizations": magnetizations, "names": names, "family": family, "prior": prior}
    if name == "independent":
        graph = _field_edges(np.arange(len(moments)), len(moments)) if family == "partial" else ()
    else:
        graph = _baseline_graph(name, moments, n_samples, **shared, progress=progress)
    fit = fit_tmfg if name == "tmfg" else fit_graph
    return replace(fit(graph, moments, n_samples, **shared), search=name, stopped="the graph is drawn at once")


def _baseline_graph(name, moments, n_samples, *, magnetizations, names, family, prior, progress):
    """Edges, or for the TMFG its cliques; in the family "partial" with the auxiliary node as last."""
    n_spins = len(moments)
    rank = name_ranks(names, n_spins)
    if family == "outer-planar":
        information = mutual_information(
            shrunk(np.asarray(moments), prior, n_samples),
            shrunk(np.asarray(magnetizations), prior, n_samples),
        )
        return spanning_tree(information, rank)
    similarity = _similarity(moments, magnetizations if family == "partial" else None)
    if family == "partial":
        rank = np.append(rank, n_spins)
    if name == "tmfg":
        return triangulated_filter(similarity, rank)
    return spanning_tree(similarity, rank) if name == "chow-liu" else planar_filter(similarity, rank, progress)


def _check_options(name: str, family: str, magnetizations) -> None:
    if name not in BASELINES:
        raise ModelError(f"baseline must be one of {', '.join(BASELINES)}; got {name!r}")
    check_family(family, magnetizations)
    if family == "outer-planar" and name in ("pmfg", "tmfg"):
        raise ModelError(
            f'a {name.upper()} with a field on every variable is not outer-planar; use family="partial" or "zero-field"'
        )


def check_family(family: str, magnetizations) -> None:
    """The family is known and has the magnetizations it needs."""
    if family not in FAMILIES:
        raise ModelError(f"family must be one of {', '.join(FAMILIES)}; got {family!r}")
    if family != "zero-field" and magnetizations is None:
        raise ModelError(f'family "{family}" has fields and needs the magnetizations; use family="zero-field" without')


def _field_edges(spins: np.ndarray, n_spins: int) -> np.ndarray:
    return np.stack([spins, np.full(spins.size, n_spins)], axis=1)


def _similarity(moments, magnetizations) -> np.ndarray:
    """Absolute moments, with the auxiliary node as last row and column where there are magnetizations."""
    moments = np.asarray(moments)
    if magnetizations is None:
        return np.abs(moments)
    n = len(moments)
    extended = np.ones((n + 1, n + 1), moments.dtype if moments.dtype.kind == "f" else float)
    np.abs(moments, out=extended[:n, :n])
    extended[:n, n] = extended[n, :n] = np.abs(magnetizations)
    return extended


def fit_graph(
    edges,
    moments: np.ndarray,
    n_samples: float,
    *,
    magnetizations: np.ndarray | None = None,
    names: Sequence[str] | None = None,
    family: str = "zero-field",
    prior: float | None = None,
) -> SearchResult:
    """The exact maximum-likelihood planar Ising model on a given graph, as a search would return it.

    Parameters
    ----------
    edges : (n_edges, 2) int array
        In the family "partial" node `n_spins` is the auxiliary node, and its edges are the fields.
    moments : (n_spins, n_spins) array
        E[x_i x_j] of -1/+1 data.
    n_samples, magnetizations, names, family, prior
        See `baseline`.

    Returns
    -------
    SearchResult

    Raises
    ------
    ModelError, NonPlanarError
    NoEstimateError
        Names the pair or cycle that makes a coupling infinite (only without a prior).
    """
    check_family(family, magnetizations)
    moments, n_spins = np.asarray(moments), len(moments)
    edges = np.sort(as_simple_edges(edges, n_spins + (family == "partial")), axis=1)
    is_field = edges[:, 1] == n_spins
    # As fit_couplings orders its parameters: couplings, then the free fields by their spins.
    edges, at = edges[~is_field], np.sort(edges[is_field, 0])
    if family == "outer-planar":
        at = np.arange(n_spins)
    free = np.zeros(n_spins, bool)
    free[at] = True
    fit = fit_couplings(
        edges,
        moments[tuple(edges.T)],
        n_spins=n_spins,
        magnetizations=None if family == "zero-field" else magnetizations,
        free_fields=None if family == "zero-field" else free,
        prior=prior,
        n_samples=n_samples,
        names=names,
    )
    return _result(fit.model, fit.log_likelihood, n_samples, family, prior, fit.gradient_norm, fit.converged)


def _observed(edges, moments, magnetizations) -> np.ndarray:
    """Moments of the edges, those to the auxiliary node being the magnetizations."""
    is_field = edges[:, 1] == len(moments)
    observed = np.empty(len(edges))
    observed[~is_field] = moments[tuple(edges[~is_field].T)]
    if is_field.any():
        observed[is_field] = np.asarray(magnetizations)[edges[is_field, 0]]
    return observed


def fit_tmfg(
    graph: FilteredGraph,
    moments: np.ndarray,
    n_samples: float,
    *,
    magnetizations: np.ndarray | None = None,
    names: Sequence[str] | None = None,
    family: str = "zero-field",
    prior: float | None = None,
) -> SearchResult:
    """The same as `fit_graph` for a TMFG, clique by clique: 10 000 variables take a fraction of a second.

    Parameters
    ----------
    graph : FilteredGraph
        In the family "partial" node `n_spins` is the auxiliary node.
    moments, n_samples, magnetizations, names, family, prior
        See `fit_graph`; the family is "zero-field" or "partial".

    Returns
    -------
    SearchResult

    Raises
    ------
    ModelError
    NoEstimateError
        Names the pair or cycle that makes a coupling infinite (only without a prior).
    """
    shared = {"magnetizations": magnetizations, "names": names, "family": family, "prior": prior}
    if not len(graph.cliques):
        return fit_graph(graph.edges, moments, n_samples, **shared)
    check_family(family, magnetizations)
    n_spins = len(moments)
    names = tuple(f"x{k + 1}" for k in range(n_spins)) if names is None else tuple(names)
    edges = np.sort(graph.edges, axis=1)
    is_field = edges[:, 1] == n_spins
    observed = _observed(edges, np.asarray(moments), magnetizations)
    fit = fit_cliques(graph, shrunk(observed, prior, n_samples), (*names, AUXILIARY))
    fields, free = np.zeros(n_spins), np.zeros(n_spins, bool)
    fields[edges[is_field, 0]] = fit.couplings[is_field]
    free[edges[is_field, 0]] = True
    model = IsingModel(edges[~is_field], fit.couplings[~is_field], fields, names=names, free_fields=free)
    # The auxiliary node, fixed to +1, halves Z of the extended model.
    log_partition = fit.log_partition - (np.log(2.0) if family == "partial" else 0.0)
    log_likelihood = n_samples * (float(observed @ fit.couplings) - log_partition)
    converged = fit.gradient_norm <= GRADIENT_TOLERANCE
    return _result(model, log_likelihood, n_samples, family, prior, fit.gradient_norm, converged)


def _result(model, log_likelihood, n_samples, family, prior, gradient_norm, converged) -> SearchResult:
    path = Path(
        action=("start",),
        source=("",),
        target=("",),
        gain=np.array([np.nan]),
        log_likelihood=np.array([log_likelihood]),
        n_parameters=np.array([model.n_parameters]),
        n_ties=np.array([0]),
        n_samples=n_samples,
    )
    return SearchResult(
        model=model,
        path=path,
        excluded=(),
        stopped="no search, the graph was given",
        family=family,
        criterion="none",
        search="none",
        n_samples=n_samples,
        prior=prior,
        converged=converged,
        gradient_norm=gradient_norm,
    )
