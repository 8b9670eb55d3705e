"""The exact maximum-likelihood planar Ising model on a given graph, as a search would return it."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from isingmap.errors import ModelError
from isingmap.inference.extended import ExtendedGraph
from isingmap.likelihood.fit import fit_couplings
from isingmap.model import IsingModel
from isingmap.planar.embedding import as_simple_edges
from isingmap.structure.criteria import EBIC_GAMMA, ebic_penalty
from isingmap.structure.options import SearchOptions
from isingmap.structure.problem import Problem
from isingmap.structure.result import GIVEN, Path, SearchResult


def fit_graph(edges, problem: Problem) -> SearchResult:
    """The exact maximum-likelihood planar Ising model on a given graph, as a search would return it.

    Parameters
    ----------
    edges : (n_edges, 2) int array
        In the caller's order. In the family "partial" node `n_spins` is the auxiliary node, and its edges are the
        fields.
    problem : Problem

    Returns
    -------
    SearchResult
        Its path has one row; `criterion` and `search` are "none" and ties are not counted.

    Raises
    ------
    ModelError, NonPlanarError
    NoEstimateError
        Names the pair, cycle or combination of values that makes a coupling infinite (only without a prior).
    """
    rules, moments, n_spins = problem.rules, problem.moments, problem.n_spins
    chosen_fields = rules.has_fields and not rules.every_field
    given = ExtendedGraph(n_spins, np.sort(as_simple_edges(edges, n_spins + chosen_fields), axis=1))
    free = np.ones(n_spins, bool) if rules.every_field else given.is_free
    fit = fit_couplings(
        given.edges,
        moments.moments[tuple(given.edges.T)],
        n_spins=n_spins,
        magnetizations=moments.magnetizations if rules.has_fields else None,
        free_fields=free if rules.has_fields else None,
        prior=problem.prior,
        n_samples=problem.n_samples,
        names=problem.names,
        fields_in_plane=rules.fields_in_plane,
        codings=moments.codings,
    )
    return given_graph_result(problem, fit.model, fit.log_likelihood, fit.gradient_norm, converged=fit.converged)


def given_graph_result(
    problem: Problem, model: IsingModel, log_likelihood: float, gradient_norm: float, *, converged: bool
) -> SearchResult:
    """The result of a search that had nothing to choose."""
    path = Path(
        action=("start",),
        source=("",),
        target=("",),
        gain=np.array([np.nan]),
        log_likelihood=np.array([log_likelihood]),
        n_parameters=np.array([model.n_parameters]),
        n_ties=np.array([0]),
        n_samples=problem.n_samples,
        is_composite=problem.is_composite,
        ebic_penalty=ebic_penalty(EBIC_GAMMA, problem.n_spins),
    )
    return SearchResult(
        model=model,
        path=path,
        excluded=(),
        stopped="no search, the graph was given",
        family=problem.family,
        criterion=GIVEN,
        search=GIVEN,
        n_samples=problem.n_samples,
        prior=problem.prior,
        converged=converged,
        gradient_norm=gradient_norm,
    )


def drawn_at_once(result: SearchResult, options: SearchOptions) -> SearchResult:
    """The result on a graph that was drawn by the search of the options."""
    return replace(as_strict(result, options.gamma), search=options.search, stopped="the graph is drawn at once")


def as_strict(result: SearchResult, gamma: float) -> SearchResult:
    """The result with an EBIC of this strictness."""
    path = replace(result.path, ebic_penalty=ebic_penalty(gamma, result.model.n_spins))
    return replace(result, gamma=gamma, path=path)


def refuse_every_field(problem: Problem, what: str) -> None:
    """A maximal planar graph has no room for the auxiliary node.

    Raises
    ------
    ModelError
    """
    if problem.rules.every_field and problem.rules.fields_in_plane:
        raise ModelError(
            f'a {what} with a field on every variable is not outer-planar; use family="planar", family="partial" or '
            'family="zero-field"'
        )
