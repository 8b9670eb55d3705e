"""What was tried on held-out rows: the section of the summary, and the table selection.csv."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict

from isingmap.files.csv_file import Cell
from isingmap.printable import printable
from isingmap.report.columns import names_in
from isingmap.report.facts import Fact, text_fact
from isingmap.selection.cross_validation import CrossValidation, Tried

TRIED = "Held out"
SELECTION_COLUMNS = names_in("selection.csv")


def selection_rows(selection: CrossValidation) -> list[tuple[Cell, ...]]:
    """A row of `SELECTION_COLUMNS` for each of the settings that were tried; empty where nothing could be fitted."""
    return [
        (
            *(entry.family, entry.criterion, _gamma(entry)),
            *(number if entry.was_fitted else None for number in _numbers(entry)),
            "yes" if entry.taken else "no",
            entry.note,
        )
        for entry in selection.tried
    ]


def selection_facts(selection: CrossValidation | None) -> Iterator[Fact]:
    """A table of all that were tried; JSON has the numbers."""
    if selection is None:
        return
    what = "clusters of rows" if selection.by_group else "rows"
    text = f"{selection.n_folds} folds of {what}; log-likelihood of a row that was not used, nats"
    if selection.was_interrupted:
        decided = f"{selection.n_done} of {selection.n_folds} folds decided"
        text += f". Interrupted: {decided}, and no restarts were made unless asked for"
    yield Fact(TRIED, "folds", selection.n_folds, text)
    yield text_fact(
        TRIED, "settings", f"{'held out':>11}{'se':>9}{'behind':>10}{'se':>9}{'edges':>8}{'parameters':>12}"
    )
    for entry in selection.tried:
        value = {key: None if number != number else number for key, number in asdict(entry).items()}
        yield Fact(TRIED, _label(entry), value, _line(entry))
    yield text_fact(TRIED, "taken", f"{_label(selection.taken)}: {_why(selection.taken)}")


def _why(taken: Tried) -> str:
    if taken.behind == 0.0:
        return "the best, and of those within one standard error of the difference none has fewer parameters"
    return "the fewest parameters of those that are behind the best by at most one standard error of the difference"


def _gamma(entry: Tried) -> float | None:
    return entry.gamma if entry.criterion == "ebic" else None


def _label(entry: Tried) -> str:
    gamma = "" if _gamma(entry) is None else f" {entry.gamma:g}"
    return f"{entry.family} {entry.criterion}{gamma}"


def _numbers(entry: Tried) -> tuple[float, ...]:
    return (entry.mean, entry.se, entry.behind, entry.behind_se, entry.n_edges, entry.n_parameters)


def _line(entry: Tried) -> str:
    if not entry.was_fitted:
        return f"not fitted: {printable(entry.note)}"
    mean, se, behind, behind_se, n_edges, n_parameters = _numbers(entry)
    return f"{mean:11.4f}{se:9.4f}{behind:10.4f}{behind_se:9.4f}{n_edges:8.1f}{n_parameters:12.1f}"
