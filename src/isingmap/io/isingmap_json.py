"""The JSON of isingmap itself, with the offset, scale and domain that a file of another format had."""

from __future__ import annotations

import math
from os import fspath

from isingmap.errors import FileFormatError, ModelError
from isingmap.files.strict_json import object_or_nothing, shown, write_json
from isingmap.io.domains import DOMAINS
from isingmap.io.learned_entries import about_damaged, sound_entries
from isingmap.io.model_content import FormatFunctions, ModelFile, ModelPath, build_model
from isingmap.model.json_format import FORMAT, KEYS, arguments_of, document_of, read_document

_PLAIN = {"offset": 0.0, "scale": 1.0, "domain": "spin"}


def read_isingmap(path: ModelPath) -> ModelFile:
    """Read a file of `IsingModel.save` or `write_isingmap`.

    Raises
    ------
    FileFormatError
        With the key that is missing or wrong.
    """
    document, where = read_document(path), fspath(path)
    arguments = arguments_of(document, where)
    energy = _energy_entries(document.get("energy", {}), where)
    record = {key: value for key, value in document.items() if key not in (*KEYS, "energy")}
    model = build_model(path, **arguments)
    record, damaged = sound_entries(record, model.names)
    return ModelFile(model, **energy, notes=about_damaged(damaged), record=record, damaged=damaged)


def write_isingmap(content: ModelFile, path: ModelPath) -> None:
    """Write a model as `IsingModel.save` does, and the record; offset, scale and domain go into an entry "energy".

    Raises
    ------
    ModelError
        If the offset is not finite, or a name has no UTF-8 form.
    """
    if not math.isfinite(content.offset):
        raise ModelError(f"the offset must be finite, got {content.offset}")
    entries = {"offset": float(content.offset), "scale": float(content.scale), "domain": content.domain}
    extra = {} if entries == _PLAIN else {"energy": entries}
    write_json(path, document_of(content.model, **content.record, **extra))


def _energy_entries(entries: object, where: str) -> dict:
    """Offset, scale and domain that `write_isingmap` added."""
    if not isinstance(entries, dict):
        raise FileFormatError(f'{where}: "energy" must be an object, got {shown(entries)}')
    found = {key: entries.get(key, plain) for key, plain in _PLAIN.items()}
    for key in ("offset", "scale"):
        if type(found[key]) not in (int, float) or (key == "scale" and found[key] <= 0):
            raise FileFormatError(f'{where}: "{key}" of "energy" is {shown(found[key])}; expected a number')
    if found["domain"] not in DOMAINS:
        raise FileFormatError(f'{where}: "domain" of "energy" must be one of {DOMAINS}')
    return found


# --- the format -------------------------------------------------------------------------------------------


def _read(path: ModelPath, domain: str | None) -> ModelFile:
    return read_isingmap(path)


def _write(content: ModelFile, path: ModelPath, domain: str) -> None:
    write_isingmap(content, path)


def _recognises(text: str) -> bool:
    return object_or_nothing(text).get("format") == FORMAT


FUNCTIONS = FormatFunctions(_read, _write, _recognises)
