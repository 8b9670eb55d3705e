"""What was left out of a table, or filled in, before a model was learned: counts that a paper states."""

from __future__ import annotations

from dataclasses import dataclass, fields


@dataclass(frozen=True)
class Treated:
    """Counts that add up where rules are applied one after the other.

    Attributes
    ----------
    dropped_rows : int
        Left out because of a missing cell.
    empty_rows : int
        Left out because no cell is known.
    minus_cells : int
        Missing cells that were read as -1.
    constant : tuple of str
        Columns left out because of their single value.
    """

    dropped_rows: int = 0
    empty_rows: int = 0
    minus_cells: int = 0
    constant: tuple[str, ...] = ()

    def __add__(self, other: Treated) -> Treated:
        """What both rules did."""
        return Treated(*(getattr(self, own.name) + getattr(other, own.name) for own in fields(Treated)))
