"""Facts of a map that was fitted again to resampled rows: which of its edges can be relied on."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from isingmap.data.table import counted
from isingmap.learning.learned_map import LearnedMap
from isingmap.printable import printable
from isingmap.report.facts import Fact, text_fact
from isingmap.report.text import some
from isingmap.resampling.options import CASE_DROPPING, KINDS, M_OUT_OF_N
from isingmap.resampling.stability import Stability
from isingmap.structure.result import GIVEN

STABILITY = "Stability"
OFTEN, NEARLY_ALWAYS = 0.5, 0.9
MOST_FALSE = 1.0
_SHOWN = 3


def stability_facts(learned: LearnedMap) -> Iterator[Fact]:
    """All of them; none where nothing was resampled."""
    found = learned.stability
    if found is None:
        return
    yield Fact(STABILITY, "resamples", found.n_fitted, _resamples(found))
    yield from _what_failed(found)
    if found.settings.kind == CASE_DROPPING:
        yield from _cases(found)
        return
    if learned.result.search != GIVEN:
        common = {"fit": len(found.edges), "refit": found.edges_per_refit, "in_common": found.in_common_with_fit}
        yield Fact(STABILITY, "edges", common, _edges(found))
        yield from _frequencies(found)
        yield from _selected(found)
    yield text_fact(STABILITY, "intervals", _intervals(found))


def _resamples(found: Stability) -> str:
    kind, last = found.settings.kind, found.outcomes[-1].number
    share = f" ({found.settings.share:g} of the rows)" if kind == M_OUT_OF_N else ""
    numbers = f"numbers {found.outcomes[0].number} to {last}, seed {found.seed}"
    text = f"{found.n_fitted:,} refits with the same settings, {kind}{share}: {KINDS[kind]}; {numbers}"
    if found.interrupted:
        text += f"; interrupted, {found.settings.n_resamples:,} were wanted"
    return text


def _what_failed(found: Stability) -> Iterator[Fact]:
    for name, numbers in found.constant.items():
        text = f"{printable(name)} has a single value in {_numbered(numbers)}; there it has no edge"
        yield Fact(STABILITY, "constant column", {"name": name, "resamples": list(numbers)}, text)
    if found.failures:
        shown = [f"resample {number}: {why}" for number, why in found.failures.items()]
        more = f"; and {len(shown) - _SHOWN:,} more" if len(shown) > _SHOWN else ""
        text = f"{len(shown):,}, left out of every share. {'; '.join(shown[:_SHOWN])}{more}"
        yield Fact(STABILITY, "without a fit", dict(found.failures), printable(text))


def _numbered(numbers: tuple[int, ...]) -> str:
    if len(numbers) == 1:
        return f"resample {numbers[0]}"
    return f"{len(numbers):,} resamples ({some(numbers, 5)})"


def _edges(found: Stability) -> str:
    return (
        f"{len(found.edges):,} in the fit, {found.edges_per_refit:.1f} in a refit in the mean; a refit has "
        f"{found.in_common_with_fit:.1f} in common with the fit, two refits {found.in_common:.1f} with each other"
    )


def _frequencies(found: Stability) -> Iterator[Fact]:
    frequency, edge = found.frequency, found.is_edge
    always, often = (int((frequency[edge] >= share).sum()) for share in (NEARLY_ALWAYS, OFTEN))
    if edge.any():
        text = (
            f"of the {counted(int(edge.sum()), 'edge')} of the fit {always:,} in at least {NEARLY_ALWAYS:.0%} of the "
            f"refits, {often:,} in at least half"
        )
        yield Fact(STABILITY, "frequency", [always, often], text)
    for label, which, rank in (
        ("seldom again", edge & (frequency < OFTEN), frequency),
        ("often, but no edge", ~edge & (frequency >= OFTEN), -frequency),
    ):
        pairs = np.flatnonzero(which)
        pairs = pairs[np.argsort(rank[pairs], kind="stable")]
        if len(pairs):
            names = [found.pair_names[k] for k in pairs.tolist()]
            shares = frequency[pairs].tolist()
            shown = [f"{one} - {other} {share:.0%}" for (one, other), share in zip(names, shares, strict=True)]
            yield Fact(STABILITY, label, [list(pair) for pair in names], f"{len(pairs):,}: {some(shown, 6)}")


def _selected(found: Stability) -> Iterator[Fact]:
    limit = found.threshold(MOST_FALSE)
    premise = "a rule of thumb here, proved for kind=m-out-of-n"
    if found.settings.kind == M_OUT_OF_N and found.settings.share == OFTEN:
        premise = "Shah and Samworth 2013"
    if not limit <= 1:
        text = (
            f"no frequency keeps the false edges expected below {MOST_FALSE:g} ({premise}): a refit has too many edges "
            "for so few pairs"
        )
        yield Fact(STABILITY, "selection", {"threshold": None, "edges": None}, text)
        return
    chosen = found.stable(MOST_FALSE)
    text = (
        f"{counted(int(chosen.sum()), 'pair')} in at least {limit:.1%} of the refits; at most {MOST_FALSE:g} false one "
        f"expected among them ({premise})"
    )
    names = [list(found.pair_names[k]) for k in np.flatnonzero(chosen).tolist()]
    yield Fact(STABILITY, "selection", {"threshold": limit, "edges": names}, text)


def _intervals(found: Stability) -> str:
    text = "stability.csv has 95 % percentile intervals of all pairs; a refit without the edge counts as coupling 0"
    if found.settings.kind == M_OUT_OF_N and found.settings.share != OFTEN:
        text += ", and distances to the fit are scaled by sqrt(m / (n - m))"
    return text


def _cases(found: Stability) -> Iterator[Fact]:
    couplings, strengths = found.correlation_stability
    text = (
        f"{couplings:.0%} of the rows can be dropped, and in 95 % of the refits the couplings of all pairs still "
        f"correlate by 0.7 with those of the fit; sums of |couplings| at each variable: {strengths:.0%}. It should be "
        "above 25 %, better 50 % (Epskamp, Borsboom and Fried 2018). case_dropping.csv has all steps"
    )
    yield Fact(STABILITY, "correlation", {"couplings": couplings, "strengths": strengths}, text)
