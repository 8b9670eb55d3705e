"""Sums that are nothing but rounding errors are zero: what a change of variables must not leave behind."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from isingmap.data.table import counted


def drop_rounding(fields: np.ndarray, magnitudes: np.ndarray, n_terms: np.ndarray) -> tuple[np.ndarray, int]:
    """Set to zero the fields that are nothing but the rounding error of the sum they were computed as.

    A zero-field model that went through 0/1 variables or tables of factors would otherwise come back with fields
    of 1e-17, and a planar graph with fields everywhere is no longer within reach of exact inference.

    Parameters
    ----------
    fields, magnitudes, n_terms : (n_spins,) arrays
        The sums, the sums of absolute values, and the numbers of terms.

    Returns
    -------
    fields : (n_spins,) array
    n_dropped : int
    """
    rounding = (fields != 0) & (np.abs(fields) <= 4 * np.finfo(float).eps * n_terms * magnitudes)
    return np.where(rounding, 0.0, fields), int(rounding.sum())


def settled_sum(terms: Sequence[float]) -> float:
    """The sum, or zero if it is nothing but the rounding error of its terms (an offset that cancels)."""
    magnitude = np.array([math.fsum(map(abs, terms))])
    total, _ = drop_rounding(np.array([math.fsum(terms)]), magnitude, np.array([len(terms)]))
    return float(total[0])


def rounding_notes(n_dropped: int) -> tuple[str, ...]:
    """What to say about `drop_rounding`."""
    if not n_dropped:
        return ()
    return (f"{counted(n_dropped, 'field')}, no larger than the rounding error of the terms, set to zero.",)
