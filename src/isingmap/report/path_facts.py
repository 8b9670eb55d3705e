"""Facts of the path of a search: what each criterion, and the rows held out, would have chosen on it."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from isingmap.learning.learned_map import LearnedMap
from isingmap.report.facts import Fact, text_fact
from isingmap.selection.cross_validation import HeldOutPath
from isingmap.structure.along_path import criteria_along, edges_along
from isingmap.structure.result import SearchResult
from isingmap.structure.search_methods import STEPWISE

ALONG = "Along the path"
STRICT = ("ebic", "bic")  # whose searches end before AIC is smallest


def has_criteria(result: SearchResult) -> bool:
    """Whether there is a path with more than its start, and a likelihood that criteria know."""
    if result.search not in STEPWISE or len(result.path) <= 1 or result.is_composite:
        return False
    return bool(np.isfinite(result.path.log_likelihood).all())  # of steps before the last EM knows none


def path_facts(learned: LearnedMap) -> Iterator[Fact]:
    """Where each criterion is smallest; none where there is nothing to choose from."""
    result = learned.result
    if not has_criteria(result):
        return
    edges, last = edges_along(result), len(result.path) - 1
    yield text_fact(ALONG, "smallest", f"{'step':>6}{'edges':>8}{'parameters':>12}{'value':>16}")
    for criterion in criteria_along(result):
        step = criterion.step
        numbers = {"step": step, "n_edges": int(edges[step]), "n_parameters": int(result.path.n_parameters[step])}
        value = float(criterion.values[step])
        text = f"{step:6,}{numbers['n_edges']:8,}{numbers['n_parameters']:12,}{value:16,.2f}"
        yield Fact(ALONG, criterion.name, numbers | {"value": value}, text + "  (the last)" * (step == last))
    if result.criterion in STRICT and criteria_along(result)[0].step == last:
        text = (
            f"the path ends where {result.criterion.upper()} has enough; a search by AIC (criterion=aic, --criterion "
            "aic on the command line) may lead further"
        )
        yield text_fact(ALONG, "the last", text)
    if learned.selection is not None and learned.selection.path is not None:
        yield _held_out(learned.selection.path)


def _held_out(path: HeldOutPath) -> Fact:
    best, simplest = path.best, path.simplest
    text = f"greedy graphs of the folds predict best with {_size(path, best)} ({path.mean[best]:.4f} nats a row)"
    if best == len(path.mean) - 1:
        text += ", the largest that grew in all"
    if simplest != best:
        text += (
            f"; the smallest behind by at most one standard error of the difference has {_size(path, simplest)} "
            f"({path.mean[simplest]:.4f})"
        )
    value = {
        name: {
            "n_edges": float(path.n_edges[k]),
            "n_parameters": int(path.n_parameters[k]),
            "mean": float(path.mean[k]),
        }
        for name, k in (("best", best), ("simplest", simplest))
    }
    return Fact(ALONG, "held out", value, text)


def _size(path: HeldOutPath, k: int) -> str:
    return f"{path.n_edges[k]:,.4g} edges, {path.n_parameters[k]:,} parameters"
