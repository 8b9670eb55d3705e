"""Tables of a learned map: edges, nodes, the path of the search and the pairs left out, as rows."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from isingmap.data.missingness import Missingness
from isingmap.data.table import FIELD, MEAN
from isingmap.files.csv_file import Cell
from isingmap.learning.learned_map import LearnedMap
from isingmap.learning.misses import Miss
from isingmap.report.columns import names_in
from isingmap.report.network import betweenness, blocs, strengths
from isingmap.selection.cross_validation import HeldOutPath
from isingmap.structure.along_path import GAMMAS, criteria_along, edges_along
from isingmap.structure.result import SearchResult
from isingmap.structure.search_methods import STEPWISE
from isingmap.uncertainty.intervals import Intervals
from isingmap.uncertainty.zero_one import thresholds, weights

EDGE_COLUMNS = names_in("edges.csv", without=("frequency",))
NODE_COLUMNS = names_in("nodes.csv", without=("icpsr", "bioname"))
PATH_COLUMNS = names_in("path.csv")
EXCLUDED_COLUMNS = names_in("excluded.csv")
MISS_COLUMNS = names_in("misses.csv")
BLOCKED_COLUMNS = names_in("blocked.csv")
GAP_COLUMNS = names_in("missing.csv")

Row = tuple[Cell, ...]


def edge_rows(learned: LearnedMap) -> list[Row]:
    """A row of `EDGE_COLUMNS` for each edge, in the order of the model."""
    model = learned.model
    errors = learned.coupling_errors.tolist()
    ends = model.edges[:, 0], model.edges[:, 1]
    empirical = learned.moments.moments[ends].tolist()
    rows = [whole(row) for row in learned.moments.rows_behind[ends].tolist()]
    tests = learned.edge_tests
    columns = (
        model.couplings.tolist(),
        errors,
        *_interval_columns(learned.coupling_intervals),
        model.moments().tolist(),
        empirical,
        rows,
        learned.edge_losses.tolist(),
        tests.statistic.tolist(),
        tests.p_value.tolist(),
        _steps(learned.result),
        weights(model).tolist(),
        (4.0 * learned.coupling_errors).tolist(),
    )
    return [(*pair, *values) for pair, *values in zip(model.edge_names, *columns, strict=True)]


def _interval_columns(intervals: Intervals) -> tuple[list, list, list]:
    """Lower end, upper end, and how they were found; empty where there is neither."""
    known = (~np.isnan(intervals.lower) | ~np.isnan(intervals.upper)).tolist()
    kinds = ["profile" if by_profile else "wald" for by_profile in intervals.by_profile.tolist()]
    shown = [kind if there else None for kind, there in zip(kinds, known, strict=True)]
    return intervals.lower.tolist(), intervals.upper.tolist(), shown


def _steps(result: SearchResult) -> list[int | None]:
    """The step in which each edge was added, 0 for required ones; unknown where edges came and went, or at once."""
    path, pairs = result.path, result.model.edge_names
    removed = [target for action, target in zip(path.action, path.target, strict=True) if action == "remove"]
    if result.search not in STEPWISE or any(target != FIELD for target in removed):
        return [None] * len(pairs)
    steps = {ends: k for k, ends in enumerate(zip(path.source, path.target, strict=True)) if k}
    return [steps.get((source, target), 0) for source, target in pairs]


def node_columns(learned: LearnedMap) -> tuple[str, ...]:
    """`NODE_COLUMNS`, and a column for what else is known of the variables."""
    return (*NODE_COLUMNS, *learned.details)


def node_rows(learned: LearnedMap) -> list[Row]:
    """A row of `node_columns` for each variable, in the order of the columns of the data."""
    model, n = learned.model, learned.model.n_spins
    means = learned.moments.magnetizations
    codings = learned.codings or [None] * n
    labels = [("-1", "1") if coding is None else (coding.negative, coding.positive) for coding in codings]
    columns = (
        model.names,
        model.fields.tolist(),
        learned.field_errors.tolist(),
        *_interval_columns(learned.field_intervals),
        [None] * n if means is None else means.tolist(),
        model.magnetizations().tolist(),
        np.bincount(model.edges.reshape(-1), minlength=n).tolist(),
        learned.groups or [""] * n,
        *zip(*labels, strict=True),
        thresholds(model).tolist(),
        learned.threshold_errors.tolist(),
        strengths(model),
        betweenness(model).tolist(),
        blocs(model).tolist(),
    )
    details = list(zip(*learned.details.values(), strict=True)) or [()] * n
    return [(*row, *more) for row, more in zip(zip(*columns, strict=True), details, strict=True)]


def path_rows(result: SearchResult, held_out: HeldOutPath | None = None) -> list[Row]:
    """A row of `PATH_COLUMNS` for the starting graph (step 0) and for each step of the search.

    The last two columns are of graphs with as many parameters that grew in the folds of a cross-validation.
    """
    path = result.path
    unknown = np.full(len(path), np.nan)
    columns = (
        range(len(path)),
        path.source,
        path.target,
        path.gain.tolist(),
        path.log_likelihood.tolist(),
        path.aic.tolist(),
        path.bic.tolist(),
        path.ebic.tolist(),
        path.n_parameters.tolist(),
        path.n_ties.tolist(),
        path.action,
        edges_along(result).tolist(),
        *(criterion.values.tolist() for criterion in criteria_along(result)[-len(GAMMAS) :]),
        *(column.tolist() for column in (held_out.of_sizes(path.n_parameters) if held_out else (unknown, unknown))),
    )
    return list(zip(*columns, strict=True))


def excluded_rows(result: SearchResult) -> list[Row]:
    """A row of `EXCLUDED_COLUMNS` for each pair left out because its coupling would be infinite."""
    return [(pair.source, pair.target, pair.gain, pair.reason) for pair in result.excluded]


def miss_rows(names: Sequence[str], misses: Iterable[Miss]) -> list[Row]:
    """A row of `MISS_COLUMNS` for each mean and pair."""
    return [
        (
            names[miss.source],
            MEAN if miss.is_mean else names[miss.target],
            "yes" if miss.is_fitted else "no",
            miss.data,
            miss.model,
            miss.data - miss.model,
            miss.error,
            miss.z,
            whole(miss.rows),
        )
        for miss in misses
    ]


def gap_rows(gaps: Missingness) -> list[Row]:
    """A row of `GAP_COLUMNS` for each comparison, the smallest p-value first; then columns that have none."""
    names = gaps.names
    rows: list[Row] = [
        (
            *_gap(gaps, each.column),
            names[each.other],
            whole(each.n_lacking),
            whole(each.n_having),
            each.mean_lacking,
            each.mean_having,
            each.mean_lacking - each.mean_having,
            each.p_value,
            each.adjusted,
        )
        for each in gaps.relations
    ]
    compared = {each.column for each in gaps.relations}
    lone = [k for k in np.flatnonzero(gaps.missing > 0).tolist() if k not in compared]
    return rows + [(*_gap(gaps, k), *[None] * (len(GAP_COLUMNS) - 3)) for k in lone]


def _gap(gaps: Missingness, column: int) -> Row:
    missing = float(gaps.missing[column])
    return gaps.names[column], whole(missing), missing / gaps.n_samples


def blocked_rows(result: SearchResult) -> list[Row]:
    """A row of `BLOCKED_COLUMNS` for each pair that is worth its price and does not fit into the plane."""
    return [(pair.source, pair.target, pair.gain, pair.exact, pair.price) for pair in result.blocked]


def whole(count: float) -> float | int:
    """A count as it is written: without a point where it is a whole number."""
    return int(count) if float(count).is_integer() else count
