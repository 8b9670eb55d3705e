"""The model file: JSON with a format version. A file is untrusted input and is checked key by key."""

from __future__ import annotations

from os import PathLike, fspath

from isingmap.errors import FileFormatError
from isingmap.files.strict_json import read_json_object, shown

FORMAT = "isingmap-model"
VERSION = 1
KEYS = ("format", "version", "convention", "names", "edges", "couplings", "fields", "free_fields")
_JSON_KINDS = {bool: "a truth value", str: "a text", float: "a fraction", int: "too small", type(None): "missing"}
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


def read_document(path: str | PathLike[str]) -> dict:
    """Parse a model file and check its format and version.

    Raises
    ------
    FileFormatError
        When the file cannot be read, is not strict JSON, not an isingmap model, or of a later version.
    """
    document, where = read_json_object(path), fspath(path)
    if document.get("format") != FORMAT:
        raise FileFormatError(f'{where}: not an isingmap model: expected the key "format" to be "{FORMAT}"')
    version = document.get("version")
    if type(version) is not int or version < 1:
        raise FileFormatError(
            f'{where}: "version", that of the format, must be a whole number such as {VERSION}; got {shown(version)} '
            f"({_JSON_KINDS.get(type(version), 'no number')})"
        )
    if version > VERSION:
        raise FileFormatError(
            f"{where}: this file is of version {version} of the format, of a later isingmap than this one, which reads "
            f"up to version {VERSION}. Read it with the isingmap that wrote it, and write it there as a .bqpjson file "
            "(isingmap convert): all versions read that"
        )
    return document


def arguments_of(document: dict, where: str) -> dict:
    """Constructor arguments from a document, their types checked; values are checked by the model.

    Raises
    ------
    FileFormatError
        Naming the file, `where`, and the key that is missing or holds something else.
    """
    names = _list(document, "names", where, str)
    edges = _list(document, "edges", where, list)
    for k, pair in enumerate(edges):
        if len(pair) != 2 or any(type(node) is not int for node in pair):
            raise FileFormatError(f"{where}: edges[{k}] must be two integers, got {shown(pair)}")
        if not all(0 <= node < len(names) for node in pair):
            raise FileFormatError(f"{where}: edges[{k}] is {pair}, but there are {len(names)} names")
    arguments: dict[str, list] = {"names": names, "edges": edges}
    for key, kind in (("couplings", (int, float)), ("fields", (int, float)), ("free_fields", bool)):
        arguments[key] = _list(document, key, where, kind)
    return arguments


def _list(document: dict, key: str, where: str, kind: type | tuple[type, ...]) -> list:
    """document[key], checked to be a list of `kind`; True and False do not pass for numbers."""
    values = document.get(key)
    if not isinstance(values, list):
        raise FileFormatError(f'{where}: expected a list under "{key}", got {shown(values)}')
    for k, value in enumerate(values):
        if not isinstance(value, kind) or (isinstance(value, bool) and kind is not bool):
            raise FileFormatError(f"{where}: {key}[{k}] has the wrong type: {shown(value)}")
    return values
