"""What a reader of a fit must be warned of."""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np
from scipy.special import ndtri

from isingmap.data.moments import EmpiricalMoments
from isingmap.data.screening import unbalanced_columns
from isingmap.data.table import FIELD, counted, listed
from isingmap.errors import DataWarning, FitWarning
from isingmap.inference.elimination.clique_tree import width_of
from isingmap.learning.settings import SETTINGS
from isingmap.model import IsingModel
from isingmap.structure.edge_gain import edge_gain, table_gain
from isingmap.structure.families import AUTO, FAMILIES
from isingmap.structure.result import TOO_WIDE, Exclusion, SearchResult
from isingmap.warned import warn

# Among 50 independent columns (shares of 0.02 to 0.5, 200 and 1000 rows, families "partial" and "zero-field") each that
# lacks a field for which BIC would pay (|mean| above 0.2 with 200 rows, 0.1 with 1000) has 1.0 to 1.4 false edges, one
# in its place; the others have 0.06 to 0.4. Related columns often have such means without harm, so it takes an edge
# between columns that look independent, or a mean beyond this, where each has 2 to 11 false edges.
STRONGLY_UNBALANCED = 0.6


def warn_about_settings(settings: dict[str, Any]) -> None:
    """Settings that were given and have no say in the graph.

    Parameters
    ----------
    settings : dict
        Of the estimator, by their names there.

    Warns
    -----
    FitWarning
    """
    search = settings["search"] or SETTINGS["search"].default
    chooses = ("criterion",) if settings["family"] == AUTO else ()  # between families, whatever the search
    idle = [
        f"{name}={value}"
        for name, value in settings.items()
        if value is not None
        and name not in chooses
        and not _is_default(name, value)
        and search not in (SETTINGS[name].steers or (search,))
    ]
    if idle:
        verb, them = ("has", "it") if len(idle) == 1 else ("have", "them")
        text = f"{', '.join(idle)} {verb} no say in the graph with search={search}; leave {them} out"
        warn(text, FitWarning)


def _is_default(name: str, value: object) -> bool:
    return isinstance(value, type(SETTINGS[name].default)) and value == SETTINGS[name].default


def warn_about_data(moments: EmpiricalMoments, family: str) -> None:
    """Columns that the family describes badly.

    Warns
    -----
    DataWarning
    """
    columns = unbalanced_columns(moments)
    if family == AUTO or FAMILIES[family].has_fields or not columns:
        return
    warn(
        f"far from half and half: {len(columns)} of {counted(len(moments.names), 'column')} ({listed(columns)}). A "
        "zero-field model takes every variable for a fair coin, so two rare items that have nothing to do with "
        'each other look strongly tied. Use family="planar", which gives every variable a field',
        DataWarning,
    )


def warn_about_missing_fields(model: IsingModel, moments: EmpiricalMoments) -> None:
    """Columns with edges and without a field that are far from half and half: an edge can stand in place of the field.

    Warns
    -----
    FitWarning
    """
    lacking = {k: doubtful for k, doubtful in _missing_fields(model, moments)}
    if not lacking:
        return
    partners = {k: [j if i == k else i for i, j in model.edges.tolist() if k in (i, j)] for k in lacking}
    shown = [_lacking(k, partners[k], moments) for k in lacking]
    edges = dict.fromkeys(edge for doubtful in lacking.values() for edge in doubtful)
    named = [" - ".join(moments.names[k] for k in edge) for edge in edges]
    one = len(named) == 1
    sure = (
        f"; {counted(len(named), 'edge')} {'joins' if one else 'join'} columns that look independent in the data "
        f"({listed(named, 5)})"
        if named
        else ""
    )
    have, are = ("has", "it is") if len(lacking) == 1 else ("have", "they are")
    text = (
        f"{counted(len(lacking), 'column')} with edges {have} no field although {are} far from half and half: "
        f"{listed(shown, 5)}. Such an edge can stand in place of a field{sure}. "
        'family="planar" gives every variable a field'
    )
    warn(text, FitWarning)


def _lacking(k: int, partners: Sequence[int], moments: EmpiricalMoments) -> str:
    assert moments.magnetizations is not None
    share = 50.0 * (1.0 + moments.magnetizations[k])
    ends = listed([moments.names[j] for j in partners])
    return (
        f"{moments.names[k]} (+1 in {share:.3g} % of the rows; {'edge' if len(partners) == 1 else 'edges'} to {ends})"
    )


def _missing_fields(model: IsingModel, moments: EmpiricalMoments) -> Iterator[tuple[int, list[tuple[int, int]]]]:
    """Ends of edges that lack a field worth its price, each with its edges that the means alone make worth theirs.

    The two columns of such an edge look independent in the data, beside so many other pairs.
    Where there is no such edge only those that are `STRONGLY_UNBALANCED`.
    """
    means, n_samples = moments.magnetizations, moments.n_samples
    if means is None:
        return
    price = np.log(n_samples) / 2.0
    i, j = model.edges.T
    by_chance = 0.5 * ndtri(0.025 / max(len(means) * (len(means) - 1) / 2, 1)) ** 2  # the largest of all pairs
    alone = means[i] * means[j]
    independent = n_samples * table_gain(moments.moments[i, j], alone, means[i], means[j]) < by_chance
    in_place = independent & (n_samples * edge_gain(alone, 0.0) >= price)
    for k in np.unique(model.edges).tolist():
        if model.free_fields[k] or n_samples * edge_gain(means[k], 0.0) < price:
            continue
        doubtful = [(a, b) for a, b in model.edges[in_place].tolist() if k in (a, b)]
        if doubtful or abs(means[k]) > STRONGLY_UNBALANCED:
            yield k, doubtful


@contextmanager
def interruption_untold() -> Iterator[None]:
    """No warning is issued of the model of a fit that is interrupted inside the block, because nobody will see it."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", r"(.*: )?interrupted ", FitWarning)
        yield


def warn_about_search(result: SearchResult, n_edges: int | None, *, resumes: bool = True) -> None:
    """What was left out, did not converge, was interrupted or fell short of the number of edges asked for.

    Parameters
    ----------
    result : SearchResult
    n_edges : int or None
    resumes : bool
        Whether such a search can go on from a checkpoint.

    Warns
    -----
    FitWarning
    """
    for message in _about_search(result, n_edges, resumes):
        warn(message, FitWarning)


def _about_search(result: SearchResult, n_edges: int | None, resumes: bool) -> list[str]:
    messages = []
    infinite = [pair for pair in result.excluded if not pair.too_strong]
    too_strong = [pair for pair in result.excluded if pair.too_strong]
    if infinite:
        one = len(infinite) == 1
        text = f"left out because {'it' if one else 'they'} would be infinite: {_shown(infinite)}"
        remedy = (
            f"prior=1 lets {'it' if one else 'them'} in"
            if result.prior is None
            else "no distribution has these moments"
        )
        messages.append(f"{_counted_parameters(infinite)} {'was' if one else 'were'} {text}. {remedy}")
    for reason in dict.fromkeys(pair.reason for pair in too_strong):
        alike = [pair for pair in too_strong if pair.reason == reason]
        left = f"{_counted_parameters(alike)} {'was' if len(alike) == 1 else 'were'} left out because {reason}"
        remedy = _narrower(result, alike[0]) if reason == TOO_WIDE else _milder(result)
        messages.append(f"{left}: {_shown(alike)}. {remedy}")
    if not result.converged and not result.was_interrupted:
        messages.append(f"a fit did not converge (gradient {result.gradient_norm:.1e}). {_milder(result)}")
    if result.stopped.startswith("interrupted"):
        advice = ". A search with checkpoint=FILE goes on from there when it is asked again" if resumes else ""
        messages.append(f"{result.stopped}; the model holds the best found so far{advice}")
    if n_edges is not None and result.model.n_edges < n_edges:
        messages.append(f"{counted(result.model.n_edges, 'edge')} instead of n_edges={n_edges}: {result.stopped}")
    return messages


def _counted_parameters(excluded: Sequence[Exclusion]) -> str:
    n_fields = sum(pair.target == FIELD for pair in excluded)
    kinds = [counted(len(excluded) - n_fields, "coupling"), counted(n_fields, "field")]
    return " and ".join(kind for kind, some in zip(kinds, (len(excluded) > n_fields, n_fields), strict=True) if some)


def _shown(excluded: Sequence[Exclusion]) -> str:
    items = [f"{e.source} {e.target}" if e.target == FIELD else f"{e.source} - {e.target}" for e in excluded]
    reasons = ["" if e.too_strong else f" ({e.reason})" for e in excluded]
    shown = "; ".join(f"{item}{reason}" for item, reason in zip(items[:3], reasons[:3], strict=True))
    return shown if len(items) <= 3 else f"{shown}; and {len(items) - 3} more"


def _narrower(result: SearchResult, pair: Exclusion) -> str:
    """What helps where the graph would be too wide; the width that a pair would take is that beside the final graph."""
    model = result.model
    ends = [model.names.index(pair.source), model.names.index(pair.target)]
    width = width_of(model.n_spins, np.vstack([model.edges, ends]))
    more = f", and max_width={width.width} lets the first in, at the price of time" if width.fits else ""
    return f"A stricter criterion keeps it narrower{more}"


def _milder(result: SearchResult) -> str:
    larger = 1.0 if result.prior is None else 10.0 * result.prior
    return f"prior={larger:g} makes the couplings weaker"
