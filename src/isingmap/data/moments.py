"""Pairwise moments of a table of spins, or of a matrix that somebody else computed."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from isingmap.data.blanks import without_blanks
from isingmap.data.exact_sums import ExactSums
from isingmap.data.table import Coding, SpinTable, checked_names, counted, keep_read_only, listed
from isingmap.data.tally import Tally, shared_weight, tally_of
from isingmap.errors import DataError, DataWarning
from isingmap.printable import printable
from isingmap.warned import warn

_BLOCK = 1 << 16  # rows of which the pairs of pairs are looked at together
_TOLERANCE = 1e-8
_RANGE_TOLERANCE = 1e-6  # moments are often copied from a rounded table


@dataclass(frozen=True, eq=False)
class EmpiricalMoments:
    """Averages over the data: all that a pairwise model needs to know of it. Arrays are read-only.

    Attributes
    ----------
    moments : (n_spins, n_spins) float64
        Mean of x_i x_j, symmetric, unit diagonal.
    magnetizations : (n_spins,) float64 or None
        Mean of x_i; None when only a matrix of moments was given.
    n_samples : float
        Number of observations (sum of weights).
    names : tuple of str
    pair_counts : (n_spins, n_spins) float64 or None
        Observations (weight) behind each moment when cells are missing; the diagonal counts single columns.
    codings : tuple of Coding or None
        What -1 and +1 stand for in each column; None where no rows were read.
    """

    moments: np.ndarray
    magnetizations: np.ndarray | None
    n_samples: float
    names: tuple[str, ...]
    pair_counts: np.ndarray | None = None
    codings: tuple[Coding, ...] | None = None

    def __post_init__(self) -> None:
        for name in ("moments", "magnetizations", "pair_counts"):
            array = getattr(self, name)
            if array is not None:
                array = np.array(array, dtype=np.float64)
                array.flags.writeable = False
                object.__setattr__(self, name, array)

    @property
    def rows_behind(self) -> np.ndarray:
        """`pair_counts`, also where no cell is missing, (n_spins, n_spins)."""
        return np.full(self.moments.shape, self.n_samples) if self.pair_counts is None else self.pair_counts

    @property
    def digest(self) -> str:
        """SHA-256 of the names, the number of rows and all averages, in hexadecimal: by it the data are known again.

        The same for every order of rows and columns.
        """
        order = sorted(range(len(self.names)), key=self.names.__getitem__)
        found = hashlib.sha256(json.dumps([sorted(self.names), float(self.n_samples)]).encode())
        for array in (self.moments, self.magnetizations, self.pair_counts):
            if array is not None:
                found.update(np.ascontiguousarray(array[np.ix_(*[order] * array.ndim)]).astype("<f8").tobytes())
        return found.hexdigest()

    def __setstate__(self, state: dict) -> None:
        self.__dict__.update(state)
        keep_read_only(self.moments, self.magnetizations, self.pair_counts)


def empirical_moments(table: SpinTable) -> EmpiricalMoments:
    """Weighted moments of a table; pairwise complete where cells are missing.

    The sums behind them are exact and rounded once, so the result does not depend on the order of the rows, not even
    in the last bit. Cost O(n_samples n_spins^2).

    Raises
    ------
    DataError
        If a pair of columns is never observed together.

    Warns
    -----
    DataWarning
        If pairwise moments cannot belong to any distribution (moment matrix not positive semidefinite).
    """
    return moments_of(tally_of(table), table.names, table.codings)


def moments_of(tally: Tally, names: tuple[str, ...], codings: tuple[Coding, ...]) -> EmpiricalMoments:
    """The same, from the sums over the rows, wherever and in whatever order they were added.

    Raises
    ------
    DataError
        As `empirical_moments`.

    Warns
    -----
    DataWarning
        As `empirical_moments`.
    """
    sums, single = tally.products.rounded(), tally.sums.rounded()
    n_samples = float(tally.total.rounded())
    if not tally.n_missing:
        moments = _with_unit_diagonal(sums / n_samples)
        return EmpiricalMoments(moments, single / n_samples, n_samples, names, codings=codings)
    counts = tally.seen.rounded()
    _refuse_unobserved_pairs(counts, names)
    moments = _with_unit_diagonal(sums / counts)
    magnetizations = single / counts.diagonal()
    _warn_if_indefinite(moments, magnetizations, names)
    return EmpiricalMoments(moments, magnetizations, n_samples, names, counts, codings)


def known_moments(table: SpinTable) -> EmpiricalMoments:
    """Moments of the rows where both of a pair are known, for comparison: NaN where there is none, and nothing is said.

    Raises
    ------
    DataError
        If no cell of a column is known.
    """
    tally = tally_of(table)
    counts = tally.seen.rounded()
    _refuse_columns_without_cells(counts, table.names)
    sums = np.where(counts > 0, tally.products.rounded(), np.nan) / np.maximum(counts, 1e-300)
    magnetizations = tally.sums.rounded() / counts.diagonal()
    n_samples = float(tally.total.rounded())
    return EmpiricalMoments(
        _with_unit_diagonal(sums), magnetizations, n_samples, table.names, counts, codings=table.codings
    )


def moments_from_matrix(
    matrix,
    n_samples: float,
    *,
    magnetizations=None,
    names: Sequence[str] | None = None,
) -> EmpiricalMoments:
    """Moments given as numbers, checked for what every set of moments must satisfy.

    Note that a Pearson correlation is E[x_i x_j] only if all means are zero.

    Parameters
    ----------
    matrix : (n_spins, n_spins) array or data frame
        Mean of x_i x_j for spins in {-1, +1}.
    n_samples : float
        How many observations stand behind it.
    magnetizations : (n_spins,) array, optional
        Means of x_i; needed for models with fields.
    names : sequence of str, optional
        By default x1, x2, ...

    Raises
    ------
    DataError
        If the matrix is not square, finite, symmetric, of unit diagonal and within [-1, 1], or if a pair or a
        triple of values is impossible; names the worst entries. Cost O(n_spins^3).
    """
    array = _number_array(matrix, "the matrix of moments")
    if array.ndim != 2 or array.shape[0] != array.shape[1] or not array.size:
        raise DataError(f"the matrix of moments must be square (n_spins, n_spins); got shape {array.shape}")
    names = checked_names([f"x{i + 1}" for i in range(len(array))] if names is None else names, len(array))
    names = tuple(without_blanks(names))
    if not np.isfinite(n_samples) or n_samples <= 0:
        raise DataError(f"n_samples must be a positive number of observations, got {n_samples!r}")
    shown = [printable(name) for name in names]
    _check_matrix(array, shown)
    moments = _with_unit_diagonal((array + array.T) / 2)
    if magnetizations is not None:
        magnetizations = _checked_magnetizations(magnetizations, moments, shown)
    _check_triples(moments, shown)
    return EmpiricalMoments(moments, magnetizations, float(n_samples), names)


def overlap(table: SpinTable, edges: np.ndarray, fields: np.ndarray) -> np.ndarray:
    """Rows that two moments share, over the product of the rows behind each, (k, k); 1 / n_samples for complete rows.

    The covariance of two moments that rest on rows of their own is that of one row times this. O(n_samples k^2).

    Parameters
    ----------
    table : SpinTable
    edges : (n_edges, 2) int array
    fields : (n_fields,) int array
        Columns whose mean is one of the moments, after those of the edges.
    """
    columns = moment_columns(edges, fields)
    sums = ExactSums.zeros((len(columns),) * 2)
    for start in range(0, table.n_samples, _BLOCK):
        rows = slice(start, start + _BLOCK)
        seen = table.spins[rows] != 0
        both = seen[:, columns[:, 0]] & seen[:, columns[:, 1]]
        sums = sums + shared_weight(both, None if table.weights is None else table.weights[rows])
    return over_counts(sums)


def moment_columns(edges: np.ndarray, fields: np.ndarray) -> np.ndarray:
    """The two columns behind each moment, those of edges first; a mean has its column twice."""
    return np.vstack([edges, np.stack([fields, fields], axis=1)])


def over_counts(shared: ExactSums) -> np.ndarray:
    """Weights of rows that two moments share, over the product of those behind each."""
    weights = shared.rounded()
    return weights / np.outer(weights.diagonal(), weights.diagonal())


def _with_unit_diagonal(moments: np.ndarray) -> np.ndarray:
    moments = np.clip(moments, -1.0, 1.0)  # sums of fractional weights round, by an ulp or two
    np.fill_diagonal(moments, 1.0)
    return moments


def _refuse_columns_without_cells(counts: np.ndarray, names: Sequence[str]) -> None:
    alone = [names[i] for i in np.flatnonzero(counts.diagonal() == 0).tolist()]
    if alone:
        raise DataError(
            f"no cell is observed in {counted(len(alone), 'column')}: {listed(alone)}. Leave "
            f"{'it' if len(alone) == 1 else 'them'} out, by drop_column= of a file"
        )


def _refuse_unobserved_pairs(counts: np.ndarray, names: Sequence[str]) -> None:
    _refuse_columns_without_cells(counts, names)
    pairs = np.argwhere(np.triu(counts == 0, 1))
    if len(pairs):
        shown = listed([f"{names[i]} - {names[j]}" for i, j in pairs.tolist()])
        raise DataError(
            f"{counted(len(pairs), 'pair')} of columns never observed in the same row, so no moment exists: "
            f"{shown}. Use missing='em', which needs no such row, or leave out one column of each pair, "
            "by drop_column= of a file"
        )


def _warn_if_indefinite(moments: np.ndarray, magnetizations: np.ndarray, names: Sequence[str]) -> None:
    values, vectors = np.linalg.eigh(_bordered(moments, magnetizations))
    vector = vectors[1:, 0]
    if values[0] < -_TOLERANCE:
        shown = listed([names[k] for k in np.argsort(-np.abs(vector), kind="stable")[:4].tolist()])
        warn(
            "the pairwise moments come from different rows and no distribution has them all (smallest eigenvalue of "
            f"their matrix {values[0]:.3g}, mostly through {shown}); they are used as they are. "
            "missing='em' and missing='drop' avoid this",
            DataWarning,
        )


def _bordered(moments: np.ndarray, magnetizations: np.ndarray) -> np.ndarray:
    """Moments of the spins and of an auxiliary spin fixed to +1."""
    return np.block([[np.ones((1, 1)), magnetizations[None, :]], [magnetizations[:, None], moments]])


# --- checks of given matrices -----------------------------------------------------------------------------


def _number_array(values, what: str) -> np.ndarray:
    if np.ma.is_masked(values):
        raise DataError(f"{what} has {counted(int(np.ma.count_masked(values)), 'masked entry', 'masked entries')}")
    try:
        return np.array(values, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise DataError(f"{what} must consist of numbers: {error}") from None


def _check_matrix(matrix: np.ndarray, names: Sequence[str]) -> None:
    _refuse_worst(~np.isfinite(matrix), matrix, names, "must be finite")
    _refuse_worst(np.abs(matrix - matrix.T), matrix, names, "must be symmetric")
    _refuse_worst(np.abs(np.diag(matrix.diagonal() - 1)), matrix, names, "must have ones on the diagonal")
    _refuse_worst(np.abs(matrix) - 1, matrix, names, "must lie between -1 and 1")


def _refuse_worst(excess: np.ndarray, matrix: np.ndarray, names: Sequence[str], rule: str) -> None:
    i, j = _largest(excess)
    if excess[i, j] > _TOLERANCE:
        pair = f"{names[i]} - {names[j]}"
        entry = f"{pair} is {matrix[i, j]:g} ({matrix[j, i]:g} across the diagonal)"
        raise DataError(f"the matrix of moments {rule}; {entry}")


def _largest(matrix: np.ndarray) -> tuple[int, int]:
    """Row and column of the largest entry."""
    row, column = divmod(int(np.argmax(matrix)), matrix.shape[1])
    return row, column


def _checked_magnetizations(magnetizations, moments: np.ndarray, names: Sequence[str]) -> np.ndarray:
    m = _number_array(magnetizations, "magnetizations")
    if m.shape != (len(names),):
        raise DataError(f"magnetizations must be one per variable: expected {(len(names),)}, got {m.shape}")
    bad = [f"{names[i]} ({m[i]:g})" for i in np.flatnonzero(~(np.abs(m) <= 1)).tolist()]
    if bad:
        raise DataError(f"magnetizations must lie between -1 and 1: {listed(bad)}")
    excess = np.maximum(np.abs(m[:, None] + m) - 1 - moments, np.abs(m[:, None] - m) - 1 + moments)
    i, j = _largest(excess)
    if excess[i, j] > _RANGE_TOLERANCE:
        raise DataError(
            "no two spins have these moments (|m_i + m_j| <= 1 + c_ij and |m_i - m_j| <= 1 - c_ij must "
            f"hold): {names[i]} {m[i]:g}, {names[j]} {m[j]:g}, together {moments[i, j]:g}"
        )
    return m


def _check_triples(moments: np.ndarray, names: Sequence[str]) -> None:
    """Of three spins an odd number cannot differ pairwise: the triangle inequalities of cuts."""
    worst, triple = _worst_triple(moments)
    if worst > _RANGE_TOLERANCE:
        i, j, k = triple
        values = f"{moments[i, j]:g}, {moments[j, k]:g}, {moments[i, k]:g}"
        raise DataError(
            f"no three spins have these moments: {names[i]} - {names[j]} - {names[k]} - {names[i]} are "
            f"{values}, which breaks a triangle inequality by {worst:.3g}. Are these moments E[x_i x_j]?"
        )


def _worst_triple(c: np.ndarray) -> tuple[float, tuple[int, int, int]]:
    """Largest violation of c_ik + c_kj - c_ij <= 1 and c_ik + c_kj + c_ij >= -1, and where it is."""
    c = c.astype(np.float32)  # its rounding is well below the tolerance, and n^3 of them go through memory
    worst, triple = -np.inf, (0, 0, 0)
    excess = np.empty_like(c)
    for k in range(len(c)):
        through = np.add.outer(c[k], c[k])
        np.subtract(through, c, out=excess)
        np.add(through, c, out=through)
        if max(excess.max(), -through.min()) - 1 > worst:
            np.maximum(excess, -through, out=excess)
            i, j = _largest(excess)
            worst, triple = float(excess[i, j]) - 1, (i, k, j)
    return worst, triple
