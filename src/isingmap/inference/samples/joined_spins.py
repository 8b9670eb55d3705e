"""Exact samples at couplings too strong for the sampler on the dissection tree: what is settled is contracted.

At strong couplings most edges agree or disagree with certainty. Moments that are right at any strength (`Ladder`)
tell which; their spins are joined into one, couplings between the same two joined spins add up, and what remains is a
smaller planar model in which nothing strong is undecided, so that the fast sampler usually takes over. Where it
still refuses, the most open edge is drawn from its moment, the samples are divided accordingly, and each part goes on
with one spin less.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

from isingmap.errors import PrecisionError
from isingmap.inference.precision import AT_ANY_STRENGTH, MOST_SPINS_DRAWN, SAMPLING_LOSS, SETTLED, Ladder
from isingmap.inference.rungs import PlannedModel, best_in_doubles, zero_field_ladder
from isingmap.inference.samples.tree_sampler import exact_samples
from isingmap.inference.zero_field.plan import gauge, plan
from isingmap.inference.zero_field.solution import DualSolution


class Contracted(NamedTuple):
    """A model some of whose spins have been joined.

    Attributes
    ----------
    edges : (n_edges, 2) int64 array
        Between joined spins.
    couplings : (n_edges,) float64 array
    joined : (n_spins,) int64 array
        The joined spin that each spin of the model belongs to.
    sign : (n_spins,) float64 array of +-1
        Its value in terms of that one.
    """

    edges: np.ndarray
    couplings: np.ndarray
    joined: np.ndarray
    sign: np.ndarray

    @property
    def n_joined(self) -> int:
        return int(self.joined.max()) + 1


def samples_at_any_strength(ladder: Ladder[PlannedModel], n_samples: int, rng: np.random.Generator) -> np.ndarray:
    """Independent samples of the ladder's model, (n_samples, n_spins) int8, by the fast sampler where it can.

    Where it cannot, one solution in balls and a fast sampler afterwards, mostly; at worst a solution for each edge
    that is drawn.

    Raises
    ------
    PrecisionError
        When doubles lose too much and more than 500 spins remain after all settled ones have been joined.
    """
    n_spins = ladder.model.n_spins
    samples = np.empty((n_samples, n_spins), np.int8)
    whole = Contracted(ladder.model.plan.edges, ladder.model.couplings, np.arange(n_spins), np.ones(n_spins))
    todo = [(whole, np.arange(n_samples))]
    while todo:
        model, rows = todo.pop()
        if not rows.size:
            continue
        step = ladder if model is whole else zero_field_ladder(plan(model.n_joined, model.edges), model.couplings)
        drawn = _fast_samples(step, rows.size, rng)
        if drawn is not None:
            samples[rows] = drawn[:, model.joined] * model.sign
            continue
        moments = np.asarray(step.solved.moments(), dtype=np.float64)
        settled = np.abs(moments) >= 1.0 - SETTLED
        if settled.any():
            todo.append((contract(model, settled, moments), rows))
        elif model.n_joined <= MOST_SPINS_DRAWN:
            todo += _draw_most_open_edge(model, moments, rows, rng)
        else:
            raise _too_large(ladder, model.n_joined)
    return samples


def _draw_most_open_edge(model: Contracted, moments, rows, rng) -> list[tuple[Contracted, np.ndarray]]:
    """Divide the samples `rows` by whether the edge of the smallest |moment| agrees."""
    chosen = np.arange(moments.size) == np.argmin(np.abs(moments))
    agree = rng.random(rows.size) < 0.5 * (1.0 + moments[chosen])
    outcomes = ((-1.0, rows[~agree]), (1.0, rows[agree]))
    return [(contract(model, chosen, np.full(moments.size, value)), part) for value, part in outcomes]


def _too_large(ladder: Ladder[PlannedModel], n_open: int) -> PrecisionError:
    strongest = np.abs(ladder.model.couplings).max()
    return PrecisionError(
        f"the couplings (largest |coupling| {strongest:.3g}) are too strong for exact sampling in "
        f"double precision, and the {n_open} groups of spins not settled among {ladder.model.n_spins} are "
        f"too many for exact sampling without it (at most {MOST_SPINS_DRAWN}). " + AT_ANY_STRENGTH,
        loss=best_in_doubles(ladder).loss,
    )


def _fast_samples(ladder: Ladder[PlannedModel], n_samples: int, rng) -> np.ndarray | None:
    """Samples of the joined spins; None where the fast sampler is not exact enough or refuses."""
    solved = ladder.solved
    if not isinstance(solved, DualSolution):
        solved = best_in_doubles(ladder)
    if not solved.loss <= SAMPLING_LOSS:
        return None
    try:
        return exact_samples(solved, n_samples, rng)
    except PrecisionError:  # a probability that no moment depends on
        return None


def contract(model: Contracted, settled: np.ndarray, moments: np.ndarray) -> Contracted:
    """Join the ends of the edges `settled` (n_edges,) bool, with the signs of their moments."""
    n = model.n_joined
    ends = model.edges[settled].astype(np.int32)  # SciPy's graph functions take no others before 1.17
    spins = gauge(n, model.edges[settled], moments[settled])
    _, joined = connected_components(coo_array((np.ones(len(ends)), (ends[:, 0], ends[:, 1])), (n, n)), directed=False)
    edges, couplings = joined[model.edges], model.couplings * spins[model.edges[:, 0]] * spins[model.edges[:, 1]]
    apart = edges[:, 0] != edges[:, 1]
    edges, which = np.unique(np.sort(edges[apart], axis=1), axis=0, return_inverse=True)
    total = np.bincount(which.ravel(), couplings[apart], len(edges))
    return Contracted(edges.astype(np.int64), total, joined[model.joined], model.sign * spins[model.joined])
