"""Which texts are numbers."""

from __future__ import annotations

import math
import re
from functools import lru_cache

# Every digit can be matched in one way only, so that a text that fails does so in time proportional to its length.
_NUMBER = re.compile(r"[+-]?(\d+(\.\d*)?|\.\d+)(e[+-]?\d+)?", re.ASCII)


# A table repeats a few texts in all its cells.
@lru_cache(maxsize=64)
def number(text: str) -> float | None:
    """The finite number written in `text`, or None. Stricter than float(): no underscores, no "inf"."""
    text = text.strip().casefold()
    if not _NUMBER.fullmatch(text):
        return None
    value = float(text)
    return value if math.isfinite(value) else None
