"""Arrays and data frames to spin tables."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from isingmap.data.blanks import as_spelled, without_blanks
from isingmap.data.coding import Positive, code_columns
from isingmap.data.labels import LabelColumn, MissingLabels, cell_text
from isingmap.data.table import SpinTable, checked_names, counted, listed
from isingmap.errors import DataError, DataWarning
from isingmap.warned import warn

_EXPECTED = "expected an array, a pandas or polars data frame or a SpinTable"

_MATRIX_TOLERANCE = 1e-8
_SMALLEST_MATRIX = 5


def as_spin_table(
    X,
    *,
    names: Sequence[str] | None = None,
    positive: Positive = None,
    threshold: float | None = None,
    missing_label: MissingLabels = None,
    weights=None,
    groups: Sequence[str] | None = None,
    clusters=None,
    select: Sequence[str] | None = None,
) -> SpinTable:
    """Read a table of two-valued columns; rows are observations, columns are variables.

    Parameters
    ----------
    X : (n_samples, n_spins) array, nested list, pandas or polars data frame, or SpinTable
        Numbers, booleans or texts; NaN, None, empty text, "NA", "N/A", "N.A.", "nan", "null",
        "#NULL!", "\\N", "?" and "." are missing, and so are masked cells of a masked array.
        A SpinTable is returned as it is.
    names : sequence of str, optional
        By default the frame's columns, or x1, x2, ...
    positive : label or mapping of column name to label, optional
        The label that is +1. Without it only -1/1, 0/1, 1/2, false/true, no/yes and nay/yea are understood.
    threshold : float, optional
        Read numbers: a value >= threshold is +1, a smaller one -1.
    missing_label : label or sequence of labels, optional
        What else stands for a missing answer, such as 9 or "refused".
    weights : (n_samples,) array of float, optional
        Weights of the rows.
    groups : sequence of str, optional
        A group for each variable.
    clusters : (n_samples,) sequence of labels, optional
        Which rows were not drawn independently of each other: a patient, a school, a term.
    select : sequence of str, optional
        Only these columns, in this order; the others are not looked at.

    Returns
    -------
    SpinTable

    Raises
    ------
    DataError
        If X is not such a table; names every column that is not two-valued.

    Warns
    -----
    DataWarning
        If X looks like the matrix of a network.
    """
    if isinstance(X, SpinTable):
        table = _completed(X, names, positive, threshold, weights, groups, clusters)
        return table if select is None else table.select(_present(select, table.names))
    columns, found_names = columns_of(X)
    names = tuple(without_blanks(checked_names(found_names if names is None else names, len(columns))))
    _refuse_moment_matrix(columns)
    _warn_of_adjacency(columns)
    if select is not None:
        column_of = dict(zip(names, columns, strict=True))
        names = _present(select, names)
        columns = [column_of[name] for name in names]
    labels = [label_column(column) for column in columns]
    spins, codings, notes = code_columns(
        labels, names, positive=positive, threshold=threshold, missing_label=missing_label
    )
    groups = None if groups is None else tuple(groups)
    return SpinTable(spins, names, codings, weights, groups, notes, clusters=clusters)


def _present(wanted: Sequence[str], names: Sequence[str]) -> tuple[str, ...]:
    """The names wanted, all of which are there."""
    wanted = [as_spelled(name, names) for name in wanted]
    absent = [name for name in wanted if name not in set(names)]
    if absent:
        raise DataError(f"X lacks {len(absent)} of the {counted(len(wanted), 'column')} of the model: {listed(absent)}")
    return tuple(wanted)


def _completed(table: SpinTable, names, positive, threshold, weights, groups, clusters) -> SpinTable:
    if not (names is None and positive is None and threshold is None):
        raise DataError("a SpinTable is already coded; pass names, positive, threshold where it is made")
    if weights is not None:
        if table.weights is not None:
            raise DataError("the SpinTable already has weights; pass weights only once")
        table = replace(table, weights=weights)
    if clusters is not None:
        if table.clusters is not None:
            raise DataError("the SpinTable already has clusters; pass clusters only once")
        table = replace(table, clusters=clusters)
    return table if groups is None else replace(table, groups=tuple(groups))


def _frame_columns(X) -> tuple[list[np.ndarray], list[str]]:
    # Asked of the frame itself: narwhals would refuse repeated or non-text names with a message of its own.
    raw_names = [_column_name(name) for name in getattr(X, "column_names", X.columns)]
    names = list(checked_names(raw_names, len(raw_names)))
    _check_shape((len(X), len(names)))
    import narwhals as nw

    try:
        frame = nw.from_native(X, eager_only=True)
    except TypeError:
        raise DataError(f"cannot read a {type(X).__name__} as a table; {_EXPECTED}") from None
    return [_frame_column(frame[:, j]) for j in range(len(names))], names


def _column_name(name: object) -> object:
    """A column's name as text; None, NaN and other marks of a missing name stay as they are, and are refused."""
    missing = name is None or name != name or type(name).__name__ in ("NAType", "NaTType")
    return name if missing else cell_text(name)


def _frame_column(series) -> np.ndarray:
    values = series.to_numpy()
    if values.dtype.kind in "biuf":
        return values
    cells = np.empty(len(series), dtype=object)
    cells[:] = series.to_list()
    return cells


def _array_columns(X) -> list[np.ndarray]:
    if hasattr(X, "toarray"):
        raise DataError("X is a sparse matrix; missing entries and zeros would be confused. Use X.toarray().")
    if np.ma.isMaskedArray(X):
        X = np.ma.asarray(X)
        X = X.astype(float).filled(np.nan) if X.dtype.kind in "biuf" else X.astype(object).filled(None)
    try:
        array = np.asarray(X)
    except ValueError as error:
        raise DataError(f"X is not a table, its rows have different lengths: {error}") from None
    if isinstance(X, Mapping):
        what = f"cannot read a {type(X).__name__} as a table"
        raise DataError(f"{what}; {_EXPECTED}. pandas.DataFrame makes one of a dict")
    if array.ndim != 2:
        advice = "Reshape your data: rows are observations, columns are variables."
        raise DataError(f"expected a table (n_samples, n_spins), got {array.ndim} dimensions. {advice}")
    _check_shape(array.shape)
    if array.dtype.kind == "c":
        raise DataError(f"Complex data not supported: cells must be real numbers or texts, got {array.dtype}")
    if array.dtype.kind not in "biufOUST":
        raise DataError(f"cells must be numbers, booleans or texts; got an array of {array.dtype}")
    return list(array.T)


def _check_shape(shape: tuple[int, int]) -> None:
    for count, what in zip(shape, ("sample", "feature"), strict=True):
        if count == 0:
            raise DataError(f"0 {what}(s) (shape={tuple(shape)}) while a minimum of 1 is required.")


def columns_of(X) -> tuple[list[np.ndarray], list[str]]:
    """The columns of an array or a data frame, and their names as they are, x1, x2, ... for an array.

    Raises
    ------
    DataError
        If it is no table.
    """
    if hasattr(X, "collect"):
        raise DataError(f"X is lazy ({type(X).__name__}); pass X.collect()")
    if hasattr(X, "columns"):
        return _frame_columns(X)
    columns = _array_columns(X)
    return columns, [f"x{j + 1}" for j in range(len(columns))]


def label_column(column: np.ndarray) -> LabelColumn:
    """The column of an array or a data frame, factorised."""
    if column.dtype.kind in "biuf":
        return LabelColumn.from_numbers(column)
    return LabelColumn.from_objects(column.tolist())


def _refuse_moment_matrix(columns: Sequence[np.ndarray]) -> None:
    """A correlation matrix is a frequent guest where a table of answers is expected."""
    n = len(columns)
    if n < 2 or columns[0].size != n or any(column.dtype.kind != "f" for column in columns):
        return
    matrix = np.stack(columns, axis=1)
    if not (_close(matrix, matrix.T) and _close(matrix.diagonal(), 1.0)):
        return
    if not np.isin(matrix, (-1.0, 0.0, 1.0)).all():
        raise DataError(
            f"X is a symmetric {n} x {n} matrix with unit diagonal: is it a matrix of correlations or "
            f"moments, not {counted(n, 'observation')}? Then use fit_moments(moments, n_samples)."
        )


def _warn_of_adjacency(columns: Sequence[np.ndarray]) -> None:
    """A matrix of a network is as frequent; a smaller table of answers may well be symmetric."""
    n = len(columns)
    if n < _SMALLEST_MATRIX or columns[0].size != n or any(column.dtype.kind not in "biuf" for column in columns):
        return
    matrix = np.stack(columns, axis=1)
    if (matrix == matrix.T).all() and (matrix.diagonal() == matrix[0, 0]).all():
        warn(
            f"X is {n} x {n}, symmetric, with the same value all along the diagonal: a network, not "
            f"{counted(n, 'observation')}? A matrix of couplings is a model (IsingModel), moments are for "
            "fit_moments(moments, n_samples)",
            DataWarning,
        )


def _close(first, second) -> bool:
    return np.allclose(first, second, rtol=0.0, atol=_MATRIX_TOLERANCE)
