"""The rows behind a model, counted."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from isingmap.data.counted_table import CountedTable
from isingmap.data.exact_sums import ExactSums
from isingmap.data.table import SpinTable
from isingmap.data.treated import Treated


@dataclass(frozen=True)
class LearnedRows:
    """The rows behind a model.

    Attributes
    ----------
    n_rows : int or None
        Rows of positive weight; None where only sums of weighted rows are known.
    are_weighted : bool
        Whether any row counts as another number of rows than one.
    are_whole : bool
        Whether their weights are whole numbers, and so counts.
    n_missing : int
        Cells that are missing still.
    treated : Treated
    """

    n_rows: int | None
    are_weighted: bool
    are_whole: bool = True
    n_missing: int = 0
    treated: Treated = field(default_factory=Treated)

    @classmethod
    def of_table(cls, table: SpinTable) -> LearnedRows:
        """Those of a table as it is learned from."""
        if table.weights is None:
            return cls(table.n_samples, False, True, table.n_missing, table.treated)
        used = table.weights > 0
        weights, n_missing = table.weights[used], int(np.count_nonzero(table.spins[used] == 0))
        are_whole = bool((weights == np.floor(weights)).all())
        return cls(int(used.sum()), bool((weights != 1).any()), are_whole, n_missing, table.treated)

    @classmethod
    def of_counted(cls, table: CountedTable) -> LearnedRows:
        """Those of which there are sums: what single rows weigh is not known."""
        tally = table.tally
        differs = not (tally.total - ExactSums.of_integers(np.array(tally.n_rows))).are_zero()
        are_whole = min(tally.total.parts) >= 0  # lower parts hold fractions
        are_weighted = differs or not are_whole
        n_rows = None if are_weighted else tally.n_rows
        return cls(n_rows, are_weighted, are_whole, tally.n_missing, table.treated)
