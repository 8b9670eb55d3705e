"""Weights of a survey: how much of the population a row stands for, which says nothing of how many were asked."""

from __future__ import annotations

import math
from dataclasses import replace

from isingmap.data.table import SpinTable, counted
from isingmap.errors import DataError


def as_survey(table: SpinTable) -> SpinTable:
    """The table with its weights scaled to sum to Kish's effective number of rows, (sum of w)^2 / (sum of w^2).

    If the weights had nothing to do with the answers, means would vary as those of so many rows of equal weight. So
    log-likelihoods, criteria and whatever else counts rows are those of the effective number, never of more rows than
    there are; standard errors do not depend on the scale, because they come from the rows (`row_spread`).

    Raises
    ------
    DataError
        Without weights.

    Source: Kish, Survey Sampling (1965), section 11.7.
    """
    if table.weights is None:
        raise DataError(
            "weight_kind='survey' says what weights of rows mean, and there are none: give them (weight_column= of a "
            "file, sample_weight= of `fit` in Python), or leave weight_kind= out"
        )
    weights = table.weights / table.weights.max()
    total, squares = math.fsum(weights), math.fsum(weights**2)  # the same in every order of the rows
    n_effective = total**2 / squares
    n_rows = int((weights > 0).sum())
    note = (
        f"Weights of a survey: {counted(n_rows, 'row')} count as {n_effective:,.1f} of equal weight (Kish's effective "
        f"number; design effect of the weights {n_rows / n_effective:.3f})."
    )
    return replace(table, weights=weights * (n_effective / total)).with_notes(note)
