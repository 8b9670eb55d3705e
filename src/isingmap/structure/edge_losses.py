"""What each edge of a learned model is worth: the log-likelihood lost when it goes and the others are refitted."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from time import monotonic

import numpy as np

from isingmap.data.moments import EmpiricalMoments
from isingmap.errors import PrecisionError
from isingmap.inference.pfaffian.blas import one_blas_thread
from isingmap.interruption import listening, look, wants_to_stop
from isingmap.structure.problem import Problem
from isingmap.structure.result import SearchResult
from isingmap.structure.state.plane import plane_of
from isingmap.structure.state.refitted_model import RefittedModel, starting_model

# Edges of one block are refitted one after the other without each, so the work grows with the square of its edges.
MOST_EDGES = 600


def edge_losses(result: SearchResult, moments: EmpiricalMoments) -> np.ndarray:
    """Log-likelihood lost by leaving out each edge and refitting all other parameters, (n_edges,), total nats.

    Twice the loss is the likelihood-ratio statistic of the edge. NaN for edges of a block (a part that hangs together
    by more than single variables, fields included) of more than `MOST_EDGES` edges, where it would take minutes (2 s
    at 300 edges, 20 s at 600), where doubles cannot fit what is left, and for refits that are left after Ctrl-C while a
    result is being brought home. With a prior the likelihood is the one that
    was maximised, that of rows and pseudo-observations together.

    Raises
    ------
    KeyboardInterrupt
        Ctrl-C, soon.
    """
    (model, numbers), since = refitted(result, moments), monotonic()
    with listening(), one_blas_thread(), ThreadPoolExecutor() as threads:
        gains = np.array(list(threads.map(lambda k: _gain_without(model, k, since), numbers[: result.model.n_edges])))
        look()
    return (moments.n_samples + (result.prior or 0.0)) * (model.gain - gains)


def refitted(result: SearchResult, moments: EmpiricalMoments) -> tuple[RefittedModel, list[int]]:
    """The learned model as one that can be refitted, and the number that each of its parameters has there.

    Its gain is that of the likelihood it is the maximum of, pseudo-observations included.
    """
    problem = Problem(moments, family=result.family, prior=result.prior, max_width=result.max_width)
    graph = result.model.planned.graph
    place = np.append(np.argsort(problem.order), problem.auxiliary_node)  # of the caller's nodes by name
    edges = np.sort(place[graph.extended_edges], axis=1)
    model = starting_model(problem.target, problem.target, edges, plane_of(problem))
    number = {pair: k for k, pair in enumerate(model.pairs)}
    return model, [number[i, j] for i, j in edges.tolist()]


def _gain_without(model: RefittedModel, k: int, since: float) -> float:
    if wants_to_stop(since) or np.count_nonzero(model.block == model.block[k]) > MOST_EDGES:
        return np.nan
    try:
        return model.without_edge(k).gain
    except PrecisionError:
        return np.nan
