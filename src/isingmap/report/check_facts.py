"""Facts of a goodness-of-fit check, in words."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np

from isingmap.checking.goodness import GoodnessOfFit
from isingmap.checking.statistics import MOST_SPINS_IN_TRIPLES, held_against
from isingmap.data.table import counted
from isingmap.printable import printable
from isingmap.report.facts import Fact, text_fact

CHECK, WORST, INFORMATION, READING = "Model against table", "What is missed most", "Information", "Reading it"
MOST_TOLD = 5


def check_facts(check: GoodnessOfFit) -> Iterator[Fact]:
    """Everything there is to say of a check."""
    yield from _what_was_done(check)
    for test in check.tests:
        value = {"value": test.value, "simulated_mean": test.expected, "p": test.p}
        yield Fact(
            CHECK, test.name, value, f"{test.value:.4g}; tables from the model {test.expected:.4g}; p = {test.p:.3g}"
        )
    yield from _worst(check)
    yield from _information(check)
    yield from _reading(check)


def _what_was_done(check: GoodnessOfFit) -> Iterator[Fact]:
    missing = f", {counted(check.n_missing, 'missing cell')}" if check.n_missing else ""
    model = check.model
    yield text_fact(
        CHECK,
        "table",
        f"{counted(check.n_rows, 'row')} of {counted(model.n_spins, 'variable')}{missing}; the model has "
        f"{counted(model.n_edges, 'edge')} and {counted(int(model.free_fields.sum()), 'field')}",
    )
    if check.notes:
        yield Fact(CHECK, "note", list(check.notes), "\n".join(map(printable, check.notes)))
    how = (
        "each with its own fit on the same graph"
        if check.is_refitted
        else "held against the model as it is, because it is not the maximum that a refit would find: it was fitted to "
        "other rows, or by EM, or with another rule for missing cells, another prior, other weights or another kind of "
        "weights than were given here"
    )
    failed = (
        f"; in {counted(check.n_failed, 'of them', 'of them')} no fit exists, which are left out"
        if check.n_failed
        else ""
    )
    yield text_fact(
        CHECK,
        "simulated",
        f"{counted(check.n_tables, 'table')} of the same size from the model (seed {check.seed}), {how}{failed}",
    )


def _worst(check: GoodnessOfFit) -> Iterator[Fact]:
    names = [printable(name) for name in check.model.names]
    for miss in held_against(check.misses, check.is_own)[:MOST_TOLD]:
        what = names[miss.source] + ("" if miss.is_mean else f" - {names[miss.target]}")
        value = {"variables": what, "data": miss.data, "model": miss.model, "z": miss.z}
        text = f"{what}: E = {miss.data:.3f} in the table, {miss.model:.3f} in the model, z = {miss.z:+.1f}"
        yield Fact(WORST, "", value, text)
    for k in worst_triples(check)[:MOST_TOLD]:
        triple, z = " - ".join(names[i] for i in check.triples.spins[k].tolist()), float(check.triples.z[k])
        data, expected = float(check.triples.data[k]), float(check.triples.expected[k])
        value = {"variables": triple, "data": data, "simulated_mean": expected, "z": z}
        held = f"{data:+.3f} in the table, {expected:+.3f} in tables from the model"
        text = f"{triple}: third central moment {held}, z = {z:+.1f}"
        yield Fact(WORST, "", value, text)


def worst_triples(check: GoodnessOfFit) -> list[int]:
    """Numbers of the triples, those that are missed most first; without those that chance cannot move."""
    z = np.abs(check.triples.z)
    order = np.argsort(-np.nan_to_num(z, nan=-1.0), kind="stable")
    return order[: int(np.isfinite(z).sum())].tolist()


def _information(check: GoodnessOfFit) -> Iterator[Fact]:
    found = check.captured
    if found is None:
        yield text_fact(INFORMATION, "", "not told: no row of the table is complete")
        return
    yield Fact(
        INFORMATION,
        "of the model",
        {"entropy": found.entropy, "multi_information": found.multi_information},
        f"entropy {found.entropy:.4f} nats, of which the single variables alone would have "
        f"{found.independent_entropy:.4f}: its multi-information is {found.multi_information:.4f}",
    )
    share = math.floor(100 * np.nan_to_num(found.least_share))  # "at least" is not rounded up
    yield Fact(
        INFORMATION,
        "of the table",
        {"log_likelihood": found.log_likelihood, "saturated": found.saturated_log_likelihood},
        f"nats per row on {counted(found.n_rows, 'complete row')} ({found.n_patterns:,} different): "
        f"{found.independent_log_likelihood:.4f} without any edge, {found.log_likelihood:.4f} by the model, and no "
        f"model whatever gets above {found.saturated_log_likelihood:.4f}, that of the table's own frequencies. So the "
        f"model has at least {share} % of what can be gained on these rows",
    )
    more = found.full_pseudo_log_likelihood - found.pseudo_log_likelihood
    yield Fact(
        INFORMATION,
        "all pairs",
        {"pseudo_log_likelihood": found.pseudo_log_likelihood, "full": found.full_pseudo_log_likelihood},
        f"pseudo-likelihood (log P of each variable given all others) {found.pseudo_log_likelihood:.4f} by the model; "
        f"with couplings of all pairs, {found.n_pairs_more:,} more, at most {more:.4f} above it on the same rows, "
        f"where each parameter gains {0.5 / found.n_counted:.2g} by chance alone",
    )


def _reading(check: GoodnessOfFit) -> Iterator[Fact]:
    yield text_fact(
        READING,
        "p",
        f"the share of tables drawn from the model that differ from it at least as much, at least "
        f"{1 / (check.n_tables - check.n_failed + 1):.2g} with so many tables. Small: the table has something that "
        "the model lacks. Not small: this table does not show it. The graph is taken as given, although it was chosen "
        "with data. Of tables that come from their model, pairs have p below 0.1 in 7 to 10 of 100, triples in 2 to 8 "
        "and +1s per row hardly ever: p of those is too large rather than too small",
    )
    given = "given the means that are fitted" if check.is_own else "as the model was not fitted to this table"
    yield text_fact(
        READING,
        "z",
        f"difference in standard errors: for pairs by the model's own variance, exact, {given}; for triples by the "
        "simulated tables",
    )
    if not len(check.triples.spins):
        yield text_fact(READING, "triples", f"looked at up to {MOST_SPINS_IN_TRIPLES} variables")
