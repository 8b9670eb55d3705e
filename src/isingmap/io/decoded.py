"""The text of a file of unknown provenance: gzip, byte-order marks, the encodings of spreadsheets."""

from __future__ import annotations

import codecs
import zlib
from os import PathLike, fspath

from isingmap.errors import FileFormatError
from isingmap.files.reading import read_bytes

_OTHER_FORMATS = {
    b"PK\x03\x04": "a zip archive or an Excel workbook",
    b"$FL2": "an SPSS file",
    b"PAR1": "a Parquet file",
    b"RDX": "an R workspace",
    b"\x28\xb5\x2f\xfd": "compressed with zstd",
    b"BZh": "compressed with bzip2",
    b"\xfd7zXZ": "compressed with xz",
}
_PIECE = 2**20
_ALWAYS_UNZIPPED = 64 * 2**20  # bytes
_MOST_EXPANSION = 200  # times; tables of answers are packed 5 to 100 times denser


def read_decoded(path: str | PathLike[str]) -> tuple[str, tuple[str, ...]]:
    """The text of a file, gzipped or not, in whatever encoding, and what to say about it.

    Raises
    ------
    FileFormatError
        If the file cannot be opened, is no text, is damaged, or would grow out of all proportion.
    """
    data, notes = read_utf8(path)
    return data.decode(), notes


def read_utf8(path: str | PathLike[str]) -> tuple[bytes, tuple[str, ...]]:
    """The same text as bytes in UTF-8, which take less memory.

    Raises
    ------
    FileFormatError
        As `read_decoded`.
    """
    name = fspath(path)
    data = read_bytes(path)
    if data.startswith(b"\x1f\x8b"):
        data = _unzipped(data, name)
    for magic, what in _OTHER_FORMATS.items():
        if data.startswith(magic):
            raise FileFormatError(f"{name}: this is {what}, not a text file. Export it as CSV.")
    if b"\0" in data or not _is_utf8(data):
        text, notes = _decoded(data, name)
        return text.lstrip("\ufeff").encode(), notes
    while data.startswith(codecs.BOM_UTF8):
        data = data[len(codecs.BOM_UTF8) :]
    return data, ()


def _is_utf8(data: bytes) -> bool:
    """Whether it is UTF-8, found out piece by piece so that no copy of all of it is made."""
    decoder = codecs.getincrementaldecoder("utf-8")()
    try:
        for start in range(0, len(data), _PIECE):
            decoder.decode(data[start : start + _PIECE])
        decoder.decode(b"", final=True)
    except UnicodeDecodeError:
        return False
    return True


def _unzipped(data: bytes, name: str) -> bytes:
    most = max(_ALWAYS_UNZIPPED, _MOST_EXPANSION * len(data))
    parts, left, size = [], data, 0
    try:
        while left:
            member = zlib.decompressobj(31)
            parts.append(member.decompress(left, most + 1 - size))
            size += len(parts[-1])
            if size > most:
                raise FileFormatError(
                    f"{name}: the gzip file grows to more than {_MOST_EXPANSION} times its {len(data):,} bytes. If it "
                    "is what you expect, unpack it with gunzip and read the plain file"
                )
            if not member.eof:
                raise FileFormatError(f"{name}: damaged gzip file (it ends too early)")
            left = member.unused_data.lstrip(b"\0")
    except zlib.error as error:
        raise FileFormatError(f"{name}: damaged gzip file ({error})") from None
    return b"".join(parts)


def _decoded(data: bytes, name: str) -> tuple[str, tuple[str, ...]]:
    try:
        if data.startswith((b"\xff\xfe", b"\xfe\xff")):
            return data.decode("utf-16"), ("Read as UTF-16 text.",)
        if b"\0" in data:
            raise FileFormatError(f"{name}: not a text file (NUL byte at position {data.index(0)})")
        return data.decode("utf-8"), ()
    except UnicodeDecodeError as error:
        if error.encoding.startswith("utf-16"):
            raise FileFormatError(f"{name}: damaged UTF-16 text ({error.reason})") from None
        return _western(data, error.start)


def _western(data: bytes, first: int) -> tuple[str, tuple[str, ...]]:
    """Text of Western Europe: the bytes 0x80 to 0x9F are quotes and dashes of Windows, and control codes elsewhere."""
    try:
        text = data.decode("cp1252")
        title = "Latin-1" if text == data.decode("latin-1") else "Windows-1252"
    except UnicodeDecodeError:
        text, title = data.decode("latin-1"), "Latin-1"
    return text, (f"Not UTF-8 (byte {first}), so read as {title}; check names with accents, quotes or dashes.",)
