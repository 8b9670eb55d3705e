"""JSON read strictly, objects only and every number finite, and written whole."""

from __future__ import annotations

import json
import math
import re
from os import PathLike, fspath
from typing import Any

from isingmap.errors import FileFormatError
from isingmap.files.reading import read_text
from isingmap.files.whole_file import write_text

_SURROGATE = re.compile(r"\\u[dD][89a-fA-F]")
_HALF = re.compile("[\ud800-\udfff]")
_LONGEST_INTEGER = 18  # digits; any such number fits into 64 bits


def read_json_object(path: str | PathLike[str]) -> dict:
    """Parse a JSON file whose outermost value is an object.

    Raises
    ------
    FileFormatError
        If it cannot be read, is not JSON, not an object, nested too deeply, or holds NaN, Infinity, a number
        beyond floats, a key twice in one object, or half of a surrogate pair.
    """
    name = fspath(path)
    text = read_text(path)
    try:
        document = _parsed(text)
    except (ValueError, RecursionError) as error:
        raise FileFormatError(f"{name}: not a valid JSON file: {error}") from None
    if not isinstance(document, dict):
        raise FileFormatError(f"{name}: expected a JSON object {{...}}, got a {type(document).__name__}")
    return document


def object_or_nothing(text: str) -> dict:
    """The object that a text is in JSON; an empty one if it is something else."""
    if not text.startswith("{"):
        return {}
    try:
        return _parsed(text)
    except (ValueError, RecursionError):
        return {}


def write_json(path: str | PathLike[str], document: dict) -> None:
    """Write an object as one line of JSON, whole or not at all.

    Raises
    ------
    ModelError
        If a character has no UTF-8 form (half of a surrogate pair, from a damaged name).
    ValueError
        If a number is NaN or infinite.
    OSError
        If the folder does not exist or cannot be written to.
    """
    write_text(path, json.dumps(document, ensure_ascii=False, allow_nan=False, separators=(",", ":")) + "\n")


def shown(value: object) -> str:
    """A value of a file for an error message, cut to a readable length."""
    text = repr(value[:60] if isinstance(value, str | list) else value)
    return text if len(text) <= 60 else text[:57] + "..."


def _parsed(text: str) -> Any:
    document = json.loads(
        text, parse_constant=_refuse, parse_float=_finite, parse_int=_integer, object_pairs_hook=_object
    )
    # Halves of surrogate pairs come out of escapes only; text with one could not be printed or written again.
    half = _SURROGATE.search(text) and _lone_surrogate(document)
    if half:
        raise ValueError(f"the text {shown(half)} holds half of a surrogate pair, which is no character")
    return document


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """An object; of two entries under one key nobody can know which counts."""
    found = dict(pairs)
    if len(found) < len(pairs):
        keys: set[str] = set()
        twice = next(key for key, _ in pairs if key in keys or keys.add(key))  # type: ignore[func-returns-value]
        raise ValueError(f"the key {shown(twice)} occurs twice in one object")
    return found


def _lone_surrogate(value: Any) -> str | None:
    """A text somewhere in a document that has no UTF-8 form."""
    waiting = [value]
    while waiting:
        value = waiting.pop()
        if isinstance(value, dict):
            waiting += [*value, *value.values()]
        elif isinstance(value, list):
            waiting += value
        elif isinstance(value, str) and _HALF.search(value):
            return value
    return None


def _refuse(text: str) -> float:
    raise ValueError(f"the number {text} is not finite")


def _finite(text: str) -> float:
    value = float(text)
    if not math.isfinite(value):
        _refuse(shown(text))
    return value


def _integer(text: str) -> int | float:
    return int(text) if len(text) <= _LONGEST_INTEGER else _finite(text)
