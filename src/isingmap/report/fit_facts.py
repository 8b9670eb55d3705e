"""Facts of a learned map: what was learned from what, how well it fits, and what to know before believing it."""

from __future__ import annotations

import platform
from collections import Counter
from collections.abc import Iterator
from dataclasses import asdict
from importlib.metadata import version

import numpy as np
from scipy.special import entr

from isingmap.data.table import counted
from isingmap.learning.learned_map import LearnedMap
from isingmap.likelihood.fit import shrunk
from isingmap.missing_cells.structural import EMFit
from isingmap.option import given
from isingmap.printable import printable
from isingmap.report.error_facts import error_facts
from isingmap.report.facts import CODE, MOST_SHOWN, Fact, convention, strongest_couplings, text_fact
from isingmap.report.gap_facts import gap_facts
from isingmap.report.method_facts import method_facts
from isingmap.report.miss_facts import miss_facts
from isingmap.report.path_facts import path_facts
from isingmap.report.selection_facts import selection_facts
from isingmap.report.stability_facts import stability_facts
from isingmap.report.text import shortened, some
from isingmap.structure.along_path import edges_along
from isingmap.structure.criteria import CRITERIA
from isingmap.structure.families import FAMILIES
from isingmap.structure.result import GIVEN, FamilyFit, SearchResult
from isingmap.structure.search_methods import SEARCHES, STEPWISE

_LIBRARIES = ("numpy", "scipy", "numba")  # on which rounding depends
_MOST_TYPED = 20  # pairs of a graph that are written out among the settings
CODING = "coding"
DATA, MODEL, FAMILIES_COMPARED, FIT, CARE, REPEAT = "Data", "Model", "Families", "Fit", "Care", "To repeat"


def fit_facts(learned: LearnedMap) -> list[Fact]:
    """All facts, in the order of the report."""
    return [
        *_data(learned),
        *gap_facts(learned),
        *_model(learned.result),
        *_compared_families(learned.result),
        *selection_facts(learned.selection),
        *path_facts(learned),
        *_fit(learned),
        *stability_facts(learned),
        *miss_facts(learned),
        *_care(learned),
        *strongest_couplings(learned.model, learned.coupling_errors),
        convention(),
        *method_facts(learned),
        *_repeat(learned),
    ]


def _data(learned: LearnedMap) -> Iterator[Fact]:
    moments = learned.moments
    yield from _rows(learned)
    yield Fact(DATA, "variables", len(moments.names), f"{len(moments.names):,}")
    yield from coding_facts(learned, DATA, "nodes.csv")
    if learned.groups:
        sizes = Counter(learned.groups).most_common()
        yield Fact(DATA, "groups", dict(sizes), some([f"{name or '(none)'} {count}" for name, count in sizes]))
    if learned.notes:
        yield Fact(DATA, "note", list(learned.notes), "\n".join(map(printable, learned.notes)))


def _rows(learned: LearnedMap) -> Iterator[Fact]:
    """How many there are, and for how many they count."""
    n_samples, spread, rows = float(learned.moments.n_samples), learned.spread, learned.rows
    if spread is not None and spread.is_survey:
        text = f"{n_samples:,.1f} effective, of {spread.n_rows:,} with weights of a survey"
        yield Fact(DATA, "rows", n_samples, text)
    elif rows is not None and rows.are_weighted and rows.are_whole:
        given = "" if rows.n_rows is None else f" as {counted(rows.n_rows, 'row')}"
        yield Fact(DATA, "rows", n_samples, f"{n_samples:,.10g}, given{given} with frequency weights")
    elif rows is not None and rows.are_weighted:
        if rows.n_rows is not None:
            yield Fact(DATA, "rows", rows.n_rows, f"{rows.n_rows:,}, with frequency weights")
        yield Fact(DATA, "sum of weights", n_samples, f"{n_samples:,.10g}, which counts as the number of rows")
    else:
        yield Fact(DATA, "rows", n_samples, f"{n_samples:,.10g}")


def coding_facts(learned: LearnedMap, section: str, file: str) -> Iterator[Fact]:
    """One for each pair of labels; `file` is the table that has all of them."""
    names_of: dict[tuple[str, str], list[str]] = {}
    for name, coding in zip(learned.model.names, learned.codings or (), strict=False):
        names_of.setdefault((coding.negative, coding.positive), []).append(name)
    for (negative, positive), names in list(names_of.items())[:MOST_SHOWN]:
        where = "every column" if len(names_of) == 1 else some(names, 6)
        text = f"+1 is {shortened(positive, 30)}, -1 is {shortened(negative, 30)}, in {where}"
        yield Fact(section, CODING, {"negative": negative, "positive": positive, "variables": names}, text)
    if len(names_of) > MOST_SHOWN:
        others = counted(len(names_of) - MOST_SHOWN, "other pair")
        yield text_fact(section, CODING, f"{others} of labels; {file} has those of each variable")


def _model(result: SearchResult) -> Iterator[Fact]:
    n_fields = int(result.model.free_fields.sum())
    ties = f"{counted(result.n_ties, 'step')} had equally good pairs; the first by name was taken"
    yield Fact(MODEL, "family", result.family, f"{result.family}: {_family(result)}")
    yield Fact(MODEL, "criterion", result.criterion, _criterion(result))
    yield Fact(MODEL, "search", result.search, _search(result))
    if result.n_candidates is not None:  # the search did not look at all pairs
        kept = f"the {result.n_candidates:,} largest |moments| of one of their variables (approximation)"
        yield Fact(MODEL, "candidates", result.n_candidates, f"only pairs among {kept}")
    yield Fact(MODEL, "edges", result.model.n_edges, f"{result.model.n_edges:,}{_required(result)}")
    yield Fact(MODEL, "fields", n_fields, f"{n_fields:,}")
    if result.fields == "paying":
        yield Fact(MODEL, "fields dropped", list(result.dropped_fields), _dropped(result))
    yield text_fact(MODEL, "search ended", result.stopped)
    yield Fact(MODEL, "ties", result.n_ties, ties if result.n_ties else "none")
    if result.n_equal > 1:
        text = f"{result.n_equal} graphs of the same best value were met; the first by name was taken"
        yield Fact(MODEL, "equally good graphs", result.n_equal, text)


def _required(result: SearchResult) -> str:
    """How many edges were there before the search began."""
    at_start = int(edges_along(result)[0]) if result.search in STEPWISE else 0
    return f", {at_start:,} of them required, whatever the data say" if at_start else ""


def _family(result: SearchResult) -> str:
    family = FAMILIES[result.family]
    if family.has_fields and not family.every_field and result.search == GIVEN:
        return "the fields were given, like the edges"
    dropped = "; in the end fields that do not pay are dropped" if result.fields == "paying" else ""
    return family.meaning + dropped


def _compared_families(result: SearchResult) -> Iterator[Fact]:
    """A table of all that were tried; JSON has the numbers."""
    if not result.families:
        return
    best = min(fit.value for fit in result.families if fit.was_fitted)
    name = {"maximal": "-2 log L"}.get(result.compared_by, result.compared_by.upper())
    heading = f"{'edges':>6}{'fields':>8}{'log-likelihood':>18}{name:>14}{'difference':>14}"
    yield text_fact(FAMILIES_COMPARED, "family", heading)
    for fit in result.families:
        value = asdict(fit) | {"log_likelihood": _known(fit.log_likelihood), "value": _known(fit.value)}
        yield Fact(FAMILIES_COMPARED, fit.family, value, _compared_family(fit, best))
    taken = f"{result.family} was taken, by {name} with every coupling and every field at the same price"
    yield text_fact(FAMILIES_COMPARED, "best", taken)


def _known(number: float) -> float | None:
    return None if np.isnan(number) else number


def _compared_family(fit: FamilyFit, best: float) -> str:
    note = printable(fit.note)
    if not fit.was_fitted:
        return f"not fitted: {note}"
    numbers = f"{fit.n_edges:6,}{fit.n_fields:8,}{fit.log_likelihood:18.2f}{fit.value:14.2f}{fit.value - best:14.2f}"
    return f"{numbers}  {note}".rstrip()


def _dropped(result: SearchResult) -> str:
    """Which fields went in the end, and what that did to the criterion."""
    names, path = result.dropped_fields, result.path
    if not names:
        return "none: interrupted before" if result.was_interrupted else "none: every field is worth its price"
    lost = path.log_likelihood[-1 - len(names)] - result.log_likelihood
    if np.isnan(lost):
        return f"{len(names)} of {result.model.n_spins} not worth their price ({some(names)})"
    effect = f"the log-likelihood falls by {lost:.2f}"
    if not result.is_composite:
        effect += f", and {result.criterion.upper()} by {result.gained_by_drops:.2f}, which is better"
    ended = "; interrupted before all were looked at" if result.was_interrupted else ""
    return f"{len(names)} of {result.model.n_spins} not worth their price ({some(names)}); {effect}{ended}"


def _criterion(result: SearchResult) -> str:
    if result.criterion == GIVEN:
        return GIVEN
    criterion = CRITERIA[result.criterion].meaning.format(gamma=result.gamma)
    return f"{criterion} {FAMILIES[result.family].room}" if CRITERIA[result.criterion].fills_the_plane else criterion


def _search(result: SearchResult) -> str:
    if result.search == GIVEN:
        return "none: the graph was given"
    return SEARCHES[result.search].meaning + _restarts(result)


def _restarts(result: SearchResult) -> str:
    if not result.n_restarts:
        return ""
    seed = "a generator of yours" if result.seed is None else f"seed {result.seed}"
    return f"; restarted until {result.n_restarts} in a row found nothing better ({seed})"


def _fit(learned: LearnedMap) -> Iterator[Fact]:
    result = learned.result
    total, per_row = result.log_likelihood, result.log_likelihood / result.n_samples
    if result.is_composite:
        note = "composite: each pair of columns has rows of its own, so it is no likelihood of the data"
        yield Fact(FIT, "log-likelihood", total, f"{total:.2f} nats, {per_row:.5f} per row ({note})")
        yield text_fact(FIT, "AIC, BIC, EBIC", "not comparable with other fits where each pair has rows of its own")
    else:
        what = "exact" if learned.em is None else "exact, of the cells that are known"
        yield Fact(FIT, "log-likelihood", total, f"{total:.2f} nats, {per_row:.5f} per row ({what})")
        yield from _compared(learned, per_row)
        yield Fact(FIT, "AIC, BIC, EBIC", [result.aic, result.bic, result.ebic], _criteria(result))
    yield Fact(FIT, "convergence", bool(result.converged), _convergence(result))
    if learned.em is not None:
        yield Fact(FIT, "EM", [learned.em.n_rounds, learned.em.n_steps], _em(learned.em))


def _em(em: EMFit) -> str:
    if em.result.search == GIVEN:
        return f"{counted(em.n_steps, 'step')}, the likelihood of what is known rising at each"
    return (
        f"{counted(em.n_rounds, 'round')} of search and EM until nothing got better; "
        f"{counted(em.n_steps, 'step')} in the last, the likelihood of what is known rising at each. Steps and gains "
        "of the path are those of the last search, on expected moments"
    )


def _compared(learned: LearnedMap, per_row: float) -> Iterator[Fact]:
    means = learned.moments.magnetizations
    if means is not None:
        alone = independent_log_likelihood(means, _share_known(learned))
        text = f"{alone:.5f} per row when every variable has its own field and no edge"
        yield Fact(FIT, "for comparison", alone, text)
    yield _gained_by_edges(per_row, without_edges(learned))


def _gained_by_edges(per_row: float, alone: float) -> Fact:
    gained = per_row - alone if abs(per_row - alone) >= 5e-6 else 0.0  # never -0.00000
    text = f"{gained:.5f} nats = {gained / np.log(2):.5f} bits per row above the same fields without an edge"
    return Fact(FIT, "gained by edges", gained, text)


def without_edges(learned: LearnedMap) -> float:
    """Mean log-likelihood per row of the model with the same fields, refitted, and no edge; nats."""
    free, moments, share = learned.model.free_fields, learned.moments, _share_known(learned)
    if not free.any() or moments.magnetizations is None:
        return -float(share.sum()) * float(np.log(2))
    means = np.asarray(moments.magnetizations, dtype=float)[free]
    shrunken = shrunk(means, learned.result.prior, moments.n_samples)
    if learned.em is not None and learned.result.prior is not None:
        known = share[free] * moments.n_samples  # a missing cell is no weight against the prior
        shrunken = means * (known / (known + learned.result.prior))
    fields = np.arctanh(shrunken)
    per_cell = means * fields - np.logaddexp(fields, -fields)
    return float((share[free] * per_cell).sum() - share[~free].sum() * np.log(2))


def _share_known(learned: LearnedMap) -> np.ndarray:
    """The share of the rows in which each variable counts: where EM was used, those in which it is known."""
    n_spins = learned.model.n_spins
    if learned.em is None:
        return np.ones(n_spins)
    return np.asarray(learned.moments.rows_behind.diagonal()) / learned.moments.n_samples


def independent_log_likelihood(magnetizations: np.ndarray, share: np.ndarray | float = 1.0) -> float:
    """Best mean log-likelihood per row of a model with fields and no edge, nats; each is known in a share of rows."""
    m = np.asarray(magnetizations, dtype=float)
    return -float((share * entr((1 + m) / 2)).sum() + (share * entr((1 - m) / 2)).sum())


def _criteria(result: SearchResult) -> str:
    values = f"{result.aic:.2f}, {result.bic:.2f}, {result.ebic:.2f}"
    text = f"{values} (gamma {result.gamma:g}; {counted(result.model.n_parameters, 'parameter')})"
    n_fields = int(result.model.free_fields.sum())
    if not (n_fields and result.gamma):
        return text
    by_edges = result.ebic - n_fields * result.path.ebic_penalty
    return f"{text}. EBIC prices fields like couplings; with 4 gamma log(n) for couplings alone it is {by_edges:.2f}"


def _convergence(result: SearchResult) -> str:
    reached = "all fits converged" if result.converged else "NOT all fits converged, read with care"
    return f"{reached}, largest moment error {result.gradient_norm:.1e}"


def _care(learned: LearnedMap) -> Iterator[Fact]:
    result, model = learned.result, learned.model
    isolated = [model.names[i] for i in np.setdiff1d(np.arange(model.n_spins), model.edges).tolist()]
    if learned.warnings:
        yield Fact(
            CARE, "warnings", list(learned.warnings), "\n".join(f"- {printable(text)}" for text in learned.warnings)
        )
    yield text_fact(CARE, "estimate", _existence(result))
    if result.excluded:
        pairs = [printable(f"{pair.source} - {pair.target}: {pair.reason}") for pair in result.excluded]
        more = f"; and {len(pairs) - 5} more" if len(pairs) > 5 else ""
        shown = f"{'; '.join(pairs[:5])}{more}. All are in excluded.csv"
        text = f"{counted(len(pairs), 'pair or field', 'pairs and fields')}: {shown}"
        yield Fact(CARE, "left out", [[pair.source, pair.target] for pair in result.excluded], text)
    if not model.n_edges and result.search != GIVEN:
        finite = " with a finite coupling" if result.excluded else ""
        yield text_fact(CARE, "no edge", f"no pair of variables{finite} gains enough to pay for an edge")
    if isolated:
        yield Fact(CARE, "isolated", isolated, f"{counted(len(isolated), 'variable')}: {some(isolated)}")
    yield from error_facts(learned, CARE)


def _existence(result: SearchResult) -> str:
    if result.prior is not None:
        return (
            f"a prior of {result.prior:g} pseudo-observation{'' if result.prior == 1 else 's'}, spread evenly over all "
            "configurations, pulls every moment a little towards zero"
        )
    if not result.converged:
        return "no prior; the fit has not converged, and whether every estimate is finite is not known"
    by_cycles = FAMILIES[result.family].fields_in_plane
    proof = "checked exactly" if by_cycles else "the fit came to rest at a maximum"
    if result.search == GIVEN:
        return f"no prior; every coupling and field of the given graph has a finite estimate ({proof})"
    if not result.excluded:
        return f"no prior; every coupling and field that is worth its price has a finite estimate ({proof})"
    if any(pair.too_strong for pair in result.excluded):
        return "no prior; couplings and fields that would be infinite, or that could not be fitted, were left out"
    return "no prior; couplings and fields that would be infinite (checked exactly) were left out; a prior admits them"


def _repeat(learned: LearnedMap) -> Iterator[Fact]:
    from isingmap import __version__

    yield text_fact(REPEAT, "version", f"isingmap {__version__}")
    yield text_fact(REPEAT, "libraries", libraries())
    digest = learned.moments.digest
    yield Fact(REPEAT, "data", digest, f"SHA-256 of the names, means and pairs, in any order of rows: {digest}")
    if learned.command:
        yield text_fact(REPEAT, "command", learned.command)
    if learned.source is None:
        yield text_fact(REPEAT, CODE, settings_text(learned))
    else:
        module, call = learned.source
        yield text_fact(REPEAT, "import", f"from {module} import {call.partition('(')[0]}")
        yield text_fact(REPEAT, CODE, printable(f"{settings_text(learned)}.{_asked(learned, call)}"))


def libraries() -> str:
    """What else the numbers rest on."""
    libraries = ", ".join(f"{name} {version(name)}" for name in _LIBRARIES)
    return f"Python {platform.python_version()}, {libraries}, {platform.system()} {platform.machine()}"


def _asked(learned: LearnedMap, call: str) -> str:
    """What is asked of the estimator."""
    if learned.stability is None:
        return f"fit({call})"
    settings = [f"{name}={value!r}" for name, value in given(learned.stability.settings).items()]
    return f"stability({', '.join([call, *settings])})"


def settings_text(learned: LearnedMap) -> str:
    """All settings, defaults too, as the call that leads to the map again."""
    values = ", ".join(f"{name}={_as_typed(value)}" for name, value in learned.settings.items())
    return printable(f"PlanarIsing({values})")


def _as_typed(value: object) -> str:
    """A setting as it can be typed again; a generator cannot."""
    if isinstance(value, np.random.Generator):
        return "... (a generator, which nobody can repeat; a whole number can be)"
    array = np.asarray(value) if hasattr(value, "__array__") else None  # arrays and frames
    if isinstance(value, list | tuple) and len(value) > _MOST_TYPED:
        return f"... ({len(value):,} pairs; edges.csv has them)"
    return repr(value if array is None else array.tolist())
