"""What a paper says of how a map was learned, and what it cites."""

from __future__ import annotations

from collections.abc import Iterator

from isingmap.data.table import counted
from isingmap.learning.learned_map import LearnedMap
from isingmap.printable import printable
from isingmap.report.facts import Fact, text_fact
from isingmap.structure.criteria import CRITERIA
from isingmap.structure.families import FAMILIES
from isingmap.structure.result import GIVEN, SearchResult
from isingmap.structure.search_methods import STEPWISE

METHODS = "For a paper"
PAPER = (
    "Johnson, J. K., Netrapalli, P., & Chertkov, M. (2011). Learning planar Ising models. Proceedings of the 14th "
    "International Conference on Artificial Intelligence and Statistics (AISTATS)."
)
SOFTWARE = "The isingmap developers. isingmap: planar maps of binary data, version {version}."
_GRAPHS = {
    "chow-liu": "the tree of the largest likelihood (Chow and Liu)",
    "tmfg": "the triangulated maximally filtered graph (TMFG) of the moments",
    "pmfg": "the planar maximally filtered graph (PMFG) of the moments",
}


def method_facts(learned: LearnedMap) -> Iterator[Fact]:
    """The sentences of a section on methods, and the references."""
    from isingmap import __version__

    sentences = [_data(learned), _model(learned.result), _graph(learned), _estimates(learned, __version__)]
    yield text_fact(METHODS, "methods", " ".join(sentences))
    cited = [PAPER, SOFTWARE.format(version=__version__)]
    yield Fact(METHODS, "cite", cited, "\n".join(cited))


def _data(learned: LearnedMap) -> str:
    moments = learned.moments
    n_variables, rows = counted(len(moments.names), "binary variable"), f"{moments.n_samples:,.10g}"
    effective = " effective" if learned.spread is not None and learned.spread.is_survey else ""
    labels = {(coding.negative, coding.positive) for coding in learned.codings or ()}
    if len(labels) == 1 and labels != {("-1", "1")}:
        ((negative, positive),) = labels
        coded = f"coded -1 ({printable(negative)}) and +1 ({printable(positive)})"
    else:
        coded = "coded -1 and +1"
    return f"A pairwise Ising model of {n_variables}, {coded}, was learned from {rows}{effective} rows."


def _model(result: SearchResult) -> str:
    n_edges, n_fields = counted(result.model.n_edges, "coupling"), counted(int(result.model.free_fields.sum()), "field")
    if result.search == GIVEN:
        return f"It has {n_edges} and {n_fields}."
    family = FAMILIES[result.family].meaning
    dropped = "; fields that did not pay were dropped in the end" if result.fields == "paying" else ""
    return f"Its family is {result.family} ({family}{dropped}); it has {n_edges} and {n_fields}."


def _graph(learned: LearnedMap) -> str:
    result = learned.result
    if result.search == GIVEN:
        return "The graph was given."
    if result.search not in STEPWISE:
        return f"The graph is {_GRAPHS[result.search]}." if result.search in _GRAPHS else "The graph has no edges."
    criterion = f"EBIC with gamma = {result.gamma:g}" if result.criterion == "ebic" else result.criterion.upper()
    if CRITERIA[result.criterion].fills_the_plane:
        criterion = "the likelihood alone, with as many edges as there is room for"
    chosen = "; criterion and family were chosen by cross-validation" if learned.selection is not None else ""
    unfinished = "; the search was interrupted" if result.was_interrupted else ""
    return f"The graph was chosen by a {result.search} search under {criterion}{chosen}{unfinished}."


def _estimates(learned: LearnedMap, version: str) -> str:
    result = learned.result
    if learned.em is not None:
        kind = "maximum-likelihood estimates by the EM algorithm, which uses the known cells of every row"
    elif result.is_composite:
        kind = "estimates by composite likelihood, each pair of variables on the rows in which both are known"
    else:
        kind = "maximum-likelihood estimates"
    prior = f", under a prior of {result.prior:g} pseudo-observations" if result.prior else ""
    return (
        f"Couplings and fields are {kind}{prior}; all likelihoods were computed exactly, with isingmap {version}, "
        "which implements and extends the method of Johnson, Netrapalli and Chertkov (2011)."
    )
