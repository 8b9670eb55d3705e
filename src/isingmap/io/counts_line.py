"""Lines of counts in front of lists of edges: `n m` of max-cut files, `n m E` of D-Wave's, `n n m` of MatrixMarket."""

from __future__ import annotations

from collections.abc import Sequence

from isingmap.files.number_text import number


def holds_counts(first: Sequence[str], ends_below: Sequence[Sequence[str]]) -> bool:
    """Whether a first line counts the variables and the lines below, whose ends are given.

    Two numbers can be nothing else. Three are counts if one is the number of lines below, and no edge was likely to be
    that line: its second number is no variable below (`n m E`), or it would be a loop (`n n m`).
    """
    numbers = [number(cell) for cell in first]
    if not ends_below or len(first) not in (2, 3) or None in numbers:
        return False
    if len(first) == 2:
        return True
    labels = {number(cell) for row in ends_below for cell in row}
    largest = max((label for label in labels if label is not None), default=None)
    n_lines = len(ends_below)
    by_labels = numbers[0] == largest and numbers[1] == n_lines and (n_lines not in labels or n_lines == largest)
    square = numbers[0] == numbers[1] == largest and numbers[2] == n_lines
    return None not in labels and n_lines > 1 and (by_labels or square)
