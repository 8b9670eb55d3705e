"""What a paper says of how two groups were compared, and what it cites."""

from __future__ import annotations

from collections.abc import Iterator

from isingmap.comparing.comparison import CLUSTERS, PAIRS, ROWS, Comparison
from isingmap.data.table import counted
from isingmap.learning.learned_map import LearnedMap
from isingmap.printable import printable
from isingmap.report.facts import Fact, text_fact
from isingmap.report.method_facts import (
    METHODS,
    citations,
    cited_for,
    coding_in_words,
    columns_left_out,
    estimates_in_words,
    graph_in_words,
    missing_in_words,
    passed_over,
    rows_in_words,
)
from isingmap.structure.families import FAMILIES
from isingmap.structure.result import GIVEN

_COMPARISON_TEST = (
    "van Borkulo, C. D., van Bork, R., Boschloo, L., Kossakowski, J. J., Tio, P., Schoevers, R. A., Borsboom, D., & "
    "Waldorp, L. J. (2023). Comparing network structures on three aspects: a permutation test. Psychological Methods "
    "28, 1273-1285."
)
_DEALT_OUT = {
    ROWS: "rows were dealt out to two groups of the same sizes",
    CLUSTERS: "whole clusters of rows were dealt out to the two groups",
    PAIRS: "clusters, which are in both groups, swapped sides or not",
}


def comparison_method_facts(found: Comparison) -> Iterator[Fact]:
    """The sentences of a section on methods, and the references."""
    from isingmap import __version__

    first = found.maps[0]
    sentences = [_data(found), *columns_left_out(first.rows), *_models(found), graph_in_words(first)]
    for label, learned in zip(found.labels, found.maps, strict=True):
        sentences += [f"In {printable(label)}, {text}" for text in passed_over(learned.result)]
    sentences += [estimates_in_words(first, __version__), _tests(found)]
    yield text_fact(METHODS, "methods", " ".join(sentences))
    yield citations([*cited_for(first), _COMPARISON_TEST])


def _data(found: Comparison) -> str:
    groups = [f"{printable(label)} ({_rows(learned)})" for label, learned in zip(found.labels, found.maps, strict=True)]
    variables = f"{counted(len(found.names), 'binary variable')}, {coding_in_words(found.maps[0])}"
    return f"Two groups, {' and '.join(groups)}, were compared by a pairwise Ising model of {variables}, for each."


def _rows(learned: LearnedMap) -> str:
    return rows_in_words(learned) + missing_in_words(learned)


def _models(found: Comparison) -> Iterator[str]:
    for label, learned in zip(found.labels, found.maps, strict=True):
        model, family = learned.model, learned.result.family
        meaning = f" ({FAMILIES[family].meaning})" if family in FAMILIES and learned is found.maps[0] else ""
        n_edges, n_fields = counted(model.n_edges, "coupling"), counted(int(model.free_fields.sum()), "field")
        yield f"The model of {printable(label)} is {family}{meaning} and has {n_edges} and {n_fields}."


def _tests(found: Comparison) -> str:
    again = "refitted" if found.maps[0].result.search == GIVEN else "learned anew, with the search"
    permuted = f"In {counted(found.n_permutations, 'permutation')} (seed {found.seed})"
    return (
        f"{permuted} {_DEALT_OUT[found.unit]}, and both models {again}; p-values are shares of permutations, the "
        "observed groups counted with them, that differ as much: by the coupling that differs most, by the sum of "
        "|couplings|, by each coupling (also corrected by Holm's method for all pairs that are an edge of any fit), as "
        "in the Network Comparison Test (van Borkulo et al., 2023), and by the likelihood ratio of one model for all "
        "rows against two."
    )
