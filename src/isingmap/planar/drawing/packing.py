"""Turning, scaling and placing the drawings of connected components on one sheet."""

from __future__ import annotations

import numpy as np

GAP = 1.5  # between components, in mean distances of a node to its nearest neighbour
ASPECT = 1.4  # preferred width by height of the sheet
N_TURNS = 360
N_WIDTHS = np.arange(1, 41)  # shelf widths to try, in widest components


def upright(position: np.ndarray) -> np.ndarray:
    """Turned so that the bounding box is the smallest and lies on its long side."""
    angle = np.pi / 2 * np.arange(N_TURNS) / N_TURNS
    turned_x = np.outer(np.cos(angle), position[:, 0]) - np.outer(np.sin(angle), position[:, 1])
    turned_y = np.outer(np.sin(angle), position[:, 0]) + np.outer(np.cos(angle), position[:, 1])
    width, height = np.ptp(turned_x, axis=1), np.ptp(turned_y, axis=1)
    flattest = int(np.argmin(np.round(width * height + 1e-6 * (width + height) ** 2, 9)))
    turned = np.column_stack([turned_x[flattest], turned_y[flattest]])
    if width[flattest] < height[flattest]:
        turned = np.column_stack([turned[:, 1], -turned[:, 0]])
    return turned - turned.min(axis=0)


def to_scale(position: np.ndarray) -> np.ndarray:
    """Scaled so that nodes are 1 apart from their nearest neighbour, in the mean."""
    apart = np.hypot(*(position[:, None] - position[None]).transpose(2, 0, 1))
    np.fill_diagonal(apart, np.inf)
    return position / apart.min(axis=1).mean()


def pack(drawings: list[np.ndarray]) -> list[np.ndarray]:
    """Move the drawings (lower left corner at 0, to scale) to places of their own.

    Those of two nodes and more stand on shelves, the tallest first; single nodes fill rows below them. Of all
    sensible shelf widths the one that makes the most of a sheet is used.
    """
    size = np.array([np.ptp(drawing, axis=0) for drawing in drawings]).reshape(-1, 2) + GAP
    single = np.array([len(drawing) == 1 for drawing in drawings], dtype=bool)
    order = np.lexsort((np.arange(len(size)), -size[:, 0], -size[:, 1], single))
    widest = size[:, 0].max()
    widths = np.concatenate([np.cumsum(size[order[~single[order]], 0]), widest * N_WIDTHS])
    corners = [_shelves(size, single, order, width) for width in np.unique(widths[widths >= widest])]
    best = min(corners, key=lambda corner: _sheet_width(corner, size))
    return [drawing + corner for drawing, corner in zip(drawings, best, strict=True)]


def _shelves(size, single, order, width: float) -> np.ndarray:
    """Lower left corners of boxes set on shelves of a width, from the top downwards."""
    corner = np.empty_like(size)
    x = y = shelf = 0.0
    was_single = False
    for k in order.tolist():
        if (single[k] and not was_single) or x + size[k, 0] > width + 1e-9:
            x, y, shelf = 0.0, y - shelf, 0.0
        shelf = max(shelf, size[k, 1])
        corner[k] = x, y - size[k, 1]
        x += size[k, 0]
        was_single = bool(single[k])
    return corner


def _sheet_width(corner: np.ndarray, size: np.ndarray) -> float:
    """Width of the smallest sheet of the preferred aspect that holds all boxes."""
    width, height = (corner + size).max(axis=0) - corner.min(axis=0)
    return max(width, ASPECT * height)


def to_unit_box(position: np.ndarray) -> np.ndarray:
    """Moved and scaled into [0, 1]^2, both axes alike, centred in the shorter direction."""
    if len(position) == 0:
        return position
    low, high = position.min(axis=0), position.max(axis=0)
    extent = float((high - low).max()) or 1.0
    return 0.5 + (position - (low + high) / 2) / extent
