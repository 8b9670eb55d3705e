"""Draw data from a known model, learn it back, and compare: shared by `grid.py` and `outer_planar.py`."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from isingmap.model import IsingModel
from isingmap.sampling.gibbs import gibbs_sample

EXACT = np.inf

# Okabe & Ito's palette: told apart by colour-blind readers; the line styles say the same in black and white.
COLOUR = "#222222"
STYLES = {
    "right": {"color": COLOUR, "linestyle": "-", "linewidth": 1.6},
    "missing": {"color": "#0072B2", "linestyle": (0, (1.2, 1.2)), "linewidth": 2.2},
    "spurious": {"color": "#D55E00", "linestyle": "-", "linewidth": 2.2},
}


@dataclass(frozen=True, eq=False)
class Recovery:
    """A true model beside the one learned from its samples.

    Attributes
    ----------
    truth, learned : IsingModel
    n_samples : int, or `EXACT`
    divergence : float
        Kullback-Leibler divergence of the learned distribution from the true one, nats; exact.
    """

    truth: IsingModel
    learned: IsingModel
    n_samples: float
    divergence: float

    def pairs(self, kind: str) -> set[tuple[int, int]]:
        """Edges that are "right", "missing" or "spurious"."""
        true, learned = (set(map(tuple, model.edges.tolist())) for model in (self.truth, self.learned))
        return {"right": true & learned, "missing": true - learned, "spurious": learned - true}[kind]

    @property
    def is_perfect(self) -> bool:
        return not self.pairs("missing") and not self.pairs("spurious")


def recover(truth: IsingModel, n_samples: float, rng, learn: Callable) -> Recovery:
    """Sample a model and learn it back.

    Parameters
    ----------
    truth : IsingModel
    n_samples : int, or `EXACT`
        With `EXACT` the true moments are given to the search: what is still wrong is the fault of the search.
    rng : numpy.random.Generator
    learn : callable
        Called with moments, magnetizations and number of samples (1 if exact); returns the learned model.
    """
    if n_samples == EXACT:
        learned = learn(truth.correlations(), truth.magnetizations(), 1)
    else:
        samples = gibbs_sample(truth, n_samples, rng=rng).astype(np.float32)
        moments = (samples.T @ samples).astype(float) / n_samples
        learned = learn(moments, samples.mean(axis=0, dtype=float), n_samples)
    return Recovery(truth, learned, n_samples, kl_divergence(truth, learned))


def kl_divergence(truth: IsingModel, learned: IsingModel) -> float:
    """Exact D(truth || learned) in nats, from the moments of the truth and both partition functions."""
    own = truth.couplings @ truth.moments() + truth.fields @ truth.magnetizations()
    other = learned.couplings @ truth.correlations(learned.edges) + learned.fields @ truth.magnetizations()
    return float(own - other) + learned.log_partition() - truth.log_partition()


def print_table(recoveries: Iterable[Recovery]) -> None:
    """One line per number of samples: how often the graph is perfect, and what is wrong otherwise."""
    by_size: dict[float, list[Recovery]] = {}
    for recovery in recoveries:
        by_size.setdefault(recovery.n_samples, []).append(recovery)
    columns = ("perfect graphs", "missing edges", "spurious edges", "KL, nats")
    print(f"{'samples':>8} " + " ".join(f"{column:>14}" for column in columns))
    for n_samples, group in sorted(by_size.items()):
        perfect = f"{sum(r.is_perfect for r in group)} of {len(group)}"
        missing, spurious = (np.mean([len(r.pairs(kind)) for r in group]) for kind in ("missing", "spurious"))
        divergence = np.mean([r.divergence for r in group])
        size = "exact" if n_samples == EXACT else n_samples
        print(f"{size:>8} {perfect:>14} {missing:>14.1f} {spurious:>14.1f} {divergence:>14.4f}")


def draw_recovery(ax: Axes, recovery: Recovery, position: np.ndarray, *, numbered=False, bend=0.0) -> None:
    """The learned graph on the drawing of the true one; wrong edges stand out.

    The width of right edges follows their coupling. Spurious edges are bent by `bend`, so that they do not
    hide others on the same line.
    """
    strength = dict(zip(map(tuple, recovery.learned.edges.tolist()), recovery.learned.couplings, strict=True))
    for i, j in sorted(recovery.pairs("right")):
        width = 0.6 + 2.4 * abs(strength[i, j])
        _draw_edge(ax, position[i], position[j], 0.0, **(STYLES["right"] | {"linewidth": width}))
    for i, j in sorted(recovery.pairs("missing")):
        _draw_edge(ax, position[i], position[j], 0.0, **STYLES["missing"])
    for i, j in sorted(recovery.pairs("spurious")):
        _draw_edge(ax, position[i], position[j], bend, **STYLES["spurious"])
    _draw_spins(ax, position, numbered)
    ax.set_title(_title(recovery), fontsize=9)


def draw_truth(ax: Axes, truth: IsingModel, position: np.ndarray, *, numbered=False) -> None:
    """The true graph alone."""
    draw_recovery(ax, Recovery(truth, truth, EXACT, 0.0), position, numbered=numbered)
    ax.set_title(f"true graph\n{truth.n_edges} edges", fontsize=9)


def _title(recovery: Recovery) -> str:
    missing, spurious = (len(recovery.pairs(kind)) for kind in ("missing", "spurious"))
    verdict = "perfect" if recovery.is_perfect else f"{missing} missing, {spurious} spurious"
    return f"{recovery.n_samples:,} samples\n{verdict}"


def _draw_edge(ax: Axes, start: np.ndarray, end: np.ndarray, bend: float, **style) -> None:
    """A line, or an arc (parabola) that leaves it sideways by `bend` / 2 of its length."""
    t = np.linspace(0.0, 1.0, 30)[:, None]
    along = end - start
    sideways = np.array([-along[1], along[0]])
    curve = start + t * along + 2.0 * bend * t * (1.0 - t) * sideways
    ax.plot(curve[:, 0], curve[:, 1], zorder=1, solid_capstyle="butt", **style)


def _draw_spins(ax: Axes, position: np.ndarray, numbered: bool) -> None:
    size, face = (130, "white") if numbered else (26, COLOUR)
    ax.scatter(*position.T, s=size, facecolor=face, edgecolor=COLOUR, linewidth=1.0, zorder=2)
    for k, (x, y) in enumerate(position if numbered else []):
        ax.text(x, y, str(k + 1), ha="center", va="center_baseline", fontsize=7, zorder=3)
    ax.set_aspect("equal")
    ax.margins(0.1)
    ax.axis("off")


def add_legend(figure: Figure) -> None:
    labels = {"right": "right edge (width: strength)", "missing": "missing edge", "spurious": "spurious edge"}
    lines = [Line2D([], [], label=labels[kind], **style) for kind, style in STYLES.items()]
    figure.legend(handles=lines, loc="outside lower center", ncols=3, frameon=False, fontsize=9)
