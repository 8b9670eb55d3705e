"""What a paper says of how a map was learned, and what it cites."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from isingmap.data.table import counted
from isingmap.learning.learned_map import LearnedMap
from isingmap.printable import printable
from isingmap.report.error_facts import source_of_errors
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
_EBIC = (
    "Foygel, R., & Drton, M. (2010). Extended Bayesian information criteria for Gaussian graphical models. Advances in "
    "Neural Information Processing Systems 23."
)
_MISSING = {
    "drop": "; rows with a missing cell, if any, were left out",
    "minus": "; missing cells, if any, were read as -1",
}
_GRAPHS = {
    "chow-liu": "the tree of the largest likelihood (Chow & Liu, 1968)",
    "tmfg": "the triangulated maximally filtered graph (TMFG; Massara et al., 2016) of {what}",
    "pmfg": "the planar maximally filtered graph (PMFG; Tumminello et al., 2005) of {what}",
}
_CITED = {
    "chow-liu": "Chow, C. K., & Liu, C. N. (1968). Approximating discrete probability distributions with dependence "
    "trees. IEEE Transactions on Information Theory 14, 462-467.",
    "tmfg": "Massara, G. P., Di Matteo, T., & Aste, T. (2016). Network filtering for big data: triangulated maximally "
    "filtered graph. Journal of Complex Networks 5, 161-178.",
    "pmfg": "Tumminello, M., Aste, T., Di Matteo, T., & Mantegna, R. N. (2005). A tool for filtering information in "
    "complex systems. PNAS 102, 10421-10426.",
}


def method_facts(learned: LearnedMap) -> Iterator[Fact]:
    """The sentences of a section on methods, and the references."""
    from isingmap import __version__

    sentences = [_data(learned), _model(learned.result), _graph(learned), _estimates(learned, __version__)]
    if learned.model.n_parameters:
        sentences.append(f"Standard errors are {source_of_errors(learned)}.")
    yield text_fact(METHODS, "methods", " ".join(sentences))
    result, cited = learned.result, [PAPER, SOFTWARE.format(version=__version__)]
    if result.search in STEPWISE and result.criterion == "ebic":
        cited.append(_EBIC)
    if result.search in _CITED:
        cited.append(_CITED[result.search])
    yield Fact(METHODS, "cite", cited, "\n".join(cited))


def _data(learned: LearnedMap) -> str:
    moments, spread = learned.moments, learned.spread
    n_variables, rows = counted(len(moments.names), "binary variable"), f"{moments.n_samples:,.10g} rows"
    if spread is not None and spread.is_survey:
        rows = f"{spread.n_rows:,} rows with weights of a survey (effective number {moments.n_samples:,.1f})"
    labels = {(coding.negative, coding.positive) for coding in learned.codings or ()}
    if len(labels) == 1 and labels != {("-1", "1")}:
        ((negative, positive),) = labels
        coded = f"coded -1 ({printable(negative)}) and +1 ({printable(positive)})"
    else:
        coded = "coded -1 and +1"
    missing = _MISSING.get(str(learned.settings.get("missing")), "")
    return f"A pairwise Ising model of {n_variables}, {coded}, was learned from {rows}{missing}."


def _model(result: SearchResult) -> str:
    n_edges, n_fields = counted(result.model.n_edges, "coupling"), counted(int(result.model.free_fields.sum()), "field")
    if result.search == GIVEN:
        return f"It has {n_edges} and {n_fields}."
    family = FAMILIES[result.family].meaning
    dropped = "; fields that did not pay were dropped in the end" if result.fields == "paying" else ""
    best = f", the best of {len(result.families)} by {_name(result.compared_by)}" if result.families else ""
    return f"Its family is {result.family} ({family}{dropped}){best}; it has {n_edges} and {n_fields}."


def _graph(learned: LearnedMap) -> str:
    result = learned.result
    if result.search == GIVEN:
        return "The graph was given."
    if result.search not in STEPWISE:
        what = "the absolute correlations" if FAMILIES[result.family].every_field else "the absolute moments"
        graph = _GRAPHS.get(result.search)
        return f"The graph is {graph.format(what=what)}." if graph else "The graph has no edges."
    criterion = f"EBIC with gamma = {result.gamma:g}" if result.criterion == "ebic" else _name(result.criterion)
    if CRITERIA[result.criterion].fills_the_plane:
        criterion = "the likelihood alone, with as many edges as there is room for"
    unfinished = "; the search was interrupted" if result.was_interrupted else ""
    return (
        f"The graph was chosen by a {result.search} search under {criterion}{_chosen(learned)}{_limits(learned)}"
        f"{unfinished}."
    )


def _name(criterion: str) -> str:
    return "the likelihood" if CRITERIA[criterion].fills_the_plane else criterion.upper()


def _chosen(learned: LearnedMap) -> str:
    """What held-out rows decided."""
    selection = learned.selection
    if selection is None:
        return ""
    several = len({entry.family for entry in selection.tried}) > 1
    what = "family, criterion and gamma" if several else "criterion and gamma"
    return f"; {what} were chosen by {selection.n_folds}-fold cross-validation, by the rule of one standard error"


def _limits(learned: LearnedMap) -> str:
    """What was asked of the graph besides."""
    settings: dict[str, Any] = dict(learned.settings)
    limits = []
    if settings.get("required_edges") is not None:
        limits.append(f"{counted(len(settings['required_edges']), 'edge')} required")
    if settings.get("required_fields") is not None:
        limits.append(f"{counted(len(settings['required_fields']), 'field')} required")
    if settings.get("n_edges") is not None:
        limits.append(f"at most {counted(settings['n_edges'], 'edge')}")
    if settings.get("min_gain") is not None:
        limits.append(f"each with a gain of at least {settings['min_gain']:g} nats per row")
    if settings.get("max_width") is not None:
        limits.append(f"width of the graph at most {settings['max_width']}")
    return f" ({', '.join(limits)})" if limits else ""


def _estimates(learned: LearnedMap, version: str) -> str:
    result, model = learned.result, learned.model
    whose = "Couplings and fields" if model.free_fields.any() else "Couplings"
    if learned.em is not None:
        kind = "maximum-likelihood estimates by the EM algorithm, which uses the known cells of every row"
    elif result.is_composite:
        kind = "estimates by composite likelihood, each pair of variables on the rows in which both are known"
    else:
        kind = "maximum-likelihood estimates"
    if result.prior:
        added = f"{result.prior:g} pseudo-observation{'' if result.prior == 1 else 's'}"
        kind += f", with {added} spread evenly over all configurations as a prior"
    exact = f"all likelihoods were computed exactly, with isingmap {version}"
    told = f"{whose} are {kind}; {exact}" if model.n_parameters else f"Nothing was estimated; {exact}"
    return f"{told}, which implements and extends the method of Johnson, Netrapalli and Chertkov (2011)."
