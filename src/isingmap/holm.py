"""P-values corrected for how many tests were made."""

from __future__ import annotations

import numpy as np


def holm(p_values: np.ndarray) -> np.ndarray:
    """P-values corrected for their number, so that the chance of any false one stays below the level (Holm, 1979)."""
    order = np.argsort(p_values, kind="stable")
    steps = np.maximum.accumulate((len(p_values) - np.arange(len(p_values))) * p_values[order])
    found = np.empty(len(p_values))
    found[order] = np.minimum(steps, 1.0)
    return found
