"""From a fit and its table to resamples of it: what the estimator's settings mean for them."""

from __future__ import annotations

import os
from dataclasses import replace
from typing import Any

import numpy as np

from isingmap.data.options import EM, SURVEY
from isingmap.data.table import SpinTable
from isingmap.errors import DataError
from isingmap.learning.edges_of_columns import problem_of_kept
from isingmap.learning.fit_warnings import interruption_untold
from isingmap.learning.learned_map import LearnedMap
from isingmap.learning.settings import SETTINGS, check_values, options_from, seed_of, starts_again
from isingmap.model import IsingModel
from isingmap.model.reordered import reordered
from isingmap.progress import progress_bar
from isingmap.resampling.finished import identity_of
from isingmap.resampling.options import PARAMETRIC, StabilityOptions
from isingmap.resampling.refit import Refit, by_name
from isingmap.resampling.resamples import own_order
from isingmap.resampling.run import outcomes_of
from isingmap.resampling.stability import Stability
from isingmap.structure.options import SearchOptions


def fit_to_the_end(estimator: Any, X: Any, sample_weight: Any, clusters: Any) -> None:
    """Fit with those settings set aside that are about the resamples alone: the checkpoint, and a seed of no restarts.

    Raises
    ------
    ModelError
        For a random state that is no number, since nobody can draw from a generator again.
    KeyboardInterrupt
        Ctrl-C before the search came to its end.
    """
    settings = estimator.get_params()
    check_values(settings)
    seed_of(settings, "resamples")
    aside = {"checkpoint": None}
    if not starts_again(settings):
        aside |= {"n_jobs": None, "random_state": SETTINGS["random_state"].default}
    estimator.set_params(**aside)
    try:
        with interruption_untold():
            estimator.fit(X, sample_weight=sample_weight, clusters=clusters)
    finally:
        estimator.set_params(**{name: settings[name] for name in aside})
    if estimator.learned_.interrupted:
        raise KeyboardInterrupt("before the fit of all rows was finished")


def refuse_kind(kind: str, has_clusters: bool, weight_kind: str | None) -> None:
    """Refuse samples of the model where rows are not what it draws; looked at before the work.

    Raises
    ------
    DataError
    """
    what = "rows in clusters" if has_clusters else "rows with weights of a survey"
    if kind == PARAMETRIC and (has_clusters or weight_kind == SURVEY):
        way_out = "kind='nonparametric' draws whole clusters" if has_clusters else "kind='nonparametric' draws the rows"
        raise DataError(
            f"samples of the model are independent rows of equal weight, and these are {what}: kind='{PARAMETRIC}' "
            f"would make the map look more certain than it is. {way_out}"
        )


def stability_of(
    settings: dict[str, Any],
    columns: tuple[str, ...],
    table: SpinTable,
    learned: LearnedMap,
    resampling: StabilityOptions,
) -> Stability:
    """Learn from resamples of a table as from the table itself.

    Parameters
    ----------
    settings : dict of str to object
        Of the estimator.
    columns : tuple of str
        Of the data, before constant ones were left out.
    table : SpinTable
        What was learned from, after the rules for missing cells and constant columns.
    learned : LearnedMap
        What was learned from it.
    resampling : StabilityOptions

    Raises
    ------
    ModelError, DataError, FileFormatError, IsingMapError, KeyboardInterrupt
        See `own_order` and `outcomes_of`.
    """
    asked = by_name(problem_of_kept(settings, columns, table.names), table.names)
    seed = seed_of(settings, "resamples")
    search = SearchOptions(**(options_from(settings, SearchOptions) | {"checkpoint": None, "n_jobs": None}))
    if asked["graph"] is not None:
        search = replace(search, seed=SETTINGS["random_state"].default)  # there is nothing to restart
    else:
        search = search.restarted_if_asked()  # a thousand searches need not each be the last word
    by_names = np.array(sorted(range(table.n_spins), key=table.names.__getitem__), np.int64)
    model = reordered(learned.model, by_names) if resampling.kind == PARAMETRIC else None
    rows = own_order(table, weights_are_counts=settings["weight_kind"] != SURVEY)
    by_em = settings["missing"] == EM and table.n_missing > 0
    refit = Refit(rows, resampling, seed, asked, search, model, os.getpid(), by_em)
    with progress_bar("resamples", enabled=bool(settings["verbose"])) as progress:
        outcomes, interrupted = outcomes_of(refit, checkpoint=settings["checkpoint"], progress=progress)
    return Stability(
        names=table.names,
        edges=learned.model.edges,
        couplings=learned.model.couplings,
        required=_required(asked, learned.model),
        outcomes=tuple(outcomes),
        settings=replace(resampling, resamples=None),
        seed=seed,
        identity=identity_of(refit),
        n_samples=learned.moments.n_samples,
        n_clusters=0 if rows.cluster is None else len(rows.units),
        interrupted=interrupted,
    )


def _required(asked: dict[str, Any], model: IsingModel) -> np.ndarray:
    """Pairs that are an edge because they were asked for: all, where the graph is given."""
    position = {name: k for k, name in enumerate(model.names)}
    pairs = model.edge_names if asked["graph"] is not None else asked["required_edges"] or ()
    found = [sorted(position[name] for name in pair) for pair in pairs]
    return np.array(found, np.int64).reshape(-1, 2)
