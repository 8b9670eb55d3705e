"""Whether predicted chances come true: known cells, each predicted as if it were missing, by what was predicted."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from isingmap.errors import DataError

N_BINS = 10
CALIBRATION_COLUMNS = ("from", "to", "cells", "predicted", "observed", "se")


@dataclass(frozen=True)
class Bin:
    """Cells whose chances of +1 lie between two bounds.

    Attributes
    ----------
    lower, upper : float
    n_cells : int
    predicted, observed : float
        Mean chance, and share that is +1; NaN without cells.
    error : float
        Standard error of the share if the chances are right and the cells independent.
    """

    lower: float
    upper: float
    n_cells: int
    predicted: float
    observed: float
    error: float


@dataclass(frozen=True)
class Calibration:
    """Chances beside what came of them.

    Attributes
    ----------
    bins : tuple of Bin
        Of equal width, ascending.
    n_cells : int
    log_loss : float
        Mean of -log of the chance that was given to what a cell is, nats.
    marginal_log_loss : float
        The same of a forecast that gives each cell the share of +1 among the known cells of its column.
    """

    bins: tuple[Bin, ...]
    n_cells: int
    log_loss: float
    marginal_log_loss: float

    @property
    def rows(self) -> list[tuple]:
        """Rows of `CALIBRATION_COLUMNS`."""
        return [(b.lower, b.upper, b.n_cells, b.predicted, b.observed, b.error) for b in self.bins]


def calibration_of(chances: np.ndarray, spins: np.ndarray) -> Calibration:
    """Hold predicted chances against known cells.

    Parameters
    ----------
    chances : (n_rows, n_spins) array
        P(+1) of each cell given the others of its row, such as `IsingModel.predict` has.
    spins : (n_rows, n_spins) array
        -1, +1, and NaN or 0 for a missing cell, which is not counted.

    Raises
    ------
    DataError
        If no cell is known.
    """
    known = np.nan_to_num(spins) != 0
    if not known.any():
        raise DataError("no cell of the table is known, so no chance can be held against anything")
    is_plus, chance = spins[known] > 0, chances[known]
    share = ((np.nan_to_num(spins) > 0).sum(axis=0) / np.maximum(known.sum(axis=0), 1))[np.nonzero(known)[1]]
    number = np.minimum((chance * N_BINS).astype(int), N_BINS - 1)
    bins = tuple(_bin(k, chance[number == k], is_plus[number == k]) for k in range(N_BINS))
    return Calibration(bins, int(known.sum()), _log_loss(chance, is_plus), _log_loss(share, is_plus))


def _bin(k: int, chance: np.ndarray, is_plus: np.ndarray) -> Bin:
    bounds = k / N_BINS, (k + 1) / N_BINS
    if not chance.size:
        return Bin(*bounds, 0, np.nan, np.nan, np.nan)
    error = float(np.sqrt((chance * (1.0 - chance)).sum())) / chance.size
    return Bin(*bounds, chance.size, float(chance.mean()), float(is_plus.mean()), error)


def _log_loss(chance: np.ndarray, is_plus: np.ndarray) -> float:
    with np.errstate(divide="ignore"):
        return float(-np.log(np.where(is_plus, chance, 1.0 - chance)).mean())
