"""Model files of every format: which format a file has, and the reader and writer for it."""

from __future__ import annotations

import math
import warnings
from os import PathLike, fspath
from pathlib import Path

from isingmap.errors import DataWarning, FileFormatError, ModelError
from isingmap.files.reading import read_text
from isingmap.files.strict_json import read_json_object, shown, write_json
from isingmap.io import bqm, edge_list, graphml, uai
from isingmap.io.bqpjson import model_from_bqpjson, write_bqpjson
from isingmap.io.energies import DOMAINS, ModelFile
from isingmap.model import IsingModel
from isingmap.model.json_format import arguments_of, document_of, read_document

__all__ = ["FORMATS", "ModelFile", "format_of", "read_model_file", "write_model_file"]

# Name of each format and the ends of file names by which it is known; of two that fit the longer counts.
FORMATS = {
    "isingmap": (".json",),
    "bqpjson": (".bqpjson", ".bqp.json"),
    "edges": (".csv", ".tsv", ".txt", ".csv.gz"),
    "graphml": (".graphml", ".xml"),
    "uai": (".uai",),
    "coo": (".coo", ".qubo"),
}


def format_of(path: str | PathLike) -> str:
    """The format that the name of a file tells.

    Raises
    ------
    FileFormatError
        Listing the known formats.
    """
    name = Path(path).name.casefold()
    fitting = [(len(end), key) for key, ends in FORMATS.items() for end in ends if name.endswith(end)]
    if not fitting:
        raise FileFormatError(
            f"{fspath(path)}: the format is not clear from the name. Give format= (--format); known are {_known()}"
        )
    return max(fitting)[1]


def read_model_file(path: str | PathLike, format: str | None = None, *, domain: str | None = None) -> ModelFile:
    """Read a model from a file of any format in `FORMATS`.

    Parameters
    ----------
    path : path-like
        An edge list `edges.csv` is read with its `nodes.csv`, `NAME.csv` with `NAME.nodes.csv`, if there is one.
    format : str, optional
        A key of `FORMATS`; by default from the content where that is clear, else from the name.
    domain : {"spin", "boolean"}, optional
        What the variables are, for COO files that do not tell.

    Returns
    -------
    ModelFile
        The model with the offset, scale and domain of the file.

    Raises
    ------
    FileFormatError
        With the line or key that is not understood.
    """
    format = _checked(format) or _format_by_content(path) or format_of(path)
    if format in ("isingmap", "bqpjson"):
        return _read_json(path, format)
    if format == "edges":
        return _read_edges(path)
    if format == "graphml":
        return graphml.read_graphml(path)
    if format == "uai":
        return uai.read_uai(path)
    return bqm.read_coo(path, domain=domain)


def write_model_file(
    model: ModelFile | IsingModel, path: str | PathLike, format: str | None = None, *, domain: str | None = None
) -> None:
    """Write a model to a file of any format in `FORMATS`; what the format cannot hold is said in a warning.

    Parameters
    ----------
    model : ModelFile or IsingModel
    path : path-like
        Edge lists get a file of nodes beside them, UAI files a file of names: see `companion`.
    format : str, optional
        A key of `FORMATS`; by default from the name of the file.
    domain : {"spin", "boolean"}, optional
        For bqpjson and COO; by default that of the ModelFile.

    Warns
    -----
    DataWarning
        If the offset or the names are lost.
    """
    content = model if isinstance(model, ModelFile) else ModelFile(model)
    format = _checked(format) or format_of(path)
    domain = domain or content.domain
    if format == "isingmap":
        _write_isingmap(content, path)
    elif format == "bqpjson":
        write_bqpjson(content.model, path, offset=content.offset, scale=content.scale, domain=domain)
    elif format == "edges":
        _write_edges(content, path)
    elif format == "graphml":
        graphml.write_graphml(content.model, path, offset=content.offset)
    elif format == "uai":
        uai.write_uai(content.model, path, offset=content.offset)
    else:
        bqm.write_coo(content.model, path, offset=content.offset, domain=domain)


def companion(path: str | PathLike, format: str | None = None) -> Path | None:
    """The second file that a format writes beside the first: nodes of an edge list, names of a UAI file."""
    format = _checked(format) or format_of(path)
    return {"edges": edge_list.nodes_path, "uai": uai.names_path}.get(format, lambda _: None)(path)


def _known() -> str:
    return ", ".join(f"{key} ({', '.join(ends)})" for key, ends in FORMATS.items())


def _checked(format: str | None) -> str | None:
    if format is not None and format not in FORMATS:
        raise ModelError(f"there is no format {format!r}; known are {_known()}")
    return format


def _format_by_content(path: str | PathLike) -> str | None:
    """The format that the first characters tell, if they do; compressed and other binary files do not."""
    try:
        start = read_text(path)[:10_000].lstrip()
    except FileFormatError:
        return None
    if start.startswith("{"):
        return "bqpjson" if "variable_domain" in read_json_object(path) else "isingmap"
    if start.startswith("<"):
        return "graphml"
    if start[:6].upper() == "MARKOV" and not start[6:7].strip():
        return "uai"
    coo = (start.startswith("#") and "vartype" in start.splitlines()[0]) or start.startswith("p qubo")
    return "coo" if coo else None


# --- JSON -------------------------------------------------------------------------------------------------


def _read_json(path: str | PathLike, format: str) -> ModelFile:
    document = read_json_object(path)
    if format == "bqpjson":
        return model_from_bqpjson(document, fspath(path))
    if "format" not in document:
        raise FileFormatError(f'{fspath(path)}: JSON of neither isingmap ("format") nor bqpjson ("variable_domain")')
    try:
        model = IsingModel(**arguments_of(read_document(path), fspath(path)))
    except FileFormatError:
        raise
    except ModelError as error:
        raise FileFormatError(f"{fspath(path)}: {error}") from None
    return ModelFile(model, **_energy_entries(document.get("energy", {}), fspath(path)))


def _energy_entries(entries: object, where: str) -> dict:
    """Offset, scale and domain that `_write_isingmap` added."""
    if not isinstance(entries, dict):
        raise FileFormatError(f'{where}: "energy" must be an object, got {shown(entries)}')
    found = {"offset": 0.0, "scale": 1.0, "domain": "spin"}
    found.update({key: value for key, value in entries.items() if key in found})
    for key in ("offset", "scale"):
        if type(found[key]) not in (int, float) or (key == "scale" and found[key] <= 0):
            raise FileFormatError(f'{where}: "{key}" of "energy" is {shown(found[key])}; expected a number')
    if found["domain"] not in DOMAINS:
        raise FileFormatError(f'{where}: "domain" of "energy" must be one of {DOMAINS}')
    return found


def _write_isingmap(content: ModelFile, path: str | PathLike) -> None:
    entries = {"offset": float(content.offset), "scale": float(content.scale), "domain": content.domain}
    extra = {} if entries == {"offset": 0.0, "scale": 1.0, "domain": "spin"} else {"energy": entries}
    if not math.isfinite(content.offset):
        raise ModelError(f"the offset must be finite, got {content.offset}")
    document = document_of(content.model, **extra)
    write_json(path, document)


# --- edge lists -------------------------------------------------------------------------------------------


def _read_edges(path: str | PathLike) -> ModelFile:
    nodes = edge_list.nodes_path(path)
    found = edge_list.read_edge_list(path, nodes if nodes.is_file() else None)
    if not nodes.is_file():
        return found
    note = f"Fields and the order of the variables come from {nodes}."
    return ModelFile(found.model, notes=(*found.notes, note))


def _write_edges(content: ModelFile, path: str | PathLike) -> None:
    if Path(path).name.endswith(".gz"):
        raise FileFormatError(f"{fspath(path)}: compressed edge lists are read but not written; drop the .gz")
    if content.offset:
        warnings.warn(
            f"{fspath(path)}: edge lists cannot hold the offset {content.offset:.12g} of the energy; it is lost",
            DataWarning,
        )
    edge_list.write_edge_list(content.model, path, edge_list.nodes_path(path))
