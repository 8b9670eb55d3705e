"""Facts of a comparison of two groups, in words."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import cast

import numpy as np

from isingmap.comparing.comparison import CLUSTERS, PAIRS, ROWS, Comparison, GroupTest
from isingmap.data.table import FIELD, counted
from isingmap.learning.learned_map import LearnedMap
from isingmap.option import given
from isingmap.printable import printable
from isingmap.report.comparison_methods import comparison_method_facts
from isingmap.report.facts import CODE, Fact, text_fact
from isingmap.report.fit_facts import CARE, REPEAT, coding_facts, libraries, settings_text
from isingmap.report.method_facts import rows_in_words
from isingmap.report.text import distinct, shortened, some
from isingmap.structure.options import RESTARTED

GROUPS, TESTS, EDGES, READING = "Groups", "Tests", "Edges that differ most", "Reading it"
LEVEL = 0.05
NOT_COMPARED = "left out of a map: no finite coupling"  # in legends
# Of a pair that a search left out, by the groups where it did.
MEANINGLESS = "in {} this pair has no finite coupling, and 0 stands for it: the difference means nothing"
_SHOWN, _FAILURES_SHOWN = 8, 3
_UNITS = {ROWS: "rows", CLUSTERS: "whole clusters of rows", PAIRS: "clusters that are in both groups, which swap sides"}


def comparison_facts(
    found: Comparison, *, command: str = "", source: tuple[str, str] | None = None, warnings: Sequence[str] = ()
) -> Iterator[Fact]:
    """Everything there is to say of a comparison."""
    yield from _groups(found)
    yield from _permuted(found)
    yield from _tests(found)
    yield from _edges(found)
    yield from _infinite(found, command)
    yield from (text_fact(CARE, "warning", text) for text in warnings)
    yield from _reading(found)
    yield from comparison_method_facts(found)
    yield from _repeat(found, command, source)


def _groups(found: Comparison) -> Iterator[Fact]:
    for label, learned, strength in zip(found.labels, found.maps, found.strengths, strict=True):
        model, n_rows = learned.model, learned.moments.n_samples
        value = {"rows": n_rows, "edges": model.n_edges, "strength": strength}
        text = (
            f"{rows_in_words(learned)}; {counted(model.n_edges, 'edge')} and "
            f"{counted(int(model.free_fields.sum()), 'field')}, global strength (sum of |couplings|) {strength:.3f}"
        )
        yield Fact(GROUPS, shortened(printable(label), 18), value, text)
    yield text_fact(GROUPS, "variables", f"{len(found.names):,}: {some(found.names)}")
    yield from coding_facts(found.maps[0], GROUPS, "variables.csv")


def _permuted(found: Comparison) -> Iterator[Fact]:
    asked = found.settings.n_permutations
    text = (
        f"{found.n_permutations:,} of {_UNITS[found.unit]} (seed {found.seed}), with a search in both groups each time"
    )
    if found.interrupted:
        text += f"; interrupted, {asked:,} were wanted"
    if (least := 1 / (1 + found.n_permutations)) > LEVEL:
        text += f"; so few that no p can get below {least:.2g}"
    yield Fact(TESTS, "permutations", found.n_permutations, text)
    for name, numbers in found.constant.items():
        where = counted(len(numbers), "permutation")
        text = f"{printable(name)} has a single value in a group of {where}; there it has no edge"
        yield Fact(TESTS, "constant column", {"name": name, "permutations": list(numbers)}, text)
    if found.failures:
        shown = [f"permutation {number}: {why}" for number, why in sorted(found.failures.items())]
        more = f"; and {len(shown) - _FAILURES_SHOWN:,} more" if len(shown) > _FAILURES_SHOWN else ""
        text = f"{len(shown):,}, left out of all tests. {'; '.join(shown[:_FAILURES_SHOWN])}{more}"
        yield Fact(TESTS, "without a fit", {str(k): why for k, why in found.failures.items()}, printable(text))


def _tests(found: Comparison) -> Iterator[Fact]:
    first, second = found.strengths
    yield _structure(found)
    yield _test(
        "global strength", found.strength, f"{first:.3f} against {second:.3f}, difference", without=_counted_as_0(found)
    )
    together = found.together.model
    what = f"one map for all rows ({counted(together.n_edges, 'edge')}) against two, 2 log likelihood ratio"
    composite = "; composite, because cells are missing" if found.together.result.is_composite else ""
    yield _test("likelihood ratio", found.likelihood_ratio, what, composite)
    if found.degrees_of_freedom is not None:
        p_value = found.asymptotic_p_value
        value = {"degrees_of_freedom": found.degrees_of_freedom, "p_value": p_value}
        degrees = counted(found.degrees_of_freedom, "degree")
        text = f"p = {p_value:.2g} with {degrees} of freedom, because the graph was given"
        yield Fact(TESTS, "chi-square", value, text)


def _structure(found: Comparison) -> Fact:
    pair = widest(found.difference, found.pair_names)
    without = left_out_pairs(found).get(frozenset(pair), [])
    test = _test(
        "structure",
        found.structure,
        f"largest difference of a coupling ({_pair(pair)})",
        without=MEANINGLESS.format(" and ".join(map(printable, without))) if without else "",
    )
    value = {**cast(dict, test.value), "source": pair[0], "target": pair[1], "left_out_of": without}
    return replace(test, value=value)


def _pair(pair: Sequence[str]) -> str:
    return " - ".join(distinct(map(printable, pair), 30))


def widest(difference: np.ndarray, pairs: Sequence[tuple[str, str]]) -> tuple[str, str]:
    """The pair that differs most; of several the first by name."""
    most = np.abs(difference)
    return min((pairs[k] for k in np.flatnonzero(most == most.max()).tolist()), key=sorted)


def _counted_as_0(found: Comparison) -> str:
    n_pairs = len(left_out_pairs(found))
    return f"{counted(n_pairs, 'pair')} without a finite coupling in a group counted as 0 there" if n_pairs else ""


def _test(label: str, test: GroupTest, what: str, more: str = "", *, without: str = "") -> Fact:
    value = {"value": test.value, "expected": _known(test.expected), "p_value": test.p_value}
    by_chance = "" if math.isnan(test.expected) else f", {test.expected:.3f} by chance"
    without = f". Care: {without}" if without else ""
    return Fact(TESTS, label, value, f"{what} {test.value:.3f}{by_chance}; p = {test.p_value:.3g}{more}{without}")


def _known(number: float) -> float | None:
    return None if math.isnan(number) else number


def by_p_value(found: Comparison) -> np.ndarray:
    """Numbers of the pairs, those that differ most surely first."""
    return np.lexsort((-np.abs(found.difference), found.edge_p_values))


def _edges(found: Comparison) -> Iterator[Fact]:
    p_values, holm = found.edge_p_values, found.holm_p_values
    sure, corrected, tested = int((p_values < LEVEL).sum()), int((holm < LEVEL).sum()), int(found.is_tested.sum())
    text = (
        f"{sure:,} of {counted(tested, 'pair')} with p < {LEVEL:g}, of which chance alone gives up to "
        f"{LEVEL * tested:.1f}; {corrected:,} with p < {LEVEL:g} after Holm's correction"
    )
    least = tested / (1 + found.n_permutations)
    if least > LEVEL:
        needed = math.ceil(tested / LEVEL)
        text += (
            f" (with so many pairs that takes {needed:,} permutations or more: with {found.n_permutations:,} no "
            f"corrected p can get below {min(least, 1.0):.2g})"
        )
    yield Fact(TESTS, "edges", {"tested": tested, "below_level": sure, "below_level_holm": corrected}, text)
    names, left_out = distinct(map(printable, found.names), 30), left_out_pairs(found)
    for k in by_p_value(found)[:_SHOWN].tolist():
        if found.difference[k] == 0:
            break
        i, j = found.pairs[k].tolist()
        first, second = found.couplings[k].tolist()
        value = {"source": found.names[i], "target": found.names[j], "first": first, "second": second,
                 "p_value": float(p_values[k]), "p_holm": float(holm[k])}  # fmt: skip
        numbers = f"{first:+.3f} and {second:+.3f}, p = {p_values[k]:.3g}, Holm {holm[k]:.3g}"
        without = left_out.get(frozenset((found.names[i], found.names[j])))
        if without:
            numbers += f"; left out of {' and '.join(map(printable, without))}: infinite or too strong there"
        yield Fact(EDGES, "", value, f"{names[i]} - {names[j]}: {numbers}")


def left_out_pairs(found: Comparison) -> dict[frozenset[str], list[str]]:
    """Pairs that would be infinite or too strong, and the groups whose map lacks them: 0 is no estimate there."""
    groups: dict[frozenset[str], list[str]] = {}
    for label, learned in zip(found.labels, found.maps, strict=True):
        for pair in dict.fromkeys(map(frozenset, _without_estimate(learned))):
            groups.setdefault(pair, []).append(label)
    return groups


def _infinite(found: Comparison, command: str) -> Iterator[Fact]:
    """Pairs that a search had to leave out, where a difference is none between two estimates."""
    for label, learned in zip(found.labels, found.maps, strict=True):
        pairs = _without_estimate(learned)
        if pairs:
            shown = some([f"{source} - {target}" for source, target in pairs], 6)
            text = (
                f"{counted(len(pairs), 'coupling')} would be infinite or too strong in {printable(label)} and "
                f"{'counts' if len(pairs) == 1 else 'count'} as 0 ({shown}), so that size and sign of such a "
                "difference mean nothing"
            )
            if learned.result.prior is None:
                prior = "--prior 1" if command else "prior=1"
                text += f"; with {prior} all are finite, and searches take those that pay"
            yield Fact(CARE, "left out", {"group": label, "pairs": [list(pair) for pair in pairs]}, text)


def _without_estimate(learned: LearnedMap) -> list[tuple[str, str]]:
    return [(one.source, one.target) for one in learned.result.excluded if one.target != FIELD]


def _reading(found: Comparison) -> Iterator[Fact]:
    yield text_fact(
        READING,
        "p",
        "the share of permutations, this one counted with them, in which the groups differ as much: structure by the "
        "coupling that differs most, strength by the sum of all. The likelihood ratio is about the whole models, their "
        "fields too: it is large also where groups differ in their means alone. Each search pays for its edges, so "
        "two maps need not have all that one for all rows has, and it can be negative",
    )
    if found.together.result.search in RESTARTED and not found.together.result.n_restarts:
        yield text_fact(
            READING,
            "searches",
            "without restarts, those of both maps as those of the permutations, so that all are alike",
        )
    yield text_fact(
        READING,
        "an edge",
        "that is in one map and not in the other says little on its own: the search may have taken its neighbour. Read "
        "its p-value",
    )


def _repeat(found: Comparison, command: str, source: tuple[str, str] | None) -> Iterator[Fact]:
    from isingmap import __version__

    yield text_fact(REPEAT, "version", f"isingmap {__version__}")
    yield text_fact(REPEAT, "libraries", libraries())
    digests = [learned.moments.digest for learned in found.maps]
    of_groups = [f"{printable(label)} {digest}" for label, digest in zip(found.labels, digests, strict=True)]
    text = f"SHA-256 of the names, means and pairs, in any order of rows: {'; '.join(of_groups)}"
    yield Fact(REPEAT, "data", digests, text)
    if command:
        yield text_fact(REPEAT, "command", command)
    if source is not None:
        module, calls = source
        yield text_fact(REPEAT, "import", f"from {module} import {calls.partition('(')[0]}")
        options = [f"{name}={value!r}" for name, value in given(found.settings).items() if name != "n_jobs"]
        settings = {**found.maps[0].settings, "random_state": found.seed}
        arguments = ", ".join(
            [calls, settings_text(replace(found.maps[0], settings=settings)), f"labels={found.labels!r}", *options]
        )
        yield text_fact(REPEAT, CODE, f"compare({arguments})")
