"""Edges and fields that are asked for by names or numbers of columns, as numbers of spins."""

from __future__ import annotations

from typing import Any

import numpy as np

from isingmap.data.blanks import as_spelled
from isingmap.data.table import listed
from isingmap.errors import ModelError
from isingmap.model import IsingModel


def numbers_of_fields(required: Any, names: tuple[str, ...]) -> np.ndarray:
    """Numbers of the spins that must have a field, int64.

    Raises
    ------
    ModelError
    """
    position = {name: k for k, name in enumerate(names)} | {k: k for k in range(len(names))}
    given = [required] if isinstance(required, str) else np.asarray(required, dtype=object).ravel().tolist()
    given = [as_spelled(name, names) for name in given]
    unknown = [name for name in given if isinstance(name, bool) or name not in position]
    if unknown:
        raise ModelError(
            f"required_fields must be names or numbers of columns, and none is {listed([repr(n) for n in unknown])}; "
            f"the columns are {listed(names)}"
        )
    return np.array([position[name] for name in given], np.int64)


def numbers_of_edges(given: Any, names: tuple[str, ...], setting: str) -> np.ndarray:
    """Edges as numbers of spins, (k, 2); what is wrong with them is said about the setting.

    Raises
    ------
    ModelError
    """
    try:
        array = np.asarray(given)
    except ValueError:  # rows of different lengths
        array = np.array(np.nan)
    try:
        if not array.size:
            return np.empty((0, 2), np.int64)
        if array.dtype.kind not in "OUSiu" or array.ndim != 2:
            raise ModelError(f"expected pairs (k, 2) of whole numbers or names of columns, got {given!r:.80}")
        if array.dtype.kind in "OUS":
            array = np.array([[as_spelled(name, names) for name in pair] for pair in array.tolist()], dtype=object)
        return IsingModel(array, np.zeros(len(array)), names=names).edges
    except ModelError as error:
        raise ModelError(f"{setting}: {error}") from None
