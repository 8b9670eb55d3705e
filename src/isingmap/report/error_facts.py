"""Facts on how sure the numbers are: where standard errors come from, and what intervals leave out."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from isingmap.data.table import counted
from isingmap.learning.learned_map import LearnedMap
from isingmap.printable import printable
from isingmap.report.facts import Fact, text_fact
from isingmap.structure.edge_losses import MOST_EDGES
from isingmap.structure.result import GIVEN
from isingmap.uncertainty.intervals import FEW_ROWS


def error_facts(learned: LearnedMap, section: str) -> Iterator[Fact]:
    """What to know of standard errors and intervals."""
    if learned.result.search == GIVEN:
        errors = "for the graph as it was given, as long as it was not chosen with the same data"
    else:
        errors = "for the graph as it is; they ignore that it was chosen with the same data"
    yield text_fact(section, "standard errors", f"{source_of_errors(learned)}; {errors}")
    if learned.model.n_edges:
        yield text_fact(section, "intervals", _intervals(learned))
        yield from _empty_cells(learned, section)
        yield from _weakest_edge(learned, section)


def _empty_cells(learned: LearnedMap, section: str) -> Iterator[Fact]:
    """Why edges lack a standard error or a test."""
    no_error, no_loss = np.isnan(learned.coupling_errors), np.isnan(learned.edge_losses)
    no_test = np.isnan(learned.edge_tests.statistic) & ~no_loss
    clustered = learned.spread is not None and learned.spread.by_cluster
    untested = (
        f"more than {MOST_EDGES} edges and fields hang together there, and it would take minutes, or doubles cannot "
        "fit what is left without the edge"
    )
    if learned.tests_interrupted:
        untested = "Ctrl-C came before they were tested"
    alike = "the clusters do not differ in what it rests on" if clustered else "double precision cannot tell it"
    reasons = (
        ("se", no_error, alike),
        ("loss, lr and p_value", no_loss, untested),
        ("lr and p_value", no_test, "there is no robust error to scale the test by; loss is that of independent rows"),
    )  # fmt: skip
    told = [
        f"{columns} of {counted(int(which.sum()), 'edge')}: {why}" for columns, which, why in reasons if which.any()
    ]
    if told:
        counts = {columns: int(which.sum()) for columns, which, _ in reasons}
        yield Fact(section, "empty cells", counts, f"in edges.csv, {'; '.join(told)}")


def _weakest_edge(learned: LearnedMap, section: str) -> Iterator[Fact]:
    """The edge of the largest p-value."""
    tests = learned.edge_tests
    if np.isnan(tests.p_value).all():
        if learned.em is not None and not learned.tests_interrupted:
            text = "not computed: refits without each edge would take minutes with so many missing cells"
            yield text_fact(section, "tests of edges", text)
        return
    k = int(np.nanargmax(tests.p_value))
    (source, target), p_value = learned.model.edge_names[k], float(tests.p_value[k])
    value = {"source": source, "target": target, "lr": float(tests.statistic[k]), "p_value": p_value}
    text = f"{source} - {target}: likelihood ratio {tests.statistic[k]:.2f}, p = {p_value:.2g}; edges.csv has all tests"
    yield Fact(section, "least certain", value, printable(text))


def source_of_errors(learned: LearnedMap) -> str:
    """Where they come from: what follows "standard errors are"."""
    spread = learned.spread
    if learned.em is not None:
        return "from the observed information (Louis: complete information less that of the missing cells), exact"
    if spread is None and learned.overlap is None:
        return "from the Fisher information, exact if the model is right"
    if spread is None:
        return "from the Fisher information and the rows that pairs share"
    if not spread.by_cluster:
        kind = " weighted" if spread.is_survey else ""
        return f"robust (sandwich), from {counted(spread.n_rows, f'{kind} row'.strip())}"
    return (
        f"robust (sandwich), from {spread.n_units:,.0f} clusters of rows, with Student's t of "
        f"{counted(int(spread.n_units) - 1, 'degree')} of freedom for intervals and p-values"
    )


def kind_of_intervals(learned: LearnedMap) -> str:
    """How the ends of the couplings' intervals were found."""
    by_profile, n_edges = int(learned.coupling_intervals.by_profile.sum()), learned.model.n_edges
    return {0: "by standard errors (Wald)", n_edges: "by profile likelihood"}.get(
        by_profile,
        f"by standard errors (Wald); of {by_profile} of {n_edges} edges by profile likelihood, because a cell of the "
        f"pair's table holds fewer than {FEW_ROWS:g} rows",
    )


def _intervals(learned: LearnedMap) -> str:
    found, how = learned.coupling_intervals, kind_of_intervals(learned)
    lost = int((np.isnan(found.lower) | np.isnan(found.upper)).sum())
    if learned.em is not None:
        how += "; with missing cells profiles are not computed"
    text = f"95 %, {how}"
    if lost:
        text += f"; {counted(lost, 'edge')} {'lacks' if lost == 1 else 'lack'} an end that could be computed"
    if learned.result.search == GIVEN:
        return text
    return (
        f"{text}. Given the graph: of edges that were found with the same rows they cover the true coupling in 90 to "
        "96 % of cases (simulated; 87 % where an edge just paid). For intervals and tests that know nothing of the "
        "choice, learn the graph from one half of the rows and fit the other half with it (graph=, --graph on the "
        "command line). How often each edge is found again says isingmap stability"
    )
