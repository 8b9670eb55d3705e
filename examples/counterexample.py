"""The paper's counterexample (section 4): with exact moments, the greedy search takes a wrong edge first.

Johnson, Netrapalli & Chertkov, "Learning Planar Ising Models", AISTATS 2011. The true graph is K5 without the
edge a-e. The pair a-e has the largest moment and is taken first; the last true edge then no longer fits into
the plane, and a-e stays with a small negative coupling.
"""

from __future__ import annotations

import numpy as np
from command_line import arguments, save
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from isingmap import Problem, SearchOptions, greedy_search
from isingmap.datasets.random_models import paper_counterexample
from isingmap.model import IsingModel
from isingmap.structure.result import SearchResult

# a above, e below, the others between: crossing-free once c-d goes around e, or a-e around d, but not both.
POSITION = {"a": (0.0, 1.5), "b": (0.0, 0.0), "c": (-1.25, 0.0), "d": (1.25, 0.0), "e": (0.0, -1.5)}
POSITIVE, NEGATIVE = "#222222", "#D55E00"


def learn(truth: IsingModel) -> SearchResult:
    """Greedy search on the exact moments. With no data there is no number of samples; per-sample units do."""
    problem = Problem.from_moments(truth.correlations(), 1.0, names=truth.names, family="zero-field")
    return greedy_search(problem, SearchOptions(criterion="maximal"))


def print_path(result: SearchResult) -> None:
    path = result.path
    print(f"{'step':>4}  {'edge':<5} {'gain, nats':>13} {'ties':>5}")
    for k in range(1, len(path)):
        edge = f"{path.source[k]}-{path.target[k]}"
        print(f"{k:>4}  {edge:<5} {path.gain[k]:>13.10f} {path.n_ties[k]:>5}")
    print(f"stopped: {result.stopped}")


def print_couplings(truth: IsingModel, learned: IsingModel) -> None:
    true, found = (dict(zip(m.edge_names, m.couplings.tolist(), strict=True)) for m in (truth, learned))
    print(f"\n{'edge':<5} {'true':>8} {'learned':>9}")
    for edge in sorted(true | found):
        columns = [f"{c[edge]:.4f}" if edge in c else "-" for c in (true, found)]
        print(f"{'-'.join(edge):<5} {columns[0]:>8} {columns[1]:>9}")


def draw_model(ax: Axes, model: IsingModel, title: str) -> None:
    for (i, j), coupling in zip(model.edge_names, model.couplings, strict=True):
        curve = _curve(i, j)
        colour = POSITIVE if coupling > 0 else NEGATIVE
        ax.plot(*curve.T, color=colour, linewidth=0.9 + 2.2 * abs(coupling), zorder=1)
        _write_on(ax, curve[len(curve) // 2], f"{coupling:.2f}".replace("-", "\u2212"), colour)
    for name in model.names:
        ax.scatter(*POSITION[name], s=240, facecolor="white", edgecolor=POSITIVE, zorder=3)
        ax.text(*POSITION[name], name, ha="center", va="center_baseline", fontsize=10, zorder=4)
    ax.set_title(title, fontsize=10)
    ax.set_aspect("equal")
    ax.margins(0.1)
    ax.axis("off")


def _write_on(ax: Axes, point: np.ndarray, text: str, colour: str) -> None:
    box = {"facecolor": "white", "edgecolor": "none", "pad": 1.0}
    ax.text(*point, text, fontsize=7.5, ha="center", va="center", color=colour, zorder=2, bbox=box)


def _curve(i: str, j: str) -> np.ndarray:
    """A straight line, but half an ellipse around d for a-e and around e for c-d."""
    start, end = np.array(POSITION[i]), np.array(POSITION[j])
    t = np.linspace(0.0, 1.0, 61)[:, None]
    outermost = {("a", "e"): (2.0, 0.0), ("c", "d"): (0.0, -2.1)}.get((i, j))
    if outermost is None:
        return start + t * (end - start)
    return start * np.cos(np.pi * t) + outermost * np.sin(np.pi * t)


def draw(truth: IsingModel, learned: IsingModel) -> Figure:
    figure = Figure(figsize=(6.6, 3.7), layout="constrained")
    left, right = figure.subplots(1, 2, sharex=True, sharey=True)
    draw_model(left, truth, "true model")
    draw_model(right, learned, "learned from exact moments")
    signs = ((POSITIVE, "positive coupling"), (NEGATIVE, "negative coupling"))
    lines = [Line2D([], [], color=colour, linewidth=2, label=label) for colour, label in signs]
    figure.legend(handles=lines, loc="outside lower center", ncols=2, frameon=False, fontsize=9)
    return figure


def main() -> None:
    options = arguments(__doc__.splitlines()[0])
    truth = paper_counterexample()
    result = learn(truth)
    print_path(result)
    print_couplings(truth, result.model)
    save(draw(truth, result.model), options.out, "counterexample")


if __name__ == "__main__":
    main()
