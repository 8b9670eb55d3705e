"""fit_couplings: the maximum-likelihood couplings (and fields) of a given graph."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

import numpy as np
from scipy.sparse import coo_array
from scipy.sparse.csgraph import minimum_spanning_tree

from isingmap.cached import cached_property
from isingmap.errors import DataError, FitWarning, ModelError, PrecisionError
from isingmap.inference.elimination.fielded_block import FieldedPlan, fielded_plan
from isingmap.inference.extended import ExtendedGraph, extended_labels
from isingmap.inference.zero_field.plan import DualPlan, plan
from isingmap.likelihood.curvature import Curvature
from isingmap.likelihood.existence import SLACK_TOLERANCE, find_obstacle, no_estimate_error, refuse_face
from isingmap.likelihood.newton import maximise
from isingmap.model import IsingModel
from isingmap.planar.blocks import block_labels
from isingmap.planar.embedding import embed
from isingmap.warned import warn

# What to do about a fit that did not converge.
REMEDY = (
    "its couplings are not the maximum of the likelihood. Some are probably very strong: a prior (prior=1, or a larger "
    "one) makes them weaker, and so does leaving out one of two columns that nearly always agree"
)


@dataclass(frozen=True, eq=False)
class FitResult:
    """A fitted model and how far it can be trusted.

    Attributes
    ----------
    model : IsingModel
    log_likelihood : float
        Of the given moments, without the prior: total nats when `n_samples` was given, else nats per sample.
    converged : bool
    gradient_norm : float
        Largest absolute difference between a (shrunk) given moment and the model's.
    n_iter : int
        Newton iterations of the block that needed most.
    n_samples : float or None
    prior : float or None
        Pseudo-observations that the moments were shrunk with.
    status : str
        One sentence.
    """

    model: IsingModel
    log_likelihood: float
    converged: bool
    gradient_norm: float
    n_iter: int
    n_samples: float | None
    prior: float | None

    @property
    def status(self) -> str:
        how = f"after {self.n_iter} Newton steps, gradient {self.gradient_norm:.1e}"
        shrunk = ""
        if self.prior is not None:
            plural = "" if self.prior == 1 else "s"
            shrunk = f"; moments shrunk by a prior of {self.prior:g} pseudo-observation{plural}"
        return ("converged " if self.converged else "NOT converged ") + how + shrunk

    @cached_property
    def standard_errors(self) -> np.ndarray:
        """Of the couplings, then of the free fields, for this fixed graph, (n_parameters,). Needs `n_samples`.

        See the function `standard_errors`. A prior's pseudo-observations count like rows.

        Raises
        ------
        ModelError
            Without `n_samples`.
        NonPlanarError, PrecisionError
            As in `IsingModel.hessian`.
        """
        if self.n_samples is None:
            raise ModelError("standard errors need n_samples; give it to fit_couplings")
        return standard_errors(self.model, self.n_samples + (self.prior or 0.0))


def standard_errors(model: IsingModel, n_samples: float, overlap: np.ndarray | None = None) -> np.ndarray:
    """Standard errors of the couplings, then of the free fields, for this fixed graph, (n_parameters,).

    From the inverse Fisher information; where cells are missing by the sandwich H^-1 V H^-1, V the covariances of the
    moments, each on its own rows. They do not know that the graph was chosen with the same data. NaN where
    double precision cannot tell.

    Parameters
    ----------
    model : IsingModel
    n_samples : float
    overlap : (n_parameters, n_parameters) array, optional
        Rows that two parameters' moments share, over the product of the rows behind each; see `data.moments.overlap`.

    Raises
    ------
    NonPlanarError, PrecisionError
        As in `IsingModel.hessian`.
    """
    return Curvature(model.hessian()).standard_errors(n_samples, overlap)


def shrunk(moments: np.ndarray, prior: float | None, n_samples: float | None) -> np.ndarray:
    """Moments after adding `prior` pseudo-observations spread evenly over all configurations: S mu / (S + a).

    Raises
    ------
    ModelError
        For a prior that is not positive, or so small that doubles cannot tell it from none, or without `n_samples`.
    """
    if prior is None:
        return moments
    if not np.isfinite(prior) or prior <= 0:
        raise ModelError(f"prior must be a positive number of pseudo-observations, got {prior}; leave it out for none")
    if n_samples is None:
        raise ModelError("a prior counts pseudo-observations, so it needs n_samples")
    least = 2.0 * SLACK_TOLERANCE * n_samples
    if prior <= least:
        raise ModelError(
            f"prior={prior:g} is lost among {n_samples:,.10g} observations: double precision cannot tell it from "
            f"none. Give more than {least:.2g}"
        )
    return moments * (n_samples / (n_samples + prior))


def fit_couplings(
    edges,
    moments,
    *,
    n_spins=None,
    magnetizations=None,
    prior=None,
    n_samples=None,
    names=None,
    free_fields=None,
    start=None,
    fields_in_plane=True,
    codings=None,
) -> FitResult:
    """Maximum-likelihood planar Ising model on a given graph.

    Parameters
    ----------
    edges : (n_edges, 2) int array
    moments : (n_edges,) or (n_spins, n_spins) float array
        Empirical E[x_i x_j] of -1/+1 data, per edge or for all pairs.
    n_spins : int, optional
    magnetizations : (n_spins,) float array, optional
        Empirical E[x_i]. When given, fields are fitted: on every spin, or on those of `free_fields`; the graph with
        the auxiliary node must be planar, unless `fields_in_plane` is False. When left out the model is zero-field.
    prior : float, optional
        Pseudo-observations spread evenly over all configurations. With it the estimate exists for all moments that
        belong to one distribution, such as those of a table without missing cells.
    n_samples : float, optional
        Number of observations behind the moments.
    start : (n_parameters,) float array, optional
        Couplings and free fields to start from.
    fields_in_plane : bool
        Whether fields take room in the plane. Without, only the graph of the couplings must be planar; see the family
        "planar".
    codings : (n_spins,) sequence of Coding, optional
        What -1 and +1 of each spin stand for, for messages.

    Returns
    -------
    FitResult

    Raises
    ------
    ModelError
        When the arguments do not fit together.
    DataError
        For a moment outside [-1, 1].
    NonPlanarError
        When the graph with the auxiliary spin is not planar, however small; without `fields_in_plane`, when that of
        the couplings is not, or is too wide for elimination.
    NoEstimateError
        Names the pair, the cycle or the combination of values that makes a coupling infinite (with a prior: whose
        moments no distribution has).
    PrecisionError
        When the maximum has couplings too strong for log Z, or there is probably none, without a proof.

    Warns
    -----
    FitWarning
        When the fit did not converge.
    """
    skeleton = _skeleton(edges, n_spins, names, magnetizations, moments, free_fields)
    planned = skeleton.planned
    graph = planned.graph
    given = graph.join(_edge_moments(moments, skeleton), _magnetizations(magnetizations, graph))
    target = shrunk(given, prior, n_samples)
    labels = extended_labels(skeleton.names)
    if fields_in_plane:
        planned.triangulation  # noqa: B018 - raises NonPlanarError before anything is computed
    else:
        embed(graph.n_spins, graph.edges, labels=skeleton.names)
    obstacle = find_obstacle(graph.n_nodes, graph.extended_edges, target)
    if obstacle is not None:
        raise no_estimate_error(obstacle, labels, prior, codings)
    theta, norm, n_iter, converged = _fit(skeleton, target, start, fields_in_plane, n_samples, prior, codings)
    model = skeleton.with_couplings(*graph.split(theta))
    per_sample = float(given @ theta) - model.log_partition()
    total = per_sample * (1.0 if n_samples is None else n_samples)
    result = FitResult(model, total, converged, norm, n_iter, n_samples, prior)
    if not converged:
        warn(f"the fit is {result.status}; {REMEDY}", FitWarning)
    return result


def _fit(skeleton: IsingModel, target: np.ndarray, start, fields_in_plane: bool, n_samples, prior, codings):
    """`fit_by_blocks`; with the fields beside the plane cycles do not decide whether there is a maximum."""
    graph = skeleton.planned.graph
    if fields_in_plane:
        return fit_by_blocks(graph.n_nodes, graph.extended_edges, target, start)
    about = graph.n_nodes, graph.extended_edges, target, extended_labels(skeleton.names)
    known = {"n_samples": n_samples, "prior": prior, "codings": codings}
    try:
        solver = partial(plan_beside_fields, graph.n_spins)
        found = fit_by_blocks(graph.n_nodes, graph.extended_edges, target, start, solver)
    except PrecisionError:
        refuse_face(*about, **known)
        raise
    if not found[-1]:
        refuse_face(*about, **known)
    return found


def _skeleton(edges, n_spins, names, magnetizations, moments, free_fields) -> IsingModel:
    """A model with the right names, edges and free fields, and zero parameters."""
    moments = np.asarray(moments)
    if n_spins is None and names is None:
        if magnetizations is not None:
            n_spins = len(magnetizations)
        elif moments.ndim == 2:
            n_spins = len(moments)
    edges = np.asarray(edges)
    bare = IsingModel(edges, np.zeros(len(edges)), names=names, n_spins=n_spins)
    if magnetizations is None:
        if free_fields is not None:
            raise ModelError("free fields need the magnetizations they are fitted to")
        return bare
    free = np.ones(bare.n_spins, bool) if free_fields is None else free_fields
    return IsingModel(bare.edges, bare.couplings, np.zeros(bare.n_spins), names=bare.names, free_fields=free)


def _edge_moments(moments, skeleton: IsingModel) -> np.ndarray:
    moments = np.asarray(moments, float)
    if moments.ndim == 2:
        if moments.shape != (skeleton.n_spins, skeleton.n_spins):
            n = skeleton.n_spins
            raise ModelError(f"moments must have shape ({skeleton.n_edges},) or ({n}, {n}), got {moments.shape}")
        moments = moments[skeleton.edges[:, 0], skeleton.edges[:, 1]]
    return _checked(moments, "moments", skeleton.n_edges)


def _magnetizations(magnetizations, graph: ExtendedGraph) -> np.ndarray:
    """E[x_i] of all spins; zeros where no field is fitted."""
    if not graph.has_fields:
        return np.zeros(graph.n_spins)
    return _checked(magnetizations, "magnetizations", graph.n_spins)


def _checked(values, what: str, size: int) -> np.ndarray:
    array = np.asarray(values, float)
    if array.shape != (size,):
        raise ModelError(f"{what} must have shape ({size},), got {array.shape}")
    bad = np.flatnonzero(~(np.abs(array) <= 1.0 + 1e-12))
    if bad.size:
        raise DataError(f"{what}[{bad[0]}] is {array[bad[0]]}; averages of -1/+1 values lie in [-1, 1]")
    return array


def plan_beside_fields(
    auxiliary: int, nodes: np.ndarray, edges: np.ndarray, max_width: int | None = None
) -> DualPlan | FieldedPlan:
    """How a part of a graph is solved whose couplings alone are drawn; node `auxiliary`, the last, carries the fields.

    By elimination where the part holds that node, and as a planar one where none of its spins has a field in it.

    Raises
    ------
    TooWide
        See `fielded_plan`.
    """
    if nodes[-1] == auxiliary:
        return fielded_plan(nodes, edges, max_width)
    return plan(nodes.size, np.searchsorted(nodes, edges))


def fit_by_blocks(n_nodes: int, edges: np.ndarray, moments: np.ndarray, start=None, planned=None):
    """Fit a zero-field graph block by block: (couplings, gradient norm, iterations, converged).

    Blocks are independent given the cut nodes they share, and a block of one edge is a closed form. `planned` makes
    the plan of a block's nodes and edges; by default as of a planar graph.
    """
    theta = np.arctanh(moments)
    label = block_labels(n_nodes, edges)
    norm, n_iter, converged = 0.0, 0, True
    for block in range(int(label.max(initial=-1)) + 1):
        members = np.flatnonzero(label == block)
        if members.size == 1:
            continue
        nodes, local = np.unique(edges[members], return_inverse=True)
        local = local.reshape(-1, 2)
        target = moments[members]
        first = tree_couplings(nodes.size, local, target) if start is None else np.asarray(start, float)[members]
        graph = plan(nodes.size, local) if planned is None else planned(nodes, edges[members])
        result = maximise(graph, target, first)
        theta[members] = result.couplings
        norm = max(norm, result.gradient_norm)
        n_iter = max(n_iter, result.n_iter)
        converged = converged and result.converged
    return theta, norm, n_iter, converged


def tree_couplings(n_nodes: int, edges: np.ndarray, moments: np.ndarray) -> np.ndarray:
    """Where to start a fit: the exact fit of the graph's best spanning forest, and 0 on the other edges, (n_edges,).

    A share of every edge's own coupling would add up, on a dense graph of strong moments, to an ordered state
    without any curvature.
    """
    # Lengths are positive, because a sparse matrix takes 0 for no edge.
    ends = edges.astype(np.int32)  # SciPy's graph functions take no others before 1.17
    lengths = coo_array((2.0 - np.abs(moments), (ends[:, 0], ends[:, 1])), shape=(n_nodes, n_nodes))
    tree = minimum_spanning_tree(lengths.tocsr()).tocoo()
    in_tree = np.isin(edges @ (n_nodes, 1), np.stack([tree.row, tree.col], axis=1) @ (n_nodes, 1))
    return np.where(in_tree, np.arctanh(moments), 0.0)
