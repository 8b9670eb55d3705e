"""What is asked of columns of the data, by name or number, where some of the columns were left out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from isingmap.data.table import listed
from isingmap.errors import DataError
from isingmap.learning.settings import options_from
from isingmap.structure.options import ProblemOptions


def problem_of_kept(settings: Mapping[str, Any], columns: Sequence[str], kept: Sequence[str]) -> dict[str, Any]:
    """The arguments of `Problem` beside the moments, of those columns that are left.

    Parameters
    ----------
    settings : mapping of str to object
        Of the estimator.
    columns, kept : sequence of str
        Before and after columns were left out.

    Raises
    ------
    DataError
        As `among_kept`.
    """
    asked = options_from(dict(settings), ProblemOptions)
    for setting in ("required_edges", "graph"):
        asked[setting] = among_kept(asked[setting], columns, kept, setting)
    return asked


def among_kept(edges: Any, columns: Sequence[str], kept: Sequence[str], setting: str) -> Any:
    """The edges between columns of which only some are left, by name; as they are if all are left.

    Parameters
    ----------
    edges : (k, 2) array of int or names, or None
    columns, kept : sequence of str
        Before and after constant columns were left out.
    setting : str
        For the message.

    Raises
    ------
    DataError
        Naming the columns that edges need and that are not left.
    """
    if edges is None or len(columns) == len(kept):
        return edges
    array = np.asarray(edges)
    if array.dtype.kind in "iu" and array.size and array.min() >= 0 and array.max() < len(columns):
        array = np.asarray(columns, dtype=object)[array]
    lost = set(columns) - set(kept)
    needed = sorted({str(name) for name in array.reshape(-1).tolist()} & lost)
    if needed:
        verb, edge = ("was", "its edges") if len(needed) == 1 else ("were", "their edges")
        raise DataError(
            f"{listed([repr(name) for name in needed])} {verb} left out for having a single value, but {setting}= "
            f"needs {'it' if len(needed) == 1 else 'them'}; leave {edge} out, or use constant='keep' and prior=1"
        )
    return array
