"""The settings of reading a table: coding, missing cells, columns that make trouble. No NumPy here."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from isingmap.option import check_options, option

MISSING_RULES = ("error", "em", "drop", "minus", "pairwise")
EM = "em"
CONSTANT_RULES = ("error", "drop", "keep")
FREQUENCY, SURVEY = "frequency", "survey"


@dataclass(frozen=True, kw_only=True)
class DataOptions:
    """How a table becomes spins.

    Raises
    ------
    ModelError
        Naming the setting, what it may be and what was given.
    """

    positive: Any = option(
        None, "the label that counts as +1, or {column: label}, where it is not plain (1, true, yes, yea)", "labels",
        metavar="LABEL",
        commands=("fit", "stability", "compare"),
    )  # fmt: skip
    missing_label: Any = option(
        None,
        "a label, or several, that stands for a missing answer, such as 9, 99, -9 or refused",
        "labels",
        metavar="LABEL",
        commands=("fit", "stability", "compare"),
    )
    missing: str = option(
        "error",
        "missing cells (empty, NA, ?): error: stop and count them; em: find the model that makes what was observed "
        "most probable (the EM algorithm, exact); drop: drop their rows; minus: read them as -1; "
        "pairwise: use for each pair of columns the rows where both are known",
        "choice",
        choices=MISSING_RULES,
        commands=("fit", "stability", "compare"),
    )
    weight_kind: str = option(
        FREQUENCY,
        "what weights of rows mean. frequency: a row of weight w stands for w equal rows; survey: it stands for so "
        "large a part of the population: weights are scaled to Kish's effective number of rows, which criteria and "
        "log-likelihoods count, and standard errors are robust",
        "choice",
        choices=(FREQUENCY, SURVEY),
        commands=("fit", "stability"),
    )
    threshold: float | None = option(
        None,
        "for counts: a value of so much or more is +1, a smaller one -1",
        "number",
        metavar="T",
        commands=("fit", "stability", "compare"),
    )
    constant: str = option(
        "error",
        "columns with a single value: error: stop; drop: leave them out; keep: keep them, which takes a prior, or "
        "their fields would be infinite",
        "choice",
        choices=CONSTANT_RULES,
    )

    def __post_init__(self) -> None:
        check_options(self)
