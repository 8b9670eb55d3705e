"""What a notebook shows of a model or a fit: a small map, and its strongest edges."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from isingmap.data.table import counted
from isingmap.learning.learned_map import LearnedMap, Positions
from isingmap.model import IsingModel
from isingmap.report.map_figure import shown_names
from isingmap.report.page.picture import edges_of, nodes_of
from isingmap.report.page.rendering import ARC, template
from isingmap.report.page.sheet import sheet_of
from isingmap.report.text import shortened

# Larger maps would make a notebook slow to load; their report can be opened instead.
MOST_DRAWN, MOST_ROWS = 60, 20


def html_of(found: LearnedMap | IsingModel) -> str:
    """HTML without scripts, below 60 kB, every name escaped."""
    if isinstance(found, IsingModel):
        return _html(found, None, None, "Ising model", "", np.full(found.n_edges, np.nan))
    title = shortened(found.title, 80) or "Planar map"
    rows = f" from {found.moments.n_samples:,.10g} rows"
    return _html(found.model, found.groups, found.positions, title, rows, found.coupling_errors)


def _html(
    model: IsingModel,
    groups: Sequence[str] | None,
    positions: Positions | None,
    title: str,
    rows: str,
    errors: np.ndarray,
) -> str:
    is_drawn = model.n_spins <= MOST_DRAWN
    sheet = sheet_of(model, positions, several=False) if is_drawn else None
    too_many = f"maps of more than {MOST_DRAWN} variables are drawn by isingmap.plots.plot_map and in report.html"
    names = shown_names(model.names)
    order = np.argsort(-np.abs(model.couplings), kind="stable")[:MOST_ROWS].tolist()
    has_errors = bool(np.isfinite(errors).any())
    more = model.n_edges - len(order)
    return template("notebook.html").render(
        title=title,
        headline=f"{counted(model.n_spins, 'variable')}, {counted(model.n_edges, 'edge')}{rows}",
        sheet=sheet,
        edges=list(edges_of(model, sheet)) if sheet else [],
        nodes=list(nodes_of(model, groups, sheet)) if sheet else [],
        arc=ARC,
        too_many="" if is_drawn else too_many,
        columns=("", "", "coupling", *(["standard error"] if has_errors else [])),
        rows=[
            (
                *(names[v] for v in model.edges[k].tolist()),
                f"{model.couplings[k]:+.3f}",
                *(["" if np.isnan(errors[k]) else f"{errors[k]:.3f}"] if has_errors else []),
            )
            for k in order
        ],
        more=counted(more, "weaker edge") if more else "",
    )
