"""A large file as if its bytes were in memory: pieces are read when they are asked for."""

from __future__ import annotations

import os
from typing import BinaryIO

_PIECE = 2**20


class BytesOnDisk:
    """What readers of `bytes` use of them: length, slices, `find` and `rfind`.

    Parameters
    ----------
    stream : binary stream
        Of a file, open.
    """

    def __init__(self, stream: BinaryIO):
        self._stream, self._size = stream, os.fstat(stream.fileno()).st_size
        self.n_read = 0  # where the last piece ended

    def __len__(self) -> int:
        return self._size

    def __getitem__(self, piece: slice) -> bytes:
        start, stop, _ = piece.indices(self._size)
        self._stream.seek(start)
        self.n_read = stop
        return self._stream.read(max(stop - start, 0))

    def find(self, sought: bytes, start: int) -> int:
        """Where a byte occurs first from `start` on, or -1."""
        for begin in range(start, self._size, _PIECE):
            found = self[begin : begin + _PIECE].find(sought)
            if found >= 0:
                return begin + found
        return -1

    def rfind(self, sought: bytes, start: int, end: int) -> int:
        """Where a byte occurs last between two places, or -1."""
        found = self[start:end].rfind(sought)
        return found if found < 0 else start + found
