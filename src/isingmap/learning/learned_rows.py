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
    n_missing : int
        Cells that are missing still.
    treated : Treated
    """

    n_rows: int | None
    are_weighted: bool
    n_missing: int = 0
    treated: Treated = field(default_factory=Treated)

    @classmethod
    def of_table(cls, table: SpinTable) -> LearnedRows:
        """Those of a table as it is learned from."""
        if table.weights is None:
            return cls(table.n_samples, False, table.n_missing, table.treated)
        used = table.weights > 0
        n_missing = int(np.count_nonzero(table.spins[used] == 0))
        return cls(int(used.sum()), bool((table.weights[used] != 1).any()), n_missing, table.treated)

    @classmethod
    def of_counted(cls, table: CountedTable) -> LearnedRows:
        """Those of which there are sums: what single rows weigh is not known."""
        tally = table.tally
        differs = not (tally.total - ExactSums.of_integers(np.array(tally.n_rows))).are_zero()
        are_weighted = differs or set(tally.total.parts) != {0}  # other parts hold fractions
        return cls(None if are_weighted else tally.n_rows, are_weighted, tally.n_missing, table.treated)
