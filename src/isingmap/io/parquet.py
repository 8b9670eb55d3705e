"""Tables in Parquet files, read by pyarrow some rows at a time."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from os import PathLike, fspath

import numpy as np

from isingmap.data.blanks import without_blanks
from isingmap.data.labels import LabelColumn, cell_text
from isingmap.data.table import checked_names
from isingmap.errors import DataError, FileFormatError
from isingmap.io.sheet import Sheet

_ROWS_AT_ONCE = 1 << 16
_MAGIC = b"PAR1"


def is_parquet(path: str | PathLike[str]) -> bool:
    """Whether the name or the first bytes of a file say that it is a Parquet file."""
    if fspath(path).endswith(".parquet"):
        return True
    try:
        with open(path, "rb") as stream:
            return stream.seekable() and stream.read(len(_MAGIC)) == _MAGIC
    except OSError:
        return False


def parquet_sheet(path: str | PathLike[str]) -> Sheet:
    """All cells of a Parquet file, as a sheet.

    Raises
    ------
    FileFormatError
        If the file is damaged or holds no table, or the library that reads it is not installed.
    """
    parts = list(parquet_parts(path))
    header = parts[0].header
    columns = [_joined([LabelColumn.from_texts(part.columns[j]) for part in parts]) for j in range(len(header))]
    return _sheet(path, header, columns, 0)


def parquet_rows(path: str | PathLike[str]) -> int:
    """How many rows a readable Parquet file has."""
    from pyarrow.parquet import read_metadata

    return read_metadata(path).num_rows


def parquet_parts(path: str | PathLike[str]) -> Iterator[Sheet]:
    """The same rows, some thousands at a time.

    Raises
    ------
    FileFormatError
        As `parquet_sheet`.
    """
    name = fspath(path)
    try:
        from pyarrow import ArrowException
        from pyarrow.parquet import ParquetFile
    except ImportError:
        raise FileFormatError(
            f"{name} is a Parquet file; reading it takes the library pyarrow: pip install 'isingmap[parquet]'"
        ) from None
    try:
        with ParquetFile(path) as file:
            header = _names(name, file.schema_arrow)
            if not file.metadata.num_rows:
                raise FileFormatError(f"{name}: there is a header but no row of data")
            n_before = 0
            for batch in file.iter_batches(_ROWS_AT_ONCE):
                yield _sheet(path, header, [_labels(column) for column in batch.columns], n_before)
                n_before += batch.num_rows
    except OSError as error:
        raise FileFormatError(f"{name}: cannot be read ({error.strerror or error})") from None
    except ArrowException as error:
        raise FileFormatError(f"{name}: no readable Parquet file ({error})") from None


def _names(path: str, schema) -> tuple[str, ...]:
    nested = [field.name for field in schema if str(field.type).startswith(("list", "struct", "map", "large_list"))]
    if nested:
        raise FileFormatError(f"{path}: column {nested[0]!r} holds {schema.field(nested[0]).type}, not single values")
    try:
        names = checked_names(schema.names, len(schema.names))
    except DataError as error:
        raise FileFormatError(f"{path}: {error}") from None
    return tuple(without_blanks(names, f"{path}: "))


def _labels(column) -> LabelColumn:
    """The texts of a column and their codes, as the library has them, or finds them."""
    encoded = column if hasattr(column, "dictionary") else column.dictionary_encode()
    texts = [cell_text(value) for value in encoded.dictionary.to_pylist()]
    codes = encoded.indices.fill_null(len(texts)).to_numpy(zero_copy_only=False).astype(np.intp)
    return _of_distinct_texts([*texts, ""], codes)


def _of_distinct_texts(texts: Sequence[str], codes: np.ndarray) -> LabelColumn:
    """A column of those texts that occur, in the order in which they do."""
    used, first = np.unique(codes, return_index=True)
    order = [texts[code] for code in used[np.argsort(first)].tolist()]
    position = {text: k for k, text in enumerate(dict.fromkeys(order))}
    return LabelColumn(tuple(position), np.array([position.get(text, 0) for text in texts], np.intp)[codes])


def _joined(parts: Sequence[LabelColumn]) -> LabelColumn:
    texts = tuple(dict.fromkeys(text for part in parts for text in part.texts))
    position = {text: code for code, text in enumerate(texts)}
    kind = np.int8 if len(texts) < 128 else np.intp
    codes = [np.array([position[text] for text in part.texts], kind)[part.codes] for part in parts]
    return LabelColumn(texts, np.concatenate(codes))


def _sheet(
    path: str | PathLike[str], header: tuple[str, ...], columns: Sequence[Sequence[str]], n_before: int
) -> Sheet:
    lines = np.arange(n_before + 1, n_before + len(columns[0]) + 1)
    return Sheet(fspath(path), header, list(columns), lines, (), has_lines=False)
