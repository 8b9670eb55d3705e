"""What nodes, edges and arcs of fields look like in SVG: the same look as `appearance` gives to printed pictures."""

from __future__ import annotations

import math
from collections.abc import Sequence

from isingmap.report import field_arcs
from isingmap.report.appearance import sign_style
from isingmap.report.map_figure import NODE_RADIUS


def _polygon(corners: int, radius: float, turned: float) -> str:
    """Corners on a circle, the first `turned` degrees clockwise from the top."""
    angles = [math.radians(turned + 360 * k / corners) for k in range(corners)]
    return "M" + "L".join(f"{radius * math.sin(a):.2f},{-radius * math.cos(a):.2f}" for a in angles) + "Z"


def _circle(radius: float) -> str:
    half = f"A{radius:g},{radius:g} 0 1 1"
    return f"M0,{-radius:g}{half} 0,{radius:g}{half} 0,{-radius:g}Z"


def _corners(points: Sequence[tuple[float, float]], radius: float) -> str:
    return "M" + "L".join(f"{radius * x:.2f},{radius * y:.2f}" for x, y in points) + "Z"


def _four_times(corners: Sequence[tuple[float, float]]) -> list[tuple[float, float]]:
    """The corners of one arm, turned by quarters."""
    arms = [corners]
    for _ in range(3):
        arms.append([(-y, x) for x, y in arms[-1]])
    return [corner for arm in arms for corner in arm]


# A plus sign with thick arms, and a cross.
_PLUS = _four_times([(-0.36, -1.0), (0.36, -1.0), (0.36, -0.36)])
_CROSS = _four_times([(-1.0, -0.5), (-0.5, -1.0), (0.0, -0.5)])

# By the markers of `appearance`, of about the same area.
MARKER_PATHS = {
    "o": _circle(NODE_RADIUS),
    "s": _polygon(4, 1.25 * NODE_RADIUS, 45),
    "^": _polygon(3, 1.4 * NODE_RADIUS, 0),
    "v": _polygon(3, 1.4 * NODE_RADIUS, 180),
    "D": _polygon(4, 1.3 * NODE_RADIUS, 0),
    "h": _polygon(6, 1.15 * NODE_RADIUS, 0),
    "P": _corners(_PLUS, 1.15 * NODE_RADIUS),
    "X": _corners(_CROSS, 1.05 * NODE_RADIUS),
}
# Five points, those between them at two fifths of the radius.
STAR = (
    "M"
    + "L".join(
        f"{(4.5 if k % 2 == 0 else 1.8) * math.sin(math.pi * k / 5):.2f},"
        f"{-(4.5 if k % 2 == 0 else 1.8) * math.cos(math.pi * k / 5):.2f}"
        for k in range(10)
    )
    + "Z"
)
ARC_RADIUS = NODE_RADIUS + field_arcs.GAP + field_arcs.WIDTH / 2


def arc_path(field: float) -> str:
    """The arc of a field around a node at the origin; nothing where there is none."""
    angle = field_arcs.sweep(field)
    if not angle:
        return ""
    r, clockwise = ARC_RADIUS, int(angle > 0)
    turn = min(abs(angle), 359.9)  # the ends of a whole turn must not meet, or nothing is drawn
    a = math.radians(math.copysign(turn, angle))
    return f"M0,{-r:g}A{r:g},{r:g} 0 {int(turn > 180)} {clockwise} {r * math.sin(a):.3f},{-r * math.cos(a):.3f}"


def dash_pattern(coupling: float) -> str:
    """Of a line, as SVG has it; nothing for an unbroken one."""
    _, dashes = sign_style(coupling)
    if dashes == "-":
        return ""
    return "1 2.2" if dashes == ":" else _spaced(dashes[1])


def _spaced(lengths: Sequence[float]) -> str:
    return " ".join(f"{2 * length:g}" for length in lengths)
