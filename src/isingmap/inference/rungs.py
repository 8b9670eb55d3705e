"""The rungs of the ladder, from doubles to balls: the one place that knows all of them.

Doubles come first, and their loss is measured. Where it is too large, the model is gauged by a ground state, which
keeps most digits. Where that is not enough either, narrow models are solved by elimination, which adds positive terms
and loses nothing; large ones in numbers of two doubles, then of four; and where that is too little, or the model small,
ball arithmetic takes over and proves its answer.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from isingmap.cached import cached_property
from isingmap.inference.elimination.clique_tree import Width, clique_tree, width_of
from isingmap.inference.elimination.solution import EliminationSolution, elimination_solution
from isingmap.inference.elimination.too_wide import MOST_SPINS
from isingmap.inference.extended import ExtendedGraph
from isingmap.inference.ground_states.ground_state import ground_spins
from isingmap.inference.precision import (
    FEWEST_SPINS_IN_WORDS,
    MOST_ADDITIONS_BEFORE_BALLS,
    MOST_SPINS_IN_BALLS,
    MOST_SPINS_IN_FOUR_WORDS,
    MOST_SPINS_IN_TWO_WORDS,
    MOST_SPINS_INVERTED_IN_BALLS,
    MOST_SPINS_INVERTED_IN_WORDS,
    STRONGEST_IN_WORDS,
    Ladder,
    RungKind,
)
from isingmap.inference.proofs.certified_solution import CertifiedSolution, certified_solution
from isingmap.inference.zero_field.plan import DualPlan
from isingmap.inference.zero_field.solution import DualSolution, solve_dual

if TYPE_CHECKING:
    from isingmap.inference.word_solution import WordSolution


@dataclass(frozen=True, eq=False)
class PlannedModel:
    """A zero-field model on a planned graph."""

    plan: DualPlan
    couplings: np.ndarray

    @property
    def n_spins(self) -> int:
        return self.plan.n_spins

    @cached_property
    def ground_spins(self) -> np.ndarray:
        """A ground state, (n_spins,) float64."""
        return ground_spins(self.plan, self.couplings).spins.astype(np.float64)

    @property
    def gauge(self) -> np.ndarray:
        """The ground state with the padding spins, (n_nodes,)."""
        return np.append(self.ground_spins, np.ones(self.plan.n_padding))

    @cached_property
    def width(self) -> Width:
        """What elimination would need."""
        return width_of(self.n_spins, self.plan.edges)

    @property
    def is_narrow(self) -> bool:
        """Whether elimination is fast."""
        return self.n_spins <= MOST_SPINS and self.width.cost <= MOST_ADDITIONS_BEFORE_BALLS

    @property
    def fits_words(self) -> bool:
        """Whether numbers of several words hold the entries of the matrix."""
        return bool(np.abs(self.couplings).max(initial=0.0) <= STRONGEST_IN_WORDS)

    @property
    def suits_words(self) -> bool:
        """Whether such numbers are also worth compiling."""
        return self.n_spins >= FEWEST_SPINS_IN_WORDS and self.fits_words


def _in_doubles(model: PlannedModel) -> DualSolution:
    return solve_dual(model.plan, model.couplings)


def _in_doubles_at_the_ground(model: PlannedModel) -> DualSolution:
    return solve_dual(model.plan, model.couplings, model.gauge)


def _in_tables(model: PlannedModel) -> EliminationSolution:
    graph = ExtendedGraph(model.n_spins, model.plan.edges)
    return elimination_solution(graph, clique_tree(model.n_spins, graph.edges, model.width), model.couplings)


def _in_two_words(model: PlannedModel) -> WordSolution:
    return _in_words(model, 2)


def _in_four_words(model: PlannedModel) -> WordSolution:
    return _in_words(model, 4)


def _in_words(model: PlannedModel, n_words: int) -> WordSolution:
    from isingmap.inference.word_solution import word_solution  # rarely needed, and slow to load

    return word_solution(model.plan, model.couplings, model.gauge, n_words)


def _in_balls(model: PlannedModel) -> CertifiedSolution:
    return certified_solution(model.plan, model.couplings, spins=model.ground_spins)


DOUBLES = RungKind("doubles", _in_doubles)
GROUND_GAUGE = RungKind("doubles at a ground state", _in_doubles_at_the_ground)
TABLES = RungKind("elimination", _in_tables, suits=lambda model: model.is_narrow)
_WORDS: dict[str, Any] = {
    "most_spins_inverted": MOST_SPINS_INVERTED_IN_WORDS,
    "suits": lambda model: model.suits_words,
}
TWO_WORDS = RungKind("double-double arithmetic", _in_two_words, MOST_SPINS_IN_TWO_WORDS, **_WORDS)
FOUR_WORDS = RungKind("quad-double arithmetic", _in_four_words, MOST_SPINS_IN_FOUR_WORDS, **_WORDS)
BALLS = RungKind("ball arithmetic", _in_balls, MOST_SPINS_IN_BALLS, MOST_SPINS_INVERTED_IN_BALLS)

RUNGS: tuple[RungKind, ...] = (DOUBLES, GROUND_GAUGE, TABLES, TWO_WORDS, FOUR_WORDS, BALLS)
# Those that the sampler on the dissection tree can read.
SAMPLED = (DOUBLES, GROUND_GAUGE)


def zero_field_ladder(
    plan: DualPlan, couplings: np.ndarray, doubles: DualSolution | None = None
) -> Ladder[PlannedModel]:
    """All rungs for one model; `doubles` is the first one, where there is one already."""
    return Ladder(PlannedModel(plan, couplings), RUNGS, {} if doubles is None else {DOUBLES.name: doubles})


def best_in_doubles(ladder: Ladder[PlannedModel]) -> DualSolution:
    """The rung in doubles that loses least."""
    return ladder.rung(ladder.least_loss(SAMPLED))
