"""Facts of what a learned map misses: means, pairs, and what the plane kept out."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from scipy.special import ndtri

from isingmap.data.table import FIELD
from isingmap.learning.learned_map import LearnedMap
from isingmap.learning.misses import Miss
from isingmap.printable import printable
from isingmap.report.facts import Fact, text_fact
from isingmap.structure.result import Blocked

MISSES = "What the model misses"
MOST_TOLD = 3


def miss_facts(learned: LearnedMap) -> Iterator[Fact]:
    """The means and pairs that are missed most, how much chance would make of it, and what the plane kept out."""
    means = [miss for miss in learned.misses if miss.is_mean]
    pairs = [miss for miss in learned.misses if not miss.is_mean]
    for what, found in (("means", means), ("pairs", pairs)):
        if found:
            value = [_record(learned, miss) for miss in found[:MOST_TOLD]]
            yield Fact(MISSES, what, value, _worst(learned, what, found))
    blocked = learned.result.blocked
    if blocked:
        yield Fact(
            MISSES, "no room for", [[pair.source, pair.target] for pair in blocked[:MOST_TOLD]], _no_room(blocked)
        )
    if learned.misses:
        yield text_fact(
            MISSES,
            "z",
            "difference in standard errors, by the model's own variance. misses.csv has "
            + ("every mean and pair" if len(pairs) == _n_pairs(learned) else "the means and the worst pairs")
            + _known_together(learned),
        )


def _known_together(learned: LearnedMap) -> str:
    if learned.em is None:
        return ""
    return (
        ". The data's value is that of the rows where both are known, which the model need not have where others lack "
        "a cell for reasons that other columns show"
    )


def _n_pairs(learned: LearnedMap) -> int:
    return learned.model.n_spins * (learned.model.n_spins - 1) // 2


def _record(learned: LearnedMap, miss: Miss) -> dict:
    z = None if np.isnan(miss.z) else miss.z
    return {"variables": _names(learned, miss), "data": miss.data, "model": miss.model, "z": z}


def _names(learned: LearnedMap, miss: Miss) -> list[str]:
    return [learned.model.names[k] for k in (miss.source, miss.target) if k >= 0]


def _worst(learned: LearnedMap, what: str, found: list[Miss]) -> str:
    """The worst, and how many are beyond what chance makes of so many comparisons."""
    n_compared = len(found) if what == "means" else _n_pairs(learned)
    by_chance = -float(ndtri(0.025 / n_compared))
    beyond = sum(abs(miss.z) > by_chance for miss in found)
    if abs(found[0].z) < 0.005 or np.isnan(found[0].z):
        return f"all {n_compared:,} are those of the data"
    told = "; ".join(_told(learned, miss) for miss in found[: max(1, min(beyond, MOST_TOLD))])
    verdict = (
        f"{beyond:,} of {n_compared:,} beyond chance" if beyond else f"none of {n_compared:,} is beyond chance"
    ) + f" (|z| above {by_chance:.1f})"
    return printable(f"{verdict}: {'' if beyond else 'at most '}{told}")


def _told(learned: LearnedMap, miss: Miss) -> str:
    named = " - ".join(_names(learned, miss))
    return f"{named} {miss.data:+.3f} in the data, {miss.model:+.3f} in the model, z {miss.z:+.1f}"


def _no_room(blocked: tuple[Blocked, ...]) -> str:
    told = "; ".join(_gain(pair) for pair in blocked[:MOST_TOLD])
    more = f"; blocked.csv has the best {len(blocked)}" if len(blocked) > 1 else "; see blocked.csv"
    return printable(told + more)


def _gain(pair: Blocked) -> str:
    ends = f"the field of {pair.source}" if pair.target == FIELD else f"{pair.source} - {pair.target}"
    exact = "at least" if np.isnan(pair.exact) else f"{pair.exact:.3g} nats per row after a refit, guaranteed"
    return f"{ends} would gain {exact} {pair.gain:.3g}" + (" nats per row" if np.isnan(pair.exact) else "")
