"""Model files of every format: read and write one, and tell which format it has."""

from __future__ import annotations

from pathlib import Path

from isingmap.errors import FileFormatError, ModelError
from isingmap.files.reading import read_text
from isingmap.files.whole_file import together
from isingmap.io.formats import Format, format_by_content, format_by_ending, format_named
from isingmap.io.model_content import ModelFile, ModelPath
from isingmap.model import IsingModel

__all__ = ["ModelFile", "companion", "read_model_file", "write_model_file"]


def read_model_file(
    path: ModelPath, format: str | None = None, *, domain: str | None = None, sign: int | None = None
) -> ModelFile:
    """Read a model from a file of any format in `isingmap.io.formats.FORMATS`.

    Parameters
    ----------
    path : path-like
        An edge list `edges.csv` is read with its `nodes.csv`, `NAME.csv` with `NAME.nodes.csv`, if there is one.
    format : str, optional
        A key of `FORMATS`; by default from the content where that is clear, else from the name.
    domain : {"spin", "boolean"}, optional
        What the variables are, for COO files that do not tell.
    sign : {1, -1}, optional
        For edge lists: -1 if the file holds energies, E = sum J s s, so that negative means agree.

    Returns
    -------
    ModelFile
        The model with the offset, scale and domain of the file.

    Raises
    ------
    FileFormatError
        With the line or key that is not understood.
    ModelError
        If there is no such format or domain.
    """
    chosen = _format_of_file(path) if format is None else format_named(format)
    if sign is None:
        return chosen.functions().read(path, domain)
    if not chosen.takes_sign:
        raise ModelError(f"sign= is for edge lists; {chosen.title} files have one convention, which is read rightly")
    return chosen.functions().read(path, domain, sign=sign)


def write_model_file(
    model: ModelFile | IsingModel, path: ModelPath, format: str | None = None, *, domain: str | None = None
) -> None:
    """Write a model to a file of any format in `FORMATS`; what the format cannot hold is said in a warning.

    Where a format has a second file, both are written or none.

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

    Raises
    ------
    FileFormatError
        If the name of the file does not tell the format.
    ModelError
        If there is no such format or domain, or the format cannot hold a name or a number of the model.
    OSError
        If the folder does not exist or cannot be written to.
    """
    content = model if isinstance(model, ModelFile) else ModelFile(model)
    with together():
        _format_to_write(path, format).functions().write(content, path, domain or content.domain)


def companion(path: ModelPath, format: str | None = None) -> Path | None:
    """The second file that a format writes beside the first: nodes of an edge list, names of a UAI file.

    Raises
    ------
    FileFormatError
        If the name of the file does not tell the format.
    ModelError
        If there is no such format.
    """
    return _format_to_write(path, format).functions().companion(path)


def _format_to_write(path: ModelPath, format: str | None) -> Format:
    return format_by_ending(path) if format is None else format_named(format)


def _format_of_file(path: ModelPath) -> Format:
    """By the content if it tells, else by the name; compressed and other binary files do not tell."""
    try:
        text = read_text(path)
    except FileFormatError:
        return format_by_ending(path)
    return format_by_content(text) or format_by_ending(path)
