"""What a paper says of how a map was learned, and what it cites."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from isingmap.data.table import FIELD, counted
from isingmap.learning.learned_map import LearnedMap
from isingmap.learning.learned_rows import LearnedRows
from isingmap.printable import printable
from isingmap.report.error_facts import kind_of_intervals, source_of_errors
from isingmap.report.facts import Fact, text_fact
from isingmap.report.stability_facts import MOST_FALSE
from isingmap.report.text import some
from isingmap.resampling.options import CASE_DROPPING, M_OUT_OF_N
from isingmap.resampling.stability import Stability
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
_SHAH_SAMWORTH = (
    "Shah, R. D., & Samworth, R. J. (2013). Variable selection with error control: another look at stability "
    "selection. Journal of the Royal Statistical Society B 75, 55-80."
)
_CASE_DROPPING = (
    "Epskamp, S., Borsboom, D., & Fried, E. I. (2018). Estimating psychological networks and their accuracy. Behavior "
    "Research Methods 50, 195-212."
)
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

    result = learned.result
    sentences = [_data(learned), *columns_left_out(learned.rows), _model(result), graph_in_words(learned)]
    sentences += [*passed_over(result), estimates_in_words(learned, __version__)]
    sentences += [*_certainty(learned), *_again(learned)]
    yield text_fact(METHODS, "methods", " ".join(sentences))
    yield citations(cited_for(learned))


def citations(cited: list[str]) -> Fact:
    """References, each a paragraph."""
    return Fact(METHODS, "cite", cited, "\n".join(cited))


def cited_for(learned: LearnedMap) -> list[str]:
    """The references of what was used."""
    from isingmap import __version__

    result, cited = learned.result, [PAPER, SOFTWARE.format(version=__version__)]
    if result.search in STEPWISE and result.criterion == "ebic":
        cited.append(_EBIC)
    if result.search in _CITED:
        cited.append(_CITED[result.search])
    if learned.stability is not None:
        kind = learned.stability.settings.kind
        cited += {M_OUT_OF_N: [_SHAH_SAMWORTH], CASE_DROPPING: [_CASE_DROPPING]}.get(kind, [])
    return cited


def _data(learned: LearnedMap) -> str:
    moments = learned.moments
    n_variables, rows = counted(len(moments.names), "binary variable"), rows_in_words(learned)
    coded, missing = coding_in_words(learned), missing_in_words(learned)
    return f"A pairwise Ising model of {n_variables}, {coded}, was learned from {rows}{missing}."


def coding_in_words(learned: LearnedMap) -> str:
    """What -1 and +1 stand for, where all columns have the same labels."""
    labels = {(coding.negative, coding.positive) for coding in learned.codings or ()}
    if len(labels) == 1 and labels != {("-1", "1")}:
        ((negative, positive),) = labels
        return f"coded -1 ({printable(negative)}) and +1 ({printable(positive)})"
    return "coded -1 and +1"


def rows_in_words(learned: LearnedMap) -> str:
    """How many rows there are, and what they weigh."""
    spread, rows, total = learned.spread, learned.rows, learned.moments.n_samples
    if spread is not None and spread.is_survey:
        return f"{spread.n_rows:,} rows with weights of a survey (effective number {total:,.1f})"
    if rows is None or not rows.are_weighted:
        return ("given moments of " if rows is None else "") + f"{total:,.10g} row{'' if total == 1 else 's'}"
    if rows.are_whole:
        given = "" if rows.n_rows is None else f" as {counted(rows.n_rows, 'row')}"
        return f"{total:,.10g} observations, given{given} with frequency weights"
    if rows.n_rows is None:
        return f"rows whose frequency weights sum to {total:,.10g}"
    return f"{counted(rows.n_rows, 'row')} with frequency weights that sum to {total:,.10g}"


def missing_in_words(learned: LearnedMap) -> str:
    """What became of missing cells, behind the number of rows."""
    rows = learned.rows
    if rows is None:
        return ""
    treated, told = rows.treated, ""
    if treated.dropped_rows:
        told += f"; {_were(treated.dropped_rows, 'further row')} left out, because a cell was missing"
    if treated.empty_rows:
        told += f"; {_were(treated.empty_rows, 'further row')} left out, because no cell was known"
    if treated.minus_cells:
        told += f"; {_were(treated.minus_cells, 'missing cell')} read as -1"
    if rows.n_missing:
        share = ""
        if rows.n_rows is not None:
            n_cells = rows.n_rows * len(learned.moments.names)
            share = f" ({100 * rows.n_missing / n_cells:.1f} % of all)"
        told += f"; {_were(rows.n_missing, 'cell')} missing{share}"
    return told


def _were(count: int, noun: str) -> str:
    return f"{counted(count, noun)} {'was' if count == 1 else 'were'}"


def columns_left_out(rows: LearnedRows | None) -> Iterator[str]:
    """Columns that there were."""
    names = () if rows is None else rows.treated.constant
    if names:
        yield f"{_were(len(names), 'column')} left out because of a single value ({some(list(names))})."


def passed_over(result: SearchResult) -> Iterator[str]:
    """What the search had to pass over."""
    for too_strong, would in ((False, "would be infinite"), (True, "could not be fitted in double precision")):
        found = [one for one in result.excluded if one.too_strong is too_strong]
        if found:
            what = counted(len(found), "coupling or field", "couplings and fields")
            names = [
                f"{one.source} {FIELD}" if one.target == FIELD else f"{one.source} - {one.target}" for one in found
            ]
            be = "is" if len(found) == 1 else "are"
            yield f"{what} that would pay but {would} {be} not in the model ({some(names)})."


def _model(result: SearchResult) -> str:
    n_edges, n_fields = counted(result.model.n_edges, "coupling"), counted(int(result.model.free_fields.sum()), "field")
    if result.search == GIVEN:
        return f"It has {n_edges} and {n_fields}."
    family = FAMILIES[result.family].meaning
    dropped = "; fields that did not pay were dropped in the end" if result.fields == "paying" else ""
    best = f", the best of {len(result.families)} by {_name(result.compared_by)}" if result.families else ""
    return f"Its family is {result.family} ({family}{dropped}){best}; it has {n_edges} and {n_fields}."


def graph_in_words(learned: LearnedMap) -> str:
    """How the graph was found."""
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
        f"The graph was chosen by a {result.search} search under {criterion}{_restarts(result)}{_chosen(learned)}"
        f"{_limits(learned)}{unfinished}."
    )


def _restarts(result: SearchResult) -> str:
    if not result.n_restarts:
        return ""
    seed = "" if result.seed is None else f" (seed {result.seed})"
    return f", restarted from perturbed graphs until {result.n_restarts} in a row found nothing better{seed}"


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


def estimates_in_words(learned: LearnedMap, version: str) -> str:
    """How couplings and fields were found."""
    result, model = learned.result, learned.model
    whose = "Couplings and fields" if model.free_fields.any() else "Couplings"
    if learned.em is not None:
        kind = (
            "maximum-likelihood estimates by the EM algorithm, which uses the known cells of every row and assumes "
            "that cells are missing at random"
        )
    elif result.is_composite:
        kind = (
            "estimates by composite likelihood, each pair of variables on the rows in which both are known, which "
            "assumes that cells are missing completely at random"
        )
    elif learned.spread is not None and learned.spread.is_survey:
        kind = "weighted pseudo-maximum-likelihood estimates"
    else:
        kind = "maximum-likelihood estimates"
    if result.prior:
        added = f"{result.prior:g} pseudo-observation{'' if result.prior == 1 else 's'}"
        kind += f", with {added} spread evenly over all configurations as a prior"
    exact = f"all likelihoods were computed exactly, with isingmap {version}"
    told = f"{whose} are {kind}; {exact}" if model.n_parameters else f"Nothing was estimated; {exact}"
    return f"{told}, which implements and extends the method of Johnson, Netrapalli and Chertkov (2011)."


def _certainty(learned: LearnedMap) -> Iterator[str]:
    """Standard errors, intervals and tests."""
    if not learned.model.n_parameters:
        return
    yield f"Standard errors are {source_of_errors(learned)}."
    if not learned.model.n_edges:
        return
    tested = "" if np.isnan(learned.edge_tests.p_value).all() else ", p-values of edges from likelihood-ratio tests"
    given_graph = "; both take the graph as given" if tested else "; they take the graph as given"
    yield f"Intervals are 95 % intervals {kind_of_intervals(learned)}{tested}{given_graph}."


def _again(learned: LearnedMap) -> Iterator[str]:
    """Resamples, if there are any."""
    found = learned.stability
    if found is None:
        return
    settings = found.settings
    share = f" ({settings.share:g} of them)" if settings.kind == M_OUT_OF_N else ""
    units = "clusters of rows" if found.n_clusters else "rows"
    yield (
        f"Stability was assessed by {counted(found.n_fitted, 'refit')} with the same settings to {settings.kind} "
        f"resamples of {units}{share}, seed {found.seed}{', without restarts' if _drops_restarts(learned) else ''}."
    )
    yield from _selected(found)


def _drops_restarts(learned: LearnedMap) -> bool:
    """Whether the fit had restarts that resamples have not, because nobody asked for a number of them."""
    return learned.result.n_restarts > 0 and learned.settings.get("n_restarts") is None


def _selected(found: Stability) -> Iterator[str]:
    """The frequency from which on pairs were called stable."""
    if found.settings.kind == CASE_DROPPING:
        if found.n_fitted:
            couplings, strengths = found.correlation_stability
            yield f"The coefficient CS(cor = 0.7) is {couplings:g} for couplings and {strengths:g} for strengths."
        return
    limit = found.threshold(MOST_FALSE)
    if limit <= 1:
        n_stable = counted(int(found.stable(MOST_FALSE).sum()), "pair")
        rule = "by Shah and Samworth (2013)" if found.settings.kind == M_OUT_OF_N else "by a rule of thumb"
        yield (
            f"{n_stable} came back in at least {limit:.1%} of them, among which at most {MOST_FALSE:g} false one is "
            f"expected {rule}."
        )
