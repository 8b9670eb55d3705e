"""The model file: JSON with a format version. A file is untrusted input and is checked key by key."""

from __future__ import annotations

import json
from pathlib import Path

from isingmap.errors import FileFormatError
from isingmap.files.whole_file import write_bytes

FORMAT = "isingmap-model"
VERSION = 1
CONVENTION = "P(x) = exp(sum fields_i x_i + sum couplings_ij x_i x_j) / Z, x in {-1, +1}"


def document_of(model, **extra) -> dict:
    """The JSON document of a model; `extra` adds keys that readers ignore, such as how it was fitted."""
    return {
        "format": FORMAT,
        "version": VERSION,
        "convention": CONVENTION,
        "names": list(model.names),
        "edges": model.edges.tolist(),
        "couplings": model.couplings.tolist(),
        "fields": model.fields.tolist(),
        "free_fields": model.free_fields.tolist(),
        **extra,
    }


def write_document(document: dict, path: Path) -> None:
    """Write JSON beside the target and move it into place, so that a failure never leaves half a file."""
    text = json.dumps(document, ensure_ascii=False, allow_nan=False, indent=None, separators=(",", ":"))
    write_bytes(path, (text + "\n").encode())


def read_document(path: Path) -> dict:
    """Parse a model file and check its format and version.

    Raises
    ------
    FileFormatError
        When the file is not JSON, not an isingmap model, or of a later version.
    """
    try:
        document = json.loads(path.read_text(encoding="utf-8"))
    except (UnicodeDecodeError, json.JSONDecodeError, RecursionError) as error:
        raise FileFormatError(f"{path} is not a JSON file: {error}") from None
    if not isinstance(document, dict) or document.get("format") != FORMAT:
        raise FileFormatError(f'{path} is not an isingmap model: expected the key "format" to be "{FORMAT}"')
    version = document.get("version")
    if type(version) is not int or not 1 <= version <= VERSION:
        raise FileFormatError(
            f"{path} has format version {version!r}, this isingmap reads up to {VERSION}; update isingmap"
        )
    return document


def arguments_of(document: dict, where: str) -> dict:
    """Constructor arguments from a document; types are checked here, values by the model.

    Raises
    ------
    FileFormatError
        When a key is missing or holds something else.
    """
    names = _list(document, "names", where, str)
    edges = _list(document, "edges", where, list)
    for k, pair in enumerate(edges):
        if len(pair) != 2 or any(type(node) is not int for node in pair):
            raise FileFormatError(f"{where}: edges[{k}] must be two integers, got {_shown(pair)}")
        if not all(0 <= node < len(names) for node in pair):
            raise FileFormatError(f"{where}: edges[{k}] is {pair}, but there are {len(names)} names")
    arguments = {"names": names, "edges": edges}
    for key, kind in (("couplings", (int, float)), ("fields", (int, float)), ("free_fields", bool)):
        arguments[key] = _list(document, key, where, kind)
    return arguments


def _list(document: dict, key: str, where: str, kind) -> list:
    """document[key], checked to be a list of `kind`; True and False do not pass for numbers."""
    values = document.get(key)
    if not isinstance(values, list):
        raise FileFormatError(f'{where}: expected a list under "{key}", got {_shown(values)}')
    for k, value in enumerate(values):
        if not isinstance(value, kind) or (isinstance(value, bool) and kind is not bool):
            raise FileFormatError(f"{where}: {key}[{k}] has the wrong type: {_shown(value)}")
    return values


def _shown(value) -> str:
    text = repr(value)
    return text if len(text) <= 60 else text[:57] + "..."
