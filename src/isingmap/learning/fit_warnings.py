"""What a reader of a fit must be warned of."""

from __future__ import annotations

from isingmap.data.moments import EmpiricalMoments
from isingmap.data.screening import unbalanced_columns
from isingmap.data.table import counted, listed
from isingmap.errors import DataWarning, FitWarning
from isingmap.structure.result import SearchResult
from isingmap.warned import warn

TO_CALLER_OF_FIT = 4  # levels up from here: the search of the estimator, its `fit`, the user's line


def warn_about_data(moments: EmpiricalMoments, family: str) -> None:
    """Columns that the family describes badly.

    Warns
    -----
    DataWarning
    """
    columns = unbalanced_columns(moments)
    if family != "zero-field" or not columns:
        return
    warn(
        f"far from half and half: {len(columns)} of {counted(len(moments.names), 'column')} ({listed(columns)}). A "
        "zero-field model takes every variable for a fair coin, so two rare items that have nothing to do with "
        'each other look strongly tied. Use family="partial", which adds fields where the data ask for them',
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
    if result.excluded:
        shown = "; ".join(f"{e.source}-{e.target} ({e.reason})" for e in result.excluded[:3])
        messages.append(
            f"left out, because the coupling would be infinite: {counted(len(result.excluded), 'pair')}, {shown}"
            f"{' and others' if len(result.excluded) > 3 else ''}. prior=1 lets them in"
        )
    if not result.converged:
        messages.append(
            f"a fit did not converge (gradient {result.gradient_norm:.1e}); prior=1 makes the problem milder"
        )
    if result.stopped.startswith("interrupted"):
        messages.append(
            f"{result.stopped}; the model holds the best found so far. A search with checkpoint=FILE goes on "
            "from there when it is asked again"
        )
    if n_edges is not None and result.model.n_edges < n_edges:
        messages.append(f"{counted(result.model.n_edges, 'edge')} instead of n_edges={n_edges}: {result.stopped}")
    return messages
