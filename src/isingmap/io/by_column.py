"""The rows of a large file, kept by column: its few labels, and one byte for each cell."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import chain, islice

import numpy as np

from isingmap.data.labels import LabelColumn
from isingmap.io.bytes_on_disk import BytesOnDisk
from isingmap.io.csv_rows import csv_rows

_BLOCK = 2**19  # bytes that are cut into cells at once
_FEWEST_ROWS = 256  # in a block, for the work on columns to be worth it
_MOST_LABELS = 127  # of a column that is kept as labels; of others every cell is kept
_FEW = 16  # labels that are compared with whole columns, one by one
_WORD = 8  # bytes
_MOST_WORDS = 4  # of a cell
_MASKS = np.array([(1 << 8 * length) - 1 for length in range(_WORD + 1)], dtype="<u8")
_NEWLINE, _BLANK, _QUOTE = b'\n "'


@dataclass(frozen=True, eq=False)
class Rows:
    """Rows of equal width.

    Attributes
    ----------
    columns : list of sequence of str
        The cells; a LabelColumn where there are few labels.
    lines : (n_rows,) int array
        Line of the file on which each row ends.
    """

    columns: list[Sequence[str]]
    lines: np.ndarray


class UnevenError(Exception):
    """Rows are not equally wide, or torn; who reads row by row can say where."""


def rows_by_column(data: bytes, start: int, separator: str, width: int, n_above: int) -> Rows:
    """The rows from byte `start` of UTF-8 text on.

    What the csv module reads is read as it would: blank lines left out, blanks in front of a cell too. Blocks without
    turns of CSV, such as a separator in quotes, are cut by NumPy.

    Parameters
    ----------
    data : bytes
    start : int
        Where a line begins.
    separator : str
    width : int
        Cells of every row.
    n_above : int
        Lines in front of `start`.

    Raises
    ------
    UnevenError
        If rows are not all `width` cells wide, or are torn.
    """
    builders = [_Builder() for _ in range(width)]
    lines = [np.empty(0, np.int64), *_added(builders, _blocks(data, start), separator, n_above)]
    return Rows([builder.column() for builder in builders], np.concatenate(lines))


def parts_by_column(data: bytes | BytesOnDisk, start: int, separator: str, width: int, n_above: int) -> Iterator[Rows]:
    """The same rows, some thousands at a time.

    Raises
    ------
    UnevenError
        As `rows_by_column`, when the row is reached.
    """
    builders = [_Builder() for _ in range(width)]
    for lines in _added(builders, _blocks(data, start), separator, n_above):
        yield Rows([builder.column() for builder in builders], lines)
        builders[:] = [_Builder() for _ in range(width)]


def _added(builders: list[_Builder], blocks: Iterator[bytes], separator: str, n_above: int) -> Iterator[np.ndarray]:
    """Add block after block to the builders, each time with the lines of its rows."""
    for block in blocks:
        n_rows = _add_plain(builders, block, separator)
        if n_rows is not None:
            yield np.arange(n_above + 1, n_above + n_rows + 1)
            n_above += n_rows
            continue
        texts = chain([block], blocks if b'"' in block else ())  # a quoted cell may go on in the next block
        yield from _add_others(builders, (text.decode() for text in texts), separator, n_above)
        n_above += block.count(b"\n") + block.count(b"\r") - block.count(b"\r\n")


def _blocks(data: bytes | BytesOnDisk, start: int) -> Iterator[bytes]:
    """Whole lines of about `_BLOCK` bytes together."""
    while start < len(data):
        end = data.rfind(b"\n", start, start + _BLOCK) + 1 or data.find(b"\n", start) + 1 or len(data)
        block = data[start:end]
        if b"\0" in block:
            raise UnevenError
        yield block
        start = end


# --- plain blocks ------------------------------------------------------------------------------------------


def _add_plain(builders: Sequence[_Builder], block: bytes, separator: str) -> int | None:
    """Add the rows of a block and return their number; None, and nothing is added, if it takes the csv module."""
    if b"\r" in block:
        block = block.replace(b"\r\n", b"\n")
    if not block.endswith(b"\n"):
        block += b"\n"
    if b"\r" in block or not separator.isascii() or (separator == " " and b"\t" in block):
        return None
    cut = _cells(np.frombuffer(block, np.uint8), ord(separator), len(builders), block.count(b'"'))
    if cut is None:
        return None
    starts, lengths = cut
    padded = block + bytes(_WORD * _MOST_WORDS)
    first_words = _words(padded, starts, lengths, 0)
    n_words = -(-lengths.max(axis=1) // _WORD)
    for builder, begin, length, word, k in zip(builders, starts, lengths, first_words, n_words.tolist(), strict=True):
        further = [_words(padded, begin, length, m) for m in range(1, min(k, _MOST_WORDS))]
        if k > _MOST_WORDS or not builder.add_words([word, *further]):
            builder.add([block[i : i + n].decode() for i, n in zip(begin.tolist(), length.tolist(), strict=True)])
    return starts.shape[1]


def _cells(data: np.ndarray, separator: int, width: int, n_quotes: int) -> tuple[np.ndarray, np.ndarray] | None:
    """First byte and length of each cell, (width, n_rows); None where rows are not plain."""
    is_newline = data == _NEWLINE
    ends = np.flatnonzero(is_newline | (data == separator)).astype(np.int32)
    n_rows = ends.size // width
    if width < 2 or n_rows < _FEWEST_ROWS or n_rows * width != ends.size or np.count_nonzero(is_newline) != n_rows:
        return None
    if not is_newline[ends[width - 1 :: width]].all():
        return None
    starts = np.zeros_like(ends)
    starts[1:] = ends[:-1] + 1
    lengths = ends - starts
    empty = separator == _BLANK and not lengths.all()
    if empty or (data[starts] == _BLANK).any() or lengths.max() > csv.field_size_limit():
        return None
    if n_quotes:
        quoted = (data[starts] == _QUOTE) & (data[ends - 1] == _QUOTE) & (lengths > 1)
        if n_quotes != 2 * np.count_nonzero(quoted):  # some are within a cell, or there is a separator between two
            return None
        starts += quoted
        lengths -= 2 * quoted
    return np.ascontiguousarray(starts.reshape(n_rows, width).T), np.ascontiguousarray(lengths.reshape(n_rows, width).T)


def _words(padded: bytes, starts: np.ndarray, lengths: np.ndarray, which: int) -> np.ndarray:
    """Eight bytes of each cell as one number, zeros behind its end; one byte where no cell has more."""
    if lengths.max() <= 1:
        return np.frombuffer(padded, np.uint8)[starts] * lengths.astype(np.uint8)
    windows = np.ndarray((len(padded) - _WORD * _MOST_WORDS,), "<u8", padded, offset=_WORD * which, strides=(1,))
    words = windows[starts]
    words &= _MASKS[lengths.clip(_WORD * which, _WORD * (which + 1)) - _WORD * which]
    return words


# --- all others --------------------------------------------------------------------------------------------


def _add_others(builders: list[_Builder], texts: Iterator[str], separator: str, n_above: int) -> Iterator[np.ndarray]:
    """Add the rows that the csv module reads, some at a time."""
    rows = csv_rows((line for text in texts for line in io.StringIO(text, newline="")), separator)
    at_once = max(_FEWEST_ROWS, _BLOCK // len(builders) // 8)
    try:
        while some := list(islice(rows, at_once)):
            if any(len(row) != len(builders) for row, _ in some):
                raise UnevenError
            for builder, cells in zip(builders, zip(*(row for row, _ in some), strict=True), strict=True):
                builder.add(cells)
            yield np.array([line for _, line in some]) + n_above
    except csv.Error:
        raise UnevenError from None


# --- columns -----------------------------------------------------------------------------------------------


class _Builder:
    """A column that grows: labels in order of appearance and codes, or all its cells."""

    def __init__(self) -> None:
        self._code_of: dict[str, int] = {}
        self._codes: list[np.ndarray] = []
        self._cells: list[str] | None = None

    def add(self, cells: Sequence[str]) -> None:
        if self._cells is None:
            for text in dict.fromkeys(cells):
                self._code_of.setdefault(text, len(self._code_of))
            if len(self._code_of) <= _MOST_LABELS:
                self._codes.append(np.fromiter(map(self._code_of.__getitem__, cells), np.int8, len(cells)))
                return
            self._cells = list(self._labelled())
        self._cells.extend(cells)

    def add_words(self, words: Sequence[np.ndarray]) -> bool:
        """Add cells given as numbers; False, and nothing is added, where labels are many."""
        if self._cells is not None or len(self._code_of) > _FEW:
            return False
        codes = np.full(words[0].size, -1, dtype=np.int8)
        found = dict(self._code_of)
        for text, code in found.items():
            _mark(codes, words, _as_words(text, len(words)), code)
        while (first := int(codes.argmin())) >= 0 and codes[first] < 0:
            if len(found) >= _FEW:
                return False
            label = [int(word[first]) for word in words]
            text = b"".join(value.to_bytes(_WORD, "little") for value in label).rstrip(b"\0").decode()
            _mark(codes, words, label, len(found))
            found[text] = len(found)
        self._code_of = found
        self._codes.append(codes)
        return True

    def column(self) -> Sequence[str]:
        return self._labelled() if self._cells is None else self._cells

    def _labelled(self) -> LabelColumn:
        codes, self._codes = self._codes, []
        return LabelColumn(tuple(self._code_of), np.concatenate(codes or [np.empty(0, np.int8)]))


def _as_words(text: str, n_words: int) -> list[int] | None:
    data = text.encode()
    if len(data) > n_words * _WORD:
        return None
    return [int.from_bytes(data[m * _WORD : (m + 1) * _WORD], "little") for m in range(n_words)]


def _mark(codes: np.ndarray, words: Sequence[np.ndarray], label: Sequence[int] | None, code: int) -> None:
    """Set the code, in place of -1, of all cells that hold the label."""
    if label is None:
        return
    equal = words[0] == label[0]
    for word, value in zip(words[1:], label[1:], strict=True):
        equal &= word == value
    codes += equal.view(np.int8) * np.int8(code + 1)
