"""How exact an answer must be to be handed out: every tolerance of inference, and the ladder that reaches it.

One model is solved ever more exactly, as far as a question needs: a rung of the ladder that cannot answer exactly
enough raises PrecisionError, and the next one is made and asked. What the rungs are is said in `rungs.py`.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Any, Generic, Protocol, TypeVar

import numpy as np

from isingmap.cached import cached_property
from isingmap.errors import PrecisionError
from isingmap.interruption import look
from isingmap.progress import at_work

# Every number that decides whether an answer is handed out. (`ROUNDING` in zero_field/correlations.py, from which
# errors are estimated, stays beside the kernel that reads it, because numba's cache looks at no other file.)
#
# Solutions in doubles: log Z and moments, whose loss is measured. Errors up to six times the loss were seen.
LOSS_TOLERANCE = 1e-10
# The same where nothing better is left, because the model is too large for the more exact rungs.
LOSS_TOLERANCE_OF_LARGE = 1e-7
# Stored blocks with entries up to this leave log Z alone: 1e-13 at most, up to 1e16 mostly, on 2000 models of 20 to 140
# spins with couplings up to 50; beyond, one model in a hundred lost digits, and all is computed a second time.
LARGEST_HARMLESS_FACTOR = 1e6
# Hessian, correlations, products: their estimated error; the true one was seen to be six times as large.
LARGEST_ERROR = 1e-8
# Products with which a Hessian is compared.
N_PROBES = 2
# Differences of log Z and sums of strengths (entropy, log-probabilities, also the exponents of an enumeration): their
# rounding, relative to max(1, |difference|); beyond, they are computed without it.
CANCELLATION = 1e-9
# Balls: radius before rounding to floats, of log Z relative to max(1, |log Z|), of all else absolute.
BALL_TOLERANCE = 1e-13
# Bits that balls may use.
MOST_BITS = 1 << 18
# Elimination is asked before balls where log Z takes at most so many additions; that is a tenth of a second.
MOST_ADDITIONS_BEFORE_BALLS = 2**22
# Small models whose elimination takes no more additions than this are eliminated, planar or not: every answer comes as
# fast as by determinants or faster (log Z ten times), and a first use that asks nothing else compiles 20 s less.
MOST_SPINS_BEFORE_DETERMINANTS, MOST_ADDITIONS_BEFORE_DETERMINANTS = 64, 2**10
# Ground states likewise, before matching: a grid of 10 x 10 takes 1 ms, and 3 ms by matching.
MOST_SPINS_BEFORE_MATCHING, MOST_ADDITIONS_BEFORE_MATCHING = 128, 2**16
# Balls over everything take minutes above this size; below, a fraction of a second to a minute.
MOST_SPINS_IN_BALLS = 12_000
# Hessian and correlations in balls take the whole inverse: a minute at this size.
MOST_SPINS_INVERTED_IN_BALLS = 500
# Entries of all clique tables together that are worked on as balls: some seconds.
MOST_TABLE_ENTRIES_IN_BALLS = 2**21
# Words take longer to compile than balls over so few spins take to answer; there are many small models, and few large.
FEWEST_SPINS_IN_WORDS = 501
# Two words take 40 s and 1.2 GB at this size; four take eight times as long.
MOST_SPINS_IN_TWO_WORDS = 100_000
MOST_SPINS_IN_FOUR_WORDS = 12_000
# The whole inverse in four words takes 1.5 GB at this size.
MOST_SPINS_INVERTED_IN_WORDS = 800
# Above, the last words of an entry of K' would come near the smallest double, where digits are lost unseen.
STRONGEST_IN_WORDS = 100.0
# Samples: loss with which the sampler in doubles is tried; no number of samples shows a probability so little off.
SAMPLING_LOSS = 1e-6
# How far its conditional probabilities may leave [0, 1] by rounding.
PROBABILITY_EXCESS = 1e-6
# An edge is settled when the rarer outcome has at most half this probability; ten times the loss allowed to moments.
SETTLED = 1e-9
# Edges are drawn one by one up to this size, where a solution in balls takes a second; a sample may take dozens.
MOST_SPINS_DRAWN = 500
# Ground states: gap, relative to the log-weight, that still counts as none; about the resolution of doubles.
GROUND_STATE_RESOLUTION = 1e-15

# What to do where couplings are too strong.
AT_ANY_STRENGTH = (
    "A ground state can be had at any strength: ground_state(). All else needs a higher temperature, couplings and "
    "fields divided by the same number"
)


class Rung(Protocol):
    """A zero-field model solved in some arithmetic. Answers are exact enough, or PrecisionError is raised."""

    @property
    def log_partition(self) -> float:
        """log Z, nats; as exact as `loss` says."""

    @property
    def loss(self) -> float:
        """Error of log Z (relative) and the moments (absolute), measured or proved; NaN or infinity: all is lost."""

    def moments(self) -> np.ndarray:
        """E[x_i x_j] of each edge, (n_edges,); as exact as `loss` says."""

    def hessian(self) -> np.ndarray:
        """Covariance matrix of the edge products, (n_edges, n_edges)."""

    def hessian_product(self, vector: np.ndarray) -> np.ndarray:
        """Hessian times a vector, (n_edges,)."""

    def hessian_entries(self, first: np.ndarray, second: np.ndarray) -> np.ndarray:
        """Hessian entries of pairs of edges, (k,)."""

    def correlations(self, asked: np.ndarray | None = None) -> np.ndarray:
        """E[x_i x_j] of every pair, (n_spins, n_spins), or at least of the pairs i < j of `asked`, bool."""

    def pair_correlations(self, pairs: np.ndarray) -> np.ndarray:
        """E[x_i x_j] of the given pairs, (k,)."""


def too_large_to_invert(n_spins: int, most: float) -> PrecisionError:
    """What is said where the whole inverse is asked for of more spins."""
    return PrecisionError(
        f"the couplings are too strong for the whole covariance matrix of {n_spins} spins: doubles are not exact "
        f"enough, and more than {most} spins would take too much memory in anything else. Moments and correlations of "
        "single pairs can be had",
        loss=np.inf,
    )


class Model(Protocol):
    """What a ladder needs to know of the model it solves."""

    @property
    def n_spins(self) -> int: ...

    @property
    def couplings(self) -> np.ndarray: ...


AnyModel = TypeVar("AnyModel", bound=Model)
AnyRung = TypeVar("AnyRung", bound=Rung)


@dataclass(frozen=True)
class RungKind(Generic[AnyModel, AnyRung]):
    """One arithmetic.

    Attributes
    ----------
    name : str
    solve : callable
        Makes the rung of a model.
    most_spins : float
        Larger models are not solved with it.
    most_spins_asked : float
        Larger models are not asked when all that is known is that another rung refused: it could take hours.
    most_spins_inverted : float
        Of larger models the whole inverse is not asked for, which would take too much memory.
    suits : callable
        Whether it can solve a model; asked when the rungs before it have refused.
    """

    name: str
    solve: Callable[[AnyModel], AnyRung]
    most_spins: float = math.inf
    most_spins_asked: float = math.inf
    most_spins_inverted: float = math.inf
    suits: Callable[[AnyModel], bool] = lambda model: True


class Ladder(Generic[AnyModel]):
    """One model; each rung is made when the one before refuses.

    Parameters
    ----------
    model
    kinds : sequence of RungKind
        From the fastest to the most exact.
    made : dict
        Rungs that are there already, by the name of their kind.
    """

    def __init__(self, model: AnyModel, kinds: Sequence[RungKind], made: dict[str, Rung] | None = None):
        self.model = model
        self.kinds = tuple(kinds)
        self._made: dict[str, Any] = dict(made or {})

    def rung(self, kind: RungKind[AnyModel, AnyRung]) -> AnyRung:
        """The rung of one kind, made at the first call."""
        if kind.name not in self._made:
            look()
            with self._at_work(kind):
                self._made.setdefault(kind.name, kind.solve(self.model))
        return self._made[kind.name]

    def _at_work(self, kind: RungKind[AnyModel, AnyRung]) -> AbstractContextManager[None]:
        return at_work(kind.name, slow=kind is not self.kinds[0])

    def least_loss(self, kinds: Sequence[RungKind[AnyModel, AnyRung]]) -> RungKind[AnyModel, AnyRung]:
        """The kind whose rung loses least, the first of equals."""
        return min(kinds, key=lambda kind: np.nan_to_num(self.rung(kind).loss, nan=np.inf))

    @cached_property
    def kind(self) -> RungKind:
        """The first kind whose log Z and moments are exact enough.

        Raises
        ------
        PrecisionError
            When doubles lose too much and the model is too large for the more exact rungs.
        """
        tried = []
        for kind in self.kinds:
            if self.model.n_spins <= kind.most_spins and kind.suits(self.model):
                tried.append(kind)
                if self.rung(kind).loss <= LOSS_TOLERANCE:
                    return kind
        best = self.least_loss(tried)
        if self.rung(best).loss <= LOSS_TOLERANCE_OF_LARGE:
            return best
        raise self._too_strong(self.rung(best).loss)

    def _too_strong(self, loss: float) -> PrecisionError:
        n_spins = self.model.n_spins
        too_large = "".join(
            f", and {n_spins} spins are too many for {kind.name} (at most {kind.most_spins})"
            for kind in self.kinds
            if n_spins > kind.most_spins
        )
        return PrecisionError(
            f"the couplings (largest |coupling| {np.abs(self.model.couplings).max(initial=0):.3g}) are too strong for "
            f"double precision: the measured loss is {loss:.1e}, allowed {LOSS_TOLERANCE_OF_LARGE:.0e}{too_large}. "
            + AT_ANY_STRENGTH,
            loss=loss,
        )

    @property
    def solved(self) -> Rung:
        """The first rung whose log Z and moments are exact enough; errors as in `kind`."""
        return self.rung(self.kind)

    def ask(self, question: Callable[[Any], Any], *, inverts: bool = False):
        """The answer of the first rung from `solved` on that does not refuse.

        `inverts` says that the question takes the whole inverse: a rung that cannot have it is not made for it.

        Raises
        ------
        PrecisionError
            When all refuse that may be asked.
        """
        return self._ask(question, self.kinds.index(self.kind), inverts=inverts)

    def ask_unmeasured(self, question: Callable[[Any], Any]):
        """`ask` from the first rung on, whatever its loss: for questions that look at their own errors."""
        return self._ask(question, 0)

    def _ask(self, question, first: int, *, inverts: bool = False):
        n_spins = self.model.n_spins
        later = [kind for kind in self.kinds[first + 1 :] if n_spins <= min(kind.most_spins, kind.most_spins_asked)]
        for kind in (self.kinds[first], *later):
            if inverts and n_spins > kind.most_spins_inverted:
                refused = too_large_to_invert(n_spins, kind.most_spins_inverted)
            elif kind.suits(self.model):
                try:
                    with self._at_work(kind):
                        return question(self.rung(kind))
                except PrecisionError as error:
                    refused = error
        raise refused
