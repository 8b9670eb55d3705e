"""The file that tells which kind of results a folder holds; with two of them, one would be taken for the other."""

from __future__ import annotations

MODEL, COMPARISON, COMPARISONS = "model.json", "comparison.json", "comparisons.csv"
KINDS = {MODEL: "a fit", COMPARISON: "a comparison", COMPARISONS: "maps of groups"}


def other_kinds(*own: str) -> dict[str, str]:
    """The files by which results of other kinds are known, and what they are."""
    return {name: what for name, what in KINDS.items() if name not in own}
