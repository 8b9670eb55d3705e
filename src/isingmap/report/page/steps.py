"""The path of a search as the page shows it: which edges are there after each step, and the curve of the criterion."""

from __future__ import annotations

from dataclasses import dataclass

from isingmap.data.table import FIELD
from isingmap.errors import FileFormatError
from isingmap.files.number_text import number
from isingmap.model import IsingModel
from isingmap.report.page.sources import Table

START, SIGNS = "start", {"add": 1, "remove": -1}
_CRITERIA = {"ebic": "EBIC", "bic": "BIC", "aic": "AIC"}
Pair = tuple[int, int]


@dataclass(frozen=True)
class Steps:
    """What the slider goes through.

    Attributes
    ----------
    pairs : list of (int, int)
        Edges of the model, then those that the search took back.
    changes : list of list of int
        For each step what came (k + 1) or went (-k - 1), k a number in `pairs`; empty where it was a field.
    first : list of int
        Edges that were there before the first step.
    """

    pairs: list[Pair]
    changes: list[list[int]]
    first: list[int]


def steps_of(model: IsingModel, path: Table | None) -> Steps:
    """The changes of the path, told from its end: what was there in the beginning need not be in the file.

    Raises
    ------
    FileFormatError
        If the path names variables that the model does not have, or is none.
    """
    index = {name: k for k, name in enumerate(model.names)}
    pairs: list[Pair] = [(i, j) for i, j in model.edges.tolist()]
    known = {pair: k for k, pair in enumerate(map(_in_order, pairs))}
    changes: list[list[int]] = []
    moves = [] if path is None else zip(*map(path.column, ("action", "source", "target")), strict=True)
    for action, source, target in moves:
        if target == FIELD or action == START:
            changes.append([])
            continue
        if action not in SIGNS or not {source, target} <= index.keys():
            raise FileFormatError(f"path.csv tells of a step that cannot be: {action} {source!r} - {target!r}")
        pair = _in_order((index[source], index[target]))
        if pair not in known:
            known[pair] = len(pairs)
            pairs.append(pair)
        changes.append([SIGNS[action] * (known[pair] + 1)])
    return Steps(pairs, changes, _at_the_start(model.n_edges, changes))


def _in_order(pair: Pair) -> Pair:
    return (min(pair), max(pair))


def _at_the_start(n_edges: int, changes: list[list[int]]) -> list[int]:
    """Undo all changes, the last first."""
    present = set(range(n_edges))
    for change in (k for step in reversed(changes) for k in step):
        (present.discard if change > 0 else present.add)(abs(change) - 1)
    return sorted(present)


@dataclass(frozen=True)
class Curve:
    """A criterion against the steps, as a picture of `width` times `height` points, y downwards.

    Attributes
    ----------
    name : str
    points : list of (float, float)
        One for each step.
    x_ticks, y_ticks : list of (float, str)
        Place and text.
    """

    name: str
    points: list[tuple[float, float]]
    x_ticks: list[tuple[float, str]]
    y_ticks: list[tuple[float, str]]
    width: float = 640.0
    height: float = 220.0
    # Of the axes, from the edges of the picture.
    left: float = 84.0
    top: float = 12.0
    right: float = 628.0
    bottom: float = 186.0


def curve_of(path: Table | None, criterion: object) -> Curve | None:
    """The criterion that the search went by, or log-likelihood; nothing where the path has no steps or no numbers."""
    column = criterion if isinstance(criterion, str) and criterion in _CRITERIA else "log_likelihood"
    if path is None or len(path.rows) < 2 or column not in path.columns:
        return None
    values = [number(text) for text in path.column(column)]
    known = [value for value in values if value is not None]
    return _drawn(_CRITERIA.get(column, "log-likelihood"), known) if len(known) == len(values) else None


def _drawn(name: str, values: list[float]) -> Curve:
    low, high, last = min(values), max(values), len(values) - 1

    def x(step: float) -> float:
        return round(Curve.left + (Curve.right - Curve.left) * step / last, 2)

    def y(value: float) -> float:
        return round(Curve.top + (Curve.bottom - Curve.top) * (high - value) / ((high - low) or 1.0), 2)

    return Curve(
        name=name,
        points=[(x(step), y(value)) for step, value in enumerate(values)],
        x_ticks=[(x(step), f"{step:,}") for step in sorted({0, last // 2, last})],
        y_ticks=[(y(value), f"{value:,.0f}" if abs(value) >= 1e3 else f"{value:.4g}") for value in sorted({low, high})],
    )
