"""The door of comparing: tables of groups to maps, and pairs of groups to permutation tests."""

from __future__ import annotations

import os
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import combinations
from typing import Any

import numpy as np

from isingmap.comparing.comparison import CLUSTERS, PAIRS, ROWS, Comparison
from isingmap.comparing.groups import Group, about, brought_together, numbered_together, pooled
from isingmap.data.accumulator import MomentAccumulator
from isingmap.data.convert import as_spin_table
from isingmap.data.counted_table import CountedTable
from isingmap.data.options import EM, DataOptions
from isingmap.data.table import SpinTable, counted, listed, numbered_clusters
from isingmap.errors import DataError, DataWarning, IsingMapWarning, ModelError
from isingmap.interruption import listening
from isingmap.learning.edges_of_columns import problem_of_kept
from isingmap.learning.fit_warnings import interruption_untold
from isingmap.learning.learned_map import LearnedMap
from isingmap.learning.planar_ising import PlanarIsing
from isingmap.learning.settings import SETTINGS, check_values, options_from, seed_of, starts_again
from isingmap.printable import printable
from isingmap.progress import entitle, progress_bar
from isingmap.resampling.finished import identity_of
from isingmap.resampling.options import ComparisonOptions
from isingmap.resampling.permutations import grouped_rows
from isingmap.resampling.refit import Refit, by_name
from isingmap.resampling.run import outcomes_of
from isingmap.structure.criteria import CROSS_VALIDATED
from isingmap.structure.options import SearchOptions
from isingmap.warned import warn


def compare(
    first: Any,
    second: Any,
    estimator: PlanarIsing | None = None,
    *,
    labels: tuple[str, str] = ("first", "second"),
    sample_weight: tuple[Any, Any] | None = None,
    clusters: tuple[Any, Any] | None = None,
    n_permutations: int = 1000,
    n_jobs: int | None = None,
) -> Comparison:
    """Test whether two groups have the same map: structure, global strength, every edge, one model against two.

    Each group gets its map; then the rows of both are dealt out to the groups again and again, and both maps are
    learned anew each time with the same settings. How often chance makes as large a difference is the p-value. Unless
    the setting `n_restarts` is given, no search has restarts, neither those of the maps nor those of the permutations.

    Parameters
    ----------
    first, second : array, data frame or SpinTable
        Rows of the groups, with the same columns. Columns that only one of them has are left out with a warning.
    estimator : PlanarIsing, optional
        Its settings are those of all fits; `random_state` is the seed of the permutations, `checkpoint` keeps those
        that are finished, `verbose` shows their progress. It is not fitted itself.
    labels : (str, str)
        What the groups are called.
    sample_weight : pair of (n_samples,) arrays, optional
        Frequency weights of the rows: a row of weight w is dealt out like w rows; of weights that are no whole numbers
        each row goes to one group whole.
    clusters : pair of (n_samples,) sequences of labels, optional
        Rows with one label were not drawn independently. Clusters that lie in one group each are dealt out whole; where
        each is in both groups (before and after, twins), its rows of both groups swap sides or stay.
    n_permutations : int
    n_jobs : int, optional
        Processes side by side; the results are the same in any case.

    Returns
    -------
    Comparison

    Raises
    ------
    DataError
        Columns or labels of the groups do not go together, a group has columns with a single value, or clusters are
        partly in both groups; and as `PlanarIsing.fit`, naming the group.
    ModelError, NoEstimateError, PrecisionError, FileFormatError, IsingMapError
        As `PlanarIsing.stability`.
    KeyboardInterrupt
        Ctrl-C before the first permutation was finished; later, those that are finished are returned.

    Warns
    -----
    DataWarning, FitWarning
        As `PlanarIsing.fit`, naming the group; of permutations nothing is said.

    Notes
    -----
    Cost: 2 n_permutations fits. Source: van Borkulo, van Bork, Boschloo, Kossakowski, Tio, Schoevers, Borsboom and
    Waldorp, Psychological Methods 28 (2023), for the first three tests.

    Examples
    --------
    >>> from isingmap import IsingModel
    >>> one = IsingModel([(0, 1), (1, 2)], [0.5, 0.5]).sample(200, rng=1)
    >>> other = IsingModel([(0, 1), (1, 2)], [0.5, -0.5]).sample(200, rng=2)
    >>> compare(one, other, PlanarIsing(family="zero-field"), n_permutations=99).structure.p_value
    0.01
    """
    options = ComparisonOptions(n_permutations=n_permutations, n_jobs=n_jobs)
    if isinstance(labels, str) or len(labels) != 2 or len(set(map(str, labels))) < 2:
        raise ModelError(f"labels must be two different names of groups, got {labels!r}")
    settings = (PlanarIsing() if estimator is None else estimator).get_params()
    tables = _tables((first, second), settings, sample_weight)
    groups = [Group(str(label), replace(table, clusters=None)) for label, table in zip(labels, tables, strict=True)]
    numbers = _clusters(tables, clusters)
    if numbers is not None:
        groups = [replace(group, clusters=each) for group, each in zip(groups, numbers, strict=True)]
    with listening():
        prepared, maps = learned_groups(groups, settings)
        return comparison_of(prepared, maps, settings, tables[0].names, options)


def _tables(given: Sequence[Any], settings: Mapping[str, Any], weights: tuple[Any, Any] | None) -> list[SpinTable]:
    if any(isinstance(table, MomentAccumulator | CountedTable) for table in given):
        raise DataError(
            "rows are dealt out to the groups anew, and there are only sums over them here; give the tables"
        )
    found = []
    for table, weight in zip(given, _both(weights, "sample_weight"), strict=True):
        how = {name: settings[name] for name in ("positive", "threshold", "missing_label")}
        found.append(as_spin_table(table, weights=weight, **({} if isinstance(table, SpinTable) else how)))
    nameless = [not isinstance(table, SpinTable) and not hasattr(table, "columns") for table in given]
    if all(nameless) and found[0].n_spins != found[1].n_spins:
        raise DataError(
            f"the groups have {found[0].n_spins} and {found[1].n_spins} columns without names, so that nobody knows "
            "which of them go together; give the same columns, or data frames"
        )
    return found


def _both(pair: Any, what: str) -> tuple[Any, Any]:
    """What is given for each of the groups."""
    if pair is None:
        return None, None
    if not isinstance(pair, list | tuple) or len(pair) != 2:
        raise ModelError(f"{what} must be a pair, one for each group; got {type(pair).__name__}")
    return pair[0], pair[1]


def _clusters(tables: Sequence[SpinTable], labels: tuple[Any, Any] | None) -> list[np.ndarray] | None:
    """Numbers of clusters that mean the same in both groups."""
    own = [table.clusters for table in tables]
    if labels is not None:
        if any(clusters is not None for clusters in own):
            raise DataError("the SpinTable already has clusters; pass clusters only once")
        for table, each in zip(tables, _both(labels, "clusters"), strict=True):
            numbered_clusters(each, table.n_samples)  # of the right length, none missing
        return numbered_together(labels)
    first, second = own
    if first is None and second is None:
        return None
    if first is None or second is None:
        raise DataError("one of the groups has clusters of rows and the other has none; give them for both, or neither")
    return [first, second + first.max() + 1]  # a SpinTable has numbers of its own


def compare_all(
    groups: Sequence[Group], settings: Mapping[str, Any], options: ComparisonOptions
) -> tuple[list[LearnedMap], list[Comparison]]:
    """The map of each group, and the comparison of each pair of them; fewer pairs where Ctrl-C came.

    Raises
    ------
    DataError, ModelError, NoEstimateError, PrecisionError, FileFormatError, IsingMapError, KeyboardInterrupt
        As `compare`; and for a checkpoint beside more than two groups.
    """
    if len(groups) > 2 and settings["checkpoint"] is not None:
        raise ModelError(
            f"checkpoint= keeps the permutations of one comparison, and there are {len(groups)} groups; leave it out, "
            "or compare two of them at a time"
        )
    found: list[Comparison] = []
    with listening():
        prepared, maps = learned_groups(groups, settings)
        for i, j in combinations(range(len(prepared)), 2):
            try:
                pair = [prepared[i], prepared[j]], [maps[i], maps[j]]
                found.append(comparison_of(*pair, settings, groups[0].table.names, options))
            except KeyboardInterrupt:
                if not found:
                    raise
                break
            if found[-1].interrupted:
                break
    return maps, found


def learned_groups(groups: Sequence[Group], settings: Mapping[str, Any]) -> tuple[list[Group], list[LearnedMap]]:
    """The groups as they are learned from, on common columns, and the map of each.

    Raises
    ------
    DataError, ModelError, NoEstimateError, PrecisionError
        As `compare`.
    KeyboardInterrupt
        Ctrl-C before the last search came to its end.
    """
    if settings["criterion"] == CROSS_VALIDATED:
        raise ModelError(
            "criterion='cv' would let every group and every permutation choose settings of its own. Let a fit of all "
            "rows with criterion='cv' choose first, and compare with what its summary says was taken, such as "
            "criterion='ebic' with gamma=0.5"
        )
    check_values(dict(settings))
    seed_of(settings, "permutations")  # refused before the work
    reading = DataOptions(**options_from(dict(settings), DataOptions))
    prepared = brought_together(groups, reading)
    for pair in combinations(prepared, 2):
        _refuse_mixed(*pair)
    asked = _asked(settings, groups[0].table.names, prepared[0].table.names)
    maps = []
    for group in prepared:
        with about(group.label):
            maps.append(_learned_group(group, settings, asked))
    return prepared, maps


class _RowByRow(PlanarIsing):
    """Takes rows as drawn alone for the errors of the map; what is said of missing cells still knows the clusters."""

    def _prepared(self, table: SpinTable) -> SpinTable:
        return super()._prepared(replace(table, clusters=None))


def _learned_group(group: Group, settings: Mapping[str, Any], asked: Mapping[str, Any]) -> LearnedMap:
    """The map of a group.

    Warns
    -----
    DataWarning
        Where its errors know nothing of the clusters, which are dealt out whole all the same.
    """
    if group.clusters is None:
        return _learned(group.table, settings, asked)
    table = replace(group.table, clusters=group.clusters)
    if settings["missing"] != EM or not table.n_missing:
        return _learned(table, settings, asked)
    warn(
        "missing='em' has no standard errors of clusters: those of this map, its intervals and its tests of edges take "
        "every row as drawn alone, and are too small where rows of a cluster are alike. Permutations deal out whole "
        "clusters, and their p-values hold",
        DataWarning,
    )
    return _learned(table, settings, asked, _RowByRow)


def _asked(settings: Mapping[str, Any], columns: Sequence[str], kept: Sequence[str]) -> dict[str, Any]:
    """The arguments of a problem, columns by name, which are those of the first table."""
    return by_name(problem_of_kept(settings, columns, kept), tuple(kept))


def _alike(settings: Mapping[str, Any]) -> dict[str, Any]:
    """Settings with which maps and permutations are learned alike, without those that are about permutations alone."""
    found = {**settings, "checkpoint": None, "n_jobs": None}
    if not starts_again(settings):
        return found | {"random_state": SETTINGS["random_state"].default}
    search = SearchOptions(**options_from(found, SearchOptions)).restarted_if_asked()
    return found | {"n_restarts": search.n_restarts}


def _learned(
    table: SpinTable, settings: Mapping[str, Any], asked: Mapping[str, Any], kind: type[PlanarIsing] = PlanarIsing
) -> LearnedMap:
    by_names = {name: asked[name] for name in ("required_edges", "required_fields", "graph")}
    with interruption_untold():
        learned = kind(**{**_alike(settings), **by_names}).fit(table).learned_
    if learned.interrupted:
        raise KeyboardInterrupt("before the groups had their maps")
    return learned


def comparison_of(
    groups: Sequence[Group],
    maps: Sequence[LearnedMap],
    settings: Mapping[str, Any],
    columns: Sequence[str],
    options: ComparisonOptions,
) -> Comparison:
    """Permute two groups that have their maps.

    Parameters
    ----------
    groups, maps
        Two of those that `learned_groups` returned.
    settings : mapping of str to object
        Of the estimator.
    columns : sequence of str
        Of the first table, before any were left out.
    options : ComparisonOptions

    Raises
    ------
    DataError, ModelError, FileFormatError, IsingMapError, KeyboardInterrupt
        As `compare`.
    """
    _warn_of_the_same(groups, maps)
    table = pooled(groups)
    is_second = np.repeat([False, True], [group.table.n_samples for group in groups])
    rows = grouped_rows(table, is_second)
    asked = _asked(settings, columns, table.names)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", IsingMapWarning)  # said of the groups
        together = _learned(replace(table, clusters=None), settings, asked)
    alike = _alike(settings)
    seed = seed_of(settings, "permutations")
    search = SearchOptions(**options_from(alike, SearchOptions))
    by_em = settings["missing"] == EM and table.n_missing > 0
    refit = Refit(rows, options, seed, asked, search, None, os.getpid(), by_em)
    observed = []
    for number, group in enumerate(groups):
        with about(group.label):
            observed.append(refit.learned(rows.of_number(options, seed, number, None), number))
    with progress_bar("fits", enabled=bool(settings["verbose"])) as progress:
        entitle(printable(f"{groups[0].label} and {groups[1].label}"))
        outcomes, interrupted = outcomes_of(refit, checkpoint=settings["checkpoint"], progress=progress)
    found = Comparison(
        labels=(groups[0].label, groups[1].label),
        maps=(maps[0], maps[1]),
        together=together,
        outcomes=(*observed, *outcomes),
        settings=options,
        seed=seed,
        identity=identity_of(refit),
        unit=ROWS if rows.block is None else PAIRS if rows.is_paired else CLUSTERS,
        n_units=rows.n_units,
        interrupted=interrupted,
    )
    if interrupted and not (found.n_permutations or found.failures):
        raise KeyboardInterrupt("before the first permutation was finished")
    return found


def _warn_of_the_same(groups: Sequence[Group], maps: Sequence[LearnedMap]) -> None:
    """Two tables of the same rows are one table given twice.

    Warns
    -----
    DataWarning
    """
    if maps[0].moments.digest == maps[1].moments.digest:
        warn(
            f"{listed([repr(group.label) for group in groups])} have the same number of rows and the same means, of "
            "columns and pairs, to the last digit: is one table compared with itself?",
            DataWarning,
        )


def _refuse_mixed(first: Group, second: Group) -> None:
    """Clusters lie in one group each, or all in both: else there are no equally likely ways to deal them out."""
    used = [group.clusters[group.table.row_weights > 0] for group in (first, second) if group.clusters is not None]
    if len(used) < 2:
        return
    ours, theirs = used
    shared, total = np.intersect1d(ours, theirs).size, np.union1d(ours, theirs).size
    if 0 < shared < total:
        raise DataError(
            f"{counted(shared, 'cluster')} of {total:,} {'has' if shared == 1 else 'have'} rows in both groups "
            f"({listed([first.label, second.label])}), the others in one. Clusters are dealt out whole where "
            "each is in one group, or swap sides where each is in both. Leave out the rows of either kind, or give "
            "other clusters (another cluster_column= of a file)"
        )
