"""What a reader of a fit must be warned of."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from isingmap.data.moments import EmpiricalMoments
from isingmap.data.screening import unbalanced_columns
from isingmap.data.table import counted, listed
from isingmap.errors import DataWarning, FitWarning
from isingmap.inference.elimination.clique_tree import width_of
from isingmap.learning.settings import SETTINGS
from isingmap.structure.families import AUTO, FAMILIES
from isingmap.structure.result import FIELD, TOO_WIDE, Exclusion, SearchResult
from isingmap.warned import warn

TO_CALLER_OF_FIT = 4  # levels up from here: the search of the estimator, its `fit`, the user's line


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
        warn(text, FitWarning, stacklevel=TO_CALLER_OF_FIT)


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
        stacklevel=TO_CALLER_OF_FIT,
    )


def warn_about_search(result: SearchResult, n_edges: int | None) -> None:
    """What was left out, did not converge, was interrupted or fell short of the number of edges asked for.

    Warns
    -----
    FitWarning
    """
    for message in _about_search(result, n_edges):
        warn(message, FitWarning, stacklevel=TO_CALLER_OF_FIT)


def _about_search(result: SearchResult, n_edges: int | None) -> list[str]:
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
    if not result.converged:
        messages.append(f"a fit did not converge (gradient {result.gradient_norm:.1e}). {_milder(result)}")
    if result.stopped.startswith("interrupted"):
        messages.append(
            f"{result.stopped}; the model holds the best found so far. A search with checkpoint=FILE goes on "
            "from there when it is asked again"
        )
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
