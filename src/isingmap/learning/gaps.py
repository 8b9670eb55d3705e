"""What a fit makes of missing cells before it begins: whether EM is asked for, and what they tell of other columns."""

from __future__ import annotations

from collections.abc import Sequence

from isingmap.data.counted_table import CountedTable
from isingmap.data.design_effects import design_effects
from isingmap.data.missingness import Missingness, missingness_of
from isingmap.data.options import EM, SURVEY, DataOptions
from isingmap.data.table import SpinTable
from isingmap.data.tally import tally_of
from isingmap.errors import DataError
from isingmap.structure.options import UncertaintyOptions

# Rules that assume nothing of the reasons for which cells are missing.
_ASSUME_NOTHING = ("error", "minus")


def gaps_of(table: SpinTable | CountedTable, rule: str, kept: Sequence[str]) -> Missingness | None:
    """What missing cells have to do with the other columns, where the rule has to assume something of that.

    Of sums over rows nothing is known under "drop": rows with a missing cell are not among them.

    Parameters
    ----------
    table : SpinTable or CountedTable
        As it was given.
    rule : str
    kept : sequence of str
        Columns that are in the model. The gaps of others matter only under "drop", by the rows that went with them.

    Warns
    -----
    DataWarning
        Where they do, one line.
    """
    if rule in _ASSUME_NOTHING or (isinstance(table, CountedTable) and table.missing == "drop"):
        return None
    if rule != "drop" and len(kept) < len(table.names):
        table = table.select([table.names.index(name) for name in kept])
    tally = table.tally if isinstance(table, CountedTable) else tally_of(table) if table.n_missing else None
    if tally is None or not tally.n_missing:
        return None
    effects = None
    if isinstance(table, SpinTable) and table.clusters is not None:
        effects = design_effects(table)
    gaps = missingness_of(tally, table.names, effects)
    gaps.warn_of_relations(rule)
    return gaps


def is_for_em(table: SpinTable, reading: DataOptions, uncertainty: UncertaintyOptions) -> bool:
    """Whether there are missing cells that the EM algorithm is asked for.

    Raises
    ------
    DataError
        For standard errors and intervals that are not known there.
    """
    if reading.missing != EM or not table.n_missing:
        return False
    asked = {
        "clusters": table.clusters is not None,
        "weight_kind='survey'": reading.weight_kind == SURVEY,
        "errors='robust'": uncertainty.errors == "robust",
        "intervals='profile'": uncertainty.intervals == "profile",
    }
    unfit = [setting for setting, is_asked in asked.items() if is_asked]
    if unfit:
        raise DataError(
            f"missing='em' has standard errors from the observed information alone, and Wald's intervals, which do not "
            f"go with {', '.join(unfit)}; leave {'it' if len(unfit) == 1 else 'them'} out, or take missing='drop'"
        )
    return True
