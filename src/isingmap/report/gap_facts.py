"""Facts of missing cells: how many in which column, and what rows that lack one have elsewhere."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from isingmap.data.missingness import STRONG, Relation
from isingmap.data.table import counted
from isingmap.learning.learned_map import LearnedMap
from isingmap.printable import printable
from isingmap.report.facts import MOST_SHOWN, Fact

GAPS = "Missing cells"
_RELATIONS_TOLD = 3


def gap_facts(learned: LearnedMap) -> Iterator[Fact]:
    """Missing cells by column, and against the other columns."""
    gaps = learned.gaps
    if gaps is None:
        return
    order = [k for k in np.argsort(-gaps.missing, kind="stable").tolist() if gaps.missing[k] > 0]
    told = [
        f"{printable(gaps.names[k])} {gaps.missing[k]:,.10g} ({100 * gaps.missing[k] / gaps.n_samples:.1f} %)"
        for k in order[:MOST_SHOWN]
    ]
    more = f"; and {counted(len(order) - MOST_SHOWN, 'more column')}" if len(order) > MOST_SHOWN else ""
    yield Fact(GAPS, "by column", {gaps.names[k]: float(gaps.missing[k]) for k in order}, "; ".join(told) + more)
    if gaps.relations:
        value = [_record(gaps.names, relation) for relation in gaps.relations[:_RELATIONS_TOLD]]
        yield Fact(GAPS, "at random", value, _relations(learned))


def _record(names: tuple[str, ...], relation: Relation) -> dict:
    return {
        "column": names[relation.column],
        "other": names[relation.other],
        "mean_missing": relation.mean_lacking,
        "mean_known": relation.mean_having,
        "p_adjusted": relation.adjusted,
    }


def _relations(learned: LearnedMap) -> str:
    gaps = learned.gaps
    assert gaps is not None
    strong = gaps.strong
    compared = (
        f"{counted(gaps.n_compared, 'comparison')} of another column's mean where a cell is missing and elsewhere"
        + (", clusters counting as so many rows as they are worth" if gaps.by_cluster else "")
    )
    if not strong:
        largest = gaps.told(gaps.relations[0])
        return f"{compared}: none beyond chance (adjusted p below {STRONG:g}); most of all {largest}. See missing.csv"
    told = "; ".join(gaps.told(relation) for relation in strong[:_RELATIONS_TOLD])
    beyond = f"{len(strong):,}" if len(strong) < len(gaps.relations) else f"at least {len(strong):,}"
    return f"{compared}: {beyond} beyond chance (adjusted p below {STRONG:g}): {told}. See missing.csv"
