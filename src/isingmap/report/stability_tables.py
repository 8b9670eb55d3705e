"""Tables of what resamples say: every pair of variables, and what is left when rows are dropped."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from isingmap.report.columns import names_in
from isingmap.report.tables import Row
from isingmap.resampling.stability import Stability

STABILITY_COLUMNS = names_in("stability.csv")
CASE_COLUMNS = names_in("case_dropping.csv")
FREQUENCY = "frequency"


def by_frequency(stability: Stability) -> np.ndarray:
    """Numbers of the pairs, the most frequent first, edges of the fit before others."""
    return np.lexsort((~stability.is_edge, -stability.frequency))


def stability_rows(stability: Stability) -> list[Row]:
    """A row of `STABILITY_COLUMNS` for each pair, the most frequent first; what is not known is empty."""
    order = by_frequency(stability)
    numbers = np.column_stack(
        [
            stability.coupling,
            stability.frequency,
            stability.interval,
            stability.mean_if_chosen,
            stability.sign_stability,
        ]
    )
    names, marks = stability.pair_names, np.where(stability.is_edge, "yes", "no")
    return [
        (*names[k], str(marks[k]), *(None if math.isnan(x) else x for x in numbers[k].tolist()), stability.n_fitted)
        for k in order.tolist()
    ]


def case_rows(stability: Stability) -> list[Row]:
    """A row of `CASE_COLUMNS` for each share of dropped rows."""
    rows: list[Row] = []
    for step in stability.case_dropping:
        (low, mean, high), (least, middle, most) = step.couplings, step.strengths
        couplings, strengths = (mean, low, high, step.alike[0]), (middle, least, most, step.alike[1])
        rows.append((step.dropped, step.n_resamples, *couplings, *strengths))
    return rows


def with_frequencies(
    columns: Sequence[str], rows: Sequence[Row], stability: Stability, edges: np.ndarray
) -> tuple[tuple[str, ...], list[Row]]:
    """A table of edges with one column more."""
    frequencies = stability.frequency[stability.numbers_of(edges)].tolist()
    return (*columns, FREQUENCY), [(*row, share) for row, share in zip(rows, frequencies, strict=True)]
