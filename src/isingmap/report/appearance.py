"""What groups, signs and strengths look like: colours, markers, widths and the entries of the legend.

No meaning rests on colour alone: groups also differ in shape and signs in dashes.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

POSITIVE = "#4a7fb5"
NEGATIVE = "#e06010"
ZERO = "#999999"
LEFT_OUT = "#b0559a"  # pairs of a comparison whose difference means nothing
DASHES = (0, (3.2, 1.6))
SIGN_MEANINGS = ((1, "coupling > 0: agree"), (-1, "coupling < 0: differ"), (0, "coupling 0"))
NARROWEST, WIDEST = 0.35, 3.6  # points

# Okabe and Ito's palette, told apart with any colour vision; "" is a node without a group
PALETTE = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#F0E442", "#333333")
MARKERS = ("o", "s", "^", "D", "v", "P", "X", "h")
PARTIES = {"D": ("#2a5db0", "o"), "R": ("#c9302c", "s"), "I": ("#e3b505", "D")}
NO_GROUP = ("#8a8a8a", "o")


def group_styles(groups: Sequence[str]) -> dict[str, tuple[str, str]]:
    """(colour, marker) of every group, in alphabetical order; American parties get the customary colours."""
    distinct = sorted(set(groups) - {""})
    styles = {"": NO_GROUP} if "" in groups else {}
    if set(distinct) <= set(PARTIES):
        return {group: PARTIES[group] for group in distinct} | styles
    for k, group in enumerate(distinct):  # 64 combinations before one comes again
        styles[group] = PALETTE[k % 8], MARKERS[(k + k // 8) % 8]
    return styles


@dataclass(frozen=True)
class Scale:
    """Line width of a strength, in points: proportional to |value|, the largest drawn `WIDEST`."""

    largest: float

    def width(self, value: float) -> float:
        """Width of a line, in points."""
        return max(NARROWEST, WIDEST * abs(value) / self.largest) if self.largest > 0 else NARROWEST

    def samples(self) -> list[float]:
        """Three values to show in a legend, to two digits."""
        if self.largest == 0:
            return []
        return [float(f"{self.largest * share:.2g}") for share in (1.0, 0.5, 0.2)]


def scale_of(values: np.ndarray) -> Scale:
    """The scale on which the largest of some values is drawn the widest."""
    return Scale(float(np.abs(values).max()) if len(values) else 0.0)


def sign_style(value: float) -> tuple[str, Any]:
    """(colour, line style as matplotlib has it) of a positive, negative or zero value."""
    if value > 0:
        return POSITIVE, "-"
    return (NEGATIVE, DASHES) if value < 0 else (ZERO, ":")
